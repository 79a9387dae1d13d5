"""RF, RerF and F-RC on the UCI sets, tuned out of bag, by five folds (Tomita, Table 3.2)."""

from __future__ import annotations

import time

from experiments.arguments import Arguments, parse
from experiments.store import Cell, Store, measure_cells
from experiments.uci import load_uci, read_index
from silvan import ForestClassifier
from silvan.projections import AxisAligned, ProjectionDistribution, SparseSigns, UniformCombinations
from silvan.tuning import OutOfBagSearch, direction_grid

# Each system's distribution, and the numbers of features of a direction that it tries.
SYSTEMS: dict[str, tuple[ProjectionDistribution, tuple[int, ...]]] = {
    "RF": (AxisAligned(), ()),
    "RerF": (SparseSigns(), (1, 2, 4)),
    "F-RC": (UniformCombinations(), (2, 3)),
}
TABLE_NAMES = {"RF": "table_RF", "RerF": "table_RerF", "F-RC": "table_FRC"}
N_FOLDS = 5
VALUES = ("error", "oob_error", "d", "nonzeros", "trees", "fit_s")


def count_trees(n_train: int) -> int:
    """Trees of the final forest; larger sets have errors that vary less."""
    return 300 if n_train <= 1000 else 200 if n_train <= 5000 else 100


def make_search(system: str, n_train: int, p: int, seed: int) -> OutOfBagSearch:
    """The search of the thesis over d and sparsity, with d cut off where it costs too much.

    RF has all of its d, up to p. The others have d up to p², but no more than 50,000 over the
    number of rows, or the power 3/4 of p where that is larger.
    """
    projections, nonzeros = SYSTEMS[system]
    limit = p if system == "RF" else max(round(p**0.75), 50_000 // n_train)
    grid = direction_grid(projections, p, nonzeros=nonzeros, max_directions=limit)
    forest = ForestClassifier(
        count_trees(n_train),
        projections=projections,
        voting="hard",
        random_state=seed,
        n_jobs=1,
    )
    return OutOfBagSearch(forest, grid, min_trees=20 if n_train <= 5000 else 10)


def measure(cell: Cell) -> Cell:
    """Tune on four folds, test on the fifth."""
    split = load_uci(cell["data"], cell["dataset"]).split(cell["fold"])
    start = time.process_time()
    search = make_search(cell["system"], *split.X_train.shape, seed=cell["fold"])
    search.fit(split.X_train, split.y_train)
    seconds = time.process_time() - start
    best = search.best_params_
    law = best.get("projections", AxisAligned())
    nonzeros = getattr(law, "mean_nonzeros", getattr(law, "n_features", 1))
    return {
        "error": 1 - search.score(split.X_test, split.y_test),
        "oob_error": 1 - search.best_score_,
        "d": best["max_features"],
        "nonzeros": nonzeros,
        "trees": search.best_estimator_.forest_.n_trees,
        "fit_s": seconds,
    }


def list_cells(arguments: Arguments) -> list[Cell]:
    """Every set, fold and system, the cheapest sets first."""
    return [
        {"dataset": name, "fold": fold, "system": system, "data": arguments.data}
        for name in read_index(arguments.data, arguments.quick)
        for fold in range(N_FOLDS)
        for system in SYSTEMS
    ]


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("uci_folds", __doc__ or "", seeds=1, argv=argv)
    path = arguments.output / "measurements" / "uci_folds.csv"
    store = Store(path, ("dataset", "fold", "system"), VALUES)
    measure_cells(store, list_cells(arguments), measure, arguments)


if __name__ == "__main__":
    main()
