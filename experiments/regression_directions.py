"""Evidence for the number of directions of manifold regression forests, over many data sets."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from experiments.arguments import parse
from experiments.pages import number, table, write_measured
from experiments.patch_sizes import error_table, list_cells, load_training, rank_tables
from experiments.store import Cell, Store, measure_cells
from silvan import ForestRegressor
from silvan.projections import Patches

N_TREES = 50
N_ROWS = 1000
RULES: dict[str, str | float] = {"√p": "sqrt", "p/3": 1 / 3, "p": 1.0}


def make_problem(
    name: str, data: Path, seed: int
) -> tuple[NDArray[np.float32], NDArray[np.float64], tuple[int, ...]]:
    """Rows of which the first part is seen and the mean of the last part is the target.

    Of an image the upper half is seen, of a series the first three quarters.
    """
    X, _, shape = load_training(name, data, seed)
    X = X[:N_ROWS].astype(np.float32)
    cut = shape[0] // 2 if len(shape) == 2 else 3 * shape[0] // 4
    n_seen = cut * (shape[1] if len(shape) == 2 else 1)
    return X[:, :n_seen], X[:, n_seen:].mean(axis=1, dtype=np.float64), (cut, *shape[1:])


def measure(cell: Cell) -> Cell:
    """One less the out-of-bag R², and the time of the fit."""
    X, y, shape = make_problem(cell["dataset"], Path(cell["data"]), cell["seed"])
    start = time.process_time()
    forest = ForestRegressor(
        N_TREES,
        projections=Patches(shape),
        max_features=RULES[cell["rule"]],
        oob_score=True,
        random_state=cell["seed"],
        n_jobs=1,
    ).fit(X, y)
    return {"oob_error": 1 - forest.oob_score_, "fit_s": time.process_time() - start}


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then write."""
    arguments = parse("regression_directions", __doc__ or "", seeds=2, argv=argv)
    path = arguments.output / "measurements" / "regression_directions.csv"
    store = Store(path, ("dataset", "rule", "seed"), ("oob_error", "fit_s"))
    rules = tuple(RULES)
    cells = list_cells(arguments, rules)
    measure_cells(store, cells, measure, arguments)
    names = list(dict.fromkeys(cell["dataset"] for cell in cells))
    totals = [sum(store.values("fit_s", rule=rule)) for rule in rules]
    parts = [
        f"`{arguments.command}`",
        "Directions at a node, p the number of cells:",
        *rank_tables(store, names, rules),
        error_table(store, names, rules),
        table(("all fits", *rules), [["CPU seconds, one thread", *[number(t, 1) for t in totals]]]),
    ]
    page = arguments.output / "regression_directions.md"
    write_measured(page, "How many patches for regression?", "\n\n".join(parts))


if __name__ == "__main__":
    main()
