"""Plots of contributions have the shape of the data."""

import matplotlib
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_digits

from silvan import ForestRegressor, ManifoldForestClassifier
from silvan.explanations import feature_contributions
from silvan.plotting import ContributionDisplay
from silvan.projections import GraphNeighborhoods

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


def test_values_beside_bars_read_as_people_write_them():
    frame = pd.DataFrame({"year": [2023.4, 1999.0], "gap": [np.nan, 1.0], "kind": ["a", None]})
    forest = ForestRegressor(3, random_state=0).fit(frame, [0.0, 1.0])
    display = ContributionDisplay.from_estimator(forest, frame[:1])
    labels = {label.get_text() for label in display.axes_[0].get_yticklabels()}
    assert labels == {"year = 2023", "gap = missing", "kind = a"}


def test_missing_values_and_axes_of_ones_are_no_hindrance(forest):
    _, X = forest
    X = X[:, None].copy()
    X[0, 0, 3] = np.nan
    y = np.arange(len(X)) % 2
    fitted = ManifoldForestClassifier(3, random_state=0).fit(X, y)
    display = ContributionDisplay.from_estimator(fitted, X[:2])
    assert display.axes_[0].images[0].get_array().shape == (8, 8)


def test_volumes_are_drawn_as_slices():
    X = np.random.default_rng(0).normal(size=(40, 6, 4, 3))
    forest = ManifoldForestClassifier(3, channels="raw", random_state=0).fit(X, X[:, 2, 1, 1] > 0)
    display = ContributionDisplay.from_estimator(forest, X[:2], n_slices=3)
    slices = [0, 2, 5]
    drawn = np.array([axis.images[0].get_array() for axis in display.axes_])
    np.testing.assert_array_equal(drawn, display.contributions[:, slices].reshape(6, 4, 3))
    titles = [f"{title}, slice {z}" for title in display.titles for z in slices]
    assert [axis.get_title() for axis in display.axes_] == titles
    assert display.axes_[0].get_gridspec().ncols == 3


def test_slices_are_outlined_at_one_level_and_missing_ones_not_at_all():
    row = np.arange(27.0).reshape(1, 3, 3, 3)
    row[0, 1] = np.nan
    display = ContributionDisplay(np.ones_like(row), row, ["row"]).plot()
    assert [len(axis.collections) for axis in display.axes_] == [0, 0, 0]  # none crosses 13
    row[0, 2, 0, 0] = 0.0
    display = ContributionDisplay(np.ones_like(row), row, ["row"]).plot()
    assert [len(axis.collections) for axis in display.axes_] == [0, 0, 1]
    assert display.axes_[2].collections[0].levels == [13.0]


@pytest.mark.parametrize("channels_last", [False, True])
def test_every_channel_of_an_image_has_a_map(channels_last):
    X = np.random.default_rng(0).normal(size=(40, 3, 5, 4))
    y, contiguous, to_front = X[:, 1, 2, 2] > 0, [False, True, True], (0, 1, 2, 3)
    if channels_last:
        X, contiguous, to_front = np.moveaxis(X, 1, -1), [True, True, False], (0, 3, 1, 2)
    forest = ManifoldForestClassifier(3, contiguous=contiguous, random_state=0).fit(X, y)
    display = ContributionDisplay.from_estimator(forest, X[:2])
    drawn = np.array([axis.images[0].get_array() for axis in display.axes_])
    maps = display.contributions.transpose(to_front).reshape(6, 5, 4)
    np.testing.assert_array_equal(drawn, maps)
    assert display.axes_[4].get_title() == f"{display.titles[1]}, plane 1"
    single = ContributionDisplay.from_estimator(forest, X[:1])
    assert len(single.axes_) == single.axes_[0].get_gridspec().ncols == 3


def test_contributions_on_a_graph_are_colours_of_its_nodes():
    graph = nx.path_graph(6)
    X = np.random.default_rng(0).normal(size=(60, 6))
    distribution = GraphNeighborhoods(graph)
    forest = ForestRegressor(5, projections=distribution, random_state=0).fit(X, X[:, 2] + X[:, 3])
    places = np.random.default_rng(1).random((6, 2))
    display = ContributionDisplay.from_estimator(forest, X[:2], positions=places)
    for axis, values in zip(display.axes_, display.contributions, strict=True):
        nodes = axis.collections[1]
        np.testing.assert_array_equal(nodes.get_offsets(), places)
        np.testing.assert_array_equal(nodes.get_array(), values)
        assert nodes.get_clim() == (nodes.norm.vmin, -nodes.norm.vmin)
    with pytest.raises(ValueError, match=r"positions must have shape \(6, 2\)"):
        ContributionDisplay.from_estimator(forest, X[:2], positions=places[:3])


def test_more_than_three_contiguous_axes_are_refused():
    with pytest.raises(ValueError, match="4 contiguous axes cannot be drawn, but one with up to 3"):
        ContributionDisplay(np.ones((1, 2, 2, 2, 2)), np.ones((1, 2, 2, 2, 2)), ["one"]).plot()
