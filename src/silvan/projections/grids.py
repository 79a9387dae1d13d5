"""Patches of neighbouring features on a grid, as in manifold forests and structured RerF."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from silvan import _core
from silvan._parameters import growing
from silvan._validation import check_choice, check_flag, check_integer, invalid, is_integer
from silvan.projections.base import ProjectionDistribution
from silvan.projections.node import Node

BOUNDARIES = ("corner", "inside", "pad", "wrap")
DEFAULT_MAX_SIZE = 3  # docs/results/patch_sizes.md
COEFFICIENTS = ("ones", "signs", "uniform", "normal")
# A direction holds all of its patches.
MAX_PATCHES = 1000


class Axis(NamedTuple):
    """How a patch is drawn along one axis; an axis that is not contiguous has boundary "subset"."""

    length: int
    min_size: int
    max_size: int
    boundary: str
    reach: int

    def draw(self, n_patches: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
        """Cells of each patch of a direction along the axis, ascending."""
        if self.boundary == "subset":
            size = int(rng.integers(self.min_size, self.max_size + 1))
            draws = [rng.choice(self.length, size=size, replace=False) for _ in range(n_patches)]
            return [np.sort(cells) for cells in draws]
        runs = [np.arange(*span) for span in self.draw_spans(n_patches, rng)]
        if self.boundary == "wrap":
            return [np.sort(run % self.length) for run in runs]
        return runs

    def draw_spans(self, n_patches: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Start and end of each patch; on a circle the end may lie beyond the last cell."""
        length, min_size, max_size, boundary, _ = self
        if boundary == "corner":
            start = int(rng.integers(length - min_size + 1))
            size = int(rng.integers(min_size, min(max_size, length - start) + 1))
        else:
            size = int(rng.integers(min_size, max_size + 1))
            start = int(rng.choice(self._starts(size)))
        starts = self._starts(size)
        steps = np.abs(starts - start)
        if boundary == "wrap":
            steps = np.minimum(steps, length - steps)
        near = starts[steps <= self.reach]
        firsts = [start, *(int(rng.choice(near)) for _ in range(n_patches - 1))]
        if boundary == "wrap":
            return [(first, first + size) for first in firsts]
        return [(max(first, 0), min(first + size, length)) for first in firsts]

    def _starts(self, size: int) -> NDArray[np.int64]:
        """First cells that a run of this size may have."""
        if self.boundary == "wrap":
            return np.arange(self.length)
        if self.boundary == "pad":
            return np.arange(1 - size, self.length)
        return np.arange(self.length - size + 1)


@dataclass(frozen=True)
class Grid:
    """A grid that features lie on: its shape, and which axes have neighbours.

    Parameters
    ----------
    shape : tuple of int
        Number of cells along each axis; features are numbered as ``numpy.ravel`` does.
    contiguous : tuple of bool
        False for axes whose neighbours do not belong together, such as sensors.

    Examples
    --------
    >>> from silvan.projections import Grid
    >>> Grid((3, 100), contiguous=(False, True)).n_cells
    300
    """

    shape: tuple[int, ...]
    contiguous: tuple[bool, ...]

    @property
    def n_cells(self) -> int:
        """Number of cells, which is the number of features."""
        return math.prod(self.shape)


@dataclass(eq=False, repr=False)
class PatchParameters:
    """How patches are drawn on a grid; of `Patches`, and of the forests that are made of them."""

    shape: int | Sequence[int] | None = None
    min_size: int | Sequence[int] = growing(1)
    max_size: int | Sequence[int] | None = growing(None)
    boundary: str | Sequence[str] = growing("pad")
    contiguous: bool | Sequence[bool] = growing(True)
    coefficients: str = growing("ones")
    n_patches: int = growing(1)
    reach: int | Sequence[int] | None = growing(None)


