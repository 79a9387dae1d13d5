"""Columns of dates in tables: the types that they are parsed as, and what is said of them."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from silvan.forests.categories import CategoryTable
from silvan.forests.dates import DATE, DURATION, TIME, kind_of_type

DATE_KINDS = (DATE, TIME, DURATION)


def date_kind(kind: pa.DataType) -> str | None:
    """What a column of this type holds: dates, times or durations; None for all else."""
    return None if pa.types.is_dictionary(kind) else kind_of_type(str(kind))


def type_to_parse(kind: str, guessed: pa.DataType) -> pa.DataType:
    """The type that a text table's dates are parsed as, given that of its first rows.

    It holds dates with and without a time; one with a zone or with nanoseconds stays as it is.
    """
    if kind == TIME:
        return pa.time64("us")
    if kind == DURATION:
        return pa.duration("us")
    if pa.types.is_timestamp(guessed) and (guessed.tz is not None or guessed.unit == "ns"):
        return guessed
    return pa.timestamp("us")


def describe_dates(table: pa.Table, columns: CategoryTable | None) -> list[str]:
    """Say which columns are taken for dates, and what is read of them."""
    dates: dict[int, Any] = {} if columns is None else columns.dates
    return [
        f"column {table.column_names[j]!r} is read as a {column.kind}: "
        + ", ".join(part.replace("_", " ") for part in column.parts)
        for j, column in dates.items()
    ]
