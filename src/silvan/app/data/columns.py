"""Columns of tables as features and targets: which types they have, and how they are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from shlex import quote
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from silvan.app.data.categories import as_category, enumerate_names, is_text
from silvan.app.data.dates import DATE_KINDS, type_to_parse
from silvan.app.errors import DataError, UsageError

FEATURE = pa.float32()
TEXT_TYPE = pa.dictionary(pa.int32(), pa.string())
# From here on floats do not tell neighbouring whole numbers apart.
_INEXACT = 2.0**53
_WHOLE = re.compile(r"\s*[+-]?\d+\s*")


def is_number(kind: pa.DataType) -> bool:
    """Whether values of this type can be features as they are."""
    tests = (
        pa.types.is_integer,
        pa.types.is_floating,
        pa.types.is_boolean,
        pa.types.is_decimal,
        pa.types.is_null,
    )
    return any(test(kind) for test in tests)


def can_be_category(kind: pa.DataType) -> bool:
    """Whether values of this type can be told apart as text or numbers: not lists, nor bytes."""
    values = kind.value_type if pa.types.is_dictionary(kind) else kind
    return is_number(values) or is_text(values) or pa.types.is_temporal(values)


def refuse_categories(schema: pa.Schema, names: Iterable[str]) -> None:
    """Refuse columns that are to be categories but cannot be."""
    for name in names:
        kind = schema.field(name).type
        if not can_be_category(kind):
            raise UsageError(
                f"column {name!r} holds {what(kind)}, which cannot be categories; write them as "
                f"text or numbers, or leave the column out (--drop {quote(name)})."
            )


def types_to_parse(
    schema: pa.Schema, names: Sequence[str], kinds: Mapping[str, str | None]
) -> dict[str, pa.DataType]:
    """Types to parse features as; true and false are no numbers to a parser."""
    types = {}
    for name in names:
        guessed, kind = schema.field(name).type, kinds.get(name)
        if kind in DATE_KINDS:
            types[name] = type_to_parse(kind, guessed)
        elif not pa.types.is_boolean(guessed):
            types[name] = TEXT_TYPE if name in kinds else FEATURE
    return types


def refuse_others(schema: pa.Schema, names: Sequence[str], *, on_grid: bool) -> None:
    """Refuse columns that cannot be features as they are."""
    others = [name for name in names if not is_number(schema.field(name).type)]
    if not others:
        return
    several = len(others) > 1
    options = " ".join(f"--drop {quote(name)}" for name in others[:3]) + " ..." * (len(others) > 3)
    remedy = f"leave {'them' if several else 'it'} out ({options})"
    if not on_grid and can_be_category(schema.field(others[0]).type):
        remedy += f", or take each value for a category (--categorical {quote(others[0])})"
    raise UsageError(
        f"column{'s' * several} {enumerate_names(others)} hold{'s' * (not several)} "
        f"{what(schema.field(others[0]).type)}, which cannot be features here; {remedy}."
    )


def what(kind: pa.DataType) -> str:
    """What a column of this type holds, in words."""
    if is_number(kind):
        return "numbers"
    if pa.types.is_temporal(kind):
        return "dates or times"
    return "text" if is_text(kind) else f"values of type {kind}"


def as_features(
    block: pa.RecordBatch, names: frozenset[str], kinds: Mapping[str, str | None]
) -> pa.RecordBatch:
    """The block with the named columns as float32, and dictionaries where they are categories.

    Dates stay what they are.
    """
    columns = []
    for name, column in zip(block.schema.names, block.columns, strict=True):
        if kinds.get(name) in DATE_KINDS:
            pass
        elif name in kinds:
            column = as_category(column, kinds[name])
        elif name in names and column.type != FEATURE:
            if pa.types.is_boolean(column.type):
                column = pc.cast(column, pa.uint8())
            column = pc.cast(column, FEATURE, safe=False)
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, names=block.schema.names)


def as_array(table: pa.Table) -> NDArray[Any]:
    """The rows without their names."""
    if not any(pa.types.is_dictionary(field.type) for field in table.schema):
        return np.asarray(table)
    columns = [np.array(column.to_pylist(), dtype=object) for column in table.columns]
    return np.column_stack(columns)


def as_targets(column: pa.ChunkedArray, name: str) -> NDArray[Any]:
    """Targets as numbers or strings; a row without one cannot be learnt from."""
    if column.null_count:
        raise DataError(
            f"the target {name!r} is missing in {column.null_count:,} of {len(column):,} rows; "
            "remove these rows."
        )
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return np.array(column.to_pylist(), dtype=np.str_)
    if pa.types.is_temporal(column.type):
        raise UsageError(
            f"the target {name!r} holds dates or times; write them as numbers, such as days since "
            "a first one, or choose another --target."
        )
    if not is_number(column.type):
        raise UsageError(
            f"the target {name!r} is of type {column.type}, but targets are numbers or text; "
            "convert it."
        )
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    return np.asarray(column)


def may_be_rounded(y: NDArray[Any]) -> bool:
    """Whether these floats may have been other whole numbers in a text file."""
    return bool(y.dtype.kind == "f" and (np.abs(y) >= _INEXACT).any() and (y >= 0).all())


def whole_numbers(texts: Sequence[str]) -> NDArray[np.uint64] | None:
    """Whole numbers from their digits, if all are and 64 bits hold them.

    >>> whole_numbers(["9223372036854775808", "1"])
    array([9223372036854775808,                   1], dtype=uint64)
    >>> whole_numbers(["1e19", "1"]) is None
    True
    """
    if not all(_WHOLE.fullmatch(text) for text in texts):
        return None
    numbers = [int(text) for text in texts]
    if min(numbers) < 0 or max(numbers) >= 2**64:
        return None
    return np.array(numbers, dtype=np.uint64)
