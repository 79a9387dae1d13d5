"""Measurements in a CSV file, added as they come, so that a run that stopped goes on later."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from experiments.arguments import Arguments

Cell = dict[str, Any]


class Store:
    """Rows of one CSV file; a row is known by its `keys` and holds its `values` beside them."""

    def __init__(self, path: Path, keys: Sequence[str], values: Sequence[str]) -> None:
        self.path = path
        self.keys = tuple(keys)
        self.columns = (*keys, *values)
        self.rows: dict[tuple[str, ...], dict[str, str]] = {}
        if path.exists():
            with path.open(newline="") as file:
                for row in csv.DictReader(file):
                    self.rows[self.key(row)] = row

    def key(self, row: Cell) -> tuple[str, ...]:
        """What a row is known by, as text."""
        return tuple(str(row[name]) for name in self.keys)

    def add(self, row: Cell) -> None:
        """Add a row to memory and file at once."""
        text = {name: format_value(row[name]) for name in self.columns}
        new = not self.path.exists()
        with self.path.open("a", newline="") as file:
            writer = csv.DictWriter(file, self.columns)
            if new:
                writer.writeheader()
            writer.writerow(text)
        self.rows[self.key(row)] = text

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


def format_value(value: Any) -> str:
    """Numbers short enough to read and long enough to compare."""
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)


def measure_cells(
    store: Store,
    cells: Iterable[Cell],
    measure: Callable[[Cell], Cell | None],
    arguments: Arguments,
) -> None:
    """Measure the cells that the store does not hold yet, each with one thread.

    `measure` returns the values of a cell, or None to leave it out.
    """
    missing = [cell for cell in cells if store.key(cell) not in store.rows]
    if arguments.report:
        print(f"{store.path.name}: {len(missing)} fits are not measured")
        return
    work = Parallel(n_jobs=arguments.jobs, return_as="generator_unordered")(
        delayed(_measure_alone)(measure, cell) for cell in missing
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


def _measure_alone(measure: Callable[[Cell], Cell | None], cell: Cell) -> tuple[Cell, Cell | None]:
    with threadpool_limits(limits=1):
        return cell, measure(cell)
