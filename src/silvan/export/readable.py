"""Trees for readers: as indented text, and as plain dictionaries and lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from silvan._validation import check_flag, check_forest, check_integer, invalid, is_integer
from silvan._windows import Window
from silvan.forests.base import BaseForest
from silvan.forests.categories import category_name
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
    slices, and a window on a channel as ``mean of channel 1 [2:5, 0:3]``, with ``largest`` in front
    and the shift behind it where it is shifted. A categorical feature has the codes of its
    categories at the node behind its name, as in ``colour {red: 0.31, blue: -0.20} + size``; all
    others have code 0. A forest with `scaling` has directions and thresholds over scaled features.

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
    check_forest(forest)
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
        ``weight`` and ``impurity``.

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
    check_forest(forest)
    patches, channels = grid_of(forest), forest.fitted_.channels
    names = getattr(forest, "feature_names_in_", None)
    classes = getattr(forest, "classes_", None)
    start = forest.fitted_.start
    return {
        "type": type(forest).__name__,
        "n_features": forest.n_features_in_,
        "feature_names": None if names is None else names.tolist(),
        "classes": None if classes is None else classes.tolist(),
        "categories": category_names(forest),
        "shape": None if patches is None else list(patches.grid.shape),
        "channels": None if channels is None else list(channels.layout.names),
        "scaling": forest.scaling,
        "hard_votes": forest.fitted_.hard_votes,
        "start": None if start is None else start.tolist(),
        "loss": None if start is None else type(forest.loss_).__name__,
        "trees": [list(_nodes(forest, tree)) for tree in range(forest.forest_.n_trees)],
    }


def category_names(forest: BaseForest) -> list[list[str] | None] | None:
    """The categories of each feature as text; None for a number, and if all are."""
    known = forest.categories_
    if known is None:
        return None
    return [None if of is None else [category_name(name) for name in of.tolist()] for of in known]


class _Codes:
    """Codes of the categories of a tree's directions, by name."""

    def __init__(self, forest: BaseForest, tree: int) -> None:
        self._directions = forest.forest_.stored_directions(tree)
        counts = forest.forest_.n_categories
        self._first = forest.forest_.n_features + np.cumsum(counts) - counts
        self._names = category_names(forest)

    def coefficient(self, node: int, feature: int, value: float) -> float | dict[str, float]:
        """The coefficient of a feature in the direction of a node; for categories, one each."""
        names = None if self._names is None else self._names[feature]
        if names is None:
            return value
        entries = slice(*self._directions.indptr[node : node + 2])
        columns = self._directions.indices[entries] - self._first[feature]
        mine = (columns >= 0) & (columns < len(names))
        coefficients = self._directions.data[entries][mine].tolist()
        # A direction that asked no sample has an entry of zero, for the feature's sake.
        found = zip(columns[mine].tolist(), coefficients, strict=True)
        return {names[category]: code for category, code in found if code != 0}


def _nodes(forest: BaseForest, tree: int) -> Iterator[dict[str, Any]]:
    arrays, codes = forest.forest_, _Codes(forest, tree)
    # A direction is over features alone or over windows alone.
    directions = arrays.stored_directions(tree) if arrays.n_windows else arrays.directions(tree)
    values = arrays.leaf_values(tree).toarray()
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
        features = directions.indices[entries].tolist()
        coefficients = directions.data[entries].tolist()
        threshold = float(arrays.threshold[node])
        windows = [window._asdict() for _, window in arrays.windows(node)]
        coefficients = (
            coefficients
            if windows
            else [
                codes.coefficient(number, *pair)
                for pair in zip(features, coefficients, strict=True)
            ]
        )
        yield {
            **({"windows": windows} if windows else {"features": features}),
            "coefficients": coefficients,
            "threshold": threshold if np.isfinite(threshold) else None,
            "missing": "left" if arrays.missing_left[node] else "right",
            "left": left,
            "right": left + 1,
            **facts,
        }


class Style(NamedTuple):
    """How a tree is written."""

    names: Sequence[str] | None
    decimals: int
    max_terms: int
    show_missing: bool
    max_letters: int | None = None  # of a name; a longer one loses its middle

    def number(self, value: float) -> str:
        """The number with the digits of this style; a small one with more, so that it is not 0."""
        text = f"{value:.{self.decimals}f}"
        return f"{value:.{max(1, self.decimals)}g}" if value and not float(text) else text

    def shorten(self, name: str) -> str:
        """The name, or its beginning and its end."""
        if self.max_letters is None or len(name) <= self.max_letters:
            return name
        end = (self.max_letters - 1) // 3
        return f"{name[: self.max_letters - 1 - end]}\N{HORIZONTAL ELLIPSIS}{name[-end:]}"


