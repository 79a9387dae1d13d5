"""Channels of a value and its neighbours: as it is, differences, and contrast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan._validation import check_integer, invalid, is_integer
from silvan.channels.base import Channel, State, as_floats, is_positive_number, quiet_overflow
from silvan.channels.plane import Plane


@dataclass(eq=False, repr=False)
class Raw(Channel):
    """The values as they are; a missing value stays missing.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.channels import Raw, fit_channels
    >>> images = np.arange(8, dtype=np.uint8).reshape(2, 2, 2)
    >>> fit_channels([Raw()], images).transform(images)
    array([[0, 1, 2, 3],
           [4, 5, 6, 7]], dtype=uint8)
    """

    def names(self, plane: Plane) -> list[str]:
        """One array, called value."""
        return ["value"]

    def compute(self, samples: NDArray[Any], plane: Plane, state: State) -> NDArray[Any]:
        """The samples."""
        return samples[:, None]


@dataclass(eq=False, repr=False)
class Difference(Channel):
    """Differences of neighbouring values along an axis.

    The array is `order` cells shorter than the axis, or as long where the axis wraps. A difference
    is missing where one of the values is.

    Parameters
    ----------
    order : int, default=1
        How often differences are taken.
    axis : int, default=-1
        The axis of the plane, counted from the last.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.channels import Difference, fit_channels
    >>> X = np.array([[0.0, 1.0, 4.0, 9.0]])
    >>> fit_channels([Difference()], X).transform(X)
    array([[1., 3., 5.]], dtype=float32)
    >>> fit_channels([Difference()], X, boundary="wrap").transform(X)
    array([[ 1.,  3.,  5., -9.]], dtype=float32)
    """

    order: int = 1
    axis: int = -1

    def names(self, plane: Plane) -> list[str]:
        """One array, called difference, or difference of an order above 1."""
        along = "" if len(plane.shape) == 1 else f" along axis {self._axis(plane)}"
        return [("difference" if self.order == 1 else f"difference of order {self.order}") + along]

    def validate(self, plane: Plane) -> None:
        """Require an axis of the plane with more cells than the order."""
        check_integer("order", self.order, 1)
        n_axes = len(plane.shape)
        if not (is_integer(self.axis) and -n_axes <= self.axis < n_axes):
            raise invalid(
                "axis", f"an integer from {-n_axes} to {n_axes - 1}", self.axis, "-1 is the last"
            )
        length = plane.shape[self._axis(plane)]
        if self.order >= length:
            raise invalid(
                "order", f"below {length}, the length of the axis", self.order, "pass for example 1"
            )

    @quiet_overflow
    def compute(self, samples: NDArray[Any], plane: Plane, state: State) -> NDArray[Any]:
        """Differences, as numpy.diff takes them."""
        axis = self._axis(plane)
        values = as_floats(samples)
        if plane.wrap[axis]:
            first = values.take(range(self.order), axis=1 + axis)
            values = np.concatenate([values, first], axis=1 + axis)
        return np.diff(values, n=self.order, axis=1 + axis)[:, None]

    def to_grid(self, credit: NDArray[np.float64], plane: Plane) -> NDArray[np.float64]:
        """A difference's credit goes in equal parts to the values that it is made of."""
        axis = self._axis(plane)
        spread = np.zeros((len(credit), *plane.shape))
        length = plane.shape[axis]
        along, into = np.moveaxis(credit, 1 + axis, 0), np.moveaxis(spread, 1 + axis, 0)
        cells = np.arange(len(along))
        for step in range(self.order + 1):
            into[(cells + step) % length] += along / (self.order + 1)
        return spread

    def _axis(self, plane: Plane) -> int:
        return int(self.axis) % len(plane.shape)


@dataclass(eq=False, repr=False)
class LocalContrast(Channel):
    """Each value minus the mean of its neighbourhood, in units of the neighbourhood's spread.

    Brightness and contrast that change slowly over an image disappear. The spread has a floor, the
    median of the spreads in the training samples, so that noise in even regions is not magnified. A
    value is missing if any value of its neighbourhood is.

    Parameters
    ----------
    size : int, default=5
        Number of cells along each axis of the neighbourhood, an odd number.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.channels import LocalContrast, fit_channels
    >>> X = np.array([[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]])
    >>> bright = fit_channels([LocalContrast(3)], X).transform(10 + 5 * X)
    >>> np.round(bright, 1)
    array([[ 0. ,  0. , -0.6,  0.6,  0. ,  0. ]], dtype=float32)
    """

    size: int = 5

    def names(self, plane: Plane) -> list[str]:
        """One array, called local contrast."""
        return ["local contrast"]

    def validate(self, plane: Plane) -> None:
        """Require an odd size above 1."""
        largest = max(3, 2 * max(plane.shape) - 1)
        if not (is_integer(self.size) and 3 <= self.size <= largest and self.size % 2):
            rule = f"an odd integer from 3 to {largest}, twice the longest axis"
            raise invalid("size", rule, self.size, "pass for example 3")

    def accepts(self, state: State, plane: Plane) -> bool:
        """Whether there is a floor."""
        return is_positive_number(state.get("floor"))

    def learn(self, samples: NDArray[Any], plane: Plane, rng: np.random.Generator) -> State:
        """Learn the floor of the spread."""
        spreads = self._spreads(as_floats(samples), plane)[1]
        known = spreads[np.isfinite(spreads)]
        floor = float(np.median(known)) if len(known) else 0.0
        if floor == 0.0 and len(known):
            floor = float(known.max())
        return {"floor": np.float32(floor if floor > 0 else 1.0).reshape(1)}

    @quiet_overflow
    def compute(self, samples: NDArray[Any], plane: Plane, state: State) -> NDArray[Any]:
        """Centred values over spreads plus the floor."""
        centred, spreads = self._spreads(as_floats(samples), plane)
        return (centred / (spreads + state["floor"]))[:, None]

    @quiet_overflow
    def _spreads(
        self, values: NDArray[np.float32], plane: Plane
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Values less the mean of their neighbourhoods, and the standard deviations of these."""
        # Squares of values far from zero would cancel.
        axes = tuple(range(1, values.ndim))
        centre = np.where(np.isfinite(values), values, np.float32(0)).mean(axes, keepdims=True)
        values = values - centre
        means = self._box_means(values, plane)
        squares = self._box_means(values * values, plane)
        return values - means, np.sqrt(np.maximum(squares - means * means, 0))

    def _box_means(self, values: NDArray[np.float32], plane: Plane) -> NDArray[np.float32]:
        """Means over neighbourhoods, axis by axis; no running sums, which would spread NaN."""
        for axis, length in enumerate(plane.shape):
            padded = plane.pad(values, self.size // 2, axis)
            total = np.zeros_like(values)
            for step in range(self.size):
                at = [slice(None)] * values.ndim
                at[1 + axis] = slice(step, step + length)
                total += padded[tuple(at)]
            values = total / np.float32(self.size)
        return values
