"""The regions of a tree tile the plot and have the colours of their leaves."""

import numpy as np
import pandas
import pytest
from sklearn.datasets import make_moons

from silvan import BoostedForestClassifier, ForestClassifier, ForestRegressor
from silvan.plotting import RegionsDisplay


def area(polygon):
    x, y = polygon.T
    return 0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))


@pytest.mark.parametrize("kind", [ForestClassifier, ForestRegressor])
def test_regions_tile_the_plane(kind):
    X, y = make_moons(200, noise=0.2, random_state=0)
    forest = kind(3, random_state=0).fit(X, y)
    display = RegionsDisplay.from_estimator(forest, X, tree=1)
    low, high = X.min(axis=0), X.max(axis=0)
    whole = np.prod(1.2 * (high - low))
    assert np.isclose(sum(map(area, display.polygons)), whole)
    # The middle of a region is predicted as its colour says.
    middles = np.array([polygon.mean(axis=0) for polygon in display.polygons])
    tree = forest.forest_.tree(1)
    left = tree.left[forest.apply(middles)[:, 1]]
    values = tree.leaf_values().toarray()[-1 - left]
    shown = values.argmax(axis=1) if kind is ForestClassifier else values[:, 0]
    np.testing.assert_allclose(display.values, shown)


def test_other_numbers_of_features_are_refused():
    X = np.random.default_rng(0).normal(size=(50, 3))
    forest = ForestRegressor(2, random_state=0).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="two features"):
        RegionsDisplay.from_estimator(forest, X)


@pytest.fixture
def moons():
    X, y = make_moons(200, noise=0.2, random_state=0)
    return pandas.DataFrame(X, columns=["width", "height"]), np.array(["no", "yes"])[y]


def test_axes_and_classes_have_their_names(moons):
    X, y = moons
    forest = ForestClassifier(3, random_state=0).fit(X, y)
    display = RegionsDisplay.from_estimator(forest, X, y)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("width", "height")
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["no", "yes"]
    np.testing.assert_array_equal(display.targets, y == "yes")
    # Samples and regions of a class have the same colour.
    regions, samples = display.ax_.collections
    assert (regions.norm.vmin, regions.norm.vmax) == (samples.norm.vmin, samples.norm.vmax)


def test_boosted_trees_are_coloured_by_what_they_add(moons):
    X, y = moons
    forest = BoostedForestClassifier(3, random_state=0).fit(X, y)
    display = RegionsDisplay.from_estimator(forest, X)
    added = forest.forest_.leaf_values(0).toarray()[:, 0]
    assert set(display.values) <= set(added.astype(np.float64))
    assert len(set(display.values)) > 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tree": 3}, "tree must be an integer from 0 to 2"),
        ({"tree": -1}, "tree must be"),
        ({"tree": True}, "tree must be"),
        ({"margin": -1}, "margin must be"),
        ({"margin": np.nan}, "margin must be"),
        ({"margin": np.inf}, "margin must be"),
        ({"y": ["no"]}, "y has shape"),
        ({"y": ["other"] * 200}, "the class 'other'"),
    ],
)
def test_odd_parameters_are_refused_by_name(options, message, moons):
    forest = ForestClassifier(3, random_state=0).fit(*moons)
    with pytest.raises(ValueError, match=message):
        RegionsDisplay.from_estimator(forest, moons[0], **options)


def test_samples_without_a_place_are_refused(moons):
    X, y = moons
    X = X.to_numpy()
    forest = ForestClassifier(3, random_state=0).fit(np.where(X > 1, np.nan, X), y)
    with pytest.raises(ValueError, match="missing or infinite values"):
        RegionsDisplay.from_estimator(forest, np.where(X > 1, np.nan, X))


def test_leaves_of_several_values_are_refused(moons):
    X = moons[0].to_numpy()
    forest = ForestRegressor(2, random_state=0).fit(X, X)
    with pytest.raises(ValueError, match="2 values"):
        RegionsDisplay.from_estimator(forest, X)
    y = np.arange(200) % 3
    boosted = BoostedForestClassifier(2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="3 values"):
        RegionsDisplay.from_estimator(boosted, X)
