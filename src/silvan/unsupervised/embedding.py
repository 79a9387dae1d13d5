"""ManifoldEmbedding: Laplacian eigenmaps of the affinity that a forest's leaves define."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from silvan._persistence import PersistentMixin, require_fitted
from silvan._validation import check_choice, check_integer, is_integer
from silvan.forests._docs import shared_docs
from silvan.forests.base import BaseForest
from silvan.forests.fitting import unchanged_on_failure
from silvan.projections import ProjectionDistribution
from silvan.unsupervised.forest_affinity import ForestAffinityMixin
from silvan.unsupervised.parts import embed_parts

_MAX_COMPONENTS = 10_000
_COORDINATES = ("embedding_", "eigenvalues_", "eigengaps_")


@shared_docs
class ManifoldEmbedding(
    ForestAffinityMixin,
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    PersistentMixin,
    BaseEstimator,  # type: ignore[misc]
):
    """Coordinates in a few dimensions: samples that share leaves of a forest lie close together.

    A forest is grown without targets; two samples are the closer, the more of its trees send them
    to the same leaf. The coordinates are the smoothest functions on the graph of these affinities,
    its Laplacian eigenmaps. With `forest` the leaves of any forest of this library are used, for
    example those of a classifier.

    Parameters
    ----------
    {n_estimators}
    n_components : int, default=2
        Number of coordinates.
    selection : {"auto", "independent", "smoothest"}, default="auto"
        Which eigenvectors are the coordinates. "independent" leaves out those that local linear
        regression predicts from smoother ones, such as the harmonics along a sheet, so that few
        coordinates show all of its dimensions; "smoothest" takes the first ones as they come, which
        keeps clusters apart. "auto" is "smoothest" with `forest`, and "independent" without.
    affinity : {"auto", "binary", "gaussian", "mahalanobis"}, default="auto"
        How close two samples of the same leaf are: 1, ``exp(-|d|² / epsilon²)``, or
        ``exp(-dᵀ C⁻¹ d)`` with d their difference and C the covariance of the leaf's samples.
        Samples in different leaves have affinity 0; the affinity is the mean over the trees.
        "auto" is "gaussian" for at most 10 features and 20,000 samples, where distances tell apart
        what lies in one cell, and "binary" for more and with `forest`.
    epsilon : float, default=None
        Length of the Gaussian affinity. None takes the root mean squared distance between two
        samples of a leaf. Where samples are few, leaves reach from one sheet to the next, and this
        length links the sheets without a warning: with the defaults, a swiss roll needs about 3,000
        samples. With fewer, pass about a third of the distance between sheets, or a smaller
        `min_samples_leaf`.
    forest : forest of this library, default=None
        The forest whose leaves define the affinity: a fitted one is used as it is, another is
        cloned and fitted on the `X` and `y` of `fit`. In cross-validation, which clones what it is
        given, wrap a fitted one in ``sklearn.frozen.FrozenEstimator``. None grows one without
        targets, by the parameters below, which have no other use.
    projections : ProjectionDistribution, default=None
        The distribution from which each node draws its candidate split directions; None is
        ``UniformCombinations()``.
    {gaussian}
    max_features : int, float, "auto", "sqrt", "log2" or None, default=1
        {gaussian_max_features}
        With a single one, neighbourhoods are alike in all directions; with many, nodes prefer the
        directions in which the data are bent, and flat ones are lost.
    max_depth : int, default=None
        Largest depth of a tree; None sets no limit.
    min_samples_leaf : int or float, default=10
        Number of distinct samples that both sides of a split need; a float is a fraction of the
        samples. Larger leaves make the graph denser.
    bootstrap : bool, default=True
        Whether each tree is grown on samples drawn with replacement; with False on all samples, or
        on `max_samples` of them. All samples are sent down all trees afterwards.
    max_samples : int or float, default=None
        Number or fraction of the samples that a tree is grown on; None is all of them.
    n_jobs : int, default=None
        Number of threads for growing and applying the forest; -1 is all processors. The result does
        not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the forest, also of a `forest` that is yet to be fitted unless it is None.
    verbose : int, default=0
        1 shows a progress bar while the forest grows.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Eigenvectors of the Laplacian, of unit length, at the samples of `fit`.
    eigenvalues_ : ndarray of shape (n_components,)
        Their eigenvalues, from 0 (smooth) to 1 (no structure; such coordinates are 0). They ascend
        except where coordinates that repeat others had to follow independent ones, which are sought
        among the ``n_components + 20`` smoothest eigenvectors. Of shape
        (n_connected_components_, n_components) if the graph falls apart.
    eigengaps_ : ndarray of the shape of `eigenvalues_`
        How much larger the next eigenvalue of the graph is. A large gap after the k-th says that k
        coordinates hold most of the structure.
    affinity_matrix_ : csr_array of shape (n_samples, n_samples)
        The affinities of the samples of `fit`, computed when asked for.
    n_connected_components_ : int
        Number of parts of the graph, which are not linked with each other.
    component_labels_ : ndarray of shape (n_samples,)
        Part of each sample.
    forest_ : fitted forest
        The forest whose leaves are used.
    n_features_in_ : int
        Number of features seen by `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features; only if `X` had names that are all strings.

    See Also
    --------
    DensityForest : The density of the data from trees that are grown the same way.

    Notes
    -----
    `transform` places a sample at the mean over the trees of the mean, weighted by affinity, of
    the eigenvectors at the samples of `fit` in its leaf. `fit_transform` does the same with the
    samples of `fit`, so seen and unseen samples can be compared; `embedding_` has the eigenvectors
    themselves.

    No matrix of n x n numbers is ever made. The binary affinity is Z Zᵀ / T with Z the sparse
    matrix of samples and leaves, and only multiplied with vectors. The others store a number for
    every pair of samples that share a leaf: for each sample at most the sizes of its leaves
    together.

    If the graph falls apart, a warning says so, every part is embedded by itself, and the parts are
    set side by side along the first coordinate. Positions and distances are then meaningful within
    a part only.

    References
    ----------
    A. Criminisi, J. Shotton (eds.), "Decision Forests for Computer Vision and Medical Image
    Analysis", Springer 2013, chapter on manifold forests.

    C. J. Dsilva, R. Talmon, R. R. Coifman, I. G. Kevrekidis, "Parsimonious representation of
    nonlinear dynamical systems through manifold learning", Applied and Computational Harmonic
    Analysis 44, 2018.

    M. Belkin, P. Niyogi, "Laplacian eigenmaps for dimensionality reduction and data
    representation", Neural Computation 15, 2003.

    Examples
    --------
    >>> from scipy.stats import spearmanr
    >>> from sklearn.datasets import make_swiss_roll
    >>> from silvan import ManifoldEmbedding
    >>> X, position = make_swiss_roll(3000, random_state=0)
    >>> places = ManifoldEmbedding(random_state=0).fit_transform(X)
    >>> bool(abs(spearmanr(places[:, 0], position).statistic) > 0.95)  # the roll is unrolled
    True
    """

    _fitted: ClassVar[tuple[str, ...]] = (
        "forest_",
        "embedding_",
        "eigenvalues_",
        "eigengaps_",
        "component_labels_",
        "n_connected_components_",
        "_affinity",
    )

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        n_components: int = 2,
        selection: str = "auto",
        affinity: str = "auto",
        epsilon: float | None = None,
        forest: BaseForest | None = None,
        projections: ProjectionDistribution | None = None,
        covariance_type: str = "full",
        reg_covar: float = 1e-3,
        criterion_dim: int | None = 8,
        max_thresholds: int | None = None,
        max_features: int | float | str | None = 1,
        max_depth: int | None = None,
        min_samples_leaf: int | float = 10,
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_components = n_components
        self.selection = selection
        self.affinity = affinity
        self.epsilon = epsilon
        self.forest = forest
        self.projections = projections
        self.covariance_type = covariance_type
        self.reg_covar = reg_covar
        self.criterion_dim = criterion_dim
        self.max_thresholds = max_thresholds
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Grow the forest and embed the samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, ...)
            Samples; with further axes, such as those of images, they are flattened.
        y : array-like of shape (n_samples,), default=None
            Targets for a `forest` that is yet to be fitted; ignored otherwise.

        Returns
        -------
        self : object
            The fitted embedding.
        """
        with unchanged_on_failure(self):
            self._fit(X, y)
        return self

    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[np.float64]:
        """Fit to the samples and place them as `transform` does.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, ...)
            Samples.
        y : array-like of shape (n_samples,), default=None
            Targets for a `forest` that is yet to be fitted.

        Returns
        -------
        coordinates : ndarray of shape (n_samples, n_components)
            Coordinates of the samples.
        """
        self.fit(X, y)
        affinity = self._affinity
        return affinity.average(self.embedding_, affinity.index.leaves, affinity.X)

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Place samples, seen or unseen, among those of `fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, ...)
            Samples.

        Returns
        -------
        coordinates : ndarray of shape (n_samples, n_components)
            Mean over the trees of the mean, weighted by affinity, of the eigenvectors at the
            samples of `fit` in the same leaf.
        """
        check_is_fitted(self)
        samples = self._check_samples(X, reset=False)
        return self._affinity.average(self.embedding_, self._leaves(samples), samples)

    def _fit(self, X: Any, y: Any) -> None:
        self._check_parameters()
        self._fit_affinity(X, y)
        independent = self.selection == "independent" or (
            self.selection == "auto" and self._given_forest() is None
        )
        parts = embed_parts(
            self._graph(), self.n_components, self._affinity.remedy, independent=independent
        )
        self.embedding_, self.component_labels_ = parts.vectors, parts.labels
        self.n_connected_components_ = len(parts.values)
        one = len(parts.values) == 1
        self.eigenvalues_ = parts.values[0] if one else parts.values
        self.eigengaps_ = parts.gaps[0] if one else parts.gaps

    def _check_parameters(self) -> None:
        check_integer("n_components", self.n_components, 1, maximum=_MAX_COMPONENTS)
        check_choice("selection", self.selection, ("auto", "independent", "smoothest"))
        self._check_affinity_parameters()

    def _check_fitted(self) -> None:
        self._check_parameters()
        self._check_affinity()
        self._check_coordinates(self._affinity.index.n_samples)

    def _check_coordinates(self, n_samples: int) -> None:
        """Raise an error if labels and coordinates do not belong to so many samples."""
        labels, n_parts = self.component_labels_, self.n_connected_components_
        coordinates = {name: getattr(self, name) for name in _COORDINATES}
        one_by_one = (self.n_components,) if n_parts == 1 else (n_parts, self.n_components)
        shapes = dict(
            zip(_COORDINATES, ((n_samples, self.n_components), *2 * (one_by_one,)), strict=True)
        )
        require_fitted(
            {
                "n_connected_components_": is_integer(n_parts) and n_parts >= 1,
                "component_labels_": labels.shape == (n_samples,)
                and labels.dtype.kind == "i"
                and np.array_equal(np.unique(labels), np.arange(n_parts)),
            }
        )
        require_fitted(
            {
                name: array.dtype == np.float64
                and array.shape == shapes[name]
                and bool(np.isfinite(array).all())
                for name, array in coordinates.items()
            }
        )

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allows_missing()
        tags.input_tags.three_d_array = True
        return tags
