"""The Gaussians of leaves: fitted to their samples, cut off at the borders of their cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.stats import norm, qmc

from silvan import _core
from silvan._persistence import require_fitted
from silvan._validation import as_samples, invalid
from silvan.forest_arrays import ForestArrays

_ENTRIES_AT_ONCE = 2**22
_MAX_GIGABYTES = 2
# Covariances are symmetric, but for this.
_ROUNDING = 1e-9
_LARGEST_FLOAT32 = float(np.finfo(np.float32).max)
# Far above what samples of float32 can give, and small enough for squares of whitened samples.
_LARGEST_WHITENER = 1e110


@dataclass(frozen=True, eq=False)
class LeafGaussians:
    """Mean and covariance of each leaf; what follows from them is computed once.

    Attributes
    ----------
    means : ndarray of shape (n_leaves, n_features)
        Means.
    covariances : ndarray of shape (n_leaves, n_features, n_features) or (n_leaves, n_features)
        Regularised covariances, or variances.
    """

    means: NDArray[np.float64]
    covariances: NDArray[np.float64]

    @cached_property
    def factors(self) -> NDArray[np.float64]:
        """Lower Cholesky factors of the covariances, or standard deviations."""
        factors: NDArray[Any] = (
            np.linalg.cholesky(self.covariances) if self.is_full else np.sqrt(self.covariances)
        )
        return factors

    @cached_property
    def whiteners(self) -> NDArray[np.float64]:
        """Inverses of the factors."""
        whiteners: NDArray[Any] = (
            np.linalg.inv(self.factors) if self.is_full else 1.0 / self.factors
        )
        return whiteners

    @cached_property
    def log_scales(self) -> NDArray[np.float64]:
        """Logarithm of the density at each mean."""
        spread = self.factors
        if self.is_full:
            spread = np.diagonal(spread, axis1=1, axis2=2)
        n_features = self.means.shape[1]
        scales: NDArray[np.float64] = -0.5 * n_features * np.log(2 * np.pi) - np.log(spread).sum(
            axis=1
        )
        return scales

    def check(self) -> LeafGaussians:
        """Raise an error if these, read from a file, are no Gaussians with finite densities."""
        means, covariances = self.means, self.covariances
        n_features = means.shape[-1]
        require_fitted(
            {
                "means": means.ndim == 2
                and means.dtype == np.float64
                and bool((np.abs(means) <= _LARGEST_FLOAT32).all()),
                "covariances": covariances.dtype == np.float64
                and covariances.shape in (means.shape, (*means.shape, n_features))
                and bool(np.isfinite(covariances).all()),
            }
        )
        if self.is_full:
            deviations = np.sqrt(np.maximum(np.diagonal(covariances, axis1=1, axis2=2), 0.0))
            scale = deviations[:, :, None] * deviations[:, None]
            difference = np.abs(covariances - covariances.transpose(0, 2, 1))
            require_fitted({"covariances": bool((difference <= _ROUNDING * scale).all())})
        else:
            require_fitted({"covariances": bool((covariances > 0).all())})
        try:
            usable = bool((np.abs(self.whiteners) <= _LARGEST_WHITENER).all())
        except np.linalg.LinAlgError:  # not positive definite
            usable = False
        require_fitted({"covariances": usable})
        return self

    def belongs_to(self, n_leaves: int, n_features: int, *, full: bool) -> bool:
        """Whether there is one for each leaf, over the features, of the kind that is asked for."""
        return self.means.shape == (n_leaves, n_features) and self.is_full == full

    @property
    def is_full(self) -> bool:
        """Whether covariances are matrices."""
        return self.covariances.ndim == 3

    def log_density(
        self, leaves: NDArray[np.integer], X: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Log density of each sample under the Gaussian of its leaf, as if it were not cut off."""
        z = self.whiten(leaves, X - self.means[leaves])
        result: NDArray[np.float64] = self.log_scales[leaves] - 0.5 * np.sum(z * z, axis=1)
        return result

    def whiten(
        self, leaves: NDArray[np.integer], deviations: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Deviations in units of the leaves' standard deviations, along independent axes."""
        if not self.is_full:
            scaled: NDArray[np.float64] = deviations * self.whiteners[leaves]
            return scaled
        white = np.empty_like(deviations)
        for leaf, rows in _samples_by_leaf(leaves):
            white[rows] = deviations[rows] @ self.whiteners[leaf].T
        return white

    def draw(self, leaves: NDArray[np.integer], normal: NDArray[np.float64]) -> NDArray[np.float64]:
        """Points of the leaves' Gaussians, made of independent normal numbers."""
        if not self.is_full:
            drawn: NDArray[np.float64] = self.means[leaves] + self.factors[leaves] * normal
            return drawn
        points = np.empty_like(normal)
        for leaf, rows in _samples_by_leaf(leaves):
            points[rows] = self.means[leaf] + normal[rows] @ self.factors[leaf].T
        return points


def _samples_by_leaf(leaves: NDArray[np.integer]) -> Iterator[tuple[int, NDArray[np.integer]]]:
    """Each leaf that occurs, and where."""
    order = np.argsort(leaves, kind="stable")
    used, starts = np.unique(leaves[order], return_index=True)
    yield from zip(used.tolist(), np.split(order, starts[1:]), strict=True)


def relative_ridge(variances: NDArray[np.float64], reg_covar: float) -> NDArray[np.float64]:
    """What is added to the variance of each feature: a share of that of all samples.

    Constant features get the mean share of the others, and that of a unit variance if all are.
    """
    positive = variances > 0
    usual = float(variances[positive].mean()) if positive.any() else 1.0
    ridge: NDArray[np.float64] = reg_covar * np.where(positive, variances, usual)
    return ridge


def fit_gaussians(
    shares: csr_array, X: NDArray[Any], ridge: NDArray[np.float64], *, full: bool
) -> LeafGaussians:
    """Fit a Gaussian to each leaf; its row of `shares` says how much each sample of `X` counts.

    A leaf without samples has mean zero and the ridge for its variances.
    """
    n_leaves, n_features = shares.shape[0], X.shape[1]
    means = np.zeros((n_leaves, n_features))
    covariances = np.zeros((n_leaves, n_features, *((n_features,) if full else ())))
    for leaf in range(n_leaves):
        entries = slice(*shares.indptr[leaf : leaf + 2])
        weight = shares.data[entries]
        rows = X[shares.indices[entries]].astype(np.float64)
        if not len(rows):
            continue
        # From a sample of the leaf on, so that equal samples have no variance, however large they
        # are.
        deviations = rows - rows[0]
        shift = weight @ deviations
        means[leaf] = rows[0] + shift
        deviations -= shift
        weighted = deviations * weight[:, None]
        covariances[leaf] = (
            weighted.T @ deviations if full else np.sum(weighted * deviations, axis=0)
        )
    covariances += np.diag(ridge) if full else ridge
    return LeafGaussians(means, covariances)


def cell_masses(
    forest: ForestArrays, gaussians: LeafGaussians, n_points: int, seed: int
) -> NDArray[np.float64]:
    """Share of each leaf's Gaussian that lies in the leaf's cell.

    The same quasi-random points, as many as the next power of two, are scaled to the Gaussian of
    every leaf and sent down its tree.
    """
    n_features = gaussians.means.shape[1]
    points = qmc.Sobol(n_features, seed=np.random.default_rng(seed)).random_base2(
        max(0, (n_points - 1).bit_length())
    )
    normal = norm.ppf(np.clip(points, 1e-12, 1 - 1e-12))
    masses = np.empty(forest.n_leaves)
    at_once = max(1, _ENTRIES_AT_ONCE // (len(normal) * n_features))
    for number in range(forest.n_trees):
        tree = forest.tree(number)
        leaves = range(*forest.leaf_offsets[number : number + 2])
        for start in range(0, len(leaves), at_once):
            some = np.asarray(leaves[start : start + at_once])
            drawn = gaussians.draw(np.repeat(some, len(normal)), np.tile(normal, (len(some), 1)))
            ends_in = leaf_numbers(tree, drawn) + leaves.start
            masses[some] = (ends_in.reshape(len(some), -1) == some[:, None]).mean(axis=1)
    return masses


def leaf_numbers(forest: ForestArrays, X: NDArray[Any], n_threads: int = 1) -> NDArray[np.int32]:
    """Number among all leaves of the forest where each sample ends in each tree."""
    return number_leaves(forest, _core.apply(forest, as_samples(X), n_threads))


def number_leaves(forest: ForestArrays, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Leaves by their number among all of the forest, from nodes counted within their trees."""
    leaves = np.empty(nodes.shape, dtype=np.int32)
    for tree in range(forest.n_trees):
        left = forest.left[forest.tree_offsets[tree] : forest.tree_offsets[tree + 1]]
        leaves[:, tree] = forest.leaf_offsets[tree] - 1 - left[nodes[:, tree]]
    return leaves


def check_masses_fit(n_features: int) -> None:
    """Refuse more features than the quasi-random points can have that measure masses."""
    limit = int(qmc.Sobol.MAXDIM)
    if n_features > limit:
        raise ValueError(
            f"X must have at most {limit} features for a density forest, which measures leaves "
            f"with quasi-random points, but it has {n_features}; drop or combine some, for "
            "example with sklearn.decomposition.PCA."
        )


def check_covariances_fit(n_leaves: int, n_features: int) -> None:
    """Refuse full covariances of so many leaves and features that they would fill the memory."""
    gigabytes = n_leaves * n_features**2 * 8 / 2**30
    if gigabytes > _MAX_GIGABYTES:
        raise invalid(
            "covariance_type",
            f"'diag' where covariance matrices would take more than {_MAX_GIGABYTES} GiB",
            "full",
            f"up to {n_leaves} leaves with {n_features} features would take {gigabytes:.0f} GiB",
        )
