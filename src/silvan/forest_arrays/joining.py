"""Forests from the trees of others: one tree alone, or all of two forests."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from silvan.forest_arrays.layout import COLUMNS, DTYPES, NODE_ARRAYS, POSITIONS, WINDOW_ARRAYS

if TYPE_CHECKING:
    from silvan.forest_arrays.arrays import ForestArrays


def take_tree(forest: ForestArrays, number: int) -> ForestArrays:
    """One tree as a forest of its own; its arrays are views where positions allow it."""
    nodes = slice(*forest.tree_offsets[number : number + 2])
    leaves = slice(*forest.leaf_offsets[number : number + 2])
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
    parts["tree_offsets"] = np.array([0, nodes.stop - nodes.start])
    parts["leaf_offsets"] = np.array([0, leaves.stop - leaves.start])
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


def join_forests(first: ForestArrays, second: ForestArrays) -> ForestArrays:
    """The trees of one forest followed by those of another."""
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
    joined = {}
    for name in DTYPES:
        mine, theirs = getattr(first, name), getattr(second, name)
        if name in COLUMNS:
            joined[name] = mine
            continue
        if name in POSITIONS:
            theirs = theirs[1:] + mine[-1]
        if name == "direction_indices" and second.n_windows:
            theirs = _shift_windows(theirs, first)
        joined[name] = np.concatenate([mine, theirs])
    return replace(first, **joined)


def _shift_windows(indices: NDArray[np.int32], before: ForestArrays) -> NDArray[np.int32]:
    """Indices of directions whose windows come after those of another forest."""
    if before.n_features + before.n_windows + len(indices) > np.iinfo(np.int32).max:
        raise ValueError(
            "the forests together have more windows than 32 bits number; join fewer trees."
        )
    shifted = np.where(indices >= before.n_features, indices + np.int32(before.n_windows), indices)
    return shifted.astype(np.int32)
