"""RF, RerF and F-RC on the UCI sets, tuned out of bag, by five folds (Tomita, Table 3.2).

The measurements are those of `uci_systems`.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import wilcoxon

from experiments.arguments import Arguments, parse
from experiments.figures import COLORS, panels, save
from experiments.pages import (
    Expectation,
    at_most,
    expectations_table,
    number,
    table,
    write_measured,
)
from experiments.store import Cell, Store, measure_cells
from experiments.uci import Index, load_uci, read_index
from experiments.uci_tuning import (
    KEYS,
    N_FOLDS,
    VALUES,
    fold_error,
    list_cells,
    mean_errors,
    measure,
    measured_sets,
    shared_folds,
)
from silvan import ForestClassifier
from silvan.projections import AxisAligned, ProjectionDistribution, SparseSigns, UniformCombinations

NAMES = ("RF", "RerF", "F-RC")
TABLE_NAMES = {"RF": "table_RF", "RerF": "table_RerF", "F-RC": "table_FRC"}
PAIRS = (("RerF", "RF"), ("F-RC", "RF"), ("RerF", "F-RC"))
TREES = (100, 300, 1000)
# Sets on which nodes may draw all p² directions, too, to see what the cut costs, and how many of
# their folds: one of the first set takes three minutes for each forest.
ALL_DIRECTIONS = {
    "hill_valley-noise": 1,
    "conn_bench-sonar-mines-rocks": N_FOLDS,
    "ionosphere": N_FOLDS,
    "dermatology": N_FOLDS,
}


def measure_trees(cell: Cell) -> Cell:
    """Test error of a chosen forest as trees are added to it."""
    split = load_uci(cell["data"], cell["dataset"]).split(cell["fold"])
    forest = ForestClassifier(
        projections=make_directions(cell["system"], cell["nonzeros"]),
        max_features=cell["d"],
        voting="hard",
        random_state=cell["fold"],
        n_jobs=1,
        warm_start=True,
    )
    errors = {}
    for n_trees in TREES:
        forest.set_params(n_estimators=n_trees).fit(split.X_train, split.y_train)
        errors[f"error_{n_trees}"] = 1 - forest.score(split.X_test, split.y_test)
    return errors


def make_directions(system: str, nonzeros: int) -> ProjectionDistribution:
    """The distribution that a search chose."""
    if system == "RF":
        return AxisAligned()
    return (
        SparseSigns(mean_nonzeros=nonzeros) if system == "RerF" else UniformCombinations(nonzeros)
    )


def list_tree_cells(store: Store, arguments: Arguments) -> list[Cell]:
    """The forests chosen on every sixth set with 100 to 1000 rows."""
    index = read_index(arguments.data, arguments.quick)
    names = [name for name, row in index.items() if 100 <= int(row["n"]) <= 1000][::6]
    cells: list[Cell] = [
        {"dataset": name, "fold": fold, "system": system, "data": arguments.data}
        for name in names
        for fold in range(N_FOLDS)
        for system in NAMES
    ]
    known = [(cell, store.rows[store.key(cell)]) for cell in cells if store.key(cell) in store.rows]
    return [{**cell, "d": int(row["d"]), "nonzeros": int(row["directions"])} for cell, row in known]


def column(index: Index, names: list[str], field: str) -> NDArray[np.float64]:
    """A column of the index as numbers."""
    return np.array([float(index[name][field]) for name in names])


def one_sided(better: NDArray[np.float64], worse: NDArray[np.float64]) -> float:
    """One-sided p-value of Wilcoxon's signed-rank test that the first errors are smaller."""
    return float(wilcoxon(better, worse, alternative="less").pvalue)


