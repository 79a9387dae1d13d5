"""What the splits of a forest say about its features, added up tree by tree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from silvan.forest_arrays import ForestArrays

# Of the features, where directions have no units.
Spreads = NDArray[np.float64] | None

# A class's part in the impurity of a node, as a function of its share p of the node's weight. The
# parts add up to the impurity, and no split increases one, since the functions are concave.
CLASS_IMPURITIES: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "gini": lambda p: p * (1.0 - p),
    "entropy": lambda p: -p * np.log2(np.where(p > 0, p, 1.0)),
}


def split_gains(forest: ForestArrays) -> NDArray[np.float64]:
    """Decrease of weight times impurity from each node to its children; zero at leaves."""
    spread = forest.weight * forest.impurity
    inner = forest.left >= 0
    left = forest.tree_offsets[forest.node_trees()[inner]] + forest.left[inner]
    gains = np.zeros(forest.n_nodes)
    # The impurities are rounded to float32, so a useless split may seem to lose a little.
    gains[inner] = np.maximum(spread[inner] - spread[left] - spread[left + 1], 0.0)
    return gains


def feature_importances(
    forest: ForestArrays, spreads: Spreads = None, *, boosted: bool = False
) -> NDArray[np.float64]:
    """Share of each feature in the decrease of impurity; sums to 1, or is zero without splits.

    A split's gain is spread over the features of its direction (see `direction_shares`). Gains are
    normalised within each tree, then averaged over the trees; those of a boosted forest, whose
    later trees have less to gain, are only added up.
    """
    return share(credit_features(forest, gain_credit(forest, boosted=boosted), spreads)[:, 0])


def gain_credit(forest: ForestArrays, *, boosted: bool) -> Callable[[int], NDArray[np.float64]]:
    """Function that gives the gains of the nodes of a tree, of shape (n_nodes, 1)."""
    gains = split_gains(forest)
    # Trees of bagged forests count alike.
    scale = (lambda values: values) if boosted else share
    return lambda tree: scale(gains[nodes_of(forest, tree)][:, None])


def credit_features(
    forest: ForestArrays,
    credit_of_tree: Callable[[int], NDArray[np.float64]],
    spreads: Spreads = None,
    *,
    by_weight: bool = True,
    earlier: NDArray[np.float64] | float = 0.0,
) -> NDArray[np.float64]:
    """Credit that the features get from the splits, of shape (n_features, n_kinds of credit).

    `credit_of_tree` gives the credit of the nodes of a tree, of shape (n_nodes, n_kinds). A split's
    credit is spread over the features of its direction (see `direction_shares`; that of a window is
    divided evenly among the cells it reads), or goes in full to each of them. It is added to the
    credit from `earlier` trees.
    """
    total: NDArray[np.float64] = np.asarray(earlier, dtype=np.float64)
    # One tree at a time: written out, the patches of a whole forest may take many times its memory.
    for tree in range(forest.n_trees):
        shares = direction_shares(forest.shares(tree), spreads)
        if not by_weight:
            shares.data[:] = 1.0 if spreads is None else spreads[shares.indices] > 0
        total = total + shares.T @ credit_of_tree(tree)
    return total


def direction_shares(directions: csr_array, spreads: Spreads = None) -> csr_array:
    """Absolute coefficients of each direction, divided by their sum; equal ones if that is zero.

    With spreads the coefficients are those of features divided by them, so that shares do not
    depend on units; constants have spread 0 and no share. The sum is zero where a split only tells
    missing categories from others.
    """
    node = np.repeat(np.arange(directions.shape[0]), np.diff(directions.indptr))
    weights = np.abs(directions.data, dtype=np.float64)
    equal = np.ones(len(weights))
    if spreads is not None:
        weights *= spreads[directions.indices]
        equal[spreads[directions.indices] == 0] = 0.0
    weights = np.where(np.bincount(node, weights=weights)[node] > 0, weights, equal)
    totals = np.bincount(node, weights=weights)[node]
    weights /= np.where(totals > 0, totals, 1.0)
    return csr_array((weights, directions.indices, directions.indptr), shape=directions.shape)


def class_weights(forest: ForestArrays, tree: int) -> NDArray[np.float64]:
    """Weight of each class in each node of a tree, of shape (n_nodes, n_classes).

    Leaves have theirs from their values; a split has the sum of its children. In an honest forest
    the weights are of the samples that decide splits, and their shares those of the other samples.
    """
    nodes = nodes_of(forest, tree)
    left = forest.left[nodes]
    shares = forest.leaf_values(tree)
    leaf = left < 0
    weights = np.zeros((len(left), forest.n_outputs))
    weights[leaf] = shares[-1 - left[leaf]].toarray() * forest.weight[nodes][leaf, None]
    for level in reversed(splits_by_level(left)):
        weights[level] = weights[left[level]] + weights[left[level] + 1]
    return weights


def class_gains(forest: ForestArrays, tree: int, criterion: str) -> NDArray[np.float64]:
    """Each class's part in the gain of each node of a tree.

    Rows add up to `split_gains`, unless the forest is honest and posteriors come from other
    samples.
    """
    weights = class_weights(forest, tree)
    totals = weights.sum(axis=1, keepdims=True)
    spread = totals * CLASS_IMPURITIES[criterion](weights / totals)
    left = forest.left[nodes_of(forest, tree)]
    splits = np.flatnonzero(left >= 0)
    gains = np.zeros(spread.shape)
    children = left[splits]
    # Rounding may make a loss of nothing.
    gains[splits] = np.maximum(spread[splits] - spread[children] - spread[children + 1], 0.0)
    return gains


def nodes_of(forest: ForestArrays, tree: int) -> slice:
    """The nodes of a tree among those of the forest."""
    return slice(*forest.tree_offsets[tree : tree + 2])


def share(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values divided by their sum, or zero if that is zero."""
    shares: NDArray[np.float64] = values / (values.sum() or 1.0)
    return shares


def splits_by_level(left: NDArray[np.int32]) -> list[NDArray[np.intp]]:
    """The splits of a tree, grouped by their depth."""
    levels = []
    level = np.flatnonzero(left[:1] >= 0)
    while len(level):
        levels.append(level)
        children = left[level]
        below = np.concatenate([children, children + 1]).astype(np.intp)
        level = below[left[below] >= 0]
    return levels
