"""Checks of parameters and data: every error states the rule, the value and the remedy."""

from __future__ import annotations

import math
import re
import sys
import warnings
from collections.abc import Collection, Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_array, check_is_fitted

from silvan import _core
from silvan._sparse import SparseSamples, stored_values

_READ_BY_THE_CORE = (np.float32, np.float64, np.uint8)
_COPIED_BY_THE_CORE = (*_READ_BY_THE_CORE, np.int32, np.int64)
# A tree of n leaves has 2n - 1 nodes, numbered by int32.
MAX_SAMPLES = 2**30
# More are never faster.
_MAX_THREADS = 1024
_FOREST_INSIDE = (
    "pass a fitted one, which a search has as its best_estimator_ and a pipeline as its last step"
)
_LARGEST_FLOAT32 = float(np.finfo(np.float32).max)


class InvalidParameterError(ValueError, TypeError):
    """A parameter has a value or a type that its rule does not allow."""


def invalid(name: str, rule: str, value: object, remedy: str) -> InvalidParameterError:
    """The error for a parameter: its name, its rule, what came, and what to do."""
    shown = re.sub(r"\n\s*", " ", repr(value))
    if len(shown) > 80:
        shown = f"a {type(value).__name__} ({shown[:60]}...)"
    return InvalidParameterError(f"{name} must be {rule}, but it is {shown}; {remedy}.")


def check_forest(forest: object) -> None:
    """Require a fitted forest of this library."""
    if not hasattr(type(forest), "fitted_"):
        raise invalid("forest", "a forest of this library", forest, _FOREST_INSIDE)
    check_is_fitted(forest)


def check_predictor(forest: object) -> None:
    """Require a fitted forest that predicts; density forests do not."""
    check_one_output(forest)
    if not hasattr(forest, "predict"):
        raise invalid("forest", "a classifier or a regressor", forest, "pass one of these")


def check_one_output(forest: object) -> None:
    """Require a fitted forest whose classes are those of one output."""
    check_forest(forest)
    if isinstance(getattr(forest, "classes_", None), list):
        raise invalid(
            "forest",
            "a classifier of one output here",
            f"{type(forest).__name__} of {forest.n_outputs_} outputs",  # type: ignore[attr-defined]
            "fit a forest for each output, as sklearn.multioutput.MultiOutputClassifier does",
        )


def check_persistent(estimator: object) -> None:
    """Require a fitted estimator that files can hold."""
    if not hasattr(estimator, "_check_fitted"):
        raise invalid("estimator", "an estimator of this library", estimator, _FOREST_INSIDE)
    check_is_fitted(estimator)


def is_integer(value: object) -> bool:
    """Whether the value is an integer and not a truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Whether the value is a finite real number and not a truth value."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond every float
        return False


def check_integer(
    name: str,
    value: object,
    minimum: int,
    *,
    maximum: int | None = None,
    or_none: bool = False,
) -> None:
    """Require an integer within these limits, or None where that is allowed."""
    if or_none and value is None:
        return
    if not (is_integer(value) and value >= minimum):  # type: ignore[operator]
        rule = f"an integer >= {minimum}{' or None' if or_none else ''}"
        raise invalid(name, rule, value, f"pass for example {max(minimum, 10)}")
    if maximum is not None and value > maximum:  # type: ignore[operator]
        raise invalid(name, f"at most {maximum}", value, f"pass for example {min(maximum, 1000)}")


def count_threads(n_jobs: object) -> int:
    """The number of threads that `n_jobs` asks for."""
    if not (n_jobs is None or (is_integer(n_jobs) and n_jobs != 0)):
        raise invalid(
            "n_jobs", "None or an integer that is not 0", n_jobs, "-1 uses all processors"
        )
    return min(int(effective_n_jobs(n_jobs)), _MAX_THREADS)


def check_flag(name: str, value: object) -> None:
    """Require True or False."""
    if not isinstance(value, bool | np.bool_):
        raise invalid(name, "True or False", value, "pass one of the two")


def is_word(value: object, *words: str) -> bool:
    """Whether a parameter is one of these strings; arrays are not compared with them."""
    return isinstance(value, str) and value in words


def check_choice(
    name: str, value: object, choices: Collection[str], remedy: str = "pass one of them"
) -> None:
    """Require one of the given strings."""
    if not (isinstance(value, str) and value in choices):
        listed = ", ".join(repr(choice) for choice in choices)
        raise invalid(name, f"one of {listed}", value, remedy)


def check_n_samples(X: Any) -> None:
    """Require so few samples that the nodes of a tree can be numbered in 32 bits."""
    n_samples = np.shape(X)[0] if hasattr(X, "shape") and len(X.shape) else 0
    if n_samples > MAX_SAMPLES:
        raise ValueError(
            f"X must have at most {MAX_SAMPLES} samples, because trees number nodes in 32 bits, "
            f"but it has {n_samples}; fit the forest on a part of them."
        )


def check_unmasked(name: str, values: Any) -> None:
    """Refuse arrays with masked entries, whose masks NumPy would drop without a word."""
    if not np.ma.is_masked(values):
        return
    n_masked = int(np.count_nonzero(np.ma.getmaskarray(values)))
    remedy = (
        "pass X.astype(float).filled(np.nan) to have them treated as missing values"
        if name == "X"
        else f"drop those samples, or pass {name}.filled(...) with the values that they should have"
    )
    raise ValueError(
        f"{name} must not have masked entries, but {n_masked} of {values.size} are; {remedy}."
    )


def check_numbers(X: NDArray[Any]) -> None:
    """Require an array of real numbers."""
    if X.dtype.kind not in "biuf":
        raise ValueError(
            f"Input X must hold numbers, but its dtype is {X.dtype}; convert it to floats."
        )


def check_features(X: NDArray[Any], names: Sequence[Any] | NDArray[Any] | None = None) -> None:
    """Require numbers within the range of float32, or NaN for missing ones.

    Reductions only: nothing of the size of `X` is allocated. `names` are those of the features.
    """
    check_numbers(X)
    values = stored_values(X)
    if values.dtype.kind != "f" or values.size == 0:
        return
    magnitude = float(_magnitude(values, axis=None))
    if magnitude > _LARGEST_FLOAT32:
        where = ""
        if values.ndim == 2:
            j = int(np.nanargmax(_magnitude(values, axis=0)))
            where = f" (in feature {j})" if names is None else f" (in column {str(names[j])!r})"
        raise ValueError(
            "Input X contains infinity or a value too large for dtype('float32'): its largest "
            f"magnitude is {magnitude:g}{where}; rescale the features, or mark such values missing "
            "(NaN)."
        )


def _magnitude(values: NDArray[Any], axis: int | None) -> Any:
    """The largest absolute value; these reductions pass over NaN."""
    return np.fmax(np.fmax.reduce(values, axis=axis), -np.fmin.reduce(values, axis=axis))


class TrainingFeatures(NamedTuple):
    """The features of the samples that a forest is grown on."""

    columns: Any  # column-major float32 or uint8, or SparseSamples
    source: NDArray[Any] | None  # the caller's array, where the core reads that

    @property
    def rows(self) -> Any:
        """The layout to read by samples: the caller's, unless its type is wider than stored."""
        if isinstance(self.columns, SparseSamples):
            return self.columns.native
        if self.source is None or self.source.dtype != self.columns.dtype:
            return self.columns
        return self.source


