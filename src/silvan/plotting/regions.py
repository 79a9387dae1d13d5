"""Plot of the regions that the leaves of a tree cut the plane into."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from silvan._validation import check_one_output
from silvan.forests.base import BaseForest
from silvan.inspection import leaf_polytope
from silvan.inspection.polytopes import LeafPolytope, check_linear
from silvan.plotting._panels import make_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class RegionsDisplay:
    """Plot of the leaves of one tree over two features: each a convex polygon.

    Make it with `from_estimator`.

    Parameters
    ----------
    polygons : list of ndarray of shape (n_corners, 2)
        The corners of each region inside the limits of the plot.
    values : ndarray of shape (n_regions,)
        What colours the regions: the most probable class by its number, or the first output.
    samples : ndarray of shape (n_samples, 2)
        Samples to draw with them.

    Attributes
    ----------
    figure_ : matplotlib Figure
        The figure.
    ax_ : matplotlib Axes
        The axes.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from silvan import ForestClassifier
    >>> from silvan.plotting import RegionsDisplay
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> forest = ForestClassifier(5, random_state=0).fit(X, y)
    >>> display = RegionsDisplay.from_estimator(forest, X, tree=0)
    >>> len(display.polygons) > 5
    True
    """

    figure_: Figure
    ax_: Axes

    def __init__(
        self,
        polygons: list[NDArray[np.float64]],
        values: NDArray[np.float64],
        samples: NDArray[np.float64],
    ) -> None:
        self.polygons = polygons
        self.values = values
        self.samples = samples

    @classmethod
    def from_estimator(
        cls,
        forest: BaseForest,
        X: ArrayLike,
        *,
        tree: int = 0,
        margin: float = 0.1,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the regions of a tree around some samples.

        Parameters
        ----------
        forest : fitted forest
            A forest of two numeric features.
        X : array-like of shape (n_samples, 2)
            Samples that determine the range of the plot; they are drawn with the regions.
        tree : int, default=0
            The number of the tree.
        margin : float, default=0.1
            How far the plot extends beyond the samples, as a share of their range.
        ax : Axes, default=None
            Axes to draw on; None makes a new figure.
        **options
            Further parameters of `plot`.

        Returns
        -------
        display : RegionsDisplay
            The plot.
        """
        check_one_output(forest)
        check_linear(forest)
        samples = np.asarray(X, dtype=np.float64)
        if samples.ndim != 2 or samples.shape[1] != 2:
            raise ValueError(
                f"regions can be drawn over two features, but X has shape {samples.shape}; fit the "
                "forest on two of them, or read the inequalities with "
                "silvan.inspection.leaf_polytope."
            )
        low, high = samples.min(axis=0), samples.max(axis=0)
        extra = margin * np.where(high > low, high - low, 1.0)
        box = _rectangle(low - extra, high + extra)
        values = forest.forest_.leaf_values(tree).toarray()
        shown = values.argmax(axis=1) if hasattr(forest, "classes_") else values[:, 0]
        left = forest.forest_.left[
            forest.forest_.tree_offsets[tree] : forest.forest_.tree_offsets[tree + 1]
        ]
        polygons, numbers = [], []
        for leaf in np.flatnonzero(left < 0):
            polygon = _clip(box, leaf_polytope(forest, tree, int(leaf)))
            if len(polygon) >= 3:
                polygons.append(polygon)
                numbers.append(-1 - left[leaf])
        return cls(polygons, shown[numbers].astype(np.float64), samples).plot(ax, **options)

    def plot(self, ax: Any = None, *, cmap: str = "viridis", show_samples: bool = True) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None makes a new figure.
        cmap : str, default="viridis"
            Colours of the values.
        show_samples : bool, default=True
            Draw the samples.

        Returns
        -------
        display : RegionsDisplay
            The plot itself.
        """
        from matplotlib.collections import PolyCollection

        (ax,) = make_axes(ax, 1, 1, (5.0, 4.5))
        regions = PolyCollection(
            [polygon.tolist() for polygon in self.polygons],
            array=self.values,
            cmap=cmap,
            alpha=0.5,
            edgecolors="0.3",
            linewidths=0.6,
        )
        ax.add_collection(regions)
        if show_samples:
            ax.scatter(*self.samples.T, s=6, color="0.15")
        ax.autoscale_view()
        ax.set(xlabel="feature 0", ylabel="feature 1", title="Regions of the leaves of a tree")
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _rectangle(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])


def _clip(polygon: NDArray[np.float64], polytope: LeafPolytope) -> NDArray[np.float64]:
    """The part of a convex polygon where all inequalities hold, cut off one after the other."""
    for normal, bound in zip(polytope.A.toarray(), polytope.b, strict=True):
        if len(polygon) == 0:
            break
        slack = bound - polygon @ normal
        corners = []
        for i in range(len(polygon)):
            j = (i + 1) % len(polygon)
            if slack[i] >= 0:
                corners.append(polygon[i])
            if slack[i] * slack[j] < 0:
                share = slack[i] / (slack[i] - slack[j])
                corners.append(polygon[i] + share * (polygon[j] - polygon[i]))
        polygon = np.array(corners)
    return polygon
