"""Trees for readers: as indented text, and as plain dictionaries and lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from silvan._validation import check_flag, check_integer, invalid, is_integer
from silvan.forests.base import BaseForest
from silvan.inspection import grid_of

_INDENT = "|   "
_BRANCH = "|--- "


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
    slices. A forest with `scaling` has directions and thresholds over scaled features.

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
        Digits after the decimal point.
    max_terms : int, default=6
        Number of features of a direction that are written; the others are counted.
    show_missing : bool, default=False
        Whether to mark the branch that a row takes where the direction touches a missing value.

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
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = ForestClassifier(5, max_depth=2, random_state=3).fit(X, y)
    >>> print(to_text(forest))
    |--- sepal length (cm) + petal width (cm) <= 5.90
    |   |--- class: 0
    |--- sepal length (cm) + petal width (cm) >  5.90
    |   |--- petal length (cm) <= 4.75
    |   |   |--- class: 1 (0.98)
    |   |--- petal length (cm) >  4.75
    |   |   |--- class: 2 (0.86)
    """
    check_is_fitted(forest)
    _check_tree(forest, tree)
    check_integer("max_depth", max_depth, 1, or_none=True)
    check_integer("decimals", decimals, 0)
    check_integer("max_terms", max_terms, 1)
    check_flag("show_missing", show_missing)
    names = _feature_names(forest, feature_names)
    style = _Style(names, decimals, max_terms, show_missing)
    return "\n".join(_TreeWriter(forest, tree, style).lines(max_depth))


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
        none), ``shape`` (of the grid, or None), ``scaling`` (of the features that directions are
        over, or None), ``hard_votes`` and ``trees``. A tree is a list of
        nodes; the first is the root. A split has ``features``, ``weights``, ``threshold`` (None
        where it is infinite: missing values go one way and all others the other), ``missing``
        ("left" or "right") and the numbers of its children ``left`` and ``right``; a leaf has
        ``values``, one for each class or output. Both have ``n_samples``, ``weight`` and
        ``impurity``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ForestClassifier
    >>> from silvan.export import to_dict
    >>> X, y = load_iris(return_X_y=True)
    >>> root = to_dict(ForestClassifier(5, random_state=0).fit(X, y))["trees"][0][0]
    >>> root["features"], root["weights"], root["left"], root["right"]
    ([0, 3], [1.0, -1.0], 1, 2)
    """
    check_is_fitted(forest)
    patches = grid_of(forest)
    names = getattr(forest, "feature_names_in_", None)
    classes = getattr(forest, "classes_", None)
    return {
        "type": type(forest).__name__,
        "n_features": forest.forest_.n_features,
        "feature_names": None if names is None else names.tolist(),
        "classes": None if classes is None else classes.tolist(),
        "shape": None if patches is None else list(patches._shape()),
        "scaling": forest.scaling,
        "hard_votes": forest._hard_votes(),
        "trees": [list(_nodes(forest, tree)) for tree in range(forest.forest_.n_trees)],
    }


def _nodes(forest: BaseForest, tree: int) -> Iterator[dict[str, Any]]:
    arrays = forest.forest_
    directions, values = arrays.directions(tree), arrays.leaf_values(tree).toarray()
    first, last = arrays.tree_offsets[tree : tree + 2]
    for number, node in enumerate(range(first, last)):
        facts = {
            "n_samples": int(arrays.n_samples[node]),
            "weight": float(arrays.weight[node]),
            "impurity": float(arrays.impurity[node]),
        }
        left = int(arrays.left[node])
        if left < 0:
            yield {"values": values[-1 - left].tolist(), **facts}
            continue
        entries = slice(*directions.indptr[number : number + 2])
        threshold = float(arrays.threshold[node])
        yield {
            "features": directions.indices[entries].tolist(),
            "weights": directions.data[entries].tolist(),
            "threshold": threshold if np.isfinite(threshold) else None,
            "missing": "left" if arrays.missing_left[node] else "right",
            "left": left,
            "right": left + 1,
            **facts,
        }


class _Style(NamedTuple):
    """How a tree is written."""

    names: Sequence[str] | None
    decimals: int
    max_terms: int
    show_missing: bool

    def number(self, value: float) -> str:
        return f"{value:.{self.decimals}f}"


class _TreeWriter:
    """Writes the nodes of one tree as lines of text."""

    def __init__(self, forest: BaseForest, tree: int, style: _Style) -> None:
        self._nodes = list(_nodes(forest, tree))
        patches = grid_of(forest)
        self._shape = None if patches is None else patches._shape()
        self._classes = getattr(forest, "classes_", None)
        self._style = style

    def lines(self, max_depth: int | None) -> Iterator[str]:
        # A stack of nodes, each with its depth and the condition that leads to it.
        open_nodes = [(0, 0, "")]
        while open_nodes:
            number, depth, condition = open_nodes.pop()
            if condition:
                yield _INDENT * (depth - 1) + _BRANCH + condition
            node = self._nodes[number]
            if "values" in node:
                yield _INDENT * depth + _BRANCH + self._leaf(node)
            elif max_depth is not None and depth >= max_depth:
                n_leaves = self._count_leaves(number)
                yield _INDENT * depth + _BRANCH + f"... {n_leaves} leaves below"
            else:
                left, right = self._conditions(node)
                open_nodes.append((node["right"], depth + 1, right))
                open_nodes.append((node["left"], depth + 1, left))

    def _conditions(self, node: dict[str, Any]) -> tuple[str, str]:
        direction = self._direction(node)
        to_left = node["missing"] == "left"
        if node["threshold"] is None:
            present, missing = f"{direction} is there", f"{direction} is missing"
            return (missing, present) if to_left else (present, missing)
        threshold = self._style.number(node["threshold"])
        left, right = f"{direction} <= {threshold}", f"{direction} >  {threshold}"
        if not self._style.show_missing:
            return left, right
        return (f"{left} or missing", right) if to_left else (left, f"{right} or missing")

    def _direction(self, node: dict[str, Any]) -> str:
        features, weights = np.array(node["features"]), np.array(node["weights"])
        box = self._box(features, weights)
        if box:
            return box
        shown = [
            f"{'-' if weight < 0 else '+'} {self._term(feature, abs(weight))}"
            for feature, weight in zip(features, weights, strict=True)
        ]
        text = " ".join(shown[: self._style.max_terms])
        more = len(shown) - self._style.max_terms
        text = text.removeprefix("+ ") if text.startswith("+") else "-" + text.removeprefix("- ")
        return f"{text} + ... {more} more" if more > 0 else text

    def _term(self, feature: int, weight: float) -> str:
        if self._style.names is not None:
            name = str(self._style.names[feature])
        elif self._shape is not None:
            at = np.unravel_index(feature, self._shape)
            name = f"X[{', '.join(str(i) for i in at)}]"
        else:
            name = f"x[{feature}]"
        return name if weight == 1.0 else f"{self._style.number(weight)}*{name}"

    def _box(self, features: NDArray[Any], weights: NDArray[Any]) -> str | None:
        """The direction as the sum over a box of the grid, if it is one of several cells."""
        if self._shape is None or len(features) == 1 or (weights != 1.0).any():
            return None
        at = np.unravel_index(features, self._shape)
        ends = [(int(axis.min()), int(axis.max()) + 1) for axis in at]
        if np.prod([end - start for start, end in ends]) != len(features):
            return None
        return f"sum X[{', '.join(f'{start}:{end}' for start, end in ends)}]"

    def _leaf(self, node: dict[str, Any]) -> str:
        values = node["values"]
        if self._classes is None:
            return f"value: [{', '.join(map(self._style.number, values))}]"
        best = int(np.argmax(values))
        share = values[best]
        label = f"class: {self._classes[best]}"
        return label if share == 1.0 else f"{label} ({self._style.number(share)})"

    def _count_leaves(self, number: int) -> int:
        count, below = 0, [number]
        while below:
            node = self._nodes[below.pop()]
            if "values" in node:
                count += 1
            else:
                below += [node["left"], node["right"]]
        return count


def _check_tree(forest: BaseForest, tree: object) -> None:
    n_trees = forest.forest_.n_trees
    if not (is_integer(tree) and 0 <= tree < n_trees):  # type: ignore[operator]
        raise invalid("tree", f"an integer from 0 to {n_trees - 1}", tree, "pass for example 0")


def _feature_names(forest: BaseForest, given: Sequence[str] | None) -> Sequence[str] | None:
    n_features = forest.forest_.n_features
    if given is None:
        names: Sequence[str] | None = getattr(forest, "feature_names_in_", None)
        return names
    if isinstance(given, str) or len(given) != n_features:
        raise invalid(
            "feature_names",
            f"None or a sequence of {n_features} names, one for each feature",
            given,
            "leave it out, or pass the names of the columns of X",
        )
    return given
