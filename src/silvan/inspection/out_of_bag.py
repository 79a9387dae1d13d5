"""Which samples each tree left out, and the error on them as the forest grows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from silvan.forests.base import BaseForest
from silvan.forests.classifier import ForestClassifier
from silvan.forests.weights import sample_blocks
from silvan.inspection._checks import check_bagged, check_training_samples
from silvan.inspection.trees import reached_leaves


def out_of_bag_mask(forest: BaseForest) -> NDArray[np.bool_]:
    """Which training samples each tree did not draw.

    Parameters
    ----------
    forest : fitted forest
        A classifier or regressor of this library.

    Returns
    -------
    mask : ndarray of shape (n_samples, n_estimators)
        True where the tree did not draw the sample. False for samples of weight zero, which no tree
        may draw and which no out-of-bag estimate counts.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ForestClassifier
    >>> import numpy as np
    >>> from silvan.inspection import out_of_bag_mask
    >>> forest = ForestClassifier(50, random_state=0).fit(*load_iris(return_X_y=True))
    >>> mask = out_of_bag_mask(forest)
    >>> mask.shape
    (150, 50)
    >>> bool(abs(mask.mean() - np.exp(-1)) < 0.02)
    True
    """
    check_bagged(forest)
    packed = _pack_mask(forest)
    return np.unpackbits(packed, axis=1, count=forest.forest_.n_trees).view(np.bool_)


def out_of_bag_curve(forest: BaseForest, X: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
    """Out-of-bag error of the first tree, the first two, and so on to the whole forest.

    Parameters
    ----------
    forest : fitted forest
        A classifier or regressor of this library.
    X : array-like of shape (n_samples, n_features)
        The samples that the forest was fitted on.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Their targets.

    Returns
    -------
    errors : ndarray of shape (n_estimators,)
        Share of samples that the trees that left them out classify wrongly, or mean squared error
        of a regressor. Samples that all of the first trees drew do not count yet; NaN if there are
        no others. The forest's `voting` decides how trees are combined. The last entry of a
        classifier is ``1 - oob_score_``.

    Examples
    --------
    >>> from silvan import ForestClassifier
    >>> from silvan.datasets import make_trunk
    >>> from silvan.inspection import out_of_bag_curve
    >>> X, y = make_trunk(500, random_state=0)
    >>> forest = ForestClassifier(100, oob_score=True, random_state=0).fit(X, y)
    >>> errors = out_of_bag_curve(forest, X, y)
    >>> bool(errors[0] > errors[99]), bool(abs(errors[99] - (1 - forest.oob_score_)) < 1e-12)
    (True, True)
    """
    check_bagged(forest)
    losses, counts = np.zeros(forest.forest_.n_trees), np.zeros(forest.forest_.n_trees)
    classify = isinstance(forest, ForestClassifier)
    values = forest.fitted_.voting_arrays.leaf_values()
    for block in out_of_bag_blocks(forest, X, y):
        n_samples = len(block.y)
        sums = np.zeros((n_samples, forest.forest_.n_outputs))
        n_votes, loss = np.zeros(n_samples), np.zeros(n_samples)
        for tree in range(len(losses)):
            rows = np.flatnonzero(block.out[:, tree])
            leaves = block.leaves[rows, tree]
            n_votes[rows] += 1
            sums[rows] += values[leaves].toarray()
            # Only the samples that this tree votes on have a new prediction.
            if classify:
                loss[rows] = sums[rows].argmax(axis=1) != block.y[rows]
            else:
                gaps = sums[rows] / n_votes[rows, None] - block.y[rows]
                loss[rows] = (gaps**2).mean(axis=1)
            losses[tree] += loss.sum()
            counts[tree] += np.count_nonzero(n_votes)
    errors = np.full(len(losses), np.nan)
    np.divide(losses, counts, out=errors, where=counts > 0)
    return errors


class OutOfBagBlock(NamedTuple):
    """Some training samples, the leaves that they end in, and the trees that did not draw them."""

    y: NDArray[Any]  # encoded targets
    leaves: NDArray[np.int64]  # (n_samples, n_trees), numbered among the leaves of all trees
    out: NDArray[np.bool_]  # (n_samples, n_trees)


def out_of_bag_blocks(forest: BaseForest, X: ArrayLike, y: ArrayLike) -> Iterator[OutOfBagBlock]:
    """The training samples of a fitted forest, as many at once as fit in bounded memory."""
    rows, targets = check_training_samples(forest, X, y)
    packed = _pack_mask(forest)
    arrays = forest.forest_
    if not packed.any():
        raise ValueError(
            "no tree left out a sample, so nothing is out of bag; fit with bootstrap=True, "
            "or with max_samples below the number of samples."
        )
    # A leaf number has eight bytes, a node's four, the mask one.
    for block in sample_blocks(len(rows), 2 * arrays.n_trees + arrays.n_outputs):
        out = np.unpackbits(packed[block], axis=1, count=arrays.n_trees).view(np.bool_)
        yield OutOfBagBlock(targets[block], reached_leaves(forest, rows[block]), out)


def _pack_mask(forest: BaseForest) -> NDArray[np.uint8]:
    """The mask of samples and trees, a bit each; its rows are those of the training data."""
    sampling, n_trees = forest.fitted_.sampling, forest.forest_.n_trees
    packed = np.zeros((sampling.plan.n_samples, (n_trees + 7) // 8), dtype=np.uint8)
    rows = slice(None) if sampling.plan.kept is None else sampling.plan.kept
    for first in range(0, n_trees, 8):
        trees = range(first, min(first + 8, n_trees))
        out = np.column_stack([sampling.multiplicities(tree) == 0 for tree in trees])
        packed[rows, first // 8] = np.packbits(out, axis=1)[:, 0]
    return packed
