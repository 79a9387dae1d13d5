"""Checks that arrays, such as those of a file, describe a forest."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from silvan.forest_arrays.layout import DTYPES, MAX_CATEGORIES, NODE_ARRAYS
from silvan.forest_arrays.requiring import require
from silvan.forest_arrays.window_checks import check_windows

if TYPE_CHECKING:
    from silvan.forest_arrays.arrays import ForestArrays

_MAX_INT32 = int(np.iinfo(np.int32).max)
# Running sums take memory that the number of features does not tell; an axis of one cell doubles
# them.
_MAX_SUMS_PER_CELL = 1024


def check_arrays(forest: ForestArrays) -> None:
    """Raise a ValueError that names what is wrong, if the arrays do not describe a forest."""
    _check_types(forest)
    _check_positions(forest)
    _check_nodes(forest)
    _check_entries(forest)


def _check_types(forest: ForestArrays) -> None:
    for name in ("n_features", "n_outputs"):
        value = getattr(forest, name)
        require(type(value) is int and 1 <= value <= _MAX_INT32, f"{name} is no integer from 1 on")
    for name, dtype in DTYPES.items():
        array = getattr(forest, name)
        require(isinstance(array, np.ndarray), f"{name} is no array")
        require(array.ndim == 1, f"{name} has {array.ndim} dimensions, not 1")
        require(array.dtype == dtype, f"{name} is {array.dtype}, not {np.dtype(dtype)}")
    for name in NODE_ARRAYS:
        length = len(getattr(forest, name))
        require(length == forest.n_nodes, f"{name} has {length} entries for {forest.n_nodes} nodes")


def _check_positions(forest: ForestArrays) -> None:
    described = {
        "tree_offsets": (forest.n_trees, forest.n_nodes),
        "leaf_offsets": (forest.n_trees, forest.n_leaves),
        "direction_indptr": (forest.n_nodes, len(forest.direction_indices)),
        "value_indptr": (forest.n_leaves, len(forest.value_outputs)),
        "member_indptr": (forest.n_leaves, len(forest.members)),
    }
    require(forest.n_trees >= 1, "it has no trees")
    for name, (rows, entries) in described.items():
        positions = getattr(forest, name)
        require(len(positions) == rows + 1, f"{name} has {len(positions)} entries for {rows} rows")
        require(
            positions[0] == 0
            and positions[-1] == entries
            # Compared, not subtracted: differences of hostile numbers overflow.
            and bool((positions[1:] >= positions[:-1]).all()),
            f"{name} does not rise from 0 to {entries}",
        )
    for name, values in (
        (
            "direction_coefficients",
            len(forest.direction_coefficients) == len(forest.direction_indices),
        ),
        ("values", len(forest.values) == len(forest.value_outputs)),
    ):
        require(values, f"{name} and its column numbers differ in length")


def _check_nodes(forest: ForestArrays) -> None:
    n_nodes, n_leaves = np.diff(forest.tree_offsets), np.diff(forest.leaf_offsets)
    require(bool((n_nodes == 2 * n_leaves - 1).all()), "a tree has not 2 * leaves - 1 nodes")
    leaf = forest.left < 0
    tree = forest.node_trees()
    number = -1 - forest.left[leaf].astype(np.int64)
    require(bool((number < n_leaves[tree[leaf]]).all()), "a leaf is that of another tree")
    number = np.sort(forest.leaf_offsets[tree[leaf]] + number)
    require(np.array_equal(number, np.arange(forest.n_leaves)), "a leaf number is not used once")
    parents, left = np.flatnonzero(~leaf), forest.left[~leaf].astype(np.int64)
    require(bool((left + 1 < n_nodes[tree[~leaf]]).all()), "a child is that of another tree")
    children = forest.tree_offsets[tree[~leaf]] + left
    require(bool((children > parents).all()), "a node comes before its parent in left")
    reached = np.sort(np.concatenate([forest.tree_offsets[:-1], children, children + 1]))
    require(
        np.array_equal(reached, np.arange(forest.n_nodes)), "a node is not the child of one node"
    )
    empty = np.diff(forest.direction_indptr) == 0
    require(np.array_equal(empty, leaf), "a split has no direction, or a leaf has one")
    # Either all leaves know their members, or none does.
    members = np.diff(forest.member_indptr) > 0
    require(bool(members.all()) or not members.any(), "a leaf has no members")
    require(bool((np.diff(forest.value_indptr) > 0).all()), "a leaf has no values")


def n_running_sums(forest: ForestArrays) -> int:
    """Number of running sums that directions may be over; 0 without a grid."""
    require(
        len(forest.grid_shape) == len(forest.grid_contiguous),
        "the axes of the grid differ in number",
    )
    if not len(forest.grid_shape):
        return 0
    # Integers of Python, which do not overflow.
    shape: list[int] = forest.grid_shape.tolist()
    runs: list[bool] = (forest.grid_contiguous > 0).tolist()
    require(
        min(shape) > 0 and math.prod(shape) == forest.n_features,
        "grid_shape has another number of cells than there are features",
    )
    n_sums = math.prod(length + run for length, run in zip(shape, runs, strict=True))
    require(
        n_sums <= _MAX_SUMS_PER_CELL * forest.n_features,
        "grid_shape has too many axes that are too short",
    )
    return n_sums


def _check_categories(forest: ForestArrays) -> None:
    counts = forest.n_categories
    if not len(counts):
        return
    require(not len(forest.grid_shape), "it has both a grid and categories")
    require(
        len(counts) == forest.n_features,
        f"n_categories has {len(counts)} entries for {forest.n_features} features",
    )
    require(
        bool((counts >= 0).all() and (counts <= MAX_CATEGORIES).all()),
        f"n_categories has entries outside 0 ... {MAX_CATEGORIES}",
    )


def _check_entries(forest: ForestArrays) -> None:
    _check_categories(forest)
    check_windows(forest)
    n_columns = forest.n_columns
    require(n_columns <= _MAX_INT32, "it has more columns than int32 counts")
    for name, limit in (
        ("direction_indices", n_columns),
        ("value_outputs", forest.n_outputs),
        ("members", _MAX_INT32),
    ):
        array = getattr(forest, name)
        inside = len(array) == 0 or (array.min() >= 0 and array.max() < limit)
        require(bool(inside), f"{name} has entries outside 0 ... {limit - 1}")
    for name, indptr in (
        ("direction_indices", forest.direction_indptr),
        ("value_outputs", forest.value_indptr),
    ):
        require(_rise(getattr(forest, name), indptr), f"{name} has entries that do not rise")
    split = np.diff(forest.direction_indptr) > 0
    over_sums = forest.direction_indices >= forest.n_features
    first, last = forest.direction_indptr[:-1][split], forest.direction_indptr[1:][split] - 1
    require(
        len(forest.n_categories) > 0 or np.array_equal(over_sums[first], over_sums[last]),
        "a direction is over features and running sums or windows",
    )
    require(not np.isnan(forest.threshold).any(), "threshold has entries that are NaN")
    for name in ("direction_coefficients", "values", "weight", "impurity"):
        require(
            bool(np.isfinite(getattr(forest, name)).all()),
            f"{name} has entries that are not finite",
        )
    for name in ("weight", "n_samples"):
        require(bool((getattr(forest, name) >= 0).all()), f"{name} has entries below zero")


def _rise(entries: NDArray[np.int32], indptr: NDArray[np.int64]) -> bool:
    """Whether the entries of every row ascend, none of them twice."""
    rises = entries[1:] > entries[:-1]
    starts = indptr[1:-1][(indptr[1:-1] > 0) & (indptr[1:-1] < len(entries))]
    rises[starts - 1] = True
    return bool(rises.all())
