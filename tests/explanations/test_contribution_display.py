"""Pictures of contributions have the shape of the data."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_digits

from silvan import ForestClassifier, ForestRegressor, ManifoldForestClassifier
from silvan.explanations import ContributionDisplay, feature_contributions
from silvan.projections import Patches

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture(scope="module")
def forest():
    X, y = load_digits(return_X_y=True)
    X = X[:200].reshape(-1, 8, 8)
    return ManifoldForestClassifier(5, random_state=0).fit(X, y[:200]), X


def test_images_are_drawn_as_maps_of_the_predicted_class(forest):
    fitted, X = forest
    display = ContributionDisplay.from_estimator(fitted, X[:3])
    values = feature_contributions(fitted, X[:3]).values
    for i, axis in enumerate(display.axes_):
        best = fitted.predict(X[i : i + 1])[0]
        drawn = axis.images[0].get_array()
        np.testing.assert_allclose(drawn, values[i, :, best].reshape(8, 8))
        probability = fitted.predict_proba(X[i : i + 1])[0, best]
        assert axis.get_title() == display.titles[i] == f"{best}: {probability:.2f}"
    low, high = display.axes_[0].images[0].get_clim()
    assert low == -high == -np.abs(display.contributions).max()


def test_the_class_can_be_chosen(forest):
    fitted, X = forest
    display = ContributionDisplay.from_estimator(fitted, X[:2], output=7)
    assert [title[:2] for title in display.titles] == ["7:", "7:"]
    with pytest.raises(ValueError, match=r"output must be None or one of \[0 1 2.*it is 'seven'"):
        ContributionDisplay.from_estimator(fitted, X[:2], output="seven")


def test_series_are_drawn_as_lines_and_channels_have_their_own():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2, 20))
    y = X[:, 1, 5:15].sum(axis=1) > 0
    forest = ManifoldForestClassifier(5, contiguous=(False, True), random_state=0).fit(X, y)
    display = ContributionDisplay.from_estimator(forest, X[:2])
    assert [len(axis.get_lines()) for axis in display.axes_] == [3, 3]  # and the line at zero
    single = ManifoldForestClassifier(5, random_state=0).fit(X[:, 1], y)
    display = ContributionDisplay.from_estimator(single, X[:2, 1])
    assert [len(axis.get_lines()) for axis in display.axes_] == [2, 2]


def test_tables_are_drawn_as_bars_with_names():
    frame, y = load_diabetes(return_X_y=True, as_frame=True)
    forest = ForestRegressor(5, random_state=0).fit(frame, y)
    display = ContributionDisplay.from_estimator(forest, frame[:2], max_features=4)
    values = feature_contributions(forest, frame[:2]).values
    for i, axis in enumerate(display.axes_):
        lengths = [bar.get_width() for bar in axis.patches]
        largest = np.sort(np.abs(values[i]))[-4:]
        np.testing.assert_allclose(np.abs(lengths), largest)
        names = [label.get_text().split(" = ")[0] for label in axis.get_yticklabels()]
        assert set(names) <= set(frame.columns)
    assert isinstance(frame, pd.DataFrame)


def test_missing_values_and_axes_of_ones_are_no_hindrance(forest):
    _, X = forest
    X = X[:, None].copy()
    X[0, 0, 3] = np.nan
    y = np.arange(len(X)) % 2
    fitted = ManifoldForestClassifier(3, random_state=0).fit(X, y)
    display = ContributionDisplay.from_estimator(fitted, X[:2])
    assert display.axes_[0].images[0].get_array().shape == (8, 8)


def test_volumes_are_refused():
    X = np.random.default_rng(0).normal(size=(20, 27))
    y = np.arange(20) % 2
    forest = ForestClassifier(2, projections=Patches((3, 3, 3)), random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"shape \(3, 3, 3\) cannot be drawn"):
        ContributionDisplay.from_estimator(forest, X[:1])
