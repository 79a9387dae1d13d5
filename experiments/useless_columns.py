"""Rules for the default of tables that might lessen what useless columns cost."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import wilcoxon
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

from experiments.arguments import Arguments, parse
from experiments.changed_tables import change_columns
from experiments.pages import number, table, write_measured
from experiments.store import Cell, Store, measure_cells
from experiments.table_tasks import TABLES, is_chosen_on, list_tasks, load_task
from silvan import ForestClassifier
from silvan.projections import AxisAligned, Mixture, SparseSigns, UnitFree, WeightedCombinations

N_TREES = 50
SCREENING_TREES = 15
MIN_SAMPLES, MAX_SAMPLES = 100, 1000
CHANGES = ("as given", "useless columns")
DEFAULT, RIVAL = "silvan", "RandomForest"
Fit = Callable[[int, NDArray[Any], NDArray[Any]], Any]  # seed, X, y -> fitted forest


def up_to(limit: int) -> Callable[[int], int]:
    """All features up to a limit, and the square root where that is more."""
    return lambda p: min(p, max(limit, math.isqrt(p)))


AS_NOW = up_to(24)


def forest(projections: Any, d: Callable[[int], int] = AS_NOW) -> Fit:
    """A forest on these directions, d of them at a node."""
    return lambda seed, X, y: ForestClassifier(
        N_TREES, projections=projections, max_features=d(X.shape[1]), random_state=seed, n_jobs=1
    ).fit(X, y)


def screened(seed: int, X: NDArray[Any], y: NDArray[Any]) -> Any:
    """Half of the directions draw features by what a few trees of another seed found important."""
    first = ForestClassifier(SCREENING_TREES, random_state=seed + 77, n_jobs=1).fit(X, y)
    weights = 0.1 / X.shape[1] + 0.9 * first.feature_importances_
    drawn = WeightedCombinations((1, 3), weights=weights, coefficients="signs")
    return forest(UnitFree(Mixture([(SparseSigns(), 1), (drawn, 1)])))(seed, X, y)


HALF_SINGLE = UnitFree(Mixture([(AxisAligned(), 1), (SparseSigns(mean_nonzeros=3), 1)]))
GUIDED = UnitFree(WeightedCombinations((1, 3), trees_per_round=10, coefficients="signs"))
SIGNS = UnitFree(SparseSigns())
CANDIDATES: dict[str, Fit] = {
    DEFAULT: forest(SIGNS),
    "d = min(p, 48)": forest(SIGNS, up_to(48)),
    "d = min(2p, 48)": forest(SIGNS, lambda p: max(min(2 * p, 48), math.isqrt(p))),
    "1.5 nonzeros": forest(UnitFree(SparseSigns(mean_nonzeros=1.5))),
    "half single features, half 3 nonzeros": forest(HALF_SINGLE),
    "guided": forest(GUIDED),
    "half screened by 15 trees": screened,
    RIVAL: lambda seed, X, y: RandomForestClassifier(N_TREES, random_state=seed).fit(X, y),
}


def measure(cell: Cell) -> Cell:
    """Mean error over the two folds of one repetition."""
    task, seed = load_task("classes", cell["dataset"], cell["data"]), int(cell["seed"])
    X = change_columns(task.X.astype(np.float64), cell["change"], seed)
    folds = StratifiedKFold(2, shuffle=True, random_state=seed).split(X, task.y)
    fit = CANDIDATES[cell["system"]]
    errors = [
        1 - fit(seed, X[train], task.y[train]).score(X[test], task.y[test]) for train, test in folds
    ]
    return {"error": float(np.mean(errors))}


def list_cells(arguments: Arguments) -> list[Cell]:
    """Small sets of the half that the default was chosen on."""
    data = arguments.data
    names = [
        name
        for target, name in list_tasks(data, arguments.quick)
        if target == "classes" and name not in TABLES and is_chosen_on("classes", name, data)
    ]
    return [
        {"dataset": name, "change": change, "system": system, "seed": seed, "data": data}
        for seed in range(arguments.seeds)
        for name in names
        if MIN_SAMPLES <= len(load_task("classes", name, data).y) <= MAX_SAMPLES
        and np.bincount(load_task("classes", name, data).y).min() > 1
        for change in CHANGES
        for system in CANDIDATES
    ]


def errors_of(store: Store, system: str, change: str) -> NDArray[np.float64]:
    """Mean error on each set."""
    where = {"system": system, "change": change}
    return np.array([store.mean("error", dataset=n, **where) for n in store.distinct("dataset")])


def describe(store: Store) -> str:
    """Mean errors, and each rule against the default."""
    rows = []
    for system in CANDIDATES:
        row, harm = [system], 0.0
        for change in CHANGES:
            errors = errors_of(store, system, change)
            gaps = errors - errors_of(store, DEFAULT, change)
            harm = float(errors.mean()) - harm
            record = f"{(gaps < 0).sum()} / {(gaps > 0).sum()}"
            p = f"{wilcoxon(gaps).pvalue:.2g}" if gaps.any() else "-"
            row += [number(float(errors.mean())), f"{100 * gaps.mean():+.2f}", record, p]
        rows.append([*row, f"{100 * harm:+.2f}"])
    header = ["rule"]
    for change in CHANGES:
        header += [f"error, {change}", "points", "won / lost", "p"]
    return table([*header, "harm"], rows)


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then write the page."""
    arguments = parse("useless_columns", __doc__ or "", seeds=4, argv=argv)
    path = arguments.output / "measurements" / "useless_columns.csv"
    store = Store(path, ("dataset", "change", "system", "seed"), ("error",))
    measure_cells(store, list_cells(arguments), measure, arguments)
    n_sets = f"{len(store.distinct('dataset'))} sets."
    page = arguments.output / "useless_columns.md"
    parts = [f"`{arguments.command}`", n_sets, describe(store)]
    write_measured(page, "Rules against useless columns", "\n\n".join(parts))


if __name__ == "__main__":
    main()
