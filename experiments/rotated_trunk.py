"""Rotations and node-fitted directions beside single features on Trunk's problem, rotated."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm, ortho_group

from experiments.arguments import Arguments, parse
from experiments.data import Split
from experiments.figures import draw_curves, panels, save
from experiments.pages import (
    Expectation,
    expectations_table,
    no_worse,
    number,
    table,
    write_measured,
)
from experiments.scoring import SCORES, score_system
from experiments.store import Cell, Store, measure_cells
from experiments.systems import make_forest
from silvan.datasets import make_trunk
from silvan.projections import (
    AxisAligned,
    CanonicalDirections,
    PrincipalComponents,
    ProjectionDistribution,
    RandomRotation,
    RidgeDirections,
)

N_TEST = 10_000
DIMENSIONS = (10, 50)
SIZES = (100, 200, 400, 1000, 2000)
SYSTEMS: dict[str, ProjectionDistribution] = {
    "RF": AxisAligned(),
    "RR-RF": RandomRotation(),
    "Rot-For": PrincipalComponents(per="tree"),
    "Rot-For per node": PrincipalComponents(),
    "O-RF": RidgeDirections(),
    "CCF": CanonicalDirections(),
}


def draw_split(n: int, p: int, seed: int) -> Split:
    """Training and test rows, rotated alike."""
    rotation = ortho_group.rvs(p, random_state=seed)
    X_train, y_train = make_trunk(n, n_features=p, random_state=seed)
    X_test, y_test = make_trunk(N_TEST, n_features=p, random_state=1_000_000 + seed)
    X_train, X_test = ((X @ rotation).astype(np.float32) for X in (X_train, X_test))
    return Split(X_train, y_train, X_test, y_test)


def bayes_error(p: int) -> float:
    """No classifier has a smaller error."""
    return float(norm.cdf(-np.sqrt(np.sum(1 / np.arange(1, p + 1)))))


def measure(cell: Cell) -> Cell:
    """Error and times of one forest on one draw."""
    split = draw_split(cell["n"], cell["p"], cell["seed"])
    return score_system(make_forest(SYSTEMS[cell["system"]], cell["seed"]), split)


def draw_figure(store: Store, arguments: Arguments) -> None:
    """Error against n for each number of features."""
    figure, axes = panels(1, len(DIMENSIONS), width=4.5, height=3.4)
    for axis, p in zip(axes[0], DIMENSIONS, strict=True):
        draw_curves(
            axis,
            SIZES,
            {s: [store.mean("error", system=s, p=p, n=n) for n in SIZES] for s in SYSTEMS},
        )
        axis.axhline(bayes_error(p), color="black", linestyle=":", linewidth=1, label="Bayes")
        axis.set_title(f"{p} features")
    axes[0, 0].set_ylabel("test error")
    axes[0, 0].legend()
    save(figure, arguments.output / "rotated_trunk.png")


def check_expectations(store: Store) -> list[Expectation]:
    """Every oblique distribution beats single features."""
    expectations = []
    for system in list(SYSTEMS)[1:]:
        gaps = [
            store.mean("error", system=system, p=p, n=n)
            - store.mean("error", system="RF", p=p, n=n)
            for p in DIMENSIONS
            for n in SIZES
        ]
        expectations.append(no_worse(f"{system} no worse than RF at every p and n", gaps))
    return expectations


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("rotated_trunk", __doc__ or "", argv=argv)
    path = arguments.output / "measurements" / "rotated_trunk.csv"
    store = Store(path, ("system", "p", "n", "seed"), SCORES)
    cells = [
        {"system": system, "p": p, "n": n, "seed": seed}
        for p in DIMENSIONS
        for n in (SIZES[:2] if arguments.quick else SIZES)
        for system in SYSTEMS
        for seed in range(arguments.seeds)
    ]
    measure_cells(store, cells, measure, arguments)
    draw_figure(store, arguments)
    rows = [
        [f"{s}, p = {p}", *[number(store.mean("error", system=s, p=p, n=n)) for n in SIZES]]
        for p in DIMENSIONS
        for s in SYSTEMS
    ]
    parts = [
        f"`{arguments.command}`",
        expectations_table(check_expectations(store)),
        "![Error against n for 10 and 50 features](rotated_trunk.png)",
        table(["error, n =", *[str(n) for n in SIZES]], rows),
    ]
    write_measured(arguments.output / "rotated_trunk.md", "Rotated Trunk", "\n\n".join(parts))


if __name__ == "__main__":
    main()
