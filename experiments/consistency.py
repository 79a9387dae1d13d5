"""Consistency (Tomita, sections 3.3.5 and 3.4): theorem 3, and Biau's example.

A forest that ignores targets is consistent. On the example of Biau, Devroye and Lugosi random
forests of limited depth keep an error of 1/6, and sparse oblique ones do not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.arguments import Arguments, parse
from experiments.figures import panels, save
from experiments.pages import Expectation, expectations_table, number, table, write_measured
from experiments.store import Cell, Store, measure_cells, require_rows
from silvan import ForestClassifier
from silvan.projections import AxisAligned, SparseSigns

N_TEST = 20_000
SIXTH = 1 / 6
SYSTEMS: dict[str, dict[str, Any]] = {
    "RF, both features": {"projections": AxisAligned(), "max_features": 2},
    "RF, one feature": {"projections": AxisAligned(), "max_features": 1},
    "RF, one feature, real gains": {
        "projections": AxisAligned(),
        "max_features": 1,
        "min_impurity_decrease": 1e-3,
    },
    "RerF": {"projections": SparseSigns(density=0.5), "max_features": 4},
    "data-agnostic RerF": {"projections": SparseSigns(density=0.5), "thresholds": "agnostic"},
}
DEPTHS = (2, 4, 6, 8, 10, 12)
SIZES = (1_000, 10_000, 100_000)
# What keeps the number t_n of leaves small where there are n samples; the first two as theorem 3
# asks. Balanced trees have no cells that chance leaves large.
LEAVES: dict[str, Callable[[int], dict[str, Any]]] = {
    "2 √n leaves": lambda n: {"max_leaf_nodes": int(2 * math.sqrt(n))},
    "√n samples in a leaf, balanced": lambda n: {
        "min_samples_leaf": int(math.sqrt(n)),
        "min_balance": 0.2,
    },
    "16 leaves": lambda n: {"max_leaf_nodes": 16},
    "n leaves": lambda n: {},
}
THEOREM_SIZES = (100, 1_000, 10_000, 100_000)
BAYES = 0.1
COLOURS = ("#2c6fb3", "#7fb2dd", "#6a51a3", "#d1353b", "#1b7837")


def make_squares(n: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[Any]]:
    """Biau, Devroye and Lugosi (2008), section 6: three squares along a diagonal, equally likely.

    The first is cut into infinitely many vertical strips of alternating classes, here each half as
    wide as the one before, the last into horizontal ones, and the middle one is a 2 x 2
    checkerboard. Returns samples, classes and the number of the square. The Bayes error is 0.
    """
    rng = np.random.default_rng(seed)
    square = rng.integers(3, size=n)
    place = rng.uniform(size=(n, 2))
    strip = np.floor(-np.log2(1 - place)).astype(np.int64) % 2
    board = (place[:, 0] > 0.5) ^ (place[:, 1] > 0.5)
    y = np.where(square == 0, strip[:, 0], np.where(square == 2, strip[:, 1], board))
    return place + square[:, None], y.astype(np.int64), square


def make_noisy_board(n: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """A 2 x 2 checkerboard on the unit square, a tenth of the classes changed at random."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 2))
    changed = rng.random(n) < BAYES
    return X, (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5) ^ changed


def measure_squares(cell: Cell) -> Cell:
    """Error on Biau's example, and in the middle square alone."""
    X, y, _ = make_squares(int(cell["n"]), int(cell["seed"]))
    forest = ForestClassifier(
        30, max_depth=int(cell["depth"]), random_state=int(cell["seed"]), **SYSTEMS[cell["system"]]
    )
    X_test, y_test, square = make_squares(N_TEST, 1_000_000 + int(cell["seed"]))
    wrong = forest.fit(X, y).predict(X_test) != y_test
    return {"error": float(wrong.mean()), "middle": float(wrong[square == 1].mean())}


