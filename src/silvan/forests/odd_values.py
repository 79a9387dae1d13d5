"""Values that are no numbers where numbers are needed: found by column, and refused."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Any

import numpy as np

from silvan.forests.categories import CategoryTable
from silvan.forests.frames import (
    as_table,
    column_key,
    column_label,
    column_names,
    is_arrow,
    is_missing,
    take_column,
)

# How the names of types begin that hold dates and times: of pandas, polars and pyarrow.
_DATE_TYPES = ("date", "time", "duration", "period")
_DATES = (date, time, timedelta, np.datetime64, np.timedelta64)
_LISTS = (list, tuple, np.ndarray)


def refuse_dates(X: Any, categories: CategoryTable | None) -> None:
    """Refuse dates and times in columns of a data frame that are not categorical."""
    names = column_names(X)
    if names is None:
        return
    types = X.schema.types if is_arrow(X) else list(X.dtypes)
    chosen = set() if categories is None else set(categories.columns)
    for j, (name, kind) in enumerate(zip(names, types, strict=True)):
        text = str(kind).lower()
        if j not in chosen and (
            text.startswith(_DATE_TYPES) or (text == "object" and _begins_with_date(X, j))
        ):
            raise ValueError(
                f"column {name!r} of X holds dates or times ({kind}), which cannot be features; "
                "convert them to numbers, such as days since the first one, leave the column out, "
                "or name it in categorical_features."
            )


def refuse_odd_columns(X: Any, categories: CategoryTable | None) -> None:
    """Refuse text and lists in columns that are not categorical, by name.

    This is for data that could not be converted, since it looks at every value.
    """
    table = as_table(X)
    if table is None:
        return
    chosen = set() if categories is None else set(categories.columns)
    for j in range(table.shape[1]):
        value = None if j in chosen else _first_odd(np.asarray(take_column(table, j)))
        if isinstance(value, str):
            raise ValueError(
                f"{column_label(table, j)} of X holds text, such as {value[:40]!r}, which is no "
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


def _begins_with_date(table: Any, j: int) -> bool:
    values = (value for value in take_column(table, j) if not is_missing(value))
    return isinstance(next(values, None), _DATES)


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
