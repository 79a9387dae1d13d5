"""Sheets of Excel files as tables of Arrow, through pandas."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import pyarrow as pa

from silvan.app.data.dialect import PLAIN
from silvan.app.data.percentages import describe_percentages, find_percentages, read_percentages
from silvan.app.errors import DataError, UsageError


def read_sheet(path: Path, missing: Sequence[str]) -> tuple[pa.Table, tuple[str, ...]]:
    """The first sheet of a file, and what the user should know about it."""
    try:
        import openpyxl  # noqa: F401
        import pandas as pd
    except ImportError as error:
        raise UsageError(
            f"{path} needs pandas and openpyxl to be read ({error}); install silvan[excel], or "
            "save the sheet as CSV."
        ) from None
    try:
        with pd.ExcelFile(path, engine="openpyxl") as book:
            frame = pd.read_excel(book, sheet_name=book.sheet_names[0], na_values=list(missing))
            sheets = list(book.sheet_names)
            empty = _formulas_without_values(path, frame)
    except (ValueError, KeyError, OSError, BadZipFile) as error:
        raise DataError(f"{path} cannot be read as an Excel file: {error}; check it.") from None
    frame = frame.dropna(how="all")
    names = [_name(name, k) for k, name in enumerate(frame.columns, start=1)]
    columns = [_as_arrow(frame.iloc[:, k]) for k in range(len(names))]
    if not columns:
        raise DataError(f"the first sheet of {path} is empty; put the table there.")
    notes = [] if len(sheets) == 1 else [f"sheet {sheets[0]!r}, the first of {len(sheets)}"]
    if empty:
        notes.append(
            f"formulas in {', '.join(map(repr, empty))} have no stored results and count as "
            "missing: open the file in Excel or LibreOffice and save it again"
        )
    table, said = _with_percentages(pa.Table.from_arrays(columns, names=names), path)
    return table, (*notes, *said)


def _with_percentages(table: pa.Table, path: Path) -> tuple[pa.Table, list[str]]:
    """The table with numbers where cells of text are percentages, and which columns these are."""
    blocks = table.combine_chunks().to_batches()
    found = find_percentages(blocks[0], PLAIN) if blocks else frozenset()
    if not found:
        return table, []
    blocks = [read_percentages(block, found, PLAIN, path) for block in blocks]
    said = describe_percentages([name for name in table.column_names if name in found])
    return pa.Table.from_batches(blocks), said


def _formulas_without_values(path: Path, frame: Any) -> list[str]:
    """Columns with formulas whose results the program that wrote the file did not store."""
    gaps = [k for k in range(frame.shape[1]) if frame.iloc[:, k].isna().any()]
    if not gaps:
        return []
    import openpyxl

    book = openpyxl.load_workbook(path, read_only=True)  # formulas themselves, not their results
    try:
        lines = book.worksheets[0].iter_rows(min_row=2, values_only=True)
        # Lines may be longer or shorter than the header.
        cells = [(k, at, line[k]) for at, line in enumerate(lines) for k in gaps if k < len(line)]
    finally:
        book.close()
    missing = frame.isna().to_numpy()
    found = {
        k
        for k, at, cell in cells
        if at < len(missing) and missing[at, k] and str(cell).startswith("=")
    }
    return [_name(frame.columns[k], k + 1) for k in sorted(found)]


def _name(given: Any, number: int) -> str:
    """The name of a column; pandas calls one without a name "Unnamed"."""
    name = str(given).strip()
    return f"c{number}" if not name or name.startswith("Unnamed: ") else name


def _as_arrow(column: Any) -> pa.ChunkedArray:
    """A column; where numbers and words are mixed, all are words."""
    try:
        made = pa.array(column, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        known = zip(column, column.isna(), strict=True)
        texts = [None if missing else str(value) for value, missing in known]
        made = pa.array(texts, pa.string())
    if pa.types.is_large_string(made.type):  # what newer versions of pandas hold text in
        made = made.cast(pa.string())
    return made if isinstance(made, pa.ChunkedArray) else pa.chunked_array([made])
