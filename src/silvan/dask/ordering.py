"""The canonical order of samples in partitions: hashes sorted range by range on the workers."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from distributed import Future
from numpy.typing import NDArray

from silvan.dask.running import Session
from silvan.forests.sampling import SamplePlan

# Samples whose hashes one worker sorts at once, 20 bytes each while it does: a small share of all,
# since the client holds what was sorted besides the order, but not fewer than are worth a task.
_MAX_AT_ONCE = 2**22
_MIN_AT_ONCE = 2**16
_MIN_RANGES = 16
_HASH_BITS = 64
# Of a sample that takes no part; no table has so many samples.
_NOWHERE = np.uint32(2**32 - 1)


def canonical_order(
    session: Session,
    hashes: list[Future],
    starts: NDArray[np.int64],
    plan: SamplePlan,
    *,
    with_repeats: bool,
) -> tuple[NDArray[np.uint32], NDArray[np.uint8] | None]:
    """The order that `_core.sample_order` gives the whole table, and `_core.sample_repeats`.

    Hashes are uniform, so that equal ranges of them hold about as many samples each.
    """
    n_samples = int(starts[-1])
    n_ranges = min(max(1, n_samples // _MIN_AT_ONCE), _MIN_RANGES)
    n_ranges = max(n_ranges, -(-n_samples // _MAX_AT_ONCE))
    bounds = [(2**_HASH_BITS * k) // n_ranges for k in range(n_ranges + 1)]
    order = np.empty(n_samples, dtype=np.uint32)
    wants_fresh = with_repeats or plan.kept is not None or plan.weights is not None
    fresh = np.empty(n_samples, dtype=np.bool_) if wants_fresh else None
    end = 0
    for ends in pairwise(bounds):
        # One after the other: a worker sorts while the others keep what is left.
        numbers, first_of_equal = session.result(
            _sort_range(session, hashes, starts, ends, wants_fresh)
        )
        order[end : end + len(numbers)] = numbers
        if fresh is not None:
            fresh[end : end + len(numbers)] = first_of_equal
        end += len(numbers)
    return (order, None) if fresh is None else _apply_plan(order, fresh, plan)


def _sort_range(
    session: Session,
    hashes: list[Future],
    starts: NDArray[np.int64],
    bounds: tuple[int, int],
    wants_fresh: bool,
) -> Future:
    firsts = starts[:-1].tolist()
    if bounds == (0, 2**_HASH_BITS):
        return session.submit(sort_hashes, hashes, firsts, wants_fresh)
    inside = [session.submit(take_range, part, *bounds) for part in hashes]
    future = session.submit(sort_ranges, inside, firsts, wants_fresh)
    session.drop(inside)
    return future


def take_range(
    hashes: NDArray[np.uint64], low: int, high: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Hashes from `low` to before `high`, and the places of their samples in the partition."""
    inside = np.flatnonzero((hashes >= np.uint64(low)) & (hashes <= np.uint64(high - 1)))
    return hashes[inside], inside


def sort_hashes(hashes: list[NDArray[np.uint64]], starts: list[int], wants_fresh: bool) -> Any:
    """Sort all hashes of all partitions."""
    return sort_ranges([(part, np.arange(len(part))) for part in hashes], starts, wants_fresh)


def sort_ranges(
    parts: list[tuple[NDArray[np.uint64], NDArray[np.int64]]],
    starts: list[int],
    wants_fresh: bool,
) -> tuple[NDArray[np.uint32], NDArray[np.bool_] | None]:
    """Numbers of the samples by hash, then by number; if asked, which differ from the last."""
    hashes = np.concatenate([part for part, _ in parts])
    numbers = np.concatenate(
        [
            (inside + start).astype(np.uint32)
            for (_, inside), start in zip(parts, starts, strict=True)
        ]
    )
    by_hash = np.argsort(hashes, kind="stable")
    if not wants_fresh:
        return numbers[by_hash], None
    hashes = hashes[by_hash]
    fresh = np.ones(len(hashes), dtype=np.bool_)
    fresh[1:] = hashes[1:] != hashes[:-1]
    return numbers[by_hash], fresh


def _apply_plan(
    order: NDArray[np.uint32], fresh: NDArray[np.bool_], plan: SamplePlan
) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Leave out samples that take no part, and sort equal ones by weight."""
    if plan.kept is None and plan.weights is None:
        return order, np.logical_not(fresh, out=fresh).view(np.uint8)
    group = np.cumsum(fresh, dtype=np.uint32)
    if plan.kept is not None:
        places = np.full(plan.n_samples, _NOWHERE, dtype=np.uint32)
        places[plan.kept] = np.arange(len(plan.kept), dtype=np.uint32)
        order = places[order]
        taken = order != _NOWHERE
        order, group = order[taken], group[taken]
    if plan.weights is not None:
        by_weight = np.lexsort((plan.weights[order], group))
        order = order[by_weight]
    repeats = np.zeros(len(order), dtype=np.uint8)
    repeats[1:] = group[1:] == group[:-1]
    return order, repeats
