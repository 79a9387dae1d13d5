"""What all forests do alike, with targets or without: fit, grow, find leaves."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from silvan import _core
from silvan._persistence import PersistentMixin, require_fitted
from silvan._sparse import SparseSamples
from silvan._validation import (
    TrainingFeatures,
    as_samples,
    as_training_features,
    check_features,
    check_flag,
    count_threads,
)
from silvan.forest_arrays import ForestArrays
from silvan.forests.fitted import FittedForest
from silvan.forests.fitting import (
    CheckedSamples,
    TrainingSamples,
    TreeSeed,
    check_more_trees,
    check_same_samples,
    check_warm_start,
    draw_seed,
)
from silvan.forests.parameters import ForestParameters, check_parameters, resolve_projections
from silvan.forests.sampling import SamplePlan, Sampling, make_sampling
from silvan.forests.targets import Targets
from silvan.projections import ProjectionDistribution, UnitFree
from silvan.projections.mixture import find_component
from silvan.projections.spreads import measure_spreads, single_values


class BaseForest(
    ForestParameters,
    PersistentMixin,
    BaseEstimator,  # type: ignore[misc]
    metaclass=ABCMeta,
):
    """A forest whose nodes split along drawn directions; subclasses say what they learn from."""

    _fitted: ClassVar[tuple[str, ...]] = (
        "n_outputs_",
        "projections_",
        "forest_",
        "_sampling",
        "_constant",
    )

    forest_: ForestArrays
    projections_: ProjectionDistribution
    n_outputs_: int
    _sampling: Sampling
    _constant: NDArray[np.bool_] | None

    @abstractmethod
    def _check_fit(self, X: Any, y: Any, sample_weight: Any) -> CheckedSamples:
        """Check parameters and data before any work; learn what the features are."""

    @abstractmethod
    def _check_samples(self, X: Any) -> NDArray[Any]:
        """Check samples to predict; return an array with a column per feature."""

    @abstractmethod
    def _growth(self, plan: SamplePlan) -> tuple[ProjectionDistribution, Any]:
        """The distribution to draw from and the options of the core, checked against the data."""

    @abstractmethod
    def _grow_on(self, samples: TrainingSamples, earlier: ForestArrays | None) -> None:
        """Grow the trees that `earlier` lacks, and set what was learnt."""

    def _keep_constants(self, samples: TrainingSamples, earlier: ForestArrays | None) -> None:
        """Note which features are constant in these samples, and in those of earlier trees."""
        constant = samples.constant
        if constant is not None and earlier is not None:
            before = getattr(self, "_constant", None)
            constant = None if before is None else before & constant
        self._constant = constant

    def _n_categories(self) -> NDArray[np.int64] | None:
        """Number of categories of each feature, 0 for numbers; None if there are none."""
        return None

    def _settled(self) -> Self:
        """The same forest, with a value for every parameter that was left to it."""
        return self

    def _n_features(self) -> int:
        """Number of features, of which a column of `X` may be several."""
        return int(self.n_features_in_)

    def _feature_names(self) -> Any:
        """Their names, an array; None if `X` had none."""
        return getattr(self, "feature_names_in_", None)

    def _n_columns(self) -> int:
        """Number of columns that the trees read: the features, or the cells of channels."""
        return self._n_features()

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
            read=self._encoded,
            check=self._check_dense_samples,
            sample_shape=self._sample_shape(),
            n_features=self._n_features(),
            feature_names=self._feature_names(),
            constant=getattr(self, "_constant", None),
        )

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        check_flag("warm_start", self.warm_start)
        earlier = vars(self).copy() if self.warm_start and hasattr(self, "forest_") else {}
        checked = self._check_fit(X, y, sample_weight)
        if earlier:
            now = {**vars(self), **checked.targets.attributes}
            check_warm_start(earlier, now)
            self._check_more_trees(earlier["forest_"])
        seed = earlier["_sampling"].seed if earlier else draw_seed(self.random_state)

        # Validation is complete but for a warm start's samples; work starts here.
        samples = self._read_samples(checked, seed)
        if earlier:
            given = self.get_params(deep=False)
            check_same_samples(earlier["_sampling"], samples.sampling, given)
        self._grow_on(samples, earlier.get("forest_"))

    def _check_more_trees(self, earlier: ForestArrays) -> None:
        """Check the number of trees that a warm start goes on to."""
        check_more_trees(int(self.n_estimators), earlier.n_trees)

    def _training_set(self, samples: TrainingSamples) -> _core.TrainingSet:
        """The samples as the core reads them."""
        sampling, targets = samples.sampling, samples.targets
        native = _core.Targets(
            targets.native(sampling.plan), sampling.weights, targets.n_values, targets.n_averaged
        )
        if isinstance(samples.features.columns, SparseSamples):
            return _core.TrainingSet(samples.features.columns.native, native, sampling.native())
        return _core.TrainingSet(*samples.features, native, sampling.native(), self._n_categories())

    def _read_samples(self, checked: CheckedSamples, seed: int) -> TrainingSamples:
        """The samples as the core grows on them, and the draws of every tree."""
        X, targets, _, plan = checked
        return self._order_samples(
            as_training_features(X, plan.kept, self._n_threads()), targets, plan, seed
        )

    def _order_samples(
        self, features: TrainingFeatures, targets: Targets, plan: SamplePlan, seed: int
    ) -> TrainingSamples:
        """The samples with the draws of every tree."""
        spreads = self._spreads_of(features.columns)
        sampling = make_sampling(
            plan, features, targets.kept(plan), seed, spreads, self._n_threads()
        )
        if isinstance(self.random_state, TreeSeed):
            sampling = replace(sampling, first_tree=self.random_state.tree)
        constant = None if spreads is None else ~np.isnan(single_values(features.columns))
        return TrainingSamples(features, targets, sampling, spreads, constant=constant)

    def _has_unit_free_directions(self) -> bool:
        return find_component(self._given_projections(), UnitFree) is not None

    def _spreads_of(self, columns: Any) -> NDArray[np.float64] | None:
        """The spread of each feature where directions have no units; None where they have."""
        if not self._has_unit_free_directions():
            return None
        return measure_spreads(columns, self._n_categories(), self._n_threads())

    def _check_parameters(self) -> None:
        check_parameters(self._settled())

    def apply(self, X: ArrayLike) -> NDArray[np.int32]:
        """The leaf of each tree that each sample ends in.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        leaves : ndarray of shape (n_samples, n_estimators)
            Number of the leaf among the nodes of its tree.
        """
        leaves: NDArray[np.int32] = self._ask_trees(
            lambda samples: _core.apply(self.forest_, samples, self._n_threads()), self._checked(X)
        )
        return leaves

    def _encoded(self, X: ArrayLike) -> NDArray[Any]:
        """Check samples for a reader of the forest; return them as the core reads them."""
        checked = self._check_dense_samples(X)
        check_features(checked, self._feature_names())
        return self._scaled(checked)

    def _check_dense_samples(self, X: ArrayLike) -> NDArray[Any]:
        """The same before scaling; readers look at values one by one."""
        check_is_fitted(self)
        checked = self._check_samples(X)
        if issparse(checked):
            raise ValueError(
                "X must be dense here, where single values are looked at, but it is sparse; pass "
                "X.toarray() of the samples that you need."
            )
        return checked

    def _checked(self, X: ArrayLike) -> NDArray[Any]:
        """Check samples to predict; return an array with a column per feature."""
        check_is_fitted(self)
        checked = self._check_samples(X)
        check_features(checked, self._feature_names())
        return checked

    def _ask_trees(
        self, ask: Callable[[NDArray[Any]], NDArray[Any]], checked: NDArray[Any]
    ) -> NDArray[Any]:
        """What a function of samples as the trees read them returns for checked samples."""
        return ask(self._scaled(checked))

    def _scaled(self, checked: NDArray[Any]) -> NDArray[Any]:
        """Checked samples as the trees read them."""
        samples: NDArray[Any] = as_samples(checked)
        return samples

    def _sample_shape(self) -> tuple[int, ...]:
        """The shape of a sample as `fit` was given it."""
        return (self._n_features(),)

    def _n_threads(self) -> int:
        return count_threads(self.n_jobs)

    def _check_fitted(self) -> None:
        self._check_parameters()
        forest, n_samples = self.forest_, self._sampling.check().plan.n_samples
        forest.check()
        resolve_projections(self.projections_, forest.n_features)
        names = getattr(self, "feature_names_in_", None)
        constant = getattr(self, "_constant", None)
        require_fitted(
            {
                "n_features_in_": self._n_columns() == forest.n_features,
                "feature_names_in_": names is None or names.shape == (self.n_features_in_,),
                "_constant": constant is None or constant.shape == (forest.n_features,),
                "forest_.members": bool((forest.members < n_samples).all()),
            }
        )
