"""The UCI sets of the thesis' tables: rows, folds, and what the table says of each."""

from __future__ import annotations

import csv
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.data import Split

# What the index says of each set, by its name.
Index = dict[str, dict[str, str]]
QUICK = ("iris", "wine", "statlog_vehicle")


class UciSet(NamedTuple):
    """Rows with their classes and folds, and test rows where UCI has a file of them."""

    X: NDArray[np.float32]
    y: NDArray[Any]
    fold: NDArray[Any]
    X_test: NDArray[np.float32]
    y_test: NDArray[Any]

    def split(self, *folds: int) -> Split:
        """The rows of these folds as test rows, all others to train on."""
        test = np.isin(self.fold, folds)
        return Split(self.X[~test], self.y[~test], self.X[test], self.y[test])


@lru_cache(maxsize=2)
def load_uci(folder: Path, name: str) -> UciSet:
    """One set by the name that Table 3.2 gives it."""
    with np.load(folder / "uci" / f"{name}.npz") as file:
        X, y = file["X"], file["y"]
        has_test = "X_test" in file
        X_test = file["X_test"] if has_test else X[:0]
        y_test = file["y_test"] if has_test else y[:0]
        return UciSet(X, y, file["fold"], X_test, y_test)


def read_index(folder: Path, quick: bool = False) -> Index:
    """What is known of each set, in the order of their work: rows times features."""
    path = folder / "uci" / "index.csv"
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing; pass --data or set SILVAN_DATA.")
    with path.open(newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    names = sorted(rows, key=lambda name: int(rows[name]["n"]) * int(rows[name]["p"]))
    return {name: rows[name] for name in names if not quick or name in QUICK}


def is_chosen_on(name: str) -> bool:
    """Whether a set is of the half that choices are made on; the others confirm them.

    Fixed before anything was measured: the first bit of the SHA-256 of the set's name.
    """
    return hashlib.sha256(name.encode()).digest()[0] < 128
