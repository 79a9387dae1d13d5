"""Columns of a text table that hold percentages, such as 12.5 %, and their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from silvan.app.data.dialect import NotANumberError, Spelling

_SIGN = r"\s*%\s*$"


def find_percentages(block: pa.RecordBatch, spelling: Spelling) -> frozenset[str]:
    """Columns of text in which each value is a number, with a percent sign at least once."""
    found = set()
    for name, column in zip(block.schema.names, block.columns, strict=True):
        if not pa.types.is_string(column.type) or not _has_sign(column):
            continue
        numbers = _as_numbers(column.drop_null(), spelling)
        if numbers is not None:
            found.add(name)
    return frozenset(found)


def with_percentages(schema: pa.Schema, names: frozenset[str]) -> pa.Schema:
    """The schema with numbers where percentages are."""
    fields = [
        pa.field(field.name, pa.float64()) if field.name in names else field for field in schema
    ]
    return pa.schema(fields)


def read_percentages(
    block: pa.RecordBatch, names: frozenset[str], spelling: Spelling, path: Path
) -> pa.RecordBatch:
    """The block with the numbers of its percentages: 12.5 % is 12.5."""
    columns = []
    for name, column in zip(block.schema.names, block.columns, strict=True):
        if name in names:
            numbers = _as_numbers(column, spelling)
            if numbers is None:
                raise NotANumberError(_refusal(name, column, spelling, path), name)
            column = numbers
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, names=block.schema.names)


def describe_percentages(names: Sequence[str]) -> list[str]:
    """Say which columns hold percentages."""
    return [f"percentages in {', '.join(map(repr, names))}: 12.5 % is 12.5"] if names else []


def _has_sign(column: Any) -> bool:
    return bool(pc.any(pc.match_substring_regex(column, _SIGN)).as_py())


def _as_numbers(column: Any, spelling: Spelling) -> Any:
    """The numbers of a column of text, or None if some value is none."""
    plain = pc.utf8_trim_whitespace(pc.replace_substring_regex(column, _SIGN, ""))
    if spelling.decimal != ".":
        plain = pc.replace_substring(plain, spelling.decimal, ".")
    try:
        return pc.cast(plain, pa.float64())
    except pa.ArrowInvalid:
        return None


def _refusal(name: str, column: Any, spelling: Spelling, path: Path) -> str:
    values = (text for text in column.to_pylist() if text is not None)
    wrong = next(text for text in values if _as_numbers(pa.array([text]), spelling) is None)
    return (
        f"column {name!r} of {path} holds percentages, but also {wrong[:40]!r}, which is not a "
        "number; correct it, or read it as a missing value (--missing)."
    )
