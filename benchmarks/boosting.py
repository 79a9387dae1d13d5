"""The time of gradient boosting: silvan beside LightGBM and YDF, same rounds, leaves and threads.

``python -m benchmarks.boosting --threads 1 2 --output docs/results/boosting_speed.md``

Systems take turns in every round of measurements; every fifth sample is left out of the fit and
tells the error. LightGBM and YDF are left out where they are not installed
(``pip install lightgbm ydf``). `benchmarks.boosting_memory` measures the memory of a fit.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import describe_machine
from benchmarks.systems import force_instruction_set
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


class Measured(NamedTuple):
    """Seconds of a system's shortest fit, of its cheapest for the processors, and its error."""

    wall: float
    cpu: float
    error: float


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
) -> dict[str, Measured]:
    """Measure every system; they take turns."""
    X, y = data
    held_out = np.arange(len(y)) % 5 == 0
    train, X_test, y_test = (X[~held_out], y[~held_out]), X[held_out], y[held_out]
    none = Measured(float("inf"), float("inf"), float("nan"))
    best = dict.fromkeys(names, none)
    for repeat in range(repeats):
        turn = repeat % len(names)
        for name in names[turn:] + names[:turn]:
            start, start_cpu = time.perf_counter(), time.process_time()
            predict = SYSTEMS[name][1](train, n_rounds, threads)
            wall, cpu = time.perf_counter() - start, time.process_time() - start_cpu
            error = float(np.mean(predict(X_test) != y_test))
            best[name] = Measured(min(best[name].wall, wall), min(best[name].cpu, cpu), error)
    return best


def write_times(found: dict[str, Measured], names: list[str]) -> list[str]:
    """Return seconds, times LightGBM where that was measured, and CPU seconds; else a dash."""
    base = found["LightGBM"].wall if "LightGBM" in found else None

    def write(one: Measured) -> str:
        ratio = "" if base is None else f" ({one.wall / base:.2f})"
        return f"{one.wall:.2f}{ratio}, CPU {one.cpu:.2f}"

    return [write(found[name]) if name in found else "-" for name in names]


def main() -> None:
    """Measure every table with every number of threads, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="Markdown file to write")
    parser.add_argument("--threads", type=int, nargs="+", default=[1], help="numbers of threads")
    parser.add_argument("--repeats", type=int, default=3, help="rounds of measurements")
    parser.add_argument("--only", nargs="+", choices=[*TABLES, LARGE], help="tables (default: all)")
    parser.add_argument("--systems", nargs="+", choices=list(SYSTEMS), default=list(SYSTEMS))
    parser.add_argument("--instruction-set", help="silvan's kernels, such as avx2 (default: best)")
    parser.add_argument("--quick", action="store_true", help="small tables, few rounds: a minute")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("SILVAN_DATA", ".")))
    arguments = parser.parse_args()
    kernels = force_instruction_set(arguments.instruction_set)
    n_rounds = 10 if arguments.quick else N_ROUNDS
    tables = {"20,000 x 20": simulate(20_000, 20)}
    if not arguments.quick:
        asked = arguments.only or [*TABLES, LARGE]
        tables = {
            name: simulate(1_000_000, 50) if name == LARGE else load_table(arguments.data, name)
            for name in asked
        }
    names = [name for name in arguments.systems if find_spec(SYSTEMS[name][0])]
    command = (
        f"python -m benchmarks.boosting --threads {' '.join(map(str, arguments.threads))} "
        f"--repeats {arguments.repeats}"
        + (f" --instruction-set {kernels}" if arguments.instruction_set else "")
    )
    lines = [
        "# Speed of gradient boosting",
        "",
        f"`{command} --output docs/results/boosting_speed.md`",
        "",
        *(f"* {line}" for line in describe_machine()),
        f"* kernels of silvan: {kernels}",
        "",
        f"Seconds of a fit: {n_rounds} rounds, {N_LEAVES} leaves, rate {RATE}, the best of "
        f"{arguments.repeats} rounds in which the systems take turns; in brackets times LightGBM, "
        "then seconds of all processors. "
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
        errors = [f"{found[name].error:.4f}" if name in found else "-" for name in names]
        lines.append(f"| error | | {' | '.join(errors)} |")
        print(lines[-1], flush=True)
    text = "\n".join(lines) + "\n"
    if arguments.output:
        arguments.output.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
