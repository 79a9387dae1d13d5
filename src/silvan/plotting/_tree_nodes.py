"""What is drawn of the nodes of a tree: their texts, values and directions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from silvan._validation import invalid
from silvan.explanations.contributions import node_values
from silvan.export.tree_writer import Style, TreeWriter, join_best, leaf_classes
from silvan.forests.base import BaseForest
from silvan.inspection.features import grid_of
from silvan.plotting._panels import channels_first
from silvan.projections.grids import spread_over_axes

_SPLIT_LETTERS, _END_LETTERS = 36, 16  # of a line of text
MAX_LETTERS = 26  # of a name, so that a term of a direction is a line or less
_HARD_SPACE = "\xa0"  # at which no line ends
# What stays on a line: a sign and what follows it, and a box with its shift.
_UNBROKEN = re.compile(r"[+-] |\[[^]]*\]( \+-\d+)?")
_MAX_CHANNELS = 4  # side by side


class TreeNode(NamedTuple):
    """What is drawn of one node."""

    depth: int
    parent: int | None  # its place among the drawn nodes
    text: str
    values: NDArray[np.float64]  # shares of classes, means of targets, or additions
    atom: NDArray[np.float64] | None  # (n_channels, length) or (n_channels, height, width)
    kind: str  # "split", "leaf" or "stub"
    share: float  # of the tree's samples


class TreeReader:
    """Reads what is drawn of one tree."""

    def __init__(
        self, forest: BaseForest, tree: int, style: Style, class_names: Sequence[str] | None
    ) -> None:
        self._writer = TreeWriter(forest, tree, style)
        self._values = node_values(forest.forest_, tree)
        self._style, self._class_names = style, class_names
        self._what = "adds" if forest.fitted_.start is not None else "mean"
        # Codes of categories and windows are written as text.
        is_plain = forest.categories_ is None and not forest.forest_.n_windows
        patches = grid_of(forest) if is_plain else None
        self._directions = None if patches is None else forest.forest_.directions(tree)
        self._shape = None if patches is None else patches.grid.shape
        self._contiguous = None if patches is None else patches.contiguous

    def read(self, max_depth: int | None) -> list[TreeNode]:
        """The nodes down to a depth, depth first."""
        nodes: list[TreeNode] = []
        total = self._writer.nodes[0]["weight"]
        open_nodes: list[tuple[int, int, int | None]] = [(0, 0, None)]
        while open_nodes:
            number, depth, parent = open_nodes.pop()
            node = self._writer.nodes[number]
            kind = "leaf" if "values" in node else "split"
            if kind == "split" and max_depth is not None and depth >= max_depth:
                kind = "stub"
            if kind == "split":
                children = (node["right"], node["left"])
                open_nodes += [(child, depth + 1, len(nodes)) for child in children]
            share = node["weight"] / total
            atom = self._atom(number) if kind == "split" else None
            text = self._text(number, kind, atom is not None, share)
            nodes.append(TreeNode(depth, parent, text, self._values[number], atom, kind, share))
        return nodes

    def _text(self, number: int, kind: str, is_drawn: bool, share: float) -> str:
        node = self._writer.nodes[number]
        lines = []
        if kind == "split":
            parts = [] if is_drawn else self._writer.terms(node)
            lines = _wrap([*parts, self._writer.comparisons(node)[0]], _SPLIT_LETTERS)
        elif kind == "stub":
            lines = ["...", f"{self._writer.count_leaves(number)} leaves"]
        values = self._values[number]
        if self._class_names is None:
            numbers = ", ".join(self._style.number(value) for value in values)
            lines += _wrap([f"{self._what} {numbers}"], _END_LETTERS)
        elif kind == "leaf":
            largest = float(max(values))
            lines += _wrap([join_best(self._class_names, values)], _END_LETTERS)
            lines += [] if largest == 1.0 else [f"({self._style.number(largest)})"]
        return "\n".join([*lines, f"{_percent(share)} % of samples"])

    def _atom(self, number: int) -> NDArray[np.float64] | None:
        """The direction's coefficients as lines or images of channels, or None to use words."""
        if self._shape is None or self._directions is None:
            return None
        coefficients = self._directions[[number]].toarray().astype(np.float64)
        kept = [a for a, length in enumerate(self._shape) if length > 1] or [0]
        runs = spread_over_axes("contiguous", self._contiguous, self._shape)
        maps = coefficients.reshape(1, *(self._shape[a] for a in kept))
        atom = channels_first(maps, [bool(runs[a]) for a in kept])[0]
        is_small = atom.ndim == 2 or (atom.ndim == 3 and len(atom) <= _MAX_CHANNELS)
        return atom if is_small else None


def check_class_names(forest: BaseForest, given: Sequence[str] | None) -> Sequence[str] | None:
    classes = leaf_classes(forest)
    if classes is None:
        if given is not None:
            raise invalid(
                "class_names", "None for a regressor or a boosted forest", given, "leave it out"
            )
        return None
    if given is None:
        return [str(label) for label in classes]
    if isinstance(given, str) or len(given) != len(classes):
        raise invalid(
            "class_names",
            f"None or a sequence of {len(classes)} names, in the order of classes_",
            given,
            "leave it out to take the labels",
        )
    return [str(name) for name in given]


def _wrap(parts: Sequence[str], letters: int) -> list[str]:
    """Lines of text that end between two parts, and within those that are longer than a line."""
    whole = [
        _harden(part) if len(part) <= letters else _UNBROKEN.sub(lambda m: _harden(m[0]), part)
        for part in parts
    ]
    lines = wrap(" ".join(whole), letters, break_on_hyphens=False)
    return [line.replace(_HARD_SPACE, " ") for line in lines]


def _harden(text: str) -> str:
    return text.replace(" ", _HARD_SPACE)


def _percent(share: float) -> str:
    return "< 1" if 0.0 < share < 0.01 else f"{100 * share:.0f}"
