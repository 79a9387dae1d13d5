"""Plots of contributions: as bars, lines, saliency maps or nodes, in the shape of the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from silvan._validation import check_integer
from silvan.explanations.contributions import feature_contributions
from silvan.forests.base import BaseForest
from silvan.forests.frames import as_table, is_missing
from silvan.forests.labelled import plain_samples
from silvan.inspection.features import grid_of
from silvan.plotting import _panels
from silvan.plotting._panels import MAX_COLUMNS, Labels, Panel, channels_first, image_panels
from silvan.projections import GraphNeighborhoods
from silvan.projections.grids import spread_over_axes
from silvan.projections.mixture import find_component

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL_SIZE = {"image": (2.2, 2.4), "line": (6.0, 2.2), "bar": (5.0, 3.2), "graph": (3.6, 3.4)}


class ContributionDisplay:
    """Plot of what the features contributed to predictions.

    Samples on a grid are drawn by the number of its contiguous axes: one makes lines, two a map
    (red raises the prediction, blue lowers it) with the outline of the image, three a row of slices
    of a volume along the first. An axis that is not contiguous (channels) makes one line or one map
    for each of its places. On a graph, features are the nodes. All other samples are drawn as bars
    of their largest contributions.

    Parameters
    ----------
    contributions : array-like of shape (n_samples, ...)
        What each feature contributed to one output, in the shape of the data.
    samples : array-like of shape (n_samples, ...)
        The samples. Where they are drawn as bars they may hold categories besides numbers.
    titles : sequence of str
        What is above the plots.
    contiguous : bool or sequence of bool, default=True
        False for axes whose neighbours do not belong together: they are drawn as lines or maps of
        their own.
    grid : bool, default=True
        Whether the features lie on a grid; otherwise they are drawn as bars.
    graph : sparse matrix or networkx graph, default=None
        Graph of the features, as in :class:`silvan.projections.GraphNeighborhoods`.
    positions : array-like of shape (n_features, 2), default=None
        Where to draw the nodes of the graph; None places them as `ImportanceDisplay` does.
    feature_names : sequence of str, default=None
        Names of the features, for bars.
    axis_names : sequence of str, default=None
        What the axes of a sample are called.
    coords : sequence of array-like or None, default=None
        Coordinates of the places along each axis of a sample.

    Attributes
    ----------
    figure_ : matplotlib Figure
        The figure.
    axes_ : ndarray of matplotlib Axes
        The axes of all panels: one for each sample, or for each sample, channel and slice.

    See Also
    --------
    feature_contributions : What is drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from silvan import ManifoldForestClassifier
    >>> from silvan.plotting import ContributionDisplay
    >>> digits = load_digits()
    >>> forest = ManifoldForestClassifier(20, random_state=0).fit(digits.images, digits.target)
    >>> display = ContributionDisplay.from_estimator(forest, digits.images[:5])
    >>> display.titles[0]
    '0: 1.00'
    >>> display.figure_.savefig("contributions.png")
    """

    figure_: Figure
    axes_: NDArray[np.object_]

    def __init__(
        self,
        contributions: ArrayLike,
        samples: ArrayLike,
        titles: Sequence[str],
        *,
        contiguous: bool | Sequence[bool] = True,
        grid: bool = True,
        graph: Any = None,
        positions: ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
        axis_names: Sequence[str] | None = None,
        coords: Sequence[Any] | None = None,
    ) -> None:
        self.contributions = np.asarray(contributions, dtype=np.float64)
        samples = np.asarray(samples)
        self.samples = samples if samples.dtype == object else samples.astype(np.float64)
        self.titles = titles
        self.contiguous = contiguous
        self.grid = grid
        self.graph = graph
        self.positions = positions
        self.feature_names = feature_names
        self.axis_names = axis_names
        self.coords = coords

    @classmethod
    def from_estimator(
        cls,
        forest: BaseForest,
        X: ArrayLike,
        *,
        output: Any = None,
        positions: ArrayLike | None = None,
        axis_names: Sequence[str] | None = None,
        coords: Sequence[Any] | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the contributions to the predictions of a forest.

        Parameters
        ----------
        forest : fitted forest
            A classifier or regressor of this library.
        X : array-like of shape (n_samples, n_features)
            A few samples, each of which gets a plot of its own.
        output : label or int, default=None
            The class, or the number of the output of a regressor, that the contributions are to;
            None is the class that each sample is predicted to have, or the first output.
        positions : array-like of shape (n_features, 2), default=None
            Where to draw the nodes of a graph.
        axis_names, coords
            Names and coordinates of the axes; None takes those that `X` had in `fit`, if any.
        ax : Axes or array of Axes, default=None
            Axes to draw on, one for each panel; None makes a new figure.
        **options
            Further parameters of `plot`.

        Returns
        -------
        display : ContributionDisplay
            The plot.
        """
        bias, values = feature_contributions(forest, X)
        columns, titles = _outputs(forest, bias, values, output)
        if values.ndim == 3:
            values = values[np.arange(len(values)), :, columns]
        X, _ = plain_samples(X)
        patches = grid_of(forest) if forest.fitted_.categories is None else None
        shape = (forest.fitted_.n_features,) if patches is None else patches.grid.shape
        graph = find_component(forest.projections_, GraphNeighborhoods)
        display = cls(
            values.reshape(-1, *shape),
            _values_of(forest, X).reshape(-1, *shape),
            titles,
            contiguous=True if patches is None else patches.contiguous,
            grid=patches is not None,
            graph=None if graph is None else graph.graph,
            positions=positions,
            feature_names=forest.fitted_.feature_names,
            **_panels.axis_labels(forest, None, axis_names, coords),
        )
        return display.plot(ax, **options)

    def plot(
        self, ax: Any = None, *, max_features: int = 10, n_slices: int = 8, cmap: str = "RdBu_r"
    ) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : Axes or array of Axes, default=None
            Axes to draw on, one for each panel; None makes a new figure.
        max_features : int, default=10
            Largest number of bars.
        n_slices : int, default=8
            Largest number of slices of a volume, evenly spaced.
        cmap : str, default="RdBu_r"
            Colours of maps; those in the middle stand for no contribution.

        Returns
        -------
        display : ContributionDisplay
            This plot.
        """
        check_integer("max_features", max_features, 1)
        check_integer("n_slices", n_slices, 1)
        kind, panels, n_columns = self._panels(n_slices)
        axes = _panels.make_axes(ax, len(panels), n_columns, _PANEL_SIZE[kind])
        top = float(np.abs(self.contributions).max()) or 1.0
        colours = {"cmap": cmap, "vmin": -top, "vmax": top}
        size = panels[0].values.size
        nodes = _panels.place_nodes(self.graph, self.positions, size) if kind == "graph" else ()
        mappable = None
        for axis, panel in zip(axes, panels, strict=True):
            if kind == "image":
                mappable = _panels.draw_image(axis, panel, colours, self._labels(), outline="black")
            elif kind == "graph":
                mappable = _panels.draw_graph(axis, panel, colours, *nodes)
            elif kind == "line":
                axis.axhline(0.0, color="0.4", linewidth=0.6)
                limits = (-1.05 * top, 1.05 * top)
                _panels.draw_lines(axis, panel, "contribution", limits, "X", self._labels())
            else:
                _draw_bars(axis, panel, max_features)
            axis.set_title(panel.title)
        self.axes_, self.figure_ = axes, axes[0].figure
        if mappable is not None:
            self.figure_.colorbar(mappable, ax=list(axes), label="contribution")
        return self

    def _panels(self, n_slices: int) -> tuple[str, list[Panel], int]:
        """Kind of plot, its panels, and how many of them are side by side."""
        values, samples = self.contributions, self.samples
        if self.graph is not None or not self.grid:
            values, samples = (array.reshape(len(array), -1) for array in (values, samples))
            names = self._names(values.shape[1])
            panels = [
                Panel(*panel, names) for panel in zip(self.titles, values, samples, strict=True)
            ]
            if self.graph is None:
                return "bar", panels, 1
            return "graph", panels, min(len(panels), MAX_COLUMNS)
        shape = values.shape[1:]
        kept, contiguous = self._kept_axes()
        values, samples = (
            channels_first(array.reshape(len(array), *(shape[a] for a in kept)), contiguous)
            for array in (values, samples)
        )
        labels = self._labels()
        if values.ndim == 3:
            names = labels.channels
            panels = [
                Panel(*panel, names) for panel in zip(self.titles, values, samples, strict=True)
            ]
            return "line", panels, 1
        drawn = [
            image_panels(value[None], [title], row, n_slices, labels)
            for title, value, row in zip(self.titles, values, samples, strict=True)
        ]
        panels = [panel for of_row, _ in drawn for panel in of_row]
        n_parts = drawn[0][1]
        return "image", panels, n_parts if n_parts > 1 else min(len(panels), MAX_COLUMNS)

    def _kept_axes(self) -> tuple[list[int], list[bool]]:
        """Axes of more than one place, the only ones that make a plot, and which are contiguous."""
        shape = self.contributions.shape[1:]
        runs = spread_over_axes("contiguous", self.contiguous, shape)
        kept = [a for a, length in enumerate(shape) if length > 1] or [0]
        return kept, [bool(runs[a]) for a in kept]

    def _labels(self) -> Labels:
        """What channels and axes are called."""
        shape = self.contributions.shape[1:]
        kept, contiguous = self._kept_axes()
        names, coords = (
            None if given is None else [given[a] for a in kept]
            for given in (self.axis_names, self.coords)
        )
        return _panels.label_parts(tuple(shape[a] for a in kept), contiguous, names, coords)

    def _names(self, n_features: int) -> Sequence[str]:
        if self.feature_names is not None:
            return self.feature_names
        return [f"x[{j}]" for j in range(n_features)]


def _values_of(forest: BaseForest, X: Any) -> NDArray[Any]:
    """The samples as numbers, or as objects where there are categories among them."""
    if forest.fitted_.categories is None:
        return np.asarray(X, dtype=np.float64)
    return forest.fitted_.categories.show(as_table(X))


def _outputs(
    forest: BaseForest, bias: Any, values: NDArray[np.float64], output: Any
) -> tuple[NDArray[np.intp], list[str]]:
    """The output to explain for each sample, and titles with its prediction."""
    predictions = np.atleast_1d(bias) + values.sum(axis=1).reshape(len(values), -1)
    # Two classes of a boosted forest share one score.
    single = forest.fitted_.start is not None and predictions.shape[1] == 1
    classes = None if single else getattr(forest, "classes_", None)
    known = np.arange(predictions.shape[1]) if classes is None else classes
    if output is None:
        columns = np.zeros(len(values), dtype=np.intp)
        columns = columns if classes is None else predictions.argmax(axis=1)
    else:
        at = np.flatnonzero(known == output)
        if len(at) == 0:
            raise ValueError(
                f"output must be None or one of {known[:10]}, but it is {output!r}; pass a class, "
                "or the number of an output."
            )
        columns = np.full(len(values), at[0])
    shown = predictions[np.arange(len(values)), columns]
    several = predictions.shape[1] > 1
    titles = [
        f"{known[column]}: {value:.2f}" if several else f"{value:.4g}"
        for column, value in zip(columns, shown, strict=True)
    ]
    return columns, titles


def _draw_bars(axis: Axes, panel: Panel, max_features: int) -> None:
    """Draw the largest contributions as bars, with names and values of the features."""
    values, row = panel.values, panel.background
    assert row is not None
    largest = np.argsort(-np.abs(values), kind="stable")[:max_features][::-1]
    labels = [f"{panel.names[j]} = {_write(row[j])}" for j in largest]
    colours = np.where(values[largest] < 0, "C0", "C3")
    axis.barh(labels, values[largest], color=colours)
    axis.axvline(0.0, color="0.4", linewidth=0.6)
    axis.set_xlabel("contribution")


def _write(value: Any) -> str:
    """The value of a feature; years and other numbers of a few digits as whole numbers."""
    if isinstance(value, str):
        return value
    if is_missing(value):
        return "missing"
    return f"{value:.0f}" if 100 <= abs(value) < 1e7 else f"{value:.3g}"
