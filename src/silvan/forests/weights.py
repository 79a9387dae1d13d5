"""The forest as a weighting of its training samples: alpha_i(x), and quantiles under it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from silvan.forest_arrays import ForestArrays
from silvan.forests.sampling import Sampling

# Leaf members or matrix entries that are expanded at once: 16 million entries take about 200 MB.
_ENTRIES_AT_ONCE = 2**24
# Few enough for a running sum over all of them to stay precise.
_QUERIES_AT_ONCE = 4096
# A distribution function that falls short of q by no more than rounding has reached q.
_ROUNDING = 1e-10


def tree_groups(forest: ForestArrays) -> Iterator[tuple[int, int]]:
    """Ranges of trees, in order, with about as many leaf members as are expanded at once."""
    ends = forest.member_indptr[forest.leaf_offsets]
    first = 0
    while first < forest.n_trees:
        last = int(np.searchsorted(ends, ends[first] + _ENTRIES_AT_ONCE, side="right")) - 1
        last = min(max(last, first + 1), forest.n_trees)
        yield first, last
        first = last


def leaf_sample_weights(
    forest: ForestArrays, sampling: Sampling, trees: tuple[int, int], first_number: int = 0
) -> csr_array:
    """Shares of the training samples in each leaf of a range of trees; rows sum to 1.

    `first_number` is the number of the forest's first tree, which is not 0 for trees that are about
    to be appended to others.
    """
    first, last = trees
    indptr = forest.member_indptr[forest.leaf_offsets[first] : forest.leaf_offsets[last] + 1]
    start = indptr[0]
    members = forest.members[start : indptr[-1]]
    indptr = indptr - start
    weights = np.empty(len(members))
    for tree in range(first, last):
        inside = slice(*(forest.member_indptr[forest.leaf_offsets[tree : tree + 2]] - start))
        weights[inside] = sampling.drawn_weights(first_number + tree)[members[inside]]
    totals = np.add.reduceat(weights, indptr[:-1])
    weights /= np.repeat(totals, np.diff(indptr))
    shape = (len(indptr) - 1, sampling.plan.n_samples)
    return csr_array((weights, members, indptr), shape=shape)


def leaf_means(
    forest: ForestArrays, sampling: Sampling, y: NDArray[np.float64], first_number: int
) -> NDArray[np.float64]:
    """Weighted means of the targets in each leaf, of shape (n_leaves, n_outputs)."""
    means = [
        leaf_sample_weights(forest, sampling, trees, first_number) @ y
        for trees in tree_groups(forest)
    ]
    return np.concatenate(means)


def leaf_medians(
    forest: ForestArrays, sampling: Sampling, y: NDArray[np.float64], first_number: int
) -> NDArray[np.float64]:
    """Weighted medians of the targets in each leaf, of shape (n_leaves, n_outputs).

    Where half of the weight lies on either side of two targets, the middle of them.
    """
    medians = []
    for trees in tree_groups(forest):
        shares = leaf_sample_weights(forest, sampling, trees, first_number)
        leaf = np.repeat(np.arange(shares.shape[0]), np.diff(shares.indptr))
        medians.append(
            np.column_stack([_medians(leaf, shares, column[shares.indices]) for column in y.T])
        )
    return np.concatenate(medians)


def _medians(
    leaf: NDArray[np.intp], shares: csr_array, values: NDArray[np.float64]
) -> NDArray[np.float64]:
    order = np.lexsort((values, leaf))
    ends = shares.indptr[1:] - 1
    running = np.cumsum(shares.data[order])
    before = np.concatenate([[0.0], running[ends[:-1]]])
    half = before + 0.5 * (running[ends] - before)
    lower = np.minimum(np.searchsorted(running, half - _ROUNDING, side="left"), ends)
    upper = np.minimum(np.searchsorted(running, half + _ROUNDING, side="right"), ends)
    ordered = values[order]
    middles: NDArray[np.float64] = 0.5 * ordered[lower] + 0.5 * ordered[upper]
    return middles


class SampleWeighting:
    """Gives the weights of the training samples for queries, from the leaves that they end in.

    A query's leaves times the leaves' samples is one sparse product for each group of trees.
    """

    def __init__(self, forest: ForestArrays, sampling: Sampling) -> None:
        self._forest = forest
        self._sampling = sampling
        self._groups = list(tree_groups(forest))
        # A forest that is one group is expanded once, however many blocks of queries follow.
        self._all_leaves = self._expand(self._groups[0]) if len(self._groups) == 1 else None

    def __call__(self, nodes: NDArray[np.int32]) -> csr_array:
        """Weights for queries that end in these nodes, of shape (n_queries, n_trees)."""
        total = self._product(nodes, self._groups[0])
        for group in self._groups[1:]:
            total = total + self._product(nodes, group)
        total.sort_indices()
        return total

    def query_blocks(self, n_queries: int) -> Iterator[slice]:
        """Blocks of queries whose weights have a bounded number of entries together."""
        largest_leaf = int(np.diff(self._forest.member_indptr).max())
        entries = min(self._sampling.plan.n_samples, self._forest.n_trees * largest_leaf)
        return sample_blocks(n_queries, entries, _QUERIES_AT_ONCE)

    def _expand(self, trees: tuple[int, int]) -> csr_array:
        return leaf_sample_weights(self._forest, self._sampling, trees)

    def _product(self, nodes: NDArray[np.int32], trees: tuple[int, int]) -> csr_array:
        forest, group = self._forest, slice(*trees)
        leaves = self._expand(trees) if self._all_leaves is None else self._all_leaves
        node = nodes[:, group] + forest.tree_offsets[:-1][group]
        first_leaf = forest.leaf_offsets[:-1][group] - forest.leaf_offsets[trees[0]]
        leaf = first_leaf - 1 - forest.left[node]
        ends_in = csr_array(
            (
                np.full(leaf.size, 1.0 / forest.n_trees),
                leaf.ravel(),
                np.arange(len(nodes) + 1) * leaf.shape[1],
            ),
            shape=(len(nodes), leaves.shape[0]),
        )
        product: csr_array = ends_in @ leaves
        return product


def sample_blocks(
    n_samples: int, entries_per_sample: int, max_samples: int | None = None
) -> Iterator[slice]:
    """Blocks of samples with a bounded number of entries together, at least one sample in each."""
    size = max(1, _ENTRIES_AT_ONCE // max(1, entries_per_sample))
    size = size if max_samples is None else min(size, max_samples)
    return (slice(start, min(start + size, n_samples)) for start in range(0, n_samples, size))


def weighted_quantiles(
    weights: csr_array, values: NDArray[np.float64], q: NDArray[np.float64]
) -> NDArray[np.float64]:
    """For each row of `weights`, the smallest value whose distribution function reaches each q.

    Returns an array of shape (n_samples, n_quantiles).
    """
    by_value = np.argsort(values, kind="stable")
    rank = np.empty(len(values), dtype=weights.indices.dtype)
    rank[by_value] = np.arange(len(values))
    ranked: Any = csr_array(
        (weights.data.copy(), rank[weights.indices], weights.indptr), shape=weights.shape
    )
    ranked.sort_indices()
    # One running sum over all rows; a row's own distribution function starts where the last one
    # ended.
    running = np.cumsum(ranked.data)
    starts, ends = ranked.indptr[:-1], ranked.indptr[1:]
    before = np.where(starts > 0, running[starts - 1], 0.0)
    reached = before[:, None] + q * (running[ends - 1] - before)[:, None]
    position = np.searchsorted(running, reached - _ROUNDING, side="left")
    position = np.clip(position, starts[:, None], ends[:, None] - 1)
    quantiles: NDArray[np.float64] = values[by_value[ranked.indices[position]]]
    return quantiles
