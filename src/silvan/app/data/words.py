"""Columns of text that were hardly meant as categories: numbers with words or signs, names of rows.

A single word makes a column of numbers text, and each of its numbers would become a category.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from shlex import quote

import pyarrow as pa
import pyarrow.compute as pc

from silvan.app.data.categories import enumerate_texts, parse_number
from silvan.app.errors import DataError

# More categories than this are learnt only from columns that the user names.
MAX_CATEGORIES = 1000
# Up to so many different numbers may be codes, such as ratings, beside which words make sense.
_MAX_CODES = 20
_SIGNS = re.compile(r"[%$€£\s,'\u2019\u00a0]")
_DATE = re.compile(r"\s*(\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|\d{4}[/.]\d{1,2}[/.]\d{1,2})\b")
_SIGNED_SHARE, _MIN_SIGNED = 0.5, 3


def check_words(
    table: pa.Table, path: Path, insisted: Sequence[str] = (), decimal: str | None = "."
) -> list[str]:
    """Refuse columns of text that look like numbers or names of rows; say what is doubtful.

    Columns that the user calls categorical are taken at their word. `decimal` is the sign that
    numbers were read with, or None where the file is no text table and stores numbers as such.
    """
    notes = []
    named = set(insisted)
    for name, column in zip(table.column_names, table.columns, strict=True):
        kind = column.type
        if name in named or not pa.types.is_dictionary(kind) or kind.value_type != pa.string():
            continue
        counts = pc.value_counts(pc.cast(column.drop_null(), pa.string()))
        texts: dict[str, int] = dict(
            zip(*(counts.field(k).to_pylist() for k in (0, 1)), strict=True)
        )
        if decimal == ",":
            _refuse_points(name, list(texts), path)
        note = _check(name, texts, table.num_rows, path, decimal)
        if note:
            notes.append(note)
    return notes


def _refuse_points(name: str, texts: list[str], path: Path) -> None:
    """Refuse numbers with decimal points in a table whose decimal sign is a comma."""
    points = [text for text in texts if "." in text and parse_number(text, None) is not None]
    if len(points) > _MAX_CODES and len(points) >= _SIGNED_SHARE * len(texts):
        option = quote(name)
        raise DataError(
            f"column {name!r} of {path} holds numbers with decimal points, such as {points[0]!r}, "
            "but --decimal , says that they have commas; write all numbers alike, leave the column "
            f"out (--drop {option}), or insist on categories (--categorical {option})."
        )


def _check(
    name: str, texts: dict[str, int], n_rows: int, path: Path, decimal: str | None
) -> str | None:
    numbers = [text for text in texts if parse_number(text, None) is not None]
    words = {text: n for text, n in texts.items() if parse_number(text, None) is None}
    n_words = sum(words.values())
    option = quote(name)
    if words and n_words < sum(texts.values()) / 2:
        found = _enumerate_counts(words)
        remedy = " ".join(f"--missing {quote(word)}" for word in list(words)[:3])
        remedy += " ..." if len(words) > 3 else ""
        n_numbers = sum(texts.values()) - n_words
        said = (
            f"column {name!r} holds numbers in {n_numbers:,} rows and words in {n_words:,}: {found}"
        )
        if decimal is None:
            as_numbers = f"store it in {path} as numbers, with missing values for the words"
        else:
            as_numbers = f"read the words of {path} as missing values ({remedy})"
        if len(numbers) <= _MAX_CODES:
            passed = as_numbers if decimal is None else f"pass {remedy}"
            return f"{said}; {passed} to take it for numbers"
        raise DataError(
            f"{said}; {as_numbers}, leave the column out (--drop {option}), or insist on "
            f"categories (--categorical {option})."
        )
    signed = [word for word in words if parse_number(_SIGNS.sub("", word), None) is not None]
    if len(signed) >= _MIN_SIGNED and len(signed) >= _SIGNED_SHARE * len(texts):
        commas = ", pass --decimal , if commas are decimal points"
        plain = "store it as numbers" if decimal is None else "write plain numbers"
        plain += commas if decimal == "." and "," in signed[0] else ""
        raise DataError(
            f"column {name!r} of {path} holds numbers in a format that is not read, such as "
            f"{signed[0]!r}; {plain}, leave the column out (--drop {option}), or insist on "
            f"categories (--categorical {option})."
        )
    dates = [word for word in words if _DATE.match(word)]
    if len(dates) >= _MIN_SIGNED and len(dates) >= _SIGNED_SHARE * len(texts):
        raise DataError(
            f"column {name!r} of {path} holds dates in a format that is not read, such as "
            f"{dates[0]!r}; write them as 2024-12-31, leave the column out (--drop {option}), or "
            f"insist on categories (--categorical {option})."
        )
    if len(texts) > MAX_CATEGORIES:
        raise DataError(
            f"column {name!r} of {path} has {len(texts):,} different texts in {n_rows:,} rows, and "
            f"no more than {MAX_CATEGORIES:,} are treated as categories by default; leave "
            f"the column out (--drop {option}), or insist on categories (--categorical {option})."
        )
    return None


def _enumerate_counts(words: dict[str, int]) -> str:
    by_count = sorted(words.items(), key=lambda item: -item[1])
    return enumerate_texts([f"{word[:40]!r} ({count:,})" for word, count in by_count], 5)
