"""Figure 3.11 of Tomita's thesis with the data and settings of the authors' scripts."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from experiments.arguments import Arguments, parse
from experiments.data import Split
from experiments.figures import COLORS, panels, save
from experiments.pages import (
    Expectation,
    expectations_table,
    no_worse,
    number,
    table,
    write_measured,
)
from experiments.store import Cell, Store, measure_cells
from experiments.systems import make_forest
from experiments.tuning_grid import MEANS, chosen_error, chosen_mean, score_candidate
from silvan.projections import AxisAligned, Patches, ProjectionDistribution, SparseSigns

SIDE, N_STRIPES = 20, 5
SIZES = (10, 20, 50)
N_TEST = 10_000
N_TREES = 500
KEYS = ("system", "n", "d", "nonzeros", "seed")
VALUES = ("oob_error", "oob_auc", "error", "fit_s")
# Coefficients of patches: ones in the R package, random ones in the text; then the controls.
STRUCTURED = {
    "S-RerF": ("ones", False),
    "S-RerF, uniform": ("uniform", False),
    "control": ("ones", True),
    "control, uniform": ("uniform", True),
}
SYSTEMS = (*STRUCTURED, "RerF", "RF")


def draw_stripes(n: int, seed: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Images of 20 x 20 with five distinct rows of ones, and the transpose; half of either."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n // 2)
    lines = rng.permuted(np.tile(np.arange(SIDE) < N_STRIPES, (n, 1)), axis=1)
    images = np.repeat(lines[:, :, None], SIDE, axis=2).astype(np.float32)
    images[y == 1] = images[y == 1].transpose(0, 2, 1)
    return images.reshape(n, -1), y


def make_projections(system: str, nonzeros: int) -> ProjectionDistribution:
    """The distribution of directions; patches have 1 to 20 cells along either axis."""
    if system == "RF":
        return AxisAligned()
    if system == "RerF":
        return SparseSigns(mean_nonzeros=nonzeros)
    coefficients, shuffled = STRUCTURED[system]
    shape = (SIDE, SIDE)
    return Patches(shape, 1, SIDE, boundary="inside", coefficients=coefficients, shuffled=shuffled)


def measure(cell: Cell) -> Cell:
    """One forest of the grid."""
    train = draw_stripes(cell["n"], cell["seed"])
    split = Split(*train, *draw_stripes(N_TEST, 1_000_000 + cell["seed"]))
    projections = make_projections(cell["system"], cell["nonzeros"])
    return score_candidate(make_forest(projections, cell["seed"], cell["d"], N_TREES), split)


def list_cells(arguments: Arguments) -> list[Cell]:
    """Every forest: d is p to the powers 1/4, 1/2, 3/4 and 1, and RerF has five densities."""
    p = SIDE * SIDE
    return [
        {"system": system, "n": n, "d": math.ceil(p**power), "nonzeros": nonzeros, "seed": seed}
        for seed in range(arguments.seeds)
        for n in (SIZES[:1] if arguments.quick else SIZES)
        for system in SYSTEMS
        for power in (1 / 4, 1 / 2, 3 / 4, 1)
        for nonzeros in (MEANS if system == "RerF" else (1,))
    ]


def check_expectations(store: Store) -> list[Expectation]:
    """What the thesis says of its figure."""

    def error(system: str, n: int) -> float:
        return chosen_mean(store, "error", system=system, n=n)

    expectations = []
    for ours in ("S-RerF", "S-RerF, uniform"):
        with_ten = error(ours, 10)
        claim = f"{ours}: near-perfect with ten samples, an error of at most .05"
        holds = None if math.isnan(with_ten) else with_ten <= 0.05
        expectations.append(Expectation(claim, number(with_ten), holds))
        for other in (ours.replace("S-RerF", "control"), "RerF", "RF"):
            gaps = [error(ours, n) - error(other, n) for n in SIZES]
            expectations.append(no_worse(f"{ours} no worse than {other} at every n", gaps))
    return expectations


def draw_figure(store: Store, arguments: Arguments) -> None:
    """Three images of either class, and error against n."""
    figure, axes = panels(1, 2, width=4.6, height=3.0)
    X, y = draw_stripes(6, 0)
    framed = np.pad(X.reshape(6, SIDE, SIDE), ((0, 0), (1, 1), (1, 1)), constant_values=0.35)
    rows = [np.concatenate(list(framed[y == label]), axis=1) for label in (0, 1)]
    axes[0, 0].imshow(np.concatenate(rows), cmap="Greys")
    axes[0, 0].set(xticks=[], yticks=[SIDE / 2, 1.6 * SIDE], yticklabels=["class 0", "class 1"])
    axis = axes[0, 1]
    for system in SYSTEMS:
        means = [chosen_mean(store, "error", system=system, n=n) for n in SIZES]
        bars = np.nan_to_num([chosen_error(store, "error", system=system, n=n) for n in SIZES])
        dashed = "--" if "uniform" in system else "-"
        color = COLORS[system.partition(",")[0]]
        axis.errorbar(SIZES, means, bars, color=color, linestyle=dashed, marker=".", label=system)
    axis.set(xlabel="training samples", ylabel="test error", ylim=(0, 0.55))
    axis.set_xticks(SIZES)
    axis.legend(frameon=False, fontsize=8)
    save(figure, arguments.output / "stripes.png")


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("stripes", __doc__ or "", seeds=10, argv=argv)
    store = Store(arguments.output / "measurements" / "stripes.csv", KEYS, VALUES)
    measure_cells(store, list_cells(arguments), measure, arguments)
    draw_figure(store, arguments)
    rows = []
    for system in SYSTEMS:
        cells = [
            f"{number(chosen_mean(store, 'error', system=system, n=n))} ± "
            f"{number(chosen_error(store, 'error', system=system, n=n))}"
            for n in SIZES
        ]
        counts = [number(chosen_mean(store, "d", system=system, n=n), 0) for n in SIZES]
        rows.append([system, *cells, ", ".join(counts)])
    parts = [
        f"`{arguments.command}`",
        f"{len(store.distinct('seed'))} repetitions; {N_TREES} trees; {N_TEST:,} test samples.",
        expectations_table(check_expectations(store)),
        "![Images of both classes, and error against n](stripes.png)",
        table(["n =", *[str(n) for n in SIZES], "mean d at each n"], rows),
    ]
    page = arguments.output / "stripes.md"
    write_measured(page, "Structured RerF on stripes", "\n\n".join(parts))


if __name__ == "__main__":
    main()
