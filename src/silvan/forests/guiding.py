"""Trees in rounds: each round draws features by what the trees before it found important."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from silvan._validation import invalid
from silvan.forest_arrays import ForestArrays
from silvan.forests.importances import feature_importances
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


def rounds(first: int, last: int, length: int | None) -> Iterator[tuple[int, int]]:
    """The trees from `first` to before `last` in rounds that begin at multiples of a length."""
    while first < last:
        end = last if length is None else min(last, (first // length + 1) * length)
        yield first, end
        first = end


def guide(
    projections: ProjectionDistribution, forest: ForestArrays | None, first: int, length: int | None
) -> ProjectionDistribution:
    """The distribution of the round that tree number `first` is in, given the trees so far."""
    if length is None or forest is None or first < length:
        return projections
    seen = forest.trees(0, first // length * length)
    if isinstance(projections, UnitFree):
        assert isinstance(projections.distribution, WeightedCombinations)
        spreads = np.ldexp(1.0, projections.exponents(seen.n_features))
        guided = projections.distribution.guided_by(feature_importances(seen, spreads))
        return UnitFree(guided, projections.spreads)
    assert isinstance(projections, WeightedCombinations)
    return projections.guided_by(feature_importances(seen))


def _wraps(projections: ProjectionDistribution, guided: WeightedCombinations) -> bool:
    return isinstance(projections, UnitFree) and projections.distribution is guided


def _refuse(guided: WeightedCombinations, where: str) -> ValueError:
    return invalid(
        "trees_per_round",
        f"None {where}",
        guided.trees_per_round,
        "pass learnt weights as `weights` instead",
    )
