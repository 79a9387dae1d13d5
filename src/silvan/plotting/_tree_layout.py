"""Where the boxes of a tree are, and their colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from silvan.plotting._tree_nodes import TreeNode

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Lengths in inches, which are the units of the axes. Two splits of one level are two slots apart
# or more, a split and a leaf one and a half: these widths leave a gap between any two boxes.
_SLOT = 1.3
_SPLIT_WIDTH, _END_WIDTH = 1.88 * _SLOT, 0.88 * _SLOT
_LINE, _BETWEEN = 0.145, 0.5
PAD, BAR, ATOM = 0.07, 0.1, 0.85
FONT_SIZE = 8.0
_MAX_NAMED_CLASSES = 20
_PALE = 0.45


class Places:
    """Where boxes are: ends side by side, splits over the middle of their children."""

    def __init__(self, nodes: Sequence[TreeNode]) -> None:
        splits = np.array([node.kind == "split" for node in nodes])
        depth = np.array([node.depth for node in nodes])
        self.width = np.where(splits, _SPLIT_WIDTH, _END_WIDTH)
        self.height = np.array([_height(node) for node in nodes])
        tallest = np.zeros(depth.max() + 1)
        np.maximum.at(tallest, depth, self.height)
        starts = np.concatenate([[0.0], np.cumsum(tallest + _BETWEEN)])
        slots = np.cumsum(~splits) - 0.5
        self.x = np.where(splits, 0.0, slots * _SLOT)
        # Children come after their parent.
        for number in reversed(range(1, len(nodes))):
            parent = nodes[number].parent
            assert parent is not None
            self.x[parent] += self.x[number] / 2
        width = max((~splits).sum() * _SLOT, self.width[0])
        self.size = (float(width), float(starts[-1] - _BETWEEN))
        self.top = self.size[1] - starts[depth]


class Palette:
    """Colours of classes, or of means of the target."""

    def __init__(
        self, nodes: Sequence[TreeNode], class_names: Sequence[str] | None, cmap: str | None
    ) -> None:
        from matplotlib import colormaps
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        self._names = class_names
        if class_names is None:
            # Of several outputs the first.
            means = [float(node.values[0]) for node in nodes]
            scale = Normalize(min(means), max(means))
            self._mappable = ScalarMappable(scale, colormaps[cmap or "viridis"])
            return
        n_classes = len(class_names)
        usual = "tab10" if n_classes <= 10 else "tab20" if n_classes <= 20 else "viridis"
        colours = colormaps[cmap or usual]
        # Lists of colours are taken one by one, ranges are spread over the classes.
        places = np.arange(n_classes) if colours.N < 256 else np.linspace(0, 1, n_classes)
        self._colours = colours(places)

    def bar(self, values: NDArray[np.float64]) -> list[tuple[float, Any]]:
        """Lengths and colours of the parts of a node's bar."""
        if self._names is None:
            return [(1.0, self._mappable.to_rgba(values[0]))]
        return [(float(values[k]), self._colours[k]) for k in np.flatnonzero(values)]

    def pale(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The colour of a leaf, which can be written on: the paler, the less pure."""
        share, colour = max(self.bar(values), key=lambda part: part[0])
        white = 1.0 - _PALE * share
        return np.asarray(white + (1.0 - white) * np.asarray(colour)[:3])

    def explain(self, axis: Axes, width: float, label: str) -> None:
        """Add a colour bar, or a legend of the classes where there are not too many."""
        if self._names is None:
            axis.figure.colorbar(self._mappable, ax=axis, label=label, shrink=0.7)
        elif len(self._names) <= _MAX_NAMED_CLASSES:
            from matplotlib.patches import Patch

            keys = [
                Patch(color=colour, label=name)
                for name, colour in zip(self._names, self._colours, strict=True)
            ]
            longest = max(map(len, self._names))
            axis.legend(
                handles=keys,
                loc="upper center",
                bbox_to_anchor=(0.5, 0.0),
                ncols=max(1, min(len(keys), int(width / (0.65 + 0.085 * longest)))),
                frameon=False,
                fontsize=FONT_SIZE + 1,
            )


def _height(node: TreeNode) -> float:
    atom = ATOM + PAD if node.atom is not None else 0.0
    return atom + _LINE * (node.text.count("\n") + 1) + BAR + 3 * PAD
