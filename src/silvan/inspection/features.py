"""How often and how well the splits of a forest use each feature."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier

from silvan._validation import (
    check_choice,
    check_flag,
    check_forest,
    check_one_output,
    invalid,
    is_number,
)
from silvan.forest_arrays import ForestArrays
from silvan.forests.base import BaseForest
from silvan.forests.categories import as_numbers
from silvan.forests.grid import GridForest, flatten_samples
from silvan.forests.importances import (
    class_gains,
    class_weights,
    credit_features,
    gain_credit,
    share,
)
from silvan.projections import Patches
from silvan.projections.mixture import find_component

__all__ = ["background_share", "grid_of", "importance_map", "projection_counts"]

KINDS = ("counts", "gain")


def projection_counts(
    forest: BaseForest, *, normalize: bool = False
) -> NDArray[np.int64] | NDArray[np.float64]:
    """How often each feature is in the direction of a split: the counts π_k of [1]_.

    π_k is the number of splits, in all trees, whose direction has a nonzero coefficient for feature
    k. A direction of several features counts for each of them.

    Parameters
    ----------
    forest : fitted forest
        A classifier or regressor of this library.
    normalize : bool, default=False
        Whether to divide the counts by their sum.

    Returns
    -------
    counts : ndarray of shape (n_features,)
        Whole numbers, or shares that sum to 1 (zero for a forest without splits).

    References
    ----------
    .. [1] R. Perry et al. Manifold forests: closing the gap on neural networks, section 3.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ForestClassifier
    >>> from silvan.inspection import projection_counts
    >>> forest = ForestClassifier(20, random_state=0).fit(*load_iris(return_X_y=True))
    >>> counts = projection_counts(forest)
    >>> int(counts.sum()) == forest.forest_.directions().nnz
    True
    """
    check_forest(forest)
    check_flag("normalize", normalize)
    if forest.fitted_.channels is not None:
        raise ValueError(
            "projection_counts counts the features of directions, but those of this forest are "
            "windows on channels; use importance_map, or grow the forest with "
            'channels="raw".'
        )
    arrays = forest.forest_
    counts = np.zeros(arrays.n_features, dtype=np.int64)
    for tree in range(arrays.n_trees):
        counts += np.bincount(arrays.shares(tree).indices, minlength=arrays.n_features)
    return share(counts.astype(np.float64)) if normalize else counts


@overload
def importance_map(
    forest: BaseForest,
    kind: str = "counts",
    *,
    per_class: bool = False,
    by_channel: Literal[False] = False,
    shape: int | Sequence[int] | None = None,
) -> NDArray[np.float64]: ...


@overload
def importance_map(
    forest: BaseForest,
    kind: str = "counts",
    *,
    per_class: bool = False,
    by_channel: Literal[True],
    shape: int | Sequence[int] | None = None,
) -> dict[str, NDArray[np.float64]]: ...


def importance_map(
    forest: BaseForest,
    kind: str = "counts",
    *,
    per_class: bool = False,
    by_channel: bool = False,
    shape: int | Sequence[int] | None = None,
) -> NDArray[np.float64] | dict[str, NDArray[np.float64]]:
    """Importance of the features in the shape of the data.

    The windows of a forest with channels credit the cells in them, and each cell credits the values
    that it is computed from: two neighbours for a difference, the whole series for a spectrum.

    Parameters
    ----------
    forest : fitted forest
        A classifier or regressor of this library.
    kind : {"counts", "gain"}, default="counts"
        What a split credits to its features:

        - ``"counts"``: one to each feature of its direction, as `projection_counts` [1]_, but for
          features that are constant where directions are `UnitFree`.
        - ``"gain"``: its decrease of impurity, spread over the features in proportion to their
          absolute coefficients, as the forest's `feature_importances_` [2]_.
    per_class : bool, default=False
        Whether to divide the credit of each split among the classes; only for classifiers. The maps
        of the classes add up to the whole map.

        - A count goes to the classes in proportion to their weight among the samples that reach the
          split: class c's map shows where its samples are looked at.
        - Impurity is a sum over the classes, of p(1 - p) for Gini and -p log p for entropy, where p
          is the class's share in the node. Its decrease goes to the classes term by term, and no
          term ever increases: class c's map shows what separates it from the rest. With two classes
          and Gini the two terms are the same, and so are the maps.

        Trees of a boosted forest are each grown for a class, and credit their splits to it.
    by_channel : bool, default=False
        Whether to return a map for each array of the forest's channels, in its own shape; the map
        of a spectrum is over frequency. Only for forests with channels.
    shape : int or tuple of int, default=None
        Shape of the map; its product is the number of features. None is the shape of the forest's
        grid if it has one (see `grid_of`), and otherwise (n_features,).

    Returns
    -------
    importance : ndarray of the given shape, or of shape (n_classes, ...) if `per_class`
        All values together sum to 1 (0 for a forest without splits). With `by_channel` a dictionary
        of these by the names of the arrays; all of them together sum to 1.

    References
    ----------
    .. [1] R. Perry et al. Manifold forests: closing the gap on neural networks, section 3.2.
    .. [2] L. Breiman et al. Classification and regression trees, 1984, section 5.3.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from silvan import ManifoldForestClassifier
    >>> from silvan.inspection import importance_map
    >>> digits = load_digits()
    >>> forest = ManifoldForestClassifier(20, random_state=0).fit(digits.images, digits.target)
    >>> importance_map(forest).shape
    (8, 8)
    >>> importance_map(forest, "gain", per_class=True).sum(axis=(1, 2)).round(1)
    array([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
    """
    check_forest(forest)
    check_choice("kind", kind, KINDS)
    check_flag("per_class", per_class)
    if per_class:
        _check_classes(forest)
    check_flag("by_channel", by_channel)
    channels = forest.fitted_.channels
    if by_channel and channels is None:
        raise invalid(
            "by_channel",
            "False for a forest without channels",
            by_channel,
            'leave it out, or fit a manifold forest with channels="auto"',
        )
    shape = map_shape(forest, shape)
    credit = _credit(forest, kind, per_class)
    spreads = forest.fitted_.credit_spreads
    importance = share(credit_features(forest.forest_, credit, spreads, by_weight=kind == "gain")).T
    if by_channel and channels is not None:
        layout = channels.layout
        cells = [importance[:, layout.cells(k)] for k in range(layout.n_channels)]
        parts = [part.reshape(-1, *shape) for part, shape in zip(cells, layout.shapes, strict=True)]
        maps = parts if per_class else [part[0] for part in parts]
        return dict(zip(forest.fitted_.channel_names, maps, strict=True))
    if channels is not None:
        importance = channels.credit_on_grid(importance)
    return importance.reshape(-1, *shape) if per_class else importance[:1].reshape(shape)


def _credit(forest: BaseForest, kind: str, per_class: bool) -> Callable[[int], NDArray[np.float64]]:
    """Function that gives the credit of the nodes of a tree, with a column per class or one."""
    arrays, boosted = forest.forest_, forest.fitted_.start is not None
    if per_class and boosted:
        whole = _credit(forest, kind, False)
        return lambda tree: whole(tree) * (np.arange(arrays.n_outputs) == _class_of(arrays, tree))
    if kind == "gain" and per_class:
        criterion = forest.fitted_.criterion
        return lambda tree: share(class_gains(arrays, tree, criterion))
    if kind == "gain":
        return gain_credit(arrays, boosted=boosted)
    if per_class:

        def class_shares(tree: int) -> NDArray[np.float64]:
            weights = class_weights(arrays, tree)
            shares: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
            return shares

        return class_shares
    return lambda tree: np.ones((int(np.diff(arrays.tree_offsets)[tree]), 1))


def _check_classes(forest: BaseForest) -> None:
    """Require classes that splits can be credited to."""
    check_one_output(forest)
    if not is_classifier(forest):
        raise invalid("per_class", "False for a regressor", True, "leave it out")
    arrays = forest.forest_
    if forest.fitted_.start is not None and np.diff(arrays.value_indptr).max() == arrays.n_outputs:
        raise invalid(
            "per_class",
            "False for a boosted forest whose trees are not each grown for a class: with two "
            "classes, or with vector_leaves",
            True,
            "leave it out",
        )


def _class_of(arrays: ForestArrays, tree: int) -> int:
    """The class that a boosted tree is grown for."""
    first_leaf = arrays.leaf_offsets[tree]
    return int(arrays.value_outputs[arrays.value_indptr[first_leaf]])


def background_share(importance: ArrayLike, X: ArrayLike, *, tolerance: float = 0.0) -> float:
    """Share of the importance that lies on background: features that hardly vary in `X`.

    A feature is background if its value is the same in all samples of `X`, or in all but a few. It
    hardly separates any samples, so importance there is noise, which [1]_ finds
    in scattered directions and not in patches.

    Parameters
    ----------
    importance : array-like
        Non-negative importance of each feature, in any shape; for example an `importance_map`.
    X : array-like of shape (n_samples, n_features) or (n_samples, ...)
        Samples, as given to the forest.
    tolerance : float, default=0.0
        Largest share of samples, below one half, whose value may differ from the feature's usual
        one (its median). An axis-aligned split cannot use a feature that is the same in all
        samples, so forests of such splits need a tolerance above 0 to be compared with.

    Returns
    -------
    share : float
        In [0, 1].

    References
    ----------
    .. [1] R. Perry et al. Manifold forests: closing the gap on neural networks, section 5.2.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.inspection import background_share
    >>> images = np.array([[[0, 1], [0, 5]], [[0, 2], [0, 5]], [[0, 3], [0, 4]]])
    >>> background_share([[0.1, 0.5], [0.1, 0.3]], images)
    0.2
    >>> background_share([[0.1, 0.5], [0.1, 0.3]], images, tolerance=0.4)
    0.5
    """
    values = np.asarray(importance, dtype=np.float64)
    rows = as_numbers(flatten_samples(X)[0])
    if rows.ndim != 2 or len(rows) == 0 or rows.shape[1] != values.size:
        raise ValueError(
            f"importance has {values.size} values but X has shape {np.shape(X)}; pass samples with "
            "one value for each feature of the importance."
        )
    if not (values.size and (values >= 0).all() and 0 < values.sum() < math.inf):
        raise invalid("importance", "finite, >= 0 and not all zero", importance, "pass shares")
    if not (is_number(tolerance) and 0 <= tolerance < 0.5):
        raise invalid("tolerance", "a number in [0, 0.5)", tolerance, "pass for example 0.01")
    background = rows.min(axis=0) == rows.max(axis=0)
    if tolerance > 0:
        usual = np.quantile(rows, 0.5, axis=0, method="lower")
        background |= (rows != usual).mean(axis=0) <= tolerance
    return float(values.ravel()[background].sum() / values.sum())


def grid_of(forest: BaseForest) -> Patches | None:
    """The grid that the samples of a fitted forest lie on, as patches on it.

    Parameters
    ----------
    forest : fitted forest
        A classifier or regressor of this library.

    Returns
    -------
    patches : Patches or None
        The patches that a manifold forest draws, or would draw without channels; for other forests
        the patches in `projections`, or the first ones of a mixture; None if there are none.

    Examples
    --------
    >>> from silvan import ManifoldForestClassifier
    >>> from silvan.datasets import make_bars
    >>> from silvan.inspection import grid_of
    >>> X, y = make_bars(20, shape=(6, 6), random_state=0)
    >>> forest = ManifoldForestClassifier(5, channels="raw", shape=(6, 6), random_state=0)
    >>> grid_of(forest.fit(X, y))
    Patches(shape=(6, 6))
    """
    check_forest(forest)
    if isinstance(forest, GridForest):
        return forest.patches()
    return find_component(forest.projections_, Patches)


def map_shape(forest: BaseForest, shape: Any) -> tuple[int, ...]:
    """The shape to lay the features out in: the one given, or the grid's, or a line."""
    n_features = forest.fitted_.n_features
    if shape is None:
        patches = grid_of(forest)
        return (n_features,) if patches is None else patches.grid.shape
    given = Patches(shape).grid.shape
    if math.prod(given) != n_features:
        raise ValueError(
            f"shape {given} has {math.prod(given)} cells but the forest has {n_features} features; "
            "pass the shape that X was flattened from."
        )
    return given
