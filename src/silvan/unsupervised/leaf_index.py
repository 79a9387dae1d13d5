"""Which rows share leaves: rows and leaves as a sparse matrix, and pairs of rows in a leaf."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

# Pairs times features that are expanded at once.
_ENTRIES_AT_ONCE = 2**22


class Pairs(NamedTuple):
    """Queries and rows that share a leaf, ordered by query."""

    query: NDArray[np.integer]
    row: NDArray[np.integer]
    leaf: NDArray[np.integer]


class LeafIndex:
    """The rows in each leaf of a forest.

    Parameters
    ----------
    leaves : ndarray of shape (n_rows, n_trees)
        Leaf of each row in each tree, numbered over all trees.
    n_leaves : int
        Number of leaves of all trees together.
    """

    def __init__(self, leaves: NDArray[np.integer], n_leaves: int) -> None:
        self.leaves = leaves
        self.n_leaves = n_leaves
        self.membership = membership(leaves, n_leaves)
        self.by_leaf: csr_array = self.membership.T.tocsr()
        self.sizes = np.diff(self.by_leaf.indptr)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.leaves)

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return int(self.leaves.shape[1])

    def pairs(self, leaves: NDArray[np.integer], n_features: int) -> Iterator[Pairs]:
        """Pair queries, by their leaves in one tree, with the rows in those; in bounded blocks."""
        sizes = self.sizes[leaves]
        most = max(1, _ENTRIES_AT_ONCE // n_features)
        ends = np.cumsum(sizes)
        first = 0
        while first < len(leaves):
            done = ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(ends, done + most, side="right")))
            yield self._expand(leaves[first:last], first)
            first = last

    def draw_rows(
        self, leaves: NDArray[np.integer], random: np.random.Generator
    ) -> NDArray[np.integer]:
        """One row of each of these leaves, at random; none may be empty."""
        rows: NDArray[np.integer] = self.by_leaf.indices[
            self.by_leaf.indptr[leaves] + random.integers(self.sizes[leaves])
        ]
        return rows

    def _expand(self, leaves: NDArray[np.integer], first: int) -> Pairs:
        sizes = self.sizes[leaves]
        query = np.repeat(np.arange(len(leaves)), sizes)
        within = np.arange(len(query)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        leaf = leaves[query]
        row = self.by_leaf.indices[self.by_leaf.indptr[leaf] + within]
        return Pairs(query + first, row, leaf)


def membership(leaves: NDArray[np.integer], n_leaves: int) -> csr_array:
    """The matrix Z: a row of ones for each row, in the columns of its leaves."""
    n_rows, n_trees = leaves.shape
    return csr_array(
        (np.ones(leaves.size), leaves.ravel(), np.arange(n_rows + 1) * n_trees),
        shape=(n_rows, n_leaves),
    )
