"""Plots of the importance of features, on a grid or a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from silvan._validation import check_integer, invalid
from silvan.forests.base import BaseForest
from silvan.forests.labelled import plain_samples
from silvan.inspection.features import grid_of, importance_map
from silvan.plotting._panels import (
    MAX_COLUMNS,
    Labels,
    Panel,
    axis_labels,
    channels_first,
    draw_graph,
    draw_image,
    draw_lines,
    image_panels,
    label_parts,
    line_panels,
    make_axes,
    place_nodes,
)
from silvan.projections import GraphNeighborhoods
from silvan.projections.grids import spread_over_axes
from silvan.projections.mixture import find_component

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LABELS = {
    "counts": "share of the uses in splits",
    "gain": "share of the decrease of impurity",
}
_PANEL_SIZE = {"line": (6.0, 3.2), "image": (2.6, 2.4), "graph": (4.0, 3.6)}


class ImportanceDisplay:
    """Plot of the importance of features where they lie: on a grid or on a graph.

    Make it with `from_estimator` or `from_importances`. Grids are drawn by the number of their
    contiguous axes: one makes lines, two an image, three a row of slices of a volume along
    the first. An axis that is not contiguous (channels) makes one line or one panel for each of its
    places. On a graph, features are the nodes.

    Parameters
    ----------
    importances : ndarray
        Importance of each feature, in the shape of the data; with an axis of classes in front where
        `classes` is given.
    classes : sequence, default=None
        Labels of the classes.
    contiguous : bool or sequence of bool, default=True
        Whether neighbours along an axis of the grid belong together, as in
        :class:`silvan.projections.Patches`.
    graph : sparse matrix or networkx graph, default=None
        Graph of the features, as in :class:`silvan.projections.GraphNeighborhoods`.
    positions : array-like of shape (n_features, 2), default=None
        Where to draw the nodes of the graph. None places them by the lengths of the paths between
        them, or on a circle where the graph has several components or more than 2000 nodes.
    background : array-like in the shape of the data, default=None
        A typical sample, drawn pale behind lines and as an outline on images.
    label : str, default="importance"
        What the values are.
    axis_names : sequence of str, default=None
        What the axes of a sample are called.
    coords : sequence of array-like or None, default=None
        Coordinates of the places along each axis of a sample, such as names of sensors and times.

    Attributes
    ----------
    figure_ : matplotlib Figure
        The figure.
    ax_ : matplotlib Axes
        The axes, or the first of them.
    axes_ : ndarray of matplotlib Axes
        The axes of all panels.

    See Also
    --------
    silvan.inspection.importance_map : The values.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from silvan import ManifoldForestClassifier
    >>> from silvan.plotting import ImportanceDisplay
    >>> digits = load_digits()
    >>> forest = ManifoldForestClassifier(20, random_state=0).fit(digits.images, digits.target)
    >>> display = ImportanceDisplay.from_estimator(forest, digits.images)
    >>> display.importances.shape
    (8, 8)
    >>> display.figure_.savefig("importance.png")
    """

    figure_: Figure
    ax_: Axes
    axes_: NDArray[np.object_]

    def __init__(
        self,
        importances: ArrayLike,
        *,
        classes: Sequence[Any] | NDArray[Any] | None = None,
        contiguous: bool | Sequence[bool] = True,
        graph: Any = None,
        positions: ArrayLike | None = None,
        background: ArrayLike | None = None,
        label: str = "importance",
        axis_names: Sequence[str] | None = None,
        coords: Sequence[Any] | None = None,
    ) -> None:
        self.importances = np.asarray(importances, dtype=np.float64)
        self.classes = classes
        self.contiguous = contiguous
        self.graph = graph
        self.positions = positions
        self.background = background
        self.label = label
        self.axis_names = axis_names
        self.coords = coords

    @classmethod
    def from_estimator(
        cls,
        forest: BaseForest,
        X: ArrayLike | None = None,
        *,
        kind: str = "counts",
        per_class: bool = False,
        shape: int | Sequence[int] | None = None,
        positions: ArrayLike | None = None,
        axis_names: Sequence[str] | None = None,
        coords: Sequence[Any] | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the importance map of a fitted forest.

        Parameters
        ----------
        forest : fitted forest
            A classifier or regressor of this library.
        X : array-like of shape (n_samples, n_features) or (n_samples, ...), default=None
            Samples whose mean is drawn behind the importance; not on graphs. Categorical features
            have none.
        kind, per_class, shape
            As in :func:`silvan.inspection.importance_map`.
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
        display : ImportanceDisplay
            The plot.
        """
        importances = importance_map(forest, kind, per_class=per_class, shape=shape)
        patches = grid_of(forest) if shape is None else None
        graph = find_component(forest.projections_, GraphNeighborhoods)
        display = cls(
            importances,
            classes=getattr(forest, "classes_", None) if per_class else None,
            contiguous=True if patches is None else patches.contiguous,
            graph=None if graph is None else graph.graph,
            positions=positions,
            background=None if X is None else _mean_sample(forest, X),
            label=_LABELS[kind],
            **axis_labels(forest, shape, axis_names, coords),
        )
        return display.plot(ax, **options)

    @classmethod
    def from_importances(cls, importances: ArrayLike, *, ax: Any = None, **parameters: Any) -> Self:
        """Draw importances of any origin.

        Parameters
        ----------
        importances : array-like
            Importance of each feature, in the shape of the data.
        ax : Axes or array of Axes, default=None
            Axes to draw on, one for each panel; None makes a new figure.
        **parameters
            The other parameters of the class, and those of `plot`.

        Returns
        -------
        display : ImportanceDisplay
            The plot.
        """
        options = {
            name: parameters.pop(name) for name in ("cmap", "n_slices") if name in parameters
        }
        return cls(importances, **parameters).plot(ax, **options)

    def plot(self, ax: Any = None, *, cmap: str = "viridis", n_slices: int = 8) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : Axes or array of Axes, default=None
            Axes to draw on, one for each panel; None makes a new figure.
        cmap : str, default="viridis"
            Colours of the values.
        n_slices : int, default=8
            Largest number of slices of a volume, evenly spaced.

        Returns
        -------
        display : ImportanceDisplay
            This plot.
        """
        check_integer("n_slices", n_slices, 1)
        kind, panels, n_columns = self._panels(n_slices)
        axes = make_axes(ax, len(panels), n_columns, _PANEL_SIZE[kind])
        top = float(self.importances.max()) or 1.0
        colours = {"cmap": cmap, "vmin": 0.0, "vmax": top}
        size = panels[0].values.size
        nodes = place_nodes(self.graph, self.positions, size) if kind == "graph" else ()
        mappable = None
        for axis, panel in zip(axes, panels, strict=True):
            if kind == "line":
                draw_lines(axis, panel, self.label, (0, 1.05 * top), "mean of X", self._labels())
            elif kind == "image":
                mappable = draw_image(axis, panel, colours, self._labels())
            else:
                mappable = draw_graph(axis, panel, colours, *nodes)
            axis.set_title(panel.title)
        self.axes_, self.ax_, self.figure_ = axes, axes[0], axes[0].figure
        if mappable is not None:
            self.figure_.colorbar(mappable, ax=list(axes), label=self.label)
        return self

    def _panels(self, n_slices: int) -> tuple[str, list[Panel], int]:
        """Kind of plot, its panels, and how many of them are side by side."""
        values = self.importances if self.classes is not None else self.importances[None]
        classes = [""] if self.classes is None else [f"class {label}" for label in self.classes]
        if values.ndim < 2:
            raise invalid(
                "importances", "an array with at least one axis", values, "pass one per feature"
            )
        if len(classes) != len(values):
            raise ValueError(
                f"importances of shape {values.shape} are not one map for each of the "
                f"{len(classes)} classes; put the classes on the first axis, or leave them out."
            )
        if self.graph is not None:
            panels = [Panel(name, v.ravel()) for name, v in zip(classes, values, strict=True)]
            return "graph", panels, min(len(panels), MAX_COLUMNS)
        shape = values.shape[1:]
        contiguous = spread_over_axes("contiguous", self.contiguous, shape)
        values = channels_first(values, contiguous)
        background = None
        if self.background is not None:
            if np.size(self.background) != values[0].size:
                raise ValueError(
                    f"the background (the mean of X) has {np.size(self.background)} values but the "
                    f"importance map has {values[0].size}; pass samples of the same grid."
                )
            background = channels_first(np.reshape(self.background, (1, *shape)), contiguous)[0]
        if values.ndim == 3:
            return "line", line_panels(values, classes, background, self._labels().channels), 1
        return "image", *image_panels(values, classes, background, n_slices, self._labels())

    def _labels(self) -> Labels:
        """What channels and axes are called."""
        shape = self.importances.shape[self.classes is not None :]
        contiguous = spread_over_axes("contiguous", self.contiguous, shape)
        return label_parts(shape, contiguous, self.axis_names, self.coords)


def _mean_sample(forest: BaseForest, X: Any) -> NDArray[np.float64]:
    """The mean of the samples, in their shape; NaN where features are categorical."""
    fitted = forest.fitted_
    X, _ = plain_samples(X)
    rows = np.asarray(X) if fitted.categories is None else fitted.check(X)
    mean: NDArray[np.float64] = np.mean(rows, axis=0, dtype=np.float64)
    if fitted.categories is not None:
        mean[fitted.categories.columns] = np.nan
    return mean
