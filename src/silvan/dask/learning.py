"""What directions and channels learn from samples in partitions: spreads, thresholds, scales."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from distributed import Future
from numpy.typing import NDArray

from silvan.channels import FittedChannels
from silvan.channels.fitting import count_learning_samples
from silvan.dask.blocks import Block
from silvan.dask.running import Session
from silvan.forests.grid import GridForest
from silvan.projections.spreads import ValueSample, sample_values, single_values

# So many results of partitions are joined at a time.
_PARTS_AT_ONCE = 16


class Seen(NamedTuple):
    """What some samples show of each feature."""

    values: list[ValueSample | None]  # None for categories
    singles: NDArray[np.float64] | None  # the value of those with only one, or NaN; None: no sample


def learn_spreads(
    session: Session,
    blocks: list[Any],
    kept: list[NDArray[np.integer[Any]] | None],
    n_categories: NDArray[np.int64] | None,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The spread of each feature, and which are constant.

    They come from the samples `kept` (None: all) of each partition.
    """
    sampled = session.compute(
        [
            (partial(sample_block, places, n_categories), block)
            for places, block in zip(kept, blocks, strict=True)
        ]
    )
    seen: Seen = session.result(_join_all(session, sampled, join_samples))
    assert seen.singles is not None
    spreads = np.array([1.0 if sample is None else sample.spread for sample in seen.values])
    return spreads, ~np.isnan(seen.singles)


def sample_block(
    kept: NDArray[np.integer[Any]] | None, n_categories: NDArray[np.int64] | None, block: Block
) -> Seen:
    """Distinct values of each feature of a partition."""
    samples = block.X if kept is None else block.X[kept]
    singles = single_values(samples) if len(samples) else None
    return Seen(list(sample_values(samples, n_categories)), singles)


def join_samples(parts: list[Seen]) -> Seen:
    """The same of several partitions."""
    joined: list[ValueSample | None] = []
    for of_feature in zip(*(part.values for part in parts), strict=True):
        known = [sample for sample in of_feature if sample is not None]
        joined.append(ValueSample.join(known) if known else None)
    singles = None
    for part in parts:
        if part.singles is not None:
            before = part.singles if singles is None else singles
            singles = np.where(part.singles == before, before, np.nan)
    return Seen(joined, singles)


def _join_all(session: Session, futures: list[Future], join: Callable[[list[Any]], Any]) -> Future:
    """One result of all partitions, joined a few at a time, so that no worker holds many."""
    while len(futures) > 1:
        groups = [
            futures[start : start + _PARTS_AT_ONCE]
            for start in range(0, len(futures), _PARTS_AT_ONCE)
        ]
        joined = [session.submit(join, group) for group in groups]
        session.drop(futures)
        futures = joined
    return futures[0]


def learn_channels(
    session: Session,
    forest: GridForest,
    blocks: list[Any],
    starts: NDArray[np.int64],
    distinct: NDArray[np.int64],
    seed: int,
) -> FittedChannels:
    """Channels that learn from the first of some samples, whose numbers are given.

    A worker learns: the client never holds samples.
    """
    assert forest.channels_ is not None
    numbers = distinct[: count_learning_samples(forest.channels_.planes.plane)]
    owners = np.searchsorted(starts, numbers, side="right") - 1
    chosen = np.unique(owners)
    taken = session.compute(
        [
            (partial(take_samples, numbers[owners == k] - starts[k]), blocks[k])
            for k in chosen.tolist()
        ]
    )
    places = np.argsort(np.argsort(owners, kind="stable"), kind="stable")
    learn = partial(learn_from, forest, places, seed)
    channels: FittedChannels = session.result(session.submit(learn, taken))
    session.drop(taken)
    return channels


def take_samples(places: NDArray[np.int64], block: Block) -> NDArray[Any]:
    """Some samples of a partition."""
    samples: NDArray[Any] = block.X[places]
    return samples


def learn_from(
    forest: GridForest, places: NDArray[np.intp], seed: int, parts: list[NDArray[Any]]
) -> FittedChannels:
    """Let the channels of a forest learn from samples, the first of which is at the first place."""
    return forest._fit_channels(np.concatenate(parts)[places], seed)
