"""Gradients of images and volumes: how steep they are, and in which orientation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan._validation import check_integer, invalid
from silvan.channels.base import Channel, State, as_floats
from silvan.channels.plane import Plane


@dataclass(eq=False, repr=False)
class Gradients(Channel):
    """The magnitude of the gradient, and its magnitude by orientation [1]_.

    The gradient is half the difference of the two neighbours along each axis. Orientations are
    directions spread evenly over half a circle, or over half a sphere in a volume; a cell's
    magnitude is counted for the orientation that its gradient is nearest to, whichever of the two
    ways it points, and the arrays of the others are 0 there. A cell is missing where one of its
    neighbours is.

    Parameters
    ----------
    n_orientations : int, default=6
        Number of orientations; 0 for the magnitude alone.

    References
    ----------
    .. [1] P. Dollár, Z. Tu, P. Perona and S. Belongie. Integral channel features. British Machine
       Vision Conference, 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.channels import Gradients, fit_channels
    >>> ramp = np.arange(4.0) + np.zeros((1, 3, 1))
    >>> magnitude, *oriented = fit_channels([Gradients(2)], ramp).arrays(ramp)
    >>> magnitude[0, 1]
    array([0.5, 1. , 1. , 0.5], dtype=float32)
    >>> [int(array.any()) for array in oriented]
    [0, 1]
    """

    n_orientations: int = 6

    def names(self, plane: Plane) -> list[str]:
        """The magnitude, and one array for each orientation."""
        return ["gradient", *(f"gradient {k + 1}" for k in range(self.n_orientations))]

    def validate(self, plane: Plane) -> None:
        """Require two or three axes."""
        check_integer("n_orientations", self.n_orientations, 0)
        if len(plane.shape) not in (2, 3):
            raise invalid(
                "channels",
                "such that Gradients have planes of 2 or 3 axes (images, volumes)",
                plane.shape,
                "use Difference along a series",
            )

    def compute(self, samples: NDArray[Any], plane: Plane, state: State) -> NDArray[Any]:
        """Magnitudes, and magnitudes by orientation."""
        slopes = [_half_difference(samples, plane, axis) for axis in range(len(plane.shape))]
        magnitude = np.sqrt(sum(slope * slope for slope in slopes))
        arrays = np.zeros(
            (len(samples), 1 + self.n_orientations, *plane.shape), dtype=magnitude.dtype
        )
        arrays[:, 0] = magnitude
        nearest = self._nearest(slopes)
        missing = np.isnan(magnitude)
        for k in range(self.n_orientations):
            np.copyto(arrays[:, 1 + k], magnitude, where=(nearest == k) | missing)
        return arrays

    def _nearest(self, slopes: list[NDArray[np.float32]]) -> NDArray[np.int16]:
        """The orientation of each cell: that with the largest component; the first among equals."""
        nearest = np.zeros(slopes[0].shape, dtype=np.int16)
        largest = np.full(slopes[0].shape, -1, dtype=np.float32)
        for k, direction in enumerate(orientations(self.n_orientations, len(slopes))):
            along = np.abs(sum(part * slope for part, slope in zip(direction, slopes, strict=True)))
            better = along > largest
            np.copyto(nearest, np.int16(k), where=better)
            np.maximum(largest, along, out=largest)
        return nearest


def orientations(n_orientations: int, n_axes: int) -> NDArray[np.float32]:
    """Unit vectors spread over half a circle (2 axes) or half a sphere (3 axes).

    Parameters
    ----------
    n_orientations : int
        Number of vectors.
    n_axes : int
        2 or 3.

    Returns
    -------
    vectors : ndarray of shape (n_orientations, n_axes)
        The first points along the first axis; on a sphere they follow a golden spiral.
    """
    k = np.arange(n_orientations)
    if n_axes == 2:
        angle = np.pi * k / max(n_orientations, 1)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)
    height = 1 - (k + 0.5) / max(n_orientations, 1)
    turn = np.pi * (3 - np.sqrt(5)) * k
    radius = np.sqrt(1 - height * height)
    return np.stack([height, radius * np.cos(turn), radius * np.sin(turn)], axis=1).astype(
        np.float32
    )


def _half_difference(samples: NDArray[Any], plane: Plane, axis: int) -> NDArray[np.float32]:
    padded = np.moveaxis(as_floats(plane.pad(samples, 1, axis)), 1 + axis, 0)
    slope = (padded[2:] - padded[:-2]) * np.float32(0.5)
    return np.ascontiguousarray(np.moveaxis(slope, 0, 1 + axis))
