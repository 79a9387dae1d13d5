"""The frozen arrays: what they say about themselves, and that broken ones are caught."""

from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest

from silvan import ForestClassifier, ForestRegressor
from silvan.projections import AxisAligned


@pytest.fixture(scope="module")
def forest(labelled):
    X, y = labelled
    return ForestClassifier(4, max_depth=5, random_state=0).fit(X, y).forest_


def test_grown_forests_pass_their_check(forest, two_outputs):
    assert forest.check() is forest
    X, y = two_outputs
    regression = ForestRegressor(3, projections=AxisAligned(), random_state=0).fit(X, y).forest_
    regression.check()
    assert regression.n_outputs == 2
    np.testing.assert_array_equal(np.diff(regression.value_indptr), 2)


def test_arrays_cannot_be_replaced(forest):
    with pytest.raises(FrozenInstanceError):
        forest.left = forest.left[:-1]


def test_sizes(forest):
    assert forest.n_trees == 4
    assert forest.n_nodes == len(forest.threshold) == forest.tree_offsets[-1]
    assert forest.n_leaves == forest.leaf_offsets[-1] == np.count_nonzero(forest.left < 0)
    arrays = [getattr(forest, field.name) for field in fields(forest)][2:]
    assert forest.nbytes == sum(array.nbytes for array in arrays)


def test_a_forest_is_shown_in_one_line(forest):
    shown = repr(forest)
    assert shown == (
        f"<ForestArrays: 4 trees, {forest.n_nodes} nodes, {forest.n_leaves} leaves, "
        f"{forest.n_features} features, {forest.n_outputs} outputs, {forest.nbytes:,} bytes>"
    )


def test_a_tree_is_a_forest_and_trees_in_a_row_are_the_whole(forest, assert_same_forest):
    trees = [forest.tree(number).check() for number in range(forest.n_trees)]
    joined = trees[0]
    for tree in trees[1:]:
        joined = joined.append(tree)
    assert_same_forest(joined, forest)


def test_depth_is_the_longest_path(forest):
    def depth(tree, node):
        left = forest.left[forest.tree_offsets[tree] + node]
        return 0 if left < 0 else 1 + max(depth(tree, left), depth(tree, left + 1))

    np.testing.assert_array_equal(forest.depth(), [depth(tree, 0) for tree in range(4)])


def test_directions_are_rows_of_a_sparse_matrix(forest):
    directions = forest.directions()
    assert directions.shape == (forest.n_nodes, forest.n_features)
    empty = np.diff(directions.indptr) == 0
    np.testing.assert_array_equal(empty, forest.left < 0)
    second = slice(*forest.tree_offsets[1:3])
    assert (forest.directions(1) != directions[second]).nnz == 0


def test_splits_send_the_right_rows_to_the_right_side(labelled):
    X, y = labelled
    fitted = ForestClassifier(1, bootstrap=False, random_state=0).fit(X, y)
    forest = fitted.forest_
    values = X @ forest.directions().toarray().T
    node = np.zeros(len(X), dtype=int)
    while (forest.left[node] >= 0).any():
        right = values[np.arange(len(X)), node] > forest.threshold[node]
        node = np.where(forest.left[node] < 0, node, forest.left[node] + right)
    np.testing.assert_array_equal(node, fitted.apply(X)[:, 0])


def test_appended_forests_keep_their_trees(forest, labelled):
    both = forest.append(forest).check()
    assert both.n_trees == 8
    assert both.n_leaves == 2 * forest.n_leaves
    np.testing.assert_array_equal(both.depth(), np.tile(forest.depth(), 2))
    assert (both.directions(5) != forest.directions(1)).nnz == 0
    other = ForestClassifier(1, random_state=0).fit(labelled[0][:, :3], labelled[1]).forest_
    with pytest.raises(ValueError, match="forest of 3 features and 3 outputs cannot follow"):
        forest.append(other)


def changed(array, position, value):
    copy = array.copy()
    copy[position] = value
    return copy


def exchange_leaves(forest):
    """Leaf 0 of the first tree and of the second one, in each other's place."""
    in_first, in_second = np.flatnonzero(forest.left == -1)[:2]
    n_leaves = forest.leaf_offsets[1]
    return changed(changed(forest.left, in_first, -1 - n_leaves), in_second, n_leaves - 1)


