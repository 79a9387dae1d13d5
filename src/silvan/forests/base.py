"""What all forests do alike, with targets or without: fit, grow, find leaves."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from silvan import _core
from silvan._persistence import PersistentMixin, require_fitted
from silvan._validation import as_rows, as_training_features, check_features
from silvan.forest_arrays import ForestArrays
from silvan.forests.defaults import DefaultProjectionsMixin
from silvan.forests.fitted import FittedForest
from silvan.forests.fitting import (
    CheckedRows,
    TrainingRows,
    check_more_trees,
    check_same_rows,
    check_warm_start,
    draw_seed,
)
from silvan.forests.parameters import ForestParameters, check_parameters, resolve_projections
from silvan.forests.sampling import RowPlan, RowSampling, sample_rows
from silvan.projections import ProjectionDistribution

# More are never faster.
_MAX_THREADS = 1024


class BaseForest(
    ForestParameters,
    DefaultProjectionsMixin,
    PersistentMixin,
    BaseEstimator,  # type: ignore[misc]
    metaclass=ABCMeta,
):
    """A forest whose nodes split along drawn directions; subclasses say what they learn from."""

    _fitted: ClassVar[tuple[str, ...]] = ("n_outputs_", "projections_", "forest_", "_sampling")

    forest_: ForestArrays
    projections_: ProjectionDistribution
    n_outputs_: int
    _sampling: RowSampling

    @abstractmethod
    def _check_fit(self, X: Any, y: Any, sample_weight: Any) -> CheckedRows:
        """Check parameters and data before any work; learn what the features are."""

    @abstractmethod
    def _check_rows(self, X: Any) -> NDArray[Any]:
        """Check samples to predict; return an array with a column per feature."""

    @abstractmethod
    def _growth(self, plan: RowPlan, n_features: int) -> tuple[ProjectionDistribution, Any]:
        """The distribution to draw from and the options of the core, checked against the data."""

    @abstractmethod
    def _grow_on(self, rows: TrainingRows, earlier: ForestArrays | None) -> None:
        """Grow the trees that `earlier` lacks, and set what was learnt."""

    def _n_categories(self) -> NDArray[np.int64] | None:
        """Number of categories of each feature, 0 for numbers; None if there are none."""
        return None

    def _resolve_projections(self, n_features: int) -> ProjectionDistribution:
        """The distribution to draw directions from, checked against the number of features."""
        return resolve_projections(self._given_projections(), n_features)

    @property
    def fitted_(self) -> FittedForest:
        """What was learnt, for readers: a view that holds no copies."""
        check_is_fitted(self)
        return FittedForest(
            arrays=self.forest_,
            projections=self.projections_,
            sampling=self._sampling,
            n_threads=self._n_threads(),
            read=self._rows,
            check=self._check_rows,
            sample_shape=self._sample_shape(),
        )

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        earlier = vars(self).copy() if self.warm_start and hasattr(self, "forest_") else {}
        checked = self._check_fit(X, y, sample_weight)
        if earlier:
            now = {**vars(self), **checked.targets.attributes}
            check_warm_start(earlier, now)
            self._check_more_trees(earlier["forest_"])
        seed = earlier["_sampling"].seed if earlier else draw_seed(self.random_state)

        # Validation is complete but for a warm start's samples; work starts here.
        rows = self._read_rows(checked, seed)
        if earlier:
            check_same_rows(earlier["_sampling"], rows.sampling)
        self._grow_on(rows, earlier.get("forest_"))

    def _check_more_trees(self, earlier: ForestArrays) -> None:
        """Check the number of trees that a warm start goes on to."""
        check_more_trees(int(self.n_estimators), earlier.n_trees)

    def _training_set(self, rows: TrainingRows) -> _core.TrainingSet:
        """The samples as the core reads them."""
        sampling, targets = rows.sampling, rows.targets
        return _core.TrainingSet(
            *rows.features,
            _core.Targets(targets.native(sampling.plan), sampling.weights, targets.n_values),
            sampling.native(),
            self._n_categories(),
        )

    def _read_rows(self, checked: CheckedRows, seed: int) -> TrainingRows:
        """The samples as the core grows on them, and the draws of every tree."""
        X, targets, _, plan = checked
        features = as_training_features(X, plan.kept, self._n_threads())
        sampling = sample_rows(plan, features, targets.kept(plan), seed, self._n_threads())
        return TrainingRows(features, targets, sampling)

    def _check_parameters(self) -> None:
        check_parameters(self)

    def apply(self, X: ArrayLike) -> NDArray[np.int32]:
        """The leaf of each tree that each row ends in.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        leaves : ndarray of shape (n_samples, n_estimators)
            Number of the leaf among the nodes of its tree.
        """
        rows = self._rows(X)
        leaves: NDArray[np.int32] = _core.apply(self.forest_, rows, self._n_threads())
        return leaves

    def _rows(self, X: ArrayLike) -> NDArray[Any]:
        """Check samples to predict; return them as the core reads them."""
        check_is_fitted(self)
        checked = self._check_rows(X)
        check_features(checked)
        return self._scaled(checked)

    def _scaled(self, checked: NDArray[Any]) -> NDArray[Any]:
        """Checked samples as the trees read them."""
        return as_rows(checked)

    def _sample_shape(self) -> tuple[int, ...]:
        """The shape of a sample as `fit` was given it."""
        return (self.n_features_in_,)

    def _n_threads(self) -> int:
        return min(int(effective_n_jobs(self.n_jobs)), _MAX_THREADS)

    def _check_fitted(self) -> None:
        self._check_parameters()
        forest, n_samples = self.forest_, self._sampling.check().plan.n_samples
        forest.check()
        resolve_projections(self.projections_, forest.n_features)
        names = getattr(self, "feature_names_in_", None)
        require_fitted(
            {
                "n_features_in_": self.n_features_in_ == forest.n_features,
                "feature_names_in_": names is None or names.shape == (forest.n_features,),
                "forest_.members": bool((forest.members < n_samples).all()),
            }
        )
