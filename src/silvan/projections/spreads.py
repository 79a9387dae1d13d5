"""How far the values of a feature lie apart, as a power of two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan._sparse import SparseSamples
from silvan._threads import share_items

# A spread is a power of two, and so is one over it, in float32.
_MAX_EXPONENT = 126
# Values stay below this power of two in multiples of their spread, so that their sums are finite.
_LARGEST_MULTIPLE = 64
# Quartiles are those of so many distinct values: with half of them, the rank of a quartile is off
# by half a percent.
_MAX_VALUES = 2**14
_KEY_BITS = 64
# Values whose keys are computed at once: a cache holds them.
_BLOCK = 2**14


@dataclass(frozen=True, eq=False)
class ValueSample:
    """Distinct values of a feature: all, or a share of them that the values themselves decide on.

    A value belongs to it or not whatever the others are, but for the size of the share. So the
    samples of the parts of a column, joined, are the sample of the column.
    """

    values: NDArray[Any]  # ascending
    level: int  # one value of 2**level belongs to it
    largest: float  # absolute value, of all

    @classmethod
    def of(cls, column: NDArray[Any]) -> ValueSample:
        """Of the values of a column that are not missing."""
        level = _level_to_try(column)
        values = np.unique(np.concatenate(list(_kept_parts(column, level))))
        if level > 0 and len(values) <= _MAX_VALUES:  # a lower level may have few values, too
            level, values = 0, np.unique(column[~np.isnan(column)])
        # The largest value need not belong to the sample.
        ends = np.fmax.reduce(np.abs(_ends(column))) if len(column) else np.nan
        return cls(*_thin_out(values, level), 0.0 if np.isnan(ends) else float(ends))

    @classmethod
    def join(cls, parts: Sequence[ValueSample]) -> ValueSample:
        """Of a column, from those of its parts."""
        values = np.unique(np.concatenate([part.values for part in parts]))
        level = max(part.level for part in parts)
        return cls(*_thin_out(values, level), max(part.largest for part in parts))

    @property
    def spread(self) -> float:
        """The distance between the quartiles; of a single value it is the value; 1 if all are 0."""
        return float(np.ldexp(1.0, self._exponent())) if self.largest > 0 else 1.0

    def _exponent(self) -> int:
        values = self.values.astype(np.float64)
        first, end = np.array([0]), np.array([len(values)])
        return int(_exponents(values, first, end, np.array([self.largest]))[0])


def measure_spreads(
    columns: Any, n_categories: NDArray[np.int64] | None = None, n_threads: int = 1
) -> NDArray[np.float64]:
    """The spread of each column, a power of two; 1 for categories and where all values are 0."""
    if isinstance(columns, SparseSamples):
        return _sparse_spreads(*columns.distinct_values())
    numbers = np.arange(columns.shape[1])
    if n_categories is not None:
        numbers = numbers[n_categories == 0]
    spreads = np.ones(columns.shape[1])

    def measure(j: int) -> None:
        spreads[j] = ValueSample.of(columns[:, j]).spread

    share_items(measure, numbers.tolist(), n_threads if len(columns) > _MAX_VALUES else 1)
    return spreads


def sample_values(
    columns: NDArray[Any], n_categories: NDArray[np.int64] | None = None
) -> Iterator[ValueSample | None]:
    """Distinct values of each column in turn; None for categories."""
    for j, column in enumerate(columns.T):
        is_number = n_categories is None or n_categories[j] == 0
        yield ValueSample.of(column) if is_number else None


def single_values(columns: Any) -> NDArray[np.float64]:
    """The value of each column that has only one and is never missing; NaN for the others."""
    if isinstance(columns, SparseSamples):
        values, ends = columns.distinct_values()
        starts = np.concatenate([[0], ends[:-1]])
        is_single = (ends - starts == 1) & ~columns.has_missing()
        return np.where(is_single, values[np.minimum(starts, len(values) - 1)], np.nan)
    singles = np.full(columns.shape[1], np.nan)
    for j in np.flatnonzero(columns[0] == columns[-1]):  # so that few columns are read
        column = columns[:, j]
        if (column == column[0]).all():
            singles[j] = column[0]
    return singles


def nearest_powers(values: NDArray[np.float64]) -> NDArray[np.int32]:
    """Exponents of the powers of two that are nearest to positive numbers, as ratios."""
    mantissa, exponent = np.frexp(values)
    nearest = np.where(mantissa < np.sqrt(0.5), exponent - 1, exponent)
    return np.clip(nearest, -_MAX_EXPONENT, _MAX_EXPONENT).astype(np.int32)


def _exponents(
    values: NDArray[np.float64],
    starts: NDArray[np.intp],
    ends: NDArray[np.intp],
    largest: NDArray[np.float64],
) -> NDArray[np.int32]:
    """Exponents of the distances between the quartiles of runs of ascending distinct values.

    Times a power of two they move by just that power's exponent: nothing here is rounded.
    """
    last = ends - starts - 1
    quarters = values[starts - (-3 * last // 4)] - values[starts + last // 4]
    width = np.where(last > 0, quarters, np.abs(values[starts]))
    smallest = np.frexp(largest)[1] - _LARGEST_MULTIPLE
    exponents = np.maximum(nearest_powers(width), smallest)
    clipped: NDArray[np.int32] = np.clip(exponents, -_MAX_EXPONENT, _MAX_EXPONENT).astype(np.int32)
    return clipped


def _sparse_spreads(values: NDArray[np.float64], ends: NDArray[np.intp]) -> NDArray[np.float64]:
    """The spreads of features whose distinct values end there."""
    starts = np.concatenate([[0], ends[:-1]])
    spreads = np.ones(len(ends))
    for j in np.flatnonzero(ends - starts > _MAX_VALUES):
        spreads[j] = ValueSample.of(values[starts[j] : ends[j]]).spread
    few = np.flatnonzero((ends > starts) & (ends - starts <= _MAX_VALUES))
    largest = np.maximum(np.abs(values[starts[few]]), np.abs(values[ends[few] - 1]))
    few, largest = few[largest > 0], largest[largest > 0]
    spreads[few] = np.ldexp(1.0, _exponents(values, starts[few], ends[few], largest))
    return spreads


def _level_to_try(column: NDArray[Any]) -> int:
    """A level that leaves some more than few values where all differ; 0 where many seem equal."""
    if len(column) <= _MAX_VALUES or column.dtype == np.uint8:
        return 0
    looked_at = column[: 2 * _MAX_VALUES]
    if len(np.unique(looked_at)) < len(looked_at) // 2:
        return 0
    return max(0, (len(column) // (4 * _MAX_VALUES)).bit_length() - 1)


def _kept_parts(column: NDArray[Any], level: int) -> Iterator[NDArray[Any]]:
    """Values that are not missing, and have keys that are low enough for the level."""
    size = max(1, len(column)) if level == 0 else _BLOCK
    for first in range(0, max(1, len(column)), size):
        values = column[first : first + size]
        values = values[~np.isnan(values)]
        yield values[_keys(values) >> np.uint64(_KEY_BITS - level) == 0] if level else values


def _ends(column: NDArray[Any]) -> NDArray[np.float64]:
    """The smallest and the largest value that are not missing."""
    return np.array([np.fmin.reduce(column), np.fmax.reduce(column)], dtype=np.float64)


def _thin_out(values: NDArray[Any], level: int) -> tuple[NDArray[Any], int]:
    """The values whose keys are low enough, and the first level from this one on with few."""
    if level == 0 and len(values) <= _MAX_VALUES:
        return values, level
    keys = _keys(values)
    while True:
        kept = values[keys >> np.uint64(_KEY_BITS - level) == 0] if level else values
        if len(kept) <= _MAX_VALUES:
            return kept, level
        level += 1


def _keys(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Scrambled bits of the values without their exponents, which depend on units."""
    mantissas = np.frexp(values.astype(np.float64))[0] + 0.0  # -0 becomes 0
    keys: NDArray[np.uint64] = mantissas.view(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
    return keys ^ (keys >> np.uint64(31))
