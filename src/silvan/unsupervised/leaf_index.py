"""Which samples share leaves: a sparse matrix of samples and leaves, and pairs in a leaf."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from silvan._persistence import require_fitted
from silvan._validation import is_integer

# Pairs times features that are expanded at once.
_ENTRIES_AT_ONCE = 2**22


class Pairs(NamedTuple):
    """Queries and samples that share a leaf, ordered by query."""

    query: NDArray[np.integer]
    row: NDArray[np.integer]
    leaf: NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class LeafIndex:
    """The samples in each leaf of a forest.

    Parameters
    ----------
    leaves : ndarray of shape (n_samples, n_trees)
        Leaf of each sample in each tree, numbered over all trees.
    n_leaves : int
        Number of leaves of all trees together.
    """

    leaves: NDArray[np.integer]
    n_leaves: int

    @cached_property
    def membership(self) -> csr_array:
        """The matrix of samples and leaves."""
        return membership(self.leaves, self.n_leaves)

    @cached_property
    def by_leaf(self) -> csr_array:
        """Its transpose: a row for each leaf."""
        return self.membership.T.tocsr()

    @cached_property
    def sizes(self) -> NDArray[np.integer]:
        """Number of samples in each leaf."""
        sizes: NDArray[np.integer] = np.diff(self.by_leaf.indptr)
        return sizes

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.leaves)

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return int(self.leaves.shape[1])

    def check(self) -> LeafIndex:
        """Raise an error if the leaves, read from a file, are none."""
        leaves = self.leaves
        require_fitted(
            {
                "n_leaves": is_integer(self.n_leaves),
                "leaves": leaves.ndim == 2 and leaves.dtype == np.int32 and leaves.size > 0,
            }
        )
        inside = leaves.min() >= 0 and leaves.max() < self.n_leaves
        # Those of the next tree come after those of the last, as in the forest.
        rising = bool((leaves[:, 1:] > leaves[:, :-1]).all())
        require_fitted({"leaves": bool(inside) and rising})
        return self

    def pairs(self, leaves: NDArray[np.integer], n_features: int) -> Iterator[Pairs]:
        """Pair queries, by their leaves in one tree, with the samples there; in bounded blocks."""
        sizes = self.sizes[leaves]
        max_entries = max(1, _ENTRIES_AT_ONCE // n_features)
        ends = np.cumsum(sizes)
        first = 0
        while first < len(leaves):
            done = ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(ends, done + max_entries, side="right")))
            yield self._expand(leaves[first:last], first)
            first = last

    def draw_samples(
        self, leaves: NDArray[np.integer], random: np.random.Generator
    ) -> NDArray[np.integer]:
        """One sample of each of these leaves, at random; none may be empty."""
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
    """The matrix Z: a row of ones for each sample, in the columns of its leaves."""
    n_samples, n_trees = leaves.shape
    return csr_array(
        (np.ones(leaves.size), leaves.ravel(), np.arange(n_samples + 1) * n_trees),
        shape=(n_samples, n_leaves),
    )
