"""Affinities between samples that share leaves, and averages over leaves that they weight."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from silvan._persistence import require_fitted
from silvan._validation import is_number
from silvan.unsupervised.leaf_gaussians import LeafGaussians, fit_gaussians
from silvan.unsupervised.leaf_index import LeafIndex, Pairs, membership

Rows = NDArray[Any]  # samples of numbers, of any type

AFFINITIES = ("binary", "gaussian", "mahalanobis")
# Entries of affinity matrices that are collected before they are added up.
_ENTRIES_AT_ONCE = 2**24
# Weaker links count as none: eigenvectors could not be separated from their neighbours.
_NO_AFFINITY = 1e-9
# Pairs of samples that the usual distance is measured on.
_N_PAIRS = 2**16
# Far below distances between float32 numbers; squares of all distances in its units are finite.
MIN_EPSILON = 1e-100


@dataclass(frozen=True, eq=False)
class Affinity(ABC):
    """W = mean over trees of exp(-Q), zero for samples in different leaves."""

    index: LeafIndex

    @property
    def X(self) -> Rows | None:  # noqa: N802
        """Features of the samples of the index, where they matter."""
        return None

    @property
    def remedy(self) -> str:
        """What to do if the graph has too few links, as an instruction."""
        return "grow more trees or larger leaves (n_estimators, min_samples_leaf)"

    def against(self, index: LeafIndex, X: Rows) -> Self:
        """The same affinity to other samples: those of `index`, with features `X`."""
        return replace(self, index=index)

    def check(self) -> Affinity:
        """Raise an error if what was read from a file is no affinity."""
        require_fitted({"index": isinstance(self.index, LeafIndex)})
        return self

    @abstractmethod
    def matrix(self, leaves: NDArray[np.integer], X: Rows | None) -> csr_array:
        """Affinities of queries, by their leaves and features, to the samples of the index."""

    @abstractmethod
    def average(
        self, values: NDArray[np.float64], leaves: NDArray[np.integer], X: Rows | None
    ) -> NDArray[np.float64]:
        """Mean over trees of the affinity-weighted mean value of the samples in a query's leaf.

        A tree in whose leaf there is no sample takes no part; where that is so for all trees the
        result is zero.
        """


@dataclass(frozen=True, eq=False)
class BinaryAffinity(Affinity):
    """All samples of a leaf are equally close: W = Z Zᵀ / T, formed only on request."""

    def matrix(self, leaves: NDArray[np.integer], X: Rows | None) -> csr_array:
        """Share of the trees in which query and sample are in the same leaf."""
        product: csr_array = membership(leaves, self.index.n_leaves) @ self.index.by_leaf
        product.data /= self.index.n_trees
        return product

    def average(
        self, values: NDArray[np.float64], leaves: NDArray[np.integer], X: Rows | None
    ) -> NDArray[np.float64]:
        """Means of the leaves' means."""
        sizes = self.index.sizes
        means = (self.index.by_leaf @ values) / np.maximum(sizes, 1)[:, None]
        ends_in = membership(leaves, self.index.n_leaves)
        n_used = ends_in @ (sizes > 0).astype(np.float64)
        averages: NDArray[np.float64] = (ends_in @ means) / np.maximum(n_used, 1)[:, None]
        return averages


@dataclass(frozen=True, eq=False)
class _DistanceAffinity(Affinity):
    """An affinity that also depends on the features of the two samples."""

    rows: Rows

    @property
    def X(self) -> Rows:  # noqa: N802
        """Features of the samples of the index."""
        return self.rows

    def against(self, index: LeafIndex, X: Rows) -> Self:
        """The same affinity to other samples."""
        return replace(self, index=index, rows=X)

    def check(self) -> Affinity:
        """Raise an error if what was read from a file is no affinity."""
        super().check()
        rows = self.rows
        require_fitted(
            {
                "rows": rows.ndim == 2
                and rows.dtype.kind in "biuf"
                and len(rows) == self.index.n_samples
                and bool(np.isfinite(rows).all())
            }
        )
        return self

    @abstractmethod
    def distances(self, pairs: Pairs, X: Rows) -> NDArray[np.float64]:
        """Q of each pair of a query, a sample of `X`, and a sample of the index."""

    def matrix(self, leaves: NDArray[np.integer], X: Rows | None) -> csr_array:
        """Sum over the trees; their entries are merged block by block."""
        assert X is not None
        shape = (len(leaves), self.index.n_samples)
        total = csr_array(shape)
        parts: list[tuple[NDArray[np.float64], NDArray[np.integer], NDArray[np.integer]]] = []
        n_entries = 0
        for tree in range(self.index.n_trees):
            for pairs in self.index.pairs(leaves[:, tree], self.X.shape[1]):
                weights = np.exp(-self.distances(pairs, X))
                kept = weights > _NO_AFFINITY
                data = weights[kept] / self.index.n_trees
                parts.append((data, pairs.query[kept], pairs.row[kept]))
                n_entries += len(parts[-1][0])
            if n_entries > _ENTRIES_AT_ONCE or tree + 1 == self.index.n_trees:
                data, query, row = (np.concatenate(part) for part in zip(*parts, strict=True))
                total = total + csr_array((data, (query, row)), shape=shape)
                parts, n_entries = [], 0
        return total

    def average(
        self, values: NDArray[np.float64], leaves: NDArray[np.integer], X: Rows | None
    ) -> NDArray[np.float64]:
        """Averages over the samples of the leaves, as the note on manifold forests has them."""
        assert X is not None
        totals = np.zeros((len(leaves), values.shape[1]))
        n_used = np.zeros(len(leaves))
        for tree in range(self.index.n_trees):
            for pairs in self.index.pairs(leaves[:, tree], self.X.shape[1]):
                if not len(pairs.query):
                    continue
                queries, starts = np.unique(pairs.query, return_index=True)
                sizes = np.diff(np.append(starts, len(pairs.query)))
                distances = self.distances(pairs, X)
                # Relative to the nearest sample, or all weights of a far query would vanish.
                nearest = np.minimum.reduceat(distances, starts)
                weights = np.exp(np.repeat(nearest, sizes) - distances)
                weights /= np.repeat(np.add.reduceat(weights, starts), sizes)
                totals[queries] += np.add.reduceat(
                    weights[:, None] * values[pairs.row], starts, axis=0
                )
                n_used[queries] += 1
        averages: NDArray[np.float64] = totals / np.maximum(n_used, 1)[:, None]
        return averages