def exchange_children(forest):
    """The root's children in the first tree become those of the second root."""
    return changed(forest.left, 0, forest.tree_offsets[1] + forest.left[forest.tree_offsets[1]])


def two_features(forest):
    """The entries of the first direction over two features."""
    node = np.flatnonzero(np.diff(forest.direction_indptr) == 2)[0]
    return forest.direction_indptr[node : node + 2]


BROKEN = {
    "left is int64, not int32": lambda f: {"left": f.left.astype(np.int64)},
    "values has 2 dimensions, not 1": lambda f: {"values": f.values[None]},
    "threshold has .* entries for": lambda f: {"threshold": f.threshold[1:]},
    "tree_offsets does not rise": lambda f: {"tree_offsets": f.tree_offsets[::-1]},
    "member_indptr does not rise": lambda f: {"members": f.members[1:]},
    "value_indptr does not rise": lambda f: {
        # Every difference of neighbours overflows to a number above zero.
        "value_indptr": changed(f.value_indptr, slice(1, 4), [2**63 - 1, -(2**63), -1])
    },
    "direction_indptr has": lambda f: {"direction_indptr": f.direction_indptr[1:]},
    "values and its column numbers": lambda f: {"values": f.values[1:]},
    "a tree has not 2": lambda f: {"leaf_offsets": f.leaf_offsets + np.eye(5, dtype=int)[1]},
    "a leaf number is not used once": lambda f: {
        "left": changed(f.left, np.flatnonzero(f.left < 0)[:2], -1)
    },
    "comes before its parent": lambda f: {"left": changed(f.left, 0, 0)},
    "not the child of one node": lambda f: {"left": changed(f.left, 0, f.left[0] + 1)},
    "a leaf has no members": lambda f: {"member_indptr": changed(f.member_indptr, 1, 0)},
    "a split has no direction": lambda f: {"direction_indptr": changed(f.direction_indptr, 1, 0)},
    "direction_indices has entries outside": lambda f: {
        "direction_indices": changed(f.direction_indices, 0, f.n_features)
    },
    "members has entries outside": lambda f: {"members": changed(f.members, 0, -1)},
    "threshold has entries that are NaN": lambda f: {"threshold": changed(f.threshold, 0, np.nan)},
    "n_features is no integer": lambda f: {"n_features": 0},
    "n_outputs is no integer": lambda f: {"n_outputs": 3.0},
    "weight is no array": lambda f: {"weight": [1.0] * f.n_nodes},
    "it has no trees": lambda f: {"tree_offsets": f.tree_offsets[:1]},
    "leaf_offsets does not rise": lambda f: {"value_indptr": f.value_indptr[:0]},
    "a leaf is that of another tree": lambda f: {"left": exchange_leaves(f)},
    "a child is that of another tree": lambda f: {"left": exchange_children(f)},
    "a leaf has no values": lambda f: {"value_indptr": changed(f.value_indptr, 1, 0)},
    "direction_indices has entries that do not rise": lambda f: {
        "direction_indices": changed(
            f.direction_indices, slice(*two_features(f)), f.direction_indices[two_features(f)[0]]
        )
    },
    "value_outputs has entries that do not rise": lambda f: {
        "value_outputs": np.zeros_like(f.value_outputs)
    },
    "over features and running sums": lambda f: {
        "grid_shape": np.array([6]),
        "grid_contiguous": np.ones(1, np.uint8),
        "direction_indices": changed(f.direction_indices, two_features(f)[1] - 1, 6),
    },
    "grid_shape has another number of cells": lambda f: {
        # Its product is 6 where 64-bit integers overflow.
        "grid_shape": np.array([2, 2**62, 2, 6]),
        "grid_contiguous": np.zeros(4, np.uint8),
    },
    "too many axes that are too short": lambda f: {
        "grid_shape": np.array([1] * 40 + [6]),
        "grid_contiguous": np.ones(41, np.uint8),
    },
    "n_samples has entries below zero": lambda f: {"n_samples": -f.n_samples},
    "impurity has entries that are not finite": lambda f: {
        "impurity": changed(f.impurity, 0, np.inf)
    },
}


@pytest.mark.parametrize("message", BROKEN)
def test_broken_arrays_are_caught(forest, message):
    broken = replace(forest, **BROKEN[message](forest))
    with pytest.raises(ValueError, match=f"not a forest: .*{message}.*; grow or load it again"):
        broken.check()
