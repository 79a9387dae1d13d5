"""Spreads of features from samples of their distinct values."""

from __future__ import annotations

import numpy as np
import pytest

from silvan.projections import spreads
from silvan.projections.spreads import ValueSample, measure_spreads

N_VALUES = 100_000


@pytest.fixture(scope="module")
def column() -> np.ndarray:
    values = np.random.default_rng(0).normal(size=N_VALUES).astype(np.float32)
    values[::50] = np.nan
    values[:3] = 0.0, -0.0, 1e6
    return values


@pytest.mark.parametrize("n_parts", [2, 9])
def test_samples_of_parts_joined_are_the_sample_of_the_column(
    column: np.ndarray, n_parts: int
) -> None:
    parts = [ValueSample.of(part) for part in np.array_split(column, n_parts)]
    parts.append(ValueSample.of(column[:0]))
    joined, whole = ValueSample.join(parts), ValueSample.of(column)
    np.testing.assert_array_equal(joined.values, whole.values)
    assert (joined.level, joined.largest) == (whole.level, 1e6)
    assert whole.level > 0 and parts[0].level < whole.level


def test_a_share_of_many_values_has_their_quartiles(column: np.ndarray) -> None:
    whole = ValueSample.of(column)
    assert N_VALUES / 16 < len(whole.values) <= 2**14
    expected = np.nanquantile(column, [0.25, 0.5, 0.75])
    np.testing.assert_allclose(np.quantile(whole.values, [0.25, 0.5, 0.75]), expected, atol=0.03)


def test_spread_does_not_depend_on_repetition_and_order_and_moves_with_units(
    column: np.ndarray,
) -> None:
    repeated = np.concatenate([column[::-1], column[: N_VALUES // 3]])
    found = measure_spreads(np.column_stack([repeated, repeated * 2.0**-20]))
    np.testing.assert_array_equal(found, [1.0, 2.0**-20])
    assert found[0] == measure_spreads(column[:, None])[0]


def test_features_without_values_and_of_zeros_have_spread_one() -> None:
    columns = np.column_stack([np.full(5, np.nan), np.zeros(5), np.full(5, -12.0)])
    np.testing.assert_array_equal(measure_spreads(columns), [1.0, 1.0, 16.0])


def sample_by_definition(column: np.ndarray) -> tuple[np.ndarray, int]:
    """All distinct values, and the first level at which few of them are left."""
    values = np.unique(column[~np.isnan(column)])
    level, kept = 0, values
    while len(kept) > spreads._MAX_VALUES:
        level += 1
        kept = values[spreads._keys(values) >> np.uint64(64 - level) == 0]
    return kept, level


@pytest.mark.parametrize("n_values", [1, 20_000, 600_000])
@pytest.mark.parametrize("kind", ["distinct", "rounded", "few at first", "few at last", "missing"])
def test_samples_of_long_columns_are_those_of_the_definition(kind: str, n_values: int) -> None:
    values = np.random.default_rng(1).normal(size=n_values).astype(np.float32)
    rounded = np.round(values, 1)
    place = np.arange(n_values)
    column = {
        "distinct": values,
        "rounded": rounded,
        "few at first": np.where(place < 40_000, rounded, values),
        "few at last": np.where(place >= 40_000, rounded, values),
        "missing": np.where(place % 3 == 0, np.nan, values),
    }[kind]
    found = ValueSample.of(column)
    expected, level = sample_by_definition(column)
    np.testing.assert_array_equal(found.values, expected)
    assert found.level == level
    assert found.largest == (
        0.0 if n_values == 1 and kind == "missing" else np.nanmax(np.abs(column))
    )


def test_spreads_are_the_same_with_several_threads(column: np.ndarray) -> None:
    columns = np.column_stack([column, column * 8.0, np.round(column)])
    categories = np.array([0, 5, 0])
    expected = measure_spreads(columns, categories)
    np.testing.assert_array_equal(measure_spreads(columns, categories, n_threads=3), expected)
    assert expected[1] == 1.0
