"""Plots of projections, strength, errors and their parts show what inspection computes."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.tree import DecisionTreeClassifier

from silvan import ForestClassifier, ForestRegressor, ManifoldForestClassifier
from silvan.datasets import make_sparse_parity, make_trunk
from silvan.inspection import (
    BiasVariance,
    StrengthCorrelation,
    out_of_bag_curve,
    strength_and_correlation,
    top_projections,
)
from silvan.plotting import (
    BiasVarianceDisplay,
    OutOfBagDisplay,
    ProjectionsDisplay,
    StrengthDisplay,
)
from silvan.projections import SparseSigns


@pytest.fixture(scope="module")
def trunk():
    return make_trunk(200, random_state=0)


@pytest.fixture(scope="module")
def forest(trunk):
    return ForestClassifier(20, projections=SparseSigns(), random_state=0).fit(*trunk)


class TestProjections:
    def test_heat_map_has_a_column_for_each_projection(self, forest):
        display = ProjectionsDisplay.from_estimator(forest, k=6)
        shown = display.ax_.images[0].get_array()
        np.testing.assert_array_equal(shown, top_projections(forest, 6).directions.toarray().T)
        labels = [text.get_text() for text in display.ax_.get_yticklabels()]
        assert labels == [f"x{i}" for i in range(10)]

    def test_projections_of_images_are_images(self):
        digits = load_digits()
        forest = ManifoldForestClassifier(5, channels="raw", random_state=0).fit(
            digits.images, digits.target
        )
        display = ProjectionsDisplay.from_estimator(forest, k=4)
        assert len(display.axes_) == 4
        top = top_projections(forest, 4)
        for axis, weights in zip(display.axes_, top.directions.toarray(), strict=True):
            np.testing.assert_array_equal(axis.images[0].get_array(), weights.reshape(8, 8))
        assert display.axes_[0].get_title() == f"{top.importances[0]:.3f}"

    def test_computed_projections_are_drawn_on_given_axes(self, forest, agg):
        axis = agg.subplots()[1]
        top = top_projections(forest, 3)
        display = ProjectionsDisplay.from_projections(top, ax=axis)
        assert display.ax_ is axis

    def test_forest_without_splits_is_refused(self):
        forest = ForestClassifier(3, random_state=0).fit(np.zeros((5, 2)), [0, 0, 0, 1, 1])
        with pytest.raises(ValueError, match="no tree of the forest has a split"):
            ProjectionsDisplay.from_estimator(forest)


class TestStrength:
    def test_forests_are_dots_at_correlation_and_strength(self, forest, trunk):
        display = StrengthDisplay.from_estimator(forest, *trunk)
        measures = strength_and_correlation(forest, *trunk)
        (dots,) = display.ax_.collections
        np.testing.assert_allclose(dots.get_offsets(), [[measures.correlation, measures.strength]])
        assert display.ax_.get_legend().get_texts()[0].get_text() == "ForestClassifier"

    def test_measures_have_a_colour_for_each_name(self):
        measures = {
            name: [StrengthCorrelation(0.1 * i, 0.2) for i in range(3)] for name in ("a", "b")
        }
        display = StrengthDisplay.from_measures(measures, colors={"a": "red"})
        assert [len(dots.get_offsets()) for dots in display.ax_.collections] == [3, 3]
        assert tuple(display.ax_.collections[0].get_facecolor()[0][:3]) == (1.0, 0.0, 0.0)


class TestOutOfBag:
    def test_curve_is_that_of_inspection(self, forest, trunk):
        display = OutOfBagDisplay.from_estimator(forest, *trunk, name="mine")
        x, y = display.line_.get_data()
        np.testing.assert_array_equal(x, np.arange(1, 21))
        np.testing.assert_array_equal(y, out_of_bag_curve(forest, *trunk))
        assert display.ax_.get_legend().get_texts()[0].get_text() == "mine"

    def test_two_forests_share_axes(self, forest, trunk):
        first = OutOfBagDisplay.from_estimator(forest, *trunk)
        other = ForestRegressor(5, random_state=0).fit(*trunk)
        second = OutOfBagDisplay.from_estimator(other, *trunk, ax=first.ax_, color="black")
        assert second.ax_ is first.ax_
        assert len(first.ax_.lines) == 2
        assert second.ax_.get_ylabel() == "out-of-bag mean squared error"

    def test_curve_without_a_name_has_no_legend(self):
        assert OutOfBagDisplay([0.3, 0.2]).plot().ax_.get_legend() is None


class TestBiasVariance:
    MEASURES = BiasVariance(0.1, 0.2, 0.05, 0.08, 0.04, 0.17)

    def test_one_size_is_a_bar_of_parts(self):
        display = BiasVarianceDisplay.from_measures({"a": self.MEASURES, "b": self.MEASURES})
        widths = [bar.get_width() for bar in display.ax_.patches]
        assert widths == pytest.approx([0.04, 0.05, 0.08] * 2)
        last = display.ax_.patches[2]
        assert last.get_x() + last.get_width() == pytest.approx(0.17)

    def test_sizes_have_a_panel_for_each_measure(self):
        display = BiasVarianceDisplay.from_measures({"a": [self.MEASURES] * 3}, sizes=[1, 2, 3])
        labels = [axis.get_ylabel() for axis in display.axes_]
        assert labels == ["bias", "variance", "systematic effect", "variance effect", "error"]
        np.testing.assert_allclose(display.axes_[-1].lines[0].get_ydata(), 0.17)

    def test_estimator_is_measured_at_each_size(self):
        display = BiasVarianceDisplay.from_estimator(
            DecisionTreeClassifier(),
            make_sparse_parity,
            sizes=(30, 60),
            n_repeats=3,
            n_test=50,
            random_state=0,
        )
        assert len(display.measures["DecisionTreeClassifier"]) == 2
        assert len(display.axes_) == 4

    def test_wrong_number_of_measures_is_refused(self):
        with pytest.raises(ValueError, match="2 for 'a', one for each size"):
            BiasVarianceDisplay.from_measures({"a": [self.MEASURES]}, sizes=[1, 2])
        with pytest.raises(ValueError, match="sizes must be given where 'a' has a sequence"):
            BiasVarianceDisplay.from_measures({"a": [self.MEASURES]})
