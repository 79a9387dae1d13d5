"""Gradients of images and volumes: how steep they are, and in which orientation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan._validation import invalid, is_integer
from silvan.channels.base import Channel, State, as_floats, quiet_overflow
from silvan.channels.plane import Plane


@dataclass(eq=False, repr=False)
class Gradients(Channel):
    """The magnitude of the gradient, and the gradient by its direction [1]_.

    The gradient is half the difference of the two neighbours along each axis. In an image it is
    written as a sum of the two nearest of `n_orientations` directions, spread evenly over the
    circle, and the arrays hold their coefficients: an edge from dark to bright and one from bright
    to dark are in different arrays. In a volume its magnitude is counted for the nearest of
    directions that are spread over the sphere. The arrays of the other directions are 0. A cell is
    missing where one of its neighbours is.

    Parameters
    ----------
    n_orientations : int, default=8
        Number of directions, 0 or at least 4; 0 for the magnitude alone.

    References
    ----------
    .. [1] P. Dollár, Z. Tu, P. Perona and S. Belongie. Integral channel features. British Machine
       Vision Conference, 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.channels import Gradients, fit_channels
    >>> ramp = np.arange(4.0) + np.zeros((1, 3, 1))
    >>> magnitude, *oriented = fit_channels([Gradients(4)], ramp).arrays(ramp)
    >>> magnitude[0, 1]
    array([0.5, 1. , 1. , 0.5], dtype=float32)
    >>> [int(array.any()) for array in oriented]
    [0, 1, 0, 0]
    """

    n_orientations: int = 8

    def names(self, plane: Plane) -> list[str]:
        """The magnitude, and one array for each direction."""
        return ["gradient", *(f"gradient {k}" for k in range(self.n_orientations))]

    def validate(self, plane: Plane) -> None:
        """Require two or three axes."""
        if not (is_integer(self.n_orientations) and self.n_orientations in {0, *range(4, 1000)}):
            raise invalid(
                "n_orientations",
                "0 or an integer from 4 to 999",
                self.n_orientations,
                "pass for example 8",
            )
        if len(plane.shape) not in (2, 3):
            raise invalid(
                "channels",
                "such that Gradients have planes of 2 or 3 axes (images, volumes)",
                plane.shape,
                "use Difference along a series",
            )

    @quiet_overflow
    def compute(self, samples: NDArray[Any], plane: Plane, state: State) -> NDArray[Any]:
        """Magnitudes, and parts by direction."""
        slopes = [_half_difference(samples, plane, axis) for axis in range(len(plane.shape))]
        shape = (len(samples), 1 + self.n_orientations, *plane.shape)
        arrays = np.empty(shape, dtype=np.float32)
        arrays[:, 0] = np.sqrt(sum(slope * slope for slope in slopes))
        if self.n_orientations:
            divide = _divide_on_circle if len(slopes) == 2 else _divide_on_sphere
            divide(slopes, directions(self.n_orientations, len(slopes)), arrays)
        return arrays


def directions(n_directions: int, n_axes: int) -> NDArray[np.float32]:
    """Unit vectors spread over a circle (2 axes) or a sphere (3 axes).

    Parameters
    ----------
    n_directions : int
        Number of vectors.
    n_axes : int
        2 or 3.

    Returns
    -------
    vectors : ndarray of shape (n_directions, n_axes)
        On a circle the first points along the first axis; on a sphere they follow a golden spiral.
    """
    k = np.arange(n_directions)
    if n_axes == 2:
        angle = 2 * np.pi * k / n_directions
        # Rounded so that those along axes have an exact 0.
        return np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32).round(7)
    height = 1 - (2 * k + 1) / n_directions
    turn = np.pi * (3 - np.sqrt(5)) * k
    radius = np.sqrt(1 - height * height)
    return np.stack([height, radius * np.cos(turn), radius * np.sin(turn)], axis=1).astype(
        np.float32
    )


def _divide_on_circle(
    slopes: list[NDArray[np.float32]], vectors: NDArray[np.float32], arrays: NDArray[np.float32]
) -> None:
    """Write the gradient g as a sum of its two neighbours u, u' among the vectors.

    Their coefficients are det(g, u') / det(u, u') and det(u, g) / det(u, u'). So that of vector k
    is the smaller one of what its two neighbours say, and 0 where that is negative: no angle needs
    to be computed, which would take three times as long.
    """
    n = len(vectors)
    unit = np.float32(np.sin(2 * np.pi / n))
    down, right = slopes
    turned = [(v[0] * right - v[1] * down) / unit for v in vectors]
    for k in range(n):
        part = arrays[:, 1 + k]
        np.minimum(turned[k - 1], -turned[(k + 1) % n], out=part)
        np.maximum(part, 0, out=part)


def _divide_on_sphere(
    slopes: list[NDArray[np.float32]], vectors: NDArray[np.float32], arrays: NDArray[np.float32]
) -> None:
    """Count the magnitude for the vector with the largest component; the first among equals."""
    magnitude = arrays[:, 0]
    nearest = np.zeros(magnitude.shape, dtype=np.int16)
    largest = np.full(magnitude.shape, -np.inf, dtype=np.float32)
    for k, vector in enumerate(vectors):
        along = sum(part * slope for part, slope in zip(vector, slopes, strict=True))
        np.copyto(nearest, np.int16(k), where=along > largest)
        np.maximum(largest, along, out=largest)
    for k in range(len(vectors)):
        arrays[:, 1 + k] = magnitude * (nearest == k)


def _half_difference(samples: NDArray[Any], plane: Plane, axis: int) -> NDArray[np.float32]:
    padded = np.moveaxis(as_floats(plane.pad(samples, 1, axis)), 1 + axis, 0)
    slope = (padded[2:] - padded[:-2]) * np.float32(0.5)
    return np.ascontiguousarray(np.moveaxis(slope, 0, 1 + axis))
