"""Minimal cost-complexity pruning of grown trees (Breiman et al. 1984, chapter 3)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from silvan.forest_arrays.layout import WINDOW_ARRAYS

if TYPE_CHECKING:
    from silvan.forest_arrays.arrays import ForestArrays

_NODE_ARRAYS = ("threshold", "missing_left", "n_samples", "weight", "impurity")


def prune(forest: ForestArrays, alpha: float) -> ForestArrays:
    """The smallest subtrees with the least impurity plus `alpha` times their number of leaves.

    The impurity of a tree is the sum over its leaves of impurity times share of the tree's weight.
    A new leaf has the members of the leaves that it replaces, and the mean of their values.
    """
    children = children_of(forest)
    levels = nodes_by_level(forest, children)
    kept = _kept_nodes(forest, children, levels, alpha)
    leaf = np.zeros(forest.n_nodes, dtype=np.bool_)
    inner = children >= 0
    leaf[kept] = ~kept[children[kept]] | ~inner[kept]
    if np.array_equal(leaf, ~inner):
        return forest
    # The leaf that each node becomes a part of, from the top down.
    becomes = np.arange(forest.n_nodes)
    for level in levels[:-1]:
        split = level[inner[level]]
        part = ~kept[children[split]]
        becomes[children[split][part]] = becomes[children[split][part] + 1] = becomes[split][part]
    return _rebuild(forest, kept, leaf, becomes)


def children_of(forest: ForestArrays) -> NDArray[np.int64]:
    """The left child of each node among the nodes of all trees, -1 at leaves."""
    first = np.repeat(forest.tree_offsets[:-1], np.diff(forest.tree_offsets))
    return np.where(forest.left >= 0, first + forest.left, -1)


def nodes_by_level(forest: ForestArrays, children: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The nodes of all trees, level by level from the roots down."""
    levels = [forest.tree_offsets[:-1]]
    while True:
        left = children[levels[-1]]
        left = left[left >= 0]
        if not len(left):
            return levels
        levels.append(np.concatenate([left, left + 1]))


def _kept_nodes(
    forest: ForestArrays,
    children: NDArray[np.int64],
    levels: list[NDArray[np.int64]],
    alpha: float,
) -> NDArray[np.bool_]:
    """Which nodes remain; of subtrees that cost the same the smallest does."""
    total = np.repeat(forest.weight[forest.tree_offsets[:-1]], np.diff(forest.tree_offsets))
    cost = forest.weight * forest.impurity / total + alpha
    splits = children >= 0
    for level in reversed(levels):
        inner = level[splits[level]]
        below = cost[children[inner]] + cost[children[inner] + 1]
        # Impurities are float32: a split that gains exactly alpha must not win by rounding.
        worth = below < cost[inner] * (1.0 - 1e-7)
        splits[inner] = worth
        cost[inner[worth]] = below[worth]
    kept = np.zeros(forest.n_nodes, dtype=np.bool_)
    kept[levels[0]] = True
    for level in levels:
        inner = level[splits[level] & kept[level]]
        kept[children[inner]] = kept[children[inner] + 1] = True
    return kept


