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
from pathlib import Path

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from distributed import Client, LocalCluster

import silvan
import silvan.dask
from silvan.datasets import make_trunk

N_FEATURES = 50
_ROWS_OF_A_GROUP = 200_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["memory", "overhead"])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--draws", type=int, default=100_000)
    parser.add_argument("--limit", default="1.5GB")
    parser.add_argument("--folder", type=Path, default=Path(".bench/clusters"))
    parser.add_argument("--figure", type=Path)
    options = parser.parse_args()
    {"memory": measure_memory, "overhead": measure_overhead}[options.what](options)


def measure_overhead(options: argparse.Namespace) -> None:
    X, y = make_trunk(options.rows, n_features=N_FEATURES, random_state=0)
    X = X.astype(np.float32)
    settings = {"n_estimators": options.trees, "random_state": 0}
    table = da.from_array(X, chunks=(len(X) // 4, -1)), da.from_array(y, chunks=len(X) // 4)
    with start(options) as cluster, Client(cluster) as client:
        table = tuple(client.persist(part) for part in table)
        client.run(lambda: __import__("silvan.dask"))
        forest = silvan.dask.ForestClassifier(**settings, layout="replicated")
        seconds = {"cluster": timed(lambda: forest.fit(*table))}
    local = silvan.ForestClassifier(**settings, n_jobs=2)
    seconds["local"] = timed(lambda: local.fit(X, y))
    assert np.array_equal(local.forest_.threshold, forest.forest_.threshold)
    print({name: round(value, 1) for name, value in seconds.items()})
    print(f"two workers took {seconds['cluster'] / seconds['local']:.2f} times as long")


def measure_memory(options: argparse.Namespace) -> None:
    write_table(options.folder / "table", options.rows)
    with start(options) as cluster, Client(cluster):
        watch = MemoryWatch({name: nanny.pid for name, nanny in cluster.workers.items()})
        frame = dd.read_parquet(options.folder / "table")
        features = frame.drop(columns="y")
        forest = silvan.dask.ForestClassifier(
            options.trees, random_state=0, max_samples=options.draws, layout="partitioned"
        )
        with watch:
            fit = timed(lambda: forest.fit(features, frame["y"]))
            watch.mark("predict")
            out = options.folder / "predicted"
            shutil.rmtree(out, ignore_errors=True)
            predicted = forest.predict(features).to_frame("label")
            predict = timed(lambda: predicted.to_parquet(out))
    print(f"fit {fit:.0f} s, predict {predict:.0f} s, {forest.forest_!r}")
    for name, peak in watch.peaks().items():
        print(f"{name}: at most {peak / 1e6:.0f} MB")
    assert pq.read_metadata(next(out.glob("*.parquet"))).num_rows > 0
    if options.figure:
        watch.plot(options.figure, options.limit)


def start(options: argparse.Namespace) -> LocalCluster:
    limit = options.limit if options.what == "memory" else "auto"
    return LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit=limit, dashboard_address=":0"
    )


def write_table(folder: Path, n_rows: int) -> None:
    """A file for each part of Trunk's table, and nothing if they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, first in enumerate(range(0, n_rows, _ROWS_OF_A_GROUP)):
        path = folder / f"{number:04}.parquet"
        if path.exists():
            continue
        size = min(_ROWS_OF_A_GROUP, n_rows - first)
        X, y = make_trunk(size, n_features=N_FEATURES, random_state=number)
        columns = {f"x{j}": X[:, j].astype(np.float32) for j in range(N_FEATURES)}
        table = pa.table({**columns, "y": y.astype(np.int8)})
        pq.write_table(table, path, row_group_size=size, compression="NONE", use_dictionary=False)


def timed(call: object) -> float:
    begin = time.perf_counter()
    call()  # type: ignore[operator]
    return time.perf_counter() - begin


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

    def peaks(self) -> dict[str, int]:
        return {name: max(values) for name, values in self._bytes.items()}

    def plot(self, path: Path, limit: str) -> None:
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
        for name, values in self._bytes.items():
            axes.plot(self._times, np.array(values) / 1e6, label=name)
        for when, text in self._marks:
            axes.axvline(when, color="0.7", lw=0.8)
            axes.annotate(text, (when, axes.get_ylim()[1]), va="top", fontsize=8)
        axes.set(xlabel="seconds", ylabel="resident memory, MB", ylim=(0, None))
        axes.set_title(f"memory of each process; workers limited to {limit}", fontsize=9)
        axes.legend(fontsize=8)
        figure.savefig(path, dpi=120)

    def _run(self) -> None:
        while not self._stop.wait(0.5):
            self._times.append(time.perf_counter() - self._begin)
            for name, pid in self._pids.items():
                self._bytes[name].append(_resident_bytes(pid))


def _resident_bytes(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
