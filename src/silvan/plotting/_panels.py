"""The panels that a picture of importances is made of: how they are arranged, and drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from silvan._validation import invalid

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_COLUMNS = 5
# Path lengths between more nodes take seconds, and their picture says little.
MOST_NODES_TO_LAY_OUT = 2000


class Panel(NamedTuple):
    """What is drawn on one pair of axes."""

    title: str
    values: NDArray[np.float64]  # (n_lines, length), (height, width) or (n_nodes,)
    background: NDArray[np.float64] | None = None  # of the same shape
    names: Sequence[str] = ()  # of the lines


def channels_first(values: NDArray[np.float64], contiguous: Sequence[bool]) -> NDArray[np.float64]:
    """Maps of shape (n_maps, n_channels, *contiguous axes); all others are one of channels."""
    runs = [a + 1 for a, run in enumerate(contiguous) if run] or [values.ndim - 1]
    others = [a for a in range(1, values.ndim) if a not in runs]
    moved = values.transpose(0, *others, *runs)
    return moved.reshape(len(values), -1, *(values.shape[a] for a in runs))


def line_panels(
    values: NDArray[np.float64], classes: list[str], background: NDArray[np.float64] | None
) -> list[Panel]:
    """A panel of all channels for each class, or one panel of all classes of a single channel."""
    n_channels = values.shape[1]
    if n_channels == 1:
        return [Panel("", values[:, 0], background, classes)]
    names = [f"channel {c}" for c in range(n_channels)]
    return [Panel(name, v, background, names) for name, v in zip(classes, values, strict=True)]


def image_panels(
    values: NDArray[np.float64],
    classes: list[str],
    background: NDArray[np.float64] | None,
    n_slices: int,
) -> tuple[list[Panel], int]:
    """Panels for each class, channel and slice, and how many of them are side by side."""
    n_channels, *lengths = values.shape[1:]
    if len(lengths) > 3:
        raise ValueError(
            f"importances with {len(lengths)} contiguous axes cannot be drawn, but those with up "
            "to 3 can; add them up over the other axes first."
        )
    parts = [f"channel {c}" if n_channels > 1 else "" for c in range(n_channels)]
    if len(lengths) == 3:
        at = np.unique(np.linspace(0, lengths[0] - 1, n_slices).round().astype(int))
        parts = [_join(part, f"slice {z}") for part in parts for z in at]
        values = values[:, :, at].reshape(len(values), -1, *lengths[1:])
        background = None if background is None else background[:, at].reshape(values.shape[1:])
    panels = [
        Panel(_join(name, part), values[k, i], None if background is None else background[i])
        for k, name in enumerate(classes)
        for i, part in enumerate(parts)
    ]
    return panels, len(parts) if len(parts) > 1 else min(len(panels), MOST_COLUMNS)


def _join(*names: str) -> str:
    return ", ".join(filter(None, names))


def make_axes(
    ax: Any, n_panels: int, n_columns: int, size: tuple[float, float]
) -> NDArray[np.object_]:
    """The axes to draw on: those given, or those of a new figure."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "pictures need matplotlib, which is not installed; install silvan[plot]."
        ) from error
    if ax is not None:
        axes = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
        if len(axes) != n_panels:
            raise invalid(
                "ax", f"axes for {n_panels} panels", ax, "leave it out to make a new figure"
            )
        return axes
    n_rows = math.ceil(n_panels / n_columns)
    # The last term is room for a colour bar, the smallest height that for its label.
    size = (n_columns * size[0] + 0.8, max(n_rows * size[1], 3.0))
    axes = pyplot.subplots(n_rows, n_columns, figsize=size, squeeze=False, layout="constrained")[1]
    for unused in axes.ravel()[n_panels:]:
        unused.set_visible(False)
    return axes.ravel()[:n_panels]


def draw_lines(axis: Axes, panel: Panel, label: str, top: float) -> None:
    """Draw a line for each row of the values, over pale lines of the background."""
    several = len(panel.values) > 1
    if panel.background is not None:
        behind = axis.twinx()
        match = several and len(panel.background) == len(panel.values)
        for number, line in enumerate(panel.background):
            colour, alpha = (f"C{number}", 0.35) if match else ("0.75", 1.0)
            behind.plot(line, color=colour, alpha=alpha, linewidth=1)
        behind.set_ylabel("mean of X", color="0.55")
        behind.tick_params(axis="y", labelcolor="0.55")
        axis.set_zorder(behind.get_zorder() + 1)
        axis.patch.set_visible(False)
    for number, (line, name) in enumerate(zip(panel.values, panel.names, strict=True)):
        axis.plot(line, color=f"C{number}", label=name)
    axis.set(xlabel="position", ylabel=label, ylim=(0, 1.05 * top))
    if several:
        axis.legend(frameon=False)


def draw_image(axis: Axes, panel: Panel, colours: dict[str, Any]) -> Any:
    """Draw the values as colours, and the outline of the background; return the image."""
    image = axis.imshow(panel.values, **colours)
    behind = panel.background
    if behind is not None and behind.max() > behind.min():
        # Lines run between the centres of cells; a border of copies takes them to the edge.
        height, width = behind.shape
        axis.contour(
            np.arange(-1, width + 1),
            np.arange(-1, height + 1),
            np.pad(behind, 1, mode="edge"),
            levels=[(behind.min() + behind.max()) / 2],
            colors="white",
            linewidths=1,
        )
        axis.set(xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5))
    axis.set(xticks=[], yticks=[])
    return image


def draw_graph(
    axis: Axes, panel: Panel, colours: dict[str, Any], edges: Any, places: NDArray[np.float64]
) -> Any:
    """Draw the values as the colours of nodes; return these."""
    from matplotlib.collections import LineCollection

    pairs = np.column_stack(edges.nonzero())
    axis.add_collection(LineCollection(list(places[pairs]), colors="0.7", linewidths=0.8, zorder=1))
    size = float(np.clip(6000 / len(places), 8, 160))
    nodes = axis.scatter(
        places[:, 0], places[:, 1], c=panel.values, s=size, edgecolors="0.3", zorder=2, **colours
    )
    axis.set_aspect("equal")
    axis.set_axis_off()
    return nodes


def lay_out(edges: Any) -> NDArray[np.float64]:
    """Places whose distances are close to the path lengths: classical scaling, or a circle."""
    n_nodes = edges.shape[0]
    if not 3 <= n_nodes <= MOST_NODES_TO_LAY_OUT or csgraph.connected_components(edges)[0] > 1:
        angle = 2 * np.pi * np.arange(n_nodes) / n_nodes
        return np.column_stack([np.cos(angle), np.sin(angle)])
    squares = csgraph.shortest_path(edges, unweighted=True) ** 2
    products = -0.5 * (squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None])
    values, vectors = np.linalg.eigh(products - 0.5 * squares.mean())
    places: NDArray[np.float64] = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0.0))
    return places[:, ::-1]