@dataclass(eq=False, repr=False)
class Patches(PatchParameters, ProjectionDistribution):
    """Sums over random patches of neighbouring features, as in manifold forests [1]_, [2]_.

    The features lie on a grid: the pixels of an image, the time steps of a series, voxels,
    channels times time. A direction is a patch, the product of one run of cells per axis, and a
    sample's value is the weighted sum over its cells. The cost of a sum of equal coefficients does
    not depend on the patch's size.

    Parameters
    ----------
    shape : int or tuple of int, default=None
        Shape of the grid; its product is the number of features, and features are numbered as
        ``numpy.ravel`` does. None takes the shape of the samples that a forest is fitted to.
    min_size, max_size : int or tuple of int, default=1 and None
        Smallest and largest number of cells along each axis. One number holds for the contiguous
        axes and leaves all sizes to the others; where no axis is contiguous it holds for all.
        None as `max_size`, or as one of its entries, stands for 3 cells (the best
        of four rules over 16 data sets), and for all of an axis that is not contiguous.
    boundary : {"pad", "corner", "inside", "wrap"} or tuple of these, default="pad"
        How size and place are drawn along an axis of W cells; U{a, b} is uniform over a, ..., b.

        - ``"corner"`` [1]_: first cell u ~ U{0, W - min}, then size ~ U{min, min(max, W - u)}.
        - ``"inside"``: size ~ U{min, max}, then uniform over the places that fit.
        - ``"pad"`` [2]_: size, then first cell ~ U{1 - size, W - 1}, clipped to the grid. Every
          cell is covered equally often.
        - ``"wrap"``: size, then first cell ~ U{0, W - 1}, going on at 0 after W - 1: for data on a
          circle. Every cell is covered equally often.
    contiguous : bool or tuple of bool, default=True
        False for an axis whose neighbours do not belong together (the channels of a multichannel
        series): it draws a random subset of that size instead of a run, whatever `boundary` says.
    coefficients : {"ones", "signs", "uniform", "normal"}, default="ones"
        Coefficients of the cells: all one; +1 or -1; uniform over (-1, 1) as in structured RerF
        [3]_; standard normal.
    shuffled : bool, default=False
        Move the chosen cells to random places of the grid: the control of [3]_, which knows the
        sizes of patches but not the neighbourhood.
    n_patches : int, default=1
        Number of patches in a direction. With more than one, the others have the sizes of the
        first and lie near it; the second is subtracted, the third added, and so on, which makes
        edges (2) and bars (3) directions. Where patches overlap their coefficients add up; where
        all cancels out, the first stands alone. An axis that is not contiguous draws a new subset
        for every patch.
    reach : int or tuple of int or None, default=None
        How many cells the further patches may lie from the first along an axis: their first
        cells are uniform over those that `boundary` allows within that distance. None stands
        for `max_size`, where neighbouring patches touch at most.

    Notes
    -----
    Large patches of equal coefficients are read off running sums along the contiguous axes
    (summed-area tables), two look-ups per axis. Running sums take 4 bytes per cell and sample where
    the data are uint8, and are exact; otherwise they take 8 bytes and are added in float64, where
    a patch keeps the accuracy of float32 unless values in its row are more than a hundred million
    times as large as its own.

    References
    ----------
    .. [1] R. Perry et al. Manifold forests: closing the gap on neural networks, section 3.1.
    .. [2] R. Perry. Manifold-aware forests: closing the gap to convolutional neural networks.
       Johns Hopkins University, 2020, section 3.1.
    .. [3] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018, section 3.3.8.

    Examples
    --------
    >>> from silvan.projections import Patches
    >>> patches = Patches((4, 6), min_size=2, max_size=2, boundary="inside")
    >>> patches.draw(1, n_features=24, random_state=3).toarray().reshape(4, 6)
    array([[0., 0., 0., 0., 0., 0.],
           [0., 0., 1., 1., 0., 0.],
           [0., 0., 1., 1., 0., 0.],
           [0., 0., 0., 0., 0., 0.]], dtype=float32)

    Time runs along the second axis; any of the three channels may be summed:

    >>> series = Patches((3, 100), max_size=(3, 20), contiguous=(False, True))
    >>> series.draw(5, n_features=300, random_state=0).shape
    (5, 300)
    """

    shuffled: bool = False

    def resolve(self, shape: tuple[int, ...]) -> Patches:
        """Patches on the grid of the samples, where none was named."""
        return self if self.shape is not None else Patches(**{**vars(self), "shape": shape})

    def validate(self, n_features: int) -> None:
        """Raise an error if a parameter is wrong, or the grid has another number of cells."""
        shape = self._shape()
        if math.prod(shape) != n_features:
            raise ValueError(
                f"shape {shape} has {math.prod(shape)} cells but X has {n_features} features; pass "
                "the shape that X was flattened from."
            )
        self.grid_axes()
        check_choice("coefficients", self.coefficients, COEFFICIENTS)
        check_flag("shuffled", self.shuffled)
        check_integer("n_patches", self.n_patches, 1, maximum=MAX_PATCHES)

    def sample(self, node: Node, rng: np.random.Generator) -> sparse.csr_array[np.float64]:
        """Draw directions for one node in NumPy, as a reference for the core."""
        shape, axes = self._shape(), self.grid_axes()
        directions = np.zeros((node.n_directions, node.n_features))
        for direction in directions:
            patches = zip(*(axis.draw(self.n_patches, rng) for axis in axes), strict=True)
            terms = []
            for number, runs in enumerate(patches):
                cells = np.array([np.ravel_multi_index(at, shape) for at in product(*runs)])
                if self.shuffled:
                    cells = rng.choice(node.n_features, size=len(cells), replace=False)
                drawn = draw_coefficients(self.coefficients, len(cells), rng)
                terms.append((cells, -drawn if number % 2 else drawn))
            for cells, drawn in terms:
                direction[cells] += drawn
            if not direction.any():
                direction[terms[0][0]] = terms[0][1]
        return sparse.csr_array(directions)

    @property
    def grid(self) -> Grid:
        """The grid that patches are drawn on; it needs a shape."""
        shape = self._shape()
        contiguous = spread_over_axes("contiguous", self.contiguous, shape)
        return Grid(shape, tuple(bool(run) for run in contiguous))

    def _shape(self) -> tuple[int, ...]:
        shape = as_tuple(self.shape)
        if shape is None:
            shape = (self.shape,)
        if not (shape and all(is_integer(length) and length >= 1 for length in shape)):
            raise invalid(
                "shape",
                "an integer or a tuple of integers >= 1",
                self.shape,
                "pass the shape of one sample's grid, for example (28, 28)",
            )
        return tuple(int(length) for length in shape)

    def grid_axes(self) -> list[Axis]:
        """The axes of the grid, with all parameters checked."""
        shape = self._shape()
        contiguous = spread_over_axes("contiguous", self.contiguous, shape)
        boundary = spread_over_axes("boundary", self.boundary, shape)
        for run, rule in zip(contiguous, boundary, strict=True):
            check_flag("contiguous", run)
            check_choice("boundary", rule, BOUNDARIES)
        # A single size is meant for the contiguous axes, if there are any.
        sized = contiguous if any(contiguous) else [True] * len(shape)
        min_size = spread_over_axes("min_size", self.min_size, shape, sized, 1)
        max_size = spread_over_axes("max_size", self.max_size, shape, sized, None)
        reach = spread_over_axes("reach", self.reach, shape)
        axes = []
        for number, length in enumerate(shape):
            smallest, largest, run = min_size[number], max_size[number], contiguous[number]
            check_size("min_size", smallest, number, length)
            if largest is None:
                largest = max(smallest, min(length, DEFAULT_MAX_SIZE)) if run else length
            check_size("max_size", largest, number, length)
            if smallest > largest:
                raise invalid(
                    "min_size",
                    f"at most max_size ({largest} along axis {number})",
                    smallest,
                    "swap or change them",
                )
            rule = boundary[number] if run else "subset"
            check_integer("reach", reach[number], 0, or_none=True)
            near = min(length, int(largest if reach[number] is None else reach[number]))
            axes.append(Axis(length, int(smallest), int(largest), rule, near))
        return axes

    def _to_native(self, n_features: int) -> _core.ProjectionDistribution:
        return _core.patches(
            self.grid_axes(), self.coefficients, bool(self.shuffled), int(self.n_patches)
        )