@dataclass(frozen=True, eq=False)
class GaussianAffinity(_DistanceAffinity):
    """Squared distance over epsilon squared."""

    epsilon: float

    @classmethod
    def fit(cls, index: LeafIndex, X: Rows, epsilon: float | None) -> Self:
        """The affinity of these samples; None as epsilon takes the usual distance in a leaf."""
        return cls(index, X, _usual_distance(index, X) if epsilon is None else float(epsilon))

    def check(self) -> Affinity:
        """Raise an error if what was read from a file is no affinity."""
        require_fitted({"epsilon": is_number(self.epsilon) and self.epsilon >= MIN_EPSILON})
        return super().check()

    @property
    def remedy(self) -> str:
        """What to do if the graph has too few links, as an instruction."""
        return f"pass an epsilon above {self.epsilon:.3g}, or {super().remedy}"

    def distances(self, pairs: Pairs, X: Rows) -> NDArray[np.float64]:
        """Squared distances in units of epsilon."""
        return self._squares(X[pairs.query], self.X[pairs.row])

    def matrix(self, leaves: NDArray[np.integer], X: Rows | None) -> csr_array:
        """Shares of the trees times affinities: a distance for each pair, however many trees."""
        assert X is not None
        shares = BinaryAffinity(self.index).matrix(leaves, None)
        query = np.repeat(np.arange(shares.shape[0]), np.diff(shares.indptr))
        step = max(1, _ENTRIES_AT_ONCE // X.shape[1])
        for start in range(0, shares.nnz, step):
            block = slice(start, start + step)
            row = shares.indices[block]
            affinity = np.exp(-self._squares(X[query[block]], self.X[row]))
            shares.data[block] *= np.where(affinity > _NO_AFFINITY, affinity, 0.0)
        shares.eliminate_zeros()
        return shares

    def _squares(self, a: Rows, b: Rows) -> NDArray[np.float64]:
        difference = _subtract(a, b) / self.epsilon
        squares: NDArray[np.float64] = np.einsum("ij,ij->i", difference, difference)
        return squares


@dataclass(frozen=True, eq=False)
class MahalanobisAffinity(_DistanceAffinity):
    """Squared distance in units of the covariance of the leaf's samples."""

    gaussians: LeafGaussians

    @classmethod
    def fit(cls, index: LeafIndex, X: Rows, ridge: NDArray[np.float64], *, full: bool) -> Self:
        """The affinity of these samples."""
        share = index.by_leaf.copy()
        share.data /= np.repeat(np.maximum(index.sizes, 1), index.sizes)
        return cls(index, X, fit_gaussians(share, X, ridge, full=full))

    def check(self) -> Affinity:
        """Raise an error if what was read from a file is no affinity."""
        super().check()
        gaussians, size = self.gaussians, (self.index.n_leaves, self.rows.shape[1])
        is_one = isinstance(gaussians, LeafGaussians)
        require_fitted({"gaussians": is_one and gaussians.means.shape == size})
        return self

    def distances(self, pairs: Pairs, X: Rows) -> NDArray[np.float64]:
        """Squared lengths of the whitened differences."""
        white = self.gaussians.whiten(pairs.leaf, _subtract(X[pairs.query], self.X[pairs.row]))
        squares: NDArray[np.float64] = np.einsum("ij,ij->i", white, white)
        return squares


def _subtract(a: Rows, b: Rows) -> NDArray[np.float64]:
    difference: NDArray[np.float64] = np.subtract(a, b, dtype=np.float64)
    return difference


def _usual_distance(index: LeafIndex, X: Rows) -> float:
    """Root mean square distance between two samples of a leaf, over random pairs."""
    random = np.random.default_rng(0)
    rows = random.integers(index.n_samples, size=_N_PAIRS)
    leaves = index.leaves[rows, random.integers(index.n_trees, size=_N_PAIRS)]
    others = index.draw_samples(leaves, random)
    total = 0.0
    step = max(1, _ENTRIES_AT_ONCE // X.shape[1])
    for start in range(0, _N_PAIRS, step):
        block = slice(start, start + step)
        total += float(np.sum(_subtract(X[rows[block]], X[others[block]]) ** 2))
    distance = float(np.sqrt(total / _N_PAIRS))
    return distance if distance >= MIN_EPSILON else 1.0
