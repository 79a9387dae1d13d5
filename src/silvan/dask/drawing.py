"""Trees of samples in partitions: which each tree drew, and growing it from these alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from silvan import _core
from silvan._validation import TrainingFeatures, as_training_features
from silvan.dask.blocks import Block, Picked, Picks, as_columns, slices_of_cells
from silvan.dask.running import stop_if_cancelled
from silvan.forest_arrays import ForestArrays
from silvan.forest_arrays.joining import join_forests
from silvan.forests.bagged_supervised import BaggedSupervisedForest
from silvan.forests.fitting import TrainingSamples
from silvan.forests.sampling import SamplePlan, Sampling, unit_factors
from silvan.forests.target_rounding import TargetRounding
from silvan.forests.targets import Targets


@dataclass(frozen=True, eq=False)
class GrowingJob:
    """What a worker must know to grow any tree: small, for it travels with every task."""

    forest: BaggedSupervisedForest  # parameters, and what the samples are like
    plan: SamplePlan  # without what it knows of single samples
    n_values: int
    rounding: TargetRounding | None  # of targets that are numbers
    spreads: NDArray[np.float64] | None  # of the features, where directions have no units
    seed: int


class TreeDrawer:
    """Says which samples of each partition a tree draws; `starts` are numbers of first samples."""

    def __init__(self, sampling: Sampling, starts: NDArray[np.int64], *, with_ranks: bool) -> None:
        self._sampling = sampling
        self._draws = sampling.native()
        self._starts = starts
        self._ranks: NDArray[np.uint32] | None = None
        if with_ranks:
            self._ranks = np.empty(len(sampling.order), dtype=np.uint32)
            self._ranks[sampling.order] = np.arange(len(sampling.order), dtype=np.uint32)

    def __call__(self, tree: int) -> list[Picks]:
        """The draws of a tree, partition by partition."""
        sampling = self._sampling
        counts: NDArray[Any]
        kept, counts = _core.list_draws(self._draws, sampling.seed, tree)
        if counts.max() < 256:
            counts = counts.astype(np.uint8)
        numbers = sampling.sample_numbers(kept)
        ends = np.searchsorted(numbers, self._starts)
        picks = []
        for k in range(len(self._starts) - 1):
            inside = slice(ends[k], ends[k + 1])
            picks.append(
                Picks(
                    (numbers[inside] - self._starts[k]).astype(np.int32),
                    counts[inside],
                    None if sampling.weights is None else sampling.weights[kept[inside]],
                    None if self._ranks is None else self._ranks[kept[inside]],
                )
            )
        return picks


@dataclass(frozen=True, eq=False)
class _DrawnTargets(Targets):
    """Targets of drawn samples, as the core reads them."""

    encoded: NDArray[Any]
    n_classes: int
    numeric: ClassVar[bool] = False

    @property
    def n_values(self) -> int:
        return self.n_classes

    @property
    def attributes(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True, eq=False, kw_only=True)
class _DrawnSampling(Sampling):
    """Draws that were made from a larger set."""

    given: NDArray[np.int32]
    ranks: NDArray[np.uint32] | None
    numbers: NDArray[np.int32]

    def native(self) -> _core.SampleDraws:
        """The draws as the core reads them."""
        share, n_draws = self.plan.estimation_share, len(self.order)
        return _core.SampleDraws(
            self.order, n_draws, False, None, share, self.repeats, self.given, self.ranks
        )

    def sample_numbers(self, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """Numbers that the samples have in the larger set."""
        return self.numbers[rows]


def grow_drawn(job: GrowingJob, first: int, parts: list[list[Picked]]) -> ForestArrays:
    """Grow the trees from number `first` on, for each of which every part has drawn samples."""
    forest, look = job.forest, stop_if_cancelled()
    trees = []
    for tree, drawn in enumerate(zip(*parts, strict=True), first):
        rows = _training_rows(job, list(drawn))
        trees.append(forest._grow_range(rows, forest._growth_on(rows), (tree, tree + 1), look))
    return join_forests(trees)


def _training_rows(job: GrowingJob, drawn: list[Picked]) -> TrainingSamples:
    """The samples of one tree as the core grows on them."""
    X = np.concatenate([part.X for part in drawn])
    y = np.concatenate([part.y for part in drawn])
    weights = _join_optional([part.weights for part in drawn])
    cells = job.forest._scaled(X)
    features = as_training_features(cells, None) if cells is X else TrainingFeatures(cells, cells)
    hashed, factors = as_columns(y), unit_factors(job.spreads)
    order = _core.sample_order(features.rows, hashed, weights, factors)
    honest = job.plan.estimation_share > 0
    sampling = _DrawnSampling(
        plan=job.plan,
        order=order,
        cumulative=None,
        weights=weights,
        seed=job.seed,
        repeats=_core.sample_repeats(features.rows, hashed, order, factors) if honest else None,
        given=np.concatenate([part.counts for part in drawn]),
        ranks=_join_optional([part.ranks for part in drawn]),
        numbers=np.concatenate([part.numbers for part in drawn]),
    )
    targets = y if job.rounding is None else job.rounding(y)
    return TrainingSamples(features, _DrawnTargets(targets, job.n_values), sampling, job.spreads)


def vote_on_block(
    forest: BaggedSupervisedForest,
    drawn: list[NDArray[np.int32]],
    arrays: ForestArrays,
    block: Block,
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Sums of votes of the trees that did not draw a sample, and how many these are.

    `drawn` has the places of the samples that each tree drew. Votes are added in the order of the
    trees, as the core adds them.
    """
    sums = np.zeros((len(block.X), arrays.n_outputs))
    counts = np.full(len(block.X), len(drawn), dtype=np.int32)
    for places in drawn:
        counts[places] -= 1
    for part in slices_of_cells(forest, block):
        rows = forest._scaled(block.X[part])
        for tree, places in enumerate(drawn):
            votes = _core.predict(arrays.tree(tree), rows, forest._hard_votes, 1)
            inside = places[slice(*np.searchsorted(places, [part.start, part.start + len(rows)]))]
            votes[inside - part.start] = 0.0
            sums[part] += votes
    return sums, counts


def _join_optional(parts: list[NDArray[Any] | None]) -> Any:
    return None if parts[0] is None else np.concatenate(parts)  # type: ignore[arg-type]
