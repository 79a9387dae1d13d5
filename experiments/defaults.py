"""Evidence for the default projections and max_features: UCI sets and numeric targets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3

from experiments.arguments import Arguments, parse
from experiments.data import Split
from experiments.store import Cell, Store, measure_cells
from experiments.uci import UciSet, load_uci, read_index
from silvan import ForestClassifier, ForestRegressor
from silvan.projections import (
    AxisAligned,
    Mixture,
    ProjectionDistribution,
    SparseSigns,
    UniformCombinations,
)

LAWS: dict[str, ProjectionDistribution] = {
    "axis": AxisAligned(),
    "signs 1": SparseSigns(mean_nonzeros=1),
    "signs 2": SparseSigns(mean_nonzeros=2),
    "signs 3": SparseSigns(mean_nonzeros=3),
    "signs 5": SparseSigns(mean_nonzeros=5),
    "Poisson 2": SparseSigns(mean_nonzeros=2, law="poisson"),
    "uniform 2": UniformCombinations(),
    "half axis, half signs 3": Mixture([(AxisAligned(), 1), (SparseSigns(mean_nonzeros=3), 1)]),
}
DIRECTIONS: dict[str, str | float] = {"sqrt": "sqrt", "p/3": 1 / 3, "p": 1.0, "2p": 2.0}
# What the estimators had before the experiment.
EARLIER = {"classes": ("signs 2", "sqrt"), "numbers": ("signs 2", "p")}
N_TREES = 60
MOST_ROWS = 500
# A setting may take this many times as long as the earlier default, on average over the sets.
MOST_TIME = 4.0
NATURAL = {
    "abalone": "rings",
    "wine_quality-red": "quality",
    "wine_quality-white": "quality",
}
Setting = tuple[str, str]


def count_folds(n_samples: int) -> int:
    """Small sets need more test rows to tell settings apart."""
    return 3 if n_samples <= 300 else 1


def class_splits(task: str, data: Path) -> Iterator[Split]:
    """Folds of a UCI set, with at most `MOST_ROWS` rows to train on."""
    uci = load_uci(data, task)
    for fold in range(count_folds(len(uci.y))):
        yield uci.split(fold).head(MOST_ROWS, fold)


@lru_cache(maxsize=2)
def load_numbers(task: str, data: Path) -> UciSet:
    """A regression task: rows, numbers to predict, and folds."""
    makers: dict[str, Callable[[], tuple[Any, Any]]] = {
        "diabetes": lambda: load_diabetes(return_X_y=True),
        "friedman1": lambda: make_friedman1(1000, noise=1.0, random_state=0),
        "friedman2": lambda: make_friedman2(1000, noise=125.0, random_state=0),
        "friedman3": lambda: make_friedman3(1000, noise=0.1, random_state=0),
    }
    if task in makers:
        X, y = makers[task]()
        return _with_folds(X, y)
    uci = load_uci(data, task.removesuffix(" feature"))
    if task in NATURAL:
        return _with_folds(uci.X, uci.y.astype(np.float64))
    target = most_varied(uci.X)
    return _with_folds(np.delete(uci.X, target, axis=1), uci.X[:, target].astype(np.float64))


def most_varied(X: NDArray[Any]) -> int:
    """The feature with the most distinct values; the first of several."""
    return int(np.argmax([len(np.unique(column)) for column in X.T]))


def _with_folds(X: NDArray[Any], y: NDArray[np.float64]) -> UciSet:
    fold = np.random.default_rng(0).permutation(len(y)) % 5
    return UciSet(X.astype(np.float32), y, fold, X[:0], y[:0])


def number_splits(task: str, data: Path) -> Iterator[Split]:
    """Folds of a regression task."""
    rows = load_numbers(task, data)
    for fold in range(count_folds(len(rows.y))):
        yield rows.split(fold).head(MOST_ROWS, fold)


def list_numbers(data: Path, index: dict[str, dict[str, str]]) -> list[str]:
    """Tasks with numeric targets: known ones, and a feature of each large enough numeric set."""
    features = [
        f"{name} feature"
        for name, row in index.items()
        if int(row["n_categorical"]) == 0
        and int(row["n"]) >= 200
        and int(row["p"]) >= 5
        and name not in NATURAL
        and len(np.unique(load_uci(data, name).X[:, most_varied(load_uci(data, name).X)])) >= 100
    ]
    return ["diabetes", "friedman1", "friedman2", "friedman3", *NATURAL, *features]


def measure(cell: Cell) -> Cell:
    """Error of one setting on one task, over folds: of classes, or the mean square of numbers."""
    classes = cell["target"] == "classes"
    Forest = ForestClassifier if classes else ForestRegressor
    splits = class_splits if classes else number_splits
    errors, seconds = [], 0.0
    for seed, split in enumerate(splits(cell["task"], cell["data"])):
        forest = Forest(
            N_TREES,
            projections=LAWS[cell["law"]],
            max_features=DIRECTIONS[cell["directions"]],
            random_state=seed,
            n_jobs=1,
        )
        start = time.process_time()
        forest.fit(split.X_train, split.y_train)
        seconds += time.process_time() - start
        errors.append(normalised_error(forest, split, classes))
    return {"error": float(np.mean(errors)), "fit_s": seconds}


def normalised_error(forest: Any, split: Split, classes: bool) -> float:
    """Share of the error of the best constant: the commonest class, or the mean."""
    if classes:
        constant = np.bincount(split.y_train).argmax()
        chance = max(float(np.mean(split.y_test != constant)), 1 / len(split.y_test))
        return float(np.mean(forest.predict(split.X_test) != split.y_test)) / chance
    residual = forest.predict(split.X_test) - split.y_test
    return float(np.mean(residual**2) / np.mean((split.y_test - split.y_train.mean()) ** 2))


def list_cells(arguments: Arguments) -> list[Cell]:
    """Every task and setting, the cheapest tasks first."""
    index = read_index(arguments.data, arguments.quick)
    numbers = list_numbers(arguments.data, index)
    tasks = [("classes", name) for name in index] + [
        ("numbers", name) for name in (numbers[:5] if arguments.quick else numbers)
    ]
    return [
        {"target": target, "task": task, "law": law, "directions": d, "data": arguments.data}
        for target, task in tasks
        for law in LAWS
        for d in DIRECTIONS
    ]


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then draw and write."""
    arguments = parse("defaults", __doc__ or "", seeds=1, argv=argv)
    path = arguments.output / "measurements" / "defaults.csv"
    store = Store(path, ("target", "task", "law", "directions"), ("error", "fit_s"))
    measure_cells(store, list_cells(arguments), measure, arguments)


if __name__ == "__main__":
    main()