class TreeWriter:
    """Writes the nodes of one tree as text."""

    def __init__(self, forest: BaseForest, tree: int, style: Style) -> None:
        self.nodes = list(_nodes(forest, tree))
        patches = grid_of(forest)
        self._shape = None if patches is None else patches.grid.shape
        self._classes = leaf_classes(forest)
        channels = forest.fitted_.channels
        self._channels = None if channels is None else channels.layout.names
        self._style = style

    def lines(self, max_depth: int | None) -> Iterator[str]:
        """The tree down to a depth, as indented lines."""
        # A stack of nodes, each with its depth and the condition that leads to it.
        open_nodes = [(0, 0, "")]
        while open_nodes:
            number, depth, condition = open_nodes.pop()
            if condition:
                yield _INDENT * (depth - 1) + _BRANCH + condition
            node = self.nodes[number]
            if "values" in node:
                yield _INDENT * depth + _BRANCH + self._leaf(node)
            elif max_depth is not None and depth >= max_depth:
                n_leaves = self.count_leaves(number)
                yield _INDENT * depth + _BRANCH + f"... {n_leaves} leaves below"
            else:
                left, right = self._conditions(node)
                open_nodes.append((node["right"], depth + 1, right))
                open_nodes.append((node["left"], depth + 1, left))

    def _conditions(self, node: dict[str, Any]) -> tuple[str, str]:
        direction = self.direction(node)
        left, right = self.comparisons(node)
        return f"{direction} {left}", f"{direction} {right}"

    def comparisons(self, node: dict[str, Any]) -> tuple[str, str]:
        """What a direction's value is in the left and in the right branch."""
        to_left = node["missing"] == "left"
        if node["threshold"] is None:
            return ("is missing", "is there") if to_left else ("is there", "is missing")
        threshold = self._style.number(node["threshold"])
        left, right = f"<= {threshold}", f">  {threshold}"
        if not self._style.show_missing:
            return left, right
        return (f"{left} or missing", right) if to_left else (left, f"{right} or missing")

    def direction(self, node: dict[str, Any]) -> str:
        """The direction of a split in words: a signed sum, or a box of the grid."""
        return " ".join(self.terms(node))

    def terms(self, node: dict[str, Any]) -> list[str]:
        """The terms of that sum, each with the sign before it."""
        if "windows" in node:
            names = [self._window(Window(**window)) for window in node["windows"]]
        else:
            box = self._box(node["features"], node["coefficients"])
            if box:
                return [box]
            names = [self._name(feature) for feature in node["features"]]
        terms = [
            self._term(name, coefficient)
            for name, coefficient in zip(names, node["coefficients"], strict=True)
        ]
        shown = [f"{sign} {text}" for sign, text in terms[: self._style.max_terms]]
        shown[0] = shown[0].removeprefix("+ ").replace("- ", "-", 1)
        more = len(terms) - self._style.max_terms
        return [*shown, f"+ ... {more} more"] if more > 0 else shown

    def _term(self, name: str, coefficient: float | dict[str, float]) -> tuple[str, str]:
        """The sign of a term, and the term without it."""
        if isinstance(coefficient, dict):
            return "+", f"{name} {self._codes(coefficient)}" if coefficient else name
        size = abs(coefficient)
        text = name if size == 1.0 else f"{self._style.number(size)}*{name}"
        return "-" if coefficient < 0 else "+", text

    def _window(self, window: Window) -> str:
        return window.describe(None if self._channels is None else self._channels[window.channel])

    def _name(self, feature: int) -> str:
        if self._style.names is not None:
            return self._style.shorten(str(self._style.names[feature]))
        if self._shape is not None:
            at = np.unravel_index(feature, self._shape)
            return f"X[{', '.join(str(i) for i in at)}]"
        return f"x[{feature}]"

    def _codes(self, codes: dict[str, float]) -> str:
        """Codes of categories, the largest first; of many, the largest in absolute value."""
        shown = sorted(codes, key=lambda name: -abs(codes[name]))[: self._style.max_terms]
        shown.sort(key=lambda name: -codes[name])
        parts = [
            f"{self._style.shorten(name)}: {self._style.number(codes[name])}" for name in shown
        ]
        more = len(codes) - len(shown)
        return "{" + ", ".join(parts + ([f"... {more} more"] if more else [])) + "}"

    def _box(self, features: list[int], coefficients: list[Any]) -> str | None:
        """The direction as the sum over a box of the grid, if it is one of several cells."""
        if self._shape is None or len(features) == 1 or any(value != 1.0 for value in coefficients):
            return None
        at = np.unravel_index(np.array(features), self._shape)
        ends = [(int(axis.min()), int(axis.max()) + 1) for axis in at]
        if np.prod([end - start for start, end in ends]) != len(features):
            return None
        return f"sum X[{', '.join(f'{start}:{end}' for start, end in ends)}]"

    def _leaf(self, node: dict[str, Any]) -> str:
        values = node["values"]
        if self._classes is None:
            return f"value: [{', '.join(map(self._style.number, values))}]"
        share = max(values)
        label = f"class: {join_best(self._classes, values)}"
        return label if share == 1.0 else f"{label} ({self._style.number(share)})"

    def count_leaves(self, number: int) -> int:
        """Number of leaves below a node."""
        count, below = 0, [number]
        while below:
            node = self.nodes[below.pop()]
            if "values" in node:
                count += 1
            else:
                below += [node["left"], node["right"]]
        return count


def join_best(names: Sequence[Any], values: Sequence[float]) -> str:
    """The name of the largest value; of equal ones, all."""
    largest = max(values)
    best = [str(name) for name, value in zip(names, values, strict=True) if value == largest]
    return " or ".join(best)


def leaf_classes(forest: BaseForest) -> Any:
    """The classes whose shares the leaves hold; None where these hold other numbers."""
    boosted = forest.fitted_.start is not None
    return None if boosted else getattr(forest, "classes_", None)


def check_tree(forest: BaseForest, tree: object) -> None:
    """Require the number of a tree."""
    n_trees = forest.forest_.n_trees
    if not (is_integer(tree) and 0 <= tree < n_trees):  # type: ignore[operator]
        raise invalid("tree", f"an integer from 0 to {n_trees - 1}", tree, "pass for example 0")


def check_feature_names(forest: BaseForest, given: Sequence[str] | None) -> Sequence[str] | None:
    """Require a name for each feature; None takes those of the forest, if it has any."""
    n_features = forest.n_features_in_
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