def list_expectations(store: Store, index: Index) -> list[Expectation]:
    """What Table 3.2 leads one to expect."""
    names = measured_sets(store, index, NAMES)
    errors = mean_errors(store, names, NAMES)
    normalised = errors / column(index, names, "chance_error")[:, None]
    matched = column(index, names, "table_RF_matched") == 1
    expectations = []
    for k, (system, bound) in enumerate({"RF": 0.010, "RerF": 0.012}.items()):
        table_errors = column(index, names, TABLE_NAMES[system])
        gap = float(np.median(np.abs(errors[:, k] - table_errors)[matched]))
        claim = f"{system}: median distance to the table over {matched.sum()} comparable sets"
        expectations.append(at_most(f"{claim} at most {bound}", gap, bound))
    for k, system in ((1, "RerF"), (2, "F-RC")):
        p = one_sided(normalised[:, k], normalised[:, 0])
        claim = f"{system} better than RF over {len(names)} sets, one-sided Wilcoxon p < .01"
        expectations.append(Expectation(claim, f"p = {p:.2g}", p < 0.01))
    p = float(wilcoxon(normalised[:, 1], normalised[:, 2]).pvalue)
    claim = "RerF and F-RC do not differ, two-sided Wilcoxon p > .05"
    expectations.append(Expectation(claim, f"p = {p:.2g}", p > 0.05))
    return expectations


def pair_table(store: Store, index: Index) -> str:
    """Wins and losses of each pair, here and in the table of the thesis."""
    names = measured_sets(store, index, NAMES)
    ours = mean_errors(store, names, NAMES)
    theirs = np.array([column(index, names, TABLE_NAMES[system]) for system in NAMES]).T
    chance = column(index, names, "chance_error")[:, None]
    rows = []
    for a, b in PAIRS:
        i, j = NAMES.index(a), NAMES.index(b)
        row = [f"{a} against {b}"]
        for errors in (ours, theirs):
            gap = ((errors[:, i] - errors[:, j])[:, None] / chance).ravel()
            row += [
                f"{(gap < 0).sum()} / {(gap > 0).sum()}",
                f"{gap.mean():+.4f}",
                f"{one_sided(errors[:, i] / chance[:, 0], errors[:, j] / chance[:, 0]):.2g}",
            ]
        rows.append(row)
    header = ("pair", "won / lost", "mean", "p", "table: won / lost", "mean", "p")
    return table(header, rows)


def error_table(store: Store, index: Index) -> str:
    """Our errors beside those of the table."""
    rows = []
    for name in measured_sets(store, index, NAMES):
        row = [name if index[name]["table_RF_matched"] == "1" else f"{name} *"]
        row += [index[name]["n"], index[name]["p"], str(len(shared_folds(store, name, NAMES)))]
        for system in NAMES:
            ours = fold_error(store, name, system, NAMES)
            row.append(f"{number(ours, 3)} ({float(index[name][TABLE_NAMES[system]]):.3f})")
        rows.append(row)
    return table(("set", "n", "p", "folds", *NAMES), rows)


def trees_table(store: Store) -> str:
    """How much the error moves with more trees."""
    rows = []
    for system in NAMES:
        names = store.distinct("dataset", system=system)
        errors = np.array(
            [[store.mean(f"error_{n}", dataset=k, system=system) for k in names] for n in TREES]
        )
        moves = np.abs(errors[:-1] - errors[-1]).mean(axis=1)
        rows.append(
            [system, *(f"{e:.4f}" for e in errors.mean(axis=1)), *(f"{m:.4f}" for m in moves)]
        )
    distances = (f"mean distance of {n} from {TREES[-1]}" for n in TREES[:-1])
    return table(("mean error", *(f"{n} trees" for n in TREES), *distances), rows)


def list_wide_cells(arguments: Arguments) -> list[Cell]:
    """RerF and F-RC with d up to p²."""
    index = read_index(arguments.data, arguments.quick)
    return [
        {
            "dataset": name,
            "fold": fold,
            "system": system,
            "data": arguments.data,
            "values_of_a_node": math.inf,
        }
        for name, n_folds in ALL_DIRECTIONS.items()
        if name in index
        for fold in range(n_folds)
        for system in NAMES[1:]
    ]


