"""Columns of categories: dictionaries of text or of numbers, whatever a file has."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from silvan.app.data.dataset import NUMBER, TEXT
from silvan.app.data.dates import DATE_KINDS

# From so many rows on, a category for more than half of them looks like a name of rows.
_ENOUGH_ROWS = 20
# Up to here, all whole numbers are different as float32.
_EXACT = 2.0**24


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type holds categories of its own accord."""
    name = str(kind)
    return name.startswith(("string", "large_string", "dictionary"))


def kind_of_type(kind: pa.DataType) -> str | None:
    """TEXT if categories of this type are text, None if that is to be found out."""
    values = kind.value_type if pa.types.is_dictionary(kind) else kind
    return TEXT if is_text(values) else None


def as_category(column: Any, kind: str | None) -> Any:
    """The column as a dictionary of text or of numbers; None keeps what it is of the two.

    Files differ in how they write categories: 1, 1.0 and "1" are the same one. What is no number
    among numbers is a category that nobody knows.
    """
    if not pa.types.is_dictionary(column.type):
        column = (_as_text(column) if is_text(column.type) else column).dictionary_encode()
    values = column.dictionary
    if kind == TEXT or (kind is None and not _is_number(values.type)):
        values = _as_text(values)
    else:
        values = _as_numbers(values)
    return pa.DictionaryArray.from_arrays(column.indices.cast(pa.int32()), values)


def _decide_kind(column: Any) -> str:
    """Whether all categories of a column are numbers."""
    values = column.dictionary
    if _is_number(values.type):
        return NUMBER
    texts = [text for text in _as_text(values).to_pylist() if text is not None]
    return NUMBER if all(parse_number(text, None) is not None for text in texts) else TEXT


def settle(table: pa.Table, kinds: Mapping[str, str | None]) -> pa.Table:
    """The table with one dictionary for each column of categories, of text or of numbers."""
    columns = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        if name in kinds and kinds[name] not in DATE_KINDS:
            column = column.unify_dictionaries().combine_chunks()
            column = as_category(column, kinds[name] or _decide_kind(column))
        columns.append(column)
    return pa.table(columns, names=table.column_names)


def describe_categories(table: pa.Table) -> list[str]:
    """Say which columns are taken for categories."""
    counts = {
        name: len(pc.unique(column.drop_null()))
        for name, column in zip(table.column_names, table.columns, strict=True)
        if pa.types.is_dictionary(column.type)
    }
    if not counts:
        return []
    shown = [f"{name!r} ({count:,})" for name, count in counts.items()]
    return [f"categories in {enumerate_texts(shown)}"]


def describe_serial(table: pa.Table, numbered: Set[str]) -> list[str]:
    """Say which columns look like names or numbers of rows.

    Those `numbered` hold whole numbers, which count rows if they rise from each row to the next.
    """
    if table.num_rows < _ENOUGH_ROWS:
        return []
    serial = [
        name
        for name, column in zip(table.column_names, table.columns, strict=True)
        if (
            2 * len(pc.unique(column.drop_null())) > table.num_rows
            if pa.types.is_dictionary(column.type)
            else name in numbered and _is_rising(column)
        )
    ]
    if not serial:
        return []
    return [f"{enumerate_names(serial)} may only name the rows, and can be left out with --drop"]


def describe_constants(table: pa.Table) -> list[str]:
    """Say which columns tell no rows apart: those without values, and those of a single one."""
    if table.num_rows < 2:
        return []
    empty, constant = [], []
    for name, column in zip(table.column_names, table.columns, strict=True):
        known = column.drop_null()
        if pa.types.is_floating(column.type):
            known = known.filter(pc.invert(pc.is_nan(known)))
        if len(known) == 0:
            empty.append(name)
        elif len(known) == len(column) and _is_constant(known):
            constant.append(name)
    said = []
    if empty:
        said.append(f"no value in {enumerate_names(empty)}, of no use (--drop)")
    if constant:
        names = enumerate_names(constant)
        said.append(f"the same value in every row of {names}, of no use (--drop)")
    return said


def _is_constant(column: Any) -> bool:
    """Whether all values are equal; most columns show in their first rows that they are not."""
    return all(len(pc.unique(part)) == 1 for part in (column.slice(0, 100), column))


def _is_rising(column: Any) -> bool:
    if column.null_count:
        return False
    values = column.to_numpy()
    steps = np.diff(values)
    # Neighbours among large numbers may be one float.
    exact = np.abs(values[1:]) < _EXACT
    return bool((steps >= 0).all() and (steps[exact] > 0).all() and steps.any())


def spell_out(column: Any) -> Any:
    """The column without a dictionary, which may differ from block to block."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def enumerate_names(names: Sequence[str]) -> str:
    """Names in quotes, the first of many."""
    return enumerate_texts([repr(name) for name in names])


def enumerate_texts(texts: Sequence[str], max_shown: int = 8) -> str:
    """The first of many texts, and how many more there are."""
    text = ", ".join(texts[:max_shown])
    return text + (f" and {len(texts) - max_shown} more" if len(texts) > max_shown else "")


def parse_number(text: str, otherwise: float | None) -> float | None:
    """The number that a text is, if it is one."""
    try:
        return float(text)
    except ValueError:
        return otherwise


def _is_number(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def _as_text(values: Any) -> Any:
    return values if values.type == pa.string() else pc.cast(values, pa.string())


def _as_numbers(values: Any) -> Any:
    if pa.types.is_boolean(values.type):
        values = pc.cast(values, pa.uint8())
    if _is_number(values.type):
        return pc.cast(values, pa.float64(), safe=False)
    texts = _as_text(values).to_pylist()
    numbers = [None if text is None else parse_number(text, math.inf) for text in texts]
    return pa.array(numbers, pa.float64())
