"""What forests with targets do alike: read features, score out of bag, weigh training samples."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y, validate_data

from silvan import _core
from silvan._persistence import require_fitted
from silvan._validation import (
    TrainingFeatures,
    check_choice,
    check_features,
    check_n_samples,
    check_sample_weight,
    check_unmasked,
    is_integer,
    warn_user,
)
from silvan.forest_arrays import ForestArrays
from silvan.forests.base import BaseForest
from silvan.forests.categories import CategoryTable, as_table, find_categories, refuse_dates
from silvan.forests.fitted import FittedForest
from silvan.forests.fitting import CheckedRows, TrainingRows, unchanged_on_failure
from silvan.forests.importances import feature_importances
from silvan.forests.parameters import SupervisedParameters, check_supervised_parameters
from silvan.forests.sampling import RowPlan, plan_rows, sample_rows
from silvan.forests.scaling import Scaler, fit_scaler, scale_samples
from silvan.forests.targets import Targets
from silvan.forests.weights import RowWeighting

_OUT_OF_BAG = ("oob_score_", "oob_decision_function_", "oob_prediction_")


class SupervisedForest(SupervisedParameters, BaseForest):
    """A forest that learns from targets; subclasses encode them and predict."""

    # Names of the criteria, and what the core calls them.
    _criteria: ClassVar[Mapping[str, str]]
    # Whether y may have several columns of numbers.
    _multi_output: ClassVar[bool]
    # Score of out-of-bag predictions unless `oob_score` is a callable.
    _metric: Callable[..., float]
    _fitted: ClassVar[tuple[str, ...]] = ("oob_score_", "_scaler", "_categories")

    _scaler: Scaler | None
    _categories: CategoryTable | None = None

    @abstractmethod
    def _encode_targets(self, y: NDArray[Any]) -> Targets:
        """Read the targets; the estimator stays as it is."""

    @abstractmethod
    def _keep_out_of_bag(
        self, predictions: NDArray[np.float64], y: NDArray[Any], scored: NDArray[np.bool_]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Keep the predictions; return true and predicted targets of the scored samples."""

    def _class_factor(
        self, targets: Targets, sample_weight: NDArray[np.float64] | None
    ) -> NDArray[np.float64] | None:
        """What the weight of each sample is multiplied with for its class; None for nothing."""
        return None

    def _hard_votes(self) -> bool:
        """Whether a tree casts one vote instead of handing over its leaf's values."""
        return False

    @property
    def fitted_(self) -> FittedForest:
        """What was learnt, for readers: a view that holds no copies."""
        return replace(
            super().fitted_,
            scaler=self._scaler,
            categories=self._categories,
            hard_votes=self._hard_votes(),
            criterion=self._criteria[self.criterion],
            encode=self._encode_targets,
        )

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the forest; subclasses say what `y` is."""
        with unchanged_on_failure(self):
            self._fit(X, y, sample_weight)
        return self

    def _check_data(
        self, X: Any, y: Any = "no_validation", *, reset: bool = True, **rules: Any
    ) -> Any:
        """Check `X`, and `y` where it is given; return arrays, `X` with a column per feature."""
        if reset:
            self._categories = find_categories(self.categorical_features, X)
        refuse_dates(X, self._categories)
        table = None if self._categories is None else as_table(X)
        rules |= {"dtype": "numeric", "ensure_all_finite": False}
        if self._categories is None or table is None:  # wrong shapes are reported there
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

    def _check_rows(self, X: Any) -> NDArray[Any]:
        if self._needs_no_check(X):
            return X  # type: ignore[no-any-return]
        check_unmasked("X", X)
        checked: NDArray[Any] = self._check_data(X, reset=False)
        return checked

    def _needs_no_check(self, X: Any) -> bool:
        """Whether `X` is what checks would return: they take longer than to predict one sample."""
        return (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype.kind in "biuf"
            and len(X) > 0
            and X.shape[1] == self.n_features_in_
            and self._categories is None
            and not hasattr(self, "feature_names_in_")
        )

    def _check_fit(self, X: Any, y: Any, sample_weight: Any) -> CheckedRows:
        self._check_parameters()
        check_n_samples(X)
        for name, values in (("X", X), ("y", y), ("sample_weight", sample_weight)):
            check_unmasked(name, values)
        X, y = self._check_data(X, y, multi_output=self._multi_output, y_numeric=self._multi_output)
        check_features(X)
        targets = self._encode_targets(y)
        weight = check_sample_weight(sample_weight, X)
        plan = plan_rows(
            len(y),
            weight,
            self._class_factor(targets, weight),
            bootstrap=self.bootstrap,
            max_samples=self.max_samples,
            estimation_share=self.honest_fraction if self.honest else 0.0,
            numeric_targets=targets.numeric,
        )
        self._growth(plan, X.shape[1])
        return CheckedRows(X, targets, weight, plan)

    def _choose_criterion(self, options: _core.GrowOptions, plan: RowPlan, n_features: int) -> None:
        options.criterion = self._criteria[self.criterion]
        options.random_thresholds = self.thresholds == "random"

    def _n_categories(self) -> NDArray[np.int64] | None:
        return None if self._categories is None else self._categories.counts

    def _read_rows(self, checked: CheckedRows, seed: int) -> TrainingRows:
        """The samples, scaled if asked for, as the core grows on them."""
        X, targets, weight, plan = checked
        scaler = fit_scaler(self.scaling, X, plan.kept, weight)
        if scaler is None:
            return super()._read_rows(checked, seed)
        # Scaled or not, one copy at most.
        scaled = scale_samples(scaler, X, plan.kept, "F", self._categories)
        features = TrainingFeatures(scaled, None)
        sampling = sample_rows(plan, features, targets.kept(plan), seed)
        return TrainingRows(features, targets, sampling, scaler)

    def _grow_on(self, rows: TrainingRows, earlier: ForestArrays | None) -> None:
        """Grow the trees that `earlier` lacks, then score out of bag if asked for."""
        self._scaler = rows.scaler
        super()._grow_on(rows, earlier)
        for name in ("_importances", *_OUT_OF_BAG):
            self.__dict__.pop(name, None)
        if self.oob_score:
            self._score_out_of_bag(rows)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("criterion", self.criterion, self._criteria)
        check_supervised_parameters(self)

    def _score_out_of_bag(self, rows: TrainingRows) -> None:
        sampling = self._sampling
        sums, counts = self._out_of_bag_votes(rows)
        n_missed = int(np.count_nonzero(counts == 0))
        if n_missed:
            # A tree leaves out a share of about exp(-n_draws / n) of n samples.
            repeated = sampling.plan.n_draws > 2 * len(counts)
            remedy = (
                "whole weights count as repeated samples, so pass relative ones, such as "
                "sample_weight / sample_weight.mean(), or a smaller max_samples"
                if repeated
                else "grow more trees"
            )
            warn_user(
                f"{n_missed} of {len(counts)} samples were drawn by every tree and have no "
                f"out-of-bag prediction (NaN); {remedy}."
            )
        predictions = np.full((sampling.plan.n_samples, sums.shape[1]), np.nan)
        scored = np.zeros(len(predictions), dtype=np.bool_)
        scored[sampling.row_numbers(np.flatnonzero(counts).astype(np.int32))] = True
        predictions[scored] = sums[counts > 0] / counts[counts > 0, None]
        y_true, y_pred = self._keep_out_of_bag(predictions, rows.targets.encoded, scored)
        metric = self.oob_score if callable(self.oob_score) else self._metric
        self.oob_score_ = float(metric(y_true, y_pred)) if len(y_true) else np.nan

    def _out_of_bag_votes(
        self, rows: TrainingRows
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Sums of votes over the trees that did not draw a sample, and how many these are."""
        sampling = self._sampling
        sums, counts = _core.predict_out_of_bag(
            self.forest_,
            rows.features.rows,
            self._hard_votes(),
            sampling.native(),
            sampling.seed,
            self._n_threads(),
        )
        return sums, counts

    def forest_weights(self, X: ArrayLike) -> csr_array:
        """How much each training sample counts in the prediction for each sample of `X`.

        The weight alpha_i(x) is the mean over trees of the share of training sample i in the leaf
        that x ends in; in an honest forest, of its share in the samples that fill the leaf. Rows
        sum to 1. The product with the training targets is `predict` of a regressor, and with their
        indicators it is `predict_proba` of a classifier with soft voting.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Samples.

        Returns
        -------
        weights : csr_array of shape (n_queries, n_samples)
            Weights of the training samples, in the order in which they were given to `fit`.
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

    def _predict_values(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """Means over the trees of leaf values or votes, for samples that were checked."""
        values: NDArray[np.float64] = _core.predict(
            self.forest_, rows, self._hard_votes(), self._n_threads()
        )
        return values

    def _scaled(self, checked: NDArray[Any]) -> NDArray[Any]:
        if self._scaler is None:
            return super()._scaled(checked)
        return scale_samples(self._scaler, checked, None, "C", self._categories)

    def _check_fitted(self) -> None:
        super()._check_fitted()
        forest, scaler, table = self.forest_, self._scaler, self._categories
        require_fitted(
            {
                "n_outputs_": is_integer(self.n_outputs_) and self.n_outputs_ >= 1,
                "oob_score_": isinstance(getattr(self, "oob_score_", 0.0), float),
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
