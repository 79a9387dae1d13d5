"""The rounds of a fit: gradients, a tree for each output, new raw scores, until it is enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from silvan import _core
from silvan._threads import share_in_pool
from silvan.boosting.answers import (
    ask_derivatives,
    ask_leaf_values,
    renews_leaves,
    require_finite,
)
from silvan.boosting.parts import Part, Parts
from silvan.boosting.scores import ScoredSamples, Scoring, best_round, has_converged
from silvan.forest_arrays import ForestArrays
from silvan.losses import Loss

Floats = NDArray[np.float64]
# Numbers whose gradients are computed at once: few enough that a cache holds them, and so many that
# other threads are worth waking: with fewer, they wait for each other longer than they work.
_BLOCK = 2**17


class Curves(NamedTuple):
    """Scores before the first round and after each; none of held-out samples where there are none.

    A larger score is better. Where rounds are judged out of bag, those of held-out samples are the
    first of the training samples and what each round added to that of the samples it left out.
    """

    training: list[float]
    validation: list[float]

    @property
    def decisive(self) -> list[float]:
        """Those that say when to stop."""
        return self.validation or self.training


class Stopping(NamedTuple):
    """When a fit ends before all rounds are grown."""

    n_iter_no_change: int
    tol: float


class Boosting:
    """Raw scores of all samples, and the trees that they come from."""

    def __init__(
        self,
        booster: _core.Booster,
        parts: Parts,
        loss: Loss,
        learning_rate: float,
        n_threads: int,
        n_categories: NDArray[np.int64] | None = None,
    ) -> None:
        self._n_categories = n_categories
        self._booster = booster
        self._training, self._validation = parts.training, parts.validation
        self._loss = loss
        self._learning_rate = learning_rate
        self._n_threads = n_threads
        self._grown: list[ForestArrays] = []
        self._n_rounds = 0
        # Whether rounds are judged by the samples that they leave out.
        self.scores_out_of_bag = False
        self._before: Floats | None = None  # raw scores before the last round

    def begin(self, start: Floats, earlier: ForestArrays | None, n_rounds: int) -> None:
        """Set raw scores to those of the trees of the rounds that are there already."""
        self._grown = [] if earlier is None else [earlier]
        self._n_rounds = n_rounds
        self._raw = self._begin_part(self._training, start)
        # Filled in every round: fresh memory each time would be cleared by the system first.
        self._gradients, self._hessians = np.empty_like(self._raw), np.empty_like(self._raw)
        if self._validation is not None:
            self._held_out = self._begin_part(self._validation, start)

    def _begin_part(self, part: Part, start: Floats) -> Floats:
        raw = np.tile(start, (len(part.y), 1))
        for forest in self._grown:
            self._add(forest, part, raw)
        return raw

    def _add(self, forest: ForestArrays, part: Part, raw: Floats) -> None:
        _core.add_leaf_values(forest, part.features, raw, (0, forest.n_trees), self._n_threads)

    def score(self, scoring: Scoring, scored: ScoredSamples, curves: Curves) -> None:
        """Append the scores of the trees so far."""
        curves.training.append(scoring(scored.part, scored.take(self._raw)))
        if self._validation is not None:
            curves.validation.append(scoring(self._validation, self._held_out))
        elif self.scores_out_of_bag:
            start = curves.validation[-1] if curves.validation else curves.training[-1]
            curves.validation.append(start + self._gain_out_of_bag(scoring))

    def check_score(self, scoring: Scoring, scored: ScoredSamples, curves: Curves) -> None:
        """Require that earlier trees have the score that the curve of an earlier fit ends with."""
        before, now = curves.training[-1], scoring(scored.part, scored.take(self._raw))
        if not np.isclose(before, now, rtol=1e-6, atol=1e-12, equal_nan=True):
            raise ValueError(
                "warm_start=True goes on with the same scoring, but the score of the training "
                f"samples was {before:.6g} and is {now:.6g}; pass the same scoring, which must not "
                "draw at random, or set warm_start=False."
            )

    def _gain_out_of_bag(self, scoring: Scoring) -> float:
        """By how much the last round improved the score of the samples that it left out.

        Rounds before were grown on some of these, so that their score itself is too good, but what
        this round adds to it owes them nothing.
        """
        if self._before is None:
            return 0.0
        outside = self._booster.outside()
        if not len(outside):
            raise ValueError(
                'subsample must leave samples out of every round with early_stopping="out_of_bag", '
                f"but it takes all {len(self._raw)} distinct ones; pass a smaller subsample, more "
                "samples, or early_stopping=False."
            )
        y, weight = self._training.y[outside], self._training.weight
        seen = outside if scoring.sees_features else outside[:0]
        features = self._training.features[seen]
        part = Part(features, y, None if weight is None else weight[outside])
        return scoring(part, self._raw[outside]) - scoring(part, self._before[outside])

    def grow(self, number: int, pool: ThreadPoolExecutor) -> None:
        """Grow the trees of a round."""
        gradients, hessians = self._derivatives(pool)
        if self.scores_out_of_bag:
            self._before = self._raw.copy()
        renews = renews_leaves(self._loss)
        raw = None if renews else self._raw
        try:
            self._booster.grow_round(number, gradients, hessians, raw, self._n_threads)
        except ValueError:
            require_finite(self._loss, gradients, hessians)
            raise
        if renews:
            self._renew_leaves()
        self._n_rounds = number + 1
        if self._validation is not None:
            self._add(self._take(), self._validation, self._held_out)

    def _derivatives(self, pool: ThreadPoolExecutor) -> tuple[Floats, Floats]:
        """Gradients and hessians, block by block, the blocks shared among threads."""
        training, raw = self._training, self._raw
        gradients, hessians = self._gradients, self._hessians
        size = _BLOCK // raw.shape[1] + 1

        def work(first: int) -> None:
            block = slice(first, first + size)
            weight = None if training.weight is None else training.weight[block]
            gradients[block], hessians[block] = ask_derivatives(
                self._loss, training.y[block], raw[block], weight
            )

        share_in_pool(work, range(0, len(raw), size), pool, self._n_threads)
        return gradients, hessians

    def _renew_leaves(self) -> None:
        """Replace Newton steps by the values that the loss finds best."""
        y, weight = self._training.y, self._training.weight
        leaves = self._booster.leaves(self._n_threads)
        # A tree for each output, or one for all of them.
        values = [
            ask_leaf_values(
                self._loss, y[:, k], self._raw[:, k], weight, leaves[:, k % leaves.shape[1]]
            )
            for k in range(y.shape[1])
        ]
        by_leaf = np.concatenate(values) if leaves.shape[1] > 1 else np.column_stack(values)
        by_leaf = self._learning_rate * by_leaf.reshape(self._booster.n_leaves, -1)
        self._booster.set_values(by_leaf, self._raw, self._n_threads)

    def _take(self) -> ForestArrays:
        """The trees that were grown since the last call."""
        trees = self._booster.take_trees()
        counts = self._n_categories
        n_features, n_outputs = self._training.features.shape[1], self._raw.shape[1]
        self._grown.append(ForestArrays.from_native(trees, n_features, n_outputs, counts))
        return self._grown[-1]

    def forest(self, n_rounds: int) -> ForestArrays:
        """The trees of the first rounds."""
        if self._validation is None:
            self._take()
        joined = _join(self._grown)
        return joined.trees(0, n_rounds * (joined.n_trees // self._n_rounds))


def run_rounds(
    boosting: Boosting,
    numbers: range,
    score: Callable[[], Curves],
    stopping: Stopping | None,
    n_threads: int,
) -> Iterator[int]:
    """Grow rounds until all are there or none helps any more; yield the number of each, done."""
    with ThreadPoolExecutor(n_threads) as pool:
        for number in numbers:
            boosting.grow(number, pool)
            curves = score()
            yield number
            if stopping is not None and has_converged(curves.decisive, *stopping):
                return


def rounds_to_keep(curves: Curves, n_rounds: int, stopping: Stopping | None) -> int:
    """All of the rounds, or up to the best where a fit may stop early; one at least."""
    return n_rounds if stopping is None else max(1, best_round(curves.decisive))


def _join(forests: list[ForestArrays]) -> ForestArrays:
    """One forest of many, joined in pairs so that none is copied more often than need be."""
    while len(forests) > 1:
        pairs = zip(forests[::2], forests[1::2], strict=False)
        odd = forests[-1:] if len(forests) % 2 else []
        forests = [first.append(second) for first, second in pairs] + odd
    return forests[0]
