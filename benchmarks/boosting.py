"""The time of gradient boosting: silvan beside LightGBM and YDF, same rounds, leaves and threads.

``python -m benchmarks.boosting --threads 1 2 --output docs/results/boosting_speed.md``

Systems take turns in every round of measurements; every fifth sample is left out of the fit and
tells the error. LightGBM and YDF are left out where they are not installed
(``pip install lightgbm ydf``).
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import describe_machine
from silvan import BoostedForestClassifier
from silvan.projections import AxisAligned

N_ROUNDS = 100
N_LEAVES = 31
RATE = 0.1
TABLES = ("covtype_20k", "bank_full")
# Where YDF's oblique trees would take hours.
LARGE = "1,000,000 x 50"
Data = tuple[NDArray[np.float32], NDArray[np.int64]]
# A fit: training samples, rounds and threads in, a function that predicts classes out.
Fit = Callable[[Data, int, int], Callable[[NDArray[np.float32]], NDArray[Any]]]


def load_table(folder: Path, name: str) -> Data:
    """Return a table of $SILVAN_DATA/tabular, classes as numbers from 0 on."""
    with np.load(folder / "tabular" / f"{name}.npz") as file:
        X = file["X"].astype(np.float32)
        return X, np.unique(file["y"], return_inverse=True)[1].astype(np.int64)


def simulate(n: int, p: int) -> Data:
    """Return two classes that a few features and a product of two tell apart."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)).astype(np.float32)
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[:, 3 : min(p, 10)].sum(axis=1)
    return X, (score + rng.normal(size=n) > 0).astype(np.int64)


def fit_silvan(data: Data, n_rounds: int, n_threads: int, **options: Any) -> Any:
    """Fit a boosted forest."""
    forest = BoostedForestClassifier(
        n_rounds, random_state=0, n_jobs=n_threads, early_stopping=False, **options
    )
    return forest.fit(*data).predict


def fit_features(data: Data, n_rounds: int, n_threads: int) -> Any:
    """Fit a boosted forest along single features."""
    return fit_silvan(data, n_rounds, n_threads, projections=AxisAligned())


def fit_lightgbm(data: Data, n_rounds: int, n_threads: int) -> Any:
    """Fit LightGBM with its defaults, which are the same rounds, leaves and rate."""
    from lightgbm import LGBMClassifier

    forest = LGBMClassifier(
        n_estimators=n_rounds,
        num_leaves=N_LEAVES,
        learning_rate=RATE,
        n_jobs=n_threads,
        verbosity=-1,
    )
    return forest.fit(*data).predict


def fit_ydf(data: Data, n_rounds: int, n_threads: int) -> Any:
    """Fit YDF's gradient boosted trees with sparse oblique splits, as many leaves."""
    import ydf

    def name_columns(X: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
        return {f"x{j}": X[:, j] for j in range(X.shape[1])}

    X, y = data
    model = ydf.GradientBoostedTreesLearner(
        label="y",
        num_trees=n_rounds,
        shrinkage=RATE,
        growing_strategy="BEST_FIRST_GLOBAL",
        max_num_nodes=N_LEAVES,
        split_axis="SPARSE_OBLIQUE",
        early_stopping="NONE",
        validation_ratio=0.0,
        num_threads=n_threads,
    ).train({**name_columns(X), "y": y}, verbose=0)

    def predict(X: NDArray[np.float32]) -> NDArray[np.int64]:
        return np.array(model.predict_class(name_columns(X))).astype(np.int64)

    return predict


SYSTEMS: dict[str, tuple[str, Fit]] = {
    "silvan, single features": ("silvan", fit_features),
    "silvan, default": ("silvan", fit_silvan),
    "LightGBM": ("lightgbm", fit_lightgbm),
    "YDF, sparse oblique": ("ydf", fit_ydf),
}


def measure(
    data: Data, names: list[str], n_rounds: int, threads: int, repeats: int
) -> dict[str, tuple[float, float]]:
    """Return the shortest wall clock time of each system, which take turns, and its error."""
    X, y = data
    held_out = np.arange(len(y)) % 5 == 0
    train, X_test, y_test = (X[~held_out], y[~held_out]), X[held_out], y[held_out]
    best = dict.fromkeys(names, float("inf"))
    error = {}
    for repeat in range(repeats):
        turn = repeat % len(names)
        for name in names[turn:] + names[:turn]:
            start = time.perf_counter()
            predict = SYSTEMS[name][1](train, n_rounds, threads)
            best[name] = min(best[name], time.perf_counter() - start)
            error[name] = float(np.mean(predict(X_test) != y_test))
    return {name: (best[name], error[name]) for name in names}


def write_times(found: dict[str, tuple[float, float]], names: list[str]) -> list[str]:
    """Return seconds and, where LightGBM was measured, times LightGBM; a dash for what was not."""
    base = found["LightGBM"][0] if "LightGBM" in found else None
    seconds = {name: time for name, (time, _) in found.items()}
    return [
        (f"{seconds[name]:.2f}" + (f" ({seconds[name] / base:.2f})" if base else ""))
        if name in seconds
        else "-"
        for name in names
    ]


def main() -> None:
    """Measure every table with every number of threads, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="Markdown file to write")
    parser.add_argument("--threads", type=int, nargs="+", default=[1], help="numbers of threads")
    parser.add_argument("--repeats", type=int, default=3, help="rounds of measurements")
    parser.add_argument("--quick", action="store_true", help="small tables, few rounds: a minute")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("SILVAN_DATA", ".")))
    arguments = parser.parse_args()
    n_rounds = 10 if arguments.quick else N_ROUNDS
    tables = {"20,000 x 20": simulate(20_000, 20)}
    if not arguments.quick:
        tables = {name: load_table(arguments.data, name) for name in TABLES}
        tables[LARGE] = simulate(1_000_000, 50)
    names = [name for name, (package, _) in SYSTEMS.items() if find_spec(package)]
    command = (
        f"python -m benchmarks.boosting --threads {' '.join(map(str, arguments.threads))} "
        f"--repeats {arguments.repeats}"
    )
    lines = [
        "# Speed of gradient boosting",
        "",
        f"`{command} --output docs/results/boosting_speed.md`",
        "",
        *(f"* {line}" for line in describe_machine()),
        "",
        f"Seconds of a fit: {n_rounds} rounds, {N_LEAVES} leaves, rate {RATE}, the best of "
        f"{arguments.repeats} rounds in which the systems take turns; in brackets times LightGBM. "
        "Below, the error on every fifth sample, which was left out of the fit.",
        "",
        f"| table | threads | {' | '.join(names)} |",
        "| --- | ---: |" + " ---: |" * len(names),
    ]
    for table, data in tables.items():
        systems = [name for name in names if table != LARGE or name != "YDF, sparse oblique"]
        for threads in arguments.threads:
            found = measure(data, systems, n_rounds, threads, arguments.repeats)
            lines.append(f"| {table} | {threads} | {' | '.join(write_times(found, names))} |")
            print(lines[-1], flush=True)
        errors = [f"{found[name][1]:.4f}" if name in found else "-" for name in names]
        lines.append(f"| error | | {' | '.join(errors)} |")
        print(lines[-1], flush=True)
    text = "\n".join(lines) + "\n"
    if arguments.output:
        arguments.output.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
