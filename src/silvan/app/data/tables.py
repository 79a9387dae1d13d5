"""Tables: CSV, Parquet and Arrow files, read as streams of record batches."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.ipc
import pyarrow.parquet
from numpy.typing import NDArray

from silvan.app.data.categories import (
    as_category,
    describe_categories,
    enumerate_names,
    is_text,
    kind_of_type,
    settle,
    spell_out,
)
from silvan.app.data.dataset import Batch, Dataset, Layout, Request, Source, arrange
from silvan.app.errors import DataError, UsageError

_FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".feather": "ipc",
    ".ipc": "ipc",
}
_NULLS = ["", "?", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None"]
# What a name may end in after .csv or .tsv; PyArrow reads through them.
_COMPRESSIONS = (".gz", ".bz2", ".zst", ".lz4")
_BATCH = 65_536
_FEATURE = pa.float32()
_TEXT = pa.dictionary(pa.int32(), pa.string())


def table_format(path: Path) -> str | None:
    """The format of a table by its name; a compressed CSV counts as CSV."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSIONS:
        suffixes = [suffix for suffix in suffixes[-2:-1] if _FORMATS.get(suffix) == "csv"]
    return _FORMATS.get(suffixes[-1]) if suffixes else None


def first_fields(path: Path) -> list[str]:
    """The fields of the first line of a text table."""
    return _split(_first_line(path), _delimiter(_first_line(path)))


def _first_line(path: Path) -> str:
    try:
        with pa.input_stream(str(path), compression="detect") as stream:
            lines = stream.read(1 << 20).decode("utf-8-sig", errors="replace").splitlines()
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from None
    if not lines:
        raise DataError(f"{path} is empty; pass a file with rows.")
    return str(lines[0])


def _delimiter(line: str) -> str:
    """The separator that occurs most often; commas win ties."""
    return max(",;\t|", key=line.count)


def _split(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter), [])


def all_numbers(fields: Sequence[str]) -> bool:
    """Whether each field is a number, as in a file without names of columns."""
    try:
        return len([float(text) for text in fields]) > 0
    except ValueError:
        return False


