"""Forests from the trees of others: one tree alone, or all of some forests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from silvan.forest_arrays.layout import COLUMNS, DTYPES, NODE_ARRAYS, POSITIONS

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
    parts["tree_offsets"] = np.array([0, nodes.stop - nodes.start])
    parts["leaf_offsets"] = np.array([0, leaves.stop - leaves.start])
    return replace(forest, **parts)


def join_forests(forests: Sequence[ForestArrays]) -> ForestArrays:
    """The trees of some forests, one forest after the other."""
    first = forests[0]
    for second in forests[1:]:
        _check_joinable(first, second)
    joined = {}
    for name in DTYPES:
        parts = [getattr(forest, name) for forest in forests]
        if name in COLUMNS:
            joined[name] = parts[0]
            continue
        if name in POSITIONS:
            starts = np.cumsum([0, *(part[-1] for part in parts[:-1])])
            parts = [parts[0], *(p[1:] + at for p, at in zip(parts[1:], starts[1:], strict=True))]
        joined[name] = np.concatenate(parts)
    return replace(first, **joined)


def _check_joinable(first: ForestArrays, second: ForestArrays) -> None:
    same_columns = all(
        np.array_equal(getattr(first, name), getattr(second, name)) for name in COLUMNS
    )
    if not same_columns:
        raise ValueError(
            "a forest on another grid or with other categories cannot follow this one; grow "
            "both with the same patches and on the same kind of data."
        )
    if (second.n_features, second.n_outputs) != (first.n_features, first.n_outputs):
        raise ValueError(
            f"a forest of {second.n_features} features and {second.n_outputs} outputs cannot "
            f"follow one of {first.n_features} features and {first.n_outputs} outputs; grow both "
            "on the same kind of data."
        )