def as_tuple(value: Any) -> tuple[Any, ...] | None:
    """The entries of a list, tuple or one-dimensional array; None for anything else."""
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return tuple(value)
    return None


def spread_over_axes(
    name: str,
    value: Any,
    shape: tuple[int, ...],
    meant: Sequence[bool] | None = None,
    otherwise: int | None = None,
) -> list[Any]:
    """One value for each axis, from as many or from a single one.

    A single one goes to the axes that are `meant` (None: all), and `otherwise` to the others.
    """
    values = as_tuple(value)
    if values is None:
        return [value if m else otherwise for m in meant or [True] * len(shape)]
    if len(values) != len(shape):
        raise invalid(
            name,
            f"one value or one for each of the {len(shape)} axes of shape {shape}",
            value,
            "pass a single value or a tuple of that length",
        )
    return list(values)


def check_size(name: str, size: Any, axis: int, length: int) -> None:
    """Require a number of cells that the axis has."""
    if not (is_integer(size) and 1 <= size <= length):
        raise invalid(
            name,
            f"an integer from 1 to {length}, the length of axis {axis}",
            size,
            "pass one size for each axis of the grid",
        )


def draw_coefficients(kind: str, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Coefficients of the cells of a patch, by the name of their distribution."""
    if kind == "ones":
        return np.ones(n)
    if kind == "signs":
        return rng.choice([-1.0, 1.0], size=n)
    return rng.uniform(-1, 1, size=n) if kind == "uniform" else rng.normal(size=n)
