"""Tables: which columns are features and which is the target, in files of any table format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from silvan.app.data.categories import (
    describe_categories,
    describe_constants,
    describe_serial,
    enumerate_names,
    is_text,
    kind_of_type,
    parse_number,
    settle,
    spell_out,
)
from silvan.app.data.columns import (
    TEXT_TYPE,
    as_array,
    as_features,
    as_targets,
    is_number,
    may_be_rounded,
    refuse_categories,
    refuse_others,
    types_to_parse,
    what,
    whole_numbers,
)
from silvan.app.data.dataset import Batch, Dataset, Layout, Request, Source, arrange
from silvan.app.data.dates import DATE_KINDS, date_kind, describe_dates
from silvan.app.data.dialect import PLAIN, NotANumberError, Spelling
from silvan.app.data.scanning import Scanner
from silvan.app.data.words import check_words
from silvan.app.errors import DataError, UsageError
from silvan.app.names import suggest
from silvan.forests.dates import DATE

_BATCH = 65_536


class TableFile(Source):
    """A table in a file; a row is an item, a column is a feature or the target."""

    def __init__(self, path: Path, spelling: Spelling = PLAIN) -> None:
        super().__init__(path)
        self._scanner = Scanner(path, spelling)

    def read(self, request: Request) -> Dataset:
        """All rows; columns other than the target and the dropped ones are features."""
        schema = self._scanner.schema()
        target, names, kinds = self.columns(request)
        try:
            types = types_to_parse(schema, names, kinds)
            if pa.types.is_floating(schema.field(target).type):
                types[target] = pa.float64()
            table = self._load([*names, target], types, kinds)
        except NotANumberError as error:
            if request.like is None and error.column in names and error.column not in kinds:
                check_words(self._load_text(error.column), self.path)  # tells more
            raise
        y = as_targets(table.column(target), target)
        if self._scanner.is_text and may_be_rounded(y):
            exact = whole_numbers(self._load_text(target).column(0).to_pylist())
            y = y if exact is None else exact
        table = settle(table.select(names), kinds)
        notes = list(self._scanner.notes)
        if request.like is None:
            decimal = self._scanner.decimal if self._scanner.is_text else None
            notes += check_words(table, self.path, insisted=request.categorical, decimal=decimal)
        if not request.on_grid:
            booleans = [name for name in names if pa.types.is_boolean(schema.field(name).type)]
            read = Dataset(table, y, "table", target, booleans=frozenset(booleans))
            numbered = {name for name in names if pa.types.is_integer(schema.field(name).type)}
            said = describe_categories(table)
            if request.like is None:
                said += [*describe_serial(table, numbered), *describe_constants(table)]
            return replace(read, notes=(*notes, *said, *describe_dates(table, read.columns)))
        # A shape of a line is a series; the cells of a grid have no use for names.
        shaped = request if request.grid else Request(shape=(len(names),), kind=request.kind)
        return arrange(np.asarray(table), y, shaped, target, notes)

    def columns(self, request: Request) -> tuple[str, list[str], dict[str, str | None]]:
        """The target, the features, and what the categories of some of these are."""
        schema = self._scanner.schema()
        known = None if request.like is None else request.like.target
        target = self._target(schema, request.target or known)
        self._require(schema, request.drop, "--drop")
        if target in request.drop:
            raise UsageError(
                f"--drop {target!r} is the target, which is not a feature; leave it out."
            )
        names, kinds = self._features(schema, target, request)
        if target in names:
            raise UsageError(
                f"--target {target!r} is a feature of the forest, not what it predicts; name the "
                "column that it was to predict."
            )
        return target, names, kinds

    def batches(self, layout: Layout, n_rows: int) -> Iterator[Batch]:
        """The columns that the forest was fitted on, by name where they have names."""
        schema = self._scanner.schema()
        self._require(schema, layout.keep, "--keep")
        names = list(layout.names or self._positional(schema, layout))
        self._check_same(schema, names, kinds := layout.kinds_of(names))
        types, wanted = types_to_parse(schema, names, kinds), frozenset(names)
        for block in self._scanner.blocks(_distinct([*names, *layout.keep]), types, n_rows):
            kept = {name: spell_out(block.column(name)) for name in layout.keep}
            table = pa.Table.from_batches([as_features(block, wanted, kinds)]).select(names)
            yield Batch(table if layout.names else as_array(table), kept)

    def count(self) -> int | None:
        """Known for formats that say it in their headers."""
        return self._scanner.count()

    def _load(
        self, names: list[str], types: dict[str, pa.DataType], kinds: Mapping[str, str | None]
    ) -> pa.Table:
        """All rows of some columns; those that have types to parse are features."""
        wanted = frozenset(names[:-1])
        blocks = [
            as_features(block, wanted, kinds)
            for block in self._scanner.blocks(names, types, _BATCH)
        ]
        if not any(block.num_rows for block in blocks):
            raise DataError(f"{self.path} has no rows; pass a file with some.")
        return pa.Table.from_batches(blocks)

    def _load_text(self, name: str) -> pa.Table:
        """One column of a text table as it is written."""
        blocks = self._scanner.blocks([name], {name: TEXT_TYPE}, _BATCH)
        return pa.Table.from_batches(list(blocks)).unify_dictionaries().combine_chunks()

    def _positional(self, schema: pa.Schema, layout: Layout) -> list[str]:
        """The columns of a forest that was fitted without names.

        These are all that are numbers, and those of text if the forest knows categories.
        """
        wanted = "numbers or text" if layout.kinds else "numbers"
        names = [
            field.name
            for field in schema
            if is_number(field.type) or (layout.kinds and is_text(field.type))
        ]
        names = [name for name in names if name not in layout.keep]
        if len(names) != layout.n_features:
            raise DataError(
                f"{self.path} has {len(names)} columns of {wanted} but the forest was fitted on "
                f"{layout.n_features} values without names; pass a table with these alone, or name "
                "the others in --keep."
            )
        return names

    def _features(
        self, schema: pa.Schema, target: str, request: Request
    ) -> tuple[list[str], dict[str, str | None]]:
        """The columns to learn from, and what some are that are no numbers; None: not known yet."""
        if request.like is not None and request.like.names is not None:
            known = list(request.like.names)
            self._check_same(schema, known, like := request.like.kinds_of(known))
            return known, {**like}
        left_out = {target, *request.drop}
        names = [name for name in schema.names if name not in left_out]
        if request.like is not None and not request.like.kinds:
            # Cells of a grid have no names; as in `batches`, they are the columns of numbers.
            names = [name for name in names if is_number(schema.field(name).type)]
        if not names:
            raise UsageError(
                f"no column of {self.path} is left as a feature; drop fewer, or pass a table with "
                f"other columns than {target!r}."
            )
        self._require(schema, request.categorical, "--categorical")
        unused = [name for name in request.categorical if name in left_out]
        if unused:
            raise UsageError(f"--categorical {unused[0]!r} is not a feature; leave it out.")
        named = set(request.categorical)
        others = [name for name in names if name not in named]
        text = {name for name in others if is_text(schema.field(name).type)}
        dates = {name: date_kind(schema.field(name).type) for name in others}
        on_grid = request.on_grid
        checked = others if on_grid else [n for n in others if n not in text and not dates[n]]
        refuse_others(schema, checked, on_grid=on_grid)
        if on_grid and request.categorical:
            raise UsageError("--categorical is for tables, but the rows lie on a grid.")
        chosen = [name for name in names if name in text or name in named]
        refuse_categories(schema, chosen)
        kinds = {name: kind_of_type(schema.field(name).type) for name in chosen}
        return names, {**kinds, **{name: kind for name, kind in dates.items() if kind}}

    def _check_same(
        self, schema: pa.Schema, names: Sequence[str], kinds: Mapping[str, str | None]
    ) -> None:
        """Require the columns that a forest was fitted on, or is to be."""
        given = set(schema.names)
        missing = [name for name in names if name not in given]
        if missing:
            raise DataError(
                f"{self.path} lacks {len(missing)} of the {len(names)} columns that the forest was "
                f"fitted on: {enumerate_names(missing)}; pass a table with the same columns."
            )
        refuse_categories(schema, [name for name in kinds if kinds[name] not in DATE_KINDS])
        # Of a text table the value is reported when it is met.
        if not self._scanner.is_text:
            self._check_dates(schema, kinds)
        numbers = [name for name in names if name not in kinds]
        text = [name for name in numbers if not is_number(schema.field(name).type)]
        if text and not self._scanner.is_text:
            raise DataError(
                f"the forest was fitted on numbers, but {self.path} has text in "
                f"{enumerate_names(text)}; pass a table with the same columns."
            )

    def _check_dates(self, schema: pa.Schema, kinds: Mapping[str, str | None]) -> None:
        """Require dates where a forest was fitted on dates."""
        for name, kind in kinds.items():
            given = schema.field(name).type
            if kind not in DATE_KINDS or date_kind(given) == kind or pa.types.is_null(given):
                continue
            raise DataError(
                f"the forest was fitted on {kind}s in {name!r}, but {self.path} has {what(given)} "
                "there; write them as they were written for fit, for example "
                f"{'2024-12-31' if kind == DATE else '14:30:00'}."
            )

    def _target(self, schema: pa.Schema, target: str | None) -> str:
        if target is None:
            raise UsageError(
                f"which column of {self.path} is to be predicted? Name it with --target; the "
                f"columns are {enumerate_names(schema.names)}."
            )
        self._require(schema, [target], "--target")
        return target

    def _require(self, schema: pa.Schema, names: Sequence[str], option: str) -> None:
        given = set(schema.names)
        for name in names:
            if name not in given:
                raise UsageError(
                    f"{option} {name!r} is not a column of {self.path}"
                    f"{suggest(name, schema.names)}; its columns are "
                    f"{enumerate_names(schema.names)}{self._about_header(schema)}."
                )

    def _about_header(self, schema: pa.Schema) -> str:
        """Where names come from, if some are numbers: a text table may lack a line of names."""
        numbers = [name for name in schema.names if parse_number(name, None) is not None]
        if not (numbers and self._scanner.is_text):
            return ""
        return " (its first line is read as their names; put a line of names above it if it is not)"


def _distinct(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(names))
