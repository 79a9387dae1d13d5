"""Features of few values are searched by counting their codes, and trees stay what they were."""

import numpy as np
import pytest
from growing import grow, make_options

from silvan import _core

N_SAMPLES = 700


def few_valued(n_values, n_classes, n=N_SAMPLES, p=11):
    """Columns of n_values values each, unevenly often; some classes are rare."""
    rng = np.random.default_rng(n_values + 100 * n_classes)
    values = np.sort(rng.normal(size=n_values)).astype(np.float32)
    X = values[(n_values * rng.random((n, p)) ** 2).astype(int)]
    signal = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)
    y = np.searchsorted(np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1]), signal)
    return X, y.astype(np.int32)


def assert_counting_changes_nothing(X, y, **changes):
    """Samples of weight two are not counted but sorted, with twice the score everywhere."""
    options = make_options(n_outputs=int(y.max()) + 1, **changes)
    distribution = _core.axis_aligned(X.shape[1])
    counted = grow(X, y, distribution, options, trees=3)
    weighted = grow(X, y, distribution, options, trees=3, weights=np.full(len(y), 2.0))
    assert len(counted["left"]) > 3  # something was split
    for name in counted.keys() - {"weight"}:
        np.testing.assert_array_equal(counted[name], weighted[name], err_msg=name)


@pytest.mark.parametrize("random_thresholds", [False, True])
@pytest.mark.parametrize("leaf", [1, 5])
@pytest.mark.parametrize("n_classes", [2, 3, 7, 8, 20, 70])
@pytest.mark.parametrize("n_values", [2, 3, 40, 256])
def test_counting_codes_grows_the_trees_of_sorting(n_values, n_classes, leaf, random_thresholds):
    X, y = few_valued(n_values, n_classes)
    limits = {"min_samples_leaf": leaf, "random_thresholds": random_thresholds}
    assert_counting_changes_nothing(X, y, **limits)


@pytest.mark.parametrize("n", [30, N_SAMPLES])
def test_a_single_column_grows_the_same_trees(n):
    X, y = few_valued(20, 2, n=n)
    assert_counting_changes_nothing(X[:, :1], y, n_directions=1)


def test_tables_that_exceed_the_cache_grow_the_same_trees():
    # Large nodes read codes column by column, small ones sample by sample.
    X, y = few_valued(30, 3, n=20_000, p=30)
    assert_counting_changes_nothing(X, y, max_depth=7)


def test_more_directions_than_are_counted_at_a_time_grow_the_same_trees():
    X, y = few_valued(5, 3, p=30)
    assert_counting_changes_nothing(X, y, n_directions=29)


def test_columns_with_and_without_codes_share_a_node():
    X, y = few_valued(4, 2)
    X[:, ::3] = np.random.default_rng(0).normal(size=X[:, ::3].shape)
    assert_counting_changes_nothing(X, y, n_directions=8)


def test_zeros_of_either_sign_are_one_value():
    X, y = few_valued(3, 2)
    X = np.round(X)
    X[::2] = np.where(X[::2] == 0, np.float32(-0.0), X[::2])
    assert_counting_changes_nothing(X, y)


def test_missing_and_infinite_values_grow_the_same_trees():
    X, y = few_valued(6, 3)
    rng = np.random.default_rng(1)
    X[:, 0][rng.random(len(X)) < 0.1] = np.nan
    X[:, 1][rng.random(len(X)) < 0.1] = np.inf
    X[:, 2][rng.random(len(X)) < 0.1] = -np.inf
    assert_counting_changes_nothing(X, y, n_directions=5)


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_samples_that_agree_in_all_values_are_never_split(zero):
    X = np.tile(np.float32([[1, 0, 2]]), (40, 1))
    X[::2, 1] = zero
    y = np.tile(np.int32([0, 1, 1, 0]), 10)
    forest = grow(X, y, _core.axis_aligned(3), make_options(), trees=2)
    assert len(forest["left"]) == 2
