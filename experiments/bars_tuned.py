"""Bars with patch sizes chosen by out-of-bag error on other draws, then tested."""

from __future__ import annotations

import numpy as np

from experiments.arguments import Arguments, parse
from experiments.data import Split
from experiments.pages import (
    Expectation,
    at_most,
    expectations_table,
    number,
    table,
    write_measured,
)
from experiments.scoring import score_system
from experiments.store import Cell, Store, measure_cells
from experiments.systems import make_forest, make_image_patches
from silvan.datasets import make_bars
from silvan.projections import Mixture, Patches, ProjectionDistribution

N_DIRECTIONS = 28
N_TEST = 2_000
SIZES = (20, 50)
BOUNDS = {20: 0.06, 50: 0.01}
FIRST_SEARCH_SEED = 100_000  # no draw of the search is used again
FEW = 5


def lines(longest: int) -> Mixture:
    """Runs of one row or of one column."""
    along_rows = make_image_patches((1, 1), (1, longest))
    along_columns = make_image_patches((1, 1), (longest, 1))
    return Mixture([(along_rows, 1.0), (along_columns, 1.0)])


DISTRIBUTIONS: dict[str, ProjectionDistribution] = {
    "4 x 1": make_image_patches((4, 1), (4, 1)),
    "2 x 2 to 2 x 9 (Table 2)": make_image_patches((2, 2), (2, 9)),
    **{f"1 to {size}": make_image_patches((1, 1), (size, size)) for size in (4, 7, 14, 28)},
    "1 to 4, corner": Patches((28, 28), 1, 4, boundary="corner"),
    "pairs of 1 to 4": Patches((28, 28), 1, 4, n_patches=2),
    **{f"lines of 1 to {longest}": lines(longest) for longest in (4, 14, 28)},
}


def measure_out_of_bag(cell: Cell) -> Cell:
    """Out-of-bag error on one draw."""
    X, y = make_bars(cell["n"], random_state=FIRST_SEARCH_SEED + cell["seed"])
    forest = make_forest(
        DISTRIBUTIONS[cell["distribution"]], cell["seed"], N_DIRECTIONS, oob_score=True
    ).fit(X, y)
    return {"oob_error": 1 - forest.oob_score_}


def measure_test(cell: Cell) -> Cell:
    """Test error on draws that `experiments.simulations` trains on, too."""
    train = make_bars(cell["n"], random_state=cell["seed"])
    test = make_bars(N_TEST, random_state=1_000_000 + cell["seed"])
    forest = make_forest(DISTRIBUTIONS[cell["distribution"]], cell["seed"], N_DIRECTIONS)
    return {"error": score_system(forest, Split(*train, *test))["error"]}


def measure_all(arguments: Arguments, name: str, seeds: int) -> Store:
    """Out-of-bag errors of every distribution, or test errors of every distribution, over draws."""
    measure, value = (
        (measure_out_of_bag, "oob_error") if name == "search" else (measure_test, "error")
    )
    path = arguments.output / "measurements" / f"bars_tuned_{name}.csv"
    store = Store(path, ("distribution", "n", "seed"), (value,))
    cells = [
        {"distribution": distribution, "n": n, "seed": seed}
        for n in SIZES
        for distribution in DISTRIBUTIONS
        for seed in range(seeds)
    ]
    measure_cells(store, cells, measure, arguments)
    return store


def choose(store: Store, n: int) -> str:
    """The distribution with the smallest mean out-of-bag error."""
    return min(
        DISTRIBUTIONS,
        key=lambda distribution: store.mean("oob_error", distribution=distribution, n=n),
    )


def distribution_row(distribution: str, searched: Store, tested: Store) -> list[str]:
    """Out-of-bag error, mean test error with its standard error, and the mean of a few draws."""
    row = [distribution]
    for n in SIZES:
        errors = np.array(tested.values("error", distribution=distribution, n=n))
        spread = errors.std(ddof=1) / np.sqrt(len(errors)) if len(errors) > 1 else float("nan")
        row += [
            number(searched.mean("oob_error", distribution=distribution, n=n)),
            f"{number(float(errors.mean()))} ± {number(float(spread))}",
            number(float(errors[:FEW].mean())),
        ]
    return row


def main(argv: list[str] | None = None) -> None:
    """Search on some draws, test on others, write the page."""
    arguments = parse("bars_tuned", __doc__ or "", seeds=20, argv=argv)
    searched = measure_all(arguments, "search", 5 if arguments.quick else 2 * arguments.seeds)
    tested = measure_all(arguments, "test", arguments.seeds)
    expectations: list[Expectation] = []
    for n in SIZES:
        distribution = choose(searched, n)
        claim = f"n={n}, chosen out of bag ({distribution}): at most {BOUNDS[n]}"
        expectations.append(
            at_most(claim, tested.mean("error", distribution=distribution, n=n), BOUNDS[n])
        )
    head = [f"n={n}: {what}" for n in SIZES for what in ("out of bag", "test", "first five")]
    parts = [
        f"`{arguments.command}`",
        expectations_table(expectations),
        f"Means over {2 * arguments.seeds} draws out of bag and {arguments.seeds} other draws "
        f"with {N_TEST:,} test rows each; 100 trees, {N_DIRECTIONS} directions at a node.",
        table(
            ("patches", *head),
            [distribution_row(distribution, searched, tested) for distribution in DISTRIBUTIONS],
        ),
    ]
    page = arguments.output / "bars_tuned.md"
    write_measured(page, "Bars, patches chosen out of bag", "\n\n".join(parts))


if __name__ == "__main__":
    main()
