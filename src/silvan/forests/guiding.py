"""Trees in rounds: each round draws features by what the trees before it found important."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from silvan._validation import invalid
from silvan.forest_arrays import ForestArrays
from silvan.forests.importances import credit_features, gain_credit, share
from silvan.projections import ProjectionDistribution, UnitFree, WeightedCombinations
from silvan.projections.mixture import find_component


def trees_per_round(projections: ProjectionDistribution) -> int | None:
    """How many trees are grown before the weights of features are learnt anew; None: all."""
    guided = find_component(projections, WeightedCombinations)
    if guided is None or guided.trees_per_round is None:
        return None
    if guided is not projections and not _wraps(projections, guided):
        raise _refuse(guided, "inside other distributions than UnitFree")
    return int(guided.trees_per_round)


def refuse_rounds(projections: ProjectionDistribution, where: str) -> None:
    """Raise an error if weights are to be learnt where that cannot be."""
    guided = find_component(projections, WeightedCombinations)
    if guided is not None and guided.trees_per_round is not None:
        raise _refuse(guided, where)


class Guide:
    """The distribution that rounds draw from, by the importances of the trees before them."""

    def __init__(self, projections: ProjectionDistribution) -> None:
        self._projections = projections
        self._length = trees_per_round(projections)
        self._credit: NDArray[np.float64] | None = None

    def rounds(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Trees `first` to before `last` in rounds, which begin at multiples of their length."""
        while first < last:
            end = last if self._length is None else min(last, self._round_of(first) + self._length)
            yield first, end
            first = end

    def follow(self, earlier: ForestArrays) -> ProjectionDistribution:
        """The distribution of the round that goes on after some trees; learn from all of them."""
        if self._length is None:
            return self._projections
        begin = self._round_of(earlier.n_trees)
        self.learn(earlier.trees(0, begin))
        distribution = self.distribution()
        self.learn(earlier.trees(begin, earlier.n_trees))
        return distribution

    def learn(self, trees: ForestArrays) -> None:
        """Add what some trees say of the features; each tree is looked at once."""
        if self._length is None or trees.n_trees == 0:
            return
        spreads = None
        if isinstance(self._projections, UnitFree):
            spreads = np.ldexp(1.0, self._projections.exponents(trees.n_features))
        credit = gain_credit(trees, boosted=False)
        earlier = 0.0 if self._credit is None else self._credit
        self._credit = credit_features(trees, credit, spreads, earlier=earlier)

    def distribution(self) -> ProjectionDistribution:
        """What the next round draws from."""
        if self._credit is None:
            return self._projections
        importances, projections = share(self._credit[:, 0]), self._projections
        if isinstance(projections, UnitFree):
            assert isinstance(projections.distribution, WeightedCombinations)
            guided = projections.distribution.guided_by(importances)
            return UnitFree(guided, projections.spreads)
        assert isinstance(projections, WeightedCombinations)
        return projections.guided_by(importances)

    def _round_of(self, tree: int) -> int:
        """The first tree of the round that a tree is in."""
        assert self._length is not None
        return tree // self._length * self._length


def _wraps(projections: ProjectionDistribution, guided: WeightedCombinations) -> bool:
    return isinstance(projections, UnitFree) and projections.distribution is guided


def _refuse(guided: WeightedCombinations, where: str) -> ValueError:
    return invalid(
        "trees_per_round",
        f"None {where}",
        guided.trees_per_round,
        "pass learnt weights as `weights` instead",
    )
