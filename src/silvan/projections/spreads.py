"""How far the values of a feature lie apart, as a power of two."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# A spread is a power of two, and so is one over it, in float32.
_MAX_EXPONENT = 126
# Values stay below this power of two in multiples of their spread, so that their sums are finite.
_LARGEST_MULTIPLE = 64


def measure_spreads(
    columns: NDArray[Any], n_categories: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """The spread of each column, a power of two; 1 for categories and where all values are 0."""
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
    """The exponent of the spread of ascending distinct values; a single one is its own spread.

    Times a power of two it moves by just that power's exponent: nothing here is rounded.
    """
    last = len(values) - 1
    largest = max(abs(values[0]), abs(values[-1]))
    width = values[-(-3 * last // 4)] - values[last // 4] if last else largest
    least = int(np.frexp(largest)[1]) - _LARGEST_MULTIPLE
    return int(np.clip(max(int(nearest_powers(width)), least), -_MAX_EXPONENT, _MAX_EXPONENT))
