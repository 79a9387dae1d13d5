"""Where each channel lies among the cells that a forest reads."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ChannelLayout:
    """Names and shapes of the arrays of channels, which follow each other in a row of cells.

    Parameters
    ----------
    names : tuple of str
        What each array is called.
    shapes : tuple of tuple of int
        Number of cells along each axis; all have the same number of axes.

    Examples
    --------
    >>> from silvan.channels import ChannelLayout
    >>> layout = ChannelLayout(("value", "spectrum"), ((100,), (50,)))
    >>> layout.n_cells, layout.offsets
    (150, array([  0, 100, 150]))
    """

    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]

    @property
    def n_channels(self) -> int:
        """Number of arrays."""
        return len(self.shapes)

    @property
    def n_cells(self) -> int:
        """Number of cells of all arrays together."""
        return int(self.offsets[-1])

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """The first cell of each array, and the end of the last."""
        sizes = [math.prod(shape) for shape in self.shapes]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def cells(self, channel: int) -> slice:
        """The cells of an array.

        Parameters
        ----------
        channel : int
            Its number.

        Returns
        -------
        cells : slice
            Its place in a row of cells.
        """
        return slice(int(self.offsets[channel]), int(self.offsets[channel + 1]))
