"""A grown forest as plain fixed-width arrays, which all prediction and inspection reads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from silvan import _core

_DTYPES = {
    "tree_offsets": np.int64,
    "leaf_offsets": np.int64,
    "left": np.int32,
    "threshold": np.float32,
    "missing_left": np.uint8,
    "direction_indptr": np.int64,
    "direction_indices": np.int32,
    "direction_weights": np.float32,
    "n_samples": np.int32,
    "weight": np.float64,
    "impurity": np.float32,
    "value_indptr": np.int64,
    "value_outputs": np.int32,
    "values": np.float64,
    "member_indptr": np.int64,
    "members": np.int32,
    "grid_shape": np.int64,
    "grid_contiguous": np.uint8,
    "n_categories": np.int64,
}
_LARGEST = int(np.iinfo(np.int32).max)
# float32 counts so far.
MOST_CATEGORIES = 2**24
# Running sums take memory that the features do not tell of; an axis of one cell doubles them.
_MOST_SUMS_PER_CELL = 1024
# Arrays that say what the columns after the features are.
_COLUMNS = ("grid_shape", "grid_contiguous", "n_categories")
_NODE_ARRAYS = ("left", "threshold", "missing_left", "n_samples", "weight", "impurity")
# Arrays that hold positions in another array: appending a forest shifts them by that array's
# length.
_POSITIONS = ("tree_offsets", "leaf_offsets", "direction_indptr", "value_indptr", "member_indptr")


@dataclass(frozen=True, eq=False)
class ForestArrays:
    """The nodes of all trees of a forest, numbered tree by tree.

    With T trees, N nodes and L leaves in all; a node's children come after it.

    Attributes
    ----------
    n_features : int
        Number of features of the rows that the forest reads.
    n_outputs : int
        Number of classes, or of regression targets.
    tree_offsets : int64 array of shape (T + 1,)
        First node of each tree.
    leaf_offsets : int64 array of shape (T + 1,)
        First leaf of each tree.
    left : int32 array of shape (N,)
        Left child of a split, counted from the first node of its tree; the right child is the next
        node. A leaf has ``-1 - leaf``, where ``leaf`` counts from the first leaf of its tree.
    threshold : float32 array of shape (N,)
        Rows whose projected value is at most the threshold go left; infinite where a split parts
        the rows whose value is missing from all others.
    missing_left : uint8 array of shape (N,)
        1 where rows whose projected value is missing go left.
    direction_indptr, direction_indices, direction_weights : arrays
        The direction of each split as a row of a CSR matrix; rows of leaves are empty.
    n_samples : int32 array of shape (N,)
        Number of distinct training rows that reached the node; in an honest forest, here and in
        `weight` and `impurity`, of those that decide splits.
    weight : float64 array of shape (N,)
        Total weight of those rows.
    impurity : float32 array of shape (N,)
        Value of the criterion at the node.
    value_indptr, value_outputs, values : arrays
        Values of each leaf as a row of a CSR matrix with `n_outputs` columns: class probabilities,
        means of the targets, or, without targets, the leaf's share of the tree's weight.
    member_indptr, members : arrays
        In-bag training rows of each leaf: those that its values are means of. In an honest forest
        a leaf that none reached has the members of its nearest ancestor.
    grid_shape : int64 array
        Shape of the grid whose running sums directions are over, besides the features: column
        ``n_features + j`` is running sum j. Empty where directions are over features only.
    grid_contiguous : uint8 array
        1 for each axis of the grid that running sums run along.
    n_categories : int64 array
        Number of categories of each feature, 0 for numbers: column ``n_features + j`` is the
        indicator of category j, counted feature after feature, and its weight the code that the
        category has at the node. Empty where all features are numbers.
    """

    n_features: int
    n_outputs: int
    tree_offsets: NDArray[np.int64]
    leaf_offsets: NDArray[np.int64]
    left: NDArray[np.int32]
    threshold: NDArray[np.float32]
    missing_left: NDArray[np.uint8]
    direction_indptr: NDArray[np.int64]
    direction_indices: NDArray[np.int32]
    direction_weights: NDArray[np.float32]
    n_samples: NDArray[np.int32]
    weight: NDArray[np.float64]
    impurity: NDArray[np.float32]
    value_indptr: NDArray[np.int64]
    value_outputs: NDArray[np.int32]
    values: NDArray[np.float64]
    member_indptr: NDArray[np.int64]
    members: NDArray[np.int32]
    grid_shape: NDArray[np.int64]
    grid_contiguous: NDArray[np.uint8]
    n_categories: NDArray[np.int64]

    @classmethod
    def from_native(
        cls,
        arrays: Mapping[str, Any],
        n_features: int,
        n_outputs: int,
        n_categories: NDArray[np.int64] | None = None,
    ) -> ForestArrays:
        """Take over the arrays that the core returns; nothing is copied."""
        counts = np.empty(0, dtype=np.int64) if n_categories is None else n_categories
        arrays = {**arrays, "n_categories": counts}
        return cls(n_features, n_outputs, **{name: arrays[name] for name in _DTYPES})

    def __repr__(self) -> str:
        return (
            f"<ForestArrays: {self.n_trees:,} trees, {self.n_nodes:,} nodes, {self.n_leaves:,} "
            f"leaves, {self.n_features:,} features, {self.n_outputs:,} outputs, "
            f"{self.nbytes:,} bytes>"
        )

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.tree_offsets) - 1

    @property
    def n_nodes(self) -> int:
        """Number of nodes of all trees together."""
        return len(self.left)

    @property
    def n_leaves(self) -> int:
        """Number of leaves of all trees together."""
        return len(self.value_indptr) - 1

    @property
    def n_columns(self) -> int:
        """Number of columns that directions are over.

        These are the features, and after them running sums of the grid or indicators of categories.
        """
        n_indicators: int = sum(self.n_categories.tolist())
        return self.n_features + self._n_sums() + n_indicators

    @property
    def nbytes(self) -> int:
        """Memory of all arrays, in bytes."""
        return sum(int(getattr(self, name).nbytes) for name in _DTYPES)

    @cached_property
    def packed(self) -> _core.PackedForest:
        """The nodes as prediction reads them; made when it first does, and kept."""
        return _core.PackedForest(self)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "packed"}

    def node_trees(self) -> NDArray[np.intp]:
        """Tree of each node."""
        return np.repeat(np.arange(self.n_trees), np.diff(self.tree_offsets))

    def directions(self, tree: int | None = None) -> csr_array:
        """Directions of the splits of one tree or of all: a row for each node, empty at leaves.

        A column per feature. The weight of a categorical feature is the root mean square of what
        its categories are worth at the node; `stored_directions` has them all.
        """
        indptr, indices, weights = self._stored_entries(tree)
        if self.n_columns > self.n_features:
            indptr, indices, weights = _core.expand_directions(
                self._columns(), self.n_features, indptr, indices, weights
            )
        return csr_array((weights, indices, indptr), shape=(len(indptr) - 1, self.n_features))

    def stored_directions(self, tree: int | None = None) -> csr_array:
        """The same as trees keep them, over all `n_columns` columns."""
        indptr, indices, weights = self._stored_entries(tree)
        return csr_array((weights, indices, indptr), shape=(len(indptr) - 1, self.n_columns))

    def _stored_entries(
        self, tree: int | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
        first, last = (0, self.n_trees) if tree is None else (tree, tree + 1)
        indptr = self.direction_indptr[self.tree_offsets[first] : self.tree_offsets[last] + 1]
        entries = slice(indptr[0], indptr[-1])
        return (
            indptr - indptr[0],
            self.direction_indices[entries],
            self.direction_weights[entries],
        )

    def column_features(self, columns: NDArray[np.int32]) -> NDArray[np.int32]:
        """The feature that each column is, or whose category it tells of."""
        ends = self.n_features + np.cumsum(self.n_categories)
        belongs = np.searchsorted(ends, columns, side="right").astype(np.int32)
        return np.where(columns < self.n_features, columns, belongs)

    def _columns(self) -> _core.ColumnDescription:
        return _core.ColumnDescription(
            self.grid_shape.tolist(), self.grid_contiguous.tolist(), self.n_categories.tolist()
        )

    def leaf_values(self, tree: int | None = None) -> csr_array:
        """Values of the leaves of one tree or of all: a row for each leaf, a column per output."""
        first, last = (0, self.n_trees) if tree is None else (tree, tree + 1)
        indptr = self.value_indptr[self.leaf_offsets[first] : self.leaf_offsets[last] + 1]
        entries = slice(indptr[0], indptr[-1])
        return csr_array(
            (self.values[entries], self.value_outputs[entries], indptr - indptr[0]),
            shape=(len(indptr) - 1, self.n_outputs),
        )

    def with_votes(self) -> ForestArrays:
        """The forest with leaves that hold their one vote, which equally probable classes share."""
        return replace(self, values=_core.leaf_votes(self.value_indptr, self.values))

    def depth(self) -> NDArray[np.int64]:
        """Depth of each tree: the largest number of splits between its root and a leaf."""
        depth = np.zeros(self.n_trees, dtype=np.int64)
        tree = np.arange(self.n_trees)
        node = self.tree_offsets[:-1]
        level = 0
        while len(node):
            depth[tree] = level
            inner = self.left[node] >= 0
            tree = np.repeat(tree[inner], 2)
            left = self.tree_offsets[tree[::2]] + self.left[node[inner]]
            node = np.column_stack([left, left + 1]).ravel()
            level += 1
        return depth

    def tree(self, number: int) -> ForestArrays:
        """One tree as a forest of its own; its arrays are views where positions allow it."""
        nodes = slice(*self.tree_offsets[number : number + 2])
        leaves = slice(*self.leaf_offsets[number : number + 2])
        parts = {name: getattr(self, name)[nodes] for name in _NODE_ARRAYS}
        parts |= {name: getattr(self, name) for name in _COLUMNS}
        for name, owners, entries in (
            ("direction_indptr", nodes, ("direction_indices", "direction_weights")),
            ("value_indptr", leaves, ("value_outputs", "values")),
            ("member_indptr", leaves, ("members",)),
        ):
            positions = getattr(self, name)[owners.start : owners.stop + 1]
            parts[name] = positions - positions[0]
            parts |= {
                entry: getattr(self, entry)[positions[0] : positions[-1]] for entry in entries
            }
        parts["tree_offsets"] = np.array([0, nodes.stop - nodes.start])
        parts["leaf_offsets"] = np.array([0, leaves.stop - leaves.start])
        return ForestArrays(n_features=self.n_features, n_outputs=self.n_outputs, **parts)

    def append(self, other: ForestArrays) -> ForestArrays:
        """The trees of this forest followed by those of `other`."""
        same_columns = all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in _COLUMNS
        )
        if not same_columns:
            raise ValueError(
                "a forest on another grid or with other categories cannot follow this one; grow "
                "both with the same patches and on the same kind of data."
            )
        if (other.n_features, other.n_outputs) != (self.n_features, self.n_outputs):
            raise ValueError(
                f"a forest of {other.n_features} features and {other.n_outputs} outputs cannot "
                f"follow one of {self.n_features} features and {self.n_outputs} outputs; grow both "
                "on the same kind of data."
            )
        joined = {}
        for name in _DTYPES:
            mine, theirs = getattr(self, name), getattr(other, name)
            if name in _COLUMNS:
                joined[name] = mine
                continue
            if name in _POSITIONS:
                theirs = theirs[1:] + mine[-1]
            joined[name] = np.concatenate([mine, theirs])
        return ForestArrays(n_features=self.n_features, n_outputs=self.n_outputs, **joined)

    def check(self) -> ForestArrays:
        """Verify that the arrays describe a forest; raise a ValueError that names what is wrong.

        Takes one pass over the arrays. Returns the forest itself.
        """
        self._check_types()
        self._check_positions()
        self._check_nodes()
        self._check_entries()
        return self

    def _check_types(self) -> None:
        for name in ("n_features", "n_outputs"):
            value = getattr(self, name)
            _require(
                type(value) is int and 1 <= value <= _LARGEST, f"{name} is no integer from 1 on"
            )
        for name, dtype in _DTYPES.items():
            array = getattr(self, name)
            _require(isinstance(array, np.ndarray), f"{name} is no array")
            _require(array.ndim == 1, f"{name} has {array.ndim} dimensions, not 1")
            _require(array.dtype == dtype, f"{name} is {array.dtype}, not {np.dtype(dtype)}")
        for name in _NODE_ARRAYS:
            length = len(getattr(self, name))
            _require(
                length == self.n_nodes, f"{name} has {length} entries for {self.n_nodes} nodes"
            )

    def _check_positions(self) -> None:
        described = {
            "tree_offsets": (self.n_trees, self.n_nodes),
            "leaf_offsets": (self.n_trees, self.n_leaves),
            "direction_indptr": (self.n_nodes, len(self.direction_indices)),
            "value_indptr": (self.n_leaves, len(self.value_outputs)),
            "member_indptr": (self.n_leaves, len(self.members)),
        }
        _require(self.n_trees >= 1, "it has no trees")
        for name, (rows, entries) in described.items():
            positions = getattr(self, name)
            _require(
                len(positions) == rows + 1, f"{name} has {len(positions)} entries for {rows} rows"
            )
            _require(
                positions[0] == 0
                and positions[-1] == entries
                # Compared, not subtracted: differences of hostile numbers overflow.
                and bool((positions[1:] >= positions[:-1]).all()),
                f"{name} does not rise from 0 to {entries}",
            )
        for name, values in (
            ("direction_weights", len(self.direction_weights) == len(self.direction_indices)),
            ("values", len(self.values) == len(self.value_outputs)),
        ):
            _require(values, f"{name} and its column numbers differ in length")

    def _check_nodes(self) -> None:
        n_nodes, n_leaves = np.diff(self.tree_offsets), np.diff(self.leaf_offsets)
        _require(bool((n_nodes == 2 * n_leaves - 1).all()), "a tree has not 2 * leaves - 1 nodes")
        leaf = self.left < 0
        tree = self.node_trees()
        number = -1 - self.left[leaf].astype(np.int64)
        _require(bool((number < n_leaves[tree[leaf]]).all()), "a leaf is that of another tree")
        number = np.sort(self.leaf_offsets[tree[leaf]] + number)
        _require(np.array_equal(number, np.arange(self.n_leaves)), "a leaf number is not used once")
        parents, left = np.flatnonzero(~leaf), self.left[~leaf].astype(np.int64)
        _require(bool((left + 1 < n_nodes[tree[~leaf]]).all()), "a child is that of another tree")
        children = self.tree_offsets[tree[~leaf]] + left
        _require(bool((children > parents).all()), "a node comes before its parent in left")
        reached = np.sort(np.concatenate([self.tree_offsets[:-1], children, children + 1]))
        _require(
            np.array_equal(reached, np.arange(self.n_nodes)), "a node is not the child of one node"
        )
        empty = np.diff(self.direction_indptr) == 0
        _require(np.array_equal(empty, leaf), "a split has no direction, or a leaf has one")
        _require(bool((np.diff(self.member_indptr) > 0).all()), "a leaf has no members")
        _require(bool((np.diff(self.value_indptr) > 0).all()), "a leaf has no values")

    def _n_sums(self) -> int:
        _require(
            len(self.grid_shape) == len(self.grid_contiguous),
            "the axes of the grid differ in number",
        )
        if not len(self.grid_shape):
            return 0
        # Integers of Python, which do not overflow.
        shape: list[int] = self.grid_shape.tolist()
        runs: list[bool] = (self.grid_contiguous > 0).tolist()
        _require(
            min(shape) > 0 and math.prod(shape) == self.n_features,
            "grid_shape has another number of cells than there are features",
        )
        n_sums = math.prod(length + run for length, run in zip(shape, runs, strict=True))
        _require(
            n_sums <= _MOST_SUMS_PER_CELL * self.n_features,
            "grid_shape has too many axes that are too short",
        )
        return n_sums

    def _check_categories(self) -> None:
        counts = self.n_categories
        if not len(counts):
            return
        _require(not len(self.grid_shape), "it has both a grid and categories")
        _require(
            len(counts) == self.n_features,
            f"n_categories has {len(counts)} entries for {self.n_features} features",
        )
        _require(
            bool((counts >= 0).all() and (counts <= MOST_CATEGORIES).all()),
            f"n_categories has entries outside 0 ... {MOST_CATEGORIES}",
        )

    def _check_entries(self) -> None:
        self._check_categories()
        n_columns = self.n_columns
        _require(n_columns <= _LARGEST, "it has more columns than int32 counts")
        for name, limit in (
            ("direction_indices", n_columns),
            ("value_outputs", self.n_outputs),
            ("members", _LARGEST),
        ):
            array = getattr(self, name)
            inside = len(array) == 0 or (array.min() >= 0 and array.max() < limit)
            _require(bool(inside), f"{name} has entries outside 0 ... {limit - 1}")
        for name, indptr in (
            ("direction_indices", self.direction_indptr),
            ("value_outputs", self.value_indptr),
        ):
            _require(_rise(getattr(self, name), indptr), f"{name} has entries that do not rise")
        split = np.diff(self.direction_indptr) > 0
        over_sums = self.direction_indices >= self.n_features
        first, last = self.direction_indptr[:-1][split], self.direction_indptr[1:][split] - 1
        _require(
            len(self.n_categories) > 0 or np.array_equal(over_sums[first], over_sums[last]),
            "a direction is over features and running sums",
        )
        _require(not np.isnan(self.threshold).any(), "threshold has entries that are NaN")
        for name in ("direction_weights", "values", "weight", "impurity"):
            _require(
                bool(np.isfinite(getattr(self, name)).all()),
                f"{name} has entries that are not finite",
            )
        for name in ("weight", "n_samples"):
            _require(bool((getattr(self, name) >= 0).all()), f"{name} has entries below zero")


def _rise(entries: NDArray[np.int32], indptr: NDArray[np.int64]) -> bool:
    """Whether the entries of every row ascend, none of them twice."""
    rises = entries[1:] > entries[:-1]
    starts = indptr[1:-1][(indptr[1:-1] > 0) & (indptr[1:-1] < len(entries))]
    rises[starts - 1] = True
    return bool(rises.all())


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(f"these arrays are not a forest: {otherwise}; grow or load it again.")
