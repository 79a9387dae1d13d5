"""Tasks of a fit: sent to workers of the same version, watched, and taken back when it fails."""

from __future__ import annotations

import ctypes
import gc
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, pairwise
from types import TracebackType
from typing import Any, TypeVar
from uuid import uuid4

import dask
import numpy as np
from distributed import CancelledError, Client, Future, default_client, get_worker, wait
from distributed.scheduler import KilledWorker

from silvan._version import __version__

Result = TypeVar("Result")

_REMEDY = (
    "give the workers more memory or fewer threads each, use smaller partitions, or draw fewer "
    "samples for each tree (max_samples)"
)

_NO_WORKERS = (
    "the cluster has had no workers for {} seconds; if they died for lack of memory, "
    f"{_REMEDY}, else start some."
)

_VALUES_AT_ONCE = 16
_SECONDS_TO_LOOK = 5
_SECONDS_TO_RETRY = 0.1
_MAX_LOSSES = 3
_DEFAULT_MEMORY = 4 * 2**30  # of a worker without a limit
_SECONDS_WITHOUT_WORKERS = 60


class ClusterError(RuntimeError):
    """A cluster could not do its part of a fit."""


class LostDataError(ClusterError):
    """Data that no task can compute again were on a worker that died."""

    def __init__(self) -> None:
        super().__init__(
            "data of the fit were lost with the worker that held them; fit again, with data that "
            "workers can read themselves, such as files."
        )


class Losses:
    """Losses of data that can be sent again: what was begun goes on, if there are not too many."""

    def __init__(self) -> None:
        self._n_losses = 0

    @contextmanager
    def counted(self) -> Iterator[None]:
        """End the block if data are lost; raise the error if that goes on and on."""
        try:
            yield
        except LostDataError:
            self._n_losses += 1
            if self._n_losses > _MAX_LOSSES:
                raise

    def forget(self) -> None:
        """Something was done since the last loss."""
        self._n_losses = 0


def find_client(client: Client | None) -> Client:
    """The client that was given, or else the current one."""
    if client is not None and not isinstance(client, Client):
        raise TypeError(
            f"client must be a distributed.Client or None, but it is {client!r}; pass for example "
            "Client(LocalCluster())."
        )
    try:
        found = default_client(client)
    except ValueError as error:
        raise ClusterError(
            "there is no Dask client, and a forest of silvan.dask needs one; create a "
            "distributed.Client first, or pass it as client=..."
        ) from error
    if found.asynchronous:
        raise ClusterError(
            "the Dask client is asynchronous, but fit waits for its workers; call it in another "
            "thread, with a client of its own."
        )
    if found.status != "running":
        raise ClusterError(
            f"the Dask client is {found.status}, and a fit needs a running one; create another."
        )
    return found


def check_version(version: str) -> None:
    """Refuse to work for another version: its trees need not be those of this one."""
    if version != __version__:
        raise ClusterError(
            f"the client has silvan {version}, but a worker has silvan {__version__}; install the "
            "same version on all of them."
        )


def run_task(version: str, function: Callable[..., Result], *arguments: Any) -> Result:
    """What a worker runs: a function, if it is of the client's version."""
    check_version(version)
    return function(*arguments)


def stop_if_cancelled() -> Callable[[int], None]:
    """A callback for growing that ends it once the scheduler has no use for the running task."""
    worker = get_worker()
    key = worker.get_current_task()

    def look(done: int) -> None:
        task = worker.state.tasks.get(key)
        if task is None or task.state == "cancelled":
            raise ClusterError(f"task {key} was cancelled; nobody waits for its result.")

    return look


def tree_ranges(trees: tuple[int, int], n_ranges: int) -> Iterator[tuple[int, int]]:
    """Ranges of trees of about the same size."""
    first, last = trees
    ends = np.linspace(first, last, min(n_ranges, last - first) + 1).round().astype(int).tolist()
    return pairwise(ends)


def give_back_memory() -> None:
    """Return to the system what was freed: glibc keeps it, with the gaps between what is left.

    A client would seem to need all that ever passed through it.
    """
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(ctypes.c_size_t(0))


