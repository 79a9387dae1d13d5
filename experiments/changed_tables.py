"""The default for tables where columns have other units, and among useless columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import wilcoxon
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

from experiments.arguments import Arguments, parse
from experiments.pages import Expectation, expectations_table, number, table, write_measured
from experiments.store import Cell, Store, measure_cells
from experiments.table_tasks import TABLES, is_chosen_on, list_tasks, load_task
from silvan import ForestClassifier
from silvan.projections import AxisAligned, UnitFree, WeightedCombinations

N_TREES = 100
MIN_SAMPLES, MAX_SAMPLES = 150, 2000
N_USELESS = 20
EXPONENTS = (-4, 4)
GUIDED = UnitFree(WeightedCombinations((1, 3), trees_per_round=20, coefficients="signs"))
SYSTEMS = ("silvan", "RandomForest", "silvan, single features", "silvan, guided")
CHANGES = ("as given", "other units", "useless columns")


def make_system(name: str, seed: int) -> Any:
    """A forest of a hundred trees."""
    if name == "RandomForest":
        return RandomForestClassifier(N_TREES, random_state=seed)
    options: dict[str, Any] = {
        "silvan": {},
        "silvan, single features": {"projections": AxisAligned()},
        "silvan, guided": {"projections": GUIDED, "max_features": 24},
    }[name]
    return ForestClassifier(N_TREES, random_state=seed, n_jobs=1, **options)


def change_columns(X: NDArray[Any], change: str, seed: int) -> NDArray[np.float32]:
    """The samples with columns in other units or with columns of noise, by a seed."""
    rng = np.random.default_rng(seed)
    if change == "other units":
        X = X * 10.0 ** rng.integers(EXPONENTS[0], EXPONENTS[1] + 1, X.shape[1])
    if change == "useless columns":
        X = np.column_stack([X, X.std() * rng.standard_normal((len(X), N_USELESS))])
    return X.astype(np.float32)


def measure(cell: Cell) -> Cell:
    """Mean error over the two folds of one repetition."""
    task, seed = load_task("classes", cell["dataset"], cell["data"]), int(cell["seed"])
    X = change_columns(task.X.astype(np.float64), cell["change"], seed)
    folds = StratifiedKFold(2, shuffle=True, random_state=seed).split(X, task.y)
    forests = [(make_system(cell["system"], seed), train, test) for train, test in folds]
    errors = [
        1 - forest.fit(X[train], task.y[train]).score(X[test], task.y[test])
        for forest, train, test in forests
    ]
    return {"error": float(np.mean(errors))}


def list_cells(arguments: Arguments) -> list[Cell]:
    """Sets that the default was not chosen on, neither tiny nor large."""
    data = arguments.data
    names = [
        name
        for target, name in list_tasks(data, arguments.quick)
        if target == "classes"
        and name not in TABLES
        and MIN_SAMPLES <= len(load_task("classes", name, data).y) <= MAX_SAMPLES
        and np.bincount(load_task("classes", name, data).y).min() > 1
        and not is_chosen_on("classes", name, data)
    ]
    return [
        {"dataset": name, "change": change, "system": system, "seed": seed, "data": data}
        for name in names
        for change in CHANGES
        for seed in range(arguments.seeds)
        for system in SYSTEMS
    ]


def errors_of(store: Store, system: str, change: str) -> NDArray[np.float64]:
    """Mean error on each set."""
    names = store.distinct("dataset")
    where = {"system": system, "change": change}
    return np.array([store.mean("error", dataset=name, **where) for name in names])


def p_value(gaps: NDArray[np.float64]) -> str:
    """Wilcoxon's two-sided test that the median gap is zero."""
    return f"{wilcoxon(gaps).pvalue:.2g}" if gaps.any() else "-"


def harm(store: Store, system: str, change: str) -> NDArray[np.float64]:
    """By how much the change of columns raises the error of each set."""
    return errors_of(store, system, change) - errors_of(store, system, "as given")


def describe(store: Store) -> list[str]:
    """Mean errors, what each change adds, and the default against the rival."""
    rows = []
    for system in SYSTEMS:
        row = [system, number(float(errors_of(store, system, "as given").mean()))]
        for change in CHANGES[1:]:
            gaps = harm(store, system, change)
            mean = float(errors_of(store, system, change).mean())
            row += [number(mean), f"{100 * gaps.mean():+.2f}", p_value(gaps)]
        rows.append(row)
    header = [
        "mean error",
        "as given",
        "other units",
        "points",
        "p",
        "useless columns",
        "points",
        "p",
    ]
    rivals = []
    for change in CHANGES:
        for system in SYSTEMS[1:]:
            gaps = errors_of(store, "silvan", change) - errors_of(store, system, change)
            record = f"{(gaps < 0).sum()} / {(gaps > 0).sum()}"
            rivals.append([f"{change}: silvan against {system}", record, p_value(gaps)])
    single = [
        [name, *(number(store.mean("error", dataset=name, change=c, system=s)) for s, c in pairs())]
        for name in store.distinct("dataset")
    ]
    return [
        table(header, rows),
        table(["columns", "won / lost", "p"], rivals),
        table(["error", *(f"{s}, {c}" for s, c in pairs())], single),
    ]


def pairs() -> list[tuple[str, str]]:
    """Systems and changes of the table of all sets."""
    return [(s, c) for s in SYSTEMS[:2] for c in CHANGES]


def check_expectations(store: Store) -> list[Expectation]:
    """Units do not matter; useless columns do no more harm than to a random forest."""
    units = harm(store, "silvan", "other units")
    error = float(units.std() / np.sqrt(max(1, len(units) - 1)))
    ours, theirs = (harm(store, s, "useless columns").mean() for s in SYSTEMS[:2])
    levels = errors_of(store, "silvan", "useless columns")
    gap = float((levels - errors_of(store, "RandomForest", "useless columns")).mean())
    return [
        Expectation(
            "other units change the mean error by less than two standard errors",
            f"{100 * units.mean():+.2f} ± {100 * error:.2f} points",
            bool(abs(units.mean()) <= 2 * error),
        ),
        Expectation(
            "useless columns harm silvan no more than RandomForest",
            f"{100 * ours:+.2f} against {100 * theirs:+.2f} points",
            bool(ours <= theirs),
        ),
        Expectation(
            "with useless columns silvan's mean error is no larger than RandomForest's",
            f"{100 * gap:+.2f} points",
            gap <= 0,
        ),
    ]


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then write the page."""
    arguments = parse("changed_tables", __doc__ or "", seeds=4, argv=argv)
    path = arguments.output / "measurements" / "changed_tables.csv"
    store = Store(path, ("dataset", "change", "system", "seed"), ("error",))
    measure_cells(store, list_cells(arguments), measure, arguments)
    parts = [f"`{arguments.command}`", expectations_table(check_expectations(store))]
    page = arguments.output / "changed_tables.md"
    write_measured(page, "Other units and useless columns", "\n\n".join([*parts, *describe(store)]))


if __name__ == "__main__":
    main()
