"""Figure 1 and 2 of the MORF paper: circle, bars and impulse, error and time against n."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.arguments import Arguments, parse
from experiments.cnn import FIXED, HAS_TORCH, STOPPED, TABLE_1, ConvolutionalNetwork
from experiments.data import Split
from experiments.figures import draw_curves, panels, save
from experiments.pages import (
    Expectation,
    at_most,
    describe_outcome,
    expectations_table,
    no_worse,
    number,
    table,
    write_measured,
)
from experiments.scoring import SCORES, score_system
from experiments.store import Cell, Store, measure_cells
from experiments.systems import (
    CLASSICS,
    N_TREES,
    make_classic,
    make_forest,
    make_image_patches,
    make_rf,
    make_sporf,
)
from silvan import ManifoldForestClassifier
from silvan.datasets import make_bars, make_circle_segments, make_impulse
from silvan.projections import Patches

N_TEST = 10_000
BAYES_IMPULSE = 0.1201


class Setting(NamedTuple):
    """Patches and the number of directions at a node."""

    patches: Patches
    n_directions: int | str


class Problem(NamedTuple):
    """A simulation, its sizes, SPORF's directions, the forests of the papers, and its grid.

    `repeats` multiplies the seeds for forests: with a few bars a result depends on the draw, and
    wrapped and padded patches on the circle differ by little.
    """

    draw: Callable[..., Any]
    sizes: tuple[int, ...]
    n_directions: int | str
    forests: dict[str, Setting]
    grid: dict[str, Any]
    repeats: int = 1


def line(min_size: int, max_size: int, boundary: str) -> Patches:
    """Patches of 100 features in a line or on a circle."""
    return Patches(100, min_size, max_size, boundary=boundary)


def draw_equal_bars(n: int, random_state: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Bars with as many rows of either class, where `make_bars` tosses a coin for each row."""
    X, y = make_bars(4 * n + 20, random_state=random_state)
    rows = np.concatenate([np.flatnonzero(y == label)[: n // 2] for label in (0, 1)])
    return X[rows], y[rows]


BAR_FORESTS = {
    "MORF": Setting(make_image_patches((1, 1), (4, 4)), 28),
    "MORF, corner": Setting(make_image_patches((1, 1), (4, 4), "corner"), 28),
    "MF, Table 2": Setting(make_image_patches((2, 2), (2, 9)), 28),
    "MORF, 4 x 1": Setting(make_image_patches((4, 1), (4, 1)), 28),
}
CIRCLE: dict[str, Any] = {"shape": 100, "boundary": "wrap"}
IMAGE: dict[str, Any] = {"shape": (28, 28)}
PANELS = ("circle", "bars", "impulse")
NETWORKS = {"CNN": FIXED, "CNN, stopped early": STOPPED}
# Draws of the network that stops early, as published; the other has one on bars and impulse.
NETWORK_DRAWS = 5
# Drawn beside the systems without a variant in their name.
DRAWN = ("MORF, corner", "CNN, stopped early")
# With defaults: windows of channels, and sums of raw values as in the papers.
DEFAULTS = ("channels", "raw sums")
PROBLEMS = {
    "circle": Problem(
        make_circle_segments,
        (50, 100, 200, 400, 1000, 2000),
        40,
        {
            "MORF": Setting(line(1, 15, "wrap"), 40),
            "MORF, pad": Setting(line(1, 15, "pad"), 40),
            "MORF, corner": Setting(line(1, 15, "corner"), 40),
            "MF, Table 2": Setting(line(3, 12, "wrap"), 50),
        },
        CIRCLE,
        repeats=4,
    ),
    "bars": Problem(
        make_bars,
        (10, 20, 30, 40, 50, 100),
        28,
        BAR_FORESTS,
        IMAGE,
        repeats=4,
    ),
    "bars, equal classes": Problem(
        draw_equal_bars, (10, 20, 30, 40, 50, 100), 28, BAR_FORESTS, IMAGE, repeats=4
    ),
    "impulse": Problem(
        make_impulse,
        (50, 100, 200, 400, 1000, 2000),
        "sqrt",
        {
            "MORF": Setting(line(1, 5, "pad"), "sqrt"),
            "MORF, corner": Setting(line(1, 5, "corner"), "sqrt"),
            "MF, Table 2": Setting(line(2, 12, "pad"), 30),
        },
        {"shape": 100},
    ),
}


def measure(cell: Cell) -> Cell | None:
    """Error and times of one system on one draw; None if the system cannot run here."""
    system = make_system(cell)
    return None if system is None else score_system(system, draw(cell))


def make_system(cell: Cell) -> Any:
    """The classifier that a cell names."""
    problem, name, seed = PROBLEMS[cell["problem"]], cell["system"], cell["seed"]
    if name in problem.forests:
        setting = problem.forests[name]
        return make_forest(setting.patches, seed, setting.n_directions)
    if name in DEFAULTS:
        channels = "auto" if name == "channels" else "raw"
        return ManifoldForestClassifier(
            N_TREES, channels=channels, random_state=seed, n_jobs=1, **problem.grid
        )
    if name == "RF":
        return make_rf(seed)
    if name == "SPORF":
        return make_sporf(seed, problem.n_directions)
    if name in NETWORKS:
        network = TABLE_1[cell["problem"]]
        return ConvolutionalNetwork(network, seed, NETWORKS[name]) if HAS_TORCH else None
    return make_classic(name, seed)


def draw(cell: Cell) -> Split:
    """Training rows of the cell's seed; test rows of a seed that no training row has."""
    make = PROBLEMS[cell["problem"]].draw
    train = make(cell["n"], random_state=cell["seed"])
    return Split(*train, *make(N_TEST, random_state=1_000_000 + cell["seed"]))


def list_cells(arguments: Arguments) -> list[Cell]:
    """Every fit: the forests first, the slow systems last."""
    names = list(dict.fromkeys(name for p in PROBLEMS.values() for name in p.forests))
    cells = []
    once = (*DEFAULTS, *CLASSICS, *NETWORKS)
    for system in (*DEFAULTS, *names, "RF", "SPORF", *CLASSICS, *NETWORKS):
        for name, problem in PROBLEMS.items():
            if system.startswith(("MORF", "MF")) and system not in problem.forests:
                continue
            if name not in PANELS and system in once:
                continue
            for n in problem.sizes[:2] if arguments.quick else problem.sizes:
                seeds = arguments.seeds * (1 if system in once else problem.repeats)
                if system in NETWORKS:
                    few = system == "CNN" and name != "circle"
                    seeds = min(seeds, 1 if few else NETWORK_DRAWS)
                for seed in range(seeds):
                    cells.append({"problem": name, "system": system, "n": n, "seed": seed})
    return cells


def check_expectations(store: Store) -> list[Expectation]:
    """The claims that the simulations must show."""

    def error(problem: str, system: str, n: int) -> float:
        return store.mean("error", problem=problem, system=system, n=n)

    expectations = [
        at_most("circle, n=200: at most .11", error("circle", "MORF", 200), 0.11),
        at_most("circle, n=1000: at most .037", error("circle", "MORF", 1000), 0.037),
        *[
            at_most(f"{bars}, {system}, n={n}: at most {bound}", error(bars, system, n), bound)
            for bars in ("bars", "bars, equal classes")
            for system in ("MF, Table 2", "MORF, 4 x 1", "MORF")
            for n, bound in ((20, 0.06), (50, 0.01))
        ],
        at_most(
            "impulse, n=1000: within .015 of the Bayes error .1201",
            error("impulse", "MORF", 1000),
            BAYES_IMPULSE + 0.015,
        ),
    ]
    for problem in PANELS:
        gaps = [
            error(problem, "channels", n) - error(problem, "raw sums", n)
            for n in PROBLEMS[problem].sizes
        ]
        claim = f"{problem}: channels no worse than raw sums at every n"
        expectations.append(no_worse(claim, gaps))
    pairs = [("circle", "MORF, pad"), ("circle", "MORF, corner")]
    pairs += [(p, s) for p in PROBLEMS for s in ("RF", "SPORF")]
    for problem, other in pairs:
        gaps = [
            error(problem, "MORF", n) - error(problem, other, n) for n in PROBLEMS[problem].sizes
        ]
        expectations.append(no_worse(f"{problem}: MORF no worse than {other} at every n", gaps))
    return expectations


def results_table(store: Store, problem: str, column: str, digits: int) -> str:
    """One row for each system, one column for each n."""
    sizes = PROBLEMS[problem].sizes
    rows = []
    for system in store.distinct("system", problem=problem):
        means = [store.mean(column, problem=problem, system=system, n=n) for n in sizes]
        rows.append([system, *[number(mean, digits) for mean in means]])
    return table([f"{problem}, n =", *[str(n) for n in sizes]], rows)


def boundary_table(store: Store) -> str:
    """Circle: error with pad less error with wrap, and its standard error over the seeds."""
    sizes = PROBLEMS["circle"].sizes
    means, errors = ["mean"], ["standard error"]
    for n in sizes:
        wrap, pad = (
            {
                seed: store.mean("error", problem="circle", system=system, n=n, seed=seed)
                for seed in store.distinct("seed", problem="circle", system=system, n=n)
            }
            for system in ("MORF", "MORF, pad")
        )
        gaps = np.array([pad[seed] - wrap[seed] for seed in wrap if seed in pad])
        means.append(f"{gaps.mean():+.4f}" if len(gaps) else "-")
        errors.append(f"{gaps.std(ddof=1) / np.sqrt(len(gaps)):.4f}" if len(gaps) > 1 else "-")
    return table(["circle, pad less wrap, n =", *[str(n) for n in sizes]], [means, errors])


def outcomes(store: Store) -> str:
    """MORF with both rules of the papers against every other system."""
    others = ("RF", "SPORF", *CLASSICS, *NETWORKS)
    columns = {
        f"{problem}: {ours}": [
            [
                store.mean("error", problem=problem, system=ours, n=n)
                - store.mean("error", problem=problem, system=other, n=n)
                for n in PROBLEMS[problem].sizes
            ]
            for other in others
        ]
        for problem in PANELS
        for ours in ("MORF", "MORF, corner")
    }
    rows = [
        [
            other,
            *[
                describe_outcome(PROBLEMS[name.partition(":")[0]].sizes, gaps[i])
                for name, gaps in columns.items()
            ],
        ]
        for i, other in enumerate(others)
    ]
    return table(("against", *columns), rows)


def draw_figure(store: Store, arguments: Arguments) -> None:
    """Three problems in columns; error, training and test time in rows."""
    figure, axes = panels(3, 3, height=2.7)
    labels = ("test error", "training, CPU seconds", "predicting 10,000, CPU seconds")
    for column, problem in enumerate(PANELS):
        sizes = PROBLEMS[problem].sizes
        measured = store.distinct("system", problem=problem)
        systems = [s for s in measured if "," not in s or s in DRAWN]
        for row, (value, label) in enumerate(zip(SCORES, labels, strict=True)):
            axis = axes[row, column]
            curves = {
                s: [store.mean(value, problem=problem, system=s, n=n) for n in sizes]
                for s in systems
            }
            draw_curves(axis, sizes, curves)
            axis.set_ylabel(label)
            if row:
                axis.set_yscale("log")
        axes[0, column].set_title(problem)
    axes[0, 2].axhline(BAYES_IMPULSE, color="black", linestyle=":", linewidth=1)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside right center")
    save(figure, arguments.output / "simulations.png")


def write_page(store: Store, arguments: Arguments) -> None:
    """Expectations, figure and tables."""
    counts = [
        f"{problem} {len(store.distinct('seed', problem=problem, system='MORF'))}"
        for problem in PROBLEMS
    ]
    parts = [
        f"`{arguments.command}`",
        f"Means over draws of training and test rows, for forests {', '.join(counts)}; "
        f"{N_TEST:,} test rows; 100 trees.",
        expectations_table(check_expectations(store)),
        "![Error, training time and test time against n](simulations.png)",
        "## Test error",
        *[results_table(store, problem, "error", 4) for problem in PROBLEMS],
        boundary_table(store),
        "## MORF against each of the others",
        "Differences of mean errors in points, where MORF is behind; on the circle its patches "
        "wrap around. *corner* is the rule of the MORF paper, where a patch must lie inside.",
        outcomes(store),
        "## Training time, CPU seconds on one thread",
        *[results_table(store, problem, "fit_s", 3) for problem in PROBLEMS],
        "## Time to predict the test rows, CPU seconds on one thread",
        *[results_table(store, problem, "predict_s", 3) for problem in PROBLEMS],
    ]
    page = arguments.output / "simulations.md"
    write_measured(page, "Circle, bars and impulse", "\n\n".join(parts))


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("simulations", __doc__ or "", argv=argv)
    path = arguments.output / "measurements" / "simulations.csv"
    store = Store(path, ("problem", "system", "n", "seed"), SCORES)
    measure_cells(store, list_cells(arguments), measure, arguments)
    draw_figure(store, arguments)
    write_page(store, arguments)


if __name__ == "__main__":
    main()
