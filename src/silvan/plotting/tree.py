"""TreeDisplay: a plot of one tree, with its directions in the shape of the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor

from silvan._validation import check_flag, check_integer, check_one_output, invalid
from silvan.export.readable import check_feature_names, check_tree
from silvan.export.tree_writer import Style
from silvan.forests.base import BaseForest
from silvan.plotting._panels import make_axes
from silvan.plotting._tree_layout import ATOM, BAR, FONT_SIZE, PAD, Palette, Places
from silvan.plotting._tree_nodes import MAX_LETTERS, TreeNode, TreeReader, check_class_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MARGIN = 0.04
_AROUND = 0.7  # for title and legend


class TreeDisplay:
    """Plot of one tree of a forest.

    Make it with `from_estimator`. Samples for which the condition of a split holds go left.
    Directions on a grid are small images or lines of their coefficients in the data's shape; those
    of tables, graphs and volumes are sums in words, with the codes of categories at the node in
    braces; long names lose their middle. Every node has the share of the tree's samples that reach
    it, and a bar: the shares of the classes, or the colour of the mean of the target (of several
    the first). Leaves have a pale colour of their class or mean. What is below `max_depth` is a
    dashed box that counts its leaves.

    Parameters
    ----------
    nodes : sequence of TreeNode
        The nodes to draw, parents before their children and left before right.
    class_names : sequence of str, default=None
        Names of the classes; None for a tree of a regressor.
    title : str, default=""
        What is above the tree.
    label : str, default="mean of the target"
        What the colour bar of numbers shows.

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
        Axes of the directions that are drawn as images or lines, by the number of their node.

    See Also
    --------
    silvan.export.to_text : The tree as text.

    Notes
    -----
    With `scaling`, directions and thresholds are over scaled features; the title says so. In an
    honest forest shares are those of the samples that decide splits, classes and means those of the
    other samples. Leaves of a boosted forest hold what they add to a raw score, and splits the mean
    of that over their leaves.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ForestClassifier
    >>> from silvan.plotting import TreeDisplay
    >>> from silvan.projections import SparseSigns
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = ForestClassifier(5, projections=SparseSigns(), max_depth=2, random_state=3)
    >>> display = TreeDisplay.from_estimator(forest.fit(X, y))
    >>> print(display.texts_[0].get_text())
    sepal length (cm) + petal width (cm)
    <= 5.90
    100 % of samples
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
        label: str = "mean of the target",
    ) -> None:
        self.nodes = nodes
        self.class_names = class_names
        self.title = title
        self.label = label

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
            Digits after the decimal point; as many digits at all of a number that would round to 0.
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
            The plot.
        """
        check_one_output(forest)
        if not (is_classifier(forest) or is_regressor(forest)):
            raise invalid("forest", "a classifier or a regressor", forest, "pass one of these")
        check_tree(forest, tree)
        check_integer("max_depth", max_depth, 1, or_none=True)
        check_integer("decimals", decimals, 0)
        check_integer("max_terms", max_terms, 1)
        check_flag("show_missing", show_missing)
        features = check_feature_names(forest, feature_names)
        style = Style(features, decimals, max_terms, show_missing, MAX_LETTERS)
        names = check_class_names(forest, class_names)
        nodes = TreeReader(forest, tree, style, names).read(max_depth)
        title = f"tree {tree}"
        if forest.scaling is not None:
            title += f', of features with scaling="{forest.scaling}"'
        is_boosted = forest.fitted_.start is not None
        label = "addition to the raw score" if is_boosted else "mean of the target"
        return cls(nodes, class_names=names, title=title, label=label).plot(ax, **options)

    def plot(self, ax: Any = None, *, cmap: str | None = None, atom_cmap: str = "RdBu_r") -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on, which lose their ticks and frame; None makes a new figure
            that is as large as the tree needs.
        cmap : str, default=None
            Colours of the classes or means; None is "tab10" or "tab20" for classes as far as these
            reach, and "viridis" otherwise.
        atom_cmap : str, default="RdBu_r"
            Colours of the coefficients of directions that are images; the middle one stands for 0.

        Returns
        -------
        display : TreeDisplay
            This plot.
        """
        places = Places(self.nodes)
        width, height = places.size
        axis = make_axes(ax, 1, 1, (width, height + _AROUND))[0]
        self.ax_, self.figure_ = axis, axis.figure
        axis.set(xlim=(-_MARGIN, width + _MARGIN), ylim=(-_MARGIN, height + _MARGIN))
        axis.set_title(self.title)
        axis.set_axis_off()
        palette = Palette(self.nodes, self.class_names, cmap)
        self._draw_edges(places)
        self.boxes_, self.texts_, self.atoms_ = [], [], {}
        for number in range(len(self.nodes)):
            self._draw_node(number, places, palette)
        self._draw_atoms(places, atom_cmap)
        palette.explain(axis, width, self.label)
        self._fit_texts()
        return self

    def _draw_edges(self, places: Places) -> None:
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
                    fontsize=FONT_SIZE,
                    ha="center",
                    va="center",
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
                    zorder=2,
                )

    def _draw_node(self, number: int, places: Places, palette: Palette) -> None:
        from matplotlib.patches import Rectangle

        node, axis = self.nodes[number], self.ax_
        x, top = places.x[number], places.top[number]
        width, height = places.width[number], places.height[number]
        face = palette.pale(node.values) if node.kind == "leaf" else "white"
        style = "--" if node.kind == "stub" else "-"
        corner = (x - width / 2, top - height)
        box = Rectangle(corner, width, height, fc=face, ec="0.35", ls=style, lw=0.8, zorder=3)
        self.boxes_.append(axis.add_patch(box))
        left, bottom = corner[0] + PAD, corner[1] + PAD
        for share, colour in palette.bar(node.values):
            part = share * (width - 2 * PAD)
            axis.add_patch(Rectangle((left, bottom), part, BAR, fc=colour, lw=0, zorder=4))
            left += part
        text = axis.text(
            x,
            bottom + BAR + PAD / 2,
            node.text,
            fontsize=FONT_SIZE,
            ha="center",
            va="bottom",
            zorder=5,
        )
        self.texts_.append(text)

    def _draw_atoms(self, places: Places, cmap: str) -> None:
        atoms = {i: node.atom for i, node in enumerate(self.nodes) if node.atom is not None}
        largest = max((float(np.abs(atom).max()) for atom in atoms.values()), default=1.0)
        for number, atom in atoms.items():
            x, top, width = places.x[number], places.top[number], places.width[number]
            frame = (x - width / 2 + PAD, top - PAD - ATOM, width - 2 * PAD, ATOM)
            inset = self.ax_.inset_axes(frame, transform=self.ax_.transData, zorder=5)
            inset.set(xticks=[], yticks=[])
            inset.spines[:].set(color="0.75", linewidth=0.6)
            if atom.ndim == 2:
                _draw_lines(inset, atom, largest)
            else:
                _draw_images(inset, atom, {"cmap": cmap, "vmin": -largest, "vmax": largest})
            self.atoms_[number] = inset

    def _fit_texts(self) -> None:
        """Shrink all texts alike until each fits its box: for small axes and long words."""
        self.figure_.draw_without_rendering()
        needed = 1.0
        for text, box, node in zip(self.texts_, self.boxes_, self.nodes, strict=True):
            has, room = text.get_window_extent(), box.get_window_extent()
            above = ATOM + PAD if node.atom is not None else 0.0
            free = 1.0 - (2 * PAD + BAR + above) / box.get_height()
            needed = max(needed, 1.04 * has.width / room.width, has.height / (free * room.height))
        for text in self.texts_:
            text.set_fontsize(FONT_SIZE / needed)


def _draw_lines(axis: Axes, atom: NDArray[np.float64], largest: float) -> None:
    axis.axhline(0.0, color="0.75", linewidth=0.6)
    for channel in np.flatnonzero(atom.any(axis=1)):
        position = np.arange(atom.shape[1])
        axis.plot(position, atom[channel], drawstyle="steps-mid", color=f"C{channel}", linewidth=1)
    axis.set(xlim=(-0.5, atom.shape[1] - 0.5), ylim=(-1.15 * largest, 1.15 * largest))


def _draw_images(axis: Axes, atom: NDArray[np.float64], colours: dict[str, Any]) -> None:
    """Draw the channels side by side, with an empty column between them."""
    framed = np.pad(atom, ((0, 0), (0, 0), (0, 1)), constant_values=np.nan)
    axis.imshow(np.hstack(list(framed))[:, :-1], **colours)
