"""Forests that are put together from the trees of others."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from silvan import ForestClassifier
from silvan.forest_arrays import ForestArrays
from silvan.forest_arrays.joining import ForestCollector, join_forests, take_trees
from silvan.forest_arrays.layout import DTYPES
from silvan.projections import ProjectionDistribution, SparseSigns, Windows


def grow(projections: ProjectionDistribution) -> ForestArrays:
    X = np.random.default_rng(0).normal(size=(2000, 6))
    labels = (X[:, 0] + X[:, 5] > 0).astype(int)
    return ForestClassifier(12, projections=projections, random_state=0).fit(X, labels).forest_


def copy_trees(forest: ForestArrays, first: int, last: int) -> ForestArrays:
    part = take_trees(forest, first, last)
    return replace(part, **{name: getattr(part, name).copy() for name in DTYPES})


@pytest.mark.parametrize(
    "projections", [SparseSigns(), Windows([(6,)], statistics=("mean", "spread"))], ids=str
)
def test_parts_of_a_forest_joined_are_the_forest(projections: ProjectionDistribution) -> None:
    forest = grow(projections)
    parts = [copy_trees(forest, first, last) for first, last in ((0, 1), (1, 2), (2, 7), (7, 12))]
    joined = join_forests(parts)
    for name in DTYPES:
        np.testing.assert_array_equal(getattr(joined, name), getattr(forest, name), err_msg=name)
    joined.check()
    assert parts == []


@pytest.mark.parametrize(
    "projections", [SparseSigns(), Windows([(6,)], statistics=("mean", "spread"))], ids=str
)
def test_parts_of_a_forest_collected_are_the_forest(projections: ProjectionDistribution) -> None:
    forest = grow(projections)
    collector = ForestCollector()
    for span in ((0, 1), (1, 2), (2, 7), (7, 12)):
        collector.add(copy_trees(forest, *span))
    collected = collector.collected()
    for name in DTYPES:
        np.testing.assert_array_equal(getattr(collected, name), getattr(forest, name), err_msg=name)
    collected.check()
    with pytest.raises(ValueError, match="cannot follow"):
        collector.add(replace(forest, n_outputs=7))


def test_collecting_does_not_hold_a_forest_twice() -> None:
    forest = grow(SparseSigns())
    tracemalloc.start()
    try:
        collector = ForestCollector()
        for tree in range(forest.n_trees):
            collector.add(copy_trees(forest, tree, tree + 1))
        collected = collector.collected()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert collected.n_trees == forest.n_trees
    assert peak < 1.6 * forest.nbytes


def test_joining_does_not_hold_a_forest_twice() -> None:
    forest = grow(SparseSigns())
    tracemalloc.start()
    try:
        parts = [copy_trees(forest, tree, tree + 1) for tree in range(forest.n_trees)]
        joined = join_forests(parts)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert joined.n_trees == forest.n_trees
    assert peak < 1.6 * forest.nbytes
