"""Trees of samples in partitions: which each tree drew, and growing it from these alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from silvan import _core
from silvan._validation import TrainingFeatures, as_training_features
from silvan.dask.blocks import (
    Block,
    PackedPicks,
    Picked,
    Picks,
    as_columns,
    join_optional,
    slices_of_cells,
)
from silvan.dask.running import stop_if_cancelled
from silvan.dask.sending import BYTES_OF_A_PIECE
from silvan.forest_arrays import ForestArrays
from silvan.forest_arrays.joining import join_forests
from silvan.forests.bagged_supervised import BaggedSupervisedForest
from silvan.forests.fitting import TrainingSamples
from silvan.forests.sampling import SamplePlan, Sampling, unit_factors
from silvan.forests.target_rounding import TargetRounding
from silvan.forests.targets import Targets

# Sums of out-of-bag votes for each sample, and the number of trees that cast them.
Votes = tuple[NDArray[np.float64], NDArray[np.int32]]


@dataclass(frozen=True, eq=False)
class GrowingJob:
    """What a worker must know to grow any tree: small, for it travels with every task."""

    forest: BaggedSupervisedForest  # parameters, and what the samples are like
    plan: SamplePlan  # without what it knows of single samples
    targets: Targets  # the same
    rounding: TargetRounding | None  # of targets that are numbers
    spreads: NDArray[np.float64] | None  # of the features, where directions have no units
    seed: int


class Drawn(NamedTuple):
    """The samples that a tree drew, ascending."""

    kept: NDArray[np.uint32]  # their numbers among those that take part
    numbers: NDArray[np.integer[Any]]  # and in the whole table
    counts: NDArray[np.integer[Any]]  # how often each was drawn
    ends: NDArray[np.int64]  # where partitions begin among them, and the end


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

    def __call__(self, tree: int) -> Drawn:
        """The draws of a tree."""
        sampling = self._sampling
        counts: NDArray[Any]
        kept, counts = _core.list_draws(self._draws, sampling.seed, tree)
        if counts.max() < 256:
            counts = counts.astype(np.uint8)
        numbers = sampling.sample_numbers(kept)
        return Drawn(kept, numbers, counts, np.searchsorted(numbers, self._starts))

    def first_member(self, k: int) -> int | None:
        """Number of the first sample of a partition; None where leaves have no members."""
        return int(self._starts[k]) if self._sampling.plan.has_members else None

    def packed(self, drawn: list[Drawn], k: int) -> PackedPicks:
        """What some trees drew of a partition, in few bytes: it travels through the scheduler."""
        return PackedPicks.pack([self._picks(of_tree, k) for of_tree in drawn])

    def _picks(self, drawn: Drawn, k: int) -> Picks:
        weights = self._sampling.weights
        inside = slice(*drawn.ends[k : k + 2])
        steps = np.diff(drawn.numbers[inside], prepend=self._starts[k])
        short = len(steps) == 0 or steps.max() <= np.iinfo(np.uint16).max
        kept = drawn.kept[inside]
        return Picks(
            steps.astype(np.uint16 if short else np.uint32),
            drawn.counts[inside],
            None if weights is None else weights[kept],
            None if self._ranks is None else self._ranks[kept],
        )


@dataclass(frozen=True, eq=False)
class _DrawnTargets(Targets):
    """Targets of drawn samples, as the core reads them, of the kind of others."""

    encoded: NDArray[Any]
    kind: Targets
    numeric: ClassVar[bool] = False

    @property
    def n_values(self) -> int:
        return self.kind.n_values

    @property
    def n_averaged(self) -> int | None:
        return self.kind.n_averaged

    @property
    def attributes(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True, eq=False, kw_only=True)
class _DrawnSampling(Sampling):
    """Draws that were made from a larger set."""

    given: NDArray[np.int32]
    ranks: NDArray[np.uint32] | None
    numbers: NDArray[np.int32] | None

    def native(self) -> _core.SampleDraws:
        """The draws as the core reads them."""
        draws = _core.SampleDraws(self.order, len(self.order), False)
        draws.estimation_share = self.plan.estimation_share
        draws.repeats = self.repeats
        draws.given = self.given
        draws.ranks = self.ranks
        return draws

    def member_numbers(self, rows: NDArray[np.int32]) -> NDArray[np.int32] | None:
        """Numbers that the samples have in the larger set, if leaves have members."""
        return None if self.numbers is None else self.numbers[rows]


def grow_drawn(job: GrowingJob, first: int, parts: list[list[Picked]]) -> list[ForestArrays]:
    """Grow the trees from number `first` on, for each of which every part has drawn samples.

    They come in pieces of a size that a client can receive besides what it has.
    """
    forest, look = job.forest, stop_if_cancelled()
    pieces: list[ForestArrays] = []
    trees: list[ForestArrays] = []
    for tree, drawn in enumerate(zip(*parts, strict=True), first):
        samples = _training_samples(job, list(drawn))
        trees.append(
            forest._grow_range(samples, forest._growth_on(samples), (tree, tree + 1), look)
        )
        if sum(grown.nbytes for grown in trees) >= BYTES_OF_A_PIECE:
            pieces.append(join_forests(trees))
    return [*pieces, join_forests(trees)] if trees else pieces


def _training_samples(job: GrowingJob, drawn: list[Picked]) -> TrainingSamples:
    """The samples of one tree as the core grows on them."""
    X = np.concatenate([part.X for part in drawn])
    y = np.concatenate([part.y for part in drawn])
    weights = join_optional([part.weights for part in drawn])
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
        ranks=join_optional([part.ranks for part in drawn]),
        numbers=join_optional([part.numbers for part in drawn]),
    )
    targets = (
        job.targets.with_encoded(y).native(job.plan) if job.rounding is None else job.rounding(y)
    )
    return TrainingSamples(features, _DrawnTargets(targets, job.targets), sampling, job.spreads)


def vote_on_block(
    forest: BaggedSupervisedForest,
    first: int,
    picks: PackedPicks,
    before: Votes | None,
    arrays: ForestArrays,
    block: Block,
) -> Votes:
    """Sums of votes of the trees that did not draw a sample, and how many these are.

    `picks` are the draws of the trees from number `first` on. Votes are added to those `before` in
    the order of the trees, as the core adds them.
    """
    drawn = [of_tree.places for of_tree in picks.unpack()]
    if before is None:
        sums = np.zeros((len(block.X), arrays.n_outputs))
        counts = np.zeros(len(block.X), dtype=np.int32)
    else:
        sums, counts = before[0].copy(), before[1].copy()
    counts += len(drawn)
    for places in drawn:
        counts[places] -= 1
    for part in slices_of_cells(forest, block):
        samples = forest._scaled(block.X[part])
        for tree, places in enumerate(drawn, first):
            votes = _core.predict(arrays.tree(tree), samples, forest._hard_votes, 1)
            inside = places[
                slice(*np.searchsorted(places, [part.start, part.start + len(samples)]))
            ]
            votes[inside - part.start] = 0.0
            sums[part] += votes
    return sums, counts
