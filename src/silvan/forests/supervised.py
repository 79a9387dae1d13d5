"""What forests with targets do alike, bagged or boosted: check and scale samples, read features."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y, validate_data

from silvan._persistence import require_fitted
from silvan._validation import (
    TrainingFeatures,
    check_features,
    check_n_samples,
    check_numbers,
    check_sample_weight,
    check_unmasked,
    invalid,
    is_integer,
)
from silvan.forest_arrays import ForestArrays
from silvan.forests.base import BaseForest
from silvan.forests.categories import CategoryTable, find_categories
from silvan.forests.fitted import FittedForest
from silvan.forests.fitting import CheckedSamples, TrainingSamples, unchanged_on_failure
from silvan.forests.frames import as_table, column_names
from silvan.forests.importances import feature_importances
from silvan.forests.odd_values import (
    admit_samples,
    refuse_dates,
    refuse_missing_labels,
    refuse_missing_targets,
    refuse_odd_columns,
    refuse_odd_shapes,
    refuse_odd_targets,
    refuse_several_outputs,
)
from silvan.forests.parameters import SupervisedParameters, check_supervised_parameters
from silvan.forests.sampling import SamplePlan
from silvan.forests.scaling import Scaler, fit_scaler, scale_samples
from silvan.forests.targets import Targets


class SupervisedForest(SupervisedParameters, BaseForest):
    """A forest that learns from targets; subclasses encode them and predict."""

    # Whether y has numbers, and whether it may have several columns.
    _numeric_targets: ClassVar[bool]
    _multi_output: ClassVar[bool] = True
    # Whether X may be sparse.
    _takes_sparse: ClassVar[bool] = False
    # Whether columns of X may be dates, which are several features each.
    _takes_dates: ClassVar[bool] = True
    _fitted: ClassVar[tuple[str, ...]] = ("_scaler", "_categories", "target_name_")

    _scaler: Scaler | None
    # What the core calls the criterion, and whether a tree casts one vote instead of handing over
    # its leaf's values: as the parameters were in `fit`, which may have been set since.
    _criterion: str
    _hard_votes: bool
    _categories: CategoryTable | None = None
    # What `y` is called, where it has a name.
    target_name_: str | None = None

    @abstractmethod
    def _encode_targets(self, y: NDArray[Any]) -> Targets:
        """Read the targets; the estimator stays as it is."""

    @abstractmethod
    def _predict_values(self, checked: NDArray[Any]) -> NDArray[np.float64]:
        """Predicted numbers, or probabilities of the classes, for samples that were checked."""

    @abstractmethod
    def _plan_samples(self, targets: Targets, weight: NDArray[np.float64] | None) -> SamplePlan:
        """Apply the meaning of sample weights."""

    def _class_factor(
        self, targets: Targets, sample_weight: NDArray[np.float64] | None
    ) -> NDArray[np.float64] | None:
        """What the weight of each sample is multiplied with for its class; None for nothing."""
        return None

    @property
    def fitted_(self) -> FittedForest:
        """What was learnt, for readers: a view that holds no copies."""
        return replace(
            super().fitted_,
            scaler=self._scaler,
            categories=self._categories,
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
        X = admit_samples(X)
        if reset:
            self._categories = find_categories(
                self.categorical_features, X, dates=self._takes_dates
            )
        elif hasattr(self, "feature_names_in_") and column_names(X) is not None:
            # Of columns in another order, what is wrong is the order, not what they hold.
            validate_data(self, X, reset=False, skip_check_array=True)
        refuse_dates(X, self._categories, takes_dates=self._takes_dates)
        if issparse(X):
            self._check_sparse()
        accepted = ("csr", "csc") if self._takes_sparse else False
        rules |= {"dtype": "numeric", "ensure_all_finite": False, "accept_sparse": accepted}
        try:
            with np.errstate(invalid="ignore"):  # sums of infinities of both signs
                checked = self._check_arrays(X, y, reset, rules)
            check_numbers(checked[0] if isinstance(checked, tuple) else checked)
        except (TypeError, ValueError, OverflowError) as error:
            self._refuse_dimensions(X, y, error)
            refuse_odd_columns(X, self._categories)
            if y is not None and not isinstance(y, str):
                refuse_missing_targets(y)
            raise
        return checked

    def _check_sparse(self) -> None:
        """Refuse sparse samples, or parameters that these do not have."""
        kind = "Regressor" if self._numeric_targets else "Classifier"
        if not self._takes_sparse:
            raise TypeError(
                f"X must be dense in a {type(self).__name__}, but it is sparse; pass X.toarray(), "
                "or fewer columns made from X by sklearn.decomposition.TruncatedSVD, or use a "
                f"Forest{kind}, which takes sparse X."
            )
        if self.scaling is not None:
            raise invalid(
                "scaling",
                "None where X is sparse, since scaled zeros are not zero",
                self.scaling,
                "scale X before, with sklearn.preprocessing.MaxAbsScaler, or pass X.toarray()",
            )
        if isinstance(self.categorical_features, Sequence) and not isinstance(
            self.categorical_features, str
        ):
            raise invalid(
                "categorical_features",
                '"from_dtype" or None where X is sparse, which has numbers alone',
                self.categorical_features,
                "leave it out, or pass X.toarray()",
            )

    def _check_arrays(self, X: Any, y: Any, reset: bool, rules: dict[str, Any]) -> Any:
        """The same by scikit-learn, whose errors name no column."""
        table = None if self._categories is None else as_table(X)
        if self._categories is None or table is None:  # wrong shapes are reported there
            return validate_data(self, X, y, reset=reset, **rules)
        # Names and number of columns are those of the table, the rest is checked in numbers.
        validate_data(self, X, reset=reset, skip_check_array=True)
        encoded = self._categories.encode(table)
        if isinstance(y, str):
            return check_array(encoded, estimator=self, input_name="X", **rules)
        return check_X_y(encoded, y, estimator=self, **rules)

    def _refuse_dimensions(self, X: Any, y: Any, error: Exception) -> None:
        """Say what has too many dimensions, and which forest takes images and series."""
        if "Found array with dim" not in str(error):
            return
        if np.ndim(X) <= 2:
            raise ValueError(
                "y must have one dimension, or two for several outputs, but its shape is "
                f"{np.asarray(y).shape}; pass one target, or one row of targets, for each sample."
            ) from error
        kind = "Regressor" if self._numeric_targets else "Classifier"
        raise ValueError(
            f"X must have two dimensions, samples and features, but its shape is {np.shape(X)}; "
            f"use ManifoldForest{kind} for samples on a grid, or pass X.reshape(len(X), -1)."
        ) from error

    def _check_samples(self, X: Any) -> NDArray[Any]:
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

    def _learn_target_name(self, y: Any) -> None:
        name = getattr(y, "name", None)
        self.target_name_ = name if isinstance(name, str) and name else None

    def _check_fit(self, X: Any, y: Any, sample_weight: Any) -> CheckedSamples:
        self._check_parameters()
        check_n_samples(X)
        for name, values in (("X", X), ("y", y), ("sample_weight", sample_weight)):
            check_unmasked(name, values)
        self._learn_target_name(y)
        refuse_odd_shapes(y)
        refuse_missing_labels(y)
        if self._numeric_targets:
            refuse_odd_targets(y)
        if not self._multi_output:
            refuse_several_outputs(type(self).__name__, y)
        X, y = self._check_data(
            X, y, multi_output=self._multi_output, y_numeric=self._numeric_targets
        )
        check_features(X, self._feature_names())
        targets = self._encode_targets(y)
        weight = check_sample_weight(sample_weight, X)
        plan = self._plan_samples(targets, weight)
        self._growth(plan)
        return CheckedSamples(X, targets, weight, plan)

    def _n_categories(self) -> NDArray[np.int64] | None:
        table = self._categories
        return None if table is None or not table.has_categories else table.counts

    def _n_features(self) -> int:
        table = self._categories
        return super()._n_features() if table is None else len(table.by_feature)

    @property
    def feature_names_(self) -> NDArray[np.object_] | None:
        """Names of the features as the trees read them: a column of dates has several.

        None where `X` had no names.
        """
        check_is_fitted(self)
        names: NDArray[np.object_] | None = self._feature_names()
        return names

    def _feature_names(self) -> Any:
        names = super()._feature_names()
        if names is None or self._categories is None:
            return names
        return np.array(self._categories.names(names), dtype=object)

    def _read_samples(self, checked: CheckedSamples, seed: int) -> TrainingSamples:
        """The samples, scaled if asked for, as the core grows on them."""
        X, targets, weight, plan = checked
        scaler = fit_scaler(self.scaling, X, plan.kept, weight)
        if scaler is None:
            return super()._read_samples(checked, seed)
        # Scaled or not, one copy at most.
        scaled = scale_samples(scaler, X, plan.kept, "F", self._categories)
        samples = self._order_samples(TrainingFeatures(scaled, None), targets, plan, seed)
        return samples._replace(scaler=scaler)

    def _grow_on(self, samples: TrainingSamples, earlier: ForestArrays | None) -> None:
        """Grow the trees that `earlier` lacks."""
        self._scaler = samples.scaler
        super()._grow_on(samples, earlier)  # type: ignore[safe-super]
        self.__dict__.pop("_importances", None)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_supervised_parameters(self._settled())

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the decrease of impurity.

        The gain of a split is spread over the features of its direction in proportion to their
        absolute coefficients, normalised within each tree and averaged; the gains of a boosted
        forest are added up. Where directions are `UnitFree`, coefficients are multiplied by
        spreads, and features that are constant in the training samples get nothing. All zero if no
        tree has a split.
        """
        check_is_fitted(self)
        return self._importances.copy()

    @cached_property
    def _importances(self) -> NDArray[np.float64]:
        return feature_importances(
            self.forest_, self.fitted_.credit_spreads, boosted=self.fitted_.start is not None
        )

    @property
    def categories_(self) -> list[NDArray[Any] | None] | None:
        """The categories of each feature, None for a number; None if there are none at all."""
        check_is_fitted(self)
        table = self._categories
        return None if table is None or not table.has_categories else table.by_feature

    def _scaled(self, checked: NDArray[Any]) -> NDArray[Any]:
        if self._scaler is None:
            return super()._scaled(checked)
        return scale_samples(self._scaler, checked, None, "C", self._categories)

    def _check_fitted(self) -> None:
        super()._check_fitted()
        forest, scaler, table = self.forest_, self._scaler, self._categories
        require_fitted(
            {
                "target_name_": self.target_name_ is None or isinstance(self.target_name_, str),
                "n_outputs_": is_integer(self.n_outputs_) and self.n_outputs_ >= 1,
                "_scaler": scaler is None
                or (isinstance(scaler, Scaler) and scaler._belongs_to(self._n_features())),
                "_categories": len(forest.n_categories) == 0
                if table is None
                else isinstance(table, CategoryTable)
                and table._belongs_to(self.n_features_in_, forest.n_categories),
            }
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = self._takes_sparse and self.scaling is None
        return tags
