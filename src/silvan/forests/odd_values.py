"""Values that are no numbers where numbers are needed: found by column, and refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, time, timedelta
from typing import Any

import numpy as np
from scipy.sparse import issparse

from silvan._sparse import points_within
from silvan._validation import check_unmasked
from silvan.forests.categories import CategoryTable
from silvan.forests.dates import date_columns
from silvan.forests.frames import (
    as_table,
    column_key,
    column_label,
    column_names,
    column_types,
    is_missing,
    take_column,
)

_DATES = (date, time, timedelta, np.datetime64, np.timedelta64)
_LISTS = (list, tuple, np.ndarray)


def admit_samples(X: Any) -> Any:
    """Samples that can be looked at: refuse masks, broken sparse arrays and repeated names.

    An object that only offers `__array__` becomes an array: scikit-learn counts its features so.
    """
    check_unmasked("X", X)
    if issparse(X):
        if not points_within(X):
            raise ValueError(
                "X is a sparse array whose indices do not lie within its shape; make it anew from "
                "rows, columns and values."
            )
        return X
    names = column_names(X)
    if names is not None and len(set(names)) < len(names):
        name = next(name for name in names if names.count(name) > 1)
        raise ValueError(
            f"the columns of X must have different names, but {names.count(name)} are called "
            f"{name!r}; rename or drop them."
        )
    return np.asarray(X) if hasattr(X, "__array__") and not hasattr(X, "shape") else X


def refuse_dates(X: Any, categories: CategoryTable | None, *, takes_dates: bool = True) -> None:
    """Refuse dates and times in columns of a data frame that are read as numbers."""
    names = column_names(X)
    if names is None:
        return
    known = [None] * len(names) if categories is None else categories.categories
    for j in date_columns(X) if len(X) else ():
        # A wrong number of columns, or of samples, is reported later.
        if j < len(known) and known[j] is None:
            kind = column_types(X)[j]
            remedy = (
                "the forest was fitted on numbers there; pass the column as it was in fit."
                if takes_dates
                else "cells of a grid are numbers; convert them, such as to days since the first "
                "one, or use a forest that is not on a grid."
            )
            raise ValueError(
                f"column {names[j]!r} of X holds dates or times ({kind}), but {remedy}"
            )


def refuse_odd_columns(
    X: Any, categories: CategoryTable | None, *, takes_categories: bool = True
) -> None:
    """Refuse what is no number in columns that are not categorical, by name.

    This is for data that could not be converted, since it looks at every value.
    """
    table = as_table(X)
    if table is None:
        return
    known = [None] * table.shape[1] if categories is None else categories.categories
    if len(known) != table.shape[1]:  # the error that brought us here says so
        return
    for j in range(table.shape[1]):
        value = None if known[j] is not None else _first_odd(np.asarray(take_column(table, j)))
        if value is None:
            continue
        label = f"{column_label(table, j)} of X"
        if isinstance(value, int):
            raise ValueError(
                f"{label} holds {_shorten(value)}, which is beyond the range of float32; rescale "
                "the column, or leave it out."
            )
        if isinstance(value, str) and takes_categories:
            raise ValueError(
                f"{label} holds text, such as {value[:40]!r}, which is not a "
                "number; name the columns that hold categories in categorical_features, for "
                f"example [{column_key(table, j)}], or leave them out."
            )
        if isinstance(value, list):
            raise ValueError(
                f"{label} holds lists, such as {_shorten(value)}, in place "
                "of numbers; make a column of each of their entries, or leave the column out."
            )
        if column_names(table) is not None:  # of an array, the error that brought us here says it
            raise ValueError(
                f"{label} holds {_shorten(value)}, which is not a number; convert the column to "
                "numbers, or leave it out."
            )


@contextmanager
def named_columns(X: Any) -> Iterator[None]:
    """Errors about samples that could not be converted to numbers name the column."""
    try:
        yield
    except (TypeError, ValueError, OverflowError):
        refuse_odd_columns(X, None, takes_categories=False)
        raise


def refuse_odd_targets(y: Any) -> None:
    """Refuse targets of a regression that are no numbers."""
    targets = np.asarray(y)
    value = _first_odd(targets.ravel())
    if targets.dtype.kind in "mM" or isinstance(value, _DATES):
        raise ValueError(
            f"y must hold numbers, but it holds dates or times, such as {targets.ravel()[0]!s}; "
            "convert them to numbers, such as days since the first one."
        )
    if isinstance(value, str):
        raise ValueError(
            f"y must hold numbers, but it has the text {value[:40]!r}; convert it to numbers, or "
            "pass it to a classifier."
        )
    if value is not None:
        raise ValueError(
            f"y must hold numbers, but it has {_shorten(value)}; convert it to numbers."
        )


def refuse_odd_shapes(y: Any) -> None:
    """Refuse targets that are sparse, of different lengths, or of too many dimensions."""
    if issparse(y):
        raise ValueError(
            "y must be dense, but it is sparse: sparse multilabel-indicator for y is not "
            "supported; pass y.toarray()."
        )
    try:
        shape = np.asarray(y).shape
    except ValueError as error:
        raise ValueError(
            "y must have as many entries for every sample, but they differ in number; pass one "
            "target for each sample, or a table with a column for each output."
        ) from error
    if len(shape) > 2:
        raise ValueError(
            f"y must have one dimension, or two for several outputs, but its shape is {shape}; "
            "pass one target for each sample."
        )


def refuse_missing_labels(y: Any) -> None:
    """Refuse a list of text labels with NaN or None, which NumPy would turn into text."""
    if isinstance(y, list | tuple) and np.asarray(y).dtype.kind == "U":
        refuse_missing_targets(y)


def refuse_missing_targets(*targets: Any) -> None:
    """Refuse targets of which some are missing, and count these.

    This is for targets that were found wrong already, since it looks at every value.
    """
    values = [value for part in targets for value in np.asarray(part, object).ravel().tolist()]
    n_missing = sum(map(is_missing, values))
    if n_missing:
        raise ValueError(
            f"Input y contains NaN or None: {n_missing} of {len(values)} targets are missing; "
            "leave out these samples, such as with X[y.notna()] and y[y.notna()]."
        )


def refuse_several_outputs(name: str, y: Any) -> None:
    """Refuse targets of several outputs for an estimator of this name that learns one."""
    shape = np.asarray(y).shape
    if len(shape) == 2 and shape[1] > 1:
        raise ValueError(
            f"y must have one output in a {name}, but its shape is {shape}; fit one for each "
            "output with sklearn.multioutput.MultiOutputClassifier, or use a ForestClassifier, "
            "which takes several outputs."
        )


def _first_odd(values: Any) -> Any:
    """The first of the values that is no number and not missing either, or None."""
    if values.dtype.kind in "biufc":
        return None
    for value in values.tolist():
        if isinstance(value, _LISTS):
            return list(value.tolist() if isinstance(value, np.ndarray) else value)
        try:
            if not is_missing(value):
                float(value)
        except (TypeError, ValueError, OverflowError):
            return value
    return None


def _shorten(value: Any) -> str:
    return f"a number of {value.bit_length()} bits" if isinstance(value, int) else f"{value!r:.40}"