def _rebuild(
    forest: ForestArrays,
    kept: NDArray[np.bool_],
    leaf: NDArray[np.bool_],
    becomes: NDArray[np.int64],
) -> ForestArrays:
    trees = forest.node_trees()
    # Old leaves in order, and the new one that each becomes a part of; new ones are numbered by
    # the first of theirs.
    old_nodes = _leaf_nodes(forest)
    owner = becomes[old_nodes]
    nodes, first = np.unique(owner, return_index=True)
    nodes = nodes[np.argsort(first)]
    number = np.full(forest.n_nodes, -1)
    number[nodes] = np.arange(len(nodes))
    leaf_offsets = np.concatenate(
        [[0], np.cumsum(np.bincount(trees[nodes], minlength=forest.n_trees))]
    )
    n_kept = np.bincount(trees[kept], minlength=forest.n_trees)
    tree_offsets = np.concatenate([[0], np.cumsum(n_kept)])
    place = np.cumsum(kept) - 1 - tree_offsets[trees]
    left = np.where(leaf, -1 - (number - leaf_offsets[trees]), place[children_of(forest)])
    parts: dict[str, Any] = {name: getattr(forest, name)[kept] for name in _NODE_ARRAYS}
    parts["threshold"] = np.where(leaf, 0, forest.threshold)[kept].astype(np.float32)
    parts["missing_left"] = np.where(leaf, 0, forest.missing_left)[kept].astype(np.uint8)
    parts["left"] = left[kept].astype(np.int32)
    parts["tree_offsets"] = tree_offsets.astype(np.int64)
    parts["leaf_offsets"] = leaf_offsets.astype(np.int64)
    parts |= _directions(forest, kept, leaf)
    parts |= _leaves(forest, number[owner], forest.weight[old_nodes], len(nodes))
    return replace(forest, **parts)


def _leaf_nodes(forest: ForestArrays) -> NDArray[np.intp]:
    """The node of each leaf."""
    nodes = np.flatnonzero(forest.left < 0)
    numbers = forest.leaf_offsets[forest.node_trees()[nodes]] - 1 - forest.left[nodes]
    by_number = np.empty(forest.n_leaves, dtype=np.intp)
    by_number[numbers] = nodes
    return by_number


def _directions(
    forest: ForestArrays, kept: NDArray[np.bool_], leaf: NDArray[np.bool_]
) -> dict[str, NDArray[Any]]:
    lengths = np.where(leaf, 0, np.diff(forest.direction_indptr))[kept]
    terms = np.repeat(kept & ~leaf, np.diff(forest.direction_indptr))
    indices = forest.direction_indices[terms]
    parts: dict[str, NDArray[Any]] = {
        "direction_indptr": np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        "direction_coefficients": forest.direction_coefficients[terms],
    }
    if forest.n_windows:
        over = indices >= forest.n_features
        windows = indices[over] - forest.n_features
        indices = indices.copy()
        indices[over] = forest.n_features + np.arange(len(windows))
        for name in WINDOW_ARRAYS:
            of_windows = getattr(forest, name).reshape(forest.n_windows, -1)
            parts[name] = of_windows[windows].ravel()
    parts["direction_indices"] = indices.astype(np.int32)
    return parts


def _leaves(
    forest: ForestArrays,
    number: NDArray[np.intp],
    weight: NDArray[np.float64],
    n_leaves: int,
) -> dict[str, NDArray[Any]]:
    """Members and mean values of leaves that old ones become a part of."""
    order = np.argsort(number, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(number, minlength=n_leaves))])
    shares = weight[order] / np.add.reduceat(weight[order], indptr[:-1])[number[order]]
    mean = csr_array((shares, order, indptr), shape=(n_leaves, forest.n_leaves))
    lengths = np.diff(forest.member_indptr)
    starts = forest.member_indptr[:-1][order]
    member = np.repeat(
        starts - np.concatenate([[0], np.cumsum(lengths[order])[:-1]]), lengths[order]
    )
    members = forest.members[member + np.arange(len(member))]
    n_members = np.bincount(number, weights=lengths, minlength=n_leaves)
    if len(forest.values) == forest.n_leaves * forest.n_outputs:
        dense = mean @ forest.values.reshape(forest.n_leaves, forest.n_outputs)
        outputs = np.tile(np.arange(forest.n_outputs, dtype=np.int32), n_leaves)
        values, value_indptr = dense.ravel(), np.arange(n_leaves + 1) * forest.n_outputs
    else:
        sparse = (mean @ forest.leaf_values()).tocsr()
        sparse.sort_indices()
        values, outputs, value_indptr = sparse.data, sparse.indices, sparse.indptr
    return {
        "value_indptr": value_indptr.astype(np.int64),
        "value_outputs": outputs.astype(np.int32),
        "values": values,
        "member_indptr": np.concatenate([[0], np.cumsum(n_members)]).astype(np.int64),
        "members": members,
    }
