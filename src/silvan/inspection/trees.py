"""What single trees predict."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from silvan.forest_arrays import ForestArrays
from silvan.forests.base import BaseForest
from silvan.forests.classifier import ForestClassifier
from silvan.inspection._checks import check_forest


def tree_predictions(forest: BaseForest, X: ArrayLike) -> NDArray[Any]:
    """Predictions of each tree by itself.

    Parameters
    ----------
    forest : fitted forest
        A classifier or regressor of this library.
    X : array-like of shape (n_samples, n_features)
        Rows.

    Returns
    -------
    predictions : ndarray of shape (n_samples, n_estimators) or (n_samples, n_estimators, n_outputs)
        The class that each tree votes for, or the mean target of its leaf.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ForestClassifier
    >>> from silvan.inspection import tree_predictions
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ForestClassifier(5, random_state=0).fit(X, y)
    >>> tree_predictions(forest, X[[0, 60, 140]])
    array([[0, 0, 0, 0, 0],
           [1, 1, 1, 1, 1],
           [2, 2, 2, 2, 2]])
    """
    check_forest(forest)
    leaves = reached_leaves(forest, forest.fitted_.read(X))
    if isinstance(forest, ForestClassifier):
        labels: NDArray[Any] = forest.classes_[leaf_votes(forest.forest_)[leaves]]
        return labels
    values = leaf_values(forest.forest_).toarray()[leaves]
    return values if forest.n_outputs_ > 1 else values[:, :, 0]


def reached_leaves(forest: BaseForest, rows: NDArray[Any]) -> NDArray[np.int64]:
    """The leaf of each tree that checked rows end in, numbered among the leaves of all trees."""
    arrays = forest.forest_
    nodes = forest.fitted_.nodes(rows)
    leaves: NDArray[np.int64] = (
        arrays.leaf_offsets[:-1] - 1 - arrays.left[arrays.tree_offsets[:-1] + nodes]
    )
    return leaves


def leaf_values(forest: ForestArrays) -> csr_array:
    """Values of the leaves of all trees, of shape (n_leaves, n_outputs)."""
    entries = (forest.values, forest.value_outputs, forest.value_indptr)
    return csr_array(entries, shape=(forest.n_leaves, forest.n_outputs))


def leaf_votes(forest: ForestArrays) -> NDArray[np.int32]:
    """The class that each leaf votes for: that of the largest value, of equal ones the first."""
    largest = np.maximum.reduceat(forest.values, forest.value_indptr[:-1])
    leaf = np.repeat(np.arange(forest.n_leaves), np.diff(forest.value_indptr))
    winners = np.flatnonzero(forest.values == largest[leaf])
    first = np.unique(leaf[winners], return_index=True)[1]
    return forest.value_outputs[winners[first]]
