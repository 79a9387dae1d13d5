"""Plot of the regions that the leaves of a tree cut the plane into."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from silvan._validation import check_one_output, invalid, is_number
from silvan.export.readable import check_feature_names, check_tree
from silvan.forests.base import BaseForest
from silvan.inspection import leaf_polytope
from silvan.inspection.polytopes import LeafPolytope, check_linear
from silvan.plotting._panels import make_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# A longer list would cover the plot.
MAX_NAMED_CLASSES = 10


class RegionsDisplay:
    """Plot of the leaves of one tree over two features: each a convex polygon.

    Make it with `from_estimator`.

    Parameters
    ----------
    polygons : list of ndarray of shape (n_corners, 2)
        The corners of each region inside the limits of the plot.
    values : ndarray of shape (n_regions,)
        What colours the regions: the most probable class by its number, or the value of the leaf.
    samples : ndarray of shape (n_samples, 2)
        Samples to draw with them.
    targets : ndarray of shape (n_samples,), default=None
        Colours of the samples, as `values`; None draws all of them in black.
    class_names : sequence of str, default=None
        Names of the classes; None if values are no numbers of classes.
    feature_names : sequence of str, default=("feature 0", "feature 1")
        Names of the axes.

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
        *,
        targets: NDArray[np.float64] | None = None,
        class_names: Sequence[str] | None = None,
        feature_names: Sequence[str] = ("feature 0", "feature 1"),
    ) -> None:
        self.polygons = polygons
        self.values = values
        self.samples = samples
        self.targets = targets
        self.class_names = class_names
        self.feature_names = feature_names

    @classmethod
    def from_estimator(
        cls,
        forest: BaseForest,
        X: ArrayLike,
        y: ArrayLike | None = None,
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
            A forest of two numeric features and one output; a boosted one has a single score.
        X : array-like of shape (n_samples, 2)
            Samples that determine the range of the plot; they are drawn with the regions.
        y : array-like of shape (n_samples,), default=None
            Their targets, which colour them as the regions; None draws them in black.
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
        check_tree(forest, tree)
        if not (is_number(margin) and 0 <= margin < np.inf):
            raise invalid("margin", "a number that is at least 0", margin, "pass for example 0.1")
        samples = _read_samples(forest, X)
        classes = getattr(forest, "classes_", None) if forest.fitted_.start is None else None
        shown = _leaf_colours(forest, tree, classes)
        targets = None if y is None else _target_colours(forest, y, samples, classes)
        low, high = samples.min(axis=0), samples.max(axis=0)
        extra = margin * np.where(high > low, high - low, 1.0)
        box = _rectangle(low - extra, high + extra)
        left = forest.forest_.tree(tree).left
        polygons, numbers = [], []
        for leaf in np.flatnonzero(left < 0):
            polygon = _clip(box, leaf_polytope(forest, tree, int(leaf)))
            if len(polygon) >= 3:
                polygons.append(polygon)
                numbers.append(-1 - left[leaf])
        names = check_feature_names(forest, None)
        display = cls(
            polygons,
            shown[numbers].astype(np.float64),
            samples,
            targets=targets,
            class_names=None if classes is None else [str(name) for name in classes],
            feature_names=("feature 0", "feature 1") if names is None else names,
        )
        return display.plot(ax, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        cmap: str = "viridis",
        show_samples: bool = True,
        show_key: bool = True,
    ) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None makes a new figure.
        cmap : str, default="viridis"
            Colours of the values.
        show_samples : bool, default=True
            Draw the samples.
        show_key : bool, default=True
            Say which colour is which class, or which value.

        Returns
        -------
        display : RegionsDisplay
            The plot itself.
        """
        from matplotlib.collections import PolyCollection

        (ax,) = make_axes(ax, 1, 1, (5.0, 4.5))
        colours = {"cmap": cmap, "norm": self._norm()}
        regions = PolyCollection(
            [polygon.tolist() for polygon in self.polygons],
            array=self.values,
            alpha=0.5,
            edgecolors="0.3",
            linewidths=0.6,
            **colours,
        )
        ax.add_collection(regions)
        if show_samples and self.targets is None:
            ax.scatter(*self.samples.T, s=6, color="0.15")
        elif show_samples:
            ax.scatter(
                *self.samples.T, s=14, c=self.targets, edgecolors="0.15", linewidths=0.5, **colours
            )
        if show_key:
            self._add_key(ax, regions)
        ax.autoscale_view()
        x_name, y_name = self.feature_names
        ax.set(xlabel=x_name, ylabel=y_name, title="Regions of the leaves of a tree")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _norm(self) -> Any:
        """From the smallest to the largest value that is drawn, or over all classes."""
        from matplotlib.colors import Normalize

        if self.class_names is not None:
            return Normalize(0, max(1, len(self.class_names) - 1))
        drawn = np.concatenate([self.values, *([] if self.targets is None else [self.targets])])
        return Normalize(float(drawn.min()), float(drawn.max()))

    def _add_key(self, ax: Any, regions: Any) -> None:
        """Names of the classes, or a scale of values."""
        from matplotlib.patches import Patch

        if self.class_names is None:
            ax.figure.colorbar(regions, ax=ax, label="value of the leaf")
        elif len(self.class_names) <= MAX_NAMED_CLASSES:
            handles = [
                Patch(color=regions.cmap(regions.norm(k)), alpha=0.5, label=name)
                for k, name in enumerate(self.class_names)
            ]
            ax.legend(handles=handles, loc="best", framealpha=0.8)


def _read_samples(forest: BaseForest, X: ArrayLike) -> NDArray[np.float64]:
    """Finite samples of two features."""
    if forest.fitted_.n_features != 2:
        raise ValueError(
            f"regions can be drawn over two features, but the forest has "
            f"{forest.fitted_.n_features}; fit it on two of them, or read the inequalities with "
            "silvan.inspection.leaf_polytope."
        )
    samples = np.asarray(forest.fitted_.read(X), dtype=np.float64)
    if not np.isfinite(samples).all():
        raise ValueError(
            "X has missing or infinite values, which have no place in a plot; leave these samples "
            "out."
        )
    return samples


def _leaf_colours(forest: BaseForest, tree: int, classes: Any) -> NDArray[np.float64]:
    """For each leaf the number of its most probable class, or its value."""
    values = forest.forest_.leaf_values(tree).toarray()
    if classes is not None:
        return np.asarray(values.argmax(axis=1), dtype=np.float64)
    if values.shape[1] != 1:
        raise ValueError(
            f"the leaves of this forest hold {values.shape[1]} values, and a region has one "
            "colour; draw a forest with one output, or a boosted one of two classes."
        )
    return np.asarray(values[:, 0])


def _target_colours(
    forest: BaseForest, y: ArrayLike, samples: NDArray[np.float64], classes: Any
) -> NDArray[np.float64]:
    """Targets by the colours of the regions."""
    targets = np.asarray(y)
    if targets.shape != (len(samples),):
        raise ValueError(
            f"y has shape {targets.shape}, but X has {len(samples)} samples; pass a target for "
            "each of them."
        )
    if classes is None:
        if forest.fitted_.start is not None and hasattr(forest, "classes_"):
            raise ValueError(
                "the regions of a boosted classifier are coloured by what they add to a score, "
                "which targets have none of; leave y out."
            )
        return targets.astype(np.float64)
    known = np.isin(targets, classes)
    if not known.all():
        raise ValueError(
            f"y has the class {targets[~known].tolist()[0]!r}, which the forest does not know; "
            "pass the targets that it was fitted on, or others of these classes."
        )
    return np.searchsorted(classes, targets).astype(np.float64)


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
