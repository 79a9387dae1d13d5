"""Work that NumPy does without the interpreter's lock, shared by threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from threading import Lock
from typing import TypeVar

Item = TypeVar("Item")


def share_items(work: Callable[[Item], None], items: Sequence[Item], n_threads: int) -> None:
    """Do the work of all items on this thread and on as many others as can be started."""
    if min(n_threads, len(items)) <= 1:
        for item in items:
            work(item)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        share_in_pool(work, items, pool, n_threads)


def share_in_pool(
    work: Callable[[Item], None], items: Sequence[Item], pool: ThreadPoolExecutor, n_threads: int
) -> None:
    """The same on the threads of a pool."""
    left, lock = iter(items), Lock()

    def take_items() -> None:
        while True:
            with lock:
                found = next(left, _NOTHING)
            if found is _NOTHING:
                return
            work(found)  # type: ignore[arg-type]

    helpers: list[Future[None]] = []
    # What a pool without threads keeps in its queue finds nothing left when it runs after all.
    with suppress(RuntimeError):
        for _ in range(min(n_threads, len(items)) - 1):
            helpers.append(pool.submit(take_items))
    try:
        take_items()
    finally:
        wait(helpers)
    for helper in helpers:
        helper.result()


_NOTHING = object()
