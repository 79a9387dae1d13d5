"""The distinct values of a column of any kind of table, and which of them each sample has."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan._validation import is_integer
from silvan.forests.frames import column_label, is_arrow, take_column


def distinct_in(table: Any, j: int) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """The distinct values of a column, numbers or objects, and which of them each sample has.

    Samples with -1 have none. Missing values may be among the distinct ones, or not.
    """
    column = take_column(table, j)
    try:
        if is_arrow(table):
            return _distinct_of_arrow(column)
        if hasattr(column, "factorize"):  # pandas knows how, without a look at every string
            rows, distinct = column.factorize()
            return rows, as_values(np.asarray(distinct))
        return _distinct_of_array(column.to_numpy() if hasattr(column, "to_numpy") else column)
    except (TypeError, NotImplementedError) as error:
        raise ValueError(
            f"{column_label(table, j)} of X cannot be categorical: {error}; pass strings or "
            "numbers."
        ) from error


def _distinct_of_array(column: Any) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """The same of a column of an array."""
    values = as_values(np.asarray(column))
    if values.dtype != object:
        distinct, rows = np.unique(values, return_inverse=True)
        return rows, distinct
    numbers: dict[Any, int] = {}
    rows = np.array([numbers.setdefault(value, len(numbers)) for value in values.tolist()])
    distinct = np.empty(len(numbers), dtype=object)
    distinct[:] = list(numbers)
    return rows, distinct


def _distinct_of_arrow(column: Any) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """The same of a column of pyarrow, which knows how."""
    if str(column.type).startswith("dictionary"):
        # A dictionary may have values twice, and such that no sample has.
        column = column.cast(column.type.value_type)
    encoded = column.combine_chunks().dictionary_encode()
    distinct = encoded.dictionary.to_numpy(zero_copy_only=False)
    return np.asarray(encoded.indices.fill_null(-1), dtype=np.intp), as_values(distinct)


def as_values(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers as they are, all else as objects; numbers that came as objects become numbers."""
    if values.dtype.kind in "biuf":
        return values
    values = _as_objects(values)
    if any(isinstance(value, str) for value in values):
        return values
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        return values
    # Neighbouring integers beyond this are one float64.
    beyond = values[np.abs(numbers) >= 2.0**53]
    return values if any(is_integer(value) for value in beyond) else numbers


def _as_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Objects; dates and times of any unit are those of Python where these are as precise."""
    if values.dtype.kind in "mM":
        precise = values.astype(f"{values.dtype.kind}8[us]")
        lost = (precise != values) & ~np.isnat(values)
        values = values if lost.any() else precise
    return values.astype(object)
