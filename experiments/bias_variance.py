"""Figure 3.6 of Tomita's thesis: bias and variance on sparse parity against n."""

from __future__ import annotations

import math
from dataclasses import asdict, fields
from functools import partial

import numpy as np

from experiments.arguments import Arguments, parse
from experiments.figures import COLORS, panels, save
from experiments.pages import Expectation, expectations_table, number, table, write_measured
from experiments.store import Cell, Store, measure_cells, require_rows
from experiments.tuning_grid import PROBLEMS, make_system, open_store
from silvan.inspection import BiasVariance, bias_variance
from silvan.plotting import BiasVarianceDisplay

PROBLEM = "sparse parity"
SIZES = (500, 1000, 2000)
SYSTEMS = ("RF", "RerF", "F-RC")
N_TEST = 5000
MEASURES = tuple(field.name for field in fields(BiasVariance))


def best_parameters(grid: Store, system: str, n: int) -> Cell | None:
    """The d and λp with the least mean out-of-bag error in the runs of `randomer`."""
    errors: dict[tuple[str, str], list[float]] = {}
    for row in grid.rows.values():
        same = (row["problem"], row["system"], row["n"]) == (PROBLEM, system, str(n))
        if same and (system, row["nonzeros"]) != ("F-RC", "1"):
            errors.setdefault((row["d"], row["nonzeros"]), []).append(float(row["oob_error"]))
    if not errors:
        return None
    d, nonzeros = min(errors, key=lambda key: float(np.mean(errors[key])))
    return {"d": int(d), "nonzeros": int(nonzeros)}


def measure(cell: Cell) -> Cell:
    """The decomposition for one system and size, over `repeats` training sets."""
    forest = make_system({**cell, "seed": 0})
    measures = bias_variance(
        forest,
        PROBLEMS[PROBLEM].simulate,
        cell["n"],
        n_repeats=cell["repeats"],
        n_test=N_TEST,
        random_state=36,
    )
    return asdict(measures)


def count_repeats(arguments: Arguments) -> int:
    """Training sets for each system and size."""
    return 5 if arguments.quick else arguments.seeds


def list_cells(grid: Store, arguments: Arguments) -> list[Cell]:
    """Small sizes first; each with the parameters that `randomer` found."""
    before = "python -m experiments.randomer" + " --quick" * arguments.quick
    if not grid.rows:
        raise SystemExit(
            f"bias_variance takes its parameters from {grid.path}, which has none yet; run "
            f"{before} first."
        )
    cells = []
    for n in SIZES[:1] if arguments.quick else SIZES:
        for system in SYSTEMS:
            best = best_parameters(grid, system, n)
            if best is None:
                print(f"left out: {system}, n={n}; run {before} first")
                continue
            cells.append({"system": system, "n": n, "repeats": count_repeats(arguments), **best})
    return cells


def read(store: Store, system: str, n: int) -> BiasVariance:
    """A stored decomposition; NaN where there is none."""
    return BiasVariance(**{name: store.mean(name, system=system, n=n) for name in MEASURES})


def check_expectations(store: Store) -> list[Expectation]:
    """What the thesis says about the panels."""

    def compare(name: str, lower: str, higher: str, sizes: tuple[int, ...]) -> Expectation:
        gaps = [
            getattr(read(store, lower, n), name) - getattr(read(store, higher, n), name)
            for n in sizes
        ]
        text = name.replace("_", " ")
        where = "every n" if sizes == SIZES else f"n = {', '.join(f'{n:,}' for n in sizes)}"
        claim = f"{text} of {lower} below that of {higher} at {where}"
        if any(math.isnan(gap) for gap in gaps):
            return Expectation(claim, "-", None)
        return Expectation(claim, f"{max(gaps):+.4f} at worst", max(gaps) < 0)

    large = SIZES[-1]
    return [
        compare("bias", "RerF", "RF", SIZES),
        compare("bias", "RerF", "F-RC", SIZES),
        compare("variance", "RerF", "RF", SIZES),
        compare("variance", "F-RC", "RF", SIZES),
        compare("variance", "RerF", "F-RC", (large,)),
        compare("variance_effect", "RerF", "RF", (large,)),
        compare("variance_effect", "RF", "RerF", SIZES[:1]),
        compare("error", "RerF", "RF", SIZES),
    ]


def draw_figure(store: Store, arguments: Arguments) -> None:
    """Four panels against n, with the systems that were measured at all sizes."""
    figure, axes = panels(1, 4, width=2.9, height=2.8)
    sizes = sorted(int(n) for n in store.distinct("n"))
    measures = {
        system: [read(store, system, n) for n in sizes]
        for system in SYSTEMS
        if all(store.values("error", system=system, n=n) for n in sizes)
    }
    BiasVarianceDisplay.from_measures(measures, sizes=sizes, ax=axes[0], colors=COLORS)
    save(figure, arguments.output / "bias_variance.png")


def results_table(store: Store) -> str:
    """Every measure, and the parameters it was measured with."""
    rows = []
    for n in SIZES:
        for system in SYSTEMS:
            measures = read(store, system, n)
            value = partial(store.distinct, system=system, n=n)
            rows.append(
                [
                    f"n = {n:,}: {system}",
                    *[number(getattr(measures, name)) for name in MEASURES if "bayes" not in name],
                    ", ".join(value("d") + value("nonzeros")) or "-",
                ]
            )
    names = [name.replace("_", " ") for name in MEASURES if "bayes" not in name]
    return table(["", *names, "d, λp"], rows)


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("bias_variance", __doc__ or "", seeds=20, argv=argv)
    path = arguments.output / "measurements" / "bias_variance.csv"
    store = Store(path, ("system", "n", "repeats", "d", "nonzeros"), MEASURES)
    grid = open_store(arguments.output, "randomer")
    cells = [] if arguments.report else list_cells(grid, arguments)
    measure_cells(store, cells, measure, arguments)
    repeats = count_repeats(arguments)
    require_rows(store, arguments, repeats=repeats)
    draw_figure(store, arguments)
    parts = [
        f"`{arguments.command}`",
        f"Each row of the table is from {repeats} training sets; 100 trees; {N_TEST:,} test rows.",
        expectations_table(check_expectations(store)),
        "![Bias, variance, variance effect and error against n](bias_variance.png)",
        results_table(store),
    ]
    page = arguments.output / "bias_variance.md"
    write_measured(page, "Bias and variance on sparse parity", "\n\n".join(parts))


if __name__ == "__main__":
    main()
