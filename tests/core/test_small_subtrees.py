"""Subtrees of few samples are grown at once, and trees stay what they were."""

import numpy as np
import pytest
from growing import grow, make_options, make_rows

from silvan import _core


def mixed(n_classes, n=600, p=9, share_few=0.7):
    """Columns of few values, then columns of many."""
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(n, p)).astype(np.float32)
    n_few = round(share_few * p)
    X[:, :n_few] = np.round(X[:, :n_few])
    signal = X[:, 0] + X[:, 1] * X[:, -1] + 0.3 * rng.normal(size=n)
    y = np.searchsorted(np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1]), signal)
    return X, y.astype(np.int32)


def assert_grown_alike(X, y, rows=None, distribution=None, **changes):
    """Samples of weight two are searched node by node, with twice the score everywhere."""
    options = make_options(n_outputs=int(y.max()) + 1, **changes)
    distribution = distribution or _core.axis_aligned(X.shape[1])
    at_once = grow(X, y, distribution, options, rows=rows, trees=3)
    weights = np.full(len(y), 2.0)
    by_node = grow(X, y, distribution, options, rows=rows, trees=3, weights=weights)
    assert len(at_once["left"]) > 30  # there are small nodes
    for name in at_once.keys() - {"weight"}:
        np.testing.assert_array_equal(at_once[name], by_node[name], err_msg=name)
    np.testing.assert_array_equal(2 * at_once["weight"], by_node["weight"])


@pytest.mark.parametrize("instruction_set", _core.instruction_sets())
@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("random_thresholds", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 8, 9, 40])
def test_trees_are_those_of_node_by_node(n_classes, random_thresholds, replace, instruction_set):
    X, y = mixed(n_classes)
    rows = make_rows(len(X), replace=replace)
    options = {"random_thresholds": random_thresholds, "instruction_set": instruction_set}
    assert_grown_alike(X, y, rows, **options)


@pytest.mark.parametrize("random_thresholds", [False, True])
@pytest.mark.parametrize(
    "limit",
    [
        {"min_samples_leaf": 3},
        {"min_samples_split": 7},
        {"max_depth": 6},
        {"min_impurity_decrease": 0.002},
        {"n_directions": 1},
        {"n_directions": 9},
    ],
)
def test_limits_hold_in_small_subtrees(limit, random_thresholds):
    X, y = mixed(3)
    assert_grown_alike(X, y, random_thresholds=random_thresholds, **limit)


@pytest.mark.parametrize("draws_of_each", [4, 12, 40])
def test_samples_may_be_drawn_often(draws_of_each):
    # Too often for sets in the last case.
    X, y = mixed(2)
    assert_grown_alike(X, y, make_rows(len(X)) | {"n_draws": draws_of_each * len(X)})


@pytest.mark.parametrize("share_few", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("random_thresholds", [False, True])
def test_columns_of_few_and_of_many_values_mix(share_few, random_thresholds):
    X, y = mixed(2, share_few=share_few)
    assert_grown_alike(X, y, random_thresholds=random_thresholds)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("random_thresholds", [False, True])
def test_values_that_are_no_numbers_are_left_to_the_engines(value, random_thresholds):
    X, y = mixed(2)
    X[::7, 0] = value
    X[::5, -1] = value
    assert_grown_alike(X, y, random_thresholds=random_thresholds)


def draw_directions(name, p):
    """Distributions that read nothing of a node."""
    signs = _core.sparse_signs(p, 2.0, False)
    exponents = np.arange(p, dtype=np.int32) % 5 - 2
    return {
        "signs": signs,
        "Poisson signs": _core.sparse_signs(p, 3.0, True),
        "combinations": _core.uniform_combinations(p, 3),
        "weighted": _core.weighted_combinations(np.arange(1.0, p + 1), (1, 4), "signs"),
        "unit free": _core.unit_free(signs, exponents),
        "mixture": _core.mixture([_core.axis_aligned(p), signs], np.array([0.5, 1.0])),
    }[name]


@pytest.mark.parametrize("share_few", [0.0, 0.7, 1.0])
@pytest.mark.parametrize(
    "name", ["signs", "Poisson signs", "combinations", "weighted", "unit free", "mixture"]
)
@pytest.mark.parametrize("n_classes", [2, 3, 7, 20])
def test_drawn_thresholds_along_directions_are_those_of_node_by_node(name, n_classes, share_few):
    X, y = mixed(n_classes, n=2_000, share_few=share_few)
    distribution = draw_directions(name, X.shape[1])
    for leaf in (1, 3):
        options = {"random_thresholds": True, "n_directions": 12, "min_samples_leaf": leaf}
        assert_grown_alike(X, y, None, distribution, **options)


@pytest.mark.parametrize("instruction_set", _core.instruction_sets())
def test_sums_that_overflow_are_left_to_the_engines(instruction_set):
    X, y = mixed(2, n=2_000)
    X[::3, 0] = 3e38
    X[::5, 1] = 3e38
    distribution = draw_directions("signs", X.shape[1])
    options = {"random_thresholds": True, "instruction_set": instruction_set}
    assert_grown_alike(X, y, None, distribution, **options)


def test_samples_that_no_feature_tells_apart_share_a_leaf():
    X, y = mixed(2, p=3, share_few=1.0)
    assert_grown_alike(X, y, n_directions=1)


def test_threads_that_share_a_tree_grow_the_same():
    X, y = mixed(2, n=20_000, share_few=1.0)
    options = make_options()
    distribution = _core.axis_aligned(X.shape[1])
    one, four = (grow(X, y, distribution, options, n_threads=n) for n in (1, 4))
    for name in one:
        np.testing.assert_array_equal(one[name], four[name], err_msg=name)
