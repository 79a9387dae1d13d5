"""The experiment on consistency simulates and measures what its page says."""

from __future__ import annotations

import numpy as np
import pytest
from experiments import consistency


def test_the_example_has_three_squares_and_no_noise():
    X, y, square = consistency.make_squares(3000, 0)
    np.testing.assert_array_equal(np.floor(X), np.column_stack([square, square]))
    shares = np.bincount(square) / len(square)
    np.testing.assert_allclose(shares, 1 / 3, atol=0.04)
    inside = X - square[:, None]
    first = square == 0
    np.testing.assert_array_equal(y[first & (inside[:, 0] < 0.5)], 0)
    np.testing.assert_array_equal(y[first & (inside[:, 0] > 0.5) & (inside[:, 0] < 0.75)], 1)
    middle = square == 1
    np.testing.assert_array_equal(y[middle], np.sum(inside[middle] > 0.5, axis=1) == 1)
    # Neither feature by itself tells anything in the middle.
    for feature in inside[middle].T:
        assert abs(np.corrcoef(feature, y[middle])[0, 1]) < 0.1


def test_limited_trees_of_single_features_keep_a_sixth_and_sparse_ones_do_not(monkeypatch):
    monkeypatch.setattr(consistency, "N_TEST", 3000)
    cell = {"n": 5000, "depth": 6, "seed": 0}
    stuck = consistency.measure_squares({**cell, "system": "RF, both features"})
    free = consistency.measure_squares({**cell, "system": "RerF"})
    assert stuck["error"] > 0.16
    assert stuck["middle"] > 0.45
    assert free["error"] < 0.1


@pytest.mark.parametrize("leaves", consistency.LEAVES)
def test_forests_of_the_theorem_are_measured(leaves, monkeypatch):
    monkeypatch.setattr(consistency, "N_TEST", 500)
    cell = {"n": 200, "leaves": leaves, "trees": 1, "seed": 0}
    assert 0.05 < consistency.measure_theorem(cell)["error"] < 0.55
