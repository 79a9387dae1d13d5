"""Channels that have learnt from training samples, and turn samples into cells."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from silvan._validation import check_integer, invalid
from silvan.channels.base import Channel, State, as_floats
from silvan.channels.function import Function
from silvan.channels.layout import ChannelLayout
from silvan.channels.plane import Plane, PlaneGrid, find_planes

# Samples that channels learn from, and the cells of a plane that these have together.
_MAX_LEARNING_SAMPLES = 1000
_MAX_LEARNING_CELLS = 2**23
# Cells that are computed at a time; with what channels need besides, some 100 MB.
_BLOCK_CELLS = 2**21
# The quantile of a channel that becomes the largest byte, or, if that is 0, its maximum.
_LARGEST_BYTE_QUANTILE = 0.999


@dataclass(frozen=True, eq=False)
class FittedChannels:
    """Channels with what they learnt; `fit_channels` makes them, and a forest keeps its own.

    Parameters
    ----------
    channels : tuple of Channel
        The channels.
    planes : PlaneGrid
        How samples are divided into planes; every plane has arrays of its own.
    dtype : {"uint8", "float32"}
        Type of the cells.
    states : list of list of dict
        What each channel learnt on each plane.
    scales : ndarray of shape (n_channels, 2)
        The value of byte 0 and the step from one byte to the next, for each array; for float32 they
        are 0 and 1 and are not used.
    layout : ChannelLayout
        Names and shapes of the arrays: those of all channels on the first plane, then those on the
        second, and so on.
    """

    channels: tuple[Channel, ...]
    planes: PlaneGrid
    dtype: str
    states: list[list[State]]
    scales: NDArray[np.float64]
    layout: ChannelLayout

    @property
    def bytes_per_sample(self) -> int:
        """Memory that the cells of a sample take; running sums come on top of it."""
        return self.layout.n_cells * np.dtype(self.dtype).itemsize

    @property
    def sources(self) -> list[tuple[int, int]]:
        """The plane and the channel that each array comes from."""
        counts = [len(channel.names(self.planes.plane)) for channel in self.channels]
        return [
            (plane, channel)
            for plane in range(self.planes.n_planes)
            for channel, count in enumerate(counts)
            for _ in range(count)
        ]

    def transform(self, X: ArrayLike) -> NDArray[Any]:
        """Compute the cells of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *shape)
            Samples on the grid that the channels were fitted to.

        Returns
        -------
        cells : ndarray of shape (n_samples, layout.n_cells)
            Of type `dtype`; bytes become float32 where samples have missing values.
        """
        samples = np.asarray(X)
        samples = samples.reshape(len(samples), math.prod(self.planes.shape))
        with_missing = samples.dtype.kind == "f" and bool(np.isnan(samples).any())
        dtype = np.dtype(np.float32 if with_missing else self.dtype)
        cells = np.empty((len(samples), self.layout.n_cells), dtype=dtype)
        step = max(1, _BLOCK_CELLS // self.layout.n_cells)
        for start in range(0, len(samples), step):
            block = slice(start, start + step)
            for number, values in self._compute(samples[block]):
                part = cells[block, self.layout.cells(number)]
                part[:] = self._stored(values, number).reshape(part.shape)
        return cells

    def arrays(self, X: ArrayLike) -> list[NDArray[Any]]:
        """Compute the arrays one by one, to look at them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features) or (n_samples, *shape)
            Samples on the grid that the channels were fitted to.

        Returns
        -------
        arrays : list of ndarray of shape (n_samples, *layout.shapes[i])
            What windows are laid on.
        """
        cells = self.transform(X)
        return [
            cells[:, self.layout.cells(number)].reshape(len(cells), *shape)
            for number, shape in enumerate(self.layout.shapes)
        ]

    def credit_on_grid(self, credit: NDArray[np.float64]) -> NDArray[np.float64]:
        """Spread credit of cells over the grid of the samples; the sum stays.

        Parameters
        ----------
        credit : ndarray of shape (layout.n_cells,)
            A number for each cell, such as an importance.

        Returns
        -------
        spread : ndarray of the shape of a sample
            A number for each value of a sample.
        """
        plane = self.planes.plane
        spread = np.zeros((self.planes.n_planes, *plane.shape))
        for number, (at, channel) in enumerate(self.sources):
            part = credit[self.layout.cells(number)].reshape(self.layout.shapes[number])
            spread[at] += self.channels[channel].to_grid(part, plane)
        return self.planes.unite(spread)

    def check(self) -> FittedChannels:
        """Verify what was read from a file; raise a ValueError that names what is wrong."""
        plane, layout = self.planes.plane, self.layout
        known = self.dtype in ("uint8", "float32") and all(
            isinstance(channel, Channel) for channel in self.channels
        )
        sound = (
            known
            and self.scales.shape == (layout.n_channels, 2)
            and bool(np.isfinite(self.scales).all())
            and bool((self.scales[:, 1] > 0).all())
            and len(self.states) == self.planes.n_planes
            and all(len(states) == len(self.channels) for states in self.states)
            and len(layout.names) == len(layout.shapes) == len(self.sources)
        )
        if not sound:
            raise ValueError("the channels of this forest do not fit together; fit it again.")
        for channel in self.channels:
            channel.validate(plane)
        # What a file says of shapes must be what the channels compute.
        blank = np.zeros((1, math.prod(self.planes.shape)), dtype=self.dtype)
        shapes = tuple(values.shape[1:] for _, values in self._compute(blank))
        if shapes != tuple(tuple(shape) for shape in layout.shapes):
            raise ValueError("the channels of this forest have other shapes; fit it again.")
        return self

    def _compute(self, samples: NDArray[Any]) -> Iterator[tuple[int, NDArray[Any]]]:
        """The number and the values of each array, for a block of flat samples."""
        samples = samples if samples.dtype == np.uint8 else as_floats(samples)
        plane, number = self.planes.plane, 0
        divided = self.planes.divide(samples)
        for at, states in enumerate(self.states):
            for channel, state in zip(self.channels, states, strict=True):
                arrays = channel.compute(divided[:, at], plane, state)
                for k in range(arrays.shape[1]):
                    yield number, arrays[:, k]
                    number += 1

    def _stored(self, values: NDArray[Any], number: int) -> NDArray[Any]:
        """Values as they are stored: as they are, or in steps of the array's scale."""
        if self.dtype == "float32" or values.dtype == np.uint8:
            return values
        low, step = self.scales[number].astype(np.float32)
        codes: NDArray[Any] = np.rint((values - low) * (np.float32(1) / step))
        np.clip(codes, 0, 255, out=codes)
        return codes


