"""Indicators of random dilated convolutions above a threshold, as in MiniRocket."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan import _core
from silvan._validation import check_integer, invalid, is_integer
from silvan.channels.base import Channel, State, as_floats, quiet_overflow
from silvan.channels.plane import Plane
from silvan.channels.values import Difference

_MAX_KERNELS = 10_000


@dataclass(eq=False, repr=False)
class Convolutions(Channel):
    """Where random convolutions of a sample exceed a threshold [1]_; an array for each kernel.

    A kernel has 9 cells along a series, 3 x 3 in an image and 3 x 3 x 3 in a volume. A third of
    them, drawn at random, have coefficient 2 and the others -1, so that they add up to 0. They lie
    a dilation apart, which is drawn uniformly on a logarithmic scale up to the whole length. The
    threshold is a random quantile of the convolution of a random training sample. An array is 1
    where the convolution exceeds it and 0 elsewhere, and the mean over a window is the share of
    such cells. A cell is missing where one of the kernel's cells is. Cells are small whole numbers,
    whose running sums take little memory.

    Parameters
    ----------
    n_kernels : int, default=64
        Number of kernels for each plane of a sample.
    max_length : int or None, default=32
        Arrays that would be longer than this along the last axis hold counts of such cells over
        groups of neighbours, as small as possible, instead of single cells; None sets no limit.
        This bounds memory.
    order : int, default=0
        How often differences along the last axis are taken first (see `Difference`): 0 convolves
        the values, 1 their differences, where slow trends do not hide small shapes.

    References
    ----------
    .. [1] A. Dempster, D. F. Schmidt and G. I. Webb. MiniRocket: a very fast (almost) deterministic
       transform for time series classification. Knowledge Discovery and Data Mining, 2021.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.channels import Convolutions, fit_channels
    >>> X = np.random.default_rng(0).normal(size=(20, 50))
    >>> fitted = fit_channels([Convolutions(4)], X, seed=0)
    >>> fitted.transform(X).shape, fitted.layout.names
    ((20, 100), ('convolution 1', 'convolution 2', 'convolution 3', 'convolution 4'))
    >>> sorted(np.unique(fitted.transform(X)).tolist())
    [0.0, 1.0, 2.0]
    """

    n_kernels: int = 64
    max_length: int | None = 32
    order: int = 0

    def names(self, plane: Plane) -> list[str]:
        """One array for each kernel."""
        of = f" of {Difference(self.order).names(plane)[0]}" if self.order else ""
        return [f"convolution {k + 1}{of}" for k in range(self.n_kernels)]

    def validate(self, plane: Plane) -> None:
        """Require positive counts."""
        if not (is_integer(self.n_kernels) and 1 <= self.n_kernels <= _MAX_KERNELS):
            rule = f"an integer from 1 to {_MAX_KERNELS}"
            raise invalid("n_kernels", rule, self.n_kernels, "pass for example 64")
        check_integer("max_length", self.max_length, 1, or_none=True)
        check_integer("order", self.order, 0)
        if self.order:
            Difference(self.order).validate(plane)

    def accepts(self, state: State, plane: Plane) -> bool:
        """Whether kernels, dilations and thresholds are such as `learn` draws."""
        plane = self._convolved(plane)
        n_cells = _kernel_size(plane) ** len(plane.shape)
        expected = {
            "chosen": (np.int32, (self.n_kernels, n_cells // 3), 0, n_cells - 1),
            "dilations": (np.int32, (self.n_kernels,), 1, max(plane.shape)),
            "thresholds": (np.float32, (self.n_kernels,), -np.inf, np.inf),
        }
        return set(state) == set(expected) and all(
            isinstance(array := state[name], np.ndarray)
            and array.dtype == dtype
            and array.shape == shape
            and bool((array >= low).all() and (array <= high).all())
            for name, (dtype, shape, low, high) in expected.items()
        )

    @quiet_overflow
    def learn(self, samples: NDArray[Any], plane: Plane, rng: np.random.Generator) -> State:
        """Draw kernels and dilations; learn thresholds."""
        values, plane = self._differences(samples, plane), self._convolved(plane)
        size, n_cells = _kernel_size(plane), _kernel_size(plane) ** len(plane.shape)
        chosen = np.stack(
            [np.sort(rng.permutation(n_cells)[: n_cells // 3]) for _ in range(self.n_kernels)]
        )
        longest = np.log2(max((max(plane.shape) - 1) / (size - 1), 1.0))
        dilations = np.sort(2.0 ** rng.uniform(0, longest, size=self.n_kernels)).astype(np.int32)
        quantiles = rng.uniform(0, 1, size=self.n_kernels)
        shown = rng.integers(len(samples), size=self.n_kernels)
        state = {"chosen": chosen.astype(np.int32), "dilations": dilations}
        thresholds = np.zeros(self.n_kernels, dtype=np.float32)
        # Kernels of one dilation together, each on its own sample.
        for dilation in np.unique(dilations):
            alike = np.flatnonzero(dilations == dilation)
            padded = plane.pad(values[shown[alike]], dilation * (size // 2))
            results = _convolve_each(padded, plane, state, alike)
            thresholds[alike] = _quantiles(results.reshape(len(alike), -1), quantiles[alike])
        return {**state, "thresholds": thresholds}

    @quiet_overflow
    def compute(self, samples: NDArray[Any], plane: Plane, state: State) -> NDArray[Any]:
        """Indicators, or their sums over neighbouring cells where the axis is long."""
        values, plane = self._differences(samples, plane), self._convolved(plane)
        step = self._step(plane)
        if len(plane.shape) == 1:
            return self._compute_series(values, plane, state)
        length = -(-plane.shape[-1] // step)
        whole = step <= 255 and samples.dtype == np.uint8
        dtype = np.uint8 if whole else np.float32
        arrays = np.empty((len(samples), self.n_kernels, *plane.shape[:-1], length), dtype=dtype)
        for kernel, result in convolve(values, plane, state):
            above = (result > state["thresholds"][kernel]).astype(dtype)
            if not whole:
                above[np.isnan(result)] = np.nan
            arrays[:, kernel] = above if step == 1 else _sums_of_runs(above, step)
        return arrays

    def _compute_series(
        self, values: NDArray[np.float32], plane: Plane, state: State
    ) -> NDArray[np.float32]:
        """The same for series, by the core."""
        counts = _core.convolve_series(
            np.ascontiguousarray(values),
            plane.wrap[0],
            state["chosen"],
            state["dilations"],
            state["thresholds"],
            self._step(plane),
        )
        return np.asarray(counts).reshape(len(values), self.n_kernels, -1)

    def largest(self, plane: Plane) -> int:
        """The number of cells that are counted together."""
        return self._step(self._convolved(plane))

    def to_grid(self, credit: NDArray[np.float64], plane: Plane) -> NDArray[np.float64]:
        """The credit of a number of cells goes to them in equal parts."""
        convolved = self._convolved(plane)
        step, length = self._step(convolved), convolved.shape[-1]
        sizes = np.diff(np.minimum(np.arange(credit.shape[-1] + 1) * step, length))
        spread = np.repeat(credit / sizes, sizes, axis=-1)
        return Difference(self.order).to_grid(spread, plane) if self.order else spread

    def _differences(self, samples: NDArray[Any], plane: Plane) -> NDArray[np.float32]:
        """What is convolved: the samples, or their differences."""
        if not self.order:
            return as_floats(samples)
        differences: NDArray[np.float32] = Difference(self.order).compute(samples, plane, {})[:, 0]
        return differences

    def _convolved(self, plane: Plane) -> Plane:
        """The grid of what is convolved."""
        *rest, length = plane.shape
        return Plane((*rest, length if plane.wrap[-1] else length - self.order), plane.wrap)

    def _step(self, plane: Plane) -> int:
        """Number of neighbouring cells that share a cell of the arrays."""
        limit = plane.shape[-1] if self.max_length is None else int(self.max_length)
        return -(-plane.shape[-1] // limit)


def convolve(
    values: NDArray[np.float32], plane: Plane, state: State
) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """The result of each kernel in turn; kernels of one dilation share most of the work.

    Parameters
    ----------
    values : ndarray of shape (n_samples, *plane.shape)
        Samples.
    plane : Plane
        The grid.
    state : dict
        The cells of each kernel that have coefficient 2, and the dilations, ascending.

    Yields
    ------
    kernel : int
        Number of the kernel.
    result : ndarray of shape (n_samples, *plane.shape)
        Its convolution.
    """
    size = _kernel_size(plane)
    places = list(product(range(size), repeat=len(plane.shape)))
    dilation = 0
    for kernel, needed in enumerate(state["dilations"].tolist()):
        if needed != dilation:
            dilation = needed
            padded = plane.pad(values, dilation * (size // 2))
            shifted = [padded[_box(place, dilation, plane)] for place in places]
            total = shifted[0].copy()
            for view in shifted[1:]:
                total += view
        result = np.float32(-1) * total
        for cell in state["chosen"][kernel].tolist():
            result += np.float32(3) * shifted[cell]
        yield kernel, result


def _convolve_each(
    padded: NDArray[np.float32], plane: Plane, state: State, kernels: NDArray[np.intp]
) -> NDArray[np.float32]:
    """One convolution of each sample: with the kernel of its number, all of one dilation."""
    places = product(range(_kernel_size(plane)), repeat=len(plane.shape))
    dilation = int(state["dilations"][kernels[0]])
    shifted = np.stack([padded[_box(place, dilation, plane)] for place in places])
    result = shifted[0].copy()
    for view in shifted[1:]:
        result += view
    result *= np.float32(-1)
    for cells in state["chosen"][kernels].T:
        result += np.float32(3) * shifted[cells, np.arange(len(kernels))]
    return np.asarray(result)


def _quantiles(values: NDArray[np.float32], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """One quantile of the finite values of each row; 0 where there are none."""
    if np.isfinite(values).all():
        # All quantiles of all rows take less time than one call for each row.
        return np.asarray(np.quantile(values, shares, axis=1).diagonal(), dtype=np.float64)
    finite = [row[np.isfinite(row)] for row in values]
    return np.array(
        [np.quantile(row, q) if len(row) else 0.0 for row, q in zip(finite, shares, strict=True)]
    )


def _kernel_size(plane: Plane) -> int:
    return 9 if len(plane.shape) == 1 else 3


def _box(place: tuple[int, ...], dilation: int, plane: Plane) -> tuple[slice, ...]:
    """Where the values under one cell of the kernel lie in the padded array."""
    starts = [at * dilation for at in place]
    ends = [start + length for start, length in zip(starts, plane.shape, strict=True)]
    return (slice(None), *(slice(a, b) for a, b in zip(starts, ends, strict=True)))


def _sums_of_runs(values: NDArray[Any], step: int) -> NDArray[Any]:
    """Sums of runs of `step` cells along the last axis; the last run may be shorter."""
    sums = values[..., ::step].copy()
    for k in range(1, step):
        following = values[..., k::step]
        sums[..., : following.shape[-1]] += following
    return sums
