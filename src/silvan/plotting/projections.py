"""Plot of the projections with the largest importance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from silvan.forests.base import BaseForest
from silvan.inspection.features import grid_of, map_shape
from silvan.inspection.projections import TopProjections, top_projections
from silvan.plotting._panels import MAX_COLUMNS, make_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MAX_NAMES = 40


class ProjectionsDisplay:
    """Plot of the projections with the largest importance: their coefficients as colours.

    Make it with `from_estimator` or `from_projections`. A column for each projection, a row for
    each feature (Figure 3.7 of [1]_); for images, a small image for each projection.

    Parameters
    ----------
    projections : TopProjections
        The projections.
    shape : tuple of int, default=None
        Shape of the data. Projections of data with two axes are drawn as images.

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
    silvan.inspection.top_projections : The projections.

    References
    ----------
    .. [1] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018.

    Examples
    --------
    >>> from silvan import ForestClassifier
    >>> from silvan.datasets import make_trunk
    >>> from silvan.plotting import ProjectionsDisplay
    >>> from silvan.projections import SparseSigns
    >>> X, y = make_trunk(500, random_state=0)
    >>> forest = ForestClassifier(50, projections=SparseSigns(density=0.5), random_state=0)
    >>> display = ProjectionsDisplay.from_estimator(forest.fit(X, y), k=5)
    >>> display.ax_.get_ylabel()
    'feature'
    """

    figure_: Figure
    ax_: Axes
    axes_: NDArray[np.object_]

    def __init__(self, projections: TopProjections, *, shape: Sequence[int] | None = None) -> None:
        self.projections = projections
        self.shape = shape

    @classmethod
    def from_estimator(
        cls,
        forest: BaseForest,
        k: int = 10,
        *,
        shape: int | Sequence[int] | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the top projections of a fitted forest.

        Parameters
        ----------
        forest : fitted forest
            A classifier or regressor of this library.
        k : int, default=10
            How many projections.
        shape : int or tuple of int, default=None
            Shape of the data; None is that of the forest's grid, if it has one.
        ax : Axes or array of Axes, default=None
            Axes to draw on, one for each panel; None makes a new figure.
        **options
            Further parameters of `plot`.

        Returns
        -------
        display : ProjectionsDisplay
            The plot.
        """
        projections = top_projections(forest, k)
        known = shape is not None or grid_of(forest) is not None
        grid = map_shape(forest, shape) if known else None
        return cls(projections, shape=grid).plot(ax, **options)

    @classmethod
    def from_projections(
        cls,
        projections: TopProjections,
        *,
        shape: Sequence[int] | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw projections that were computed before.

        Parameters
        ----------
        projections : TopProjections
            The projections.
        shape : tuple of int, default=None
            Shape of the data.
        ax : Axes or array of Axes, default=None
            Axes to draw on, one for each panel; None makes a new figure.
        **options
            Further parameters of `plot`.

        Returns
        -------
        display : ProjectionsDisplay
            The plot.
        """
        return cls(projections, shape=shape).plot(ax, **options)

    def plot(self, ax: Any = None, *, cmap: str = "RdBu_r") -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : Axes or array of Axes, default=None
            Axes to draw on, one for each panel; None makes a new figure.
        cmap : str, default="RdBu_r"
            Colours of the coefficients, from -1 to 1.

        Returns
        -------
        display : ProjectionsDisplay
            This plot.
        """
        if not len(self.projections):
            raise ValueError(
                "there are no projections to draw: no tree of the forest has a split; fit it on "
                "samples that differ."
            )
        coefficients = self.projections.directions.toarray()
        colours = {"cmap": cmap, "vmin": -1.0, "vmax": 1.0}
        if self.shape is not None and len(self.shape) == 2:
            images = coefficients.reshape(-1, *self.shape)
            axes = make_axes(ax, len(images), min(len(images), MAX_COLUMNS), (2.2, 2.3))
            for axis, image, share in zip(axes, images, self.projections.importances, strict=True):
                mappable = axis.imshow(image, **colours)
                axis.set(xticks=[], yticks=[], title=f"{share:.3f}")
        else:
            n_projections, n_features = coefficients.shape
            size = (0.55 * n_projections + 1.5, min(max(0.28 * n_features, 2.5), 8.0))
            axes = make_axes(ax, 1, 1, size)
            mappable = axes[0].imshow(
                coefficients.T, aspect="auto", interpolation="nearest", **colours
            )
            self._label(axes[0])
        self.axes_, self.ax_, self.figure_ = axes, axes[0], axes[0].figure
        self.figure_.colorbar(mappable, ax=list(axes), label="coefficient")
        return self

    def _label(self, axis: Axes) -> None:
        names, shares = self.projections.feature_names, self.projections.importances
        axis.set_xticks(range(len(shares)), [f"{share:.3f}" for share in shares], rotation=90)
        axis.set(xlabel="importance of the projection", ylabel="feature")
        if len(names) <= _MAX_NAMES:
            axis.set_yticks(range(len(names)), names)