class Session:
    """The tasks of one fit, in a with statement: if the fit fails, all of them are cancelled."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._futures: dict[str, Future] = {}

    def __enter__(self) -> Session:
        try:
            versions = self.client.run(_worker_version)
        except ImportError as error:
            raise ClusterError(
                f"a worker cannot import silvan.dask ({error}); install silvan[dask] on all "
                "workers."
            ) from error
        for version in versions.values():
            if version != __version__:
                raise ClusterError(
                    f"the client has silvan {__version__}, but a worker has silvan {version}; "
                    "install the same version on all of them."
                )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        futures = list(self._futures.values())
        self._futures.clear()
        if error is not None:
            self.client.cancel(futures, force=True)
        for future in futures:
            future.release()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """Have a worker call the function; futures among the arguments become their results."""
        key = _new_key(function)
        future = self.client.submit(run_task, __version__, function, *arguments, key=key)
        return self._keep(future)

    def compute(self, calls: Sequence[tuple[Any, ...]]) -> list[Future]:
        """The same for functions with their arguments, among which may be delayed values.

        These are computed for the call and not kept. Dask looks for them in all arguments, so that
        what else a function needs is better bound to it (`functools.partial`).
        """
        call = dask.delayed(run_task, pure=False)
        tasks = [
            call(__version__, *arguments, dask_key_name=_new_key(arguments[0]))
            for arguments in calls
        ]
        # Numbers of samples of positive weight travel with the tasks.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GiB"}):
            return [self._keep(future) for future in self.client.compute(tasks)]

    def send(self, values: Iterable[Any]) -> list[Future]:
        """Put values on workers, a few at a time; with a worker that dies, its values are lost.

        They are no part of tasks, because schedulers and clients keep the last thousand messages
        that they sent to each other, with all that tasks hold.
        """
        futures: list[Future] = []
        left = iter(values)
        while some := list(islice(left, _VALUES_AT_ONCE)):
            futures += map(self._keep, self._scatter(some))
        return futures

    def _scatter(self, values: list[Any]) -> list[Future]:
        """Put values on any workers; on others, if these die meanwhile."""
        end = time.monotonic() + _SECONDS_WITHOUT_WORKERS
        while True:
            try:
                futures: list[Future] = self.client.scatter(values, hash=False)
            except (OSError, KeyError):  # what the scheduler raises of workers that are gone
                if time.monotonic() > end:
                    raise ClusterError(_NO_WORKERS.format(_SECONDS_WITHOUT_WORKERS)) from None
                time.sleep(_SECONDS_TO_RETRY)
            else:
                return futures

    def result(self, future: Future) -> Any:
        """The result of a task, which is not kept on the worker."""
        return self.results([future])[0]

    def results(self, futures: Sequence[Future]) -> list[Any]:
        """The results of tasks in their order, none of which is kept on a worker."""
        self.wait(futures)
        with _explained():
            results: list[Any] = self.client.gather(list(futures))
        self.drop(futures)
        return results

    def completed(self, futures: Sequence[Future]) -> Iterator[tuple[Future, Any]]:
        """Tasks and their results, as they come; none is kept on a worker."""
        for future in self._done(futures):
            yield future, self.result(future)

    def wait(self, futures: Sequence[Future]) -> None:
        """Wait until the tasks are done; raise what one of them raised."""
        for _ in self._done(futures):
            pass

    def _done(self, futures: Sequence[Future]) -> Iterator[Future]:
        """Tasks as they are done; raises what one of them raised.

        A scheduler without workers would wait for ever.
        """
        left = set(futures)
        seen = time.monotonic()
        while left:
            try:
                done, left = wait(left, timeout=_SECONDS_TO_LOOK, return_when="FIRST_COMPLETED")
            except TimeoutError:
                if self.workers():
                    seen = time.monotonic()
                elif time.monotonic() - seen > _SECONDS_WITHOUT_WORKERS:
                    raise ClusterError(_NO_WORKERS.format(_SECONDS_WITHOUT_WORKERS)) from None
                continue
            except CancelledError as error:
                raise LostDataError from error
            for future in done:
                if future.status != "finished":
                    with _explained():
                        future.result()
            yield from done

    def drop(self, futures: Sequence[Future]) -> None:
        """Let go of results that are no longer needed."""
        for future in futures:
            self._futures.pop(future.key, None)
            future.release()

    def workers(self) -> dict[str, Any]:
        """What the scheduler knows of each worker, by address."""
        workers: dict[str, Any] = self.client.scheduler_info(n_workers=-1)["workers"]
        return workers

    def n_threads(self) -> int:
        """Number of tasks that run at the same time."""
        return max(1, sum(int(worker["nthreads"]) for worker in self.workers().values()))

    def memory_limits(self) -> list[int]:
        """Bytes that each worker may use, of those that have a limit."""
        limits = [worker["memory_limit"] for worker in self.workers().values()]
        return [int(limit) for limit in limits if limit]

    def smallest_memory(self) -> int:
        """Bytes that the smallest worker may use."""
        return min(self.memory_limits(), default=_DEFAULT_MEMORY)

    def memory(self) -> int:
        """Bytes that all workers may use together."""
        workers = self.workers().values()
        return sum(int(worker["memory_limit"] or _DEFAULT_MEMORY) for worker in workers)

    def _keep(self, future: Future) -> Future:
        self._futures[future.key] = future
        return future


def _new_key(function: Any) -> str:
    """A key that no other task has, with the name that the dashboard shows."""
    name = getattr(function, "func", function).__name__.strip("_").replace("_", "-")
    return f"silvan-{name}-{uuid4().hex}"


def _worker_version() -> str:
    return __version__


@contextmanager
def _explained() -> Iterator[None]:
    """Say in words what it means if workers die or run out of memory."""
    try:
        yield
    except KilledWorker as error:
        raise ClusterError(
            f"task {error.task} was given up because the workers that ran it died, most likely for "
            f"lack of memory; {_REMEDY}."
        ) from error
    except MemoryError as error:
        raise ClusterError(f"a worker ran out of memory ({error}); {_REMEDY}.") from error
    except CancelledError as error:
        raise LostDataError from error
