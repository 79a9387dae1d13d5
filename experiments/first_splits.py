"""Figures 2.1 and 3.1 of Tomita's thesis: the first split that each distribution finds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import gaussian_kde

from experiments.arguments import Arguments, parse
from experiments.figures import panels, save
from experiments.pages import Expectation, expectations_table, number, table, write_measured
from experiments.store import Cell, Store, measure_cells
from silvan import ForestClassifier
from silvan.datasets import make_parallel_hyperplanes, make_sparse_parity
from silvan.projections import (
    AxisAligned,
    ProjectionDistribution,
    RandomRotation,
    SparseSigns,
    UniformCombinations,
)

N, N_TEST, P = 5000, 10_000, 20
VALUES = ("error", "informative")


class Candidates(NamedTuple):
    """A distribution of directions and how many of them the split is the best of."""

    distribution: ProjectionDistribution
    n_directions: int


class Problem(NamedTuple):
    """A simulation, its informative features, the figure, and what is compared on it."""

    simulate: Callable[..., Any]
    n_informative: int
    figure: str
    systems: dict[str, Candidates]


COMMON = {"RF": Candidates(AxisAligned(), P), "RR-RF": Candidates(RandomRotation(), P)}
PROBLEMS = {
    "sparse parity": Problem(
        make_sparse_parity,
        3,
        "2.1",
        {**COMMON, "F-RC": Candidates(UniformCombinations(3), 8000)},
    ),
    "parallel hyperplanes": Problem(
        make_parallel_hyperplanes,
        2,
        "3.1",
        {**COMMON, "RerF": Candidates(SparseSigns(density=1 / P), 8000)},
    ),
}


def fit_stump(problem: str, system: str, seed: int) -> ForestClassifier:
    """One split, the best of all candidates."""
    distribution, n_directions = PROBLEMS[problem].systems[system]
    stump = ForestClassifier(
        1,
        projections=distribution,
        max_features=n_directions,
        max_depth=1,
        bootstrap=False,
        random_state=seed,
    )
    return stump.fit(*PROBLEMS[problem].simulate(N, random_state=seed))


def root_direction(stump: ForestClassifier) -> NDArray[np.float64]:
    """The direction of the split, of length 1."""
    direction = stump.forest_.directions().toarray()[0].astype(np.float64)
    return np.asarray(direction / np.linalg.norm(direction))


def measure(cell: Cell) -> Cell:
    """Test error of the split, and how much of its direction lies in the informative features."""
    problem = PROBLEMS[cell["problem"]]
    stump = fit_stump(cell["problem"], cell["system"], cell["seed"])
    X, y = problem.simulate(N_TEST, random_state=1_000_000 + cell["seed"])
    share = np.linalg.norm(root_direction(stump)[: problem.n_informative])
    return {"error": float(np.mean(stump.predict(X) != y)), "informative": float(share)}


def draw_figures(arguments: Arguments) -> None:
    """Densities of both classes along each first split."""
    figure, axes = panels(2, 3, width=3.6, height=2.6)
    for row, (name, problem) in enumerate(PROBLEMS.items()):
        X, y = problem.simulate(N_TEST, random_state=1_000_000)
        for axis, system in zip(axes[row], problem.systems, strict=True):
            stump = fit_stump(name, system, 0)
            values = X @ root_direction(stump)
            grid = np.linspace(values.min(), values.max(), 300)
            for label, colour in ((0, "#2c6fb3"), (1, "#d1353b")):
                density = gaussian_kde(values[y == label])(grid)
                axis.fill_between(grid, density, color=colour, alpha=0.35, label=f"class {label}")
            axis.set(title=f"{name}: {system}", xlabel="projection", ylabel="density", yticks=[])
    axes[0, 0].legend(frameon=False)
    save(figure, arguments.output / "first_splits.png")


def check_expectations(store: Store) -> list[Expectation]:
    """Sparse oblique directions are the only ones that find the signal at once."""
    expectations = []
    for name, problem in PROBLEMS.items():
        *others, sparse = problem.systems
        found = store.mean("error", problem=name, system=sparse)
        rest = min(store.mean("error", problem=name, system=s) for s in others)
        expectations.append(
            Expectation(
                f"{name}: the first split of {sparse} is the only good one",
                f"test error {found:.3f}, others at least {rest:.3f}",
                None if math.isnan(found + rest) else found < rest - 0.02,
            )
        )
    return expectations


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("first_splits", __doc__ or "", seeds=10, argv=argv)
    path = arguments.output / "measurements" / "first_splits.csv"
    store = Store(path, ("problem", "system", "seed"), VALUES)
    cells = [
        {"problem": name, "system": system, "seed": seed}
        for seed in range(arguments.seeds)
        for name, problem in PROBLEMS.items()
        for system in problem.systems
    ]
    measure_cells(store, cells, measure, arguments)
    draw_figures(arguments)
    rows = [
        [
            f"Figure {problem.figure}, {name}: {system}",
            str(candidates.n_directions),
            *[number(store.mean(v, problem=name, system=system), 3) for v in VALUES],
        ]
        for name, problem in PROBLEMS.items()
        for system, candidates in problem.systems.items()
    ]
    parts = [
        f"`{arguments.command}`",
        f"{len(store.distinct('seed'))} repetitions, the figure has the first; {N:,} training "
        "rows.",
        expectations_table(check_expectations(store)),
        "![Densities of both classes along the first split](first_splits.png)",
        table(
            ["", "candidates", "test error of the split", "length in informative features"], rows
        ),
    ]
    page = arguments.output / "first_splits.md"
    write_measured(page, "The first split", "\n\n".join(parts))


if __name__ == "__main__":
    main()
