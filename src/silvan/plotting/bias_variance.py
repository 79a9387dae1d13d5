"""Plot of bias, variance and their effects on the error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from silvan._validation import invalid
from silvan.inspection.bias_variance import BiasVariance, Simulator, bias_variance
from silvan.plotting._panels import make_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PARTS = ("bayes_error", "systematic_effect", "variance_effect")
_COLOURS = {"bayes_error": "0.75", "systematic_effect": "C0", "variance_effect": "C1"}


class BiasVarianceDisplay:
    """Plot of where the error of classifiers comes from.

    Make it with `from_estimator` or `from_measures`. Against the number of training samples it has
    a panel for each measure, as Figure 3.6 of [1]_; for one number of samples it shows the parts of
    each error as a bar.

    Parameters
    ----------
    measures : mapping from str to BiasVariance or sequence of BiasVariance
        The decomposition for each classifier, or one for each of the `sizes`.
    sizes : sequence of int, default=None
        Numbers of training samples.

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
    silvan.inspection.bias_variance : The measures.

    References
    ----------
    .. [1] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018.

    Examples
    --------
    >>> from silvan import ForestClassifier
    >>> from silvan.datasets import make_sparse_parity
    >>> from silvan.plotting import BiasVarianceDisplay
    >>> display = BiasVarianceDisplay.from_estimator(
    ...     ForestClassifier(10), make_sparse_parity, sizes=[50, 100], n_repeats=3, n_test=100,
    ...     random_state=0)
    >>> [axis.get_ylabel() for axis in display.axes_]
    ['bias', 'variance', 'variance effect', 'error']
    """

    figure_: Figure
    ax_: Axes
    axes_: NDArray[np.object_]

    def __init__(
        self,
        measures: Mapping[str, BiasVariance | Sequence[BiasVariance]],
        *,
        sizes: Sequence[int] | None = None,
    ) -> None:
        self.measures = measures
        self.sizes = sizes

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        simulate: Simulator,
        *,
        sizes: Sequence[int],
        name: str | None = None,
        ax: Any = None,
        colors: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Measure a classifier and draw it.

        Parameters
        ----------
        estimator : classifier
            Any classifier with the interface of scikit-learn.
        simulate : callable
            ``simulate(n_samples, random_state=seed)`` returns samples and classes.
        sizes : sequence of int
            Numbers of training samples.
        name : str, default=None
            Name of the classifier; None is that of its class.
        ax : array of Axes, default=None
            Axes to draw on, for example those of another classifier; None makes a new figure.
        colors : mapping from str to colour, default=None
            As in `plot`.
        **options
            Further parameters of :func:`silvan.inspection.bias_variance`.

        Returns
        -------
        display : BiasVarianceDisplay
            The plot.
        """
        label = type(estimator).__name__ if name is None else name
        measures = [bias_variance(estimator, simulate, size, **options) for size in sizes]
        return cls({label: measures}, sizes=sizes).plot(ax, colors=colors)

    @classmethod
    def from_measures(
        cls,
        measures: Mapping[str, BiasVariance | Sequence[BiasVariance]],
        *,
        sizes: Sequence[int] | None = None,
        ax: Any = None,
        colors: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw measures that were computed before.

        Parameters
        ----------
        measures : mapping from str to BiasVariance or sequence of BiasVariance
            The decomposition for each classifier, or one for each of the `sizes`.
        sizes : sequence of int, default=None
            Numbers of training samples.
        ax : Axes or array of Axes, default=None
            Axes to draw on, one for each panel; None makes a new figure.
        colors : mapping from str to colour, default=None
            As in `plot`.

        Returns
        -------
        display : BiasVarianceDisplay
            The plot.
        """
        return cls(measures, sizes=sizes).plot(ax, colors=colors)

    def plot(self, ax: Any = None, *, colors: Mapping[str, Any] | None = None) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : Axes or array of Axes, default=None
            Axes to draw on, one for each panel; None makes a new figure.
        colors : mapping from str to colour, default=None
            Colours of the classifiers' curves by name; None takes those of matplotlib in their
            order.

        Returns
        -------
        display : BiasVarianceDisplay
            This plot.
        """
        if self.sizes is None:
            self.axes_ = make_axes(ax, 1, 1, (5.0, max(0.6 * len(self.measures) + 1.0, 2.0)))
            self._draw_bars(self.axes_[0])
        else:
            curves = self._curves(self.sizes)
            # Without noise bias and systematic effect are the same.
            names = ["bias", "variance", "systematic_effect", "variance_effect", "error"]
            if all(part.bayes_error == 0 for parts in curves.values() for part in parts):
                names.remove("systematic_effect")
            self.axes_ = make_axes(ax, len(names), len(names), (2.9, 2.8))
            for axis, name in zip(self.axes_, names, strict=True):
                for label, parts in curves.items():
                    colour = (
                        {} if colors is None or label not in colors else {"color": colors[label]}
                    )
                    values = [getattr(part, name) for part in parts]
                    axis.plot(self.sizes, values, marker="o", markersize=3, label=label, **colour)
                axis.set(xlabel="training samples", ylabel=name.replace("_", " "))
            self.axes_[-1].legend(frameon=False)
        self.ax_, self.figure_ = self.axes_[0], self.axes_[0].figure
        return self

    def _curves(self, sizes: Sequence[int]) -> dict[str, Sequence[BiasVariance]]:
        curves: dict[str, Sequence[BiasVariance]] = {}
        for name, measures in self.measures.items():
            if isinstance(measures, BiasVariance) or len(measures) != len(sizes):
                raise invalid(
                    "measures",
                    f"{len(sizes)} for {name!r}, one for each size",
                    measures,
                    "add them",
                )
            curves[name] = measures
        return curves

    def _draw_bars(self, axis: Axes) -> None:
        for row, (name, measures) in enumerate(self.measures.items()):
            if not isinstance(measures, BiasVariance):
                raise invalid(
                    "sizes", f"given where {name!r} has a sequence", None, "pass the training sizes"
                )
            # A part that is negative is drawn below the axis.
            ends = {True: 0.0, False: 0.0}
            for part in _PARTS:
                value = getattr(measures, part)
                label = part.replace("_", " ") if row == 0 else None
                axis.barh(row, value, left=ends[value < 0], color=_COLOURS[part], label=label)
                ends[value < 0] += value
        axis.set_yticks(range(len(self.measures)), list(self.measures))
        axis.invert_yaxis()
        axis.set_xlabel("part of the error")
        axis.legend(frameon=False)
