"""Measures forests on a local cluster: memory of a large table, and the cluster's overhead.

``python -m benchmarks.clusters memory --rows 20000000`` writes a table to Parquet, fits a forest on
it with workers of limited memory, predicts it lazily, and plots the memory of all processes.
``python -m benchmarks.clusters overhead`` compares two workers of one thread with one process of
two threads.
"""

from __future__ import annotations

import argparse
import os
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import dask.dataframe as dd
import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from dask.utils import parse_bytes
from distributed import Client, LocalCluster, SchedulerPlugin

import silvan
import silvan.dask
from silvan.datasets import make_trunk

_ROWS_OF_A_GROUP = 200_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["memory", "overhead"])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--draws", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", default="1.5GB")
    parser.add_argument("--folder", type=Path, default=Path(".bench/clusters"))
    parser.add_argument("--figure", type=Path)
    options = parser.parse_args()
    {"memory": measure_memory, "overhead": measure_overhead}[options.what](options)


def measure_overhead(options: argparse.Namespace) -> None:
    """Fit in turns, since other work on the machine comes and goes, and compare the shortest."""
    X, y = make_trunk(options.rows, n_features=options.features, random_state=0)
    X = X.astype(np.float32)
    settings = {"n_estimators": options.trees, "random_state": 0}
    size = len(X) // 4
    local = silvan.ForestClassifier(**settings, n_jobs=2)
    spent: dict[str, list[Spent]] = {"cluster": [], "local": []}
    with start(options) as cluster, Client(cluster) as client:
        parts = client.scatter([X[at : at + size] for at in range(0, len(X), size)])
        labels = client.scatter([y[at : at + size] for at in range(0, len(X), size)])
        client.run(lambda: __import__("silvan.dask"))
        pids = [nanny.pid for nanny in cluster.workers.values()]
        forest = silvan.dask.ForestClassifier(**settings, layout="replicated")
        for _ in range(options.repeats):
            spent["cluster"].append(measured(lambda: forest.fit(parts, labels), pids))
            spent["local"].append(measured(lambda: local.fit(X, y), pids))
            report(spent)
    assert np.array_equal(local.forest_.threshold, forest.forest_.threshold)


def report(spent: dict[str, list[Spent]]) -> None:
    for name, times in spent.items():
        texts = [f"{one.wall:.1f} s ({one.cpu:.1f} s of CPU, load {one.load:.1f})" for one in times]
        print(f"{name}: {', '.join(texts)}")
    for what in ("wall", "cpu"):
        least = {name: min(getattr(one, what) for one in spent[name]) for name in spent}
        print(f"two workers took {least['cluster'] / least['local']:.3f} times as much ({what})")


def measure_memory(options: argparse.Namespace) -> None:
    # In another process: what writing needs is no memory of the client.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        pool.submit(write_table, options.folder / "table", options.rows, options.features).result()
    out = options.folder / "predicted"
    shutil.rmtree(out, ignore_errors=True)
    with start(options) as cluster, Client(cluster) as client:
        counter = TaskCounter()
        cluster.scheduler.add_plugin(counter)
        watch = MemoryWatch({name: nanny.pid for name, nanny in cluster.workers.items()})
        frame = dd.read_parquet(options.folder / "table")
        features = frame.drop(columns="y")
        forest = silvan.dask.ForestClassifier(
            options.trees, random_state=0, max_samples=options.draws, layout="partitioned"
        )
        with watch:
            watch.mark("fit")
            fit = measured(lambda: forest.fit(features, frame["y"]))
            moved = client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
            n_tasks = len(counter.keys)
            watch.mark("predict")
            predicted = forest.predict(features).to_frame("label")
            predict = measured(lambda: predicted.to_parquet(out))
    n_written = sum(pq.read_metadata(path).num_rows for path in out.glob("*.parquet"))
    assert n_written == options.rows, n_written
    print(f"fit {fit.wall:.0f} s, predict {predict.wall:.0f} s, load {predict.load:.1f}")
    print(f"{n_tasks:,} tasks of the fit, {sum(moved.values()) / 1e9:.2f} GB between workers")
    print(f"{forest.forest_!r}, {forest.forest_.nbytes / 1e6:.0f} MB")
    for name, peaks in watch.peaks().items():
        print(f"{name}: at most " + ", ".join(f"{at / 1e6:.0f} MB ({of})" for of, at in peaks))
    if options.figure:
        watch.plot(options.figure, options.limit)


