"""Forests from the trees of others: one tree alone, or all of two forests."""

from __future__ import annotations

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


def join_forests(first: ForestArrays, second: ForestArrays) -> ForestArrays:
    """The trees of one forest followed by those of another."""
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
    joined = {}
    for name in DTYPES:
        mine, theirs = getattr(first, name), getattr(second, name)
        if name in COLUMNS:
            joined[name] = mine
            continue
        if name in POSITIONS:
            theirs = theirs[1:] + mine[-1]
        joined[name] = np.concatenate([mine, theirs])
    return replace(first, **joined)
