"""The planes of a sample: the parts of its grid that channels are computed on, one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# An axis of so few cells beside a longer one holds planes: colours, or a few sensors.
MAX_PLANES_TAKEN_FOR_GRANTED = 4


@dataclass(frozen=True)
class Plane:
    """The grid of one plane: a series, an image or a volume.

    Parameters
    ----------
    shape : tuple of int
        Number of cells along each axis.
    wrap : tuple of bool
        Which axes are circles, so that the last cell is a neighbour of the first.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.channels import Plane
    >>> Plane((4,), wrap=(True,)).pad(np.arange(4.0)[None], 1)
    array([[3., 0., 1., 2., 3., 0.]])
    >>> Plane((4,), wrap=(False,)).pad(np.arange(4.0)[None], 1)
    array([[0., 0., 1., 2., 3., 3.]])
    """

    shape: tuple[int, ...]
    wrap: tuple[bool, ...]

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return math.prod(self.shape)

    def pad(self, samples: NDArray[Any], width: int, axis: int | None = None) -> NDArray[Any]:
        """Samples with `width` more cells at both ends of an axis (None: of every axis).

        Beyond the end of an axis lies its other end where it wraps, and its last cell elsewhere.

        Parameters
        ----------
        samples : ndarray of shape (n_samples, *shape)
            Values of the plane.
        width : int
            Number of cells to add at each end.
        axis : int, default=None
            An axis of the plane, negative from the last.

        Returns
        -------
        padded : ndarray
            The larger array.
        """
        axes = range(len(self.shape)) if axis is None else [axis % len(self.shape)]
        for number in axes:
            length = self.shape[number]
            places = np.arange(-width, length + width)
            places = places % length if self.wrap[number] else np.clip(places, 0, length - 1)
            samples = samples.take(places, axis=1 + number)
        return samples


@dataclass(frozen=True)
class PlaneGrid:
    """How the grid of a sample divides into planes of equal shape.

    Parameters
    ----------
    shape : tuple of int
        Shape of a sample.
    contiguous : tuple of bool
        Which axes have neighbours; along the others each index is a plane.
    wrap : tuple of bool
        Which axes are circles.
    """

    shape: tuple[int, ...]
    contiguous: tuple[bool, ...]
    wrap: tuple[bool, ...]

    def is_sound(self) -> bool:
        """Whether the parts, read from a file, fit together."""
        n_axes = len(self.shape)
        flags = (*self.contiguous, *self.wrap)
        return (
            len(self.contiguous) == len(self.wrap) == n_axes
            and all(type(length) is int and length > 0 for length in self.shape)
            and all(isinstance(flag, bool) for flag in flags)
            and any(self.contiguous)
        )

    @property
    def plane(self) -> Plane:
        """The grid of each plane."""
        kept = [axis for axis, run in enumerate(self.contiguous) if run]
        return Plane(
            tuple(self.shape[axis] for axis in kept), tuple(self.wrap[axis] for axis in kept)
        )

    @property
    def n_planes(self) -> int:
        """Number of planes."""
        return math.prod(self.shape) // self.plane.n_cells

    def divide(self, samples: NDArray[Any]) -> NDArray[Any]:
        """Flat samples as an array of shape (n_samples, n_planes, *plane.shape), not to be written.

        Often it is a view of what a user passed, and every channel must see the same values.
        """
        order = self._order()
        grid = samples.reshape(len(samples), *self.shape)
        moved = grid.transpose(0, *(1 + axis for axis in order))
        divided = moved.reshape(len(samples), self.n_planes, *self.plane.shape)
        divided.flags.writeable = False
        return divided

    def unite(self, planes: NDArray[Any]) -> NDArray[Any]:
        """What `divide` made of samples, as an array of shape (n_samples, *shape)."""
        order = self._order()
        grid = planes.reshape(len(planes), *(self.shape[axis] for axis in order))
        return grid.transpose(0, *(1 + int(place) for place in np.argsort(order)))

    def _order(self) -> list[int]:
        """The axes of a sample: those of planes first."""
        axes = range(len(self.shape))
        return sorted(axes, key=lambda axis: self.contiguous[axis])


def contiguous_axes(shape: tuple[int, ...], contiguous: bool | Sequence[bool]) -> tuple[bool, ...]:
    """Which axes of a grid belong to planes; see `find_planes`.

    Parameters
    ----------
    shape : tuple of int
        Shape of a sample.
    contiguous : bool or sequence of bool
        Which axes have neighbours, or a single value.

    Returns
    -------
    runs : tuple of bool
        One for each axis.
    """
    if not isinstance(contiguous, bool | np.bool_):
        return tuple(bool(run) for run in contiguous)
    longest = max(shape)
    few = (length <= MAX_PLANES_TAKEN_FOR_GRANTED < longest for length in shape)
    return tuple(bool(contiguous) and not planes for planes in few)


def find_planes(
    shape: tuple[int, ...], contiguous: bool | Sequence[bool], wrap: tuple[bool, ...]
) -> PlaneGrid:
    """The planes of a grid, from what the user says of its axes.

    Parameters
    ----------
    shape : tuple of int
        Shape of a sample.
    contiguous : bool or sequence of bool
        Which axes have neighbours. A single True leaves out axes of at most 4 cells beside a longer
        one, which are colours or a few sensors; False, or False throughout, is refused.
    wrap : tuple of bool
        Which axes are circles.

    Returns
    -------
    planes : PlaneGrid
        How samples are divided.

    Examples
    --------
    >>> from silvan.channels.plane import find_planes
    >>> find_planes((32, 32, 3), True, (False,) * 3).plane.shape
    (32, 32)
    >>> find_planes((8, 200), (False, True), (False,) * 2).n_planes
    8
    """
    runs = contiguous_axes(shape, contiguous)
    if not any(runs):
        raise ValueError(
            "channels need an axis with neighbours, but contiguous is False for every axis of "
            f'shape {shape}; pass channels="raw".'
        )
    return PlaneGrid(tuple(shape), runs, tuple(wrap))