def measure_theorem(cell: Cell) -> Cell:
    """Error of a data-agnostic forest with so many leaves in a tree."""
    n, seed = int(cell["n"]), int(cell["seed"])
    forest = ForestClassifier(
        int(cell["trees"]),
        projections=SparseSigns(density=0.5),
        thresholds="agnostic",
        bootstrap=False,
        random_state=seed,
        **LEAVES[cell["leaves"]](n),
    )
    X_test, y_test = make_noisy_board(N_TEST, 1_000_000 + seed)
    return {
        "error": float(np.mean(forest.fit(*make_noisy_board(n, seed)).predict(X_test) != y_test))
    }


def draw(squares: Store, theorem: Store, arguments: Arguments) -> None:
    """The example, error against depth, and error against n."""
    figure, axes = panels(1, 4, width=3.4, height=3.1)
    X, y, _ = make_squares(4_000, 0)
    sketch, by_depth, trees, forests = axes[0]
    sketch.scatter(*X.T, c=np.where(y, "#d1353b", "#2c6fb3"), s=1.5, linewidths=0)
    sketch.set(title="Biau's example", xlabel="feature 0", ylabel="feature 1", aspect="equal")
    n = max(int(n) for n in squares.distinct("n"))
    for colour, system in zip(COLOURS, SYSTEMS, strict=True):
        errors = [squares.mean("error", n=n, depth=depth, system=system) for depth in DEPTHS]
        by_depth.plot(DEPTHS, errors, "o-", color=colour, ms=3, label=system)
    by_depth.axhline(SIXTH, color="0.5", ls="--", lw=1)
    by_depth.annotate("1/6", (DEPTHS[0], SIXTH), fontsize=8, va="top")
    by_depth.set(title=f"{n:,} samples", xlabel="largest depth", ylabel="error", ylim=(0, 0.42))
    by_depth.legend(frameon=False, fontsize=6.5, loc="upper right")
    for axis, n_trees, title in ((trees, 1, "single trees"), (forests, 100, "100 trees")):
        sizes = [int(n) for n in theorem.distinct("n")]
        for colour, leaves in zip(("#1b7837", "#6a51a3", "#e08214", "0.4"), LEAVES, strict=True):
            errors = [theorem.mean("error", n=n, leaves=leaves, trees=n_trees) for n in sizes]
            axis.plot(sizes, errors, "o-", color=colour, ms=3, label=leaves)
        axis.axhline(BAYES, color="0.5", ls="--", lw=1)
        axis.set(title=f"theorem 3, {title}", xlabel="samples", xscale="log", ylim=(0.08, 0.5))
    forests.legend(frameon=False, fontsize=7)
    save(figure, arguments.output / "consistency.png")


