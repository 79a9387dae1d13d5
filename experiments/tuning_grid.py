"""Forests over the thesis's grid of d and λ; the best one out of bag is chosen afterwards."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import roc_auc_score

from experiments.data import Split
from experiments.store import Cell, Store
from experiments.systems import make_forest
from silvan import ForestClassifier
from silvan.datasets import make_orthant, make_sparse_parity, make_trunk
from silvan.inspection import out_of_bag_curve, strength_and_correlation
from silvan.projections import (
    AxisAligned,
    ProjectionDistribution,
    RandomRotation,
    SparseSigns,
    UniformCombinations,
)

N_TEST = 10_000
KEYS = ("problem", "system", "n", "d", "nonzeros", "seed")
VALUES = ("oob_error", "error", "fit_s", "strength", "correlation")
SYSTEMS = ("RF", "RerF", "F-RC", "RR-RF")
# RerF without the empty columns of its matrix, as the package rerf leaves them out.
DROPPED = "RerF, empty dropped"
SPARSE = ("RerF", DROPPED, "F-RC")
MEANS = (1, 2, 3, 4, 5)
POWERS = (1 / 4, 1 / 2, 3 / 4, 1, 2)


class Problem(NamedTuple):
    """A simulation and the number of its features."""

    simulate: Callable[..., Any]
    n_features: int


PROBLEMS = {
    "sparse parity": Problem(make_sparse_parity, 20),
    "sparse parity, p = 10": Problem(partial(make_sparse_parity, n_features=10), 10),
    "orthant": Problem(make_orthant, 6),
    "Trunk": Problem(make_trunk, 10),
}


def open_store(folder: Path, name: str) -> Store:
    """The measurements of experiment `name`."""
    return Store(folder / "measurements" / f"{name}.csv", KEYS, VALUES)


def list_cells(problem: str, n: int, seeds: Iterable[int], systems: Iterable[str]) -> list[Cell]:
    """Every forest of the grid: only RerF and F-RC have a sparsity, and more than p directions."""
    p = PROBLEMS[problem].n_features
    cells = []
    for seed in seeds:
        for system in systems:
            sparse = system in SPARSE
            for power in POWERS if sparse else POWERS[:-1]:
                for nonzeros in MEANS if sparse else (1 if system == "RF" else p,):
                    cell = {"problem": problem, "system": system, "n": n, "seed": seed}
                    cells.append({**cell, "d": math.ceil(p**power), "nonzeros": nonzeros})
    return cells


def make_projections(system: str, nonzeros: int) -> ProjectionDistribution:
    """The distribution of directions; `nonzeros` is λp, or the number L of features in F-RC."""
    if system == "RF":
        return AxisAligned()
    if system == "RR-RF":
        return RandomRotation()
    if system == "F-RC":
        return UniformCombinations(nonzeros)
    return SparseSigns(mean_nonzeros=nonzeros, empty="drop" if system == DROPPED else "fill")


def make_system(cell: Cell) -> ForestClassifier:
    """The forest of a cell, with 100 fully grown trees."""
    projections = make_projections(cell["system"], int(cell["nonzeros"]))
    return make_forest(projections, int(cell["seed"]), int(cell["d"]))


def draw_split(problem: str, n: int, seed: int) -> Split:
    """Training samples of a repetition, and its test samples."""
    simulate = PROBLEMS[problem].simulate
    return Split(*simulate(n, random_state=seed), *simulate(N_TEST, random_state=1_000_000 + seed))


def measure(cell: Cell) -> Cell:
    """Out-of-bag and test error, training time, strength and correlation of one forest."""
    X, y, X_test, y_test = draw_split(cell["problem"], cell["n"], cell["seed"])
    start = time.process_time()
    forest = make_system(cell).fit(X, y)
    fit_s = time.process_time() - start
    trees = strength_and_correlation(forest, X, y)
    return {
        "oob_error": float(out_of_bag_curve(forest, X, y)[-1]),
        "error": float(np.mean(forest.predict(X_test) != y_test)),
        "fit_s": fit_s,
        "strength": trees.strength,
        "correlation": trees.correlation,
    }


def score_candidate(forest: ForestClassifier, split: Split) -> Cell:
    """What a forest of a grid is chosen by, its test error and training time."""
    start = time.process_time()
    forest.set_params(oob_score=True).fit(split.X_train, split.y_train)
    fit_s = time.process_time() - start
    scores = np.nan_to_num(forest.oob_decision_function_)
    truth = split.y_train[:, None] == forest.classes_
    return {
        "oob_error": float(np.mean(forest.classes_[scores.argmax(axis=1)] != split.y_train)),
        "oob_auc": float(roc_auc_score(truth.ravel(), scores.ravel())),
        "error": float(np.mean(forest.predict(split.X_test) != split.y_test)),
        "fit_s": fit_s,
    }


def choose(store: Store, max_directions: float = math.inf, **where: Any) -> list[dict[str, str]]:
    """For each seed the row with the least out-of-bag error.

    Of rows with equal errors it is the one with the largest area under the out-of-bag curve where
    that was measured, as in the authors' scripts; of equal areas the first, which has the smallest
    d.

    F-RC with L = 1 is RF with candidates that may repeat; it is chosen only if it is asked for.
    """
    wanted = {key: str(value) for key, value in where.items()}
    best: dict[str, dict[str, str]] = {}
    for row in store.rows.values():
        if int(row["d"]) > max_directions or any(row[k] != v for k, v in wanted.items()):
            continue
        if "nonzeros" not in wanted and (row["system"], row.get("nonzeros")) == ("F-RC", "1"):
            continue
        held = best.get(row["seed"])
        if held is None or merit(row) > merit(held):
            best[row["seed"]] = row
    return list(best.values())


def merit(row: dict[str, str]) -> tuple[float, float]:
    """What a forest is chosen by, the greater the better."""
    return -float(row["oob_error"]), float(row.get("oob_auc", 0.0))


def chosen_mean(store: Store, column: str, **where: Any) -> float:
    """Mean of a column over the seeds' chosen forests; NaN if there are none."""
    values = [float(row[column]) for row in choose(store, **where)]
    return float(np.mean(values)) if values else math.nan


def chosen_error(store: Store, column: str, **where: Any) -> float:
    """Standard error of that mean; NaN for fewer than two seeds."""
    values = [float(row[column]) for row in choose(store, **where)]
    return float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan
