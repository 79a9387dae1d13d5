"""Plot of the scores of a boosted forest against its rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from silvan._validation import invalid
from silvan.boosting.base import BoostedForest
from silvan.plotting._panels import make_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


class RoundsDisplay:
    """Plot of the scores of a boosted forest against its rounds.

    It shows whether more rounds would help, and where a fit stopped. Make it with `from_estimator`.

    Parameters
    ----------
    training : array-like of shape (n_rounds + 1,)
        Losses or scores of training samples before the first round and after each.
    validation : array-like of shape (n_rounds + 1,) or (0,), default=()
        The same for samples that were held out.
    n_kept : int, default=None
        Number of rounds that the forest kept, to be marked.
    label : str, default="loss"
        What the numbers are.

    Attributes
    ----------
    figure_ : matplotlib Figure
        The figure.
    ax_ : matplotlib Axes
        The axes.
    lines_ : list of matplotlib Line2D
        The curves.

    Examples
    --------
    >>> from silvan import BoostedForestClassifier
    >>> from silvan.datasets import make_trunk
    >>> from silvan.plotting import RoundsDisplay
    >>> X, y = make_trunk(1000, random_state=0)
    >>> forest = BoostedForestClassifier(100, early_stopping=True, random_state=0).fit(X, y)
    >>> display = RoundsDisplay.from_estimator(forest)
    >>> len(display.lines_)
    2
    """

    figure_: Figure
    ax_: Axes
    lines_: list[Line2D]

    def __init__(
        self,
        training: ArrayLike,
        validation: ArrayLike = (),
        *,
        n_kept: int | None = None,
        label: str = "loss",
    ) -> None:
        self.training = np.asarray(training, dtype=np.float64)
        self.validation = np.asarray(validation, dtype=np.float64)
        self.n_kept = n_kept
        self.label = label

    @classmethod
    def from_estimator(cls, forest: BoostedForest, *, ax: Any = None, **options: Any) -> Self:
        """Draw the curves of a fitted boosted forest.

        Parameters
        ----------
        forest : fitted boosted forest
            A boosted classifier or regressor of this library.
        ax : Axes, default=None
            Axes to draw on; None makes a new figure.
        **options
            Further parameters of matplotlib's ``Axes.plot``.

        Returns
        -------
        display : RoundsDisplay
            The plot.
        """
        if not isinstance(forest, BoostedForest):
            raise invalid(
                "forest", "a boosted forest", forest, "pass a fitted BoostedForestClassifier"
            )
        check_is_fitted(forest)
        is_loss = forest.scoring == "loss"
        sign = -1.0 if is_loss else 1.0
        display = cls(
            sign * forest.train_score_,
            sign * forest.validation_score_,
            n_kept=forest.n_iter_,
            label="loss" if is_loss else "score",
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
        display : RoundsDisplay
            This plot.
        """
        axis = make_axes(ax, 1, 1, (5.2, 3.4))[0]
        self.ax_, self.figure_ = axis, axis.figure
        self.lines_ = []
        for values, name in ((self.training, "training"), (self.validation, "held out")):
            if len(values):
                line = axis.plot(np.arange(len(values)), values, **{"label": name, **options})
                self.lines_ += line
        if self.n_kept is not None and self.n_kept < len(self.training) - 1:
            axis.axvline(self.n_kept, color="0.6", linewidth=0.8, linestyle="--")
        axis.set(xlabel="number of rounds", ylabel=self.label)
        axis.legend(frameon=False)
        return self
