"""Gradient boosting by defaults: silvan, LightGBM, XGBoost, scikit-learn, CatBoost on tables."""

from __future__ import annotations

import time
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata, wilcoxon
from sklearn.model_selection import StratifiedKFold

from experiments.arguments import Arguments, parse
from experiments.boosting import count_folds
from experiments.boosting_systems import SYSTEMS, Coded, is_installed, log_loss_of, make_booster
from experiments.data import Split
from experiments.pages import number, table, write_measured
from experiments.store import Cell, Store, measure_cells
from experiments.table_tasks import MAX_TABLE_SAMPLES, TABLES, load_table
from experiments.uci import is_chosen_on, load_uci, read_index

TABLE_FOLDS = 5
# Takes too long for all sets.
TABLE_SYSTEMS = ("YDF, oblique",)
# Measured last.
SLOW = ("CatBoost", "YDF, oblique")
SCORES = ("error", "log_loss", "fit_s", "predict_s")
# Few samples let luck decide, so sets are also compared by their size.
SIZES = {"up to 300 samples": (0, 300), "301 to 1,000": (300, 1000), "more": (1000, 10**9)}


def split_of(cell: Cell) -> Split:
    """Training and test samples: the folds of the UCI sets, stratified ones of the tables."""
    if cell["dataset"] not in TABLES:
        return load_uci(cell["data"], cell["dataset"]).split(int(cell["fold"]))
    X, y = load_table(cell["data"], cell["dataset"])
    folds = StratifiedKFold(TABLE_FOLDS, shuffle=True, random_state=0)
    train, test = list(folds.split(X, y))[int(cell["fold"])]
    return Split(X[train], y[train], X[test], y[test])


def measure(cell: Cell) -> Cell | None:
    """Error, log loss and times on one fold; None where a package is missing."""
    if not is_installed(cell["system"]):
        return None
    split = split_of(cell)
    model = Coded(make_booster(cell["system"], int(cell["fold"])))
    start = time.process_time()
    model.fit(split.X_train, split.y_train)
    fitted = time.process_time()
    probabilities = model.predict_proba(split.X_test)
    done = time.process_time()
    predicted = model.classes_[probabilities.argmax(axis=1)]
    return {
        "error": float(np.mean(predicted != split.y_test)),
        "log_loss": log_loss_of(probabilities, model.classes_, split.y_test),
        "fit_s": fitted - start,
        "predict_s": done - fitted,
    }


def list_cells(arguments: Arguments) -> list[Cell]:
    """Every set, fold and system, the cheapest sets first, the tables last."""
    index = read_index(arguments.data, arguments.quick)
    folds = {name: count_folds(int(row["n"])) for name, row in index.items()}
    tables = ("eeg_eye_state",) if arguments.quick else TABLES
    folds |= {name: 1 if arguments.quick else min(arguments.seeds, TABLE_FOLDS) for name in tables}
    systems = {name: SYSTEMS + TABLE_SYSTEMS if name in TABLES else SYSTEMS for name in folds}
    cells = [
        {"dataset": name, "fold": fold, "system": system, "data": arguments.data}
        for name, n_folds in folds.items()
        for fold in range(n_folds)
        for system in systems[name]
    ]
    return sorted(cells, key=lambda cell: cell["system"] in SLOW)


def collect(store: Store, column: str, systems: list[str]) -> dict[str, list[float]]:
    """Means over the folds of each set, for the sets that have all systems."""
    found = {
        name: [store.mean(column, dataset=name, system=system) for system in systems]
        for name in store.distinct("dataset")
    }
    return {name: row for name, row in found.items() if not np.isnan(row).any()}


def mean_ranks(rows: Iterable[list[float]]) -> NDArray[np.float64]:
    """Of each system, over the sets."""
    ranks: NDArray[np.float64] = rankdata(np.array(list(rows)), axis=1).mean(axis=0)
    return ranks