def directions_table(store: Store, wide: Store) -> str:
    """Errors on the same folds with d cut off as in the other tables, and with all of it."""
    rows = []
    for name in wide.distinct("dataset"):
        folds = wide.distinct("fold", dataset=name)
        row = [name, str(len(folds))]
        for system in NAMES[1:]:
            for of in (store, wide):
                found = [of.rows.get((name, fold, system)) for fold in folds]
                error, d = (
                    float(np.mean([float(one[column]) if one else math.nan for one in found]))
                    for column in ("error", "d")
                )
                row.append(f"{number(error, 3)} ({number(d, 0)})")
        rows.append(row)
    header = [f"{system}, {which}" for system in NAMES[1:] for which in ("cut", "up to p²")]
    return table(("set", "folds", *header), rows)


def draw_figure(store: Store, index: Index, path: Path) -> None:
    """Histograms of normalised differences, as Figure 3.4."""
    names = measured_sets(store, index, NAMES)
    normalised = mean_errors(store, names, NAMES) / column(index, names, "chance_error")[:, None]
    categorical = column(index, names, "n_categorical") > 0
    groups = {
        "all": np.ones(len(names), dtype=bool),
        "numeric": ~categorical,
        "categorical": categorical,
    }
    bins = np.array([-1, -0.3, -0.2, -0.1, -0.05, -0.02, -0.005, 0.005, 0.02, 0.05, 0.1, 0.2, 1])
    figure, axes = panels(len(PAIRS), len(groups), width=3.4, height=2.4)
    for line, (a, b) in zip(axes, PAIRS, strict=True):
        i, j = NAMES.index(a), NAMES.index(b)
        for axis, (title, chosen) in zip(line, groups.items(), strict=True):
            gap = (normalised[:, i] - normalised[:, j])[chosen]
            counts, _ = np.histogram(gap, bins)
            place = np.arange(len(counts))
            middle = len(counts) // 2
            colors = [COLORS[a] if k < middle else COLORS[b] for k in place]
            colors[middle] = "#bbbbbb"
            axis.bar(place, counts, color=colors, width=0.9)
            axis.set_xticks(np.arange(len(bins)) - 0.5, [f"{x:g}" for x in bins], rotation=90)
            axis.set_title(f"{a} - {b}, {title} ({chosen.sum()})", fontsize=9)
    figure.supxlabel("difference of errors over the error of the commonest class", fontsize=9)
    figure.supylabel("sets", fontsize=9)
    save(figure, path)


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("uci_folds", __doc__ or "", seeds=1, argv=argv)
    folder = arguments.output / "measurements"
    store = Store(folder / "uci_systems.csv", KEYS, VALUES)
    measure_cells(store, list_cells(arguments, NAMES), measure, arguments)
    trees = Store(
        folder / "uci_folds_trees.csv",
        KEYS,
        tuple(f"error_{n}" for n in TREES),
    )
    measure_cells(trees, list_tree_cells(store, arguments), measure_trees, arguments)
    wide = Store(folder / "uci_folds_directions.csv", KEYS, VALUES)
    measure_cells(wide, list_wide_cells(arguments), measure, arguments)
    index = read_index(arguments.data, arguments.quick)
    draw_figure(store, index, arguments.output / "uci_folds.png")
    parts = [
        f"`{arguments.command}`",
        expectations_table(list_expectations(store, index)),
        "Normalised difference of errors (error over that of the commonest class), here and from "
        "the errors that the thesis prints; p is one-sided:",
        pair_table(store, index),
        "![Histograms of the differences between pairs of forests](uci_folds.png)",
        "Trees: the chosen forests of every sixth set with 100 to 1000 rows, means over the folds:",
        trees_table(trees),
        "Directions: errors where d is cut off, and where it goes up to p²; in brackets the mean d "
        "that was chosen:",
        directions_table(store, wide),
        "Mean error over the folds, and in brackets what the table of the thesis has:",
        error_table(store, index),
    ]
    page = arguments.output / "uci_folds.md"
    write_measured(page, "UCI sets by five folds", "\n\n".join(parts))


if __name__ == "__main__":
    main()
