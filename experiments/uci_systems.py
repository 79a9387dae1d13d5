"""Eight forests on the UCI sets, tuned alike, with critical differences of their mean ranks."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import friedmanchisquare, rankdata, studentized_range, wilcoxon

from experiments.arguments import Arguments, parse
from experiments.figures import COLORS, panels, save
from experiments.pages import Expectation, expectations_table, number, table, write_measured
from experiments.store import Store, measure_cells
from experiments.uci import Index, read_index
from experiments.uci_tuning import (
    KEYS,
    SYSTEMS,
    VALUES,
    list_cells,
    mean_errors,
    measure,
    measured_sets,
    shared_folds,
)

NAMES = tuple(SYSTEMS)
LEVEL = 0.05


class Ranks(NamedTuple):
    """Mean ranks of systems over sets, 1 is best, and the difference that counts."""

    mean: NDArray[np.float64]
    critical: float
    p_value: float


def rank_systems(errors: NDArray[np.float64]) -> Ranks:
    """Friedman's test and Nemenyi's critical difference; a row for each set, ties share ranks."""
    ranks = rankdata(errors, axis=1)
    n_sets, k = errors.shape
    spread = float(studentized_range.ppf(1 - LEVEL, k, np.inf)) / math.sqrt(2)
    critical = spread * math.sqrt(k * (k + 1) / (6 * n_sets))
    return Ranks(ranks.mean(axis=0), critical, float(friedmanchisquare(*ranks.T).pvalue))


def find_groups(ranks: Ranks) -> list[tuple[float, float]]:
    """The longest stretches of mean ranks within the critical difference."""
    ordered = np.sort(ranks.mean)
    groups = []
    furthest = -1
    for i, low in enumerate(ordered):
        last = int(np.flatnonzero(ordered <= low + ranks.critical).max())
        if last > i and last > furthest:
            groups.append((float(low), float(ordered[last])))
        furthest = max(furthest, last)
    return groups


def adjust_by_holm(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Holm's correction for several tests."""
    order = np.argsort(p_values)
    steps = (len(p_values) - np.arange(len(p_values))) * p_values[order]
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted


def split_sets(index: Index, names: list[str]) -> dict[str, NDArray[np.bool_]]:
    """All sets, those of numbers only, and those with categories."""
    categorical = np.array([float(index[name]["n_categorical"]) > 0 for name in names])
    every = np.ones(len(names), dtype=bool)
    return {"all": every, "numeric": ~categorical, "categorical": categorical}


def draw_ranks(axis: Any, ranks: Ranks, title: str) -> None:
    """A critical difference diagram: mean ranks on a line, bars over those that do not differ."""
    k = len(NAMES)
    low, high = math.floor(ranks.mean.min() * 2) / 2, math.ceil(ranks.mean.max() * 2) / 2
    axis.set(xlim=(low - 0.9, high + 0.9), ylim=(-0.36 * k - 1, 2.1))
    axis.axis("off")
    axis.hlines(0, low, high, color="black", linewidth=1)
    for tick in np.arange(low, high + 0.1, 0.5):
        axis.vlines(tick, 0, 0.12, color="black", linewidth=1)
        axis.text(tick, 0.2, f"{tick:g}", ha="center", fontsize=8)
    order = np.argsort(ranks.mean, kind="stable")
    for place, system in enumerate(order):
        left = place < (k + 1) // 2
        depth = -0.75 - 0.62 * (place if left else k - 1 - place)
        edge, rank = low - 0.1 if left else high + 0.1, ranks.mean[system]
        color = COLORS.get(NAMES[system], "black")
        axis.plot([rank, rank, edge], [0, depth, depth], color=color, linewidth=1.4)
        side = {"ha": "right" if left else "left", "va": "center", "fontsize": 9}
        axis.text(edge, depth, f" {NAMES[system]} {rank:.2f} ", color=color, **side)
    for row, (start, end) in enumerate(find_groups(ranks)):
        axis.hlines(-0.18 - 0.16 * row, start - 0.04, end + 0.04, color="black", linewidth=3)
    axis.hlines(1.1, low, low + ranks.critical, color="black", linewidth=2)
    axis.text(low, 1.25, f"critical difference {ranks.critical:.2f}", fontsize=8)
    axis.set_title(title, fontsize=9)


