"""A channel that is a Python function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan._validation import invalid
from silvan.channels.base import Channel, State
from silvan.channels.plane import Plane


@dataclass(eq=False, repr=False)
class Function(Channel):
    """What a function makes of the samples; for trying out channels.

    A sequence of channels may also hold the function itself. Forests with such a channel cannot be
    saved, because files hold no code; write a subclass of `Channel` for that.

    Parameters
    ----------
    function : callable
        Given read-only samples of shape ``(n_samples, *plane.shape)``, float32 or uint8, with NaN
        for missing values, it returns an array of shape ``(n_samples, *shape)`` with as many axes.
        What it returns for a sample must not depend on the others.
    name : str, default=None
        Name of the array; None takes the function's name.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.channels import Function, fit_channels
    >>> X = np.array([[1.0, -2.0, 3.0]])
    >>> fitted = fit_channels([np.abs], X)
    >>> fitted.layout.names, fitted.transform(X)
    (('absolute',), array([[1., 2., 3.]], dtype=float32))
    """

    function: Callable[[NDArray[Any]], NDArray[Any]]
    name: str | None = None

    def names(self, plane: Plane) -> list[str]:
        """One array, called as the function is."""
        named = getattr(self.function, "__name__", type(self.function).__name__)
        return [str(named) if self.name is None else self.name]

    def validate(self, plane: Plane) -> None:
        """Require something to call, and a name."""
        if not (self.name is None or isinstance(self.name, str)):
            raise invalid("name", "a string or None", self.name, "pass for example 'energy'")
        if not callable(self.function):
            raise invalid(
                "function", "a callable", self.function, "pass a function of an array of samples"
            )

    def compute(self, samples: NDArray[Any], plane: Plane, state: State) -> NDArray[Any]:
        """What the function returns, its shape checked."""
        result = np.asarray(self.function(samples))
        if result.ndim != samples.ndim or len(result) != len(samples):
            raise ValueError(
                f"the channel {self.names(plane)[0]!r} must return an array of {samples.ndim} axes "
                f"with {len(samples)} samples for samples of shape {samples.shape}, but it "
                f"returned shape {result.shape}; keep the axis of samples and the number of axes."
            )
        return result[:, None]
