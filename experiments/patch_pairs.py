"""Evidence on pairs: out-of-bag error of one, two and three patches in a direction."""

from __future__ import annotations

from pathlib import Path

from experiments.arguments import parse
from experiments.pages import write_measured
from experiments.patch_sizes import (
    N_TREES,
    error_table,
    largest_size,
    list_cells,
    load_training,
    rank_tables,
)
from experiments.store import Cell, Store, measure_cells
from experiments.systems import make_forest
from silvan.projections import Mixture, Patches, ProjectionDistribution

# The largest size by a rule of `patch_sizes`, and the number of patches; "+" mixes distributions
# equally.
RULES = ("3 x 1", "3 x 2", "3 x 3", "W/8 x 2", "W/4 x 2", "3 x 1 + W/8 x 2")


def make_distribution(rule: str, shape: tuple[int, ...]) -> ProjectionDistribution:
    """The distribution that a rule gives on a grid."""
    distributions = []
    for part in rule.split(" + "):
        size, n_patches = part.split(" x ")
        max_size = tuple(largest_size(size, length) for length in shape)
        distributions.append(Patches(shape, 1, max_size, n_patches=int(n_patches)))
    return (
        distributions[0]
        if len(distributions) == 1
        else Mixture([(distribution, 1.0) for distribution in distributions])
    )


def measure(cell: Cell) -> Cell:
    """Out-of-bag error of a forest with the rule's distribution."""
    X, y, shape = load_training(cell["dataset"], Path(cell["data"]), cell["seed"])
    distribution = make_distribution(cell["rule"], shape)
    forest = make_forest(distribution, cell["seed"], n_trees=N_TREES, oob_score=True).fit(X, y)
    return {"oob_error": 1 - forest.oob_score_}


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then write."""
    arguments = parse("patch_pairs", __doc__ or "", seeds=3, argv=argv)
    path = arguments.output / "measurements" / "patch_pairs.csv"
    store = Store(path, ("dataset", "rule", "seed"), ("oob_error",))
    cells = list_cells(arguments, RULES)
    measure_cells(store, cells, measure, arguments)
    names = list(dict.fromkeys(cell["dataset"] for cell in cells))
    parts = [
        f"`{arguments.command}`",
        "Largest size along an axis of W cells (at least 3) x patches in a direction:",
        *rank_tables(store, names, RULES),
        error_table(store, names, RULES),
    ]
    page = arguments.output / "patch_pairs.md"
    write_measured(page, "One patch or several?", "\n\n".join(parts))


if __name__ == "__main__":
    main()
