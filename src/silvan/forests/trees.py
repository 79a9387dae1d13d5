"""Single trees of a forest, as scikit-learn has them: views, made when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from silvan.forest_arrays import ForestArrays
from silvan.forest_arrays.pruning import children_of, nodes_by_level
from silvan.forests.fitting import TreeSeed
from silvan.forests.importances import credit_features, split_gains
from silvan.forests.sample_numbers import number_type

if TYPE_CHECKING:
    from silvan.forests.bagged_supervised import BaggedSupervisedForest

# What scikit-learn writes where there is no child or no feature.
_NO_CHILD = -1
_NO_FEATURE = -2


class TreeSequence(Sequence["BaggedSupervisedForest"]):
    """The trees of a forest, each as a forest of its own that shares the arrays.

    Parameters
    ----------
    forest : ForestClassifier or ForestRegressor
        A fitted forest.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ForestClassifier(5, random_state=0).fit(X, y)
    >>> len(forest.estimators_), forest.estimators_[0].get_depth() > 1
    (5, True)
    >>> sum(tree.predict_proba(X) for tree in forest) / 5 - forest.predict_proba(X) < 1e-12
    array([[ True,  True,  True], ...
    """

    def __init__(self, forest: BaggedSupervisedForest) -> None:
        self._forest = forest

    def __len__(self) -> int:
        return self._forest.forest_.n_trees

    @overload
    def __getitem__(self, index: int) -> BaggedSupervisedForest: ...
    @overload
    def __getitem__(self, index: slice) -> list[BaggedSupervisedForest]: ...
    def __getitem__(self, index: Any) -> Any:
        numbers = _tree_numbers(len(self), index)
        if isinstance(numbers, range):
            return [take_tree(self._forest, number) for number in numbers]
        return take_tree(self._forest, numbers)

    def __repr__(self) -> str:
        return f"<{len(self)} trees of a {type(self._forest).__name__}>"


class SampleSequence(Sequence[NDArray[np.integer[Any]]]):
    """The samples that each tree drew, as often as it drew them; drawn again when asked for."""

    def __init__(self, forest: BaggedSupervisedForest) -> None:
        self._sampling = forest._sampling
        self._n_trees = forest.forest_.n_trees

    def __len__(self) -> int:
        return self._n_trees

    @overload
    def __getitem__(self, index: int) -> NDArray[np.integer[Any]]: ...
    @overload
    def __getitem__(self, index: slice) -> list[NDArray[np.integer[Any]]]: ...
    def __getitem__(self, index: Any) -> Any:
        numbers = _tree_numbers(len(self), index)
        if isinstance(numbers, range):
            return [self._draw(number) for number in numbers]
        return self._draw(numbers)

    def copy(self) -> list[NDArray[np.integer[Any]]]:
        """The samples of all trees as a list, which scikit-learn's forests have."""
        return list(self)

    def __repr__(self) -> str:
        return f"<samples of {len(self)} trees>"

    @cached_property
    def _samples(self) -> NDArray[np.integer[Any]]:
        """The numbers of the samples that take part, in the order of multiplicities."""
        n_kept = self._sampling.plan.n_kept
        return self._sampling.sample_numbers(np.arange(n_kept, dtype=number_type(n_kept)))

    def _draw(self, tree: int) -> NDArray[np.integer[Any]]:
        return np.repeat(self._samples, self._sampling.multiplicities(tree))


def _tree_numbers(n_trees: int, index: Any) -> Any:
    """The number of a tree, or those of a slice, counted from the first."""
    try:
        return range(n_trees)[index]
    except IndexError:
        message = f"tree {index} is not one of the {n_trees} trees of the forest"
        raise IndexError(message) from None


def take_tree(forest: BaggedSupervisedForest, number: int) -> BaggedSupervisedForest:
    """One tree as a fitted forest; a clone of it grows such a tree on the samples it is given."""
    sampling = forest._sampling
    tree = copy(forest)
    for name in ("_importances", "oob_score_", "oob_decision_function_", "oob_prediction_"):
        tree.__dict__.pop(name, None)
    tree.n_estimators = 1
    tree.bootstrap = False
    tree.max_samples = None
    tree.oob_score = False
    tree.warm_start = False
    tree.random_state = TreeSeed(sampling.seed, sampling.first_tree + number)  # type: ignore[assignment]
    tree.forest_ = forest.forest_.tree(number)
    tree._sampling = replace(sampling, first_tree=sampling.first_tree + number)
    return tree


def decision_paths(forest: ForestArrays, leaves: NDArray[np.int32]) -> csr_array:
    """Which nodes of all trees each sample passes, from the leaves that it ends in."""
    parents = _parents(forest)
    node = (leaves + forest.tree_offsets[:-1]).ravel()
    sample = np.repeat(np.arange(len(leaves)), forest.n_trees)
    rows, columns = [], []
    while len(node):
        rows.append(sample)
        columns.append(node)
        node = parents[node]
        inside = node >= 0
        node, sample = node[inside], sample[inside]
    rows_of, columns_of = np.concatenate(rows), np.concatenate(columns)
    entries = (np.ones(len(rows_of), dtype=np.int64), (rows_of, columns_of))
    paths = csr_array(entries, shape=(len(leaves), forest.n_nodes))
    paths.sort_indices()
    return paths


def _parents(forest: ForestArrays) -> NDArray[np.int64]:
    """The parent of each node among the nodes of all trees, -1 at roots."""
    parents = np.full(forest.n_nodes, -1, dtype=np.int64)
    children = children_of(forest)
    inner = np.flatnonzero(children >= 0)
    parents[children[inner]] = parents[children[inner] + 1] = inner
    return parents


class TreeNodes:
    """The nodes of one tree under the names that scikit-learn gives to those of its trees.

    Nodes are numbered as `apply` numbers them. A split along several features has the first of them
    as its `feature`; ``forest_`` has whole directions.
    """

    def __init__(self, tree: BaggedSupervisedForest) -> None:
        self._tree = tree
        self._arrays = tree.forest_

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return self._arrays.n_nodes

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self._arrays.n_leaves

    @property
    def max_depth(self) -> int:
        """Largest number of splits between the root and a leaf."""
        return int(self._arrays.depth()[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self._arrays.n_features

    @property
    def n_outputs(self) -> int:
        """Number of outputs."""
        return self._tree.n_outputs_

    @property
    def n_classes(self) -> NDArray[np.int64]:
        """Number of classes of each output; 1 for each of a regression."""
        ones = np.ones(self.n_outputs, dtype=np.int64)
        return np.atleast_1d(np.asarray(getattr(self._tree, "n_classes_", ones)))

    @property
    def max_n_classes(self) -> int:
        """The largest of them."""
        return int(self.n_classes.max())

    @property
    def children_left(self) -> NDArray[np.int64]:
        """The left child of each node, -1 at leaves."""
        return np.maximum(self._arrays.left, _NO_CHILD).astype(np.int64)

    @property
    def children_right(self) -> NDArray[np.int64]:
        """The right child of each node, -1 at leaves."""
        left = self._arrays.left
        return np.where(left >= 0, left + 1, _NO_CHILD).astype(np.int64)

    @property
    def feature(self) -> NDArray[np.int64]:
        """The first feature of each direction, -2 at leaves."""
        directions = self._arrays.shares()
        first = np.full(self.node_count, _NO_FEATURE, dtype=np.int64)
        filled = np.diff(directions.indptr) > 0
        first[filled] = directions.indices[directions.indptr[:-1][filled]]
        return first

    @property
    def threshold(self) -> NDArray[np.float64]:
        """Values up to it go left; -2 at leaves."""
        leaf = self._arrays.left < 0
        return np.where(leaf, float(_NO_FEATURE), self._arrays.threshold.astype(np.float64))

    @property
    def missing_go_to_left(self) -> NDArray[np.uint8]:
        """1 where missing values go left."""
        return self._arrays.missing_left

    @property
    def n_node_samples(self) -> NDArray[np.int64]:
        """Number of distinct training samples in each node."""
        return self._arrays.n_samples.astype(np.int64)

    @property
    def weighted_n_node_samples(self) -> NDArray[np.float64]:
        """Their total weight."""
        return self._arrays.weight

    @property
    def impurity(self) -> NDArray[np.float64]:
        """The criterion's value at each node."""
        return self._arrays.impurity.astype(np.float64)

    @cached_property
    def value(self) -> NDArray[np.float64]:
        """Values of the nodes, (n_nodes, n_outputs, n_classes or 1): those of a split are means.

        Zeros fill up outputs that have fewer classes than others.
        """
        forest, children = self._arrays, children_of(self._arrays)
        flat = np.zeros((forest.n_nodes, forest.n_outputs))
        leaf = forest.left < 0
        flat[leaf] = forest.leaf_values().toarray()[-1 - forest.left[leaf]]
        for level in reversed(nodes_by_level(forest, children)):
            inner = level[children[level] >= 0]
            left = children[inner]
            share = (forest.weight[left] / (forest.weight[left] + forest.weight[left + 1]))[:, None]
            flat[inner] = share * flat[left] + (1.0 - share) * flat[left + 1]
        value = np.zeros((forest.n_nodes, self.n_outputs, self.max_n_classes))
        parts = np.split(flat, np.cumsum(self.n_classes)[:-1], axis=1)
        for k, part in enumerate(parts):
            value[:, k, : part.shape[1]] = part
        return value

    def apply(self, X: ArrayLike) -> NDArray[np.int64]:
        """The leaf that each sample ends in."""
        return self._tree.apply(X)[:, 0].astype(np.int64)

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """The value of the leaf of each sample, without the axis of outputs where there is one."""
        values: NDArray[np.float64] = self.value[self.apply(X)]
        return values[:, 0] if self.n_outputs == 1 else values

    def decision_path(self, X: ArrayLike) -> csr_array:
        """Which nodes each sample passes."""
        return decision_paths(self._arrays, self._tree.apply(X))

    def compute_feature_importances(self, normalize: bool = True) -> NDArray[np.float64]:
        """Decrease of impurity by the splits along each feature, times the share of the weight."""
        if normalize:
            return self._tree.feature_importances_
        gains = split_gains(self._arrays)[:, None] / self._arrays.weight[0]
        spreads = self._tree.fitted_.credit_spreads
        return credit_features(self._arrays, lambda _: gains, spreads)[:, 0]


class TreesMixin:
    """What scikit-learn's forests offer of their trees."""

    forest_: ForestArrays

    @property
    def estimators_(self: Any) -> TreeSequence:
        """The trees, each as a forest of one tree that shares the arrays."""
        if not hasattr(self, "forest_"):
            raise AttributeError(f"a {type(self).__name__} has no trees before fit")
        return TreeSequence(self)

    @property
    def estimators_samples_(self: Any) -> SampleSequence:
        """The samples that each tree drew, as often as it drew them."""
        if not hasattr(self, "forest_"):
            raise AttributeError(f"a {type(self).__name__} has no trees before fit")
        return SampleSequence(self)

    def __len__(self: Any) -> int:
        return self.forest_.n_trees if hasattr(self, "forest_") else 0

    def __getitem__(self: Any, index: int) -> Any:
        return self.estimators_[index]

    def __iter__(self: Any) -> Iterator[Any]:
        return iter(self.estimators_)

    def decision_path(self: Any, X: ArrayLike) -> tuple[csr_array, NDArray[np.int64]]:
        """Which nodes each sample passes on its way down the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        indicator : csr_array of shape (n_samples, n_nodes)
            1 where a sample passes a node; the nodes of a tree follow those of the tree before.
        n_nodes_ptr : ndarray of shape (n_estimators + 1,)
            The first node of each tree, and the number of nodes.
        """
        paths = decision_paths(self.forest_, self.apply(X))
        return paths, self.forest_.tree_offsets.copy()

    @property
    def tree_(self: Any) -> TreeNodes:
        """The nodes of a forest of one tree, under scikit-learn's names."""
        if not hasattr(self, "forest_") or self.forest_.n_trees != 1:
            raise AttributeError(
                "only a forest of one tree has tree_; take one of forest.estimators_, or read all "
                "trees from forest.forest_"
            )
        return TreeNodes(self)

    def get_depth(self: Any) -> int:
        """Largest depth of a tree: the number of splits between its root and a leaf."""
        return int(self.forest_.depth().max())

    def get_n_leaves(self: Any) -> int:
        """Number of leaves of all trees."""
        return int(self.forest_.n_leaves)