def start(options: argparse.Namespace) -> LocalCluster:
    limit = options.limit if options.what == "memory" else "auto"
    return LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit=limit, dashboard_address=":0"
    )


def write_table(folder: Path, n_rows: int, n_features: int) -> None:
    """A file for each part of Trunk's table, and nothing if they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, first in enumerate(range(0, n_rows, _ROWS_OF_A_GROUP)):
        path = folder / f"{number:04}.parquet"
        if path.exists():
            continue
        size = min(_ROWS_OF_A_GROUP, n_rows - first)
        X, y = make_trunk(size, n_features=n_features, random_state=number)
        columns = {f"x{j}": X[:, j].astype(np.float32) for j in range(n_features)}
        table = pa.table({**columns, "y": y.astype(np.int8)})
        pq.write_table(table, path, row_group_size=size, compression="NONE", use_dictionary=False)


class Spent(NamedTuple):
    """What a call took: time that passed and that processors worked, and the load at its end."""

    wall: float
    cpu: float
    load: float


def measured(call: Callable[[], object], pids: Sequence[int] = ()) -> Spent:
    """Call it; `pids` are processes that work for it besides this one."""
    processes = [psutil.Process(pid) for pid in (os.getpid(), *pids)]

    def cpu() -> float:
        return sum(sum(process.cpu_times()[:2]) for process in processes)

    begin, begin_cpu = time.perf_counter(), cpu()
    call()
    return Spent(time.perf_counter() - begin, cpu() - begin_cpu, os.getloadavg()[0])


class TaskCounter(SchedulerPlugin):
    """The tasks that a scheduler was given."""

    def __init__(self) -> None:
        self.keys: set[object] = set()

    def transition(self, key: object, start: str, finish: str, *args: object, **kw: object) -> None:
        if finish == "processing":
            self.keys.add(key)


class MemoryWatch:
    """Reads the resident memory of this process (client and scheduler) and of workers."""

    def __init__(self, workers: dict[int, int]) -> None:
        self._pids = {"client and scheduler": os.getpid()}
        self._pids |= {f"worker {name}": pid for name, pid in workers.items()}
        self._times: list[float] = []
        self._bytes: dict[str, list[int]] = {name: [] for name in self._pids}
        self._marks: list[tuple[float, str]] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> MemoryWatch:
        self._begin = time.perf_counter()
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join()

    def mark(self, text: str) -> None:
        self._marks.append((time.perf_counter() - self._begin, text))

    def peaks(self) -> dict[str, list[tuple[str, int]]]:
        """The largest memory of each process from each mark on."""
        starts = np.searchsorted(self._times, [when for when, _ in self._marks]).tolist()
        ends = [*starts[1:], len(self._times)]
        return {
            name: [
                (text, max(values[start:end], default=0))
                for (_, text), start, end in zip(self._marks, starts, ends, strict=True)
            ]
            for name, values in self._bytes.items()
        }

    def plot(self, path: Path, limit: str) -> None:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
        for name, values in self._bytes.items():
            axes.plot(self._times, np.array(values) / 1e6, label=name)
        most = parse_bytes(limit) / 1e6
        axes.axhline(most, color="0.4", lw=0.8, ls="--", label="limit of a worker")
        for when, text in self._marks:
            axes.axvline(when, color="0.7", lw=0.8)
            axes.annotate(f" {text}", (when, 1.13 * most), va="top", fontsize=8)
        axes.set(xlabel="seconds", ylabel="resident memory, MB", ylim=(0, 1.15 * most))
        axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
        figure.savefig(path, dpi=120)

    def _run(self) -> None:
        while not self._stop.wait(0.5):
            self._times.append(time.perf_counter() - self._begin)
            for name, pid in self._pids.items():
                self._bytes[name].append(_resident_bytes(pid))


def _resident_bytes(pid: int) -> int:
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


if __name__ == "__main__":
    main()