class TableFile(Source):
    """A table in a file; a row is an item, a column is a feature or the target."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._format = table_format(path)
        self._csv_names: list[str] | None = None
        if self._format == "csv":
            fields = first_fields(path)
            self._separator = _delimiter(_first_line(path))
            if all_numbers(fields):
                self._csv_names = [f"c{number}" for number in range(1, len(fields) + 1)]

    def read(self, request: Request) -> Dataset:
        """All rows; columns other than the target and the dropped ones are features."""
        schema = self._schema()
        target = self._target(schema, request.target)
        self._require(schema, request.drop, "--drop")
        names, kinds = self._features(schema, target, request)
        types = _types_to_parse(schema, names, kinds)
        blocks = [
            _as_features(block, names, kinds)
            for block in self._scan([*names, target], types, _BATCH)
        ]
        table = pa.Table.from_batches(blocks) if blocks else None
        if table is None or table.num_rows == 0:
            raise DataError(f"{self.path} has no rows; pass a file with some.")
        y = _targets(table.column(target), target)
        table = settle(table.select(names), kinds)
        notes = [] if self._csv_names is None else [f"no header: columns are c1 to {names[-1]}"]
        if request.shape is None and request.kind in (None, "table"):
            return Dataset(table, y, "table", target, (*notes, *describe_categories(table)))
        # A shape of a line is a series; the cells of a grid have no use for names.
        shaped = request if request.shape else Request(shape=(len(names),), kind=request.kind)
        return arrange(np.asarray(table), y, shaped, target, notes)

    def batches(self, layout: Layout, n_rows: int) -> Iterator[Batch]:
        """The columns that the forest was fitted on, by name where they have names."""
        schema = self._schema()
        self._require(schema, layout.keep, "--keep")
        names = list(layout.names or self._positional(schema, layout))
        self._check_same(schema, names, kinds := layout.kinds_of(names))
        types = _types_to_parse(schema, names, kinds)
        for block in self._scan(_distinct([*names, *layout.keep]), types, n_rows):
            kept = {name: spell_out(block.column(name)) for name in layout.keep}
            table = pa.Table.from_batches([_as_features(block, names, kinds)]).select(names)
            yield Batch(table if layout.names else _as_array(table), kept)

    def count(self) -> int | None:
        """Known for formats that say it in their headers."""
        return None if self._format == "csv" else int(self._dataset().count_rows())

    def _positional(self, schema: pa.Schema, layout: Layout) -> list[str]:
        """The columns of a forest that was fitted without names.

        These are all that are numbers, and those of text if the forest knows categories.
        """
        wanted = "numbers or text" if layout.kinds else "numbers"
        names = [
            field.name
            for field in schema
            if _is_number(field.type) or (layout.kinds and is_text(field.type))
        ]
        names = [name for name in names if name not in layout.keep]
        if len(names) != layout.n_features:
            raise DataError(
                f"{self.path} has {len(names)} columns of {wanted} but the forest was fitted on "
                f"{layout.n_features} values without names; pass a table with these alone."
            )
        return names

    def _features(
        self, schema: pa.Schema, target: str, request: Request
    ) -> tuple[list[str], dict[str, str | None]]:
        """The columns to learn from, and what the categories of some are; None: not known yet."""
        if request.like is not None and request.like.names is not None:
            known = list(request.like.names)
            self._check_same(schema, known, like := request.like.kinds_of(known))
            return known, {**like}
        names = [name for name in schema.names if name != target and name not in request.drop]
        if not names:
            raise UsageError(f"no column of {self.path} is left as a feature; drop fewer.")
        self._require(schema, request.categorical, "--categorical")
        unused = [name for name in request.categorical if name not in names]
        if unused:
            raise UsageError(f"--categorical {unused[0]!r} is no feature; leave it out.")
        others = [name for name in names if name not in request.categorical]
        text = [name for name in others if is_text(schema.field(name).type)]
        on_grid = request.shape is not None or request.kind not in (None, "table")
        _refuse_others(schema, others if on_grid else [n for n in others if n not in text])
        if on_grid and request.categorical:
            raise UsageError("--categorical is for tables, but rows are said to lie on a grid.")
        chosen = [name for name in names if name in (*text, *request.categorical)]
        return names, {name: kind_of_type(schema.field(name).type) for name in chosen}

    def _check_same(
        self, schema: pa.Schema, names: Sequence[str], kinds: Mapping[str, str | None]
    ) -> None:
        """Require the columns that a forest was fitted on, or is to be."""
        missing = [name for name in names if name not in schema.names]
        if missing:
            raise DataError(
                f"{self.path} lacks {len(missing)} of the {len(names)} columns that the forest was "
                f"fitted on: {enumerate_names(missing)}; pass a table with the same columns."
            )
        numbers = [name for name in names if name not in kinds]
        text = [name for name in numbers if not _is_number(schema.field(name).type)]
        # Of a CSV file the value is reported when it is met.
        if text and self._format != "csv":
            raise DataError(
                f"the forest was fitted on numbers, but {self.path} has text in "
                f"{enumerate_names(text)}; pass a table with the same columns."
            )

    def _dataset(self) -> Any:
        return ds.dataset(str(self.path), format=self._format)

    def _scan_csv(
        self, names: list[str], types: dict[str, pa.DataType]
    ) -> Iterator[pa.RecordBatch]:
        """Blocks as they are parsed; a scanner reads ahead of whoever is slower than the parser."""
        with self._open_csv(types, names) as reader:
            yield from reader

    def _open_csv(self, types: dict[str, pa.DataType], names: list[str] | None = None) -> Any:
        return pa.csv.open_csv(
            self.path,
            parse_options=pa.csv.ParseOptions(delimiter=self._separator),
            read_options=pa.csv.ReadOptions(
                column_names=self._csv_names,
                block_size=4 << 20,
                use_threads=False,  # with threads errors do not name the row
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types=types,
                null_values=_NULLS,
                strings_can_be_null=True,
                include_columns=names,
            ),
        )

    def _schema(self) -> pa.Schema:
        try:
            if self._format == "csv":
                with self._open_csv({}) as reader:
                    schema = reader.schema
            else:
                schema = self._dataset().schema
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(self.path, error) from None
        repeated = _distinct([name for name in schema.names if schema.names.count(name) > 1])
        if repeated:
            raise DataError(
                f"{self.path} has several columns named {enumerate_names(repeated)}; rename them."
            )
        return schema

    def _scan(
        self, names: list[str], types: dict[str, pa.DataType], n_rows: int
    ) -> Iterator[pa.RecordBatch]:
        """Blocks of some columns; those of a CSV file are parsed as the types given."""
        try:
            if self._format == "csv":
                yield from self._scan_csv(names, types)
            elif self._format == "parquet":
                yield from self._scan_parquet(names, n_rows)
            else:
                yield from self._scan_arrow(names, n_rows)
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(self.path, error) from None

    def _scan_parquet(self, names: list[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        """Some rows at a time, page by page; row groups may be larger than memory."""
        with pa.parquet.ParquetFile(self.path, buffer_size=1 << 16, pre_buffer=False) as file:
            for batch in file.iter_batches(n_rows, columns=names, use_threads=False):
                yield batch.select(names)

    def _scan_arrow(self, names: list[str], n_rows: int) -> Iterator[pa.RecordBatch]:
        """One record batch at a time; a scanner reads ahead, and they may be large."""
        fields = sorted(self._schema().get_field_index(name) for name in names)
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        with pa.OSFile(str(self.path)) as file:
            reader = pa.ipc.open_file(file, options=options)
            for number in range(reader.num_record_batches):
                batch = reader.get_batch(number).select(names)
                for start in range(0, batch.num_rows, n_rows):
                    yield batch.slice(start, n_rows)

    def _target(self, schema: pa.Schema, target: str | None) -> str:
        if target is None:
            raise UsageError(
                f"which column of {self.path} is to be predicted? Name it with --target; the "
                f"columns are {enumerate_names(schema.names)}."
            )
        self._require(schema, [target], "--target")
        return target

    def _require(self, schema: pa.Schema, names: Sequence[str], option: str) -> None:
        for name in names:
            if name not in schema.names:
                close = get_close_matches(name, schema.names, n=1)
                hint = f"do you mean {close[0]!r}?" if close else ""
                raise UsageError(
                    f"{option} {name!r} is not a column of {self.path}; {hint} Its columns are "
                    f"{enumerate_names(schema.names)}.".replace(";  ", "; ")
                )


def _unreadable(path: Path, error: Exception) -> DataError:
    text = str(error).splitlines()[0].rpartition("Invalid: ")[2].rstrip(".")
    hint = "check the file"
    if "conversion error" in text:
        hint = (
            "mend the value, or leave its column out or take it for categories (fit has --drop and "
            "--categorical)"
        )
    return DataError(f"{path} cannot be read: {text}; {hint}.")


def _is_number(kind: pa.DataType) -> bool:
    tests = (
        pa.types.is_integer,
        pa.types.is_floating,
        pa.types.is_boolean,
        pa.types.is_decimal,
        pa.types.is_null,
    )
    return any(test(kind) for test in tests)


def _types_to_parse(
    schema: pa.Schema, names: Sequence[str], kinds: Mapping[str, str | None]
) -> dict[str, pa.DataType]:
    """Types to parse features as; true and false are no numbers to a parser."""
    return {
        name: _TEXT if name in kinds else _FEATURE
        for name in names
        if not pa.types.is_boolean(schema.field(name).type)
    }


def _refuse_others(schema: pa.Schema, names: Sequence[str]) -> None:
    """Refuse columns that cannot be features as they are."""
    others = [name for name in names if not _is_number(schema.field(name).type)]
    if others:
        kind = schema.field(others[0]).type
        options = " ".join(f"--drop {name!r}" for name in others[:3])
        more = " ..." if len(others) > 3 else ""
        raise UsageError(
            f"features must be numbers here, but {enumerate_names(others)} "
            f"{'is' if len(others) == 1 else 'are'} not ({kind}); leave out ({options}{more}) what "
            "is no number, or take it for categories of a table (--categorical)."
        )


def _as_array(table: pa.Table) -> NDArray[Any]:
    """The rows without their names."""
    if not any(pa.types.is_dictionary(field.type) for field in table.schema):
        return np.asarray(table)
    columns = [np.array(column.to_pylist(), dtype=object) for column in table.columns]
    return np.column_stack(columns)


def _as_features(
    block: pa.RecordBatch, names: Sequence[str], kinds: Mapping[str, str | None]
) -> pa.RecordBatch:
    """The block with the named columns as float32, and dictionaries where they are categories."""
    columns = []
    for name, column in zip(block.schema.names, block.columns, strict=True):
        if name in kinds:
            column = as_category(column, kinds[name])
        elif name in names and column.type != _FEATURE:
            if pa.types.is_boolean(column.type):
                column = pc.cast(column, pa.uint8())
            column = pc.cast(column, _FEATURE, safe=False)
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, names=block.schema.names)


def _targets(column: pa.ChunkedArray, name: str) -> NDArray[Any]:
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
    if not _is_number(column.type):
        raise UsageError(
            f"the target {name!r} is of type {column.type}; targets are numbers or text."
        )
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    return np.asarray(column)


def _distinct(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(names))