def draw_figure(errors: NDArray[np.float64], groups: dict[str, Any], arguments: Arguments) -> None:
    """A diagram for each group of sets."""
    figure, axes = panels(len(groups), 1, width=7.0, height=2.5)
    for axis, (title, chosen) in zip(axes[:, 0], groups.items(), strict=True):
        draw_ranks(axis, rank_systems(errors[chosen]), f"{title} ({chosen.sum()} sets)")
    save(figure, arguments.output / "uci_systems.png")


def list_expectations(normalised: NDArray[np.float64]) -> list[Expectation]:
    """What the literature of the systems says: each is published as better than RF."""
    expectations = []
    base = normalised[:, NAMES.index("RF")]
    others = [name for name in NAMES if name != "RF"]
    p_values = [
        float(wilcoxon(normalised[:, NAMES.index(name)], base, alternative="less").pvalue)
        for name in others
    ]
    for name, p in zip(others, adjust_by_holm(np.array(p_values)), strict=True):
        claim = f"{name} better than RF, one-sided Wilcoxon with Holm's correction, p < .05"
        expectations.append(Expectation(claim, f"p = {p:.2g}", bool(p < LEVEL)))
    return expectations


def summary_table(errors: NDArray[np.float64], index: Index, names: list[str]) -> str:
    """Mean rank, mean errors, wins and losses against RF, and seconds of each system."""
    chance = np.array([float(index[name]["chance_error"]) for name in names])
    base = errors[:, NAMES.index("RF")]
    ranks = {title: rank_systems(errors[c]) for title, c in split_sets(index, names).items()}
    rows = []
    for j in np.argsort(ranks["all"].mean, kind="stable"):
        gap = (errors[:, j] - base).round(9)
        rows.append(
            [
                NAMES[j],
                *[number(group.mean[j], 2) for group in ranks.values()],
                number(float(errors[:, j].mean())),
                number(float((errors[:, j] / chance).mean())),
                f"{(gap < 0).sum()} / {(gap > 0).sum()}",
            ]
        )
    groups = [f"mean rank, {title}" for title in ranks]
    header = ("system", *groups, "mean error", "over chance", "won / lost against RF")
    return table(header, rows)


def error_table(store: Store, errors: NDArray[np.float64], names: list[str]) -> str:
    """Mean error over the folds of every set; the least is bold."""
    rows = []
    for name, row in zip(names, errors.round(3), strict=True):
        cells = [f"**{e:.3f}**" if e == row.min() else f"{e:.3f}" for e in row]
        rows.append([name, str(len(shared_folds(store, name, NAMES))), *cells])
    return table(("set", "folds", *NAMES), rows)


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("uci_systems", __doc__ or "", seeds=1, argv=argv)
    path = arguments.output / "measurements" / "uci_systems.csv"
    store = Store(path, KEYS, VALUES)
    measure_cells(store, list_cells(arguments, NAMES), measure, arguments)
    index = read_index(arguments.data, arguments.quick)
    names = measured_sets(store, index, NAMES)
    errors = mean_errors(store, names, NAMES)
    draw_figure(errors, split_sets(index, names), arguments)
    ranks = rank_systems(errors)
    shared = {name: shared_folds(store, name, NAMES) for name in store.distinct("dataset")}
    minutes = dict.fromkeys(NAMES, 0.0)
    for (name, fold, system), row in store.rows.items():
        if fold in shared[name]:
            minutes[system] += float(row["fit_s"]) / 60
    times = [f"{name} {spent:.1f}" for name, spent in minutes.items()]
    parts = [
        f"`{arguments.command}`",
        expectations_table(list_expectations(errors)),
        f"{len(names)} sets. Friedman's test that all systems are alike: p = {ranks.p_value:.2g}. "
        f"Mean ranks that differ by more than {ranks.critical:.2f} differ at the level {LEVEL} "
        "(Nemenyi); bars join those that do not.",
        "![Critical difference diagrams of eight forests](uci_systems.png)",
        summary_table(errors, index, names),
        f"Minutes of processor time for tuning and fitting all folds: {', '.join(times)}.",
        "Mean error over the folds:",
        error_table(store, errors, names),
    ]
    page = arguments.output / "uci_systems.md"
    write_measured(page, "Eight forests on UCI sets", "\n\n".join(parts))


if __name__ == "__main__":
    main()
