"""Figure 3.5 of Tomita's thesis: strength of trees against correlation between them."""

from __future__ import annotations

import math
from typing import NamedTuple

from experiments.arguments import Arguments, parse
from experiments.figures import COLORS, panels, save
from experiments.pages import Expectation, expectations_table, number, table, write_measured
from experiments.store import Cell, Store, measure_cells
from experiments.tuning_grid import (
    DROPPED,
    KEYS,
    choose,
    chosen_mean,
    draw_split,
    list_cells,
    make_system,
    score_candidate,
)
from silvan.inspection import StrengthCorrelation, strength_and_correlation
from silvan.plotting import StrengthDisplay

SYSTEMS = ("RF", "RerF", "F-RC")
VALUES = ("oob_error", "oob_auc", "error", "fit_s", "strength", "correlation")


class Setting(NamedTuple):
    """A problem and its number of training rows."""

    problem: str
    n: int

    def __str__(self) -> str:
        return f"{self.problem}, n = {self.n:,}"


PARITY = Setting("sparse parity, p = 10", 1000)
# The caption of the figure has p = 10, the script that drew it p = 20.
WIDE_PARITY = Setting("sparse parity", 1000)
ORTHANT = Setting("orthant", 400)
SMALL = Setting("Trunk", 10)
LARGE = Setting("Trunk", 100)
SETTINGS = (PARITY, WIDE_PARITY, ORTHANT, SMALL, LARGE)


def list_systems(setting: Setting) -> tuple[str, ...]:
    """The systems of a panel; on orthant RerF without empty columns, too."""
    return (*SYSTEMS, DROPPED) if setting == ORTHANT else SYSTEMS


def measure(cell: Cell) -> Cell:
    """What a forest is chosen by, its test error, and its trees' strength and correlation."""
    split = draw_split(cell["problem"], cell["n"], cell["seed"])
    forest = make_system(cell)
    scores = score_candidate(forest, split)
    trees = strength_and_correlation(forest, split.X_train, split.y_train)
    return {**scores, "strength": trees.strength, "correlation": trees.correlation}


def check_expectations(store: Store) -> list[Expectation]:
    """What the thesis says about the four panels."""

    def compare(setting: Setting, column: str, more: str, less: str) -> Expectation:
        where = setting._asdict()
        values = [chosen_mean(store, column, system=system, **where) for system in (more, less)]
        claim = f"{setting}: {column} of {more} above that of {less}"
        if any(math.isnan(value) for value in values):
            return Expectation(claim, "-", None)
        return Expectation(claim, f"{values[0]:.3f} and {values[1]:.3f}", values[0] > values[1])

    parity = [
        compare(setting, *rest)
        for setting in (PARITY, WIDE_PARITY)
        for rest in (
            ("strength", "RerF", "RF"),
            ("strength", "F-RC", "RF"),
            ("correlation", "RerF", "RF"),
            ("correlation", "F-RC", "RF"),
            ("correlation", "F-RC", "RerF"),
        )
    ]
    return [
        *parity,
        compare(ORTHANT, "strength", "RerF", "RF"),
        compare(ORTHANT, "correlation", "RerF", "RF"),
        compare(ORTHANT, "correlation", "F-RC", "RerF"),
        compare(SMALL, "correlation", "RF", "RerF"),
        compare(SMALL, "correlation", "RF", "F-RC"),
        compare(LARGE, "strength", "RerF", "RF"),
        compare(LARGE, "correlation", "RerF", "RF"),
        compare(LARGE, "strength", "F-RC", "RF"),
        compare(LARGE, "correlation", "F-RC", "RF"),
    ]


def trees_of(row: dict[str, str]) -> StrengthCorrelation:
    """Strength and correlation of a forest's trees."""
    return StrengthCorrelation(float(row["strength"]), float(row["correlation"]))


def check_bound(store: Store) -> Expectation:
    """Breiman's theorem: the error is at most ρ(1 - s²)/s², where trees are better than chance."""
    ratios = [
        float(row["error"]) / trees_of(row).bound
        for setting in SETTINGS
        for system in list_systems(setting)
        for row in choose(store, system=system, **setting._asdict())
    ]
    claim = "theorem 2: test errors below Breiman's bound, in every repetition"
    if not ratios:
        return Expectation(claim, "-", None)
    return Expectation(claim, f"{max(ratios):.2f} times that at most", max(ratios) <= 1)


def draw_figure(store: Store, arguments: Arguments) -> None:
    """A dot for each repetition."""
    figure, axes = panels(1, len(SETTINGS), width=3.2, height=3.0)
    for axis, setting in zip(axes[0], SETTINGS, strict=True):
        measures = {
            system: [trees_of(row) for row in choose(store, system=system, **setting._asdict())]
            for system in SYSTEMS
        }
        StrengthDisplay.from_measures(measures, ax=axis, colors=COLORS, s=18)
        axis.set_title(str(setting))
    save(figure, arguments.output / "strength.png")


def results_table(store: Store) -> str:
    """Means over the repetitions."""
    rows = []
    for setting in SETTINGS:
        for system in list_systems(setting):
            means = [
                chosen_mean(store, column, system=system, **setting._asdict())
                for column in ("strength", "correlation", "oob_error", "error", "d", "nonzeros")
            ]
            digits = (3, 3, 4, 4, 1, 1)
            cells = [number(mean, places) for mean, places in zip(means, digits, strict=True)]
            rows.append([f"{setting}: {system}", *cells])
    header = ["setting", "strength", "correlation", "out-of-bag error", "test error"]
    return table([*header, "mean d", "mean λp"], rows)


def grid_table(store: Store, setting: Setting) -> str:
    """Strength and correlation at each d, with the λp or L that is best out of bag."""
    rows = []
    for d in sorted({int(d) for d in store.distinct("d", **setting._asdict())}):
        cells = []
        for system in list_systems(setting):
            where = {"system": system, "d": d, **setting._asdict()}
            means = [chosen_mean(store, column, **where) for column in ("strength", "correlation")]
            cells.append(", ".join(number(mean, 3) for mean in means))
        rows.append([str(d), *cells])
    return table([f"{setting}, d =", *list_systems(setting)], rows)


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("strength", __doc__ or "", seeds=10, argv=argv)
    store = Store(arguments.output / "measurements" / "strength.csv", KEYS, VALUES)
    cells = [
        cell
        for seed in range(arguments.seeds)
        for setting in (SETTINGS[-2:] if arguments.quick else SETTINGS)
        for cell in list_cells(*setting, [seed], list_systems(setting))
    ]
    measure_cells(store, cells, measure, arguments)
    draw_figure(store, arguments)
    seeds = len(store.distinct("seed"))
    parts = [
        f"`{arguments.command}`",
        f"{seeds} repetitions; 100 trees; 10,000 test rows.",
        expectations_table([*check_expectations(store), check_bound(store)]),
        "![Strength against correlation on each problem](strength.png)",
        results_table(store),
        "Strength and correlation at each d:",
        *[grid_table(store, setting) for setting in (ORTHANT, LARGE)],
    ]
    page = arguments.output / "strength.md"
    write_measured(page, "Strength and correlation of trees", "\n\n".join(parts))


if __name__ == "__main__":
    main()