def as_training_features(
    X: NDArray[Any], kept: NDArray[np.integer[Any]] | None, n_threads: int = 1
) -> TrainingFeatures:
    """Store the samples `kept` (None: all) as the core grows on them, by one copy at most."""
    if issparse(X):
        return TrainingFeatures(SparseSamples(X if kept is None else X[kept], grow=True), None)
    if not _steps_in_elements(X):
        X = X.copy()
    if kept is None and X.dtype in (np.float32, np.uint8) and X.flags.f_contiguous:
        return TrainingFeatures(X, X)
    if kept is None and X.dtype in _COPIED_BY_THE_CORE:
        source = X if X.dtype in _READ_BY_THE_CORE else None
        return TrainingFeatures(np.asarray(_core.to_columns(X, n_threads)), source)
    dtype = np.uint8 if X.dtype == np.uint8 else np.float32
    n_samples = len(X) if kept is None else len(kept)
    columns = np.empty((n_samples, X.shape[1]), dtype=dtype, order="F")
    for j in range(X.shape[1]):
        columns[:, j] = X[:, j] if kept is None else X[kept, j]
    return TrainingFeatures(columns, None)


def as_samples(X: NDArray[Any]) -> Any:
    """The array as float32 or uint8, without a copy where the core reads it as it is."""
    if issparse(X):
        return SparseSamples(X, grow=False).native
    dtype = X.dtype if X.dtype in (np.float32, np.uint8) else np.float32
    return X.astype(dtype, copy=not _steps_in_elements(X))


def _steps_in_elements(X: NDArray[Any]) -> bool:
    """Whether values lie whole elements apart; those of a field of a record array may not."""
    return X.flags.aligned and all(step % X.itemsize == 0 for step in X.strides)


def check_sample_weight(sample_weight: object, X: NDArray[Any]) -> NDArray[np.float64] | None:
    """Require one weight for each sample, none negative, at least one positive; None stays None."""
    if sample_weight is None:
        return None
    n_samples = X.shape[0]
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_samples, float(sample_weight))
    rules = {"ensure_2d": False, "dtype": np.float64, "order": "C"}
    try:
        with np.errstate(invalid="ignore"):  # sums of infinities of both signs
            weight: NDArray[np.float64] = check_array(
                sample_weight, input_name="sample_weight", **rules
            )
    except (TypeError, ValueError, OverflowError) as error:
        if "sample_weight" in str(error):
            raise
        raise ValueError(
            "sample_weight must hold one number for each sample, but it cannot be read as numbers "
            f"({str(error).splitlines()[0]}); convert it to floats."
        ) from error
    if weight.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have one weight for each of the {n_samples} samples, but its "
            f"shape is {weight.shape}; pass a one-dimensional array of that length."
        )
    if (weight < 0).any():
        raise ValueError(
            f"sample_weight must not be negative, but its smallest value is {weight.min():g}; "
            "drop those samples or give them weight zero."
        )
    if not weight.any():
        raise ValueError(
            f"sample_weight must have a positive value, but all {len(weight)} weights are zero; "
            "give the samples that count a positive weight."
        )
    return weight


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn about the user's line: the first on the stack that is in none of these packages.

    scikit-learn wraps methods such as `transform`, and calls `fit` in pipelines and searches.
    """
    packages = ("silvan", "sklearn", "joblib")
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in packages:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
