"""The region of a leaf: linear splits cut space into convex polytopes (Perry 2020, theorem 1)."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from silvan._validation import check_forest, invalid, is_integer
from silvan.channels import FittedChannels, Raw
from silvan.forests.base import BaseForest


class LeafPolytope(NamedTuple):
    """The region of a leaf as the inequalities ``A @ x <= b``, one for each split above it.

    Parameters
    ----------
    A : csr_array of shape (n_splits, n_features)
        Normals of the splits from the root down; negated for splits whose right side the leaf is
        on.
    b : ndarray of shape (n_splits,)
        Bounds.
    is_open : ndarray of shape (n_splits,)
        True where the inequality is strict, ``A @ x < b``: on the right side of a split.
    """

    A: csr_array
    b: NDArray[np.float64]
    is_open: NDArray[np.bool_]

    def contains(self, X: ArrayLike) -> NDArray[np.bool_]:
        """Whether each sample of `X` lies in the region.

        Sums are rounded as trees round them, to float32 term by term, so that the answer is the
        same. Only forests on grids, which read sums of many cells off running sums, may decide
        otherwise about a sample that lies on a border up to rounding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        inside : ndarray of shape (n_samples,)
            True for the samples in the region.
        """
        samples = np.asarray(X, dtype=np.float32)
        samples = samples.reshape(len(samples), -1) if samples.ndim > 2 else samples
        if samples.ndim != 2 or samples.shape[1] != self.A.shape[1]:
            raise ValueError(
                f"X has shape {samples.shape}, but the region has {self.A.shape[1]} features; "
                "pass a row for each sample, such as X[:1]."
            )
        if np.isnan(samples).any():
            raise ValueError(
                "X has missing values, for which no inequality holds or fails; leave these samples "
                "out."
            )
        inside = np.ones(len(samples), dtype=bool)
        for split, (begin, end) in enumerate(pairwise(self.A.indptr)):
            values = np.zeros(len(samples), dtype=np.float32)
            for feature, coefficient in zip(
                self.A.indices[begin:end], self.A.data[begin:end].astype(np.float32), strict=True
            ):
                values += coefficient * samples[:, feature]
            bound = self.b[split]
            inside &= values < bound if self.is_open[split] else values <= bound
        return inside


def leaf_polytope(forest: BaseForest, tree: int, leaf: int) -> LeafPolytope:
    """The inequalities that hold in a leaf, where splits are linear.

    Every split along a direction bounds a half-space, so a leaf is the intersection of as many
    half-spaces as there are splits above it: a convex polytope [1]_.

    Parameters
    ----------
    forest : fitted forest
        A forest of this library without categories, scaling and channels.
    tree : int
        The number of the tree.
    leaf : int
        The number of the leaf among the nodes of its tree, as `apply` returns it.

    Returns
    -------
    polytope : LeafPolytope
        The inequalities ``A @ x <= b``. Trees project in float32, so a sample that lies on the
        border of a split up to rounding may end on the other side; `contains` rounds as they do.

    References
    ----------
    .. [1] R. Perry. Manifold-aware forests: closing the gap to convolutional neural networks.
       Johns Hopkins University, 2020, theorem 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ForestClassifier
    >>> from silvan.inspection import leaf_polytope
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ForestClassifier(5, random_state=0).fit(X, y)
    >>> leaves = forest.apply(X)
    >>> polytope = leaf_polytope(forest, 0, leaves[0, 0])
    >>> bool((polytope.contains(X) == (leaves[:, 0] == leaves[0, 0])).all())
    True
    """
    check_linear(forest)
    arrays = forest.forest_
    if not (is_integer(tree) and 0 <= tree < arrays.n_trees):
        raise invalid(
            "tree", f"a whole number from 0 to {arrays.n_trees - 1}", tree, "count trees from 0"
        )
    nodes = slice(arrays.tree_offsets[tree], arrays.tree_offsets[tree + 1])
    left, threshold = arrays.left[nodes], arrays.threshold[nodes]
    if not (is_integer(leaf) and 0 <= leaf < len(left) and left[leaf] < 0):
        raise invalid("leaf", f"a leaf of tree {tree}", leaf, "pass an entry of forest.apply(X)")
    splits, signs = _path(left, int(leaf))
    if not np.isfinite(threshold[splits]).all():
        raise ValueError(
            f"leaf {leaf} of tree {tree} lies below a split that separates missing values from "
            "others, which no inequality describes; fit on samples without missing values."
        )
    normals = arrays.directions(tree)[splits].astype(np.float64)
    signed = csr_array(normals.multiply(signs[:, None]))
    signed.sort_indices()
    return LeafPolytope(signed, signs * threshold[splits], signs < 0)


def check_linear(forest: BaseForest) -> None:
    """Require a fitted forest whose splits are linear in the features that `fit` was given."""
    check_forest(forest)
    fitted = forest.fitted_
    if fitted.categories is not None and fitted.categories.has_categories:
        raise ValueError(
            "splits on categories are not half-spaces; regions exist for forests of numbers only."
        )
    if fitted.scaler is not None:
        raise ValueError(
            "the forest scales its features, and splits are half-spaces of the scaled ones; scale "
            "X before fit instead."
        )
    if fitted.channels is not None and not _are_features(fitted.channels):
        raise ValueError(
            "the forest splits on channels, which are no linear functions of the features; regions "
            'exist with channels="raw" only.'
        )


def _are_features(channels: FittedChannels) -> bool:
    """Whether the cells of channels are the features, one by one."""
    n_features = int(np.prod(channels.planes.shape))
    probe = (np.arange(n_features) % 251).astype(channels.dtype)[np.newaxis]
    return all(isinstance(channel, Raw) for channel in channels.channels) and np.array_equal(
        channels.transform(probe), probe
    )


def _path(left: NDArray[np.int32], leaf: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The splits above a leaf from the root down, and +1 or -1 for its side: left or right."""
    parents = np.flatnonzero(left >= 0)
    parent = np.zeros(len(left), dtype=np.intp)
    parent[left[parents]] = parents
    parent[left[parents] + 1] = parents
    splits, signs = [], []
    node = leaf
    while node != 0:
        splits.append(parent[node])
        signs.append(1.0 if left[parent[node]] == node else -1.0)
        node = int(parent[node])
    return np.array(splits[::-1], dtype=np.intp), np.array(signs[::-1])
