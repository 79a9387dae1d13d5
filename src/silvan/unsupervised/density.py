"""DensityForest: the density of the data as a mean over trees of Gaussians in their leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.base import DensityMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from silvan._persistence import require_fitted
from silvan._validation import as_samples, check_integer
from silvan.forest_arrays import ForestArrays
from silvan.forests._docs import shared_docs
from silvan.forests.bagged import Growth
from silvan.forests.fitting import TrainingSamples
from silvan.forests.weights import leaf_sample_weights
from silvan.unsupervised.base import GaussianForest
from silvan.unsupervised.leaf_gaussians import (
    LeafGaussians,
    cell_masses,
    check_covariances_fit,
    check_masses_fit,
    fit_gaussians,
    leaf_numbers,
    relative_ridge,
)

# Quasi-random points by which the mass of a Gaussian in its leaf's cell is measured.
_N_POINTS = 512
# A cell that all points miss has at least its own samples: half a point is a fair guess.
_MIN_MASS = 0.5 / _N_POINTS
# Rounds of draws without a point in its leaf's cell, each expected to have one or more.
_MAX_EMPTY_ROUNDS = 1000
# Samples times trees whose densities are computed at once.
_ENTRIES_AT_ONCE = 2**20


@shared_docs
class DensityForest(DensityMixin, GaussianForest):  # type: ignore[misc]
    """The density of the data: a mean over trees, each with a Gaussian in every leaf.

    Trees are grown without targets: a node is split where both sides are most compact, by
    the determinants of their covariances. A leaf holds the Gaussian of its samples, cut off at the
    borders of its cell. The density of tree t at v is ``π N(v; μ, C) / Z_t``, with π the share of
    the samples in v's leaf, and that of the forest is the mean over the trees.

    Parameters
    ----------
    {n_estimators}
    projections : ProjectionDistribution, default=None
        The distribution from which each node draws its candidate split directions; None is
        ``UniformCombinations()``.
    {gaussian}
    max_features : int, float, "auto", "sqrt", "log2" or None, default=1.0
        {gaussian_max_features}
    max_depth : int, default=None
        Largest depth of a tree; None sets no limit.
    min_samples_split : int or float, default=2
        Number of distinct samples that a node needs to be split; a float is a fraction of the
        samples.
    min_samples_leaf : int or float, default=15
        Number of distinct samples that both sides of a split need; a float is a fraction of the
        samples. Larger leaves make the density smoother. With more than a few features pass several
        times their number, or ``covariance_type="diag"``.
    min_balance : float, default=0.0
        Share of a node's distinct samples that both sides of its split need, between 0 and 0.5.
    min_impurity_decrease : float, default=0.0
        Smallest gain, times the node's share of the weight, for a node to be split.
    bootstrap : bool, default=True
        Whether each tree draws its samples with replacement, with probability proportional to their
        weight. With False each tree sees every sample, and weights multiply the samples' counts.
    max_samples : int or float, default=None
        Number of samples that a tree draws, or a fraction of them; None is all, as in
        :class:`ForestRegressor`.
    {running}

    Attributes
    ----------
    n_components_ : int
        Number of leaves of all trees.
    means_ : ndarray of shape (n_components_, n_features_in_)
        Means of the leaves' Gaussians.
    covariances_ : ndarray of shape (n_components_, n_features_in_, n_features_in_)
        Their covariances; with ``covariance_type="diag"`` their variances, of shape
        (n_components_, n_features_in_).
    priors_ : ndarray of shape (n_components_,)
        Share π of the tree's samples in the leaf; 1 in each tree together.
    masses_ : ndarray of shape (n_components_,)
        Share of the leaf's Gaussian inside its cell.
    partition_ : ndarray of shape (n_estimators,)
        Z of each tree: the sum over its leaves of prior times mass.
    weights_ : ndarray of shape (n_components_,)
        The forest as a mixture: probability that a draw comes from the leaf; sums to 1.
    forest_ : ForestArrays
        The trees, as arrays; leaf number i of these is component i.
    projections_ : ProjectionDistribution
        The distribution that the directions were drawn from.
    n_features_in_ : int
        Number of features seen by `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features; only if `X` had names that are all strings.

    See Also
    --------
    ManifoldEmbedding : Coordinates from the leaves of such trees.

    Notes
    -----
    The masses are measured with 512 quasi-random points, the same for every leaf; Z is a mean over
    leaves and off by far less than one percent. Everything else is exact. Such points have at most
    21201 dimensions, so more features are refused.

    Samples whose every feature is the same, constant features and leaves with fewer samples than
    features are no trouble: see `reg_covar`. Missing values are refused.

    References
    ----------
    A. Criminisi, J. Shotton (eds.), "Decision Forests for Computer Vision and Medical Image
    Analysis", Springer 2013, chapter on density forests.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from silvan import DensityForest
    >>> X, _ = make_moons(1000, noise=0.1, random_state=0)
    >>> forest = DensityForest(random_state=0).fit(X)
    >>> inside, outside = forest.score_samples([[0.0, 1.0], [0.5, 0.25]])
    >>> bool(inside > outside + 1)
    True
    >>> forest.sample(3, random_state=0).shape
    (3, 2)
    """

    _fitted: ClassVar[tuple[str, ...]] = ("_gaussians", "masses_")

    _gaussians: LeafGaussians
    masses_: NDArray[np.float64]

    @property
    def n_components_(self) -> int:
        """Number of leaves of all trees."""
        return self.forest_.n_leaves

    @property
    def means_(self) -> NDArray[np.float64]:
        """Means of the leaves' Gaussians."""
        return self._gaussians.means

    @property
    def covariances_(self) -> NDArray[np.float64]:
        """Covariances of the leaves' Gaussians, or their variances."""
        return self._gaussians.covariances

    @property
    def priors_(self) -> NDArray[np.float64]:
        """Share of the tree's samples in each leaf."""
        return self.forest_.values

    @property
    def partition_(self) -> NDArray[np.float64]:
        """Z of each tree: the sum over its leaves of prior times mass."""
        shares: NDArray[np.float64] = np.add.reduceat(
            self.priors_ * self.masses_, self.forest_.leaf_offsets[:-1]
        )
        return shares

    @property
    def weights_(self) -> NDArray[np.float64]:
        """Probability that a draw comes from each leaf."""
        of_tree = self.partition_ * self.forest_.n_trees
        return self.priors_ * self.masses_ / self._by_leaf(of_tree)

    def score_samples(self, X: ArrayLike) -> NDArray[np.float64]:
        """Log density at each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_density : ndarray of shape (n_samples,)
            Natural logarithm of the density.
        """
        samples = self._encoded(X)
        n_trees = self.forest_.n_trees
        log_factor = np.log(self.priors_) - np.log(self._by_leaf(self.partition_))
        log_density = np.empty(len(samples))
        step = max(1, _ENTRIES_AT_ONCE // n_trees)
        for start in range(0, len(samples), step):
            block = slice(start, start + step)
            points = samples[block].astype(np.float64)
            leaves = leaf_numbers(self.forest_, samples[block], self._n_threads())
            terms = log_factor[leaves]
            for tree in range(n_trees):
                terms[:, tree] += self._gaussians.log_density(leaves[:, tree], points)
            log_density[block] = logsumexp(terms, axis=1) - np.log(n_trees)
        return log_density

    def score(self, X: ArrayLike, y: object = None) -> float:
        """Mean log density of the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : Ignored
            Not used; there for the sake of cross-validation.

        Returns
        -------
        score : float
            Mean of the natural logarithm of the density.
        """
        return float(self.score_samples(X).mean())

    def sample(
        self, n_samples: int = 1, random_state: int | np.random.RandomState | None = None
    ) -> NDArray[np.float64]:
        """Draw samples from the density.

        A tree is drawn, then a leaf by its prior and a point of its Gaussian, both again until the
        point lies in the leaf's cell.

        Parameters
        ----------
        n_samples : int, default=1
            Number of samples.
        random_state : int, RandomState instance or None, default=None
            Seed of the draws.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The samples, in random order.
        """
        check_is_fitted(self)
        check_integer("n_samples", n_samples, 1)
        random = check_random_state(random_state)
        trees = random.randint(self.forest_.n_trees, size=n_samples)
        drawn = np.empty((n_samples, self.n_features_in_))
        for tree in np.unique(trees):
            rows = np.flatnonzero(trees == tree)
            drawn[rows] = self._sample_tree(tree, len(rows), random)
        return drawn

    def _sample_tree(
        self, number: int, n_samples: int, random: np.random.RandomState
    ) -> NDArray[np.float64]:
        tree = self.forest_.tree(number)
        first = self.forest_.leaf_offsets[number]
        kept: list[NDArray[np.float64]] = []
        n_missing, n_empty = n_samples, 0
        share_inside = self.partition_[number]
        while n_missing > 0:
            n_tries = int(n_missing / share_inside) + 8
            leaves = first + random.choice(tree.n_leaves, size=n_tries, p=tree.values)
            points = self._gaussians.draw(
                leaves, random.normal(size=(n_tries, self.n_features_in_))
            )
            inside = leaf_numbers(tree, points)[:, 0] + first == leaves
            kept.append(points[inside][:n_missing])
            n_missing -= len(kept[-1])
            n_empty = 0 if len(kept[-1]) else n_empty + 1
            if n_empty == _MAX_EMPTY_ROUNDS:
                raise ValueError(
                    f"no draw from tree {number} falls into its leaf's cell, so that masses_ "
                    "cannot be right; fit the forest again."
                )
        return np.concatenate(kept)

    def _grow(
        self,
        samples: TrainingSamples,
        growth: Growth,
        trees: tuple[int, int],
        on_progress: Callable[[int], object] | None,
    ) -> ForestArrays:
        """Grow the trees, unless their leaves could not be measured or would fill the memory."""
        n_features = samples.features.columns.shape[1]
        check_masses_fit(n_features)
        if self.covariance_type == "full":
            plan = samples.sampling.plan
            max_leaves = max(1, min(plan.n_kept, plan.n_draws) // growth[1].min_samples_leaf)
            check_covariances_fit(self.n_estimators * max_leaves, n_features)
        return super()._grow(samples, growth, trees, on_progress)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        super()._fit(X, y, sample_weight)
        self._describe_leaves(np.asarray(X))

    def _describe_leaves(self, X: NDArray[Any]) -> None:
        """Fit the Gaussians to the samples as they are scored, summed in their canonical order."""
        sampling = self._sampling
        order = sampling.sample_numbers(sampling.order.astype(np.int32))
        rows = as_samples(X[order])
        weights = sampling.plan.weights
        weights = None if weights is None else weights[sampling.order]
        shares = leaf_sample_weights(self.forest_, sampling, (0, self.forest_.n_trees))[:, order]
        shares.sort_indices()
        # A constant column must have no variance at all, not one of rounding errors.
        shifted = rows.astype(np.float64) - rows[0]
        mean = np.average(shifted, axis=0, weights=weights)
        variances = np.average((shifted - mean) ** 2, axis=0, weights=weights)
        self._gaussians = fit_gaussians(
            shares,
            rows,
            relative_ridge(variances, self.reg_covar),
            full=self.covariance_type == "full",
        )
        masses = cell_masses(self.forest_, self._gaussians, _N_POINTS, seed=0)
        self.masses_ = np.maximum(masses, _MIN_MASS)

    def _check_fitted(self) -> None:
        super()._check_fitted()
        gaussians, masses = self._gaussians, self.masses_
        size = (self.forest_.n_leaves, self.n_features_in_)
        require_fitted(
            {
                "_gaussians": isinstance(gaussians, LeafGaussians)
                and gaussians.belongs_to(*size, full=self.covariance_type == "full"),
                "masses_": masses.dtype == np.float64
                and masses.shape == size[:1]
                and bool(((masses >= _MIN_MASS) & (masses <= 1)).all()),
            }
        )

    def _by_leaf(self, of_tree: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values of trees, repeated for each of their leaves."""
        return np.repeat(of_tree, np.diff(self.forest_.leaf_offsets))
