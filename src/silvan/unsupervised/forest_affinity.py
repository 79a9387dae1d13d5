"""The affinity that the leaves of a forest define: the forest, its parameters, the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from silvan._persistence import require_fitted
from silvan._validation import (
    check_choice,
    check_features,
    check_n_samples,
    invalid,
    is_number,
)
from silvan.forests.base import BaseForest
from silvan.forests.categories import has_categories
from silvan.forests.defaults import DefaultProjectionsMixin
from silvan.forests.grid import flatten_samples
from silvan.forests.odd_values import admit_samples, named_columns
from silvan.unsupervised.affinities import (
    AFFINITIES,
    MIN_EPSILON,
    Affinity,
    BinaryAffinity,
    GaussianAffinity,
    MahalanobisAffinity,
)
from silvan.unsupervised.base import GaussianForest, check_covariance_parameters
from silvan.unsupervised.eigenmap import Graph
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
_KINDS: dict[str, tuple[type[Affinity], ...]] = {
    "auto": (BinaryAffinity, GaussianAffinity),
    **{name: (kind,) for name, kind in _AFFINITIES.items()},
}
# Distances say more than cells where features are few; they are stored for each pair in a leaf.
_FEW_FEATURES = 10
_FEW_SAMPLES = 20_000
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


def _are_few(shape: tuple[int, ...]) -> bool:
    """Whether the Gaussian affinity serves samples and features of these numbers well."""
    return shape[0] <= _FEW_SAMPLES and shape[1] <= _FEW_FEATURES


class ForestAffinityMixin(DefaultProjectionsMixin):
    """A forest, grown or given, and the affinity of the samples that it was fitted to."""

    affinity: str
    epsilon: float | None
    forest: Any
    covariance_type: str
    reg_covar: float
    random_state: Any
    n_features_in_: int
    forest_: BaseForest
    _affinity: Affinity

    _default_projections = staticmethod(GaussianForest._default_projections)

    def kernel(self, X: ArrayLike, Y: ArrayLike | None = None) -> csr_array:
        """Affinities between samples: a positive semidefinite kernel.

        Parameters
        ----------
        X : array-like of shape (n_samples_X, n_features)
            Samples.
        Y : array-like of shape (n_samples_Y, n_features), default=None
            Other samples; None takes those of `X`.

        Returns
        -------
        kernel : csr_array of shape (n_samples_X, n_samples_Y)
            Mean over the trees of the affinity, 0 for samples that share no leaf.
        """
        check_is_fitted(self)
        samples = self._check_samples(X, reset=False)
        leaves = self._leaves(samples)
        others = samples if Y is None else self._check_samples(Y, reset=False)
        index = LeafIndex(leaves if Y is None else self._leaves(others), self._n_leaves())
        return self._affinity.against(index, others).matrix(leaves, samples)

    @property
    def affinity_matrix_(self) -> csr_array:
        """The affinities of the samples of `fit`, computed anew each time."""
        check_is_fitted(self)
        return self._affinity.matrix(self._affinity.index.leaves, self._affinity.X)

    def _fit_affinity(self, X: Any, y: Any) -> None:
        samples = self._check_samples(X, reset=True)
        self.forest_ = self._fit_forest(X, samples, y)
        index = LeafIndex(self._leaves(samples), self._n_leaves())
        self._affinity = self._make_affinity(index, samples)

    def _check_affinity_parameters(self) -> None:
        check_choice("affinity", self.affinity, ("auto", *AFFINITIES))
        check_covariance_parameters(self.covariance_type, self.reg_covar)
        epsilon = self.epsilon
        if epsilon is not None and not (is_number(epsilon) and epsilon >= MIN_EPSILON):
            raise invalid(
                "epsilon", f"a number >= {MIN_EPSILON} or None", epsilon, "None measures it"
            )
        forest = self._given_forest()
        if not (forest is None or isinstance(forest, BaseForest)):
            raise invalid(
                "forest",
                "None or a forest of this library",
                self.forest,
                "pass for example silvan.ForestClassifier()",
            )

    def _check_samples(self, X: Any, *, reset: bool) -> Any:
        """The samples as an array; as they came if the forest reads categories in them."""
        X = admit_samples(X)
        if reset:
            check_n_samples(X)
        forest = self._given_forest() if reset else self.forest_
        if forest is not None and has_categories(forest, X):
            if self.affinity not in ("auto", "binary"):
                raise invalid(
                    "affinity",
                    '"binary" for a forest with categorical features, which have no distances',
                    self.affinity,
                    "leave it out",
                )
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        flat, _ = flatten_samples(X)
        rules = {"dtype": "numeric", "ensure_all_finite": not self._allows_missing()}
        with named_columns(flat):
            samples: NDArray[Any] = validate_data(self, flat, reset=reset, **rules)
            check_features(samples)
        return samples

    def _given_forest(self) -> Any:
        """The forest that was passed, without the wrapper that keeps it fitted in clones."""
        return self.forest.estimator if isinstance(self.forest, FrozenEstimator) else self.forest

    def _allows_missing(self) -> bool:
        """Whether values may be missing: the trees know where they go, distances do not."""
        supervised = not isinstance(self._given_forest(), GaussianForest | None)
        return supervised and self.affinity in ("auto", "binary")

    def _fit_forest(self, X: Any, samples: Any, y: Any) -> BaseForest:
        given: BaseForest | None = self._given_forest()
        if given is None:
            return GaussianForest(**{name: getattr(self, name) for name in _GROWING}).fit(samples)
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
        # Samples in the shape of the data: a forest on a grid takes its shape from them.
        on_grid = len(getattr(X, "shape", ())) > 2
        fitted: BaseForest = forest.fit(X if on_grid else samples, y)
        return fitted

    def _leaves(self, samples: Any) -> NDArray[np.int32]:
        return number_leaves(self.forest_.forest_, self.forest_.apply(samples))

    def _n_leaves(self) -> int:
        return self.forest_.forest_.n_leaves

    def _make_affinity(self, index: LeafIndex, samples: Any) -> Affinity:
        affinity = self.affinity
        if affinity == "auto":
            measured = self._given_forest() is None and _are_few(samples.shape)
            affinity = "gaussian" if measured else "binary"
        if affinity == "binary":
            return BinaryAffinity(index)
        if affinity == "gaussian":
            return GaussianAffinity.fit(index, samples, self.epsilon)
        full = self.covariance_type == "full"
        if full:
            check_covariances_fit(index.n_leaves, samples.shape[1])
        ridge = relative_ridge(samples.var(axis=0, dtype=np.float64), self.reg_covar)
        return MahalanobisAffinity.fit(index, samples, ridge, full=full)

    def _graph(self) -> Graph:
        if not isinstance(self._affinity, BinaryAffinity):
            return Graph(self.affinity_matrix_, factored=False)
        index = self._affinity.index
        return Graph(index.membership / np.sqrt(index.n_trees), factored=True)

    def _check_affinity(self) -> None:
        """Raise an error if forest and affinity, such as those of a file, do not fit together."""
        affinity, forest = self._affinity, self.forest_
        require_fitted(
            {
                "forest_": isinstance(forest, BaseForest) and hasattr(forest, "forest_"),
                "_affinity": isinstance(affinity, _KINDS[self.affinity]),
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
