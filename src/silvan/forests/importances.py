"""Impurity-based importance of features in a forest of oblique splits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from silvan.forest_arrays import ForestArrays


def split_gains(forest: ForestArrays) -> NDArray[np.float64]:
    """Decrease of weight times impurity from each node to its children; zero at leaves."""
    spread = forest.weight * forest.impurity
    inner = forest.left >= 0
    left = forest.tree_offsets[forest.node_trees()[inner]] + forest.left[inner]
    gains = np.zeros(forest.n_nodes)
    # The impurities are rounded to float32, so a useless split may seem to lose a little.
    gains[inner] = np.maximum(spread[inner] - spread[left] - spread[left + 1], 0.0)
    return gains


def feature_importances(forest: ForestArrays) -> NDArray[np.float64]:
    """Share of each feature in the decrease of impurity; sums to 1, or is zero without splits.

    A split's gain is spread over the features of its direction in proportion to the absolute
    weights. Gains are normalised within each tree, then averaged over the trees.
    """
    gains = split_gains(forest)
    totals = np.add.reduceat(gains, forest.tree_offsets[:-1])
    per_tree = np.repeat(np.where(totals > 0, totals, 1.0), np.diff(forest.tree_offsets))
    directions = forest.directions()
    weights = np.abs(directions.data).astype(np.float64)
    node = np.repeat(np.arange(forest.n_nodes), np.diff(directions.indptr))
    lengths = np.bincount(node, weights=weights, minlength=forest.n_nodes)
    shares = weights * (gains / per_tree)[node] / lengths[node]
    importances = np.zeros(forest.n_features)
    importances += np.bincount(directions.indices, shares, minlength=forest.n_features)
    return importances / (importances.sum() or 1.0)
