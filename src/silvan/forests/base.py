"""What all forests do alike, with targets or without: fit, grow, find leaves."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from silvan import _core
from silvan._persistence import PersistentMixin, require_fitted
from silvan._progress import ProgressBar
from silvan._validation import as_rows, as_training_features, check_features
from silvan.forest_arrays import ForestArrays
from silvan.forests.defaults import DefaultProjectionsMixin
from silvan.forests.fitted import FittedForest
from silvan.forests.fitting import (
    CheckedRows,
    TrainingRows,
    check_same_rows,
    count_warm_trees,
    draw_seed,
)
from silvan.forests.parameters import (
    ForestParameters,
    check_parameters,
    grow_options,
    resolve_projections,
)
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
    def _choose_criterion(self, options: _core.GrowOptions, plan: RowPlan, n_features: int) -> None:
        """Set the criterion, and what the core must know of it besides."""

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
            count_warm_trees(self.n_estimators, earlier, now)
        seed = earlier["_sampling"].seed if earlier else draw_seed(self.random_state)

        # Validation is complete but for a warm start's samples; work starts here.
        rows = self._read_rows(checked, seed)
        if earlier:
            check_same_rows(earlier["_sampling"], rows.sampling)
        self._grow_on(rows, earlier.get("forest_"))

    def _growth(
        self, plan: RowPlan, n_features: int
    ) -> tuple[ProjectionDistribution, _core.GrowOptions]:
        """The distribution to draw from and the options of the core, checked against the data."""
        projections = self._resolve_projections(n_features)
        options = grow_options(self, plan.n_kept, n_features)
        self._choose_criterion(options, plan, n_features)
        return projections, options

    def _read_rows(self, checked: CheckedRows, seed: int) -> TrainingRows:
        """The samples as the core grows on them, and the draws of every tree."""
        X, targets, _, plan = checked
        features = as_training_features(X, plan.kept)
        sampling = sample_rows(plan, features, targets.kept(plan), seed)
        return TrainingRows(features, targets, sampling)

    def _grow_on(self, rows: TrainingRows, earlier: ForestArrays | None) -> None:
        """Grow the trees that `earlier` lacks."""
        for name, value in rows.targets.attributes.items():
            setattr(self, name, value)
        self._sampling = rows.sampling
        projections, options = self._growth(rows.sampling.plan, self.n_features_in_)
        self.projections_ = clone(projections, safe=False)
        n_warm = 0 if earlier is None else earlier.n_trees
        if n_warm < self.n_estimators:
            grown = self._grow(rows, projections, options, n_warm)
            self.forest_ = grown if earlier is None else earlier.append(grown)

    def _check_parameters(self) -> None:
        check_parameters(self)

    def _grow(
        self,
        rows: TrainingRows,
        projections: ProjectionDistribution,
        options: _core.GrowOptions,
        first: int,
    ) -> ForestArrays:
        """Grow the trees from number `first` on."""
        trees = (first, int(self.n_estimators))
        with self._progress(trees) as progress:
            grown = self._grow_range(rows, (projections, options), trees, progress)
        return replace(grown, values=rows.targets.leaf_values(grown, rows.sampling, first))

    def _progress(self, trees: tuple[int, int]) -> Any:
        """A progress bar over these trees if it is asked for, to be used in a with statement."""
        bar = ProgressBar(trees[1] - trees[0], what="trees") if self.verbose else None
        return nullcontext() if bar is None else bar

    def _grow_range(
        self,
        rows: TrainingRows,
        growth: tuple[ProjectionDistribution, _core.GrowOptions],
        trees: tuple[int, int],
        on_progress: Callable[[int], object] | None,
    ) -> ForestArrays:
        """Grow the trees from the first number to before the last, on as many threads as allowed.

        Leaf values are in terms of the targets that the core reads.
        """
        sampling, targets = rows.sampling, rows.targets
        projections, options = growth
        n_features = rows.features.columns.shape[1]
        n_categories = self._n_categories()
        training = _core.TrainingSet(
            *rows.features,
            _core.Targets(targets.native(sampling.plan), sampling.weights, targets.n_values),
            sampling.native(),
            n_categories,
        )
        options.seed = sampling.seed
        arrays = _core.grow(
            training,
            projections._to_native(n_features),
            options,
            trees,
            self._n_threads(),
            on_progress,
        )
        arrays["members"] = sampling.row_numbers(arrays["members"])
        return ForestArrays.from_native(arrays, n_features, targets.n_values, n_categories)

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
                "forest_.members": bool(forest.members.max() < n_samples),
            }
        )
