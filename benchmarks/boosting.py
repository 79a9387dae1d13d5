"""The time of gradient boosting: silvan beside LightGBM and YDF, same rounds, leaves and threads.

``python -m benchmarks.boosting --threads 1 2 --output docs/results/boosting_speed.md``

Systems take turns in every round of measurements. LightGBM and YDF are left out where they are not
installed (``pip install lightgbm ydf``).
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
Data = tuple[NDArray[np.float32], NDArray[np.int64]]


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


def fit_silvan(data: Data, n_rounds: int, n_threads: int, **options: Any) -> None:
    """Fit a boosted forest."""
    BoostedForestClassifier(
        n_rounds, random_state=0, n_jobs=n_threads, early_stopping=False, **options
    ).fit(*data)


def fit_features(data: Data, n_rounds: int, n_threads: int) -> None:
    """Fit a boosted forest along single features."""
    fit_silvan(data, n_rounds, n_threads, projections=AxisAligned())


def fit_lightgbm(data: Data, n_rounds: int, n_threads: int) -> None:
    """Fit LightGBM with its defaults, which are the same rounds, leaves and rate."""
    from lightgbm import LGBMClassifier

    LGBMClassifier(
        n_estimators=n_rounds,
        num_leaves=N_LEAVES,
        learning_rate=RATE,
        n_jobs=n_threads,
        verbosity=-1,
    ).fit(*data)


def fit_ydf(data: Data, n_rounds: int, n_threads: int) -> None:
    """Fit YDF's gradient boosted trees with sparse oblique splits, as many leaves."""
    import ydf

    X, y = data
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])} | {"y": y}
    ydf.GradientBoostedTreesLearner(
        label="y",
        num_trees=n_rounds,
        shrinkage=RATE,
        growing_strategy="BEST_FIRST_GLOBAL",
        max_num_nodes=N_LEAVES,
        split_axis="SPARSE_OBLIQUE",
        early_stopping="NONE",
        validation_ratio=0.0,
        num_threads=n_threads,
    ).train(columns, verbose=0)


SYSTEMS: dict[str, tuple[str, Callable[[Data, int, int], None]]] = {
    "silvan, single features": ("silvan", fit_features),
    "silvan, default": ("silvan", fit_silvan),
    "LightGBM": ("lightgbm", fit_lightgbm),
    "YDF, sparse oblique": ("ydf", fit_ydf),
}


def measure(data: Data, names: list[str], n_rounds: int, threads: int, repeats: int) -> list[float]:
    """Return the shortest wall clock times; the systems take turns."""
    best = dict.fromkeys(names, float("inf"))
    for repeat in range(repeats):
        turn = repeat % len(names)
        for name in names[turn:] + names[:turn]:
            start = time.perf_counter()
            SYSTEMS[name][1](data, n_rounds, threads)
            best[name] = min(best[name], time.perf_counter() - start)
    return [best[name] for name in names]


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
        tables["1,000,000 x 50"] = simulate(1_000_000, 50)
    names = [name for name, (package, _) in SYSTEMS.items() if find_spec(package)]
    command = f"python -m benchmarks.boosting --threads {' '.join(map(str, arguments.threads))}"
    lines = [
        "# Speed of gradient boosting",
        "",
        f"`{command} --output docs/results/boosting_speed.md`",
        "",
        *(f"* {line}" for line in describe_machine()),
        "",
        f"Seconds of a fit: {n_rounds} rounds, {N_LEAVES} leaves, rate {RATE}, the best of "
        f"{arguments.repeats} rounds in which the systems take turns; in brackets times LightGBM.",
        "",
        f"| table | threads | {' | '.join(names)} |",
        "| --- | ---: |" + " ---: |" * len(names),
    ]
    for table, data in tables.items():
        for threads in arguments.threads:
            seconds = measure(data, names, n_rounds, threads, arguments.repeats)
            base = seconds[names.index("LightGBM")] if "LightGBM" in names else None
            cells = [f"{s:.2f}" + (f" ({s / base:.2f})" if base else "") for s in seconds]
            lines.append(f"| {table} | {threads} | {' | '.join(cells)} |")
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.output:
        arguments.output.write_text(text)


if __name__ == "__main__":
    main()
