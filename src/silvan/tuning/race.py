"""A race of forests: candidates that share their samples; in each round the worst drop out."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from joblib import hash as content_hash
from sklearn.base import clone

from silvan._parameters import growing_parameters
from silvan.forests.bagged import BaggedForest
from silvan.forests.shared_samples import (
    SharedSamples,
    directions_of_a_node,
    draws_without_units,
    grow_to,
)

# What a tree costs besides its directions, in directions: it draws samples and writes nodes.
_WORK_OF_A_TREE = 16


class Readers:
    """Finds the reader for a setting: one for all that differ only in how their trees grow."""

    def __init__(self, base: BaggedForest, data: tuple[Any, Any, Any]) -> None:
        self._base = base
        self._data = data
        self._known: dict[str, SharedSamples] = {}
        # Candidates that differ in these alone are grown on the same samples, draws and targets.
        self._growing = growing_parameters(type(base))

    def find(self, params: Mapping[str, Any]) -> SharedSamples:
        """The reader for these parameters."""
        reading = {k: v for k, v in params.items() if k.split("__")[0] not in self._growing}
        forest = clone(self._base).set_params(**reading)
        candidate = clone(self._base).set_params(**clone(dict(params), safe=False))
        # Directions without units have draws of their own, since other draws depend on units.
        if draws_without_units(candidate) != draws_without_units(forest):
            forest.projections = candidate.projections
        key = content_hash((reading, draws_without_units(forest)))
        if key not in self._known:
            self._known[key] = SharedSamples(forest, self._data)
        return self._known[key]


class Candidate:
    """One setting of the parameters, and how far it came."""

    def __init__(self, params: Mapping[str, Any], reader: SharedSamples) -> None:
        self.params = dict(params)
        self.reader = reader
        self.forest: BaggedForest | None = (forest := reader.make(params))
        # What a tree should cost, for the order of growing and the time left.
        self.work = _WORK_OF_A_TREE + directions_of_a_node(forest)
        self.n_trees = 0
        self.score = math.nan
        self.seconds = 0.0

    def grow(self, n_trees: int) -> None:
        """Have `n_trees` trees, those already there among them, and score them out of bag."""
        assert self.forest is not None
        samples = self.reader.samples
        start = time.perf_counter()
        grow_to(n_trees, self.forest, samples)
        self.n_trees, self.score = n_trees, self.forest.oob_score_
        self.seconds += time.perf_counter() - start

    @property
    def order(self) -> tuple[int, float]:
        """Sorts the best candidate first: who came furthest, then who scores best."""
        return -self.n_trees, math.inf if math.isnan(self.score) else -self.score


def seconds_left(candidates: Sequence[Candidate], rounds: Sequence[tuple[int, int]]) -> float:
    """Seconds that these rounds will take if the slowest candidates win; at least one has trees.

    One that has trees takes as long for each further one, another as its work says.
    """
    seconds = sum(c.seconds for c in candidates)
    work = sum(c.work * c.n_trees for c in candidates)
    pace = {c: c.seconds / c.n_trees if c.n_trees else c.work * seconds / work for c in candidates}
    racing = [c for c in candidates if c.forest is not None]
    n_trees = {c: c.n_trees for c in racing}
    total = 0.0
    for n_racing, trees in rounds:
        racing = sorted(racing, key=pace.__getitem__, reverse=True)[:n_racing]
        total += sum(pace[c] * (trees - n_trees[c]) for c in racing)
        n_trees |= dict.fromkeys(racing, trees)
    return total


def plan_rounds(
    n_candidates: int, n_trees: int, min_trees: int, factor: int | None
) -> list[tuple[int, int]]:
    """How many candidates take part in each round, and how many trees each has at its end."""
    rounds = []
    racing, trees = n_candidates, min_trees
    while factor is not None and racing > 1 and trees < n_trees:
        rounds.append((racing, trees))
        racing, trees = math.ceil(racing / factor), trees * factor
    return [*rounds, (racing, n_trees)]


def count_trees(rounds: Sequence[tuple[int, int]]) -> int:
    """Number of trees that are grown in all rounds together."""
    before = [0, *(trees for _, trees in rounds[:-1])]
    return sum(
        racing * (trees - start) for (racing, trees), start in zip(rounds, before, strict=True)
    )


@contextmanager
def quiet_unless(last: bool) -> Iterator[None]:
    """Hide the warning that samples have no out-of-bag prediction while more trees are to come."""
    with warnings.catch_warnings():
        if not last:
            warnings.filterwarnings("ignore", message=".*no out-of-bag prediction")
        yield


def tabulate(candidates: Sequence[Candidate], best: int) -> dict[str, Any]:
    """The results, one entry for each candidate."""
    order = sorted(range(len(candidates)), key=lambda i: (i != best, candidates[i].order))
    rank = np.empty(len(candidates), dtype=np.int64)
    rank[order] = np.arange(1, len(candidates) + 1)
    results: dict[str, Any] = {
        "params": [candidate.params for candidate in candidates],
        "n_trees": np.array([candidate.n_trees for candidate in candidates]),
        "oob_score": np.array([candidate.score for candidate in candidates]),
        "rank": rank,
        "fit_time": np.array([candidate.seconds for candidate in candidates]),
    }
    for name in dict.fromkeys(name for candidate in candidates for name in candidate.params):
        results[f"param_{name}"] = [candidate.params.get(name) for candidate in candidates]
    return results
