"""Writes the nodes of a tree as text: conditions of splits, values of leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from silvan._windows import Window
from silvan.export.tree_nodes import tree_nodes
from silvan.forests.base import BaseForest
from silvan.inspection import grid_of

_INDENT = "|   "
_BRANCH = "|--- "


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
        self.nodes = list(tree_nodes(forest, tree))
        patches = grid_of(forest)
        self._shape = None if patches is None else patches.grid.shape
        self._classes = leaf_classes(forest)
        self._channels = forest.fitted_.channel_names
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
        # Before a name, a sign without a space would look like a part of it.
        shown[0] = shown[0].removeprefix("+ ")
        if shown[0][2:3].isdigit():
            shown[0] = shown[0].replace("- ", "-", 1)
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
        return window.describe(self._channels[window.channel] if self._channels else None)

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
