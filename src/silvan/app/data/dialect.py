"""How a text table is written: its encoding, separator and names of columns."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

import pyarrow as pa

from silvan.app.errors import DataError, UsageError

# PyArrow parses blocks of this size, and a row must fit into one; so must the header here.
BLOCK_BYTES = 4 << 20
_WORDS = ("", "?", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None")
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_CONVERSION = re.compile(
    r"In CSV column #(\d+): (?:Row #(\d+): )?CSV conversion error to (\w+)[^:]*: "
    r"invalid value '(.*)'",
    re.DOTALL,
)
_RAGGED = re.compile(r"(?:Row #(\d+): )?Expected (\d+) columns?, got (\d+)")


@dataclass(frozen=True)
class Spelling:
    """How the user says that a text table writes missing values, decimals and letters."""

    missing: tuple[str, ...] = ()
    decimal: str = "."
    encoding: str | None = None  # None: found out

    def __post_init__(self) -> None:
        if self.encoding is not None:
            _check_encoding(self.encoding)
        if self.decimal not in (".", ","):
            raise UsageError(f"--decimal must be . or a comma, but it is {self.decimal!r}.")

    @property
    def nulls(self) -> list[str]:
        """Words for missing values; PyArrow does not strip the space that often follows a comma."""
        words = (*_WORDS, *self.missing)
        return list(dict.fromkeys([*words, *(f" {word}" for word in words)]))


PLAIN = Spelling()


class NotANumberError(DataError):
    """A value of a text table that is not what its column was taken for."""

    def __init__(self, message: str, column: str) -> None:
        super().__init__(message)
        self.column = column


@dataclass(frozen=True)
class Dialect:
    """What the beginning of a text table shows."""

    separator: str
    encoding: str
    names: tuple[str, ...]
    n_head: int  # lines before the first row
    notes: tuple[str, ...] = ()


def read_dialect(path: Path, encoding: str | None = None) -> Dialect:
    """Find out how a text table is written, if need be in which encoding."""
    try:
        with pa.input_stream(str(path), compression="detect") as stream:
            head = stream.read(BLOCK_BYTES)
    except (pa.ArrowException, OSError) as error:
        raise unreadable(path, error) from None
    told = encoding is not None
    encoding, text = _decode(path, head) if encoding is None else _decode_as(path, head, encoding)
    if not text.strip():
        raise DataError(f"{path} is empty; pass a file with rows.")
    n_blank, fields, separator = _first_record(path, text, cut=len(head) == BLOCK_BYTES)
    notes = []
    if not told and encoding not in ("utf-8", "utf-16"):
        notes.append(f"not in UTF-8, so read as {encoding} (--encoding names another)")
    if all_numbers(fields):
        names = [f"c{number}" for number in range(1, len(fields) + 1)]
        notes.append(f"no header: columns are c1 to {names[-1]}")
        return Dialect(separator, encoding, tuple(names), 0, tuple(notes))
    names = [name.strip() or f"c{k}" for k, name in enumerate(fields, start=1)]
    nameless = [name for name, given in zip(names, fields, strict=True) if not given.strip()]
    if nameless:
        notes.append(f"columns without a name are called {', '.join(nameless[:5])}")
    return Dialect(separator, encoding, tuple(names), n_blank + 1, tuple(notes))


def all_numbers(fields: Sequence[str]) -> bool:
    """Whether each field is a number, as in a file without names of columns."""
    try:
        return len([float(text) for text in fields]) > 0
    except ValueError:
        return False


def unreadable(
    path: Path, error: Exception, names: Sequence[str] = (), decimal: str = "."
) -> DataError:
    """The error of a parser in one sentence: column, reason, remedy.

    `decimal` is the sign that the parser took for the decimal one.
    """
    text = str(error).rpartition("Invalid: ")[2].strip().rstrip(".")
    ragged = _RAGGED.search(text)
    if ragged:
        row, expected, given = ragged.groups()
        where = f"row {int(row):,}" if row else "a row"
        return DataError(
            f"{where} of {path} has {given} fields, but the first has {expected}; check the "
            "separators and quotes of that row."
        )
    conversion = _CONVERSION.search(text)
    if conversion:
        column, row, kind, value = conversion.groups()
        name = names[int(column)]
        words = {"bool": "neither true nor false", "timestamp": "not a date such as 2024-12-31"}
        words["time64"] = "not a time such as 14:30:00"
        what = words.get(kind, "not a number")
        other = "," if decimal == "." else "."
        remedy = (
            f"correct it, read it as a missing value (--missing {quote(value)}), or fit without "
            "the column (--drop) or with categories (--categorical)"
        )
        if kind not in words and all_numbers([value.replace(other, ".")]):
            what = f"not a number with {decimal!r} as the decimal sign"
            remedy = f"pass --decimal {other} if that is the sign of this table"
        return NotANumberError(
            f"column {name!r} of {path} has {_shorten(value)} in row {int(row or 0):,}, which is "
            f"{what}; {remedy}.",
            name,
        )
    if "straddling" in text:
        return DataError(
            f"a row of {path} is longer than {BLOCK_BYTES >> 20} MiB; look for a quote that is "
            "never closed."
        )
    if isinstance(error, UnicodeError) or "UTF8" in text:
        return DataError(
            f"{path} has bytes that are not text in its encoding; name it with --encoding, or save "
            "the table as CSV in UTF-8."
        )
    return DataError(f"{path} cannot be read: {text.splitlines()[0]}; check the file.")


def _shorten(value: str) -> str:
    return repr(value if len(value) <= 40 else value[:37] + "...")


def _check_encoding(name: str) -> None:
    try:
        is_text = codecs.lookup(name)._is_text_encoding
    except (LookupError, ValueError):
        is_text = False
    if not is_text:
        raise UsageError(
            f"--encoding {name!r} is not an encoding that Python knows; pass for example utf-8, "
            "latin-1, cp1252, utf-16 or shift_jis."
        )


def _decode_as(path: Path, head: bytes, encoding: str) -> tuple[str, str]:
    """The same in an encoding that the user named."""
    name = codecs.lookup(encoding).name
    try:
        text = codecs.getincrementaldecoder(name)().decode(head)
    except UnicodeError as error:
        start = getattr(error, "start", None)
        why = str(error) if start is None else f"byte {start:,} is none of its characters"
        raise DataError(
            f"{path} is not in the encoding {encoding} ({why}); name another with --encoding, or "
            "leave it out."
        ) from None
    # PyArrow skips a byte order mark itself.
    return name, text.removeprefix("\ufeff")


def _decode(path: Path, head: bytes) -> tuple[str, str]:
    """The encoding of a file, and its beginning as text."""
    if head.startswith(_UTF_16):
        text = codecs.getincrementaldecoder("utf-16")("replace").decode(head)
        encoding = "utf-16"
    else:
        encoding = "utf-8"
        try:
            # The end may lie within a character.
            text = codecs.getincrementaldecoder("utf-8-sig")().decode(head)
        except UnicodeDecodeError:
            encoding = "Windows-1252"
            text = head.decode(encoding, errors="replace")
    if "\0" in text:
        raise DataError(
            f"{path} has NUL bytes, so it is not a text table; save it as CSV in UTF-8."
        )
    return encoding, text


def _first_record(path: Path, text: str, *, cut: bool) -> tuple[int, list[str], str]:
    """Number of blank lines, and then the fields of the first record with their separator.

    The separator is the one that makes the most fields; commas win ties.
    """
    best: tuple[int, list[str], str] = (0, [], ",")
    for separator in ",;\t|":
        stream = io.StringIO(text, newline="")
        n_blank, fields = 0, []
        try:
            for fields in csv.reader(stream, delimiter=separator):
                if fields:
                    break
                n_blank += 1
        except csv.Error:  # a field is too long, perhaps since this is not the separator
            continue
        if cut and stream.tell() == len(text):
            raise DataError(
                f"the first line of {path} does not end within {BLOCK_BYTES >> 20} MiB; look for a "
                "quote that is never closed."
            )
        if len(fields) > len(best[1]):
            best = (n_blank, fields, separator)
    if not best[1]:
        raise DataError(
            f"the first line of {path} has a field of more than {csv.field_size_limit():,} "
            "characters; pass a table with a line of column names."
        )
    return best
