"""The regions of a tree tile the plot and have the colours of their leaves."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from silvan import ForestClassifier, ForestRegressor
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
