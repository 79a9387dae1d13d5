"""The tasks that the default for tables is chosen on and compared on, in two fixed halves."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.defaults import list_numbers, load_numbers
from experiments.uci import load_uci, read_index

# Of larger sets so many samples are drawn once; half of them train.
MAX_SAMPLES = 4000
# A regression forest draws as many directions as there are features: wider sets are left out.
MAX_NUMBER_FEATURES = 100
# Of a whole table so many samples are drawn once, of classes with so many of them:
# HistGradientBoosting cannot part a single sample of a class in two.
MAX_TABLE_SAMPLES = 50_000
MIN_CLASS_SAMPLES = 10
TABLES = (
    "bank_full",
    "connect_4",
    "covtype_20k",
    "eeg_eye_state",
    "gametes_2way_1000",
    "hiva",
    "kddcup99_10pct",
)


class Task(NamedTuple):
    """Samples with classes or numbers to predict."""

    target: str
    X: NDArray[Any]
    y: NDArray[Any]


@lru_cache(maxsize=4)
def load_task(target: str, name: str, data: Path) -> Task:
    """A task by its name; of a large set some samples, always the same."""
    if target == "numbers":
        X, y = load_numbers(name, data)[:2]
    elif name in TABLES:
        with np.load(data / "tabular" / f"{name}.npz") as file:
            X, y = file["X"].astype(np.float32), np.unique(file["y"], return_inverse=True)[1]
    else:
        X, y = load_uci(data, name)[:2]
    if len(y) > MAX_SAMPLES:
        some = np.random.default_rng(0).permutation(len(y))[:MAX_SAMPLES]
        X, y = X[some], y[some]
    return Task(target, X, y)


@lru_cache(maxsize=2)
def load_table(data: Path, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """A table of /tabular by its name, classes as numbers from 0 on."""
    with np.load(data / "tabular" / f"{name}.npz") as file:
        X, y = file["X"].astype(np.float32), file["y"]
    some = np.random.default_rng(0).permutation(len(y))[:MAX_TABLE_SAMPLES]
    some = some if len(y) > MAX_TABLE_SAMPLES else np.arange(len(y))
    _, codes, counts = np.unique(y[some], return_inverse=True, return_counts=True)
    some = some[counts[codes] >= MIN_CLASS_SAMPLES]
    return X[some], np.unique(y[some], return_inverse=True)[1]


@lru_cache(maxsize=2)
def list_tasks(data: Path, quick: bool) -> tuple[tuple[str, str], ...]:
    """Kind of target and name of each task, the smallest sets first."""
    index = read_index(data, quick)
    numbers = list_numbers(data, index)
    if quick:
        numbers = numbers[:3]
    tables = [] if quick else [name for name in TABLES if _table_path(data, name).exists()]
    narrow = [n for n in numbers if load_numbers(n, data).X.shape[1] <= MAX_NUMBER_FEATURES]
    return tuple(("classes", n) for n in [*index, *tables]) + tuple(("numbers", n) for n in narrow)


def is_chosen_on(target: str, name: str, data: Path) -> bool:
    """Whether a task is of the half that the choice is made on; the others confirm it.

    Fixed before anything was measured: those whose names have the smaller SHA-256, half of the
    UCI sets, of the tables and of the regression tasks.
    """
    tasks = list_tasks(data, quick=False)
    mine = [n for t, n in tasks if t == target and (n in TABLES) == (name in TABLES)]
    mine.sort(key=lambda n: hashlib.sha256(n.encode()).digest())
    return mine.index(name) < len(mine) // 2


def _table_path(data: Path, name: str) -> Path:
    return data / "tabular" / f"{name}.npz"
