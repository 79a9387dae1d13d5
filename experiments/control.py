"""Tomita's section 3.3.8: structured RerF against a control that knows sizes but not places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments.arguments import Arguments, parse
from experiments.data import Split, load_images
from experiments.figures import draw_curves, panels, save
from experiments.pages import (
    Expectation,
    expectations_table,
    no_worse,
    percent,
    table,
    write_measured,
)
from experiments.scoring import SCORES, score_system
from experiments.store import Cell, Store, measure_cells
from experiments.systems import make_forest, make_rf
from silvan.datasets import make_bars
from silvan.projections import Patches, SparseSigns, UniformCombinations

N_DIRECTIONS = 28
N_TEST = 10_000
SIZES = {"bars": (10, 20, 30, 40, 50, 100), "mnist": (100, 300, 1000, 3000, 10_000)}
PATCHES = {"bars": ((2, 2), (2, 9)), "mnist": ((2, 2), (2, 5))}
SYSTEMS = ("S-RerF", "control", "RerF", "F-RC", "RF", "MORF")


def make_system(cell: Cell) -> Any:
    """One of the forests, each with 100 trees."""
    name, seed = cell["system"], cell["seed"]
    if name == "RF":
        return make_rf(seed)
    if name == "RerF":
        return make_forest(SparseSigns(), seed, N_DIRECTIONS)
    if name == "F-RC":
        return make_forest(UniformCombinations(), seed, N_DIRECTIONS)
    coefficients = "ones" if name == "MORF" else "uniform"
    min_size, max_size = PATCHES[cell["problem"]]
    shuffled = name == "control"
    patches = Patches((28, 28), min_size, max_size, coefficients=coefficients, shuffled=shuffled)
    return make_forest(patches, seed, N_DIRECTIONS)


def measure(cell: Cell) -> Cell:
    """Error and times of one forest."""
    return score_system(make_system(cell), draw(cell))


def draw(cell: Cell) -> Split:
    """The rows of a cell."""
    n, seed, folder = cell["n"], cell["seed"], Path(cell["folder"])
    if cell["problem"] == "mnist":
        return load_images(folder).head(n, seed)
    train = make_bars(n, random_state=seed)
    return Split(*train, *make_bars(N_TEST, random_state=1_000_000 + seed))


def check_expectations(store: Store) -> list[Expectation]:
    """Structure helps, and it is the places that help."""
    expectations = []
    for problem, sizes in SIZES.items():
        for other in ("control", "RerF", "RF"):
            gaps = [
                store.mean("error", problem=problem, system="S-RerF", n=n)
                - store.mean("error", problem=problem, system=other, n=n)
                for n in sizes
            ]
            expectations.append(
                no_worse(f"{problem}: S-RerF no worse than {other} at every n", gaps)
            )
    return expectations


def draw_figure(store: Store, arguments: Arguments) -> None:
    """Error against n for both problems."""
    figure, axes = panels(1, 2, width=4.5)
    for axis, (problem, sizes) in zip(axes[0], SIZES.items(), strict=True):
        curves = {
            system: [store.mean("error", problem=problem, system=system, n=n) for n in sizes]
            for system in SYSTEMS
        }
        draw_curves(axis, sizes, curves)
        axis.set_title(problem)
        axis.set_ylabel("test error")
        axis.set_yscale("log")
    axes[0, 0].legend()
    save(figure, arguments.output / "control.png")


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("control", __doc__ or "", seeds=3, argv=argv)
    path = arguments.output / "measurements" / "control.csv"
    store = Store(path, ("problem", "system", "n", "seed"), SCORES)
    folder = arguments.data / "mnist"
    cells = [
        {"problem": problem, "system": system, "n": n, "seed": seed, "folder": folder}
        for problem, sizes in SIZES.items()
        for n in (sizes[:2] if arguments.quick else sizes)
        for system in SYSTEMS
        for seed in range(arguments.seeds)
    ]
    measure_cells(store, cells, measure, arguments)
    draw_figure(store, arguments)
    parts = [
        f"`{arguments.command}`",
        expectations_table(check_expectations(store)),
        "![Error against n of structured RerF, its control and other forests](control.png)",
    ]
    for problem, sizes in SIZES.items():
        rows = [
            [s, *[percent(store.mean("error", problem=problem, system=s, n=n)) for n in sizes]]
            for s in SYSTEMS
        ]
        parts.append(table([f"{problem}, n =", *[f"{n:,}" for n in sizes]], rows))
    page = arguments.output / "control.md"
    write_measured(page, "Structured RerF and its control", "\n\n".join(parts))


if __name__ == "__main__":
    main()
