"""Plot of the out-of-bag error against the number of trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_classifier

from silvan.forests.base import BaseForest
from silvan.inspection.out_of_bag import out_of_bag_curve
from silvan.plotting._panels import make_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


class OutOfBagDisplay:
    """Plot of the out-of-bag error against the number of trees.

    It shows whether more trees would help. Make it with `from_estimator`.

    Parameters
    ----------
    errors : ndarray of shape (n_estimators,)
        Error of the first tree, the first two, and so on.
    name : str, default=None
        Name of the forest.
    label : str, default="out-of-bag error"
        What the errors are.

    Attributes
    ----------
    figure_ : matplotlib Figure
        The figure.
    ax_ : matplotlib Axes
        The axes.
    line_ : matplotlib Line2D
        The curve.

    See Also
    --------
    silvan.inspection.out_of_bag_curve : The errors.

    Examples
    --------
    >>> from silvan import ForestClassifier
    >>> from silvan.datasets import make_trunk
    >>> from silvan.plotting import OutOfBagDisplay
    >>> X, y = make_trunk(300, random_state=0)
    >>> forest = ForestClassifier(100, random_state=0).fit(X, y)
    >>> display = OutOfBagDisplay.from_estimator(forest, X, y)
    >>> display.errors.shape
    (100,)
    """

    figure_: Figure
    ax_: Axes
    line_: Line2D

    def __init__(
        self, errors: ArrayLike, *, name: str | None = None, label: str = "out-of-bag error"
    ) -> None:
        self.errors = np.asarray(errors, dtype=np.float64)
        self.name = name
        self.label = label

    @classmethod
    def from_estimator(
        cls,
        forest: BaseForest,
        X: ArrayLike,
        y: ArrayLike,
        *,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of a fitted forest.

        Parameters
        ----------
        forest : fitted forest
            A classifier or regressor of this library whose trees leave out samples.
        X, y : array-likes
            The samples that the forest was fitted on, and their targets.
        name : str, default=None
            Name of the forest; None is that of its class.
        ax : Axes, default=None
            Axes to draw on, for example those of another forest; None makes a new figure.
        **options
            Further parameters of matplotlib's ``Axes.plot``.

        Returns
        -------
        display : OutOfBagDisplay
            The plot.
        """
        classify = is_classifier(forest)
        display = cls(
            out_of_bag_curve(forest, X, y),
            name=type(forest).__name__ if name is None else name,
            label="out-of-bag error" if classify else "out-of-bag mean squared error",
        )
        return display.plot(ax, **options)

    def plot(self, ax: Any = None, **options: Any) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None makes a new figure.
        **options
            Further parameters of matplotlib's ``Axes.plot``.

        Returns
        -------
        display : OutOfBagDisplay
            This plot.
        """
        axis = make_axes(ax, 1, 1, (5.2, 3.4))[0]
        self.ax_, self.figure_ = axis, axis.figure
        trees = np.arange(1, len(self.errors) + 1)
        (self.line_,) = self.ax_.plot(trees, self.errors, **{"label": self.name, **options})
        self.ax_.set(xlabel="number of trees", ylabel=self.label)
        if axis.get_legend_handles_labels()[1]:
            axis.legend(frameon=False)
        return self
