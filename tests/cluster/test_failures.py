"""Workers that die, join late or differ, fits that are cancelled, and data that do not fit."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

import silvan
import silvan.dask
from silvan.dask import ClusterError, running
from silvan.dask.running import Session

SETTINGS: dict[str, Any] = {"n_estimators": 30, "random_state": 0, "max_samples": 4000}


def make_samples() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.normal(size=(8000, 20)).astype(np.float32)
    return X, (X[:, :3].sum(axis=1) + random.normal(size=len(X)) > 0).astype(int)


@pytest.fixture(scope="module")
def local() -> silvan.ForestClassifier:
    return silvan.ForestClassifier(**SETTINGS).fit(*make_samples())


@contextmanager
def when_growing(cluster: LocalCluster, act: Callable[[], object]) -> Iterator[None]:
    """Do something from another thread once a worker grows trees."""

    def watch() -> None:
        while not done.is_set():
            tasks = list(cluster.scheduler.tasks.values())
            if any("silvan-grow" in task.key and task.state == "processing" for task in tasks):
                acted.append(act())
                return
            time.sleep(0.01)

    done, acted = threading.Event(), list[object]()
    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
    assert acted, "no worker ever grew a tree"


@pytest.mark.parametrize("layout", ["replicated", "partitioned"])
def test_a_worker_that_is_killed_while_it_grows_costs_no_tree(
    cluster: LocalCluster, client: Client, assert_same: Any, local: Any, layout: str
) -> None:
    X, y = make_samples()

    def kill() -> None:
        busy = [w for w in cluster.scheduler.workers.values() if w.processing]
        os.kill(cluster.workers[busy[0].name].pid, signal.SIGKILL)

    forest = silvan.dask.ForestClassifier(**SETTINGS, layout=layout)
    with when_growing(cluster, kill):
        forest.fit(da.from_array(X, chunks=(2000, -1)), da.from_array(y, chunks=2000))
    assert_same(forest, local)
    client.wait_for_workers(2, timeout=300)


def test_workers_that_do_not_run_yet_get_the_samples_later(
    client: Client, assert_same: Any, local: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = make_samples()
    asked: list[list[str]] = []
    replicate = Client.replicate

    def refuse_once(self: Client, futures: Any, *, workers: list[str]) -> Any:
        asked.append(workers)
        if len(asked) == 1:
            # What the scheduler says of workers that have registered but do not run.
            raise ValueError("Can not use replicate to delete data")
        return replicate(self, futures, workers=workers)

    monkeypatch.setattr(Client, "replicate", refuse_once)
    forest = silvan.dask.ForestClassifier(**SETTINGS, layout="replicated")
    forest.fit(da.from_array(X, chunks=(2000, -1)), da.from_array(y, chunks=2000))
    assert_same(forest, local)
    assert asked[1] == asked[0]


def test_a_worker_that_joins_late_takes_part(
    cluster: LocalCluster, client: Client, local: Any
) -> None:
    X, y = make_samples()
    forest = silvan.dask.ForestClassifier(**{**SETTINGS, "n_estimators": 400}, layout="replicated")
    growers: set[str] = set()

    def join_and_watch() -> None:
        cluster.scale(3)
        end = time.monotonic() + 60
        while len(growers) < 3 and time.monotonic() < end:
            workers = list(cluster.scheduler.workers.values())
            growers.update(w.address for w in workers if any("grow" in t.key for t in w.processing))
            time.sleep(0.01)

    try:
        with when_growing(cluster, join_and_watch):
            forest.fit(da.from_array(X, chunks=(4000, -1)), da.from_array(y, chunks=4000))
    finally:
        cluster.scale(2)
    assert len(growers) == 3
    first = forest.forest_
    for tree in range(30):
        np.testing.assert_array_equal(
            first.tree(tree).threshold, local.forest_.tree(tree).threshold
        )


@pytest.mark.parametrize("n_workers, n_threads", [(1, 2), (4, 1)])
def test_forest_does_not_depend_on_workers_and_their_threads(
    new_cluster: Any, assert_same: Any, local: Any, n_workers: int, n_threads: int
) -> None:
    X, y = make_samples()
    options = {"n_workers": n_workers, "threads_per_worker": n_threads}
    with new_cluster(**options) as cluster, Client(cluster) as client:
        forest = silvan.dask.ForestClassifier(**SETTINGS, layout="replicated", client=client)
        forest.fit(X, y)
    assert_same(forest, local)


@pytest.mark.parametrize("layout", ["replicated", "partitioned"])
def test_a_cancelled_fit_leaves_no_tasks_and_the_estimator_as_it_was(
    cluster: LocalCluster, client: Client, layout: str
) -> None:
    X, y = make_samples()
    forest = silvan.dask.ForestClassifier(800, random_state=0, layout=layout)
    # Programs that are started in the background ignore interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with (
        when_growing(cluster, lambda: os.kill(os.getpid(), signal.SIGINT)),
        pytest.raises(KeyboardInterrupt),
    ):
        forest.fit(da.from_array(X, chunks=(4000, -1)), da.from_array(y, chunks=4000))
    signal.signal(signal.SIGINT, before)
    assert not hasattr(forest, "forest_") and not hasattr(forest, "_session")
    end = time.monotonic() + 20
    while time.monotonic() < end:
        running_now = sum(client.run(lambda dask_worker: len(dask_worker.state.executing)).values())
        if not cluster.scheduler.tasks and not running_now:
            break
        time.sleep(0.1)
    assert not cluster.scheduler.tasks
    assert running_now == 0


def test_a_fit_does_not_wait_for_ever_for_workers(
    new_cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_SECONDS_TO_LOOK", 0.1)
    monkeypatch.setattr(running, "_SECONDS_WITHOUT_WORKERS", 1)
    with new_cluster(n_workers=0) as cluster, Client(cluster) as client:
        forest = silvan.dask.ForestClassifier(2, layout="partitioned", client=client)
        X, y = make_samples()
        with pytest.raises(ClusterError, match="has had no workers for 1 seconds"):
            forest.fit(da.from_array(X), da.from_array(y))


def test_workers_of_another_version_are_refused(client: Client) -> None:
    def pretend(version: str) -> None:
        from silvan.dask import running

        running.__version__ = version  # type: ignore[attr-defined]

    worker = next(iter(client.scheduler_info()["workers"]))
    client.run(pretend, "0.0.1", workers=[worker])
    try:
        with pytest.raises(
            ClusterError, match=r"but a worker has silvan 0\.0\.1; install the same"
        ):
            silvan.dask.ForestClassifier(2).fit(*make_samples())
    finally:
        client.run(pretend, silvan.__version__, workers=[worker])


def test_a_task_of_another_version_is_refused_by_a_worker_that_joins_late() -> None:
    with pytest.raises(ClusterError, match=r"the client has silvan 0\.0\.1, but a worker has"):
        running.run_task("0.0.1", len, [])


def test_a_task_that_kills_its_workers_is_reported_with_what_to_change(
    cluster: LocalCluster, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)
    with Session(client) as session:
        future = session.submit(os._exit, 1)
        with pytest.raises(ClusterError, match="lack of memory; give the workers more memory"):
            session.result(future)
    client.wait_for_workers(2, timeout=300)


def test_a_worker_without_memory_is_reported_with_what_to_change(client: Client) -> None:
    with Session(client) as session:
        future = session.submit(np.empty, 2**55)
        with pytest.raises(ClusterError, match=r"a worker ran out of memory .*max_samples"):
            session.result(future)


def test_trees_that_no_worker_has_room_for_are_refused(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = make_samples()
    monkeypatch.setattr(Session, "memory_limits", lambda self: [2**20])
    forest = silvan.dask.ForestClassifier(2, layout="partitioned", client=client)
    with pytest.raises(ClusterError, match="the smallest has 1 MiB of memory; pass a smaller"):
        forest.fit(da.from_array(X, chunks=(1000, -1)), da.from_array(y, chunks=1000))