def fit_channels(
    channels: Sequence[Any],
    X: ArrayLike,
    *,
    contiguous: bool | Sequence[bool] = True,
    boundary: str | Sequence[str] = "pad",
    shape: tuple[int, ...] | None = None,
    seed: int = 0,
) -> FittedChannels:
    """Let channels learn from training samples; forests do this in `fit`.

    Parameters
    ----------
    channels : sequence of Channel or callable
        What to compute; a callable stands for `Function` of it.
    X : array-like of shape (n_samples, n_features) or (n_samples, *shape)
        Training samples; the first thousand or fewer are learnt from. Images and volumes of uint8
        have channels of uint8, all else is float32.
    contiguous : bool or sequence of bool, default=True
        False for an axis whose neighbours do not belong together, such as sensors or colours: each
        index is a plane with arrays of its own. A single True does that with axes of at most 4
        cells beside a longer one.
    boundary : str or sequence of str, default="pad"
        "wrap" for an axis that is a circle; anything else ends the axis at its last cell.
    shape : tuple of int, default=None
        Shape of one sample; None takes it from `X`.
    seed : int, default=0
        Seed of what channels draw, such as kernels.

    Returns
    -------
    fitted : FittedChannels
        The channels, ready for samples of this shape.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.channels import Difference, Raw, fit_channels
    >>> X = np.random.default_rng(0).normal(size=(100, 8, 200))
    >>> fitted = fit_channels([Raw(), Difference()], X, contiguous=(False, True))
    >>> fitted.layout.n_channels, fitted.layout.names[:3]
    (16, ('value of plane 0', 'difference of plane 0', 'value of plane 1'))
    """
    samples = np.asarray(X)
    shape = samples.shape[1:] if shape is None else shape
    boundaries = [boundary] * len(shape) if isinstance(boundary, str) else boundary
    planes = find_planes(shape, contiguous, tuple(rule == "wrap" for rule in boundaries))
    strategies = as_channels(channels, planes.plane)
    check_integer("seed", seed, 0)
    n_learning = min(_MAX_LEARNING_SAMPLES, max(16, _MAX_LEARNING_CELLS // planes.plane.n_cells))
    samples = samples[:n_learning].reshape(-1, math.prod(shape))
    samples = samples if samples.dtype == np.uint8 else as_floats(samples)
    in_bytes = samples.dtype == np.uint8 and len(planes.plane.shape) > 1
    divided = planes.divide(samples)
    states: list[list[State]] = []
    names: list[str] = []
    shapes: list[tuple[int, ...]] = []
    scales: list[tuple[float, float]] = []
    for at in range(planes.n_planes):
        values = divided[:, at]
        states.append([])
        suffix = f" of plane {at}" if planes.n_planes > 1 else ""
        for number, channel in enumerate(strategies):
            rng = np.random.Generator(np.random.Philox(key=[seed, at * len(strategies) + number]))
            state = channel.learn(values, planes.plane, rng)
            states[at].append(state)
            arrays = _computed(channel, values, planes.plane, state)
            names += [name + suffix for name in channel.names(planes.plane)]
            for k in range(arrays.shape[1]):
                shapes.append(tuple(arrays.shape[2:]))
                scales.append(_learn_scale(arrays[:, k]) if in_bytes else (0.0, 1.0))
    dtype = "uint8" if in_bytes else "float32"
    layout = ChannelLayout(tuple(names), tuple(shapes))
    return FittedChannels(strategies, planes, dtype, states, np.array(scales), layout)


def as_channels(channels: Any, plane: Plane) -> tuple[Channel, ...]:
    """The channels of a sequence, checked against the grid; callables become `Function`.

    Parameters
    ----------
    channels : sequence of Channel or callable
        What the user passed.
    plane : Plane
        The grid of a plane.

    Returns
    -------
    channels : tuple of Channel
        Copies are not made.
    """
    given = list(channels) if isinstance(channels, list | tuple) else []
    built = tuple(
        Function(channel) if not isinstance(channel, Channel) and callable(channel) else channel
        for channel in given
    )
    if not built or not all(isinstance(channel, Channel) for channel in built):
        raise invalid(
            "channels",
            '"auto", "raw" or a sequence of objects of silvan.channels and callables',
            channels,
            "pass for example [Raw(), Difference()] from silvan.channels",
        )
    for channel in built:
        channel.validate(plane)
    return built


def _computed(channel: Channel, values: NDArray[Any], plane: Plane, state: State) -> NDArray[Any]:
    """What a channel computes from learning samples, its shape checked."""
    arrays = np.asarray(channel.compute(values, plane, state))
    expected = (len(values), len(channel.names(plane)))
    if arrays.ndim != 2 + len(plane.shape) or arrays.shape[:2] != expected or arrays.size == 0:
        raise ValueError(
            f"{type(channel).__name__}.compute must return an array of shape (n_samples, "
            f"len(names), *shape) with as many axes in shape as {plane.shape} has, but for "
            f"{expected[0]} samples and {expected[1]} names it returned {arrays.shape}; reshape it."
        )
    return arrays


def _learn_scale(values: NDArray[Any]) -> tuple[float, float]:
    """What byte 0 stands for and the step to the next: bytes as they are, others by quantiles."""
    if values.dtype == np.uint8:
        return 0.0, 1.0
    known = values[np.isfinite(values)].astype(np.float64)
    if not len(known):
        return 0.0, 1.0
    low, high = np.quantile(known, [1 - _LARGEST_BYTE_QUANTILE, _LARGEST_BYTE_QUANTILE])
    low = min(0.0, float(low))
    if high <= low:
        high = float(known.max())
    return low, (float(high) - low) / 255 if high > low else 1.0