def summarise(found: dict[str, list[float]], column: str, systems: list[str]) -> str:
    """Mean ranks, wins of the first system over each of the others, and means."""
    values = np.array(list(found.values()))
    ranks = mean_ranks(found.values())
    rows = []
    for k, system in enumerate(systems):
        gap = values[:, 0] - values[:, k]
        p = f"{wilcoxon(gap).pvalue:.2g}" if k and gap.any() else "-"
        record = f"{(gap < 0).sum()} / {(gap > 0).sum()}" if k else "-"
        rows.append([system, f"{ranks[k]:.2f}", number(float(values[:, k].mean())), record, p])
    header = [f"{column}, {len(values)} sets", "mean rank", "mean", "silvan won / lost", "p"]
    return table(header, rows)


def compare_groups(
    found: dict[str, list[float]], column: str, systems: list[str], n: dict[str, int]
) -> str:
    """Mean ranks in groups of sets: by their number of samples, and by what chose the defaults."""
    groups = {
        group: [name for name in found if above < n[name] <= up_to]
        for group, (above, up_to) in SIZES.items()
    }
    for group, chosen in (("defaults chosen on", True), ("not chosen on", False)):
        groups[group] = [name for name in found if is_chosen_on(name) == chosen]
    rows = [
        [group, str(len(names)), *(f"{mean:.2f}" for mean in mean_ranks(found[k] for k in names))]
        for group, names in groups.items()
        if names
    ]
    return table([f"mean rank by {column}", "sets", *systems], rows)


def compare_times(store: Store, systems: list[str], names: Iterable[str]) -> str:
    """Median over the sets of the processor time of a fit, as multiples of LightGBM's."""
    found = collect(store, "fit_s", systems)
    seconds = np.array([found[name] for name in names]).clip(1e-4)
    base = systems.index("LightGBM") if "LightGBM" in systems else 0
    medians = np.median(seconds / seconds[:, base : base + 1], axis=0)
    return table(["time to fit", *systems], [["median ratio", *(f"{m:.2f}" for m in medians)]])


def describe(store: Store, known: tuple[str, ...], n: dict[str, int]) -> list[str]:
    """The tables of some sets: summaries of the systems that have them all, then every set."""
    sets = [name for name in store.distinct("dataset", system="silvan") if name in known]
    measured = {
        system: [name for name in sets if name in store.distinct("dataset", system=system)]
        for system in SYSTEMS + TABLE_SYSTEMS
    }
    everywhere = [system for system, names in measured.items() if names == sets]
    anywhere = [system for system, names in measured.items() if names]
    if not sets:
        return []
    parts: list[str] = []
    single: list[str] = []
    for score in ("log_loss", "error"):
        found = {
            name: row for name, row in collect(store, score, everywhere).items() if name in sets
        }
        column = score.replace("_", " ")
        parts += [
            summarise(found, column, everywhere),
            compare_groups(found, column, everywhere, n),
        ]
        rows = [
            [name, *(number(store.mean(score, dataset=name, system=system)) for system in anywhere)]
            for name in sorted(sets)
        ]
        single.append(table([column, *anywhere], rows))
    return [*parts, compare_times(store, everywhere, found), *single]


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then write the page."""
    arguments = parse("boosting_tables", __doc__ or "", seeds=TABLE_FOLDS, argv=argv)
    path = arguments.output / "measurements" / "boosting_tables.csv"
    store = Store(path, ("dataset", "fold", "system"), SCORES)
    measure_cells(store, list_cells(arguments), measure, arguments)
    index = read_index(arguments.data, arguments.quick)
    n = {name: int(row["n"]) for name, row in index.items()} | dict.fromkeys(
        TABLES, MAX_TABLE_SAMPLES
    )
    parts = [f"`{arguments.command}`"]
    for heading, known in (("UCI sets", tuple(index)), ("Larger tables", TABLES)):
        described = describe(store, known, n)
        parts += [f"## {heading}", *described] if described else []
    page = arguments.output / "boosting_tables.md"
    write_measured(page, "Gradient boosting on tables", "\n\n".join(parts))


if __name__ == "__main__":
    main()
