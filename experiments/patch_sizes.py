"""Evidence for the default patch size: validation error of several sizes over many data sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np
from scipy.stats import rankdata
from sklearn.datasets import load_digits

from experiments.arguments import Arguments, parse
from experiments.data import load_images, load_series
from experiments.figures import panels, save
from experiments.pages import number, table, write_measured
from experiments.store import Cell, Store, measure_cells
from experiments.systems import make_forest
from silvan.projections import Patches

N_TREES = 100
N_IMAGES = 2000
SERIES = (
    "Adiac",
    "ECG200",
    "Earthquakes",
    "FaceFour",
    "GunPoint",
    "Lightning7",
    "OSULeaf",
    "ProximalPhalanxOutlineCorrect",
    "Strawberry",
    "SwedishLeaf",
    "SyntheticControl",
    "ToeSegmentation1",
    "Trace",
)
IMAGES = ("digits", "mnist", "fashion_mnist")
RULES = ("3", "W/8", "W/4", "W/2")


def largest_size(rule: str, length: int) -> int:
    """The largest patch along an axis of `length` cells, by the name of a rule."""
    size = 3 if rule == "3" else length // int(rule.removeprefix("W/"))
    return min(length, max(3, size))


def load_training(
    name: str, data: Path, seed: int
) -> tuple[np.ndarray, np.ndarray, tuple[int, ...]]:
    """Training rows of a data set and the shape of one row; no test row is read."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        return X.astype(np.float32), y, (8, 8)
    if name in ("mnist", "fashion_mnist"):
        split = load_images(data / name).head(N_IMAGES, seed)
        return split.X_train, split.y_train, (28, 28)
    split, shape = load_series(data / "ucr" / f"{name}.npz")
    return split.X_train, split.y_train, shape


def measure(cell: Cell) -> Cell:
    """Out-of-bag error of a forest whose largest patches follow a rule."""
    X, y, shape = load_training(cell["dataset"], Path(cell["data"]), cell["seed"])
    max_size = tuple(largest_size(cell["rule"], length) for length in shape)
    forest = make_forest(
        Patches(shape, 1, max_size), cell["seed"], n_trees=N_TREES, oob_score=True
    ).fit(X, y)
    return {"oob_error": 1 - forest.oob_score_}


def rank_rows(store: Store, names: Sequence[str], rules: Sequence[str]) -> list[list[str]]:
    """Mean rank and mean error of each rule over some data sets."""
    errors = np.array(
        [[store.mean("oob_error", dataset=d, rule=rule) for rule in rules] for d in names]
    )
    ranks = rankdata(errors.round(6), axis=1).mean(axis=0)
    best = (errors <= errors.min(axis=1, keepdims=True)).sum(axis=0)
    return [
        [rule, f"{ranks[k]:.2f}", str(best[k]), number(float(errors[:, k].mean()))]
        for k, rule in enumerate(rules)
    ]


def draw_figure(store: Store, names: list[str], arguments: Arguments) -> None:
    """Error of each rule relative to the best rule of the data set."""
    figure, axes = panels(1, 1, width=7.5, height=3.6)
    for k, name in enumerate(names):
        errors = np.array([store.mean("oob_error", dataset=name, rule=rule) for rule in RULES])
        color = matplotlib.colormaps["tab20"](k % 20)
        axes[0, 0].plot(errors - errors.min(), "o-", linewidth=1, color=color, label=name)
    axes[0, 0].set_xticks(range(len(RULES)), [f"largest size {rule}" for rule in RULES])
    axes[0, 0].set_ylabel("out-of-bag error above the best rule")
    figure.legend(loc="outside right center", fontsize=7)
    save(figure, arguments.output / "patch_sizes.png")


def rank_tables(store: Store, names: Sequence[str], rules: Sequence[str]) -> list[str]:
    """Tables of ranks over images, series and all sets."""
    header = ("mean rank", "best or shared best", "mean out-of-bag error")
    parts = []
    for title, group in (("images", IMAGES), ("series", SERIES), ("all", names)):
        chosen = [name for name in group if name in names]
        head = (f"{title}: {len(chosen)} data sets", *header)
        parts.append(table(head, rank_rows(store, chosen, rules)))
    return parts


def error_table(store: Store, names: Sequence[str], rules: Sequence[str]) -> str:
    """Out-of-bag errors, a row for each data set."""
    rows = [
        [d, *[number(store.mean("oob_error", dataset=d, rule=rule)) for rule in rules]]
        for d in names
    ]
    return table(("data set", *rules), rows)


def list_cells(arguments: Arguments, rules: Sequence[str]) -> list[Cell]:
    """Every data set with every rule and seed."""
    names = ("digits", "GunPoint") if arguments.quick else (*IMAGES, *SERIES)
    return [
        {"dataset": name, "rule": rule, "seed": seed, "data": arguments.data}
        for name in names
        for rule in rules
        for seed in range(arguments.seeds)
    ]


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("patch_sizes", __doc__ or "", seeds=3, argv=argv)
    path = arguments.output / "measurements" / "patch_sizes.csv"
    store = Store(path, ("dataset", "rule", "seed"), ("oob_error",))
    cells = list_cells(arguments, RULES)
    measure_cells(store, cells, measure, arguments)
    names = list(dict.fromkeys(cell["dataset"] for cell in cells))
    draw_figure(store, names, arguments)
    parts = [
        f"`{arguments.command}`",
        "Largest size along an axis of W cells, at least 3:",
        *rank_tables(store, names, RULES),
        "![Error above the best rule](patch_sizes.png)",
        error_table(store, names, RULES),
    ]
    page = arguments.output / "patch_sizes.md"
    write_measured(page, "How large should patches be?", "\n\n".join(parts))


if __name__ == "__main__":
    main()
