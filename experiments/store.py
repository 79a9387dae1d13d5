"""Measurements in a CSV file, added as they come, so that a run that stopped goes on later."""

from __future__ import annotations

import csv
import importlib
import io
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from experiments.arguments import Arguments
from silvan._atomic import atomic_path

Cell = dict[str, Any]
Measure = Callable[[Cell], Cell | None]


class Store:
    """Rows of one CSV file; a row is known by its `keys` and holds its `values` beside them."""

    def __init__(self, path: Path, keys: Sequence[str], values: Sequence[str]) -> None:
        self.path = path
        self.keys = tuple(keys)
        self.columns = (*keys, *values)
        self.rows = {self.key(row): row for row in read_rows(path, self.columns)}

    def key(self, row: Cell) -> tuple[str, ...]:
        """What a row is known by, as text."""
        return tuple(str(row[name]) for name in self.keys)

    def add(self, row: Cell) -> None:
        """Add a row to memory and file at once."""
        text = {name: format_value(row[name]) for name in self.columns}
        if not self.path.exists() or not self.path.read_bytes().endswith(b"\n"):
            self.restore()
        with self.path.open("a", newline="", encoding="utf-8") as file:
            csv.DictWriter(file, self.columns).writerow(text)
        self.rows[self.key(row)] = text

    def restore(self) -> None:
        """Begin the file with its header, or drop the line that a killed run left unfinished."""
        whole = read_whole_lines(self.path)
        with (
            atomic_path(self.path) as path,
            path.open("w", newline="", encoding="utf-8") as file,
        ):
            if whole:
                file.write(whole)
            else:
                csv.DictWriter(file, self.columns).writeheader()

    def keep(self, **where: Any) -> None:
        """Forget all rows but those that match; the file keeps them."""
        self.rows = {
            key: row
            for key, row in self.rows.items()
            if all(row[name] == str(value) for name, value in where.items())
        }

    def values(self, name: str, **where: Any) -> list[float]:
        """Values of a column in the rows that match `where`, seed by seed as added."""
        wanted = {key: str(value) for key, value in where.items()}
        return [
            float(row[name])
            for row in self.rows.values()
            if all(row[key] == value for key, value in wanted.items())
        ]

    def mean(self, name: str, **where: Any) -> float:
        """Mean of a column over the rows that match; NaN if there are none."""
        values = self.values(name, **where)
        return float(np.mean(values)) if values else float("nan")

    def distinct(self, name: str, **where: Any) -> list[str]:
        """Distinct entries of a key column in the rows that match, in the order of their coming."""
        wanted = {key: str(value) for key, value in where.items()}
        seen = (
            row[name]
            for row in self.rows.values()
            if all(row[key] == value for key, value in wanted.items())
        )
        return list(dict.fromkeys(seen))


def read_whole_lines(path: Path) -> str:
    """The lines of a file that end; a run that was killed may leave a last one that does not."""
    text = path.read_bytes() if path.exists() else b""
    return text[: text.rfind(b"\n") + 1].decode("utf-8")


def read_rows(path: Path, columns: tuple[str, ...]) -> list[dict[str, str]]:
    """The rows of a CSV file, none if there is no file; it must have these columns."""
    whole = read_whole_lines(path)
    if not whole:
        return []
    reader = csv.DictReader(io.StringIO(whole, newline=""))
    if tuple(reader.fieldnames or ()) != columns:
        raise SystemExit(
            f"{path} must have the columns {', '.join(columns)} but has "
            f"{', '.join(reader.fieldnames or ())}; move it away to measure again."
        )
    rows = []
    for row in reader:
        if None in row or None in row.values():
            raise SystemExit(
                f"{path}, line {reader.line_num}, must have {len(columns)} values but has "
                f"{'more' if None in row else 'fewer'}; delete the line to measure it again."
            )
        rows.append(row)
    return rows


def format_value(value: Any) -> str:
    """Numbers short enough to read and long enough to compare."""
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)


def measure_cells(
    store: Store,
    cells: Iterable[Cell],
    measure: Measure,
    arguments: Arguments,
) -> None:
    """Measure the cells that the store does not hold yet, each with one thread.

    `measure` returns the values of a cell, or None to leave it out. The run ends if neither this
    store nor one before it holds anything, as there is nothing to draw.
    """
    missing = [cell for cell in cells if store.key(cell) not in store.rows]
    if arguments.report:
        print(f"{store.path.name}: {len(missing)} fits are not measured")
    else:
        measure_missing(store, missing, measure, arguments)
    if store.rows:
        arguments.measured.add(store.path)
    if not arguments.measured:
        require_rows(store, arguments)


def measure_missing(
    store: Store,
    missing: Sequence[Cell],
    measure: Measure,
    arguments: Arguments,
) -> None:
    """Measure cells in as many processes as are asked for, and count those that are left out."""
    work = Parallel(n_jobs=arguments.jobs, return_as="generator_unordered")(
        delayed(_measure_alone)(import_again(measure), cell) for cell in missing
    )
    left_out: defaultdict[str, int] = defaultdict(int)
    with tqdm(total=len(missing), desc=store.path.stem, unit="fit") as progress:
        for cell, values in work:
            if values is None:
                left_out[str(cell.get("system", cell))] += 1
            else:
                store.add({**cell, **values})
            progress.update()
    for name, count in left_out.items():
        print(f"left out: {name} ({count} fits), a package it needs is not installed")


def require_rows(store: Store, arguments: Arguments, **where: Any) -> None:
    """Keep the rows that match; end the run with a sentence if there are none."""
    store.keep(**where)
    if store.rows:
        return
    wanted = "".join(f" with {name} = {value}" for name, value in where.items())
    if arguments.report:
        raise SystemExit(
            f"nothing{wanted} is measured yet in {store.path}; run without --report first."
        )
    raise SystemExit(
        f"nothing{wanted} is measured in {store.path}, as none of its fits could be measured; "
        "install what is missing (see experiments/README.md)."
    )


def import_again(function: Measure) -> Measure:
    """The same function of the imported module, where that of `__main__` is given.

    A worker knows nothing of `__main__`: cached functions that are used there cannot be sent to it.
    """
    spec = sys.modules["__main__"].__spec__
    if function.__module__ != "__main__" or spec is None:
        return function
    again: Measure = getattr(importlib.import_module(spec.name), function.__name__)
    return again


def _measure_alone(measure: Measure, cell: Cell) -> tuple[Cell, Cell | None]:
    with threadpool_limits(limits=1):
        return cell, measure(cell)
