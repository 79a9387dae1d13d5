"""What all supervised forests do alike: fit, out-of-bag estimates, leaves, weights, importances."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y, validate_data

from silvan import _core
from silvan._persistence import PersistentMixin, require_fitted
from silvan._progress import ProgressBar
from silvan._validation import (
    TrainingFeatures,
    as_rows,
    as_training_features,
    check_features,
    check_n_samples,
    check_sample_weight,
    check_unmasked,
    is_integer,
    warn_user,
)
from silvan.forest_arrays import ForestArrays
from silvan.forests.categories import CategoryTable, as_table, find_categories, refuse_dates
from silvan.forests.defaults import DefaultProjectionsMixin
from silvan.forests.fitting import (
    CheckedRows,
    TrainingRows,
    check_same_rows,
    count_warm_trees,
    draw_seed,
    unchanged_on_failure,
)
from silvan.forests.importances import feature_importances
from silvan.forests.parameters import check_parameters, grow_options, resolve_projections
from silvan.forests.sampling import RowPlan, RowSampling, sample_rows
from silvan.forests.scaling import Scaler, fit_scaler, scale_rows
from silvan.forests.weights import RowWeighting
from silvan.projections import ProjectionDistribution

# More are never faster, and a system that cannot start so many ends the process.
_MOST_THREADS = 1024
_OUT_OF_BAG = ("oob_score_", "oob_decision_function_", "oob_prediction_")


class BaseForest(
    DefaultProjectionsMixin,
    PersistentMixin,
    BaseEstimator,  # type: ignore[misc]
    metaclass=ABCMeta,
):
    """A forest whose nodes split along drawn directions; subclasses add targets and predictions."""

    # Names of the criteria, and what the core calls them.
    _criteria: ClassVar[Mapping[str, str]]
    # Whether y may have several columns of numbers.
    _multi_output: ClassVar[bool]
    # Score of out-of-bag predictions unless `oob_score` is a callable.
    _metric: Callable[..., float]
    _fitted: ClassVar[tuple[str, ...]] = (
        "n_outputs_",
        "projections_",
        "forest_",
        "oob_score_",
        "_sampling",
        "_scaler",
        "_categories",
    )

    # Parameters of how trees grow, on rows that are read and drawn alike whatever these are; each
    # class names those that it adds.
    _growing: ClassVar[tuple[str, ...]] = (
        "projections",
        "criterion",
        "max_features",
        "max_depth",
        "min_samples_split",
        "min_samples_leaf",
        "min_impurity_decrease",
    )

    forest_: ForestArrays
    n_outputs_: int
    _categories: CategoryTable | None = None

    @abstractmethod
    def __init__(
        self,
        n_estimators: int,
        *,
        projections: ProjectionDistribution | None,
        criterion: str,
        max_features: int | float | str | None,
        max_depth: int | None,
        min_samples_split: int | float,
        min_samples_leaf: int | float,
        min_impurity_decrease: float,
        bootstrap: bool,
        max_samples: int | float | str | None,
        honest: bool = False,
        honest_fraction: float = 0.5,
        scaling: str | None = None,
        categorical_features: Any = None,
        oob_score: bool | Callable[..., float],
        n_jobs: int | None,
        random_state: int | np.random.RandomState | None,
        verbose: int,
        warm_start: bool,
    ) -> None:
        self.n_estimators = n_estimators
        self.projections = projections
        self.criterion = criterion
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.honest = honest
        self.honest_fraction = honest_fraction
        self.scaling = scaling
        self.categorical_features = categorical_features
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    @abstractmethod
    def _encode_targets(self, y: NDArray[Any]) -> NDArray[Any]:
        """Learn what the targets are; return class codes, or numbers with a column per output."""

    @abstractmethod
    def _plan_rows(self, y: NDArray[Any], sample_weight: NDArray[np.float64] | None) -> RowPlan:
        """Which rows a tree draws from; `y` is encoded."""

    @abstractmethod
    def _grow_targets(self, y: NDArray[Any], plan: RowPlan) -> tuple[NDArray[Any], int]:
        """Encoded targets as the core reads them, and the number of values at a leaf."""

    @abstractmethod
    def _keep_out_of_bag(
        self, predictions: NDArray[np.float64], y: NDArray[Any], scored: NDArray[np.bool_]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Keep the predictions; return true and predicted targets of the scored rows."""

    def _check_data(
        self, X: Any, y: Any = "no_validation", *, reset: bool = True, **rules: Any
    ) -> Any:
        """Check `X`, and `y` where it is given; return arrays, `X` with a column per feature."""
        if reset:
            self._categories = find_categories(self.categorical_features, X)
        refuse_dates(X, self._categories)
        table = None if self._categories is None else as_table(X)
        rules |= {"dtype": "numeric", "ensure_all_finite": False}
        if self._categories is None or table is None:  # a wrong shape is told there, too
            try:
                return validate_data(self, X, y, reset=reset, **rules)
            except ValueError as error:
                if "could not convert string" not in str(error):
                    raise
                raise ValueError(
                    f"Input X must hold numbers, but: {error}; name the columns that hold "
                    "categories in categorical_features, for example [0]."
                ) from error
        # Names and number of columns are those of the table, the rest is checked in numbers.
        validate_data(self, X, reset=reset, skip_check_array=True)
        encoded = self._categories.encode(table)
        if isinstance(y, str):
            return check_array(encoded, estimator=self, input_name="X", **rules)
        return check_X_y(encoded, y, estimator=self, **rules)

    def _resolve_projections(self, n_features: int) -> ProjectionDistribution:
        """The distribution to draw directions from, checked against the number of features."""
        return resolve_projections(self._given_projections(), n_features)

    def _leaf_values(
        self, forest: ForestArrays, sampling: RowSampling, first: int
    ) -> NDArray[np.float64]:
        """Leaf values in terms of the targets as given; `first` is the number of the first tree."""
        return forest.values

    def _hard_votes(self) -> bool:
        """Whether a tree casts one vote instead of handing over its leaf's values."""
        return False

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the forest; subclasses say what `y` is."""
        with unchanged_on_failure(self):
            self._fit(X, y, sample_weight)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        earlier = vars(self).copy() if self.warm_start and hasattr(self, "forest_") else {}
        checked = self._check_fit(X, y, sample_weight)
        if earlier:
            count_warm_trees(self.n_estimators, earlier, vars(self))
        seed = earlier["_sampling"].seed if earlier else draw_seed(self.random_state)

        # All is checked but a warm start's rows; work begins.
        rows = self._read_rows(checked, seed)
        if earlier:
            check_same_rows(earlier["_sampling"], rows.sampling)
        self._grow_on(rows, earlier.get("forest_"))

    def _check_fit(self, X: Any, y: Any, sample_weight: Any) -> CheckedRows:
        """Check parameters and data before any work; learn what the data are."""
        self._check_parameters()
        check_n_samples(X)
        for name, values in (("X", X), ("y", y), ("sample_weight", sample_weight)):
            check_unmasked(name, values)
        X, y = self._check_data(X, y, multi_output=self._multi_output, y_numeric=self._multi_output)
        check_features(X)
        y = self._encode_targets(y)
        weight = check_sample_weight(sample_weight, X)
        plan = self._plan_rows(y, weight)
        self._growth(plan.n_kept, X.shape[1])
        return CheckedRows(X, y, weight, plan)

    def _growth(
        self, n_samples: int, n_features: int
    ) -> tuple[ProjectionDistribution, _core.GrowOptions]:
        """The distribution to draw from and the options of the core, checked against the data."""
        projections = self._resolve_projections(n_features)
        options = grow_options(self, self._criteria[self.criterion], n_samples, n_features)
        return projections, options

    def _read_rows(self, checked: CheckedRows, seed: int) -> TrainingRows:
        """The rows as the core grows on them, and the draws of every tree."""
        X, y, weight, plan = checked
        scaler = fit_scaler(self.scaling, X, plan.kept, weight)
        # Scaled or not, one copy at most.
        features = (
            as_training_features(X, plan.kept)
            if scaler is None
            else TrainingFeatures(scale_rows(scaler, X, plan.kept, "F", self._categories), None)
        )
        kept_y = y if plan.kept is None else y[plan.kept]
        sampling = sample_rows(plan, features, kept_y, seed)
        return TrainingRows(features, y, kept_y, scaler, sampling)

    def _grow_on(self, rows: TrainingRows, earlier: ForestArrays | None) -> None:
        """Grow the trees that `earlier` lacks, then score out of bag if asked for."""
        self._scaler, self._sampling = rows.scaler, rows.sampling
        projections, options = self._growth(rows.sampling.plan.n_kept, self.n_features_in_)
        self.projections_ = clone(projections, safe=False)
        n_warm = 0 if earlier is None else earlier.n_trees
        if n_warm < self.n_estimators:
            grown = self._grow(rows, projections, options, n_warm)
            self.forest_ = grown if earlier is None else earlier.append(grown)
        for name in ("_importances", *_OUT_OF_BAG):
            self.__dict__.pop(name, None)
        if self.oob_score:
            self._score_out_of_bag(rows.features.rows, rows.y)

    def _check_parameters(self) -> None:
        check_parameters(self, self._criteria)

    def _grow(
        self,
        rows: TrainingRows,
        projections: ProjectionDistribution,
        options: _core.GrowOptions,
        first: int,
    ) -> ForestArrays:
        """Grow the trees from number `first` on."""
        sampling = rows.sampling
        targets, n_values = self._grow_targets(rows.kept_y, sampling.plan)
        n_features = rows.features.columns.shape[1]
        n_categories = None if self._categories is None else self._categories.counts
        options.seed = sampling.seed
        n_trees = int(self.n_estimators) - first
        with ProgressBar(n_trees, what="trees") if self.verbose else nullcontext() as progress:
            arrays = _core.grow(
                _core.TrainingSet(
                    *rows.features,
                    _core.Targets(targets, sampling.weights, n_values),
                    sampling.native(),
                    n_categories,
                ),
                projections._to_native(n_features),
                options,
                (first, first + n_trees),
                self._n_threads(),
                progress,
            )
        arrays["members"] = sampling.row_numbers(arrays["members"])
        grown = ForestArrays.from_native(arrays, n_features, n_values, n_categories)
        return replace(grown, values=self._leaf_values(grown, sampling, first))

    def _score_out_of_bag(self, X: NDArray[Any], y: NDArray[Any]) -> None:
        sampling = self._sampling
        draws, hard = sampling.native(), self._hard_votes()
        sums, counts = _core.predict_out_of_bag(
            self.forest_, X, hard, draws, sampling.seed, self._n_threads()
        )
        n_missed = int(np.count_nonzero(counts == 0))
        if n_missed:
            # A tree leaves out a share of about exp(-n_draws / n) of n rows.
            repeated = sampling.plan.n_draws > 2 * len(counts)
            remedy = (
                "integer weights count as repeated rows, so pass floats, which are relative "
                "weights, such as sample_weight / sample_weight.mean(), or a smaller max_samples"
                if repeated
                else "grow more trees"
            )
            warn_user(
                f"{n_missed} of {len(counts)} rows were drawn by every tree and have no out-of-bag "
                f"prediction (NaN); {remedy}."
            )
        predictions = np.full((sampling.plan.n_samples, sums.shape[1]), np.nan)
        scored = np.zeros(len(predictions), dtype=np.bool_)
        scored[sampling.row_numbers(np.flatnonzero(counts).astype(np.int32))] = True
        predictions[scored] = sums[counts > 0] / counts[counts > 0, None]
        y_true, y_pred = self._keep_out_of_bag(predictions, y, scored)
        metric = self.oob_score if callable(self.oob_score) else self._metric
        self.oob_score_ = float(metric(y_true, y_pred)) if len(y_true) else np.nan

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

    def forest_weights(self, X: ArrayLike) -> csr_array:
        """How much each training row counts in the prediction for each row of `X`.

        The weight alpha_i(x) is the mean over trees of the share of training row i in the leaf that
        x ends in; in an honest forest, of its share in the rows that fill the leaf. Rows sum to 1.
        The product with the training targets is `predict` of a regressor, and with their indicators
        it is `predict_proba` of a classifier with soft voting.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Rows.

        Returns
        -------
        weights : csr_array of shape (n_queries, n_samples)
            Weights of the training rows, in the order in which they were given to `fit`.
        """
        leaves = self.apply(X)
        return RowWeighting(self.forest_, self._sampling)(leaves)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the decrease of impurity.

        The gain of a split is spread over the features of its direction in proportion to their
        absolute weights, normalised within each tree and averaged. All zero if no tree has a split.
        """
        check_is_fitted(self)
        return self._importances.copy()

    @cached_property
    def _importances(self) -> NDArray[np.float64]:
        return feature_importances(self.forest_)

    @property
    def categories_(self) -> list[NDArray[Any] | None] | None:
        """The categories of each feature, None for a number; None if there are none at all."""
        check_is_fitted(self)
        return None if self._categories is None else list(self._categories.categories)

    def _voting_forest(self) -> ForestArrays:
        """The trees with leaves that hold what they add to a prediction: their values, or votes."""
        return self.forest_.with_votes() if self._hard_votes() else self.forest_

    def _predict_values(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """Means over the trees of leaf values or votes, for rows that were checked."""
        values: NDArray[np.float64] = _core.predict(
            self.forest_, rows, self._hard_votes(), self._n_threads()
        )
        return values

    def _rows(self, X: ArrayLike) -> NDArray[Any]:
        """Check rows to predict; return them scaled and as the core reads them."""
        check_is_fitted(self)
        check_unmasked("X", X)
        checked: NDArray[Any] = self._check_data(X, reset=False)
        check_features(checked)
        if self._scaler is not None:
            return scale_rows(self._scaler, checked, None, "C", self._categories)
        return as_rows(checked)

    def _row_shape(self) -> tuple[int, ...]:
        """The shape of a row as `fit` was given it."""
        return (self.n_features_in_,)

    def _n_threads(self) -> int:
        return min(int(effective_n_jobs(self.n_jobs)), _MOST_THREADS)

    def _check_fitted(self) -> None:
        self._check_parameters()
        forest, n_samples = self.forest_, self._sampling.check().plan.n_samples
        forest.check()
        resolve_projections(self.projections_, forest.n_features)
        names = getattr(self, "feature_names_in_", None)
        scaler, table = self._scaler, self._categories
        require_fitted(
            {
                "n_features_in_": self.n_features_in_ == forest.n_features,
                "n_outputs_": is_integer(self.n_outputs_) and self.n_outputs_ >= 1,
                "feature_names_in_": names is None or names.shape == (forest.n_features,),
                "oob_score_": isinstance(getattr(self, "oob_score_", 0.0), float),
                "forest_.members": bool(forest.members.max() < n_samples),
                "_scaler": scaler is None
                or (isinstance(scaler, Scaler) and scaler._belongs_to(forest.n_features)),
                "_categories": len(forest.n_categories) == 0
                if table is None
                else isinstance(table, CategoryTable) and table._belongs_to(forest.n_categories),
            }
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
