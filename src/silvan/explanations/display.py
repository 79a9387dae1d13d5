"""Pictures of contributions: as bars, as lines and as saliency maps, in the shape of the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from silvan._validation import check_integer
from silvan.explanations.contributions import feature_contributions
from silvan.forests.base import BaseForest
from silvan.inspection import grid_of
from silvan.projections.grids import spread_over_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANEL_SIZE = {"image": (2.2, 2.4), "line": (6.0, 2.2), "bar": (5.0, 3.2)}


class ContributionDisplay:
    """Picture of what the features contributed to predictions.

    Rows of an image are drawn as maps (red raises the prediction, blue lowers it) with the outline
    of the image, series as lines, all other rows as bars of their largest contributions.

    Parameters
    ----------
    contributions : array-like of shape (n_samples, ...)
        What each feature contributed to one output, in the shape of the data.
    rows : array-like of shape (n_samples, ...)
        The rows.
    titles : sequence of str
        What is above the pictures.
    contiguous : bool or sequence of bool, default=True
        False for axes whose neighbours do not belong together: they are drawn as lines of their
        own.
    grid : bool, default=True
        Whether the features lie on a grid; otherwise they are drawn as bars.
    feature_names : sequence of str, default=None
        Names of the features, for bars.

    Attributes
    ----------
    figure_ : matplotlib Figure
        The figure.
    axes_ : ndarray of matplotlib Axes
        Its axes, one for each row.

    See Also
    --------
    feature_contributions : What is drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from silvan import ManifoldForestClassifier
    >>> from silvan.explanations import ContributionDisplay
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
        rows: ArrayLike,
        titles: Sequence[str],
        *,
        contiguous: bool | Sequence[bool] = True,
        grid: bool = True,
        feature_names: Sequence[str] | None = None,
    ) -> None:
        self.contributions = np.asarray(contributions, dtype=np.float64)
        self.rows = np.asarray(rows, dtype=np.float64)
        self.titles = titles
        self.contiguous = contiguous
        self.grid = grid
        self.feature_names = feature_names

    @classmethod
    def from_estimator(
        cls,
        forest: BaseForest,
        X: ArrayLike,
        *,
        output: Any = None,
        ax: Any = None,
        max_features: int = 10,
    ) -> Self:
        """Draw the contributions to the predictions of a forest.

        Parameters
        ----------
        forest : fitted forest
            A classifier or regressor of this library.
        X : array-like of shape (n_samples, n_features)
            A few rows, each of which gets a picture of its own.
        output : label or int, default=None
            The class, or the number of the output of a regressor, that the contributions are to;
            None is the class that each row is predicted to have, or the first output.
        ax : Axes or array of Axes, default=None
            Axes to draw on, one for each row; None makes a new figure.
        max_features : int, default=10
            Largest number of bars.

        Returns
        -------
        display : ContributionDisplay
            The picture.
        """
        bias, values = feature_contributions(forest, X)
        columns, titles = _outputs(forest, bias, values, output)
        if values.ndim == 3:
            values = values[np.arange(len(values)), :, columns]
        patches = grid_of(forest)
        shape = (forest.n_features_in_,) if patches is None else patches._shape()
        display = cls(
            values.reshape(-1, *shape),
            np.asarray(X, dtype=np.float64).reshape(-1, *shape),
            titles,
            contiguous=True if patches is None else patches.contiguous,
            grid=patches is not None,
            feature_names=getattr(forest, "feature_names_in_", None),
        )
        return display.plot(ax, max_features=max_features)

    def plot(self, ax: Any = None, *, max_features: int = 10, cmap: str = "RdBu_r") -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : Axes or array of Axes, default=None
            Axes to draw on, one for each row; None makes a new figure.
        max_features : int, default=10
            Largest number of bars.
        cmap : str, default="RdBu_r"
            Colours of maps; those in the middle stand for no contribution.

        Returns
        -------
        display : ContributionDisplay
            This picture.
        """
        # Not above: silvan.plotting imports this display.
        from silvan.plotting._panels import MOST_COLUMNS, make_axes

        check_integer("max_features", max_features, 1)
        kind, values, rows = self._arrange()
        n_columns = min(len(values), MOST_COLUMNS) if kind == "image" else 1
        axes = make_axes(ax, len(values), n_columns, _PANEL_SIZE[kind])
        top = float(np.abs(values).max()) or 1.0
        mappable = None
        for axis, value, row, title in zip(axes, values, rows, self.titles, strict=True):
            if kind == "image":
                mappable = _draw_map(axis, value, row, {"cmap": cmap, "vmin": -top, "vmax": top})
            elif kind == "line":
                _draw_series(axis, value, row, top)
            else:
                _draw_bars(axis, value, row, self._names(values.shape[1]), max_features)
            axis.set_title(title)
        self.axes_, self.figure_ = axes, axes[0].figure
        if mappable is not None:
            self.figure_.colorbar(mappable, ax=list(axes), label="contribution")
        return self

    def _arrange(self) -> tuple[str, NDArray[np.float64], NDArray[np.float64]]:
        """The kind of picture, and contributions and rows with the axes that it needs."""
        values, rows = self.contributions, self.rows
        shape = values.shape[1:]
        if not self.grid:
            return "bar", values.reshape(len(values), -1), rows.reshape(len(rows), -1)
        runs = spread_over_axes("contiguous", self.contiguous, shape)
        kept = [a for a, length in enumerate(shape) if length > 1] or [0]
        lengths = [shape[a] for a in kept]
        values, rows = (array.reshape(len(array), *lengths) for array in (values, rows))
        contiguous = [bool(runs[a]) for a in kept]
        if len(lengths) == 1:
            return "line", values[:, None], rows[:, None]
        if contiguous == [True, True]:
            return "image", values, rows
        if len(lengths) == 2:
            order = (0, 1, 2) if contiguous[1] else (0, 2, 1)
            return "line", values.transpose(order), rows.transpose(order)
        raise ValueError(
            f"contributions of shape {shape} cannot be drawn, but those with up to two axes longer "
            "than 1 can; add those of feature_contributions up over the other axes."
        )

    def _names(self, n_features: int) -> Sequence[str]:
        if self.feature_names is not None:
            return self.feature_names
        return [f"x[{j}]" for j in range(n_features)]


def _outputs(
    forest: BaseForest, bias: Any, values: NDArray[np.float64], output: Any
) -> tuple[NDArray[np.intp], list[str]]:
    """The output to explain for each row, and titles with its prediction."""
    predictions = np.atleast_1d(bias) + values.sum(axis=1).reshape(len(values), -1)
    classes = getattr(forest, "classes_", None)
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


def _draw_map(
    axis: Axes, values: NDArray[np.float64], row: NDArray[np.float64], colours: dict[str, Any]
) -> Any:
    """Draw contributions as colours and the outline of the image; return the map."""
    image = axis.imshow(values, **colours)
    low, high = np.nanmin(row), np.nanmax(row)
    if high > low:
        # Lines run between the centres of cells; a border of copies takes them to the edge.
        height, width = row.shape
        axis.contour(
            np.arange(-1, width + 1),
            np.arange(-1, height + 1),
            np.pad(np.nan_to_num(row, nan=low), 1, mode="edge"),
            levels=[(low + high) / 2],
            colors="black",
            linewidths=0.8,
        )
        axis.set(xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5))
    axis.set(xticks=[], yticks=[])
    return image


def _draw_series(
    axis: Axes, values: NDArray[np.float64], row: NDArray[np.float64], top: float
) -> None:
    """Draw contributions of channels as lines, over pale lines of the row."""
    behind = axis.twinx()
    behind.plot(row.T, color="0.8", linewidth=1)
    behind.set_ylabel("X", color="0.55")
    behind.tick_params(axis="y", labelcolor="0.55")
    axis.set_zorder(behind.get_zorder() + 1)
    axis.patch.set_visible(False)
    axis.axhline(0.0, color="0.4", linewidth=0.6)
    for number, line in enumerate(values):
        label = f"channel {number}" if len(values) > 1 else None
        axis.plot(line, color=f"C{number}", label=label)
    axis.set(xlabel="position", ylabel="contribution", ylim=(-1.05 * top, 1.05 * top))
    if len(values) > 1:
        axis.legend(frameon=False)


def _draw_bars(
    axis: Axes,
    values: NDArray[np.float64],
    row: NDArray[np.float64],
    names: Sequence[str],
    max_features: int,
) -> None:
    """Draw the largest contributions as bars, with names and values of the features."""
    largest = np.argsort(-np.abs(values), kind="stable")[:max_features][::-1]
    labels = [f"{names[j]} = {row[j]:.3g}" for j in largest]
    colours = np.where(values[largest] < 0, "C0", "C3")
    axis.barh(labels, values[largest], color=colours)
    axis.axvline(0.0, color="0.4", linewidth=0.6)
    axis.set_xlabel("contribution")
