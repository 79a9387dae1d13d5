"""The categories of a table whose parts were looked at one by one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan.forest_arrays.layout import MAX_CATEGORIES
from silvan.forests.categories import CategoryTable, learn_categories, too_many_categories
from silvan.forests.dates import DateColumn
from silvan.forests.distinct import as_values


def join_categories(tables: Sequence[CategoryTable | None], n_columns: int) -> CategoryTable | None:
    """The categories and dates of a table, from those of its parts."""
    columns: list[NDArray[Any] | DateColumn | None] = []
    for j in range(n_columns):
        found = [table.categories[j] for table in tables if table is not None]
        dates = [column for column in found if isinstance(column, DateColumn)]
        if dates:
            columns.append(reduce(DateColumn.join, dates))
            continue
        known = [values for values in found if isinstance(values, np.ndarray)]
        joined = _join(known) if known else None
        if joined is not None and len(joined) > MAX_CATEGORIES:
            raise too_many_categories(joined, f"column {j}")
        columns.append(joined)
    return CategoryTable(columns) if any(known is not None for known in columns) else None


def _join(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """The categories of a column, from those of its parts."""
    values = np.concatenate([part for part in parts if len(part)] or parts[:1])
    if values.dtype == object:
        distinct = dict.fromkeys(values.tolist())
        values = np.empty(len(distinct), dtype=object)
        values[:] = list(distinct)
        values = as_values(values)
    return learn_categories(values)
