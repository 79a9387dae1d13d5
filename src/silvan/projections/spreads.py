"""How far the values of a feature lie apart, as a power of two."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan._sparse import SparseSamples

# A spread is a power of two, and so is one over it, in float32.
_MAX_EXPONENT = 126
# Values stay below this power of two in multiples of their spread, so that their sums are finite.
_LARGEST_MULTIPLE = 64


def measure_spreads(
    columns: Any, n_categories: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """The spread of each column, a power of two; 1 for categories and where all values are 0."""
    if isinstance(columns, SparseSamples):
        return _sparse_spreads(*columns.distinct_values())
    spreads = np.ones(columns.shape[1])
    for j, column in enumerate(columns.T):
        if n_categories is None or n_categories[j] == 0:
            values = np.unique(column[~np.isnan(column)]).astype(np.float64)
            if values.any():
                spreads[j] = np.ldexp(1.0, _exponent_of(values))
    return spreads


def nearest_powers(values: NDArray[np.float64]) -> NDArray[np.int32]:
    """Exponents of the powers of two that are nearest to positive numbers, as ratios."""
    mantissa, exponent = np.frexp(values)
    nearest = np.where(mantissa < np.sqrt(0.5), exponent - 1, exponent)
    return np.clip(nearest, -_MAX_EXPONENT, _MAX_EXPONENT).astype(np.int32)


def _exponent_of(values: NDArray[np.float64]) -> int:
    """The exponent of the spread of ascending distinct values."""
    return int(_exponents(values, np.array([0]), np.array([len(values)]))[0])


def _exponents(
    values: NDArray[np.float64], starts: NDArray[np.intp], ends: NDArray[np.intp]
) -> NDArray[np.int32]:
    """Exponents of the spreads of runs of ascending distinct values; one is its own spread.

    Times a power of two they move by just that power's exponent: nothing here is rounded.
    """
    last = ends - starts - 1
    largest = np.maximum(np.abs(values[starts]), np.abs(values[ends - 1]))
    quarters = values[starts - (-3 * last // 4)] - values[starts + last // 4]
    width = np.where(last > 0, quarters, largest)
    least = np.frexp(largest)[1] - _LARGEST_MULTIPLE
    exponents = np.maximum(nearest_powers(width), least)
    return np.clip(exponents, -_MAX_EXPONENT, _MAX_EXPONENT).astype(np.int32)


def _sparse_spreads(values: NDArray[np.float64], ends: NDArray[np.intp]) -> NDArray[np.float64]:
    """The spreads of features whose distinct values end there."""
    starts = np.concatenate([[0], ends[:-1]])
    spreads = np.ones(len(ends))
    # A feature that is zero in all samples has one distinct value, and one without any has none.
    filled = ends > starts
    varied = filled.copy()
    varied[filled] = (ends - starts)[filled] > 1
    single = filled & ~varied
    varied[single] = values[starts[single]] != 0
    spreads[varied] = np.ldexp(1.0, _exponents(values, starts[varied], ends[varied]))
    return spreads
