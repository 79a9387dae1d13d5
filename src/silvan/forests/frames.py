"""Tables of any kind, column by column: arrays, and frames of pandas, polars and pyarrow."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing


def as_table(X: Any) -> Any:
    """Something with rows and columns to read one by one, or None if `X` is no such thing."""
    if issparse(X):
        return None
    if not hasattr(X, "shape"):
        try:
            X = np.asarray(X, dtype=object)
        except ValueError:  # rows of different lengths
            return None
    return X if len(X.shape) == 2 and 0 not in X.shape else None


def is_arrow(table: Any) -> bool:
    """Whether this is a table of pyarrow, which need not be installed."""
    return type(table).__module__.partition(".")[0] == "pyarrow"


def column_names(table: Any) -> list[Any] | None:
    """The names of the columns of a data frame or table; None if they have none."""
    if is_arrow(table):
        return list(table.column_names)
    return list(table.columns) if hasattr(table, "columns") and hasattr(table, "dtypes") else None


def column_types(table: Any) -> list[str]:
    """What its library calls the types of the columns of a data frame, in small letters."""
    types = table.schema.types if is_arrow(table) else table.dtypes
    return [str(kind).lower() for kind in types]


def column_key(table: Any, j: int) -> str:
    """The name of a column as code writes it, or its position where it has none."""
    names = column_names(table)
    return str(j) if names is None else repr(names[j])


def column_label(table: Any, j: int) -> str:
    """What a message calls a column."""
    return f"column {column_key(table, j)}"


def take_column(table: Any, j: int) -> Any:
    """One column, of the type that the table keeps it in."""
    return table.column(j) if is_arrow(table) else _safe_indexing(table, j, axis=1)


def is_missing(value: Any) -> bool:
    """Whether the value is None, NaN, or one of the markers of pandas."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA is neither equal nor unequal to itself
        return True
