"""Channels that have learnt from training samples, and turn samples into cells."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from silvan.channels.base import Channel, State, as_floats
from silvan.channels.layout import ChannelLayout
from silvan.channels.plane import PlaneGrid

# Cells that are computed at a time; with what channels need besides, some 100 MB.
_BLOCK_CELLS = 2**21


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
    with_missing : bool
        Whether a value of the samples that channels learnt from is missing.
    """

    channels: tuple[Channel, ...]
    planes: PlaneGrid
    dtype: str
    states: list[list[State]]
    scales: NDArray[np.float64]
    layout: ChannelLayout
    with_missing: bool = False

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

    @property
    def largest(self) -> list[int | None]:
        """The largest cell of each array whose cells are whole numbers from 0 on."""
        by_channel = [channel.largest(self.planes.plane) for channel in self.channels]
        return [by_channel[channel] for _, channel in self.sources]

    def weights(self, root: float = 2.0) -> tuple[float, ...]:
        """How often windows lie on each array, in proportion.

        A channel's share grows with a root of the number of its arrays: with equal shares of all
        arrays the values themselves would hardly be looked at beside many convolutions, and with
        equal shares of all channels many arrays would hardly add to one.

        Parameters
        ----------
        root : float, default=2.0
            Which root: a channel of 16 arrays has four times the share of one of a single array,
            or twice its share with the fourth root.

        Returns
        -------
        weights : tuple of float
            One for each array.
        """
        counts = [len(channel.names(self.planes.plane)) for channel in self.channels]
        return tuple(counts[channel] ** (1.0 / root - 1.0) for _, channel in self.sources)

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
        credit : ndarray of shape (n, layout.n_cells)
            A number for each cell, such as an importance, n times.

        Returns
        -------
        spread : ndarray of shape (n, *shape)
            A number for each value of a sample.
        """
        plane, n = self.planes.plane, len(credit)
        spread = np.zeros((n, self.planes.n_planes, *plane.shape))
        for number, (at, channel) in enumerate(self.sources):
            part = credit[:, self.layout.cells(number)].reshape(n, *self.layout.shapes[number])
            spread[:, at] += self.channels[channel].to_grid(part, plane)
        return self.planes.unite(spread)

    def check(self) -> FittedChannels:
        """Verify what was read from a file; raise a ValueError that names what is wrong."""
        layout = self.layout
        if not (
            self.dtype in ("uint8", "float32")
            and isinstance(self.with_missing, bool)
            and self.channels
            and all(isinstance(channel, Channel) for channel in self.channels)
            and self.planes.is_sound()
        ):
            raise ValueError("the channels of this forest are not known; fit it again.")
        plane = self.planes.plane
        for channel in self.channels:
            channel.validate(plane)
        sound = (
            self.scales.shape == (layout.n_channels, 2)
            and bool(np.isfinite(self.scales).all())
            and bool((self.scales[:, 1] > 0).all())
            and len(self.states) == self.planes.n_planes
            and all(len(states) == len(self.channels) for states in self.states)
            and len(layout.names) == len(layout.shapes) == len(self.sources)
            and all(
                channel.accepts(state, plane)
                for states in self.states
                for channel, state in zip(self.channels, states, strict=True)
            )
        )
        if not sound:
            raise ValueError("the channels of this forest do not fit together; fit it again.")
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
