"""ForestArrays: the frozen arrays of a forest, and how to read them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from silvan import _core
from silvan._windows import STATISTICS, Window
from silvan.forest_arrays.checks import check_arrays, n_running_sums
from silvan.forest_arrays.joining import join_forests, take_trees
from silvan.forest_arrays.layout import DTYPES


@dataclass(frozen=True, eq=False)
class ForestArrays:
    """The nodes of all trees of a forest, numbered tree by tree.

    With T trees, N nodes and L leaves in all; a node's children come after it.

    Attributes
    ----------
    n_features : int
        Number of features of the samples that the forest reads.
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
        Samples whose projected value is at most the threshold go left; infinite where a split parts
        the samples whose value is missing from all others.
    missing_left : uint8 array of shape (N,)
        1 where samples whose projected value is missing go left.
    direction_indptr, direction_indices, direction_coefficients : arrays
        The direction of each split as a row of a CSR matrix; rows of leaves are empty.
    n_samples : int32 array of shape (N,)
        Number of distinct training samples that reached the node; in an honest forest, here and in
        `weight` and `impurity`, of those that decide splits.
    weight : float64 array of shape (N,)
        Total weight of those samples.
    impurity : float32 array of shape (N,)
        Value of the criterion at the node.
    value_indptr, value_outputs, values : arrays
        Values of each leaf as a row of a CSR matrix with `n_outputs` columns: class probabilities,
        means of the targets, what a boosted tree adds to raw scores, or, without targets, the
        leaf's share of the tree's weight.
    member_indptr, members : arrays
        In-bag training samples of each leaf: those that its values are means of. In an honest
        forest a leaf that none reached has the members of its nearest ancestor. A boosted forest
        keeps no members, nor does one on more than 2**31 - 1 samples (on a cluster).
    grid_shape : int64 array
        Shape of the grid whose running sums directions are over, besides the features: column
        ``n_features + j`` is running sum j. Empty where directions are over features only.
    grid_contiguous : uint8 array
        1 for each axis of the grid that running sums run along.
    n_categories : int64 array
        Number of categories of each feature, 0 for numbers: column ``n_features + j`` is the
        indicator of category j, counted feature after feature, and its coefficient the code of the
        category at the node. Empty where all features are numbers.
    channel_shapes, window_max_size, window_wraps, window_statistics : arrays
        Lengths of the channels along their axes, channel after channel, whose cells the features
        are; the largest size of a window along each axis; 1 for each axis that is a circle; and
        the statistics that windows have, as positions in ("mean", "spread", "slope"). Empty where
        directions are not over windows.
    window_channel, window_box, window_statistic, window_shift, window_scale : arrays
        The windows that directions are over, in the order of their terms: column
        ``n_features + k`` is window k. A box has a start and an end along each axis; a shift r
        stands for the largest mean of the boxes that are moved by -r, 0 or r along each axis, and
        -r for the smallest; the statistic is divided by the scale. `windows` has them as objects.
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
    direction_coefficients: NDArray[np.float32]
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
    channel_shapes: NDArray[np.int64]
    window_max_size: NDArray[np.int64]
    window_wraps: NDArray[np.uint8]
    window_statistics: NDArray[np.uint8]
    window_channel: NDArray[np.int32]
    window_box: NDArray[np.int32]
    window_statistic: NDArray[np.uint8]
    window_shift: NDArray[np.int8]
    window_scale: NDArray[np.float32]

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
        return cls(n_features, n_outputs, **{name: arrays[name] for name in DTYPES})

    def __repr__(self) -> str:
        counts = {
            ("tree", "trees"): self.n_trees,
            ("node", "nodes"): self.n_nodes,
            ("leaf", "leaves"): self.n_leaves,
            ("feature", "features"): self.n_features,
            ("output", "outputs"): self.n_outputs,
            ("byte", "bytes"): self.nbytes,
        }
        counted = [f"{n:,} {one if n == 1 else many}" for (one, many), n in counts.items()]
        return f"<ForestArrays: {', '.join(counted)}>"

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

        These are the features, and after them running sums of the grid, indicators of categories
        or windows.
        """
        n_indicators: int = sum(self.n_categories.tolist())
        return self.n_features + n_running_sums(self) + n_indicators + self.n_windows

    @property
    def n_windows(self) -> int:
        """Number of windows that directions are over; 0 without channels."""
        return len(self.window_channel)

    @property
    def nbytes(self) -> int:
        """Memory of all arrays, in bytes."""
        return sum(int(getattr(self, name).nbytes) for name in DTYPES)

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

        A column per feature. The coefficient of a categorical feature is the root mean square of
        the codes of its categories at the node; `stored_directions` has them all.
        """
        self._check_linear()
        return self._written(_core.expand_directions, tree)

    def shares(self, tree: int | None = None) -> csr_array:
        """What the features have to do with each direction: its absolute coefficients.

        As `directions` gives them, but for windows: the coefficient of each is divided evenly among
        the cells that it reads, those of shifted boxes included, whatever its statistic.
        """
        shares = self._written(_core.share_directions, tree)
        shares.data = np.abs(shares.data)
        return shares

    def _written(self, write: Callable[..., Any], tree: int | None) -> csr_array:
        """Directions over the features, as the core writes them."""
        indptr, indices, coefficients = self._stored_entries(tree)
        if self.n_columns > self.n_features:
            indptr, indices, coefficients = write(
                self._columns(),
                self.n_features,
                indptr,
                indices,
                coefficients,
                self._window_table(),
            )
        return csr_array((coefficients, indices, indptr), shape=(len(indptr) - 1, self.n_features))

    def _check_linear(self) -> None:
        """Refuse windows whose values are not sums of cells."""
        for name, found in (
            ("spreads of windows", self.window_statistic == STATISTICS.index("spread")),
            ("shifts of windows", self.window_shift != 0),
        ):
            if found.any():
                raise ValueError(
                    f"directions must be linear to be written over the features, but {name} "
                    "are not; read them from `windows`, or grow the forest on means and slopes "
                    "without shifts."
                )

    def stored_directions(self, tree: int | None = None) -> csr_array:
        """The same as trees keep them, over all `n_columns` columns."""
        indptr, indices, coefficients = self._stored_entries(tree)
        return csr_array((coefficients, indices, indptr), shape=(len(indptr) - 1, self.n_columns))

    def _stored_entries(
        self, tree: int | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
        first, last = (0, self.n_trees) if tree is None else (tree, tree + 1)
        indptr = self.direction_indptr[self.tree_offsets[first] : self.tree_offsets[last] + 1]
        entries = slice(indptr[0], indptr[-1])
        return (
            indptr - indptr[0],
            self.direction_indices[entries],
            self.direction_coefficients[entries],
        )

    def column_features(self, columns: NDArray[np.int32]) -> NDArray[np.int32]:
        """The feature that each column is, or whose category it indicates."""
        ends = self.n_features + np.cumsum(self.n_categories)
        belongs = np.searchsorted(ends, columns, side="right").astype(np.int32)
        return np.where(columns < self.n_features, columns, belongs)

    def _columns(self) -> _core.ColumnDescription:
        return _core.ColumnDescription(
            self.grid_shape.tolist(),
            self.grid_contiguous.tolist(),
            self.n_categories.tolist(),
            _core.WindowDescription(
                self.channel_shapes.tolist(),
                self.window_max_size.tolist(),
                self.window_wraps.tolist(),
                self.window_statistics.tolist(),
            ),
        )

    def _window_table(self) -> _core.WindowTable:
        return _core.WindowTable(
            self.window_channel,
            self.window_box,
            self.window_statistic,
            self.window_shift,
            self.window_scale,
            len(self.window_max_size),
        )

    def windows(self, node: int) -> list[tuple[float, Window]]:
        """The coefficients and windows of a node's direction; empty where it is over features."""
        terms = range(*self.direction_indptr[node : node + 2].tolist())
        found = []
        for term in terms:
            k = int(self.direction_indices[term]) - self.n_features
            if k >= 0 and self.n_windows:
                found.append((float(self.direction_coefficients[term]), self._window(k)))
        return found

    def _window(self, k: int) -> Window:
        axes = len(self.window_max_size)
        box = self.window_box[2 * axes * k : 2 * axes * (k + 1)].tolist()
        statistic = STATISTICS[int(self.window_statistic[k])]
        return Window(
            int(self.window_channel[k]),
            tuple(box[::2]),
            tuple(box[1::2]),
            statistic,
            int(self.window_shift[k]),
            float(self.window_scale[k]),
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
        return take_trees(self, number, number + 1)

    def trees(self, first: int, last: int) -> ForestArrays:
        """Trees ``first`` to ``last - 1`` as a forest of their own."""
        return take_trees(self, first, last)

    def append(self, other: ForestArrays) -> ForestArrays:
        """The trees of this forest followed by those of `other`."""
        return join_forests([self, other])

    def check(self) -> ForestArrays:
        """Verify that the arrays describe a forest; raise a ValueError that names what is wrong.

        Takes one pass over the arrays. Returns the forest itself.
        """
        check_arrays(self)
        return self
