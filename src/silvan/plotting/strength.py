"""Plot of tree strength against tree correlation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from silvan.forests.classifier import ForestClassifier
from silvan.inspection.strength import StrengthCorrelation, strength_and_correlation
from silvan.plotting._panels import make_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class StrengthDisplay:
    """Plot of the strength of trees against the correlation between them.

    Make it with `from_estimator` or `from_measures`. Each forest is a dot, as in Figure 3.5 of
    [1]_. Forests at the top left have strong trees that err on different samples.

    Parameters
    ----------
    measures : mapping from str to sequence of StrengthCorrelation
        Strength and correlation of one or more forests under each name.

    Attributes
    ----------
    figure_ : matplotlib Figure
        The figure.
    ax_ : matplotlib Axes
        The axes.

    See Also
    --------
    silvan.inspection.strength_and_correlation : The measures.

    References
    ----------
    .. [1] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018.

    Examples
    --------
    >>> from silvan import ForestClassifier
    >>> from silvan.datasets import make_trunk
    >>> from silvan.plotting import StrengthDisplay
    >>> X, y = make_trunk(300, random_state=0)
    >>> few = ForestClassifier(50, max_features=1, random_state=0).fit(X, y)
    >>> many = ForestClassifier(50, max_features=10, random_state=0).fit(X, y)
    >>> display = StrengthDisplay.from_estimator(few, X, y, name="d = 1")
    >>> _ = StrengthDisplay.from_estimator(many, X, y, name="d = 10", ax=display.ax_)
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['d = 1', 'd = 10']
    """

    figure_: Figure
    ax_: Axes

    def __init__(self, measures: Mapping[str, Sequence[StrengthCorrelation]]) -> None:
        self.measures = measures

    @classmethod
    def from_estimator(
        cls,
        forest: ForestClassifier,
        X: ArrayLike,
        y: ArrayLike,
        *,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw a fitted forest as a dot.

        Parameters
        ----------
        forest : fitted classifier
            A classifier of this library whose trees leave out samples.
        X, y : array-likes
            The samples that the forest was fitted on, and their classes.
        name : str, default=None
            Name of the forest; None is that of its class.
        ax : Axes, default=None
            Axes to draw on, for example those of another forest; None makes a new figure.
        **options
            Further parameters of `plot`.

        Returns
        -------
        display : StrengthDisplay
            The plot.
        """
        label = type(forest).__name__ if name is None else name
        return cls({label: [strength_and_correlation(forest, X, y)]}).plot(ax, **options)

    @classmethod
    def from_measures(
        cls,
        measures: Mapping[str, Sequence[StrengthCorrelation]],
        *,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw measures that were computed before.

        Parameters
        ----------
        measures : mapping from str to sequence of StrengthCorrelation
            Measures of one or more forests under each name.
        ax : Axes, default=None
            Axes to draw on; None makes a new figure.
        **options
            Further parameters of `plot`.

        Returns
        -------
        display : StrengthDisplay
            The plot.
        """
        return cls(measures).plot(ax, **options)

    def plot(
        self, ax: Any = None, *, colors: Mapping[str, Any] | None = None, **options: Any
    ) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : Axes, default=None
            Axes to draw on; None makes a new figure.
        colors : mapping from str to colour, default=None
            Colours by name; None takes those of matplotlib in their order.
        **options
            Further parameters of matplotlib's ``Axes.scatter``.

        Returns
        -------
        display : StrengthDisplay
            This plot.
        """
        axis = make_axes(ax, 1, 1, (4.6, 3.8))[0]
        self.ax_, self.figure_ = axis, axis.figure
        for name, forests in self.measures.items():
            colour = {} if colors is None or name not in colors else {"color": colors[name]}
            x = [forest.correlation for forest in forests]
            y = [forest.strength for forest in forests]
            self.ax_.scatter(x, y, label=name, **{"alpha": 0.8, **colour, **options})
        self.ax_.set(xlabel="correlation between trees", ylabel="strength of trees")
        self.ax_.legend(frameon=False)
        return self
