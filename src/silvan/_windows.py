"""A window on a channel: a box of cells and a statistic of their values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

STATISTICS = ("mean", "spread", "slope")
MAX_AXES = 3
MAX_SHIFT = 127


class Window(NamedTuple):
    """A box on a channel, and what is computed from it; a term of a direction over channels.

    Attributes
    ----------
    channel : int
        Number of the channel.
    start, end : tuple of int
        Cells ``start`` to ``end - 1`` along each axis. On an axis that wraps, `end` may lie beyond
        the last cell and goes on at the first.
    statistic : {"mean", "spread", "slope"}
        Mean or standard deviation of the cells, or the slope of the least-squares line over their
        position along the last axis.
    shift : int
        0, or how far a mean may move: r stands for the largest mean of the boxes that are moved by
        -r, 0 or r along each axis, and -r for the smallest. Boxes are clipped to the grid.
    scale : float
        What the statistic is divided by: 1, or its standard deviation where windows of several
        units are combined.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.projections import Window
    >>> series = np.array([[1.0, 2.0, 4.0, 8.0]])
    >>> Window(0, (1,), (4,)).values(series)
    array([4.66666667])
    >>> Window(0, (0,), (2,), "mean", 1).values(series)
    array([3.])
    """

    channel: int
    start: tuple[int, ...]
    end: tuple[int, ...]
    statistic: str = "mean"
    shift: int = 0
    scale: float = 1.0

    @property
    def is_linear(self) -> bool:
        """Whether the value is a weighted sum of cells."""
        return self.statistic != "spread" and self.shift == 0

    def describe(self, channel: str | None = None) -> str:
        """The window in words, in the notation of slices.

        Parameters
        ----------
        channel : str, default=None
            Name of the channel; None: its number.

        Returns
        -------
        words : str
            For example ``mean of channel 0 [1:4]``.
        """
        name = f"channel {self.channel}" if channel is None else channel
        slices = ", ".join(f"{a}:{b}" for a, b in zip(self.start, self.end, strict=True))
        words = f"{self.statistic} of {name} [{slices}]"
        if self.shift:
            words = f"{'largest' if self.shift > 0 else 'smallest'} {words} +-{abs(self.shift)}"
        return words if self.scale == 1 else f"{words} / {self.scale:.3g}"

    def boxes(
        self, shape: Sequence[int], wraps: Sequence[bool]
    ) -> list[tuple[tuple[int, int], ...]]:
        """The boxes that the window is read off, as (start, end) along each axis, its own first."""
        moves = (0, -abs(self.shift), abs(self.shift)) if self.shift else (0,)
        choices = []
        for start, end, length, wrap in zip(self.start, self.end, shape, wraps, strict=True):
            if wrap:
                moved = [
                    ((start + by) % length, (start + by) % length + end - start) for by in moves
                ]
            else:
                moved = [(max(start + by, 0), min(end + by, length)) for by in moves]
            choices.append([(first, last) for first, last in moved if first < last])
        return list(product(*choices))

    def values(
        self, cells: NDArray[Any], wraps: Sequence[bool] | None = None
    ) -> NDArray[np.float64]:
        """The value of the window for each sample, by its definition.

        Parameters
        ----------
        cells : array of shape (n_samples, *shape)
            The channel of each sample.
        wraps : sequence of bool, default=None
            Which axes are circles; None: none of them.

        Returns
        -------
        values : float64 array of shape (n_samples,)
            NaN where a cell of the window is missing.
        """
        shape = cells.shape[1:]
        found = [
            self._statistic_of(cells, box)
            for box in self.boxes(shape, wraps or [False] * len(shape))
        ]
        best = np.max if self.shift >= 0 else np.min
        return np.asarray(best(found, axis=0) / self.scale, dtype=np.float64)

    def _statistic_of(
        self, cells: NDArray[Any], box: tuple[tuple[int, int], ...]
    ) -> NDArray[np.float64]:
        inside = cells.astype(np.float64)
        for axis, (start, end) in enumerate(box, start=1):
            inside = np.take(inside, np.arange(start, end) % cells.shape[axis], axis=axis)
        axes = tuple(range(1, inside.ndim))
        if self.statistic == "mean":
            return np.asarray(inside.mean(axis=axes))
        centred = inside - inside.mean(axis=axes, keepdims=True)
        if self.statistic == "spread":
            return np.asarray(np.sqrt((centred**2).mean(axis=axes)))
        position = np.arange(inside.shape[-1]) - (inside.shape[-1] - 1) / 2
        squares = (position**2).sum() * inside[0, ..., 0].size
        if squares == 0:
            return np.asarray(0.0 * centred.sum(axis=axes))
        return np.asarray((centred * position).sum(axis=axes) / squares)
