"""Forests from the trees of others: some of one forest, or all of several."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from silvan.forest_arrays.layout import COLUMNS, DTYPES, NODE_ARRAYS, POSITIONS, WINDOW_ARRAYS

if TYPE_CHECKING:
    from silvan.forest_arrays.arrays import ForestArrays


def take_trees(forest: ForestArrays, first: int, last: int) -> ForestArrays:
    """Some trees as a forest of their own; its arrays are views where positions allow it."""
    nodes = slice(*forest.tree_offsets[[first, last]])
    leaves = slice(*forest.leaf_offsets[[first, last]])
    parts = {name: getattr(forest, name)[nodes] for name in NODE_ARRAYS}
    parts |= {name: getattr(forest, name) for name in COLUMNS}
    for name, owners, entries in (
        ("direction_indptr", nodes, ("direction_indices", "direction_coefficients")),
        ("value_indptr", leaves, ("value_outputs", "values")),
        ("member_indptr", leaves, ("members",)),
    ):
        positions = getattr(forest, name)[owners.start : owners.stop + 1]
        parts[name] = positions - positions[0]
        parts |= {entry: getattr(forest, entry)[positions[0] : positions[-1]] for entry in entries}
    parts |= _take_windows(forest, parts["direction_indices"])
    parts["tree_offsets"] = forest.tree_offsets[first : last + 1] - nodes.start
    parts["leaf_offsets"] = forest.leaf_offsets[first : last + 1] - leaves.start
    return replace(forest, **parts)


def _take_windows(forest: ForestArrays, indices: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
    """The windows that some directions are over, and the indices that count from the first."""
    if not forest.n_windows:
        return {}
    over = indices >= forest.n_features
    first = int(indices[over][0]) - forest.n_features if over.any() else 0
    last = first + int(over.sum())
    parts: dict[str, NDArray[Any]] = {
        "direction_indices": np.where(over, indices - np.int32(first), indices)
    }
    for name in WINDOW_ARRAYS:
        array = getattr(forest, name)
        width = len(array) // forest.n_windows
        parts[name] = array[first * width : last * width]
    return parts


def join_forests(forests: list[ForestArrays]) -> ForestArrays:
    """The trees of some forests, one forest after the other.

    The list ends up empty: what nobody else holds is freed part by part, so that a large forest is
    not in memory twice.
    """
    for before, after in pairwise(forests):
        _check_joinable(before, after)
    n_windows = [forest.n_windows for forest in forests]
    parts_of = {name: [getattr(forest, name) for forest in forests] for name in DTYPES}
    make, n_features, n_outputs = type(forests[0]), forests[0].n_features, forests[0].n_outputs
    forests.clear()
    joined: dict[str, NDArray[Any]] = {}
    for name in DTYPES:
        parts = parts_of.pop(name)
        if name in COLUMNS:
            joined[name] = parts[0]
            continue
        if name in POSITIONS:
            starts = np.cumsum([0, *(part[-1] for part in parts[:-1])])
            parts = [parts[0], *(p[1:] + at for p, at in zip(parts[1:], starts[1:], strict=True))]
        if name == "direction_indices":
            parts = _shift_windows(parts, n_features, n_windows)
        joined[name] = _concatenate(parts)
    return make(**joined, n_features=n_features, n_outputs=n_outputs)


class ForestCollector:
    """Forests that come one after the other, as one whose arrays grow where they are.

    What was added can be freed at once, and nothing is in memory twice.
    """

    def __init__(self) -> None:
        self._make: Callable[..., ForestArrays]
        self._sizes: dict[str, int] = {}
        self._arrays: dict[str, NDArray[Any]] = {}

    def add(self, forest: ForestArrays) -> None:
        """Let the trees of a forest follow, which must be of the same kind as those before."""
        if not self._arrays:
            self._make = type(forest)
            self._sizes = {"n_features": forest.n_features, "n_outputs": forest.n_outputs}
            self._arrays = {name: getattr(forest, name).copy() for name in DTYPES}
            return
        before = self.collected()
        _check_joinable(before, forest)
        n_features, n_windows = forest.n_features, [before.n_windows, forest.n_windows]
        del before
        for name in DTYPES:
            part = getattr(forest, name)
            if name in COLUMNS:
                continue
            if name in POSITIONS:
                part = part[1:] + self._arrays[name][-1]
            if name == "direction_indices":
                part = _shift_windows([part[:0], part], n_features, n_windows)[1]
            whole = self._arrays[name]
            end = len(whole)
            # Nobody else has the array.
            whole.resize(end + len(part), refcheck=False)
            whole[end:] = part

    def collected(self) -> ForestArrays:
        """The forest so far; it must not be kept if more are added."""
        return self._make(**self._arrays, **self._sizes)


def _concatenate(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """The parts one after the other; each is let go of once it is copied."""
    whole = np.empty(sum(map(len, parts)), dtype=parts[0].dtype)
    end = len(whole)
    while parts:
        part = parts.pop()
        whole[end - len(part) : end] = part
        end -= len(part)
    return whole


def _check_joinable(first: ForestArrays, second: ForestArrays) -> None:
    same_columns = all(
        np.array_equal(getattr(first, name), getattr(second, name)) for name in COLUMNS
    )
    if not same_columns:
        raise ValueError(
            "a forest on another grid, or with other categories, channels or windows, cannot "
            "follow this one; grow both with the same projections and on the same kind of data."
        )
    if (second.n_features, second.n_outputs) != (first.n_features, first.n_outputs):
        raise ValueError(
            f"a forest of {second.n_features} features and {second.n_outputs} outputs cannot "
            f"follow one of {first.n_features} features and {first.n_outputs} outputs; grow both "
            "on the same kind of data."
        )


def _shift_windows(
    indices: list[NDArray[np.int32]], n_features: int, n_windows: list[int]
) -> list[NDArray[np.int32]]:
    """Indices of directions of each forest, whose windows come after those of the ones before."""
    ends = np.cumsum([0, *n_windows])
    if n_features + ends[-1] > np.iinfo(np.int32).max:
        raise ValueError(
            "the forests together have more windows than 32 bits number; join fewer trees."
        )
    return [
        part if before == 0 else np.where(part >= n_features, part + np.int32(before), part)
        for part, before in zip(indices, ends[:-1], strict=True)
    ]
