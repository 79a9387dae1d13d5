"""Plots of densities and embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from silvan._validation import check_integer, invalid
from silvan.plotting._panels import make_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from silvan.unsupervised import DensityForest, ManifoldEmbedding

# Classes up to this many have colours of their own and a legend.
_MAX_CLASSES = 12


class DensityDisplay:
    """Plot of a density in one or two dimensions: a curve, or level sets.

    Make it with `from_estimator`.

    Parameters
    ----------
    points : ndarray of shape (n_points,) or tuple of two such
        Where the density was measured: along the line, or along the axes of the plane.
    density : ndarray of shape (n_points,) or (n_points_y, n_points_x)
        The density there.
    X : ndarray of shape (n_samples, n_features), default=None
        Samples to draw with it.

    Attributes
    ----------
    figure_ : matplotlib Figure
        The figure.
    ax_ : matplotlib Axes
        The axes.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from silvan import DensityForest
    >>> from silvan.plotting import DensityDisplay
    >>> X, _ = make_moons(300, noise=0.1, random_state=0)
    >>> forest = DensityForest(20, random_state=0).fit(X)
    >>> display = DensityDisplay.from_estimator(forest, X, grid_resolution=50)
    >>> display.density.shape
    (50, 50)
    """

    figure_: Figure
    ax_: Axes

    def __init__(
        self, points: Any, density: NDArray[np.float64], *, X: NDArray[Any] | None = None
    ) -> None:
        self.points = points
        self.density = density
        self.X = X

    @classmethod
    def from_estimator(
        cls,
        forest: DensityForest,
        X: ArrayLike,
        *,
        grid_resolution: int = 150,
        margin: float = 0.15,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the density of a fitted forest around some samples.

        Parameters
        ----------
        forest : fitted DensityForest
            A forest of one or two features; any object with `score_samples` will do.
        X : array-like of shape (n_samples, n_features)
            Samples that say where to look, drawn with the density.
        grid_resolution : int, default=150
            Number of points along each axis.
        margin : float, default=0.15
            How much further than the samples the plot reaches, as a share of their range.
        ax : Axes, default=None
            Axes to draw on; None makes a new figure.
        **options
            Further parameters of `plot`.

        Returns
        -------
        display : DensityDisplay
            The plot.
        """
        check_integer("grid_resolution", grid_resolution, 2)
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] not in (1, 2):
            raise ValueError(
                f"densities of one or two features can be drawn, but X has shape {rows.shape}; "
                "fit the forest on one or two of them."
            )
        low, high = rows.min(axis=0), rows.max(axis=0)
        extra = margin * np.where(high > low, high - low, 1.0)
        axes = [
            np.linspace(a, b, grid_resolution)
            for a, b in zip(low - extra, high + extra, strict=True)
        ]
        grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, len(axes))
        density = np.exp(forest.score_samples(grid))
        if len(axes) == 1:
            return cls(axes[0], density, X=rows).plot(ax, **options)
        shaped = density.reshape(grid_resolution, grid_resolution)
        return cls(tuple(axes), shaped, X=rows).plot(ax, **options)

    def plot(
        self, ax: Any = None, *, cmap: str = "viridis", n_levels: int = 8, show_samples: bool = True
    ) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None makes a new figure.
        cmap : str, default="viridis"
            Colours of the density.
        n_levels : int, default=8
            Number of level sets. They hold equal shares of the probability in the plot.
        show_samples : bool, default=True
            Whether to draw the samples.

        Returns
        -------
        display : DensityDisplay
            This plot.
        """
        check_integer("n_levels", n_levels, 1)
        (axis,) = make_axes(ax, 1, 1, (4.2, 3.6))
        self.ax_, self.figure_ = axis, axis.figure
        if self.density.ndim == 1:
            axis.plot(self.points, self.density)
            axis.fill_between(self.points, self.density, alpha=0.2)
            if show_samples and self.X is not None:
                axis.plot(self.X[:, 0], np.zeros(len(self.X)), "|", color="0.3", alpha=0.5)
            axis.set(ylabel="density", ylim=(0, None))
            return self
        axis.pcolormesh(*self.points, self.density, cmap=cmap, shading="gouraud", rasterized=True)
        axis.contour(
            *self.points,
            self.density,
            levels=_equal_shares(self.density, n_levels),
            colors="white",
            linewidths=0.6,
            alpha=0.7,
        )
        if show_samples and self.X is not None:
            axis.plot(*self.X.T, ".", color="white", markersize=1.5, alpha=0.4)
        axis.set(xlim=self.points[0][[0, -1]], ylim=self.points[1][[0, -1]])
        return self


def _equal_shares(density: NDArray[np.float64], n_levels: int) -> NDArray[np.float64]:
    """Levels between which lie equal shares of the probability, ascending and distinct."""
    values = np.sort(density.ravel())
    shares = np.cumsum(values) / values.sum()
    wanted = (np.arange(n_levels) + 1) / (n_levels + 1)
    levels: NDArray[np.float64] = np.unique(values[np.searchsorted(shares, wanted)])
    return levels


class EmbeddingDisplay:
    """Plot of an embedding: two of its coordinates, coloured by what is known of the samples.

    Make it with `from_estimator` or from coordinates of any origin.

    Parameters
    ----------
    coordinates : array-like of shape (n_samples, n_components)
        Coordinates of the samples.
    y : array-like of shape (n_samples,), default=None
        Colours: classes get a legend, other numbers a colour bar.
    components : tuple of two int, default=(0, 1)
        Which coordinates to draw.

    Attributes
    ----------
    figure_ : matplotlib Figure
        The figure.
    ax_ : matplotlib Axes
        The axes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ManifoldEmbedding
    >>> from silvan.plotting import EmbeddingDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> embedding = ManifoldEmbedding(20, random_state=0).fit(X)
    >>> EmbeddingDisplay.from_estimator(embedding, X, y).ax_.get_xlabel()
    'coordinate 1'
    """

    figure_: Figure
    ax_: Axes

    def __init__(
        self,
        coordinates: ArrayLike,
        *,
        y: ArrayLike | None = None,
        components: tuple[int, int] = (0, 1),
    ) -> None:
        self.coordinates = np.asarray(coordinates, dtype=np.float64)
        self.y = None if y is None else np.asarray(y)
        self.components = components

    @classmethod
    def from_estimator(
        cls,
        embedding: ManifoldEmbedding,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        components: tuple[int, int] = (0, 1),
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw where a fitted embedding places samples.

        Parameters
        ----------
        embedding : fitted ManifoldEmbedding
            Any fitted object with `transform` will do.
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,), default=None
            Colours of the samples.
        components : tuple of two int, default=(0, 1)
            Which coordinates to draw.
        ax : Axes, default=None
            Axes to draw on; None makes a new figure.
        **options
            Further parameters of `plot`.

        Returns
        -------
        display : EmbeddingDisplay
            The plot.
        """
        return cls(embedding.transform(X), y=y, components=components).plot(ax, **options)

    def plot(self, ax: Any = None, *, cmap: str | None = None, size: float | None = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None makes a new figure.
        cmap : str, default=None
            Colours; None is "tab10" or "tab20" for classes and "viridis" for other numbers.
        size : float, default=None
            Size of the dots; None makes them smaller, the more there are.

        Returns
        -------
        display : EmbeddingDisplay
            This plot.
        """
        n_samples, n_components = self.coordinates.shape
        if not all(0 <= c < n_components for c in self.components) or len(self.components) != 2:
            raise invalid(
                "components",
                f"two numbers from 0 to {n_components - 1}",
                self.components,
                "pass for example (0, 1), or embed in more dimensions",
            )
        (axis,) = make_axes(ax, 1, 1, (4.2, 3.6))
        self.ax_, self.figure_ = axis, axis.figure
        size = float(np.clip(6000 / n_samples, 1, 16)) if size is None else size
        x, y = (self.coordinates[:, c] for c in self.components)
        classes = None if self.y is None else np.unique(self.y)
        if classes is not None and len(classes) <= _MAX_CLASSES:
            self._plot_classes(
                axis, classes, cmap or ("tab10" if len(classes) <= 10 else "tab20"), size
            )
        elif self.y is not None:
            dots = axis.scatter(x, y, c=self.y, s=size, cmap=cmap or "viridis", linewidths=0)
            self.figure_.colorbar(dots, ax=axis)
        else:
            axis.scatter(x, y, s=size, linewidths=0)
        axis.set(xticks=[], yticks=[])
        axis.set_xlabel(f"coordinate {self.components[0] + 1}")
        axis.set_ylabel(f"coordinate {self.components[1] + 1}")
        return self

    def _plot_classes(self, axis: Axes, classes: NDArray[Any], cmap: str, size: float) -> None:
        """Draw all dots at once, in the order of the samples, so that no class covers another."""
        from matplotlib import colormaps

        assert self.y is not None
        colours = colormaps[cmap](np.arange(len(classes)))
        x, y = (self.coordinates[:, c] for c in self.components)
        axis.scatter(x, y, c=colours[np.searchsorted(classes, self.y)], s=size, linewidths=0)
        for label, colour in zip(classes, colours, strict=True):
            axis.scatter([], [], color=colour, s=20, label=str(label))
        axis.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
