"""The inequalities of a leaf hold for the samples that end in it, and for no others."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from silvan import ForestClassifier, ForestRegressor, ManifoldForestClassifier, presets
from silvan.channels import Difference, Function, Raw
from silvan.inspection import leaf_polytope

FORESTS = {
    "sparse": ForestClassifier(3, random_state=0),
    "axis": presets.rf(3, random_state=0),
    "rotated": presets.rr_rf(3, random_state=0),
    "regression": ForestRegressor(3, random_state=0),
    "patches": ManifoldForestClassifier(3, shape=(2, 3), channels="raw", random_state=0),
    "honest": ForestClassifier(3, honest=True, random_state=0),
}


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6)).astype(np.float32)
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


@pytest.mark.parametrize("name", FORESTS)
def test_every_leaf_contains_its_samples_and_no_others(name, data):
    forest = FORESTS[name].fit(*data)
    X = np.random.default_rng(1).normal(size=(500, 6)).astype(np.float32)
    leaves = forest.apply(X)
    for tree in range(3):
        for leaf in np.unique(leaves[:, tree]):
            inside = leaf_polytope(forest, tree, int(leaf)).contains(X)
            np.testing.assert_array_equal(inside, leaves[:, tree] == leaf)


def test_a_path_has_one_inequality_for_each_split(data):
    forest = ForestClassifier(1, max_depth=4, random_state=0).fit(*data)
    left = forest.forest_.left
    leaves = np.flatnonzero(left < 0)
    lengths = [len(leaf_polytope(forest, 0, leaf).b) for leaf in leaves]
    # Kraft's equality holds for every binary tree.
    assert sum(2.0**-n for n in lengths) == 1
    assert max(lengths) == forest.forest_.depth()[0]


def test_a_border_belongs_to_the_left_side():
    X = np.array([[0.0], [1.0]])
    forest = presets.rf(1, bootstrap=False, random_state=0).fit(X, [0, 1])
    border = forest.forest_.threshold[0]
    left, right = (leaf_polytope(forest, 0, leaf) for leaf in (1, 2))
    assert left.contains([[border]]) == [True]
    assert right.contains([[border]]) == [False]


@pytest.mark.parametrize(
    ("tree", "leaf", "message"),
    [(3, 1, "tree must be"), (-1, 1, "tree must be"), (0, 0, "leaf must be"), (0, 9**9, "leaf")],
)
def test_what_is_no_leaf_is_refused(tree, leaf, message, data):
    forest = FORESTS["sparse"].fit(*data)
    with pytest.raises(ValueError, match=message):
        leaf_polytope(forest, tree, leaf)


def test_splits_that_are_not_linear_are_refused(data):
    X, y = data
    categories = ForestClassifier(2, categorical_features=[0]).fit(
        np.column_stack([np.arange(300) % 5, X]), y
    )
    with pytest.raises(ValueError, match="categories"):
        leaf_polytope(categories, 0, 1)
    with pytest.raises(ValueError, match="scales"):
        leaf_polytope(ForestClassifier(2, scaling="rank").fit(X, y), 0, 1)
    X = np.where(np.random.default_rng(2).random(X.shape) < 0.9, np.nan, X)
    forest = ForestClassifier(20, random_state=0).fit(X, np.isnan(X[:, 0]).astype(int))
    arrays = forest.forest_
    assert np.isinf(arrays.threshold).any()
    node = int(np.flatnonzero(np.isinf(arrays.threshold))[0])
    tree = int(arrays.node_trees()[node])
    below = int(arrays.left[node])
    while arrays.left[arrays.tree_offsets[tree] + below] >= 0:
        below = int(arrays.left[arrays.tree_offsets[tree] + below])
    with pytest.raises(ValueError, match="missing values"):
        leaf_polytope(forest, tree, below)


@pytest.mark.parametrize("make", [ForestClassifier, presets.rf, presets.rerf, presets.ccf])
def test_samples_on_borders_are_rounded_as_trees_round_them(make):
    X, y = load_iris(return_X_y=True)  # decimal numbers, whose sums often are thresholds
    for seed in range(3):
        forest = make(5, random_state=seed).fit(X, y)
        leaves = forest.apply(X)
        for tree in range(5):
            for leaf in np.unique(leaves[:, tree]):
                inside = leaf_polytope(forest, tree, int(leaf)).contains(X)
                np.testing.assert_array_equal(inside, leaves[:, tree] == leaf)


def test_channels_are_refused_unless_they_are_the_values(data):
    X, y = np.random.default_rng(0).normal(size=(120, 30)), np.arange(120) % 2
    options = {"random_state": 0, "statistics": "mean", "shift": 0, "n_terms": 1}
    for channels in ([Function(np.abs)], [Difference()], "auto"):
        forest = ManifoldForestClassifier(3, channels=channels, **options).fit(X, y)
        leaf = forest.apply(X)[0, 0]
        with pytest.raises(ValueError, match="splits on channels"):
            leaf_polytope(forest, 0, leaf)
    forest = ManifoldForestClassifier(3, channels=[Raw()], **options).fit(X, y)
    leaves = forest.apply(X)[:, 0]
    inside = leaf_polytope(forest, 0, leaves[0]).contains(X)
    np.testing.assert_array_equal(inside, leaves == leaves[0])


def test_samples_of_another_shape_or_with_missing_values_are_refused(data):
    forest = FORESTS["sparse"].fit(*data)
    polytope = leaf_polytope(forest, 0, forest.apply(data[0])[0, 0])
    for X in (data[0][0], data[0][:, :3]):
        with pytest.raises(ValueError, match="6 features"):
            polytope.contains(X)
    with pytest.raises(ValueError, match="missing values"):
        polytope.contains(np.full((2, 6), np.nan))
