"""Small colour images: 5,000 of CIFAR-10 to learn from, 1,000 to test with."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from experiments.arguments import Arguments, parse
from experiments.data import Split
from experiments.pages import at_most, expectations_table, number, percent, table, write_measured
from experiments.scoring import SCORES, score_system
from experiments.store import Cell, Store, measure_cells
from silvan import BoostedManifoldForestClassifier, ManifoldForestClassifier

N_TREES, SHAPE = 200, (32, 32, 3)
SYSTEMS = ("channels", "boosted", "MORF", "RF", "ExtraTrees")
GAIN = 0.08  # by which channels should be ahead of RF


def make_system(name: str, seed: int) -> Any:
    """A classifier with its defaults."""
    common: dict[str, Any] = {"random_state": seed, "n_jobs": 1}
    if name == "channels":
        return ManifoldForestClassifier(N_TREES, shape=SHAPE, **common)
    if name == "boosted":
        return BoostedManifoldForestClassifier(N_TREES, shape=SHAPE, **common)
    if name == "MORF":
        return ManifoldForestClassifier(N_TREES, shape=SHAPE, channels="raw", **common)
    kind = RandomForestClassifier if name == "RF" else ExtraTreesClassifier
    return kind(N_TREES, **common)


def measure(cell: Cell) -> Cell:
    """Error and times of one system."""
    with np.load(Path(cell["file"])) as file:
        parts = (file[name].reshape(len(file[name]), -1) for name in ("X_train", "X_test"))
        X_train, X_test = parts
        y_train, y_test = file["y_train"].ravel(), file["y_test"].ravel()
    n = cell["n"]
    return score_system(
        make_system(cell["system"], cell["seed"]), Split(X_train[:n], y_train[:n], X_test, y_test)
    )


def write_page(store: Store, arguments: Arguments) -> None:
    """Errors and times."""
    means = {name: [store.mean(value, system=name) for value in SCORES] for name in SYSTEMS}
    rows = [
        [name, percent(error), number(fit, 0), number(predict, 1)]
        for name, (error, fit, predict) in means.items()
        if not math.isnan(error)
    ]
    bound = means["RF"][0] - GAIN
    claim = f"channels at least {100 * GAIN:.0f} points below RF, at most {percent(bound)}"
    error = means["channels"][0]
    expectation = at_most(claim, error, bound)._replace(measured=percent(error))
    parts = [
        f"`{arguments.command}`",
        expectations_table([expectation]),
        table(("", "error", "training, CPU s", "1,000 tests, CPU s"), rows),
    ]
    write_measured(arguments.output / "cifar.md", "Colour images", "\n\n".join(parts))


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing, then write."""
    arguments = parse("cifar", __doc__ or "", seeds=1, argv=argv)
    path = arguments.output / "measurements" / "cifar.csv"
    store = Store(path, ("system", "seed"), SCORES)
    cells = [
        {
            "system": system,
            "seed": seed,
            "n": 300 if arguments.quick else 5000,
            "file": arguments.data / "cifar10" / "cifar10_5k_1k.npz",
        }
        for system in SYSTEMS
        for seed in range(arguments.seeds)
    ]
    measure_cells(store, cells, measure, arguments)
    write_page(store, arguments)


if __name__ == "__main__":
    main()
