"""Predictions taken apart: how much each feature moved each of them.

The prediction of a tree for a sample is the value of its root plus the changes of value from node
to node on the way to the leaf. A split's change is shared among the features of its direction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from silvan._validation import check_predictor
from silvan.forest_arrays import ForestArrays
from silvan.forests.base import BaseForest
from silvan.forests.importances import direction_shares, splits_by_level


class Contributions(NamedTuple):
    """Parts of predictions; the bias and the sum over the features are the prediction.

    Attributes
    ----------
    bias : ndarray of shape (n_outputs,), or float
        The mean over the trees of the values of their roots: what the forest predicts before it
        looks at a sample. Of a boosted forest, their sum and the start. A float for regressors of
        one output.
    values : ndarray of shape (n_samples, n_features, n_outputs), or (n_samples, n_features)
        The part of each feature in each prediction. The outputs are the classes of a classifier.
        Regressors of one output, and boosted forests of two classes, have no axis for them.
    """

    bias: NDArray[np.float64] | float
    values: NDArray[np.float64]

    def __repr__(self) -> str:
        """The sizes; the numbers of many samples say nothing."""
        bias = np.array2string(np.asarray(self.bias), precision=4, threshold=6)
        return f"Contributions(bias={bias}, values=<array of shape {self.values.shape}>)"


def feature_contributions(forest: BaseForest, X: ArrayLike) -> Contributions:
    """Parts of the features in each prediction of a forest [1]_.

    A node's value is the weighted mean of the leaves below it. On its way down a tree a sample goes
    from the root's value to the value of its leaf; each split on the way changes it by the
    difference between child and node. The change is shared among the features of the split's
    direction in proportion to their absolute coefficients, as in `feature_importances_`, and shares
    are averaged over the trees. A patch shares its changes equally among its cells, and so does a
    window on a channel; what a cell of a channel gets goes on to the values that it is computed
    from.

    The parts add up: ``bias + values.sum(axis=1)`` is `predict_proba` of a classifier and
    `predict` of a regressor, but for rounding. Of a boosted forest it is the raw score, the
    `decision_function` of a classifier; with a link such as the logarithm of "poisson", `predict`
    is a function of it. With two classes positive parts then speak for ``classes_[1]`` and negative
    ones for ``classes_[0]``.

    Parameters
    ----------
    forest : fitted forest
        A classifier or regressor of this library.
    X : array-like of shape (n_samples, n_features)
        Samples; those of a manifold forest may have the shape of its grid.

    Returns
    -------
    contributions : Contributions
        ``bias`` and ``values``.

    See Also
    --------
    silvan.plotting.ContributionDisplay : Draws them in the shape of the data.
    silvan.inspection.importance_map : What the forest looks at over all samples.

    Notes
    -----
    These are contributions along the paths that samples take, not Shapley values: a feature that no
    split on the path uses has none, and splits near the root count before those below them. They
    say how the forest arrived at its prediction, not what would happen if a feature changed.

    The shares follow the coefficients and not the values of a sample. A share of ``|w_i x_i|``
    would depend on where a feature has its zero, and give nothing to a dark pixel whose darkness
    decided.

    Time grows with samples, trees and depth, memory with samples, features and outputs.

    References
    ----------
    .. [1] A. Palczewska, J. Palczewski, R. M. Robinson, D. Neagu. Interpreting random forest
       classification models using a feature contribution method. Integration of Reusable Systems,
       2014.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_diabetes
    >>> from silvan import ForestRegressor
    >>> from silvan.explanations import feature_contributions
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = ForestRegressor(50, random_state=0).fit(X, y)
    >>> bias, values = feature_contributions(forest, X[:5])
    >>> values.shape
    (5, 10)
    >>> np.allclose(bias + values.sum(axis=1), forest.predict(X[:5]))
    True
    """
    check_predictor(forest)
    nodes = forest.apply(X)
    fitted = forest.fitted_
    arrays = fitted.voting_arrays
    bias = np.zeros(arrays.n_outputs)
    channels = forest.fitted_.channels
    n_features = fitted.n_features
    values = np.zeros((len(nodes), n_features, arrays.n_outputs))
    for tree in range(arrays.n_trees):
        means = node_values(arrays, tree)
        bias += means[0]
        leaves, place = np.unique(nodes[:, tree], return_inverse=True)
        shares = direction_shares(arrays.shares(tree), fitted.credit_spreads)
        for output, parts in enumerate(_parts_of_leaves(arrays, tree, leaves, means, shares)):
            dense = parts.toarray()
            if channels is not None:
                dense = channels.credit_on_grid(dense).reshape(len(leaves), n_features)
            values[:, :, output] += dense[place]
    start = forest.fitted_.start
    if start is None:
        bias /= arrays.n_trees
        values /= arrays.n_trees
    else:
        bias += start
    if arrays.n_outputs == 1 and (start is not None or not hasattr(forest, "classes_")):
        return Contributions(float(bias[0]), values[:, :, 0])
    return Contributions(bias, values)


def node_values(forest: ForestArrays, tree: int) -> NDArray[np.float64]:
    """Value of each node of a tree: that of a leaf, or the weighted mean of the leaves below.

    Of shape (n_nodes, n_outputs).
    """
    nodes = slice(*forest.tree_offsets[tree : tree + 2])
    left, weight = forest.left[nodes], forest.weight[nodes]
    leaf = left < 0
    values = np.zeros((len(left), forest.n_outputs))
    values[leaf] = forest.leaf_values(tree).toarray()[-1 - left[leaf]]
    for level in reversed(splits_by_level(left)):
        children = np.stack([left[level], left[level] + 1])
        shares = weight[children]
        # Nodes without weight count alike.
        shares = np.where(shares.sum(axis=0) > 0, shares, 1.0)
        values[level] = np.einsum("ci,cio->io", shares / shares.sum(axis=0), values[children])
    return values


def _parts_of_leaves(
    forest: ForestArrays,
    tree: int,
    leaves: NDArray[np.int32],
    means: NDArray[np.float64],
    shares: csr_array,
) -> list[csr_array]:
    """Parts of the features in the values of some leaves: for each output a row per leaf."""
    left = forest.left[slice(*forest.tree_offsets[tree : tree + 2])]
    splits = np.flatnonzero(left >= 0)
    parent = np.full(len(left), -1)
    parent[left[splits]] = parent[left[splits] + 1] = splits
    # One step up from all leaves at a time: which leaf, which split, how much it changed.
    rows, columns, changes = [], [], []
    row, node = np.arange(len(leaves)), leaves
    while len(row := row[parent[node] >= 0]):
        node = node[parent[node] >= 0]
        above = parent[node]
        rows.append(row)
        columns.append(above)
        changes.append(means[node] - means[above])
        node = above
    if not rows:
        return [csr_array((len(leaves), forest.n_features))] * forest.n_outputs
    places = (np.concatenate(rows), np.concatenate(columns))
    change = np.concatenate(changes)
    shape = (len(leaves), len(left))
    return [csr_array((change[:, k], places), shape=shape) @ shares for k in range(change.shape[1])]
