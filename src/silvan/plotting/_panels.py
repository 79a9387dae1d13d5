"""The panels that a plot of features is made of: how they are arranged, and drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csgraph

from silvan._validation import invalid
from silvan.forests.base import BaseForest
from silvan.projections import GraphNeighborhoods

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_COLUMNS = 5
_N_TICKS = 4
# Path lengths between more nodes take seconds, and their plot says little.
MAX_NODES_TO_LAY_OUT = 2000


class Panel(NamedTuple):
    """What is drawn on one pair of axes."""

    title: str
    values: NDArray[np.float64]  # (n_lines, length), (height, width) or (n_nodes,)
    background: NDArray[np.float64] | None = None  # of the same shape
    names: Sequence[str] = ()  # of the lines
    level: float = np.nan  # of the background that its outline has


class Labels(NamedTuple):
    """What the parts of a plot are called."""

    channels: list[str]  # of the axes that are not contiguous, one for each of their places
    names: list[str | None]  # of the contiguous axes
    coords: list[NDArray[Any] | None]  # along these


def label_parts(
    shape: tuple[int, ...],
    contiguous: Sequence[bool],
    axis_names: Sequence[str] | None,
    coords: Sequence[Any] | None,
) -> Labels:
    """Names of channels and of contiguous axes, in the order of `channels_first`."""
    names = _of_axes("axis_names", axis_names, shape)
    places = [None if c is None else np.asarray(c) for c in _of_axes("coords", coords, shape)]
    for axis, (values, length) in enumerate(zip(places, shape, strict=True)):
        if values is not None and values.shape != (length,):
            raise ValueError(
                f"coords of axis {axis} must have {length} entries, one for each place, but they "
                f"have shape {values.shape}; pass None for an axis without coordinates."
            )
    runs = [a for a, run in enumerate(contiguous) if run] or [len(shape) - 1]
    others = [a for a in range(len(shape)) if a not in runs]
    channels = []
    for at in np.ndindex(*(shape[a] for a in others)):
        known = [_place(names[a], places[a], i) for a, i in zip(others, at, strict=True)]
        channels.append(", ".join(known))
    if all(names[a] is None and places[a] is None for a in others):
        channels = [f"plane {c}" for c in range(len(channels))]
    return Labels(channels, [names[a] for a in runs], [places[a] for a in runs])


def axis_labels(
    forest: BaseForest, shape: Any, axis_names: Sequence[str] | None, coords: Sequence[Any] | None
) -> dict[str, Any]:
    """Names and coordinates of the axes: those given, or those that a forest has seen."""
    axes = forest.fitted_.axes if shape is None else None
    if axes is not None:
        axis_names = axes.names if axis_names is None else axis_names
        coords = axes.coords if coords is None else coords
    return {"axis_names": axis_names, "coords": coords}


def _of_axes(name: str, given: Sequence[Any] | None, shape: tuple[int, ...]) -> list[Any]:
    if given is None:
        return [None] * len(shape)
    if isinstance(given, str) or len(given) != len(shape):
        raise invalid(
            name,
            f"None or one entry for each of the {len(shape)} axes of a sample",
            given,
            "pass None in place of those that have none",
        )
    return list(given)


def _place(name: str | None, values: NDArray[Any] | None, i: int) -> str:
    """What a place along an axis is called."""
    if values is None:
        return f"{name or 'channel'} {i}"
    value = values[i]
    if isinstance(value, str):
        return str(value)
    text = f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
    return f"{name} {text}" if name else text


def channels_first(values: NDArray[np.float64], contiguous: Sequence[bool]) -> NDArray[np.float64]:
    """Maps of shape (n_maps, n_channels, *contiguous axes); all others are one of channels."""
    runs = [a + 1 for a, run in enumerate(contiguous) if run] or [values.ndim - 1]
    others = [a for a in range(1, values.ndim) if a not in runs]
    moved = values.transpose(0, *others, *runs)
    return moved.reshape(len(values), -1, *(values.shape[a] for a in runs))


def line_panels(
    values: NDArray[np.float64],
    classes: list[str],
    background: NDArray[np.float64] | None,
    names: Sequence[str],
) -> list[Panel]:
    """A panel of all channels for each class, or one panel of all classes of a single channel."""
    n_channels = values.shape[1]
    if n_channels == 1:
        return [Panel("", values[:, 0], background, classes)]
    return [Panel(name, v, background, names) for name, v in zip(classes, values, strict=True)]


def image_panels(
    values: NDArray[np.float64],
    classes: list[str],
    background: NDArray[np.float64] | None,
    n_slices: int,
    labels: Labels,
) -> tuple[list[Panel], int]:
    """Panels for each class, channel and slice, and how many of them are side by side."""
    n_channels, *lengths = values.shape[1:]
    if len(lengths) > 3:
        raise ValueError(
            f"a map with {len(lengths)} contiguous axes cannot be drawn, but one with up to 3 can; "
            "add it up over the other axes first."
        )
    parts = labels.channels if n_channels > 1 else [""]
    # All slices of a channel are outlined at one level: half of its range.
    outlined = np.empty((n_channels, 0)) if background is None else background
    levels = [sum(_range(channel)) / 2 for channel in outlined]
    if len(lengths) == 3:
        at = np.unique(np.linspace(0, lengths[0] - 1, n_slices).round().astype(int))
        slices = [_place(labels.names[0] or "slice", labels.coords[0], z) for z in at]
        parts = [_join(part, name) for part in parts for name in slices]
        levels = [level for level in levels for _ in at]
        values = values[:, :, at].reshape(len(values), -1, *lengths[1:])
        background = None if background is None else background[:, at].reshape(values.shape[1:])
    panels = [
        Panel(
            _join(name, part),
            values[k, i],
            None if background is None else background[i],
            level=levels[i],
        )
        for k, name in enumerate(classes)
        for i, part in enumerate(parts)
    ]
    return panels, len(parts) if len(parts) > 1 else min(len(panels), MAX_COLUMNS)


def _range(values: NDArray[np.float64]) -> tuple[float, float]:
    """Smallest and largest value that is not missing; NaN where there is none."""
    seen = values[np.isfinite(values)]
    return (float(seen.min()), float(seen.max())) if len(seen) else (np.nan, np.nan)


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
            "plots need matplotlib, which is not installed; install silvan[plot]."
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


def draw_lines(
    axis: Axes,
    panel: Panel,
    label: str,
    limits: tuple[float, float],
    behind_label: str,
    labels: Labels,
) -> None:
    """Draw a line for each row of the values, over pale lines of the background."""
    places = labels.coords[0]
    x = np.arange(panel.values.shape[-1]) if places is None else places
    several = len(panel.values) > 1
    if panel.background is not None:
        behind = axis.twinx()
        match = several and len(panel.background) == len(panel.values)
        for number, line in enumerate(panel.background):
            colour, alpha = (f"C{number}", 0.35) if match else ("0.75", 1.0)
            behind.plot(x, line, color=colour, alpha=alpha, linewidth=1)
        behind.set_ylabel(behind_label, color="0.55")
        behind.tick_params(axis="y", labelcolor="0.55")
        axis.set_zorder(behind.get_zorder() + 1)
        axis.patch.set_visible(False)
    for number, (line, name) in enumerate(zip(panel.values, panel.names, strict=True)):
        axis.plot(x, line, color=f"C{number}", label=name)
    axis.set(xlabel=labels.names[0] or "position", ylabel=label, ylim=limits)
    if several:
        # Beside the lines, which it would cover.
        axis.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.1, 1))


def draw_image(
    axis: Axes, panel: Panel, colours: dict[str, Any], labels: Labels, outline: str = "white"
) -> Any:
    """Draw the values as colours, and the outline of the background; return the image."""
    # Otherwise neighbouring rows would be blended where columns are about as wide as pixels.
    image = axis.imshow(panel.values, interpolation="nearest", **colours)
    behind = panel.background
    low, high = (np.nan, np.nan) if behind is None else _range(behind)
    if behind is not None and low < panel.level < high:
        # Lines run between the centres of cells; a border of copies takes them to the edge.
        height, width = behind.shape
        axis.contour(
            np.arange(-1, width + 1),
            np.arange(-1, height + 1),
            np.pad(np.nan_to_num(behind, nan=low), 1, mode="edge"),
            levels=[panel.level],
            colors=outline,
            linestyles="solid",
            linewidths=0.9,
        )
        axis.set(xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5))
    axis.set(xticks=[], yticks=[], ylabel=labels.names[-2] or "", xlabel=labels.names[-1] or "")
    for places, set_ticks in zip(
        labels.coords[-2:], (axis.set_yticks, axis.set_xticks), strict=True
    ):
        if places is not None:
            at = np.unique(np.linspace(0, len(places) - 1, _N_TICKS).round().astype(int))
            set_ticks(at, [_place(None, places, int(i)) for i in at])
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


def place_nodes(
    graph: Any, positions: ArrayLike | None, n_features: int
) -> tuple[Any, NDArray[np.float64]]:
    """Edges of the graph of the features, and where its nodes are drawn."""
    distribution = GraphNeighborhoods(graph)
    distribution.validate(n_features)
    edges = distribution.adjacency()
    if positions is None:
        return edges, lay_out(edges)
    places = np.asarray(positions, dtype=np.float64)
    if places.shape != (n_features, 2):
        raise ValueError(
            f"positions must have shape {(n_features, 2)}, a place for each node, but they "
            f"have shape {places.shape}; pass two coordinates for each feature."
        )
    return edges, places


def lay_out(edges: Any) -> NDArray[np.float64]:
    """Places whose distances are close to the path lengths: classical scaling, or a circle."""
    n_nodes = edges.shape[0]
    if not 3 <= n_nodes <= MAX_NODES_TO_LAY_OUT or csgraph.connected_components(edges)[0] > 1:
        angle = 2 * np.pi * np.arange(n_nodes) / n_nodes
        return np.column_stack([np.cos(angle), np.sin(angle)])
    squares = csgraph.shortest_path(edges, unweighted=True) ** 2
    products = -0.5 * (squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None])
    values, vectors = np.linalg.eigh(products - 0.5 * squares.mean())
    places: NDArray[np.float64] = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0.0))
    return places[:, ::-1]
