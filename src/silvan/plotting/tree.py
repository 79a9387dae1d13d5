"""Picture of one tree, with its directions in the shape of the data."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor

from silvan._validation import check_flag, check_integer, invalid
from silvan.explanations.contributions import node_values
from silvan.export.readable import (
    Style,
    TreeWriter,
    check_feature_names,
    check_tree,
    join_best,
)
from silvan.forests.base import BaseForest
from silvan.inspection._checks import check_forest
from silvan.inspection.features import grid_of
from silvan.plotting._panels import channels_first, make_axes
from silvan.projections.grids import spread_over_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Lengths in inches, which are the units of the axes. Two splits of one level are two slots apart
# or more, a split and a leaf one and a half: these widths leave a gap between any two boxes.
_SLOT = 1.3
_SPLIT_WIDTH, _END_WIDTH = 1.88 * _SLOT, 0.88 * _SLOT
_LINE, _PAD, _BAR, _ATOM, _BETWEEN = 0.145, 0.07, 0.1, 0.85, 0.5
_MARGIN = 0.04
_AROUND = 0.7  # for title and legend
_FONT_SIZE = 8.0
_SPLIT_LETTERS, _END_LETTERS = 36, 16  # of a line of text
_HARD_SPACE = "\xa0"  # at which no line ends
_MOST_CHANNELS = 4  # side by side
_MOST_NAMED_CLASSES = 20
_PALE = 0.45


class TreeNode(NamedTuple):
    """What is drawn of one node."""

    depth: int
    parent: int | None  # its place among the drawn nodes
    text: str
    values: NDArray[np.float64]  # shares of the classes, or means of the targets
    atom: NDArray[np.float64] | None  # (n_channels, length) or (n_channels, height, width)
    kind: str  # "split", "leaf" or "stub"
    share: float  # of the tree's rows


class TreeDisplay:
    """Picture of one tree of a forest.

    Make it with `from_estimator`. Rows for which the condition of a split holds go left. Directions
    on a grid are small images or lines of their weights in the data's shape; those of tables,
    graphs and volumes are sums in words, with what categories are worth at the node in braces.
    Every node has the share of the tree's rows that reach it, and a bar: the shares of the classes,
    or the colour of the mean of the target (of several the first). Leaves have a pale colour of
    their class or mean. What is below `max_depth` is a dashed box that counts its leaves.

    Parameters
    ----------
    nodes : sequence of TreeNode
        The nodes to draw, parents before their children and left before right.
    class_names : sequence of str, default=None
        Names of the classes; None for a tree of a regressor.
    title : str, default=""
        What is above the tree.

    Attributes
    ----------
    figure_ : matplotlib Figure
        The figure.
    ax_ : matplotlib Axes
        The axes.
    boxes_ : list of matplotlib Patch
        The box of each node.
    texts_ : list of matplotlib Text
        The text of each node.
    atoms_ : dict from int to matplotlib Axes
        Axes of the directions that are drawn as pictures, by the number of their node.

    See Also
    --------
    silvan.export.to_text : The tree as text.

    Notes
    -----
    With `scaling`, directions and thresholds are over scaled features; the title says so. In an
    honest forest shares of rows are those of the rows that decide splits, classes and means those
    of the other rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ForestClassifier
    >>> from silvan.plotting import TreeDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = ForestClassifier(5, max_depth=2, random_state=3).fit(X, y)
    >>> display = TreeDisplay.from_estimator(forest)
    >>> print(display.texts_[0].get_text())
    sepal length (cm) + petal width (cm)
    <= 5.90
    100 % of rows
    """

    figure_: Figure
    ax_: Axes
    boxes_: list[Any]
    texts_: list[Any]
    atoms_: dict[int, Axes]

    def __init__(
        self,
        nodes: Sequence[TreeNode],
        *,
        class_names: Sequence[str] | None = None,
        title: str = "",
    ) -> None:
        self.nodes = nodes
        self.class_names = class_names
        self.title = title

    @classmethod
    def from_estimator(
        cls,
        forest: BaseForest,
        tree: int = 0,
        max_depth: int | None = 3,
        *,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
        decimals: int = 2,
        max_terms: int = 4,
        show_missing: bool = False,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw a tree of a fitted forest.

        Parameters
        ----------
        forest : fitted forest
            A classifier or regressor of this library.
        tree : int, default=0
            Number of the tree.
        max_depth : int or None, default=3
            Depth down to which the tree is drawn; None draws all of it.
        feature_names : sequence of str, default=None
            Names of the features. None takes those that the forest was fitted with, or ``x[j]``.
        class_names : sequence of str, default=None
            Names of the classes; None takes the labels.
        decimals : int, default=2
            Digits after the decimal point.
        max_terms : int, default=4
            Number of features of a direction in words; the others are counted.
        show_missing : bool, default=False
            Whether to write "or missing" at the splits where missing values go left; at all others
            they go right.
        ax : Axes, default=None
            Axes to draw on; None makes a new figure that is as large as the tree needs.
        **options
            Further parameters of `plot`.

        Returns
        -------
        display : TreeDisplay
            The picture.
        """
        check_forest(forest)
        if not (is_classifier(forest) or is_regressor(forest)):
            raise invalid("forest", "a classifier or a regressor", forest, "pass one of these")
        check_tree(forest, tree)
        check_integer("max_depth", max_depth, 1, or_none=True)
        check_integer("decimals", decimals, 0)
        check_integer("max_terms", max_terms, 1)
        check_flag("show_missing", show_missing)
        style = Style(check_feature_names(forest, feature_names), decimals, max_terms, show_missing)
        names = _check_class_names(forest, class_names)
        nodes = _TreeReader(forest, tree, style, names).read(max_depth)
        title = f"tree {tree}"
        if forest.scaling is not None:
            title += f', of features with scaling="{forest.scaling}"'
        return cls(nodes, class_names=names, title=title).plot(ax, **options)

    def plot(self, ax: Any = None, *, cmap: str | None = None, atom_cmap: str = "RdBu_r") -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on, which lose what is in them of ticks and frame; None makes a new figure
            that is as large as the tree needs.
        cmap : str, default=None
            Colours of the classes or means; None is "tab10" or "tab20" for classes as far as these
            reach, and "viridis" otherwise.
        atom_cmap : str, default="RdBu_r"
            Colours of the weights of directions that are images; those in the middle stand for 0.

        Returns
        -------
        display : TreeDisplay
            This picture.
        """
        places = _Places(self.nodes)
        width, height = places.size
        axis = make_axes(ax, 1, 1, (width, height + _AROUND))[0]
        self.ax_, self.figure_ = axis, axis.figure
        axis.set(xlim=(-_MARGIN, width + _MARGIN), ylim=(-_MARGIN, height + _MARGIN))
        axis.set_title(self.title)
        axis.set_axis_off()
        palette = _Palette(self.nodes, self.class_names, cmap)
        self._draw_edges(places)
        self.boxes_, self.texts_, self.atoms_ = [], [], {}
        for number in range(len(self.nodes)):
            self._draw_node(number, places, palette)
        self._draw_atoms(places, atom_cmap)
        palette.explain(axis, width)
        self._fit_texts()
        return self

    def _draw_edges(self, places: _Places) -> None:
        for number, node in enumerate(self.nodes):
            if node.parent is None:
                continue
            x, y = places.x[[node.parent, number]], places.top[[node.parent, number]]
            y = y - [places.height[node.parent], 0.0]
            self.ax_.plot(x, y, color="0.6", linewidth=0.6 + 5.0 * node.share, zorder=1)
            if node.parent == 0:
                side = "yes" if x[1] < x[0] else "no"
                self.ax_.text(
                    x.mean(),
                    y.mean(),
                    side,
                    fontsize=_FONT_SIZE,
                    ha="center",
                    va="center",
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
                    zorder=2,
                )

    def _draw_node(self, number: int, places: _Places, palette: _Palette) -> None:
        from matplotlib.patches import Rectangle

        node, axis = self.nodes[number], self.ax_
        x, top = places.x[number], places.top[number]
        width, height = places.width[number], places.height[number]
        face = palette.pale(node.values) if node.kind == "leaf" else "white"
        style = "--" if node.kind == "stub" else "-"
        corner = (x - width / 2, top - height)
        box = Rectangle(corner, width, height, fc=face, ec="0.35", ls=style, lw=0.8, zorder=3)
        self.boxes_.append(axis.add_patch(box))
        left, bottom = corner[0] + _PAD, corner[1] + _PAD
        for share, colour in palette.bar(node.values):
            part = share * (width - 2 * _PAD)
            axis.add_patch(Rectangle((left, bottom), part, _BAR, fc=colour, lw=0, zorder=4))
            left += part
        text = axis.text(
            x,
            bottom + _BAR + _PAD / 2,
            node.text,
            fontsize=_FONT_SIZE,
            ha="center",
            va="bottom",
            zorder=5,
        )
        self.texts_.append(text)

    def _draw_atoms(self, places: _Places, cmap: str) -> None:
        atoms = {i: node.atom for i, node in enumerate(self.nodes) if node.atom is not None}
        most = max((float(np.abs(atom).max()) for atom in atoms.values()), default=1.0)
        for number, atom in atoms.items():
            x, top, width = places.x[number], places.top[number], places.width[number]
            frame = (x - width / 2 + _PAD, top - _PAD - _ATOM, width - 2 * _PAD, _ATOM)
            inset = self.ax_.inset_axes(frame, transform=self.ax_.transData, zorder=5)
            inset.set(xticks=[], yticks=[])
            inset.spines[:].set(color="0.75", linewidth=0.6)
            if atom.ndim == 2:
                _draw_lines(inset, atom, most)
            else:
                _draw_images(inset, atom, {"cmap": cmap, "vmin": -most, "vmax": most})
            self.atoms_[number] = inset

    def _fit_texts(self) -> None:
        """Shrink all texts alike until each fits its box: for small axes and long words."""
        self.figure_.draw_without_rendering()
        needed = 1.0
        for text, box, node in zip(self.texts_, self.boxes_, self.nodes, strict=True):
            has, room = text.get_window_extent(), box.get_window_extent()
            above = _ATOM + _PAD if node.atom is not None else 0.0
            free = 1.0 - (2 * _PAD + _BAR + above) / box.get_height()
            needed = max(needed, 1.04 * has.width / room.width, has.height / (free * room.height))
        for text in self.texts_:
            text.set_fontsize(_FONT_SIZE / needed)


class _TreeReader:
    """Reads what is drawn of one tree."""

    def __init__(
        self, forest: BaseForest, tree: int, style: Style, class_names: Sequence[str] | None
    ) -> None:
        self._writer = TreeWriter(forest, tree, style)
        self._values = node_values(forest.forest_, tree)
        self._directions = forest.forest_.directions(tree)
        self._style, self._class_names = style, class_names
        # What categories are worth is told in words.
        patches = grid_of(forest) if forest.categories_ is None else None
        self._shape = None if patches is None else patches._shape()
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
            condition = self._writer.comparisons(node)[0].replace(" ", _HARD_SPACE)
            if not is_drawn:
                condition = f"{self._writer.direction(node)} {condition}"
            lines = _wrap(condition, _SPLIT_LETTERS)
        elif kind == "stub":
            lines = ["...", f"{self._writer.count_leaves(number)} leaves"]
        values = self._values[number]
        if self._class_names is None:
            numbers = ", ".join(self._style.number(value) for value in values)
            lines += _wrap(f"mean {numbers}", _END_LETTERS)
        elif kind == "leaf":
            largest = float(max(values))
            lines += _wrap(join_best(self._class_names, values), _END_LETTERS)
            lines += [] if largest == 1.0 else [f"({self._style.number(largest)})"]
        return "\n".join([*lines, f"{_percent(share)} % of rows"])

    def _atom(self, number: int) -> NDArray[np.float64] | None:
        """The direction's weights as lines or images of channels, or None to use words."""
        if self._shape is None:
            return None
        weights = self._directions[[number]].toarray().astype(np.float64)
        kept = [a for a, length in enumerate(self._shape) if length > 1] or [0]
        runs = spread_over_axes("contiguous", self._contiguous, self._shape)
        maps = weights.reshape(1, *(self._shape[a] for a in kept))
        atom = channels_first(maps, [bool(runs[a]) for a in kept])[0]
        is_small = atom.ndim == 2 or (atom.ndim == 3 and len(atom) <= _MOST_CHANNELS)
        return atom if is_small else None


