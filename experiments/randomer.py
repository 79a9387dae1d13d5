"""Figures 3.2, 3.3, 3.8 and 3.9 of Tomita's thesis: sparse parity and orthant.

The grid of d and λ is searched with forests of 100 trees; those that are chosen out of bag are
grown again with 1,000, as in the thesis.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

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
from experiments.tuning_grid import (
    KEYS,
    MEANS,
    PROBLEMS,
    SYSTEMS,
    choose,
    chosen_error,
    chosen_mean,
    draw_split,
    list_cells,
    make_system,
    measure,
    open_store,
)

SIZES = {
    "sparse parity": (500, 1000, 2000, 3000, 5000),
    "orthant": (200, 400, 1000, 2000, 4000),
}
# Sizes at which the thesis looks at the sparsity.
SPARSITY_SIZES = {"sparse parity": 5000, "orthant": 400}
MIXED = ("RerF", "F-RC")
# The script that drew Figure 3.3 reads RerF's errors on orthant from n = 4,000, F-RC's from 400.
MIXED_UP = 4000
N_TREES = 1000


def all_cells(arguments: Arguments) -> list[Cell]:
    """Seed by seed, so that a run that is stopped has whole rows of all sizes."""
    cells = []
    for seed in range(arguments.seeds):
        for problem, sizes in SIZES.items():
            for n in sizes[:2] if arguments.quick else sizes:
                cells += list_cells(problem, n, [seed], SYSTEMS)
    return cells


def chosen_for_errors(store: Store) -> Iterator[dict[str, str]]:
    """The forests that figures 3.2 and 3.9 show: one for each seed, and some more than once."""
    for problem, sizes in SIZES.items():
        for n in sizes:
            for system in SYSTEMS:
                where = {"problem": problem, "system": system, "n": n}
                yield from choose(store, **where)
                yield from choose(store, PROBLEMS[problem].n_features, **where)


def chosen_for_sparsity(store: Store) -> Iterator[dict[str, str]]:
    """Those of figure 3.3."""
    looked_at = [(problem, n, MIXED) for problem, n in SPARSITY_SIZES.items()]
    for problem, n, systems in (*looked_at, ("orthant", MIXED_UP, ("RerF",))):
        for system in systems:
            for mean in MEANS:
                yield from choose(store, problem=problem, n=n, system=system, nonzeros=mean)


def list_chosen(store: Store, arguments: Arguments) -> list[Cell]:
    """Each of these once: those for errors first, seed by seed."""
    cells: dict[tuple[str, ...], Cell] = {}
    for chosen in (chosen_for_errors(store), chosen_for_sparsity(store)):
        for row in sorted(chosen, key=lambda row: int(row["seed"])):
            if int(row["seed"]) < arguments.seeds:
                cell = {key: row[key] for key in KEYS} | {"n": int(row["n"])}
                cells.setdefault(store.key(row), cell)
    return list(cells.values())


def regrow(cell: Cell) -> Cell:
    """Test error and training time of a forest with as many trees as in the thesis."""
    X, y, X_test, y_test = draw_split(cell["problem"], cell["n"], int(cell["seed"]))
    forest = make_system(cell).set_params(n_estimators=N_TREES)
    start = time.process_time()
    forest.fit(X, y)
    seconds = time.process_time() - start
    return {"error": float(np.mean(forest.predict(X_test) != y_test)), "fit_s": seconds}


def put_in(store: Store, regrown: Store, chosen: Iterable[dict[str, str]]) -> Store:
    """The grid with errors of forests that were grown again, of problems that have all of them."""
    joined = Store(store.path, store.keys, store.columns[len(store.keys) :])
    keys = {store.key(row): row["problem"] for row in chosen}
    missing = {problem for key, problem in keys.items() if key not in regrown.rows}
    for key, problem in keys.items():
        if problem not in missing:
            joined.rows[key] = joined.rows[key] | {"error": regrown.rows[key]["error"]}
    return joined


def describe_trees(store: Store, regrown: Store) -> str:
    """How many trees the forests have that the figures show."""
    figures = {"errors": chosen_for_errors(store), "dependence on λ": chosen_for_sparsity(store)}
    again = []
    for name, chosen in figures.items():
        rows = list(chosen)
        missing = {row["problem"] for row in rows if store.key(row) not in regrown.rows}
        again += [f"{problem}, {name}" for problem in SIZES if problem not in missing]
    kind = "100 trees in the search and for times"
    return f"{kind}; chosen forests grow again with {N_TREES:,} for: {'; '.join(again) or 'none'}"


def check_expectations(store: Store) -> list[Expectation]:
    """What the thesis says, and how far apart systems must be."""

    def error(problem: str, system: str, n: int, max_directions: float = math.inf) -> float:
        where = {"problem": problem, "system": system, "n": n}
        return chosen_mean(store, "error", max_directions=max_directions, **where)

    parity = error("sparse parity", "RF", 5000)
    above = None if math.isnan(parity) else parity > 0.25
    expectations = [
        at_most(
            "sparse parity, n=5000: RerF at most .02", error("sparse parity", "RerF", 5000), 0.02
        ),
        Expectation("sparse parity, n=5000: RF above .25", number(parity), above),
    ]
    for n in SIZES["orthant"]:
        gap = error("orthant", "RerF", n) - error("orthant", "RF", n)
        expectations.append(within_a_point(f"orthant, n={n}: RerF within a point of RF", gap))
    for problem, sizes in SIZES.items():
        p = PROBLEMS[problem].n_features
        gaps = [error(problem, "RerF", n, p) - error(problem, "RF", n, p) for n in sizes]
        claim = f"{problem}, d at most p: RerF no more than a point worse than RF at any n"
        expectations.append(within_a_point(claim, max(gaps)))
    return expectations


def check_sparsity(store: Store) -> list[Expectation]:
    """What the thesis says of Figure 3.3."""
    same = [compare_sensitivity(store, problem, n, n) for problem, n in SPARSITY_SIZES.items()]
    return [*same, compare_sensitivity(store, "orthant", MIXED_UP, SPARSITY_SIZES["orthant"])]


def compare_sensitivity(store: Store, problem: str, n_rerf: int, n_frc: int) -> Expectation:
    """Whether RerF's error depends less on λ than F-RC's; the thesis begins with λp = 2."""
    curves = {
        system: sparsity_curve(store, problem, system, n)[1:]
        for system, n in (("RerF", n_rerf), ("F-RC", n_frc))
    }
    spread = {system: float(np.std(curve, ddof=1)) for system, curve in curves.items()}
    where = f"n = {n_rerf:,}" if n_rerf == n_frc else f"RerF at n = {n_rerf:,}, F-RC at {n_frc:,}"
    return Expectation(
        f"{problem}, {where}: error of RerF depends less on λ than that of F-RC",
        f"standard deviations {spread['RerF']:.4f} and {spread['F-RC']:.4f}",
        None if math.isnan(sum(spread.values())) else spread["RerF"] < spread["F-RC"],
    )


def within_a_point(claim: str, gap: float) -> Expectation:
    """The expectation that an error exceeds another by a point of percent at most."""
    if math.isnan(gap):
        return Expectation(claim, "-", None)
    return Expectation(claim, f"{100 * gap:+.2f} points", gap <= 0.01)


def sparsity_curve(store: Store, problem: str, system: str, n: int) -> list[float]:
    """Mean error for each λp, with d chosen out of bag."""
    where = {"problem": problem, "system": system, "n": n}
    return [chosen_mean(store, "error", nonzeros=mean, **where) for mean in MEANS]


def draw_errors(store: Store, arguments: Arguments, bounded: bool) -> None:
    """Cross-sections of both problems and error against n; `bounded` has at most p directions."""
    figure, axes = panels(1, 2, width=4.4) if bounded else panels(2, 3, width=3.4, height=3.0)
    for row, (problem, sizes) in enumerate(SIZES.items()):
        if not bounded:
            draw_sections(axes[row, :2], problem)
        axis = axes[0, row] if bounded else axes[row, 2]
        max_directions = PROBLEMS[problem].n_features if bounded else math.inf
        for system in SYSTEMS:
            where = {"problem": problem, "system": system, "max_directions": max_directions}
            means = [chosen_mean(store, "error", n=n, **where) for n in sizes]
            errors = [chosen_error(store, "error", n=n, **where) for n in sizes]
            axis.errorbar(
                sizes, means, np.nan_to_num(errors), color=COLORS[system], label=system, marker="."
            )
        axis.set(title=problem, xlabel="training rows", ylabel="test error", ylim=(0, None))
    axes.ravel()[-1].legend(frameon=False)
    save(figure, arguments.output / f"randomer_{'bounded' if bounded else 'error'}.png")


def draw_sections(axes: Any, problem: str) -> None:
    """The first two dimensions where the third is negative, and where it is positive."""
    X, y = PROBLEMS[problem].simulate(3000, random_state=0)
    for axis, positive in zip(axes, (False, True), strict=True):
        rows = (X[:, 2] > 0) == positive
        colours = y[rows] % 20 if problem == "orthant" else y[rows]
        axis.scatter(*X[rows, :2].T, c=colours, s=4, cmap="coolwarm" if y.max() < 2 else "tab20")
        axis.set(title=f"{problem}, x3 {'>' if positive else '<'} 0", xlabel="x1", ylabel="x2")
        axis.set_aspect("equal")


def draw_sparsity(store: Store, arguments: Arguments) -> None:
    """Figure 3.3: error against λ."""
    figure, axes = panels(1, 2, width=3.8)
    for axis, (problem, n) in zip(axes[0], SPARSITY_SIZES.items(), strict=True):
        for system in MIXED:
            curve = sparsity_curve(store, problem, system, n)
            axis.plot(MEANS, curve, marker="o", color=COLORS[system], label=system)
        if problem == "orthant":
            curve = sparsity_curve(store, problem, "RerF", MIXED_UP)
            label = f"RerF, n = {MIXED_UP:,}"
            axis.plot(MEANS, curve, marker="o", ls="--", color=COLORS["RerF"], label=label)
        axis.set(title=f"{problem}, n = {n:,}", xlabel="λp", ylabel="test error", ylim=(0, None))
        axis.set_xticks(MEANS)
    axes[0, 1].legend(frameon=False)
    save(figure, arguments.output / "randomer_sparsity.png")


def draw_times(store: Store, arguments: Arguments) -> None:
    """Figure 3.8: training time against n and d, and error against d, on sparse parity."""
    problem = "sparse parity"
    n = max(int(size) for size in store.distinct("n", problem=problem))
    figure, axes = panels(1, 3, width=3.6)
    for system in SYSTEMS:
        where = {"problem": problem, "system": system}
        colour = {"color": COLORS[system], "marker": "o", "markersize": 3}
        sizes = SIZES[problem]
        times = [chosen_mean(store, "fit_s", n=size, **where) for size in sizes]
        axes[0, 0].plot(sizes, times, label=system, **colour)
        counts = sorted({int(d) for d in store.distinct("d", n=n, **where)})
        for axis, column in ((axes[0, 1], "fit_s"), (axes[0, 2], "error")):
            axis.plot(
                counts, [chosen_mean(store, column, n=n, d=d, **where) for d in counts], **colour
            )
            axis.set(xscale="log", xlabel="directions d at a node")
    axes[0, 0].set(xlabel="training rows", ylabel="training, CPU seconds", yscale="log")
    axes[0, 1].set(ylabel="training, CPU seconds", yscale="log", title=f"n = {n:,}")
    axes[0, 2].set(ylabel="test error", title=f"n = {n:,}")
    axes[0, 0].legend(frameon=False)
    save(figure, arguments.output / "randomer_time.png")


def error_table(store: Store, problem: str, bounded: bool = False) -> str:
    """Mean error and its standard error, one row for each system."""
    sizes = SIZES[problem]
    max_directions = PROBLEMS[problem].n_features if bounded else math.inf
    rows = []
    for system in SYSTEMS:
        where = {"problem": problem, "system": system, "max_directions": max_directions}
        cells = []
        for n in sizes:
            cell = number(chosen_mean(store, "error", n=n, **where))
            deviation = chosen_error(store, "error", n=n, **where)
            cells.append(cell if math.isnan(deviation) else f"{cell} ± {number(deviation)}")
        rows.append([system, *cells])
    return table([f"{problem}, n =", *[f"{n:,}" for n in sizes]], rows)


def choice_table(store: Store, problem: str) -> str:
    """The d and λp chosen most often."""
    rows = []
    for system in SYSTEMS:
        cells = []
        for n in SIZES[problem]:
            chosen = choose(store, problem=problem, system=system, n=n)
            common = Counter((row["d"], row["nonzeros"]) for row in chosen).most_common(1)
            cells.append(f"{common[0][0][0]}, {common[0][0][1]}" if common else "-")
        rows.append([system, *cells])
    return table([f"{problem}, n =", *[f"{n:,}" for n in SIZES[problem]]], rows)


def write_page(store: Store, curves: Store, trees: str, arguments: Arguments) -> None:
    """Expectations, figures and tables."""
    seeds = {p: len(store.distinct("seed", problem=p, n=SIZES[p][-1])) for p in SIZES}
    parts = [
        f"`{arguments.command}`",
        f"Repetitions: {', '.join(f'{p} {n}' for p, n in seeds.items())}; {trees}; 10,000 test "
        "rows.",
        expectations_table([*check_expectations(store), *check_sparsity(curves)]),
        "## Error against n (Figure 3.2)",
        "![Sparse parity and orthant, and error against n](randomer_error.png)",
        *[error_table(store, problem) for problem in SIZES],
        "The d and λp (for F-RC the number L of features) chosen most often:",
        *[choice_table(store, problem) for problem in SIZES],
        "## Sensitivity to λ (Figure 3.3)",
        "![Error against the density of directions](randomer_sparsity.png)",
        "## Training time (Figure 3.8)",
        "![Training time against n and d, and error against d](randomer_time.png)",
        "## At most p directions (Figure 3.9)",
        "![Error against n where no forest has more than p directions](randomer_bounded.png)",
        *[error_table(store, problem, bounded=True) for problem in SIZES],
    ]
    page = arguments.output / "randomer.md"
    write_measured(page, "Sparse parity and orthant", "\n\n".join(parts))


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("randomer", __doc__ or "", seeds=3, argv=argv)
    store = open_store(arguments.output, "randomer")
    measure_cells(store, all_cells(arguments), measure, arguments)
    path = arguments.output / "measurements" / "randomer_regrown.csv"
    regrown = Store(path, KEYS, ("error", "fit_s"))
    measure_cells(regrown, list_chosen(store, arguments), regrow, arguments)
    errors = put_in(store, regrown, chosen_for_errors(store))
    curves = put_in(store, regrown, chosen_for_sparsity(store))
    draw_errors(errors, arguments, bounded=False)
    draw_errors(errors, arguments, bounded=True)
    draw_sparsity(curves, arguments)
    draw_times(store, arguments)
    write_page(errors, curves, describe_trees(store, regrown), arguments)


if __name__ == "__main__":
    main()
