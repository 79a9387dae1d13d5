"""ManifoldEmbedding: Laplacian eigenmaps of the affinity that a forest's leaves define."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from silvan._persistence import PersistentMixin, require_fitted
from silvan._validation import (
    check_choice,
    check_features,
    check_integer,
    check_n_samples,
    check_unmasked,
    invalid,
    is_integer,
    is_number,
    warn_user,
)
from silvan.forests._docs import shared_docs
from silvan.forests.base import BaseForest
from silvan.forests.categories import has_categories
from silvan.forests.defaults import DefaultProjectionsMixin
from silvan.forests.fitting import unchanged_on_failure
from silvan.forests.grid import flatten_rows
from silvan.projections import ProjectionDistribution
from silvan.unsupervised.affinities import (
    AFFINITIES,
    Affinity,
    BinaryAffinity,
    GaussianAffinity,
    MahalanobisAffinity,
)
from silvan.unsupervised.base import GaussianForest, check_covariance_parameters
from silvan.unsupervised.eigenmap import Eigenmap, Graph, embed_graph
from silvan.unsupervised.leaf_gaussians import (
    check_covariances_fit,
    number_leaves,
    relative_ridge,
)
from silvan.unsupervised.leaf_index import LeafIndex

_AFFINITIES: dict[str, type[Affinity]] = {
    "binary": BinaryAffinity,
    "gaussian": GaussianAffinity,
    "mahalanobis": MahalanobisAffinity,
}
_COORDINATES = ("embedding_", "eigenvalues_", "eigengaps_")
# What the embedding hands on to the forest that it grows itself.
_GROWING = (
    "n_estimators",
    "projections",
    "covariance_type",
    "reg_covar",
    "criterion_dim",
    "max_thresholds",
    "max_features",
    "max_depth",
    "min_samples_leaf",
    "bootstrap",
    "max_samples",
    "n_jobs",
    "random_state",
    "verbose",
)


@shared_docs
class ManifoldEmbedding(
    DefaultProjectionsMixin,
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    PersistentMixin,
    BaseEstimator,  # type: ignore[misc]
):
    """Coordinates in few dimensions that keep close together what shares leaves of a forest.

    A forest is grown without targets; two rows are the closer, the more of its trees send them to
    the same leaf. The coordinates are the smoothest functions on the graph of these affinities, its
    Laplacian eigenmaps. With `forest` the leaves of any forest of this library are used, for
    example those of a classifier.

    Parameters
    ----------
    {n_estimators}
    n_components : int, default=2
        Number of coordinates.
    affinity : {"binary", "gaussian", "mahalanobis"}, default="binary"
        How close two rows of the same leaf are: 1, ``exp(-|d|² / epsilon²)``, or
        ``exp(-dᵀ C⁻¹ d)`` with d their difference and C the covariance of the leaf's rows. Rows in
        different leaves have affinity 0; the affinity is the mean over the trees.
    epsilon : float, default=None
        Length of the Gaussian affinity. None takes the root mean squared distance between two rows
        of a leaf.
    forest : forest of this library, default=None
        The forest whose leaves define the affinity: a fitted one is used as it is, another is
        cloned and fitted on the `X` and `y` of `fit`. In cross-validation, which clones what it is
        given, wrap a fitted one in ``sklearn.frozen.FrozenEstimator``. None grows one without
        targets, by the parameters below, which have no other use.
    projections : ProjectionDistribution, default=None
        The distribution from which each node draws its candidate split directions; None is
        ``UniformCombinations()``.
    {gaussian}
    max_features : int, float, "sqrt", "log2" or None, default=1
        {max_features}
        With a single one, neighbourhoods are alike in all directions; with many, nodes prefer the
        directions in which the data are bent, and flat ones are lost.
    max_depth : int, default=None
        Largest depth of a tree; None sets no limit.
    min_samples_leaf : int or float, default=10
        Number of distinct rows that both sides of a split need; a float is a fraction of the rows.
        Larger leaves make the graph denser.
    bootstrap : bool, default=True
        Whether each tree is grown on rows drawn with replacement; with False on all rows, or
        on `max_samples` of them. All rows are sent down all trees afterwards.
    max_samples : int or float, default=None
        Number or fraction of the rows that a tree is grown on; None is all of them.
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
        Eigenvectors of the Laplacian, of unit length, at the rows of `fit`.
    eigenvalues_ : ndarray of shape (n_components,)
        Their eigenvalues, ascending from 0 (smooth) to 1 (no structure; such coordinates are 0). Of
        shape (n_connected_components_, n_components) if the graph falls apart.
    eigengaps_ : ndarray of the shape of `eigenvalues_`
        How much larger the next eigenvalue is. A large gap after the k-th says that k coordinates
        hold most of the structure.
    affinity_matrix_ : csr_array of shape (n_samples, n_samples)
        The affinities of the rows of `fit`, computed when asked for.
    n_connected_components_ : int
        Number of parts of the graph that no leaf links.
    component_labels_ : ndarray of shape (n_samples,)
        Part of each row.
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
    `transform` places a row at the mean over the trees of the mean, weighted by affinity, of
    the eigenvectors at the rows of `fit` in its leaf. `fit_transform` does the same with the rows
    of `fit`, so seen and unseen rows can be compared; `embedding_` has the eigenvectors themselves.

    No matrix of n x n numbers is ever made. The binary affinity is Z Zᵀ / T with Z the sparse
    matrix of rows and leaves, and only multiplied with vectors. The others store a number for every
    pair of rows that share a leaf: for each row at most the sizes of its leaves together.

    If the graph falls apart, a warning says so, every part is embedded by itself, and the parts are
    set side by side along the first coordinate. Positions and distances are then meaningful within
    a part only.

    References
    ----------
    A. Criminisi, J. Shotton (eds.), "Decision Forests for Computer Vision and Medical Image
    Analysis", Springer 2013, chapter on manifold forests.

    M. Belkin, P. Niyogi, "Laplacian eigenmaps for dimensionality reduction and data
    representation", Neural Computation 15, 2003.

    Examples
    --------
    >>> from sklearn.datasets import make_swiss_roll
    >>> from silvan import ManifoldEmbedding
    >>> X, position = make_swiss_roll(1000, random_state=0)
    >>> embedding = ManifoldEmbedding(affinity="gaussian", random_state=0)
    >>> embedding.fit_transform(X).shape
    (1000, 2)
    """

    _default_projections = GaussianForest._default_projections
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
        affinity: str = "binary",
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
        """Grow the forest and embed the rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, ...)
            Rows; with further axes, such as those of images, they are flattened.
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
        """Fit to the rows and place them as `transform` does.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, ...)
            Rows.
        y : array-like of shape (n_samples,), default=None
            Targets for a `forest` that is yet to be fitted.

        Returns
        -------
        coordinates : ndarray of shape (n_samples, n_components)
            Coordinates of the rows.
        """
        self.fit(X, y)
        affinity = self._affinity
        return affinity.average(self.embedding_, affinity.index.leaves, affinity.X)

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Place rows, seen or unseen, among those of `fit`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, ...)
            Rows.

        Returns
        -------
        coordinates : ndarray of shape (n_samples, n_components)
            Mean over the trees of the mean, weighted by affinity, of the eigenvectors at the rows
            of `fit` in the same leaf.
        """
        check_is_fitted(self)
        rows = self._check_rows(X, reset=False)
        return self._affinity.average(self.embedding_, self._leaves(rows), rows)

    def kernel(self, X: ArrayLike, Y: ArrayLike | None = None) -> csr_array:
        """Affinities between rows: a positive semidefinite kernel.

        Parameters
        ----------
        X : array-like of shape (n_samples_X, n_features)
            Rows.
        Y : array-like of shape (n_samples_Y, n_features), default=None
            Other rows; None takes those of `X`.

        Returns
        -------
        kernel : csr_array of shape (n_samples_X, n_samples_Y)
            Mean over the trees of the affinity, 0 for rows that share no leaf.
        """
        check_is_fitted(self)
        rows = self._check_rows(X, reset=False)
        leaves = self._leaves(rows)
        others = rows if Y is None else self._check_rows(Y, reset=False)
        index = LeafIndex(leaves if Y is None else self._leaves(others), self._n_leaves())
        return self._affinity.against(index, others).matrix(leaves, rows)

    @property
    def affinity_matrix_(self) -> csr_array:
        """The affinities of the rows of `fit`, computed anew each time."""
        check_is_fitted(self)
        return self._affinity.matrix(self._affinity.index.leaves, self._affinity.X)

    def _fit(self, X: Any, y: Any) -> None:
        self._check_parameters()
        rows = self._check_rows(X, reset=True)
        self.forest_ = self._fit_forest(X, rows, y)
        index = LeafIndex(self._leaves(rows), self._n_leaves())
        self._affinity = self._make_affinity(index, rows)
        self._embed()

    def _check_parameters(self) -> None:
        check_integer("n_components", self.n_components, 1)
        check_choice("affinity", self.affinity, AFFINITIES)
        check_covariance_parameters(self.covariance_type, self.reg_covar)
        if not (self.epsilon is None or (is_number(self.epsilon) and self.epsilon > 0)):
            raise invalid("epsilon", "a number > 0 or None", self.epsilon, "None measures it")
        forest = self._given_forest()
        if not (forest is None or isinstance(forest, BaseForest)):
            raise invalid(
                "forest",
                "None or a forest of this library",
                self.forest,
                "pass for example silvan.ForestClassifier()",
            )

    def _check_rows(self, X: Any, *, reset: bool) -> Any:
        """The rows as an array; as they came if the forest reads categories in them."""
        check_unmasked("X", X)
        if reset:
            check_n_samples(X)
        forest = self._given_forest() if reset else self.forest_
        if forest is not None and has_categories(forest, X):
            if self.affinity != "binary":
                raise invalid(
                    "affinity",
                    '"binary" for a forest with categorical features, which have no distances',
                    self.affinity,
                    "leave it out",
                )
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        flat, _ = flatten_rows(X)
        rows: NDArray[Any] = validate_data(
            self, flat, dtype="numeric", reset=reset, ensure_all_finite=not self._allows_missing()
        )
        check_features(rows)
        return rows

    def _given_forest(self) -> Any:
        """The forest that was passed, out of the shell that keeps clones from forgetting it."""
        return self.forest.estimator if isinstance(self.forest, FrozenEstimator) else self.forest

    def _allows_missing(self) -> bool:
        """Whether rows may have missing values: the trees know where they go, distances do not."""
        supervised = not isinstance(self._given_forest(), GaussianForest | None)
        return supervised and self.affinity == "binary"

    def _fit_forest(self, X: Any, rows: Any, y: Any) -> BaseForest:
        given: BaseForest | None = self._given_forest()
        if given is None:
            return GaussianForest(**{name: getattr(self, name) for name in _GROWING}).fit(rows)
        if hasattr(given, "forest_"):
            return given
        if y is None and not isinstance(given, GaussianForest):
            raise ValueError(
                f"forest={type(given).__name__}() needs targets, but y is None; pass y to "
                "fit, or a forest that is fitted already."
            )
        forest = clone(given)
        if self.random_state is not None:
            forest.set_params(random_state=self.random_state)
        # Rows in the shape of the data: a forest on a grid takes its shape from them.
        on_grid = len(getattr(X, "shape", ())) > 2
        fitted: BaseForest = forest.fit(X if on_grid else rows, y)
        return fitted

    def _leaves(self, rows: Any) -> NDArray[np.int32]:
        return number_leaves(self.forest_.forest_, self.forest_.apply(rows))

    def _n_leaves(self) -> int:
        return self.forest_.forest_.n_leaves

    def _make_affinity(self, index: LeafIndex, rows: Any) -> Affinity:
        if self.affinity == "binary":
            return BinaryAffinity(index)
        if self.affinity == "gaussian":
            return GaussianAffinity.fit(index, rows, self.epsilon)
        full = self.covariance_type == "full"
        if full:
            check_covariances_fit(index.n_leaves, rows.shape[1])
        ridge = relative_ridge(rows.var(axis=0, dtype=np.float64), self.reg_covar)
        return MahalanobisAffinity.fit(index, rows, ridge, full=full)

    def _embed(self) -> None:
        graph = self._graph()
        self.component_labels_ = graph.components()
        sizes = np.bincount(self.component_labels_)
        self.n_connected_components_ = len(sizes)
        if len(sizes) == 1:
            maps = [embed_graph(graph, self.n_components)]
            self.embedding_ = maps[0].vectors
        else:
            largest = ", ".join(map(str, sorted(sizes.tolist(), reverse=True)[:5]))
            warn_user(
                f"the affinity graph falls into {len(sizes)} parts that no leaf links, of {largest}"
                f"{', ...' if len(sizes) > 5 else ''} rows; each is embedded by itself and they "
                "are set side by side. Grow more trees or larger leaves (n_estimators, "
                "min_samples_leaf) if the data are one piece."
            )
            maps = self._embed_parts(graph, sizes)
        values = np.array([part.values for part in maps])
        values = values[0] if len(maps) == 1 else values
        self.eigenvalues_ = values[..., :-1]
        self.eigengaps_ = np.diff(values, axis=-1)

    def _graph(self) -> Graph:
        if not isinstance(self._affinity, BinaryAffinity):
            return Graph(self.affinity_matrix_, factored=False)
        index = self._affinity.index
        return Graph(index.membership / np.sqrt(index.n_trees), factored=True)

    def _embed_parts(self, graph: Graph, sizes: NDArray[np.integer]) -> list[Eigenmap]:
        """Embed each part by itself, and set it to the right of the last one."""
        maps = []
        self.embedding_ = np.zeros((len(self.component_labels_), self.n_components))
        gap = 1.0 / np.sqrt(len(self.embedding_))
        border = 0.0
        for part in range(len(sizes)):
            rows = np.flatnonzero(self.component_labels_ == part)
            maps.append(embed_graph(graph.restrict(rows), self.n_components))
            # As if all rows were one graph: the mean squared coordinate is the same in all parts.
            vectors = maps[-1].vectors * np.sqrt(len(rows) / len(self.embedding_))
            self.embedding_[rows] = vectors
            self.embedding_[rows, 0] += border - vectors[:, 0].min()
            border = float(self.embedding_[rows, 0].max()) + gap
        self.embedding_[:, 0] -= self.embedding_[:, 0].mean()
        return maps

    def _check_fitted(self) -> None:
        self._check_parameters()
        affinity, forest = self._affinity, self.forest_
        require_fitted(
            {
                "forest_": isinstance(forest, BaseForest) and hasattr(forest, "forest_"),
                "_affinity": isinstance(affinity, _AFFINITIES[self.affinity]),
            }
        )
        arrays, index = forest.forest_, affinity.index
        names = getattr(self, "feature_names_in_", None)
        n_features = arrays.n_features
        require_fitted(
            {
                "n_features_in_": self.n_features_in_ == n_features,
                "feature_names_in_": names is None or names.shape == (n_features,),
                "_affinity": (index.n_trees, index.n_leaves) == (arrays.n_trees, arrays.n_leaves)
                and (affinity.X is None or affinity.X.shape[1] == n_features),
            }
        )
        self._check_coordinates(index.n_rows)

    def _check_coordinates(self, n_rows: int) -> None:
        """Raise an error if labels and coordinates are not those of so many rows."""
        labels, n_parts = self.component_labels_, self.n_connected_components_
        coordinates = {name: getattr(self, name) for name in _COORDINATES}
        one_by_one = (self.n_components,) if n_parts == 1 else (n_parts, self.n_components)
        shapes = dict(
            zip(_COORDINATES, ((n_rows, self.n_components), *2 * (one_by_one,)), strict=True)
        )
        require_fitted(
            {
                "n_connected_components_": is_integer(n_parts) and n_parts >= 1,
                "component_labels_": labels.shape == (n_rows,)
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
