"""Windows on channels: means, spreads and slopes over boxes of arrays that are made of samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from silvan import _core
from silvan._parameters import growing
from silvan._validation import check_choice, check_integer, invalid, is_integer, is_number
from silvan._windows import MAX_AXES, MAX_SHIFT, STATISTICS, Window
from silvan.projections.base import ProjectionDistribution
from silvan.projections.grids import (
    BOUNDARIES,
    DEFAULT_MAX_SIZE,
    MAX_PATCHES,
    Axis,
    as_tuple,
    spread_over_axes,
)
from silvan.projections.node import Node

Terms = list[tuple[float, Window]]


@dataclass(eq=False, repr=False)
class Windows(ProjectionDistribution):
    """Statistics of random windows on channels.

    A sample is a number of channels side by side, each an array over a grid: the grey values of an
    image and its gradients, a series and its spectrum. A direction is a window on one of them: the
    mean of its cells, their spread, their slope, or the largest or smallest mean of windows that
    are shifted a little. The cost of a window does not depend on its size.

    Parameters
    ----------
    shapes : list of int or tuple of int
        Shape of each channel. The features are the cells of the first channel, numbered as
        ``numpy.ravel`` does, then those of the second, and so on. All have the same number of axes,
        one to three.
    min_size, max_size : int or tuple of int, default=1 and None
        Smallest and largest number of cells along each axis; a channel that is shorter limits
        them. None as `max_size`, or as one of its entries, stands for 3 cells.
    boundary : {"pad", "corner", "inside", "wrap"} or tuple of these, default="pad"
        How size and place are drawn along an axis; see `Patches`.
    n_patches : int, default=1
        Number of windows in a direction. The others have the channel, size, statistic and shift of
        the first and lie near it; the second is subtracted, the third added, and so on. Windows
        that coincide add up; where all cancel out, the first stands alone.
    reach : int or tuple of int or None, default=None
        How many cells the further windows may lie from the first along an axis; see `Patches`.
    statistics : {"mean", "spread", "slope"} or tuple of these, default=("mean",)
        What is read off a window, drawn uniformly: the mean of its cells, their standard
        deviation, or the slope of the least-squares line over their position along the last axis.
        A window of one position has no slope, which is 0.
    shift : int, default=0
        Largest shift r of a mean. A mean that is shifted is the largest, or the smallest, of the
        means of the windows that are moved by -r, 0 or r along each axis, where r is uniform over
        1, ..., `shift`; moved windows are clipped to the grid, or continue at the other end of an
        axis that wraps.
    shift_probability : float, default=0.5
        How many of the means are shifted, where `shift` is not 0.
    whole_probability : float, default=0.0
        How many of the directions are a channel's whole, whatever `max_size` and `n_patches` say,
        and not shifted. They tell how often something occurs, wherever that is.
    weights : sequence of float or None, default=None
        Weight by which each channel is drawn, not negative; None: all alike.

    See Also
    --------
    Patches : Sums over the features themselves.
    Window : What a direction is made of.

    Notes
    -----
    Windows are read off running sums, two look-ups per axis. The sums of channels whose cells are
    whole numbers from 0 on are exact: they take 2, 4 or 8 bytes per cell and sample, as the largest
    window needs. With bytes as cells that is 2 where only means are asked for and no window has
    more than 257 cells, 4 for larger ones or with the spread of up to 16 cells, and 8 with spread
    or slope otherwise, unless windows have thousands of cells. Those of other channels take 8 bytes
    for each statistic, and every channel of a sample is centred before it is summed, so that an
    offset costs no accuracy. Channels along one axis have their sums twice while forests grow, for
    small nodes and for large ones. `bytes_per_sample` tells how much that is. A window that touches
    a missing cell is missing.

    Spread and shifts are not linear: `draw` and readers that need sums of features refuse them,
    and importances divide the gain of a window evenly among the cells that it reads.

    Examples
    --------
    >>> from silvan.projections import Windows
    >>> windows = Windows([(4, 6), (4, 6)], max_size=3, statistics=("mean", "spread"))
    >>> for coefficient, window in windows.draw_windows(2, random_state=0)[0]:
    ...     print(coefficient, window)
    1.0 Window(channel=0, start=(3, 1), end=(4, 4), statistic='spread', shift=0, scale=1.0)

    Sums have one position more along each axis than there are cells, 35 for each channel here:

    >>> windows.bytes_per_sample("uint8")
    320
    """

    shapes: Sequence[int | Sequence[int]]
    min_size: int | Sequence[int] = growing(1)
    max_size: int | Sequence[int] | None = growing(None)
    boundary: str | Sequence[str] = growing("pad")
    n_patches: int = growing(1)
    reach: int | Sequence[int] | None = growing(None)
    statistics: str | Sequence[str] = growing(("mean",))
    shift: int = growing(0)
    shift_probability: float = growing(0.5)
    whole_probability: float = growing(0.0)
    weights: Sequence[float] | None = growing(None)

    def validate(self, n_features: int) -> None:
        """Raise an error if a parameter is wrong, or channels have another number of cells."""
        shapes = self._shapes()
        n_cells = sum(math.prod(shape) for shape in shapes)
        if n_cells != n_features:
            raise ValueError(
                f"shapes {shapes} have {n_cells} cells but X has {n_features} features; pass the "
                "shapes of the channels that the columns of X are the cells of."
            )
        self._channels()
        self._statistics()
        self._weights()
        check_integer("n_patches", self.n_patches, 1, maximum=MAX_PATCHES)
        if not (is_integer(self.shift) and 0 <= self.shift <= MAX_SHIFT):
            raise invalid(
                "shift", f"an integer from 0 to {MAX_SHIFT}", self.shift, "pass for example 1"
            )
        for name in ("shift_probability", "whole_probability"):
            value = getattr(self, name)
            if not (is_number(value) and 0 <= value <= 1):
                raise invalid(name, "a number from 0 to 1", value, "pass for example 0.5")

    def bytes_per_sample(
        self, dtype: Any = "uint8", largest: Sequence[float | None] | None = None
    ) -> int:
        """Memory that the running sums of a sample take besides its cells.

        Parameters
        ----------
        dtype : "uint8" or "float32", default="uint8"
            Type of the cells.
        largest : sequence of float or None, default=None
            The largest cell of each channel whose cells are whole numbers from 0 on, whatever their
            type, and None for others; a single None knows nothing but the type.

        Returns
        -------
        bytes : int
            Bytes for each sample while a forest grows.
        """
        n_features = sum(math.prod(shape) for shape in self._shapes())
        self.validate(n_features)
        columns = self._to_native(n_features).columns
        if np.dtype(dtype) == np.uint8:
            most = [255.0] * len(self._shapes())
        else:
            known: Sequence[float | None] = largest or [None] * len(self._shapes())
            if len(known) != len(self._shapes()):
                rule = f"None or one entry for each of {len(self._shapes())} channels"
                raise invalid("largest", rule, largest, "pass None for channels of any values")
            most = [math.inf if cell is None else float(cell) for cell in known]
        return columns.bytes_per_sample(n_features, most)

    def draw_windows(self, n_directions: int, random_state: Any = None) -> list[Terms]:
        """Draw directions as the root of a tree does, to look at the distribution.

        Parameters
        ----------
        n_directions : int
            Number of directions.
        random_state : int, RandomState instance or None, default=None
            Seed; an int makes the draw reproducible.

        Returns
        -------
        directions : list of list of (float, Window)
            The coefficients and windows of each direction.
        """
        return self._draw_windows(n_directions, random_state, None)

    def _draw_windows(
        self, n_directions: int, random_state: Any, samples: _core.NodeSamples | None
    ) -> list[Terms]:
        check_integer("n_directions", n_directions, 1)
        n_features = sum(math.prod(shape) for shape in self._shapes())
        self.validate(n_features)
        seed = int(check_random_state(random_state).randint(2**63, dtype=np.int64))
        (indptr, _, coefficients), table = _core.sample_windows(
            self._to_native(n_features), _core.NodePlace(seed, 0), n_directions, samples
        )
        terms = list(zip(coefficients.tolist(), read_windows(table), strict=True))
        return [terms[indptr[i] : indptr[i + 1]] for i in range(n_directions)]

    def sample(self, node: Node, rng: np.random.Generator) -> sparse.csr_array[np.float64]:
        """Draw directions for one node in NumPy, as a reference for the core.

        They are written over the cells, which means and slopes can be.
        """
        return self._over_cells(self.sample_windows(node.n_directions, rng), node.n_features)

    def _over_cells(self, drawn: list[Terms], n_features: int) -> sparse.csr_array[np.float64]:
        """Directions over windows as directions over the cells."""
        shapes = self._shapes()
        firsts = np.cumsum([0, *(math.prod(shape) for shape in shapes)])
        wraps = [axis.boundary == "wrap" for axis in self._channels()[0]]
        directions = np.zeros((len(drawn), n_features))
        for direction, terms in zip(directions, drawn, strict=True):
            for coefficient, window in terms:
                if not window.is_linear:
                    raise ValueError(
                        "directions must be linear to be written over the cells, but spreads and "
                        "shifts are not; use sample_windows."
                    )
                cells = np.eye(math.prod(shapes[window.channel]))
                own = window.values(cells.reshape(-1, *shapes[window.channel]), wraps)
                direction[slice(*firsts[window.channel : window.channel + 2])] += coefficient * own
        return sparse.csr_array(directions)

    def sample_windows(self, n_directions: int, rng: np.random.Generator) -> list[Terms]:
        """The same as windows, of any statistic.

        Parameters
        ----------
        n_directions : int
            Number of directions.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        directions : list of list of (float, Window)
            The coefficients and windows of each direction.
        """
        channels, weights = self._channels(), self._weights()
        return [
            self._sample_terms(channels, int(rng.choice(len(channels), p=weights)), rng)
            for _ in range(n_directions)
        ]

    def _sample_terms(
        self, channels: list[list[Axis]], channel: int, rng: np.random.Generator
    ) -> Terms:
        statistic = str(rng.choice(self._statistics()))
        if rng.random() < self.whole_probability:
            shape = tuple(axis.length for axis in channels[channel])
            return [(1.0, Window(channel, (0,) * len(shape), shape, statistic))]
        shift = 0
        if self.shift and statistic == "mean" and rng.random() < self.shift_probability:
            shift = int(rng.integers(1, self.shift + 1)) * int(rng.choice([-1, 1]))
        spans = [axis.draw_spans(self.n_patches, rng) for axis in channels[channel]]
        drawn: dict[Window, float] = {}
        for number, box in enumerate(zip(*spans, strict=True)):
            start, end = tuple(s for s, _ in box), tuple(e for _, e in box)
            window = Window(channel, start, end, statistic, shift)
            drawn[window] = drawn.get(window, 0.0) + (-1.0 if number % 2 else 1.0)
        terms = [(coefficient, window) for window, coefficient in drawn.items() if coefficient]
        return terms or [(1.0, next(iter(drawn)))]

    def _shapes(self) -> list[tuple[int, ...]]:
        entries = as_tuple(self.shapes) or ()
        shapes = [as_tuple(entry) or (entry,) for entry in entries]
        lengths = [length for shape in shapes for length in shape]
        if not (
            shapes
            and all(is_integer(length) and length >= 1 for length in lengths)
            and len({len(shape) for shape in shapes}) == 1
            and len(shapes[0]) <= MAX_AXES
        ):
            raise invalid(
                "shapes",
                f"a list of the channels' shapes, all of the same one to {MAX_AXES} axes",
                self.shapes,
                "pass for example [(28, 28), (28, 28)] for two channels of an image",
            )
        return [tuple(int(length) for length in shape) for shape in shapes]

    def _statistics(self) -> list[str]:
        given = self.statistics
        statistics = (given,) if isinstance(given, str) else as_tuple(given) or ()
        for statistic in statistics:
            check_choice("statistics", statistic, STATISTICS)
        if not statistics or len(set(statistics)) < len(statistics):
            raise invalid(
                "statistics",
                f"some of {', '.join(map(repr, STATISTICS))}, each once",
                self.statistics,
                'pass for example ("mean", "spread")',
            )
        return list(statistics)

    def _weights(self) -> NDArray[np.float64]:
        n_channels = len(self._shapes())
        weights = (1.0,) * n_channels if self.weights is None else as_tuple(self.weights) or ()
        if not (
            len(weights) == n_channels
            and all(is_number(weight) and weight >= 0 for weight in weights)
            and any(weights)
        ):
            raise invalid(
                "weights",
                f"None or {n_channels} numbers that are not negative, one above 0",
                self.weights,
                "pass a weight for each channel",
            )
        shares = np.array(weights, dtype=np.float64)
        return np.asarray(shares / shares.sum(), dtype=np.float64)

    def _channels(self) -> list[list[Axis]]:
        """The axes of each channel, with all parameters checked."""
        shapes = self._shapes()
        # Hundreds of convolutions have the same shape.
        axes = {shape: self._axes(shape) for shape in dict.fromkeys(shapes)}
        return [axes[shape] for shape in shapes]

    def _axes(self, shape: tuple[int, ...]) -> list[Axis]:
        smallest = spread_over_axes("min_size", self.min_size, shape)
        largest = spread_over_axes("max_size", self.max_size, shape)
        boundary = spread_over_axes("boundary", self.boundary, shape)
        reach = spread_over_axes("reach", self.reach, shape)
        axes = []
        for a, length in enumerate(shape):
            check_integer("min_size", smallest[a], 1)
            check_integer("max_size", largest[a], 1, or_none=True)
            check_choice("boundary", boundary[a], BOUNDARIES)
            check_integer("reach", reach[a], 0, or_none=True)
            max_size = max(smallest[a], DEFAULT_MAX_SIZE) if largest[a] is None else largest[a]
            if smallest[a] > max_size:
                raise invalid(
                    "min_size",
                    f"at most max_size ({max_size} along axis {a})",
                    smallest[a],
                    "swap or change them",
                )
            near = max_size if reach[a] is None else reach[a]
            sizes = (min(length, int(smallest[a])), min(length, int(max_size)))
            axes.append(Axis(length, *sizes, boundary[a], min(length, int(near))))
        return axes

    def _to_native(self, n_features: int) -> _core.ProjectionDistribution:
        shift = (int(self.shift), float(self.shift_probability))
        return _core.windows(
            self._channels(),
            self._weights().tolist(),
            self._statistics(),
            int(self.n_patches),
            shift,
            float(self.whole_probability),
        )


def read_windows(table: _core.WindowTable) -> list[Window]:
    """The windows of a table of the core."""
    if len(table) == 0:
        return []
    boxes = table.box.reshape(len(table), -1, 2).tolist()
    rest = (
        table.channel.tolist(),
        table.statistic.tolist(),
        table.shift.tolist(),
        table.scale.tolist(),
    )
    return [
        Window(
            channel,
            tuple(start for start, _ in box),
            tuple(end for _, end in box),
            STATISTICS[statistic],
            shift,
            scale,
        )
        for box, channel, statistic, shift, scale in zip(boxes, *rest, strict=True)
    ]
