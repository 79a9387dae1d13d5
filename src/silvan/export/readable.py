"""Trees for readers: as indented text, and as plain dictionaries and lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from silvan._validation import check_flag, check_integer, check_predictor, invalid, is_integer
from silvan.export.tree_nodes import category_names, tree_nodes
from silvan.export.tree_writer import Style, TreeWriter
from silvan.forests.base import BaseForest
from silvan.inspection import grid_of


def to_text(
    forest: BaseForest,
    tree: int = 0,
    *,
    feature_names: Sequence[str] | None = None,
    max_depth: int | None = 10,
    decimals: int = 2,
    max_terms: int = 6,
    show_missing: bool = False,
) -> str:
    """Write one tree as indented text.

    A split is written as ``direction <= threshold``; the branch below it is taken if that holds. A
    patch is written as the sum over a box of the grid, ``sum X[2:5, 0:3]``, in the notation of
    slices, and a window on a channel as ``mean of channel 1 [2:5, 0:3]``, with ``largest`` in front
    and the shift behind it where it is shifted. A categorical feature has the codes of its
    categories at the node behind its name, as in ``colour {red: 0.31, blue: -0.20} + size``; all
    others have code 0. A forest with `scaling` has directions and thresholds over scaled features.
    The values in the leaves of a boosted forest are added up, over all trees and `start_`, to raw
    scores: one for each class or output, but a single one for two classes.

    Parameters
    ----------
    forest : fitted forest
        A classifier or regressor of this library.
    tree : int, default=0
        Number of the tree.
    feature_names : sequence of str, default=None
        Names of the features. None takes those that the forest was fitted with, or ``x[j]``.
    max_depth : int or None, default=10
        Depth down to which the tree is written; what is below is counted.
    decimals : int, default=2
        Digits after the decimal point; as many digits at all of a number that would round to 0.
    max_terms : int, default=6
        Number of features of a direction that are written, and of categories of a feature; the
        others are counted.
    show_missing : bool, default=False
        Whether to mark the branch that a sample takes where the direction touches a missing value.

    Returns
    -------
    text : str
        The tree, a line for each branch and each leaf.

    See Also
    --------
    sklearn.tree.export_text : The same for trees that split single features.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ForestClassifier
    >>> from silvan.export import to_text
    >>> from silvan.projections import SparseSigns
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = ForestClassifier(5, projections=SparseSigns(), max_depth=2, random_state=3)
    >>> print(to_text(forest.fit(X, y)))
    |--- sepal length (cm) + petal width (cm) <= 5.90
    |   |--- class: 0
    |--- sepal length (cm) + petal width (cm) >  5.90
    |   |--- petal length (cm) <= 4.75
    |   |   |--- class: 1 (0.98)
    |   |--- petal length (cm) >  4.75
    |   |   |--- class: 2 (0.86)
    """
    check_predictor(forest)
    check_tree(forest, tree)
    check_integer("max_depth", max_depth, 1, or_none=True)
    check_integer("decimals", decimals, 0)
    check_integer("max_terms", max_terms, 1)
    check_flag("show_missing", show_missing)
    names = check_feature_names(forest, feature_names)
    style = Style(names, decimals, max_terms, show_missing)
    return "\n".join(TreeWriter(forest, tree, style).lines(max_depth))


def to_dict(forest: BaseForest) -> dict[str, Any]:
    """Write a forest as dictionaries, lists, numbers and strings, which JSON can hold.

    Parameters
    ----------
    forest : fitted forest
        A classifier or regressor of this library.

    Returns
    -------
    description : dict
        ``type``, ``n_features``, ``feature_names`` and ``classes`` (both None where there are
        none), ``channels`` (the names of the arrays that windows lie on, or None),
        ``categories`` (a list of names for each categorical feature and None for numbers, or
        None), ``shape`` (of the grid, or None), ``scaling`` (of the features that directions are
        over, or None), ``hard_votes`` (whether a leaf gives one vote, shared by its most probable
        classes, in place of its values), ``start`` and ``loss`` (of a boosted forest: what the
        values of its leaves are added to, and the name of the loss, whose link follows; both None
        where values are averaged) and ``trees``. A tree is a list of
        nodes; the first is the root. A split has ``features``, ``coefficients`` (that of a
        categorical feature is a dictionary of the codes of its categories, by name; others have
        code 0), ``threshold`` (None where it is infinite: missing values go one way and all others
        the other), ``missing`` ("left" or "right") and the numbers of its children ``left`` and
        ``right``; where it is over windows, ``windows`` take the place of ``features``, with the
        attributes of `silvan.projections.Window` each. A leaf has ``values``, one for each class or
        output. Both have ``n_samples``,
        ``weight`` and ``impurity``; in a boosted forest that is -T(G)²/(H + l2) for each unit of
        weight, where G and H are the sums of the gradients and hessians and T moves G towards zero
        by the l1 penalty, so it is at most 0.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ForestClassifier
    >>> from silvan.export import to_dict
    >>> X, y = load_iris(return_X_y=True)
    >>> root = to_dict(ForestClassifier(5, random_state=0).fit(X, y))["trees"][0][0]
    >>> root["features"], root["coefficients"], root["left"], root["right"]
    ([1, 3], [1.0, -1.0], 1, 2)
    """
    check_predictor(forest)
    patches = grid_of(forest)
    names = forest.fitted_.feature_names
    classes = getattr(forest, "classes_", None)
    start = forest.fitted_.start
    return {
        "type": type(forest).__name__,
        "n_features": forest.fitted_.n_features,
        "feature_names": None if names is None else list(names),
        "classes": None if classes is None else classes.tolist(),
        "categories": category_names(forest),
        "shape": None if patches is None else list(patches.grid.shape),
        "channels": list(forest.fitted_.channel_names) or None,
        "scaling": forest.scaling,
        "hard_votes": forest.fitted_.hard_votes,
        "start": None if start is None else start.tolist(),
        "loss": None if start is None else type(forest.loss_).__name__,
        "trees": [list(tree_nodes(forest, tree)) for tree in range(forest.forest_.n_trees)],
    }


def check_tree(forest: BaseForest, tree: object) -> None:
    """Require the number of a tree."""
    n_trees = forest.forest_.n_trees
    if not (is_integer(tree) and 0 <= tree < n_trees):  # type: ignore[operator]
        raise invalid("tree", f"an integer from 0 to {n_trees - 1}", tree, "pass for example 0")


def check_feature_names(forest: BaseForest, given: Sequence[str] | None) -> Sequence[str] | None:
    """Require a name for each feature; None takes those of the forest, if it has any."""
    n_features = forest.fitted_.n_features
    if given is None:
        return forest.fitted_.feature_names
    if isinstance(given, str) or len(given) != n_features:
        raise invalid(
            "feature_names",
            f"None or a sequence of {n_features} names, one for each feature",
            given,
            "leave it out, or pass the names of the columns of X",
        )
    return given
