"""Forests and gradient boosting on the UCI sets, all with their defaults."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata, wilcoxon
from sklearn.ensemble import HistGradientBoostingClassifier

from experiments.arguments import parse
from experiments.figures import panels, save
from experiments.pages import number, table, write_measured
from experiments.scoring import SCORES, score_system
from experiments.store import Cell, Store, measure_cells
from experiments.uci import load_uci, read_index
from silvan import ForestClassifier
from silvan.projections import AxisAligned

# Boosting learns from many rows, so sets are also compared by their size.
SIZES = {"up to 300 rows": (0, 300), "301 to 1,000": (300, 1000), "more": (1000, 10**9)}
SYSTEMS = ("silvan", "RF", "boosting")


def make_system(name: str, seed: int) -> Any:
    """A classifier with its defaults, on one thread."""
    if name == "boosting":
        return HistGradientBoostingClassifier(random_state=seed)
    projections = AxisAligned() if name == "RF" else None
    return ForestClassifier(projections=projections, n_jobs=1, random_state=seed)


def count_folds(n_samples: int) -> int:
    """Small sets need more test rows to tell systems apart."""
    return 5 if n_samples <= 300 else 2 if n_samples <= 1000 else 1


def measure(cell: Cell) -> Cell:
    """Error and times on one fold."""
    fold = cell["fold"]
    split = load_uci(cell["data"], cell["dataset"]).split(fold)
    return score_system(make_system(cell["system"], fold), split)


def list_cells(index: dict[str, dict[str, str]], data: Any) -> list[Cell]:
    """Every set, fold and system, the cheapest sets first."""
    return [
        {"dataset": name, "fold": fold, "system": system, "data": data}
        for name, row in index.items()
        for fold in range(count_folds(int(row["n"])))
        for system in SYSTEMS
    ]


def collect(store: Store, column: str) -> dict[str, list[float]]:
    """Means over the folds of each set, for the sets that have all systems."""
    found = {
        name: [store.mean(column, dataset=name, system=system) for system in SYSTEMS]
        for name in store.distinct("dataset")
    }
    return {name: row for name, row in found.items() if not np.isnan(row).any()}


def compare(errors: NDArray[np.float64], first: int, second: int) -> list[str]:
    """Sets won and lost, the mean difference in points, and a two-sided p-value."""
    gap = errors[:, first] - errors[:, second]
    return [
        f"{SYSTEMS[first]} against {SYSTEMS[second]}",
        f"{(gap < 0).sum()} / {(gap > 0).sum()}",
        f"{100 * gap.mean():+.2f}",
        f"{wilcoxon(gap).pvalue:.2g}",
    ]


def compare_by_size(errors: NDArray[np.float64], n: NDArray[np.int64]) -> str:
    """Mean errors of all systems, and the default forest against boosting, in groups of sets."""
    rows = []
    for name, (above, up_to) in SIZES.items():
        part = errors[(n > above) & (n <= up_to)]
        if len(part):
            gap = part[:, 0] - part[:, 2]
            means = [number(float(mean)) for mean in part.mean(axis=0)]
            record = f"{(gap < 0).sum()} / {(gap > 0).sum()}"
            rows.append([name, str(len(part)), *means, record])
    return table(["sets with", "sets", *SYSTEMS, "silvan against boosting"], rows)


def draw_figure(errors: NDArray[np.float64], path: Any) -> None:
    """The error of boosting against that of both forests, a dot for each set."""
    figure, axes = panels(1, 2, width=3.6, height=3.6)
    for axis, column in zip(axes[0], (0, 1), strict=True):
        axis.plot([0, 1], [0, 1], color="#bbbbbb", linewidth=1, zorder=1)
        axis.scatter(errors[:, column], errors[:, 2], s=12, color="#d1353b", alpha=0.7)
        axis.set_xlabel(f"test error, {SYSTEMS[column]}")
        axis.set_aspect("equal")
    axes[0, 0].set_ylabel("test error, boosting")
    save(figure, path)


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("boosting", __doc__ or "", seeds=1, argv=argv)
    path = arguments.output / "measurements" / "boosting.csv"
    store = Store(path, ("dataset", "fold", "system"), SCORES)
    index = read_index(arguments.data, arguments.quick)
    measure_cells(store, list_cells(index, arguments.data), measure, arguments)
    found = collect(store, "error")
    errors = np.array(list(found.values()))
    seconds = np.array(list(collect(store, "fit_s").values()))
    draw_figure(errors, arguments.output / "boosting.png")
    summary = [
        [
            system,
            f"{rankdata(errors, axis=1)[:, k].mean():.2f}",
            str(int((errors[:, k] == errors.min(axis=1)).sum())),
            number(float(errors[:, k].mean())),
            f"{np.median(seconds[:, k] / seconds[:, 0]):.1f}",
        ]
        for k, system in enumerate(SYSTEMS)
    ]
    header = ["mean rank", "best or shared best", "mean error", "time to fit"]
    pairs = [compare(errors, 0, 2), compare(errors, 1, 2), compare(errors, 0, 1)]
    parts = [
        f"`{arguments.command}`",
        table([f"{len(errors)} sets", *header], summary),
        table(["pair", "won / lost", "mean difference, points", "p"], pairs),
        compare_by_size(errors, np.array([int(index[name]["n"]) for name in found])),
        "![Error of boosting against that of forests on each set](boosting.png)",
        table(
            ["set", "n", *SYSTEMS],
            [[name, index[name]["n"], *map(number, found[name])] for name in sorted(found)],
        ),
    ]
    page = arguments.output / "boosting.md"
    write_measured(page, "Forests and gradient boosting", "\n\n".join(parts))


if __name__ == "__main__":
    main()
