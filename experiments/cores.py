"""Figure 3.10 of the thesis: time of a tree, and how much faster several threads are."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.boosting import simulate
from benchmarks.machine import describe_machine
from numpy.typing import NDArray
from tqdm import tqdm

from experiments.arguments import Arguments, parse
from experiments.data import load_images
from experiments.figures import panels, save
from experiments.pages import Expectation, expectations_table, number, table, write_measured
from experiments.store import Cell, Store, require_rows

N_TREES = 32
# Rounds of XGBoost; each has a tree for every class of MNIST.
N_ROUNDS = {"MNIST": 4, "Higgs": 32, "p53": 32}
THREADS = (1, 2, 4, 8, 16)
# What takes minutes with few threads is measured with the fewest and the most.
SLOW = {("p53", "scikit-learn RF"), ("p53", "XGBoost")}
FORESTS = ("RerF", "RF", "scikit-learn RF")
SYSTEMS = (*FORESTS, "XGBoost")
Data = tuple[NDArray[Any], NDArray[np.int64]]


def simulate_p53(n: int, p: int) -> Data:
    """Few samples of a second class, shifted along a tenth of the features: trees are shallow."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.05).astype(np.int64)
    X = rng.standard_normal((n, p), dtype=np.float32)
    X[:, : p // 10] += 1.5 * y[:, None]
    return X, y


def load(name: str, folder: Path, *, quick: bool) -> Data:
    """Images, or simulated tables of the size of those in the thesis."""
    share = 20 if quick else 1
    if name == "MNIST":
        split = load_images(folder / "mnist")
        return split.X_train[::share], split.y_train[::share]
    if name == "Higgs":
        return simulate(250_000 // share, 31)
    return simulate_p53(31_159 // share, 5_409)


def make_system(name: str, data: str, n_threads: int) -> Any:
    """A forest with as many directions as the square root of the features, or boosted trees."""
    if name == "XGBoost":
        from xgboost import XGBClassifier

        return XGBClassifier(n_estimators=N_ROUNDS[data], n_jobs=n_threads, random_state=0)
    if name == "scikit-learn RF":
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(N_TREES, n_jobs=n_threads, random_state=0)
    from silvan import presets

    make: Callable[..., Any] = {"RF": presets.rf, "RerF": presets.sporf}[name]
    return make(N_TREES, max_features="sqrt", n_jobs=n_threads, random_state=0)


def count_trees(name: str, data: str, n_classes: int) -> int:
    """Trees of a fit: XGBoost grows one for each of several classes."""
    if name != "XGBoost":
        return N_TREES
    return N_ROUNDS[data] * (n_classes if n_classes > 2 else 1)


def measure_missing(store: Store, arguments: Arguments) -> None:
    """Fit all systems with every number of threads, one after the other."""
    threads = [n for n in THREADS if n <= len(os.sched_getaffinity(0))]
    for data in N_ROUNDS:
        cells: list[Cell] = [
            {"data": data, "threads": n, "seed": seed, "system": system}
            for seed in range(arguments.seeds)
            for n in threads
            for system in SYSTEMS
            if (data, system) not in SLOW or n in (threads[0], threads[-1])
        ]
        missing = [cell for cell in cells if store.key(cell) not in store.rows]
        if arguments.report or not missing:
            continue
        X, y = load(data, arguments.data, quick=arguments.quick)
        n_classes = len(np.unique(y))
        for cell in tqdm(missing, desc=data, unit="fit"):
            system = cell["system"]
            try:
                forest = make_system(system, data, cell["threads"])
            except ImportError:
                continue
            start = time.perf_counter()
            forest.fit(X, y)
            seconds = time.perf_counter() - start
            per_tree = seconds / count_trees(system, data, n_classes)
            store.add({**cell, "seconds": seconds, "per_tree": per_tree})


def best(store: Store, data: str, system: str, threads: int) -> float:
    """Shortest seconds of a tree; NaN where there are none."""
    values = store.values("per_tree", data=data, system=system, threads=threads)
    return min(values, default=float("nan"))


def threads_of(store: Store) -> list[int]:
    """Numbers of threads that were measured."""
    return sorted(int(n) for n in store.distinct("threads"))


def draw_figure(store: Store, arguments: Arguments) -> None:
    """Seconds of a tree above, times as fast as one thread below, a column for each data set."""
    threads = threads_of(store)
    figure, axes = panels(2, len(N_ROUNDS), width=3.6)
    for column, data in enumerate(N_ROUNDS):
        for system in SYSTEMS:
            times = np.array([best(store, data, system, n) for n in threads])
            axes[0, column].loglog(threads, times, "o-", markersize=4, label=system)
            axes[1, column].loglog(threads, times[0] / times, "o-", markersize=4, label=system)
        axes[1, column].loglog(threads, threads, "--", color="0.7", zorder=0)
        axes[0, column].set_title(data)
        for axis in axes[:, column]:
            axis.set_xticks(threads, [str(n) for n in threads])
            axis.minorticks_off()
        axes[1, column].set_yticks(threads, [str(n) for n in threads])
        axes[1, column].set_xlabel("threads")
    axes[0, 0].set_ylabel("seconds of a tree")
    axes[1, 0].set_ylabel("times as fast as one thread")
    axes[0, 0].legend()
    save(figure, arguments.output / "cores.png")


def check_expectations(store: Store) -> list[Expectation]:
    """What the thesis says of RerF with many cores, with the most that were measured."""
    most = threads_of(store)[-1]
    found = []
    for data in ("MNIST", "Higgs"):
        ours, theirs = (best(store, data, s, most) for s in ("RerF", "XGBoost"))
        found.append(
            Expectation(
                f"{data}: RerF's trees are faster than XGBoost's with {most} threads",
                f"{number(ours)} s against {number(theirs)} s",
                None if np.isnan(ours + theirs) else ours < theirs,
            )
        )
        scaling = {s: best(store, data, s, 1) / best(store, data, s, most) for s in SYSTEMS}
        others = [scaling[s] for s in ("scikit-learn RF", "XGBoost") if not np.isnan(scaling[s])]
        found.append(
            Expectation(
                f"{data}: RerF gains most from {most} threads",
                f"{scaling['RerF']:.1f} times, others at most {max(others, default=np.nan):.1f}",
                scaling["RerF"] > max(others) if others else None,
            )
        )
    return found


def main(argv: list[str] | None = None) -> None:
    """Measure what is missing on this machine, then draw and write."""
    arguments = parse("cores", __doc__ or "", seeds=2, argv=argv)
    path = arguments.output / "measurements" / "cores.csv"
    store = Store(path, ("data", "system", "threads", "seed"), ("seconds", "per_tree"))
    measure_missing(store, arguments)
    require_rows(store, arguments)
    draw_figure(store, arguments)
    threads = threads_of(store)
    rows = []
    for data in N_ROUNDS:
        for system in SYSTEMS:
            times = [best(store, data, system, n) for n in threads]
            ratio = times[0] / times[-1]
            rows.append([f"{data}, {system}", *(number(t) for t in times), number(ratio, 1)])
    header = ["seconds of a tree, threads", *map(str, threads), f"times as fast with {threads[-1]}"]
    parts = [
        f"`{arguments.command}`",
        expectations_table(check_expectations(store)),
        "![Seconds of a tree, and times as fast, against threads](cores.png)",
        table(header, rows),
    ]
    if not arguments.report:
        parts.insert(1, "\n".join(f"* {line}" for line in describe_machine()))
    write_measured(arguments.output / "cores.md", "Speed against cores", "\n\n".join(parts))


if __name__ == "__main__":
    main()
