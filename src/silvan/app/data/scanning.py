"""Tables of any format as streams of record batches."""

from __future__ import annotations

import codecs
import tempfile
import weakref
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.ipc
import pyarrow.parquet

from silvan.app.data.categories import enumerate_names
from silvan.app.data.dialect import BLOCK_BYTES, PLAIN, Spelling, read_dialect, unreadable
from silvan.app.data.excel import read_sheet
from silvan.app.data.percentages import (
    describe_percentages,
    find_percentages,
    read_percentages,
    with_percentages,
)
from silvan.app.errors import DataError, UsageError
from silvan.app.formats import table_format

# Days come first where dots are between the numbers; between slashes nobody knows.
_DATES = ("%d.%m.%Y", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S")


def not_for(path: Path) -> UsageError:
    """The error for options about text where there is none."""
    return UsageError(
        f"--missing, --decimal and --encoding are for text tables, but {path} is not one; leave "
        "them out."
    )


class Scanner:
    """Reads the schema and the blocks of a table."""

    def __init__(self, path: Path, spelling: Spelling = PLAIN) -> None:
        self.path = path
        self._format = table_format(path)
        self._spelling = spelling
        self._dialect = read_dialect(path, spelling.encoding) if self.is_text else None
        self._sheet: pa.Table | None = None
        self._sheet_notes: tuple[str, ...] = ()
        if self._format == "excel":
            self._sheet, self._sheet_notes = read_sheet(path, spelling.nulls)
            spelling = replace(spelling, missing=())
        if self._dialect is None and spelling != PLAIN:
            raise not_for(path)

    @property
    def decimal(self) -> str:
        """The decimal sign that numbers in text are read with."""
        return self._spelling.decimal

    @property
    def is_text(self) -> bool:
        """Whether values are parsed from text."""
        return self._format == "csv"

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know about how the file is read."""
        if self._dialect is None:
            return self._sheet_notes
        return (*self._dialect.notes, *describe_percentages(sorted(self._percentages)))

    def count(self) -> int | None:
        """Number of rows for formats that say it in their headers."""
        if self._sheet is not None:
            return int(self._sheet.num_rows)
        return None if self.is_text else int(self._dataset().count_rows())

    def schema(self) -> pa.Schema:
        """Names and types of all columns; those of text are guessed from the first block."""
        try:
            if self.is_text:
                with self._open_csv({}) as reader:
                    schema = with_percentages(reader.schema, self._percentages)
            elif self._sheet is not None:
                schema = self._sheet.schema
            else:
                schema = self._stored_schema()
        except (pa.ArrowException, OSError, UnicodeError) as error:
            raise self._unreadable(error) from None
        repeated = [name for name, count in Counter(schema.names).items() if count > 1]
        if repeated:
            raise DataError(
                f"{self.path} has several columns named {enumerate_names(repeated)}; rename them."
            )
        return schema

    def blocks(
        self, names: list[str], types: dict[str, pa.DataType], n_rows: int
    ) -> Iterator[pa.RecordBatch]:
        """Blocks of some columns; those of text are parsed as the types given."""
        try:
            if self.is_text:
                yield from self._scan_csv(names, types)
            elif self._sheet is not None:
                yield from self._sheet.select(names).to_batches(max_chunksize=n_rows)
            elif self._format == "parquet":
                yield from self._scan_parquet(names, n_rows)
            else:
                yield from self._scan_arrow(names, n_rows)
        except (pa.ArrowException, OSError, UnicodeError) as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: Exception) -> DataError:
        names = self._dialect.names if self._dialect else ()
        return unreadable(self.path, error, names, self._spelling.decimal)

    def _stored_schema(self) -> pa.Schema:
        """The schema in the header of a file; a data set refuses names that are repeated."""
        if not self.path.is_file():
            return self._dataset().schema
        if self._format == "parquet":
            return pa.parquet.read_schema(self.path)
        with pa.memory_map(str(self.path)) as source:
            return pa.ipc.open_file(source).schema

    def _dataset(self) -> Any:
        return ds.dataset(str(self.path), format=self._format)

    def _scan_csv(
        self, names: list[str], types: dict[str, pa.DataType]
    ) -> Iterator[pa.RecordBatch]:
        """Blocks as they are parsed; a scanner reads ahead of whoever is slower than the parser."""
        # Whoever asks for no numbers gets the text of such a column.
        numbers = {name for name, kind in types.items() if pa.types.is_floating(kind)}
        percentages = self._percentages & numbers
        types = {**types, **dict.fromkeys(percentages, pa.string())}
        with self._open_csv(types, names) as reader:
            for block in reader:
                yield read_percentages(block, percentages, self._spelling, self.path)

    @cached_property
    def _percentages(self) -> frozenset[str]:
        """The columns that hold percentages, by their first rows."""
        try:
            with self._open_csv({}) as reader:
                return find_percentages(reader.read_next_batch(), self._spelling)
        except StopIteration:
            return frozenset()

    def _open_csv(self, types: dict[str, pa.DataType], names: list[str] | None = None) -> Any:
        dialect = self._dialect
        assert dialect is not None
        return pa.csv.open_csv(
            self._decoded or self.path,
            parse_options=pa.csv.ParseOptions(
                delimiter=dialect.separator,
                newlines_in_values=True,  # else a quoted line end between two blocks ends the row
            ),
            read_options=pa.csv.ReadOptions(
                column_names=list(dialect.names),
                skip_rows_after_names=dialect.n_head,
                block_size=BLOCK_BYTES,
                use_threads=False,  # with threads errors do not name the row
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types=types,
                null_values=self._spelling.nulls,
                strings_can_be_null=True,
                decimal_point=self._spelling.decimal,
                timestamp_parsers=[pa.csv.ISO8601, *_DATES],
                include_columns=names,
            ),
        )

    @cached_property
    def _decoded(self) -> Path | None:
        """A temporary copy in UTF-8, or None where the file is in UTF-8 itself.

        The copy is closed: Windows opens no file a second time that is still open to be written.

        PyArrow would decode in Python, in a thread that needs the interpreter lock. A reader that
        is closed early waits for this thread with the lock held, which never ends.
        """
        assert self._dialect is not None
        if self._dialect.encoding == "utf-8":
            return None
        folder = tempfile.TemporaryDirectory(prefix="silvan-", ignore_cleanup_errors=True)
        weakref.finalize(self, folder.cleanup)  # it lives as long as the scanner
        path = Path(folder.name) / "table.csv"
        decoder = codecs.getincrementaldecoder(self._dialect.encoding)()
        with (
            pa.input_stream(str(self.path), compression="detect") as stream,
            path.open("wb") as copy,
        ):
            while block := stream.read(BLOCK_BYTES):
                copy.write(decoder.decode(block).encode())
            copy.write(decoder.decode(b"", final=True).encode())
        return path

    def _scan_parquet(self, names: list[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        """Some rows at a time, page by page; row groups may be larger than memory."""
        with pa.parquet.ParquetFile(self.path, buffer_size=1 << 16, pre_buffer=False) as file:
            for batch in file.iter_batches(n_rows, columns=names, use_threads=False):
                yield batch.select(names)

    def _scan_arrow(self, names: list[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        """One record batch at a time; a scanner reads ahead, and they may be large."""
        schema = self._dataset().schema
        fields = sorted(schema.get_field_index(name) for name in names)
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        with pa.OSFile(str(self.path)) as file:
            reader = pa.ipc.open_file(file, options=options)
            for number in range(reader.num_record_batches):
                batch = reader.get_batch(number).select(names)
                for start in range(0, batch.num_rows, n_rows):
                    yield batch.slice(start, n_rows)