class _Places:
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


class _Palette:
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

    def explain(self, axis: Axes, width: float) -> None:
        """Add a colour bar, or a legend of the classes where there are not too many."""
        if self._names is None:
            axis.figure.colorbar(self._mappable, ax=axis, label="mean of the target", shrink=0.7)
        elif len(self._names) <= _MOST_NAMED_CLASSES:
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
                fontsize=_FONT_SIZE + 1,
            )


def _draw_lines(axis: Axes, atom: NDArray[np.float64], most: float) -> None:
    axis.axhline(0.0, color="0.75", linewidth=0.6)
    for channel in np.flatnonzero(atom.any(axis=1)):
        position = np.arange(atom.shape[1])
        axis.plot(position, atom[channel], drawstyle="steps-mid", color=f"C{channel}", linewidth=1)
    axis.set(xlim=(-0.5, atom.shape[1] - 0.5), ylim=(-1.15 * most, 1.15 * most))


def _draw_images(axis: Axes, atom: NDArray[np.float64], colours: dict[str, Any]) -> None:
    """Draw the channels side by side, with an empty column between them."""
    framed = np.pad(atom, ((0, 0), (0, 0), (0, 1)), constant_values=np.nan)
    axis.imshow(np.hstack(list(framed))[:, :-1], **colours)


def _height(node: TreeNode) -> float:
    atom = _ATOM + _PAD if node.atom is not None else 0.0
    return atom + _LINE * (node.text.count("\n") + 1) + _BAR + 3 * _PAD


def _wrap(text: str, letters: int) -> list[str]:
    # A sign stays with what follows it.
    for sign in "+-":
        text = text.replace(f"{sign} ", f"{sign}{_HARD_SPACE}")
    return [line.replace(_HARD_SPACE, " ") for line in wrap(text, letters, break_on_hyphens=False)]


def _percent(share: float) -> str:
    return "< 1" if 0.0 < share < 0.01 else f"{100 * share:.0f}"


def _check_class_names(forest: BaseForest, given: Sequence[str] | None) -> Sequence[str] | None:
    classes = getattr(forest, "classes_", None)
    if classes is None:
        if given is not None:
            raise invalid("class_names", "None for a regressor", given, "leave it out")
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
