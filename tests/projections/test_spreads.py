"""Spreads of features from samples of their distinct values."""

from __future__ import annotations

import numpy as np
import pytest

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
    spreads = measure_spreads(np.column_stack([repeated, repeated * 2.0**-20]))
    np.testing.assert_array_equal(spreads, [1.0, 2.0**-20])
    assert spreads[0] == measure_spreads(column[:, None])[0]


def test_features_without_values_and_of_zeros_have_spread_one() -> None:
    columns = np.column_stack([np.full(5, np.nan), np.zeros(5), np.full(5, -12.0)])
    np.testing.assert_array_equal(measure_spreads(columns), [1.0, 1.0, 16.0])
