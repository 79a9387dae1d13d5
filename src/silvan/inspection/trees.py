"""What single trees predict."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from silvan.forests.base import BaseForest
from silvan.forests.classifier import ForestClassifier
from silvan.inspection._checks import check_bagged


def tree_predictions(forest: BaseForest, X: ArrayLike) -> NDArray[Any]:
    """Predictions of each tree by itself.

    Parameters
    ----------
    forest : fitted forest
        A classifier or regressor of this library.
    X : array-like of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    predictions : ndarray of shape (n_samples, n_estimators) or (n_samples, n_estimators, n_outputs)
        The class that each tree votes for, or the mean target of its leaf. If several classes are
        equally probable in a leaf, one of them is drawn, once and for all, from the forest's seed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ForestClassifier
    >>> from silvan.inspection import tree_predictions
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ForestClassifier(5, random_state=0).fit(X, y)
    >>> tree_predictions(forest, X[[0, 60, 140]])
    array([[0, 0, 0, 0, 0],
           [1, 1, 1, 1, 0],
           [2, 2, 2, 2, 2]])
    """
    check_bagged(forest)
    leaves = reached_leaves(forest, forest.fitted_.read(X))
    if isinstance(forest, ForestClassifier):
        labels: NDArray[Any] = forest.classes_[_voted_classes(forest)[leaves]]
        return labels
    values = forest.forest_.leaf_values().toarray()[leaves]
    return values if forest.n_outputs_ > 1 else values[:, :, 0]


def reached_leaves(forest: BaseForest, rows: NDArray[Any]) -> NDArray[np.int64]:
    """The leaf of each tree that checked samples end in, numbered among the leaves of all trees."""
    arrays = forest.forest_
    nodes = forest.fitted_.nodes(rows)
    leaves: NDArray[np.int64] = (
        arrays.leaf_offsets[:-1] - 1 - arrays.left[arrays.tree_offsets[:-1] + nodes]
    )
    return leaves


def _voted_classes(forest: ForestClassifier) -> NDArray[np.int32]:
    """The class that each leaf votes for; of those that share its vote, one at random."""
    votes = forest.forest_.with_votes().leaf_values()
    votes.eliminate_zeros()
    n_shares = np.diff(votes.indptr)
    # The draws of a leaf stay the same as trees are added.
    draws = np.random.default_rng(forest.fitted_.sampling.seed).random(len(n_shares))
    chosen: NDArray[np.int32] = votes.indices[votes.indptr[:-1] + (draws * n_shares).astype(int)]
    return chosen
