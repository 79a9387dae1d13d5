"""Values that are no numbers where numbers are needed: found by column, and refused."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Any

import numpy as np

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


def refuse_dates(X: Any, categories: CategoryTable | None, *, takes_dates: bool = True) -> None:
    """Refuse dates and times in columns of a data frame that are read as numbers."""
    names = column_names(X)
    if names is None:
        return
    known = [None] * len(names) if categories is None else categories.categories
    for j in date_columns(X):
        # A wrong number of columns is reported later.
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


def refuse_odd_columns(X: Any, categories: CategoryTable | None) -> None:
    """Refuse text and lists in columns that are not categorical, by name.

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
        if isinstance(value, str):
            raise ValueError(
                f"{column_label(table, j)} of X holds text, such as {value[:40]!r}, which is not a "
                "number; name the columns that hold categories in categorical_features, for "
                f"example [{column_key(table, j)}], or leave them out."
            )
        if isinstance(value, list):
            raise ValueError(
                f"{column_label(table, j)} of X holds lists, such as {value!r:.40}, in place "
                "of numbers; make a column of each of their entries, or leave the column out."
            )


def refuse_odd_targets(y: Any) -> None:
    """Refuse targets of a regression that are dates or text."""
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
        except (TypeError, ValueError):
            return value
    return None
