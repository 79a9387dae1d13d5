"""Figure 3.5 of Tomita's thesis: strength of trees against correlation between them."""

from __future__ import annotations

import math
from typing import NamedTuple

from experiments.arguments import Arguments, parse
from experiments.figures import COLORS, panels, save
from experiments.pages import Expectation, expectations_table, number, table, write_measured
from experiments.store import Store, measure_cells
from experiments.tuning_grid import choose, chosen_mean, list_cells, measure, open_store
from silvan.inspection import StrengthCorrelation
from silvan.plotting import StrengthDisplay

SYSTEMS = ("RF", "RerF", "F-RC")


class Setting(NamedTuple):
    """A problem and its number of training rows."""

    problem: str
    n: int

    def __str__(self) -> str:
        return f"{self.problem}, n = {self.n:,}"


PARITY = Setting("sparse parity, p = 10", 1000)
ORTHANT = Setting("orthant", 400)
SMALL = Setting("Trunk", 10)
LARGE = Setting("Trunk", 100)
SETTINGS = (PARITY, ORTHANT, SMALL, LARGE)


def check_expectations(store: Store) -> list[Expectation]:
    """What the thesis says about the four panels."""

    def compare(
        setting: Setting, column: str, more: str, less: str, last_of_ties: bool = False
    ) -> Expectation:
        where = {**setting._asdict(), "last_of_ties": last_of_ties}
        values = [chosen_mean(store, column, system=s, **where) for s in (more, less)]
        claim = f"{setting}: {column} of {more} above that of {less}"
        if last_of_ties:
            claim += ", ties to the largest d"
        if any(math.isnan(value) for value in values):
            return Expectation(claim, "-", None)
        return Expectation(claim, f"{values[0]:.3f} and {values[1]:.3f}", values[0] > values[1])

    return [
        compare(PARITY, "strength", "RerF", "RF"),
        compare(PARITY, "strength", "F-RC", "RF"),
        compare(PARITY, "correlation", "RerF", "RF"),
        compare(PARITY, "correlation", "F-RC", "RerF"),
        compare(ORTHANT, "strength", "RerF", "RF"),
        compare(ORTHANT, "correlation", "RerF", "RF"),
        compare(ORTHANT, "correlation", "F-RC", "RerF"),
        compare(SMALL, "correlation", "RF", "RerF"),
        compare(SMALL, "correlation", "RF", "F-RC"),
        compare(LARGE, "strength", "RerF", "RF"),
        compare(LARGE, "correlation", "RerF", "RF"),
        compare(LARGE, "strength", "F-RC", "RF"),
        compare(LARGE, "correlation", "F-RC", "RF"),
        compare(LARGE, "strength", "RerF", "RF", last_of_ties=True),
        compare(LARGE, "correlation", "RerF", "RF", last_of_ties=True),
    ]


def draw_figure(store: Store, arguments: Arguments) -> None:
    """A dot for each repetition."""
    figure, axes = panels(1, len(SETTINGS), width=3.2, height=3.0)
    for axis, setting in zip(axes[0], SETTINGS, strict=True):
        measures = {
            system: [
                StrengthCorrelation(float(row["strength"]), float(row["correlation"]))
                for row in choose(store, system=system, **setting._asdict())
            ]
            for system in SYSTEMS
        }
        StrengthDisplay.from_measures(measures, ax=axis, colors=COLORS, s=18)
        axis.set_title(str(setting))
    save(figure, arguments.output / "strength.png")


def results_table(store: Store, last_of_ties: bool) -> str:
    """Means over the repetitions."""
    rows = []
    for setting in SETTINGS:
        for system in SYSTEMS:
            means = [
                chosen_mean(
                    store, column, system=system, last_of_ties=last_of_ties, **setting._asdict()
                )
                for column in ("strength", "correlation", "oob_error", "error", "d", "nonzeros")
            ]
            digits = (3, 3, 4, 4, 1, 1)
            cells = [number(mean, places) for mean, places in zip(means, digits, strict=True)]
            rows.append([f"{setting}: {system}", *cells])
    header = ["setting", "strength", "correlation", "out-of-bag error", "test error"]
    return table([*header, "mean d", "mean λp"], rows)


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("strength", __doc__ or "", seeds=5, argv=argv)
    store = open_store(arguments.output, "strength")
    cells = [
        cell
        for seed in range(arguments.seeds)
        for setting in (SETTINGS[2:] if arguments.quick else SETTINGS)
        for cell in list_cells(*setting, [seed], SYSTEMS)
    ]
    measure_cells(store, cells, measure, arguments)
    draw_figure(store, arguments)
    seeds = len(store.distinct("seed"))
    parts = [
        f"`{arguments.command}`",
        f"{seeds} repetitions; 100 trees; 10,000 test rows.",
        expectations_table(check_expectations(store)),
        "![Strength against correlation on four problems](strength.png)",
        "Of equal out-of-bag errors the one with the smallest d is chosen:",
        results_table(store, last_of_ties=False),
        "The one with the largest d is chosen:",
        results_table(store, last_of_ties=True),
    ]
    page = arguments.output / "strength.md"
    write_measured(page, "Strength and correlation of trees", "\n\n".join(parts))


if __name__ == "__main__":
    main()
