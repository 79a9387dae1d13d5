"""Plots of importances have the right panels, values and errors."""

import sys

import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array

from silvan import ForestClassifier, ManifoldForestClassifier, ManifoldForestRegressor
from silvan.inspection import importance_map
from silvan.plotting import ImportanceDisplay
from silvan.plotting._panels import lay_out
from silvan.projections import AxisAligned, GraphNeighborhoods, Mixture


@pytest.fixture(scope="module")
def rng():
    return np.random.default_rng(0)


def fit(shape, rng, Forest=ManifoldForestClassifier, **parameters):
    X = rng.normal(size=(60, *shape))
    y = rng.integers(3, size=60)
    return Forest(3, random_state=0, **parameters).fit(X, y), X


def test_image_shows_the_importance_map_with_a_colour_bar(rng):
    forest, X = fit((5, 7), rng)
    display = ImportanceDisplay.from_estimator(forest, kind="gain")
    (image,) = display.ax_.images
    assert image.get_interpolation() == "nearest"
    np.testing.assert_array_equal(image.get_array(), importance_map(forest, "gain"))
    assert display.ax_ is display.axes_[0]
    assert display.figure_ is display.ax_.figure
    bar = next(axis for axis in display.figure_.axes if axis is not display.ax_)
    assert bar.get_ylabel() == "share of the decrease of impurity"
    outlined = ImportanceDisplay.from_estimator(forest, X)
    assert len(outlined.ax_.collections) == 1
    assert outlined.ax_.get_xlim() == (-0.5, 6.5)
    outlined.figure_.canvas.draw()


def test_classes_have_a_panel_each_on_one_scale(rng):
    forest, X = fit((4, 4), rng)
    display = ImportanceDisplay.from_estimator(forest, X, per_class=True)
    assert [axis.get_title() for axis in display.axes_] == ["class 0", "class 1", "class 2"]
    assert len({axis.images[0].get_clim() for axis in display.axes_}) == 1


def test_series_is_a_line_over_the_mean(rng):
    forest, X = fit((20,), rng, ManifoldForestRegressor)
    display = ImportanceDisplay.from_estimator(forest, X)
    (line,) = display.ax_.lines
    np.testing.assert_array_equal(line.get_ydata(), importance_map(forest))
    assert display.ax_.get_ylabel() == "share of the uses in splits"
    (mean,) = next(axis for axis in display.figure_.axes if axis is not display.ax_).lines
    np.testing.assert_allclose(mean.get_ydata(), X.mean(axis=0))
    assert display.ax_.get_legend() is None


def test_classes_of_a_series_share_one_panel(rng):
    forest, X = fit((20,), rng)
    display = ImportanceDisplay.from_estimator(forest, X, per_class=True)
    assert [line.get_label() for line in display.ax_.lines] == ["class 0", "class 1", "class 2"]
    assert display.ax_.get_legend() is not None


def test_channels_are_lines_and_classes_are_panels(rng):
    forest, X = fit((2, 15), rng, contiguous=(False, True))
    display = ImportanceDisplay.from_estimator(forest, X)
    assert len(display.axes_) == 1
    for line, channel in zip(display.ax_.lines, importance_map(forest), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), channel)
    display = ImportanceDisplay.from_estimator(forest, per_class=True)
    assert len(display.axes_) == 3
    assert [line.get_label() for line in display.axes_[2].lines] == ["plane 0", "plane 1"]
    assert len({axis.get_ylim() for axis in display.axes_}) == 1


def test_channels_may_come_last(rng):
    forest, X = fit((4, 5, 2), rng, contiguous=(True, True, False))
    display = ImportanceDisplay.from_estimator(forest, X)
    assert [axis.get_title() for axis in display.axes_] == ["plane 0", "plane 1"]
    importance = importance_map(forest)
    for channel, axis in enumerate(display.axes_):
        np.testing.assert_array_equal(axis.images[0].get_array(), importance[:, :, channel])


def test_volume_is_a_row_of_slices(rng):
    forest, X = fit((9, 6, 5), rng)
    importance = importance_map(forest)
    display = ImportanceDisplay.from_estimator(forest, X, n_slices=3, cmap="magma")
    assert [axis.get_title() for axis in display.axes_] == ["slice 0", "slice 4", "slice 8"]
    for z, axis in zip((0, 4, 8), display.axes_, strict=True):
        np.testing.assert_array_equal(axis.images[0].get_array(), importance[z])
        assert axis.images[0].get_cmap().name == "magma"
    assert len(ImportanceDisplay.from_estimator(forest, n_slices=50).axes_) == 9


def test_features_without_a_grid_are_a_line(rng):
    X, y = rng.normal(size=(40, 6)), np.arange(40) % 2
    forest = ForestClassifier(3, random_state=0).fit(X, y)
    display = ImportanceDisplay.from_estimator(forest, X)
    assert len(display.ax_.lines[0].get_ydata()) == 6
    assert len(ImportanceDisplay.from_estimator(forest, shape=(2, 3)).ax_.images) == 1


