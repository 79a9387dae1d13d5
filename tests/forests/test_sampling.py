"""The rule of sample weights: what a tree draws, and that its sums are exact."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from silvan import ForestClassifier, ForestRegressor
from silvan.forests.sampling import (
    DrawRule,
    exact_weights,
    plan_samples,
    shared_weight_bits,
    target_bits,
)
from silvan.forests.target_rounding import exact_targets, middle


def draws(n_samples=10, sample_weight=None, class_factor=None, **changes):
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    factor = None if class_factor is None else np.asarray(class_factor, dtype=float)
    rule = DrawRule(**{"bootstrap": True, **changes})
    return plan_samples(n_samples, weight, factor, rule, numeric_targets=False).n_draws


def test_unweighted_bootstrap_draws_as_many_rows_as_there_are():
    assert draws(10) == 10
    assert draws(10, max_samples=0.5) == 5
    assert draws(10, max_samples=25) == 25
    assert draws(10, max_samples=1e-9) == 1


def test_integer_weights_draw_their_sum():
    assert draws(4, [3, 0, 2, 1]) == 6
    assert draws(4, [3, 0, 2, 1], max_samples=0.5) == 3
    assert draws(4, [3, 0, 2, 1], max_samples=2) == 2


def test_fractional_weights_draw_as_many_rows_as_have_weight():
    assert draws(4, [0.5, 0, 2.5, 1]) == 3


def test_class_weights_do_not_change_the_number_of_draws():
    assert draws(4, class_factor=[2, 2, 7, 7]) == 4
    assert draws(4, [3, 0, 2, 1], class_factor=[2.5, 2.5, 0, 7]) == 6


def test_subsamples_without_replacement_count_rows():
    assert draws(4, [3, 0, 2, 1], bootstrap=False) == 3
    assert draws(10, bootstrap=False, max_samples=0.5) == 5


def test_rows_are_drawn_in_proportion_to_their_weights(labelled):
    X, y = labelled
    weight = np.linspace(0.0, 2.0, len(y)) ** 2
    forest = ForestClassifier(400, max_depth=1, random_state=0).fit(X, y, weight)
    counted = sum(forest._sampling.drawn_weights(tree) for tree in range(400))
    expected = weight / weight.sum() * counted.sum()
    assert counted[0] == 0
    spread = (counted - expected)[1:] / np.sqrt(expected[1:])
    assert abs(spread.std() - 1) < 0.2
    assert abs(spread.mean()) < 0.3


def test_every_tree_draws_rows_of_its_own_and_the_forest_knows_them(labelled):
    X, y = labelled
    forest = ForestClassifier(5, random_state=0, max_samples=40).fit(X, y)
    arrays = forest.forest_
    for tree in range(5):
        weights = forest._sampling.drawn_weights(tree)
        assert weights.sum() == 40
        root = arrays.tree_offsets[tree]
        assert arrays.weight[root] == 40
        assert arrays.n_samples[root] == np.count_nonzero(weights)
        leaves = slice(*arrays.leaf_offsets[tree : tree + 2])
        start, end = arrays.member_indptr[leaves.start], arrays.member_indptr[leaves.stop]
        np.testing.assert_array_equal(np.sort(arrays.members[start:end]), np.flatnonzero(weights))


def test_subsample_without_replacement_has_distinct_rows(numeric):
    X, y = numeric
    forest = ForestRegressor(5, bootstrap=False, max_samples=0.4, random_state=0).fit(X, y)
    for tree in range(5):
        assert set(forest._sampling.multiplicities(tree)) == {0, 1}
        assert forest._sampling.multiplicities(tree).sum() == 60


def test_weights_without_bootstrap_are_the_weights_of_the_nodes(labelled):
    X, y = labelled
    weight = np.random.default_rng(0).exponential(size=len(y))
    forest = ForestClassifier(3, bootstrap=False, random_state=0).fit(X, y, weight)
    np.testing.assert_allclose(
        forest.forest_.weight[forest.forest_.tree_offsets[:-1]], weight.sum()
    )


POSITIVE = st.floats(1e-9, 1e9)


@settings(max_examples=60, deadline=None)
@given(st.lists(POSITIVE, min_size=1, max_size=50), st.integers(20, 53), st.randoms())
def test_sums_of_rounded_weights_do_not_depend_on_their_order(weights, bits, random):
    rounded = exact_weights(np.array(weights), bits).tolist()
    assert min(rounded) > 0
    assert max(abs(np.array(rounded) - weights)) <= 2.0 ** (2 - bits) * math.fsum(weights)
    expected = math.fsum(rounded)
    for _ in range(5):
        random.shuffle(rounded)
        total = 0.0
        for weight in rounded:
            total += weight
        assert total == expected


def test_integer_weights_are_not_rounded():
    weights = np.array([1.0, 3.0, 2.0**30 + 1])
    np.testing.assert_array_equal(exact_weights(weights), weights)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(POSITIVE, st.floats(-1e6, 1e6)), min_size=2, max_size=50), st.randoms())
def test_sums_of_rounded_weights_times_targets_do_not_depend_on_their_order(rows, random):
    weight, y = (np.array(column) for column in zip(*rows, strict=True))
    plan = plan_samples(len(y), weight, None, DrawRule(bootstrap=False), numeric_targets=True)
    rounded_weight = np.ones(len(y)) if plan.weights is None else plan.weights
    rounded_y = exact_targets(y[:, None], target_bits(plan))[:, 0]
    terms = (rounded_weight * rounded_y).tolist()
    expected = math.fsum(terms)
    for _ in range(5):
        random.shuffle(terms)
        total = 0.0
        for term in terms:
            total += term
        assert total == expected


def test_weights_and_targets_share_the_bits_of_a_double():
    for n_samples, min_bits in ((10, 24), (1000, 21), (2**20, 16)):
        bits = shared_weight_bits(n_samples)
        assert bits - math.ceil(math.log2(n_samples)) >= min_bits
        assert 53 - bits >= min_bits


def test_targets_are_rounded_to_the_bits_asked_for():
    y = np.random.default_rng(0).normal(size=(500, 2)) * [1e-3, 1e6] + [5, 1e7]
    rounded = exact_targets(y, 43)
    half_range = np.ptp(y, axis=0) / 2
    np.testing.assert_array_less(
        np.abs(rounded + middle(y) - y), 2.0**-42 * half_range + 1e-15 * np.abs(y)
    )


def test_constant_targets_are_centred_to_zero():
    np.testing.assert_array_equal(exact_targets(np.full((5, 1), 3.7), 43), 0.0)


@pytest.mark.parametrize("weight", [0.75, 2.0])
def test_equal_weights_without_bootstrap_change_nothing(numeric, weight, assert_same_forest):
    X, y = numeric
    plain = ForestRegressor(5, bootstrap=False, random_state=0).fit(X, y)
    weighted = ForestRegressor(5, bootstrap=False, random_state=0).fit(
        X, y, np.full(len(y), weight)
    )
    assert_same_forest(plain.forest_, weighted.forest_)


def test_time_of_a_fit_does_not_grow_with_the_sum_of_integer_weights(numeric):
    X, y = numeric
    weight = np.random.default_rng(0).integers(1, 4_000_000, len(y))
    # One tree would take minutes if the draws were made one by one.
    forest = ForestRegressor(20, max_depth=2, random_state=0).fit(X, y, weight)
    counts = forest._sampling.drawn_weights(3)
    assert counts.sum() == weight.sum()
    np.testing.assert_allclose(counts, weight, atol=6 * np.sqrt(4e6))


def test_integer_weights_that_leave_nothing_out_of_bag_say_to_pass_floats(labelled):
    X, y = labelled
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    forest = ForestClassifier(30, oob_score=True, random_state=0)
    with pytest.warns(
        UserWarning, match="whole weights count as repeated samples, so pass relative ones"
    ):
        forest.fit(X, y, 100 * weight)
    assert forest.fit(X, y, weight / weight.mean()).oob_score_ > 0.4


def test_integer_weights_whose_sum_is_too_large_say_to_pass_relative_ones(labelled):
    X, y = labelled
    weight = np.full(len(y), 2**31)
    weight[0] = 1
    forest = ForestClassifier(3, random_state=0)
    with pytest.raises(ValueError, match=r"repeated samples, ask for .*relative weights, such as"):
        forest.fit(X, y, weight)
    assert forest.fit(X, y, weight / weight.mean()).score(X, y) > 0.8