def check_expectations(squares: Store, theorem: Store) -> list[Expectation]:
    """What the thesis and the theorem say."""
    n = SIZES[-1]
    shown = {
        system: [squares.mean("error", n=n, depth=depth, system=system) for depth in DEPTHS]
        for system in SYSTEMS
    }
    stuck = min(shown["RF, both features"])
    proof = min(shown["RF, one feature, real gains"])
    free = shown["RerF"][DEPTHS.index(8)]
    names = list(LEAVES)
    last = {
        (leaves, trees): theorem.mean("error", n=THEOREM_SIZES[-1], leaves=leaves, trees=trees)
        for leaves in names
        for trees in (1, 100)
    }
    first = theorem.mean("error", n=THEOREM_SIZES[0], leaves=names[0], trees=1)

    def holds(value: float, condition: bool) -> bool | None:
        return None if math.isnan(value) else condition

    return [
        Expectation(
            f"RF of both features keeps an error of 1/6 at every depth up to 12, n = {n:,}",
            f"least error {stuck:.3f}",
            holds(stuck, stuck >= SIXTH - 0.005),
        ),
        Expectation(
            "the same of RF of one feature whose splits must gain something",
            f"least error {proof:.3f}",
            holds(proof, proof >= SIXTH - 0.005),
        ),
        Expectation("RerF is below 1/6 at depth 8", f"{free:.3f}", holds(free, free < SIXTH / 2)),
        Expectation(
            "theorem 3, 2 √n leaves: the error of a forest falls to that of Bayes, .1",
            f"{last[names[0], 100]:.3f}",
            holds(first, last[names[0], 100] < 0.11),
        ),
        Expectation(
            "with √n samples in a leaf and balanced splits so does that of a single tree",
            f"tree {last[names[1], 1]:.3f}, forest {last[names[1], 100]:.3f}",
            holds(first, last[names[1], 1] < 0.14 and last[names[1], 100] < 0.11),
        ),
        Expectation(
            "without t_n → ∞ (16 leaves) they do not",
            f"tree {last[names[2], 1]:.3f}, forest {last[names[2], 100]:.3f}",
            holds(first, min(last[names[2], 1], last[names[2], 100]) > 0.11),
        ),
        Expectation(
            "without t_n / n → 0 (a leaf for each sample) they do not",
            f"tree {last[names[3], 1]:.3f}, forest {last[names[3], 100]:.3f}",
            holds(first, min(last[names[3], 1], last[names[3], 100]) > 0.11),
        ),
    ]


def report(squares: Store, theorem: Store, arguments: Arguments) -> None:
    """Write the page."""
    parts = [f"`{arguments.command}`"]
    if not arguments.quick:
        parts.append(expectations_table(check_expectations(squares, theorem)))
    parts.append("![Biau's example, and data-agnostic forests](consistency.png)")
    for n in squares.distinct("n"):
        rows = [
            [
                system,
                *[number(squares.mean("error", n=n, depth=d, system=system), 3) for d in DEPTHS],
            ]
            for system in SYSTEMS
        ]
        parts.append(f"Errors on Biau's example, {int(n):,} samples, by the largest depth:")
        parts.append(table(["", *map(str, DEPTHS)], rows))
    sizes = theorem.distinct("n")
    rows = [
        [
            f"{leaves}, {trees} tree{'s' if trees > 1 else ''}",
            *[number(theorem.mean("error", n=n, leaves=leaves, trees=trees), 3) for n in sizes],
        ]
        for leaves in LEAVES
        for trees in (1, 100)
    ]
    parts.append(
        "Errors of data-agnostic forests on a noisy checkerboard, by the number of samples:"
    )
    parts.append(table(["", *[f"{int(n):,}" for n in sizes]], rows))
    write_measured(arguments.output / "consistency.md", "Consistency", "\n\n".join(parts))


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("consistency", __doc__ or "", seeds=5, argv=argv)
    folder = arguments.output / "measurements"
    squares = Store(
        folder / "consistency_squares.csv", ("n", "depth", "system", "seed"), ("error", "middle")
    )
    theorem = Store(
        folder / "consistency_theorem.csv", ("n", "leaves", "trees", "seed"), ("error",)
    )
    seeds = range(arguments.seeds)
    sizes, theorem_sizes = (
        (SIZES[:1], THEOREM_SIZES[:2]) if arguments.quick else (SIZES, THEOREM_SIZES)
    )
    measure_cells(
        squares,
        [
            {"n": n, "depth": depth, "system": system, "seed": seed}
            for n in sizes
            for depth in DEPTHS
            for system in SYSTEMS
            for seed in seeds
        ],
        measure_squares,
        arguments,
    )
    measure_cells(
        theorem,
        [
            {"n": n, "leaves": leaves, "trees": trees, "seed": seed}
            for n in theorem_sizes
            for leaves in LEAVES
            for trees in (1, 100)
            for seed in seeds
        ],
        measure_theorem,
        arguments,
    )
    require_rows(theorem, arguments)
    draw(squares, theorem, arguments)
    report(squares, theorem, arguments)


if __name__ == "__main__":
    main()
