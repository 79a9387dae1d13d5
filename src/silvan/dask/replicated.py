"""Every worker holds all samples: trees are shared out, and each is that of one machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from distributed import Future
from numpy.typing import NDArray

from silvan.dask.partitions import Part, join_parts, learnt, n_bytes
from silvan.dask.running import Session, stop_if_cancelled, tree_ranges
from silvan.dask.sending import send_forest
from silvan.forest_arrays import ForestArrays
from silvan.forest_arrays.joining import join_forests
from silvan.forests.bagged_supervised import BaggedSupervisedForest
from silvan.forests.fitting import CheckedSamples, TrainingSamples

if TYPE_CHECKING:
    from silvan.dask.forest import ClusterForest

# So many tasks for each thread of the cluster: short, so that no worker waits long for the last.
_TASKS_PER_THREAD = 32


@dataclass(frozen=True, eq=False)
class Replica:
    """What a worker grows trees on: a forest that has seen the data, and its samples."""

    forest: BaggedSupervisedForest
    samples: Any  # CheckedSamples, then TrainingSamples

    def __sizeof__(self) -> int:
        return n_bytes(self.samples)


class Replicated:
    """Checks and reads the data on one worker, copies them to the others, and shares out trees."""

    def __init__(self, session: Session, parts: list[Part]) -> None:
        self._session = session
        self._parts = parts
        self._replica: Future

    def check(self, forest: ClusterForest) -> CheckedSamples:
        """Check the data as a local fit does."""
        session = self._session
        xs, ys, weights = zip(*self._parts, strict=True)
        check = partial(check_replica, forest._unfitted())
        (self._replica,) = session.compute([(check, list(xs), list(ys), list(weights))])
        attributes, rest = session.result(session.submit(describe_check, self._replica))
        forest.__dict__.update(attributes)
        layout: Any = self
        return CheckedSamples(layout, *rest)

    def read(self, forest: ClusterForest, checked: CheckedSamples, seed: int) -> TrainingSamples:
        """Read the samples; the client learns in which order they are drawn."""
        session = self._session
        read = session.submit(read_replica, self._replica, seed)
        sampling, *learnt_of_them = session.result(session.submit(describe_samples, read))
        session.drop([self._replica])
        self._replica = read
        layout: Any = self
        return TrainingSamples(layout, checked.targets, sampling, *learnt_of_them)

    def grow(
        self, forest: ClusterForest, samples: TrainingSamples, trees: tuple[int, int], progress: Any
    ) -> ForestArrays:
        """Share out ranges of trees, and join them in their order."""
        session = self._session
        ranges = tree_ranges(trees, session.n_threads() * _TASKS_PER_THREAD)
        holders = self._copy_to_new_workers(set())
        grow = partial(grow_range, forest._reader())
        futures = [session.submit(grow, self._replica, span) for span in ranges]
        grown: dict[str, ForestArrays] = {}
        n_done = 0
        for future, part in session.completed(futures):
            grown[future.key] = part
            n_done += part.n_trees
            if progress is not None:
                progress(n_done)
            if len(grown) < len(futures):
                holders = self._copy_to_new_workers(holders)
        return join_forests([grown.pop(future.key) for future in futures])

    def out_of_bag(self, forest: ClusterForest) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Sums of out-of-bag votes, and the number of trees that cast them."""
        session = self._session
        arrays = send_forest(session.client, forest.forest_)
        votes: tuple[NDArray[np.float64], NDArray[np.int32]] = session.result(
            session.submit(partial(vote_out_of_bag, forest._reader()), self._replica, arrays)
        )
        return votes

    def _copy_to_new_workers(self, holders: set[str]) -> set[str]:
        """Give workers that joined the samples, so that they take part."""
        workers = set(self._session.workers())
        new = workers - holders
        if new:
            self._session.wait([self._replica])
            try:
                self._session.client.replicate([self._replica], workers=sorted(new))
            except ValueError:
                # None of them runs yet, or no longer: they are asked again after the next trees.
                return workers & holders
        return workers


def check_replica(
    forest: BaggedSupervisedForest, X: list[Any], y: list[Any], w: list[Any]
) -> Replica:
    """Join the partitions and check them."""
    joined_X, joined_y, weight = join_parts(X, y, w)
    checked = forest._check_fit(joined_X, joined_y, weight)
    return Replica(forest, checked)


def describe_check(replica: Replica) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """What checking has learnt, without the samples."""
    return learnt(replica.forest), tuple(replica.samples[1:])


def read_replica(replica: Replica, seed: int) -> Replica:
    """Read samples that were checked."""
    return Replica(replica.forest, replica.forest._read_samples(replica.samples, seed))


def describe_samples(replica: Replica) -> tuple[Any, ...]:
    """Draws and what was learnt of the samples, without them."""
    return tuple(replica.samples[2:])


def grow_range(
    forest: BaggedSupervisedForest, replica: Replica, trees: tuple[int, int]
) -> ForestArrays:
    """Grow a range of trees."""
    samples: TrainingSamples = replica.samples
    return forest._grow_range(samples, forest._growth_on(samples), trees, stop_if_cancelled())


def vote_out_of_bag(
    forest: BaggedSupervisedForest, replica: Replica, arrays: ForestArrays
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Votes of the trees on samples that they did not draw."""
    forest.forest_ = arrays
    return forest._out_of_bag_votes(replica.samples)
