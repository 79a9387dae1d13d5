"""Simulations that single features fail on: boosted forests beside other gradient boosting."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV

from experiments.arguments import Arguments, parse
from experiments.boosting_systems import Coded, is_installed, make_booster
from experiments.data import Split
from experiments.pages import (
    Expectation,
    at_most,
    expectations_table,
    number,
    table,
    write_measured,
)
from experiments.store import Cell, Store, measure_cells
from silvan import BoostedForestClassifier, BoostedManifoldForestClassifier
from silvan.datasets import make_circle_segments, make_sparse_parity, make_trunk
from silvan.projections import AxisAligned, Mixture, RidgeDirections, SparseSigns, UnitFree

N_TEST = 10_000
SYSTEMS = (
    "silvan",
    "silvan, chosen",
    "LightGBM",
    "XGBoost",
    "HistGradientBoosting",
    "CatBoost",
)
# Sums of two features, a direction of all features that is fitted to the gradients of the round,
# and single features alone.
POOLS = (
    Mixture([(AxisAligned(), 1.0), (UnitFree(SparseSigns()), 1.0)]),
    Mixture(
        [
            (AxisAligned(), 1.0),
            (UnitFree(SparseSigns()), 4.0),
            (RidgeDirections(n_features=1000, max_samples=4096), 1.0),
        ]
    ),
    AxisAligned(),
)
# Interactions of many features show only below splits on all but one of them: deep trees, halved
# at medians, each without some of the samples.
GRID = [
    {"projections": POOLS},
    {"n_estimators": [300]},
    {
        "projections": [AxisAligned()],
        "max_bins": [2],
        "max_leaf_nodes": [1024],
        "min_samples_leaf": [1],
        "subsample": [0.95],
        "learning_rate": [0.3],
        "n_estimators": [200],
    },
]


class Problem(NamedTuple):
    """A simulation, its number of training samples, whether it is a grid, and the target."""

    draw: Callable[..., tuple[NDArray[Any], NDArray[Any]]]
    n: int
    options: dict[str, int]
    grid: bool
    target: float


PROBLEMS = {
    "circle": Problem(make_circle_segments, 1000, {}, True, 0.04),
    "parity of five": Problem(make_sparse_parity, 5000, {"n_informative": 5}, False, 0.30),
    "Trunk": Problem(make_trunk, 5000, {"n_features": 50}, False, 0.025),
    "parity of three": Problem(make_sparse_parity, 5000, {}, False, 0.004),
}


def make_system(name: str, problem: Problem, seed: int) -> Any:
    """The classifier: defaults, or parameters chosen on training samples by cross-validation."""
    if not name.startswith("silvan"):
        return make_booster(name, seed)
    if problem.grid:
        return BoostedManifoldForestClassifier(random_state=seed, n_jobs=1)
    forest = BoostedForestClassifier(random_state=seed, n_jobs=1)
    if name == "silvan":
        return forest
    return GridSearchCV(forest, GRID, scoring="accuracy", cv=3)


def draw(problem: Problem, n: int, seed: int) -> Split:
    """Training and test samples."""
    X, y = problem.draw(n, random_state=seed, **problem.options)
    return Split(X, y, *problem.draw(N_TEST, random_state=seed + 10_000, **problem.options))


def measure(cell: Cell) -> Cell | None:
    """Error and time of a system on one draw; None where a package is missing."""
    if not is_installed(cell["system"]):
        return None
    problem = PROBLEMS[cell["problem"]]
    split = draw(problem, int(cell["n"]), int(cell["seed"]))
    model = Coded(make_system(cell["system"], problem, int(cell["seed"])))
    start = time.process_time()
    model.fit(split.X_train, split.y_train)
    fit_s = time.process_time() - start
    predicted = model.classes_[model.predict_proba(split.X_test).argmax(axis=1)]
    return {"error": float(np.mean(predicted != split.y_test)), "fit_s": fit_s}


def list_cells(arguments: Arguments) -> list[Cell]:
    """Every problem, draw and system."""
    return [
        {
            "problem": name,
            "n": problem.n // 10 if arguments.quick else problem.n,
            "system": system,
            "seed": seed,
        }
        for seed in range(arguments.seeds)
        for name, problem in PROBLEMS.items()
        for system in SYSTEMS
        if not (problem.grid and system == "silvan, chosen")
    ]


def expectations(store: Store) -> list[Expectation]:
    """What boosted forests should reach, with the better of defaults and chosen parameters."""
    found = []
    for name, problem in PROBLEMS.items():
        errors = [store.mean("error", problem=name, system=s) for s in SYSTEMS[:2]]
        best = float(np.nanmin(errors)) if not np.isnan(errors).all() else float("nan")
        found.append(at_most(f"{name}: error at most {problem.target:g}", best, problem.target))
    return found


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then write the page."""
    arguments = parse("boosting_simulations", __doc__ or "", seeds=5, argv=argv)
    path = arguments.output / "measurements" / "boosting_simulations.csv"
    store = Store(path, ("problem", "n", "system", "seed"), ("error", "fit_s"))
    measure_cells(store, list_cells(arguments), measure, arguments)
    systems = [system for system in SYSTEMS if store.values("error", system=system)]
    rows = [
        [
            name,
            str(problem.n),
            *(number(store.mean("error", problem=name, system=s)) for s in systems),
        ]
        for name, problem in PROBLEMS.items()
    ]
    parts = [
        f"`{arguments.command}`",
        expectations_table(expectations(store)),
        table(["error", "n", *systems], rows),
    ]
    page = arguments.output / "boosting_simulations.md"
    write_measured(page, "Simulations for gradient boosting", "\n\n".join(parts))


if __name__ == "__main__":
    main()
