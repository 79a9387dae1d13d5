"""Losses of regressors: targets are numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan._validation import invalid, is_number
from silvan.losses.base import (
    Floats,
    Loss,
    grouped_quantiles,
    weighted_mean,
    weighted_quantile,
)


class SquaredError(Loss):
    """Half the squared error; a forest predicts means.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.losses import SquaredError
    >>> SquaredError().value(np.array([[1.0], [4.0]]), np.array([[2.0], [2.0]]))
    1.25
    """

    def losses(self, y: NDArray[Any], raw: Floats) -> Floats:
        """Half the squared differences."""
        losses: Floats = 0.5 * np.square(raw - y)
        return losses

    def derivatives(self, y: NDArray[Any], raw: Floats) -> tuple[Floats, Floats]:
        """Differences, and ones."""
        return raw - y, np.ones_like(raw)

    def start(self, y: NDArray[Any], weight: Floats | None = None) -> Floats:
        """Mean targets."""
        return weighted_mean(y, weight)


class Quantile(Loss):
    """The pinball loss of a quantile; a forest predicts that quantile.

    Trees are grown on signs, with ones for hessians; the value of a leaf is then the quantile of
    what is left of its targets.

    Parameters
    ----------
    level : float, default=0.5
        Which quantile, between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.losses import Quantile
    >>> Quantile(0.75).start(np.arange(101.0)[:, None])
    array([75.])
    """

    def __init__(self, level: float = 0.5) -> None:
        self.level = level

    def losses(self, y: NDArray[Any], raw: Floats) -> Floats:
        """`level` times what targets lie above, 1 - `level` times what they lie below."""
        above = y - raw
        return np.where(above >= 0, self.level * above, (self.level - 1) * above)

    def derivatives(self, y: NDArray[Any], raw: Floats) -> tuple[Floats, Floats]:
        """-`level` below the target, 1 - `level` above it; ones."""
        return np.where(y >= raw, -self.level, 1 - self.level), np.ones_like(raw)

    def start(self, y: NDArray[Any], weight: Floats | None = None) -> Floats:
        """The quantile of the targets."""
        return np.array([weighted_quantile(column, self.level, weight) for column in y.T])

    def leaf_values(
        self, y: NDArray[Any], raw: Floats, weight: Floats | None, leaf: NDArray[np.int32]
    ) -> Floats | None:
        """Quantiles of what is left of the targets in each leaf."""
        return grouped_quantiles(y - raw, self.level, weight, leaf)

    def check_targets(self, y: NDArray[Any]) -> None:
        """Any number will do; the level is checked."""
        if not (is_number(self.level) and 0 < self.level < 1):
            raise invalid("level", "a number between 0 and 1", self.level, "pass for example 0.9")


class AbsoluteError(Quantile):
    """The absolute error; a forest predicts medians.

    Trees are grown on signs, with ones for hessians; the value of a leaf is then the median of what
    is left of its targets.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.losses import AbsoluteError
    >>> AbsoluteError().start(np.array([[1.0], [2.0], [30.0]]))
    array([2.])
    """

    def __init__(self) -> None:
        super().__init__(0.5)

    def losses(self, y: NDArray[Any], raw: Floats) -> Floats:
        """Absolute differences."""
        return np.abs(y - raw)

    def derivatives(self, y: NDArray[Any], raw: Floats) -> tuple[Floats, Floats]:
        """Signs, and ones."""
        return np.where(y >= raw, -1.0, 1.0), np.ones_like(raw)


class Huber(Loss):
    """Half the squared error up to `delta`, and `delta` times the absolute error beyond it.

    Few large errors pull predictions less than with `SquaredError`. The hessians are ones, upper
    bounds where the loss is linear.

    Parameters
    ----------
    delta : float, array-like of shape (n_outputs,) or None, default=None
        Where the loss becomes linear. None learns it from the training targets: the quantile
        `quantile` of their absolute distances from the median.
    quantile : float, default=0.9
        Share of the training targets that are within `delta` of the median where that is None.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.losses import Huber
    >>> y = np.array([[-2.0], [-1.0], [0.0], [1.0], [90.0]])
    >>> Huber(quantile=0.7).adapt(y)
    Huber(delta=array([2.]), quantile=0.7)
    """

    def __init__(self, delta: Any = None, quantile: float = 0.9) -> None:
        self.delta = delta
        self.quantile = quantile

    def losses(self, y: NDArray[Any], raw: Floats) -> Floats:
        """Squares near the target, lines far from it."""
        distance = np.abs(y - raw)
        return np.where(
            distance <= self.delta,
            0.5 * np.square(distance),
            self.delta * (distance - 0.5 * np.asarray(self.delta)),
        )

    def derivatives(self, y: NDArray[Any], raw: Floats) -> tuple[Floats, Floats]:
        """Differences, cut off at `delta`, and ones."""
        return np.clip(raw - y, -np.asarray(self.delta), self.delta), np.ones_like(raw)

    def start(self, y: NDArray[Any], weight: Floats | None = None) -> Floats:
        """Medians, and the mean of what is left of the targets, cut off at `delta`."""
        median = Quantile(0.5).start(y, weight)
        gradients, _ = self.derivatives(y, np.broadcast_to(median, y.shape))
        return median - weighted_mean(gradients, weight)

    def adapt(self, y: NDArray[Any], weight: Floats | None = None) -> Huber:
        """The loss with a `delta` that is learnt where none is given."""
        if self.delta is not None:
            return self
        distance = np.abs(y - Quantile(0.5).start(y, weight))
        delta = Quantile(self.quantile).start(distance, weight)
        # Where most targets are equal, every distance from them is large.
        return Huber(np.where(delta > 0, delta, np.finfo(np.float64).tiny), self.quantile)

    def check_targets(self, y: NDArray[Any]) -> None:
        """Any number will do; the parameters are checked."""
        if not (is_number(self.quantile) and 0 < self.quantile < 1):
            raise invalid(
                "quantile", "a number between 0 and 1", self.quantile, "pass for example 0.9"
            )
        deltas = np.asarray(1.0 if self.delta is None else self.delta)
        fits = deltas.dtype.kind in "iuf" and deltas.shape in ((), (y.shape[1],))
        if not (fits and bool((deltas > 0).all())):
            raise invalid(
                "delta",
                "None, a number > 0 or such a number for each output",
                self.delta,
                "leave it out to learn it",
            )


class _LogLink(Loss):
    """A loss whose raw score is the logarithm of the mean of the target."""

    def start(self, y: NDArray[Any], weight: Floats | None = None) -> Floats:
        """Logarithms of the mean targets."""
        mean = weighted_mean(y, weight)
        return np.log(np.maximum(mean, np.finfo(np.float64).tiny))

    def inverse_link(self, raw: Floats) -> Floats:
        """Means: exponentials of the raw scores."""
        return np.exp(raw)


class Poisson(_LogLink):
    """Half the Poisson deviance, less terms of the targets alone; for counts and rates.

    The raw score is the logarithm of the mean.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.losses import Poisson
    >>> loss, y = Poisson(), np.array([[0.0], [1.0], [2.0]])
    >>> loss.inverse_link(loss.start(y))
    array([1.])
    """

    def losses(self, y: NDArray[Any], raw: Floats) -> Floats:
        """exp(raw) - y raw."""
        losses: Floats = np.exp(raw) - y * raw
        return losses

    def derivatives(self, y: NDArray[Any], raw: Floats) -> tuple[Floats, Floats]:
        """exp(raw) - y, and exp(raw)."""
        mean = np.exp(raw)
        return mean - y, mean

    def check_targets(self, y: NDArray[Any]) -> None:
        """Require targets >= 0, one of them positive."""
        if not ((y >= 0).all() and y.any(axis=0).all()):
            raise ValueError(
                "the loss 'poisson' needs targets y >= 0 that are not all zero, but the smallest "
                f"is {y.min():g} and the largest is {y.max():g}; use another loss."
            )


class Gamma(_LogLink):
    """Half the gamma deviance, less terms of the targets alone; for positive, skewed targets.

    The raw score is the logarithm of the mean.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.losses import Gamma
    >>> loss, y = Gamma(), np.array([[1.0], [3.0], [8.0]])
    >>> float(loss.inverse_link(loss.start(y))[0].round(9))
    4.0
    """

    def losses(self, y: NDArray[Any], raw: Floats) -> Floats:
        """Raw score + y exp(-raw)."""
        losses: Floats = raw + y * np.exp(-raw)
        return losses

    def derivatives(self, y: NDArray[Any], raw: Floats) -> tuple[Floats, Floats]:
        """1 - y exp(-raw), and y exp(-raw)."""
        ratio = y * np.exp(-raw)
        return 1.0 - ratio, ratio

    def check_targets(self, y: NDArray[Any]) -> None:
        """Require targets > 0."""
        if not (y > 0).all():
            raise ValueError(
                "the loss 'gamma' needs targets y > 0, but the smallest is "
                f"{y.min():g}; use another loss."
            )
