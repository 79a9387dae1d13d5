"""Boosted forests on MNIST and Fashion-MNIST: settings chosen on training images, then tested."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from experiments.arguments import Arguments, parse
from experiments.data import load_images
from experiments.pages import at_most, expectations_table, number, percent, table, write_measured
from experiments.store import Cell, Store, measure_cells
from silvan import BoostedManifoldForestClassifier

DATASETS = ("mnist", "fashion_mnist")
# Images to choose on, and images that judge them; none of them is a test image.
N_CHOOSING, N_FEW, N_JUDGING = 20_000, 3_000, 10_000
N_ALL = 60_000
SCORES = ("error", "log_loss", "n_rounds", "wall_s")
# The defaults before these were chosen.
_EARLIER: dict[str, Any] = {"max_leaf_nodes": 31, "thresholds": "best"}
CANDIDATES: dict[str, dict[str, Any]] = {
    "default": {},
    "8 leaves": {"max_leaf_nodes": 8},
    "31 leaves": {"max_leaf_nodes": 31},
    "600 rounds": {"n_estimators": 600},
    "31 leaves, best thresholds, 100 rounds": {**_EARLIER, "n_estimators": 100},
    "31 leaves, best thresholds, 200 rounds": {**_EARLIER, "n_estimators": 200},
    "31 leaves, best thresholds, 600 rounds": {**_EARLIER, "n_estimators": 600},
    "31 leaves, best thresholds, 200 rounds, rate .05": {
        **_EARLIER,
        "n_estimators": 200,
        "learning_rate": 0.05,
    },
    "31 leaves, best thresholds, 600 rounds, rate .05": {
        **_EARLIER,
        "n_estimators": 600,
        "learning_rate": 0.05,
    },
    "31 leaves, best thresholds, 100 rounds, 512 windows": {
        **_EARLIER,
        "n_estimators": 100,
        "max_features": 512,
    },
    "63 leaves, best thresholds, 100 rounds": {
        **_EARLIER,
        "n_estimators": 100,
        "max_leaf_nodes": 63,
    },
    "31 leaves, best thresholds, 100 rounds, 50 samples in a leaf": {
        **_EARLIER,
        "n_estimators": 100,
        "min_samples_leaf": 50,
    },
    "31 leaves, best thresholds, 100 rounds, l2 5": {
        **_EARLIER,
        "n_estimators": 100,
        "l2_regularization": 5.0,
    },
    "31 leaves, best thresholds, 100 rounds, subsample .6": {
        **_EARLIER,
        "n_estimators": 100,
        "subsample": 0.6,
    },
}
# What is compared on few images, too.
FEW = ("default", "31 leaves", "600 rounds", "31 leaves, best thresholds, 200 rounds")
TARGETS = {"mnist": (0.0085, 0.007), "fashion_mnist": (0.076, 0.070)}


def measure(cell: Cell) -> Cell:
    """Error and log loss of one setting, on held-out training images or on the test images."""
    images = load_images(cell["data"] / cell["dataset"])
    X, y, X_test, y_test = images.X_train, images.y_train, images.X_test, images.y_test
    rng = np.random.default_rng(int(cell["seed"]))
    if cell["stage"] == "choose":
        order, n = rng.permutation(len(y)), int(cell["n"])
        X_test, y_test = X[order[-N_JUDGING:]], y[order[-N_JUDGING:]]
        X, y = X[order[:n]], y[order[:n]]
    shape = (-1, 28, 28)
    start = time.perf_counter()
    options = CANDIDATES[cell["setting"]]
    forest = BoostedManifoldForestClassifier(random_state=int(cell["seed"]), n_jobs=-1, **options)
    forest.fit(X.reshape(shape), y)
    wall = time.perf_counter() - start
    probabilities = forest.predict_proba(X_test.reshape(shape))
    true = probabilities[np.arange(len(y_test)), np.searchsorted(forest.classes_, y_test)]
    predicted = forest.classes_[probabilities.argmax(axis=1)]
    return {
        "error": float(np.mean(predicted != y_test)),
        "log_loss": float(-np.log(true.clip(1e-9)).mean()),
        "n_rounds": forest.n_iter_,
        "wall_s": wall,
    }


def choose(store: Store, dataset: str) -> str:
    """The setting with the smallest error on held-out training images, then log loss."""

    def scores(setting: str) -> tuple[float, float]:
        where = {"stage": "choose", "dataset": dataset, "setting": setting, "n": N_CHOOSING}
        return store.mean("error", **where), store.mean("log_loss", **where)

    known = [setting for setting in CANDIDATES if not np.isnan(scores(setting)[0])]
    return min(known, key=scores) if known else "default"


def list_cells(arguments: Arguments, stage: str, n: int, settings: list[str]) -> list[Cell]:
    """Settings on some training images of both sets, or on all of them."""
    return [
        {
            "stage": stage,
            "dataset": dataset,
            "setting": setting,
            "n": 500 if arguments.quick else n,
            "seed": seed,
            "data": arguments.data,
        }
        for dataset in DATASETS
        for seed in range(arguments.seeds if stage == "choose" else 1)
        for setting in settings
    ]


def test_table(store: Store) -> str:
    """Errors on the test images after training with all others."""
    rows = []
    for dataset in DATASETS:
        for setting in store.distinct("setting", stage="test", dataset=dataset):
            where = {"stage": "test", "dataset": dataset, "setting": setting}
            rounds, loss, seconds = (
                store.mean(score, **where) for score in ("n_rounds", "log_loss", "wall_s")
            )
            error = percent(store.mean("error", **where))
            rows.append(
                [dataset, setting, number(rounds, 0), error, number(loss), number(seconds, 0)]
            )
    header = ["60,000 training images", "setting", "rounds", "test error", "log loss", "seconds"]
    return table(header, rows)


def write(store: Store, arguments: Arguments) -> None:
    """The page: what was chosen, what it was chosen from, and the test errors."""
    expectations, parts = [], [f"`{arguments.command}`"]
    for dataset in DATASETS:
        chosen = choose(store, dataset)
        rows = []
        for setting in CANDIDATES:
            where = {"stage": "choose", "dataset": dataset, "setting": setting}
            few = store.mean("error", n=N_FEW, **where)
            many = [store.mean(score, n=N_CHOOSING, **where) for score in ("error", "log_loss")]
            rows.append([setting, *map(number, (few, *many))])
        header = [dataset, f"{N_FEW:,}: error", f"{N_CHOOSING:,}: error", "log loss"]
        parts.append(table(header, rows))
        for setting, target in zip(("default", chosen), TARGETS[dataset], strict=True):
            where = {"stage": "test", "dataset": dataset, "setting": setting}
            error = store.mean("error", **where)
            claim = f"{dataset}, {setting}: at most {percent(target)}"
            expectations.append(at_most(claim, error, target)._replace(measured=percent(error)))
    parts.insert(1, expectations_table(expectations))
    parts.insert(2, test_table(store))
    page = arguments.output / "boosting_images.md"
    write_measured(page, "Boosted forests on images", "\n\n".join(parts))


def main(argv: list[str] | None = None) -> None:
    """Choose on training images, test what was chosen, then write the page."""
    arguments = parse("boosting_images", __doc__ or "", seeds=1, argv=argv)
    path = arguments.output / "measurements" / "boosting_images.csv"
    store = Store(path, ("stage", "dataset", "setting", "n", "seed"), SCORES)
    tried = list(CANDIDATES)[:3] if arguments.quick else list(CANDIDATES)
    cells = list_cells(arguments, "choose", N_CHOOSING, tried)
    if not arguments.quick:
        cells += list_cells(arguments, "choose", N_FEW, list(FEW))
    measure_cells(store, cells, measure, arguments)
    if not arguments.quick:
        chosen = sorted({"default", *(choose(store, name) for name in DATASETS)})
        measure_cells(store, list_cells(arguments, "test", N_ALL, chosen), measure, arguments)
    write(store, arguments)


if __name__ == "__main__":
    main()