class TestGraphs:
    ring = diags_array([1.0] * 12, offsets=1, shape=(12, 12)).tolil()
    ring[0, 11] = 1

    def fit(self, rng):
        distribution = Mixture(
            [(AxisAligned(), 1.0), (GraphNeighborhoods(csr_array(self.ring)), 1.0)]
        )
        X, y = rng.normal(size=(60, 12)), rng.integers(2, size=60)
        return ForestClassifier(3, projections=distribution, random_state=0).fit(X, y), X

    def test_nodes_have_the_colour_of_their_importance(self, rng):
        forest, X = self.fit(rng)
        places = rng.uniform(size=(12, 2))
        display = ImportanceDisplay.from_estimator(forest, X, positions=places)
        edges, nodes = display.ax_.collections
        np.testing.assert_array_equal(nodes.get_offsets(), places)
        np.testing.assert_array_equal(nodes.get_array(), importance_map(forest))
        assert len(edges.get_segments()) == 24
        display = ImportanceDisplay.from_estimator(forest, per_class=True)
        assert len(display.axes_) == 2

    def test_ring_is_laid_out_as_a_ring(self):
        ring = GraphNeighborhoods(csr_array(self.ring)).adjacency()
        radius = np.linalg.norm(lay_out(ring), axis=1)
        np.testing.assert_allclose(radius, radius[0])

    def test_path_is_laid_out_in_order(self):
        path = GraphNeighborhoods(diags_array([1.0] * 9, offsets=1, shape=(10, 10))).adjacency()
        step = np.diff(lay_out(path)[:, 0])
        np.testing.assert_allclose(np.abs(step), 1)
        assert len(set(np.sign(step))) == 1

    def test_graph_of_several_parts_is_laid_out_on_a_circle(self):
        for graph in (csr_array((5, 5)), csr_array(np.ones((2, 2))), csr_array((1, 1))):
            np.testing.assert_allclose(np.linalg.norm(lay_out(graph), axis=1), 1)

    def test_positions_must_match_the_nodes(self, rng):
        forest, _ = self.fit(rng)
        with pytest.raises(
            ValueError, match=r"positions must have shape \(12, 2\).*\(3, 2\); pass"
        ):
            ImportanceDisplay.from_estimator(forest, positions=np.zeros((3, 2)))
        with pytest.raises(ValueError, match="graph has 12 nodes but X has 5 features"):
            ImportanceDisplay.from_importances(np.ones(5), graph=csr_array(self.ring))


class TestAxes:
    def test_given_axes_are_drawn_on(self, rng, agg):
        forest, _ = fit((4, 4), rng)
        figure, axes = agg.subplots(1, 3)
        display = ImportanceDisplay.from_estimator(forest, ax=axes[1])
        assert display.ax_ is axes[1]
        assert display.figure_ is figure
        display = ImportanceDisplay.from_estimator(forest, per_class=True, ax=axes)
        assert list(display.axes_) == list(axes)

    def test_display_is_drawn_again_elsewhere(self, agg):
        display = ImportanceDisplay(np.ones((3, 3)), label="weight")
        assert not hasattr(display, "ax_")
        assert display.plot() is display
        first = display.ax_
        assert display.plot(agg.subplots()[1]).ax_ is not first

    def test_importances_of_any_origin_are_drawn(self):
        display = ImportanceDisplay.from_importances(
            np.arange(24).reshape(2, 3, 4), classes=["a", "b"], label="weight", cmap="Greys"
        )
        assert [axis.get_title() for axis in display.axes_] == ["class a", "class b"]
        assert display.figure_.axes[-1].get_ylabel() == "weight"
        assert ImportanceDisplay.from_importances(np.zeros((2, 2))).ax_.images[0].get_clim() == (
            0,
            1,
        )


class TestErrors:
    def test_wrong_number_of_axes_is_refused(self, rng, agg):
        forest, _ = fit((4, 4), rng)
        with pytest.raises(ValueError, match=r"ax must be axes for 3 panels.*make a new figure"):
            ImportanceDisplay.from_estimator(forest, per_class=True, ax=agg.subplots()[1])

    def test_importances_that_cannot_be_drawn_are_refused(self):
        with pytest.raises(ValueError, match=r"4 contiguous axes cannot be drawn.*up to 3"):
            ImportanceDisplay.from_importances(np.ones((2, 2, 2, 2)))
        with pytest.raises(
            ValueError, match=r"shape \(3, 4\) are not one map for each of the 2 cl"
        ):
            ImportanceDisplay.from_importances(np.ones((3, 4)), classes=["a", "b"])
        with pytest.raises(
            ValueError, match=r"importances must be an array with at least one axis"
        ):
            ImportanceDisplay.from_importances(1.0)
        with pytest.raises(ValueError, match="n_slices must be an integer >= 1"):
            ImportanceDisplay.from_importances(np.ones(3), n_slices=0)

    def test_rows_of_another_grid_are_refused(self, rng):
        forest, X = fit((4, 4), rng)
        with pytest.raises(
            ValueError, match=r"mean of X\) has 12 values but .* has 16; pass samples"
        ):
            ImportanceDisplay.from_estimator(forest, X[:, :3])

    def test_missing_matplotlib_is_named(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(ImportError, match=r"plots need matplotlib.*install silvan\[plot\]"):
            ImportanceDisplay.from_importances(np.ones(3))
