"""The columns that boosted trees split: bins, shared bytes, categories and drawn directions."""

import numpy as np
import pytest
from boosting.boosters import (
    assert_same_arrays,
    boost,
    draw_gradients,
    make_booster,
    predict,
    problem,
)
from boosting.reference_booster import ReferenceTree

from silvan import _core


def test_directions_last_as_many_rounds_as_asked():
    X, y = problem()
    distribution = _core.uniform_combinations(X.shape[1], 2)
    options = {"n_directions": 3, "use_features": False, "redraw_every": 2, "max_leaf_nodes": 4}
    booster = make_booster(X, distribution, **options)
    pools = []
    scores = np.zeros((len(y), 1))
    for number in range(4):
        booster.grow_round(number, scores - y[:, None], np.ones((len(y), 1)), scores, 1)
        arrays = booster.take_trees()
        pools.append(set(np.unique(arrays["direction_coefficients"]).tolist()))
    assert len(pools[0] | pools[1]) <= 6
    assert len(pools[2] | pools[3]) <= 6
    assert not (pools[0] | pools[1]) & (pools[2] | pools[3])


def test_categories_are_told_apart_by_their_gradients():
    rng = np.random.default_rng(0)
    effect = rng.normal(size=30)
    X = np.c_[rng.integers(0, 30, 4000), rng.normal(size=4000)].astype(np.float32)
    y = effect[X[:, 0].astype(int)] + X[:, 1]
    X[rng.random(4000) < 0.05, 0] = np.nan
    booster = make_booster(X, n_categories=[30, 0], learning_rate=0.3)
    arrays, scores = boost(booster, y, 40)
    known = ~np.isnan(X[:, 0])
    assert np.mean((scores[known, 0] - y[known]) ** 2) < 0.05
    assert (arrays["direction_indices"] >= 2).any()
    other = boost(make_booster(X, n_categories=[30, 0], learning_rate=0.3), y, 40, n_threads=3)
    assert_same_arrays(other[0], arrays)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_indicators_that_share_a_byte_split_as_the_reference(n_outputs):
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 12, 250)
    X = np.c_[np.eye(12)[kind], rng.integers(0, 9, 250)].astype(np.float32)
    X[:, 3] *= rng.integers(1, 4, 250)  # three values besides zero
    X[kind == 5, 5] = np.nan
    g, h = draw_gradients(250, n_outputs)
    booster = make_booster(X, vector_leaves=True)
    scores = np.zeros_like(g)
    booster.grow_round(0, g, h, scores, 1)
    reference = ReferenceTree(X, g, h)
    arrays = booster.take_trees()
    expected = reference.arrays()
    for name in ("left", "direction_indices", "missing_left", "n_samples"):
        np.testing.assert_array_equal(arrays[name], expected[name], err_msg=name)
    np.testing.assert_allclose(scores, reference.predict(X), rtol=1e-9)
    values = arrays["values"].reshape(-1, n_outputs)
    np.testing.assert_array_equal(values[booster.leaves(1)[:, 0]], scores)


def test_many_values_are_binned_evenly():
    rng = np.random.default_rng(0)
    X = np.exp(3 * rng.normal(size=(20_000, 1))).astype(np.float32)
    booster = make_booster(X, max_bins=20, max_leaf_nodes=0)
    booster.grow_round(0, rng.normal(size=X.shape), np.ones(X.shape), None, 1)
    arrays = booster.take_trees()
    counts = arrays["n_samples"][arrays["left"] < 0]
    assert len(counts) == 20
    assert counts.min() > 900
    assert counts.max() < 1100


def reference_edges(values, max_bins):
    """Edges of a column of many values: bins close when they hold their share of what is left."""
    distinct, counts = np.unique(values, return_counts=True)
    edges, in_bin, left, bins_left = [], 0, len(values), max_bins
    share = left / bins_left
    for i in range(len(distinct) - 1):
        in_bin += counts[i]
        own = len(distinct) <= max_bins
        if bins_left > 1 and (own or in_bin >= share or counts[i + 1] >= share):
            edges.append(distinct[i] / np.float32(2) + distinct[i + 1] / np.float32(2))
            left, in_bin, bins_left = left - in_bin, 0, bins_left - 1
            share = left / max(bins_left, 1)
    return np.array(edges, dtype=np.float32)


@pytest.mark.parametrize("kind", ["normal", "heavy tails", "few values", "one frequent value"])
def test_directions_have_the_edges_and_bins_of_a_reference(kind):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(3000, 4))
    if kind == "heavy tails":
        X = np.sign(X) * np.exp(6 * np.abs(X))
    elif kind == "few values":
        X = np.round(X)
    elif kind == "one frequent value":
        X[rng.random(3000) < 0.4] = 0
    X = X.astype(np.float32)
    pool = {"use_features": False, "n_directions": 1, "max_bins": 60, "max_leaf_nodes": 0}
    booster = make_booster(X, _core.uniform_combinations(4, 2), **pool)
    booster.grow_round(0, rng.normal(size=(3000, 1)), np.ones((3000, 1)), None, 1)
    arrays = booster.take_trees()
    inner = arrays["left"] >= 0
    terms = slice(*arrays["direction_indptr"][:2])
    values = np.zeros(3000, dtype=np.float32)
    for j, c in zip(
        arrays["direction_indices"][terms], arrays["direction_coefficients"][terms], strict=True
    ):
        values += c * X[:, j]
    edges = reference_edges(values, 60)
    np.testing.assert_array_equal(np.sort(arrays["threshold"][inner]), edges)
    bins = np.searchsorted(edges, values)
    counts = np.bincount(bins, minlength=len(edges) + 1)
    leaf_of_bin = np.zeros(len(edges) + 1, dtype=int)
    leaf_of_bin[bins] = booster.leaves(1)[:, 0]
    np.testing.assert_array_equal(leaf_of_bin[bins], booster.leaves(1)[:, 0])
    assert len(np.unique(leaf_of_bin[counts > 0])) == (counts > 0).sum()


@pytest.mark.parametrize("n", [3000, 20_000])
def test_directions_are_binned_alike_by_any_number_of_threads(n):
    X, y = problem(n)
    distribution = _core.uniform_combinations(X.shape[1], 3)
    pool = {"n_directions": 20, "max_leaf_nodes": 8}
    one, scores = boost(make_booster(X, distribution, **pool), y, 3)
    three, same = boost(make_booster(X, distribution, **pool), y, 3, n_threads=3)
    assert_same_arrays(one, three)
    np.testing.assert_array_equal(scores, same)
    np.testing.assert_allclose(predict(one, X), scores[:, 0], rtol=1e-6, atol=1e-6)


def test_a_frequent_value_has_its_own_bin():
    X = np.r_[np.zeros(5000), np.arange(1, 5001)].astype(np.float32)[:, None]
    booster = make_booster(X, max_bins=10, max_leaf_nodes=0)
    g = np.random.default_rng(0).normal(size=X.shape)
    booster.grow_round(0, g, np.ones(X.shape), None, 1)
    arrays = booster.take_trees()
    assert np.float32(0.5) in arrays["threshold"][arrays["left"] >= 0]
    assert (arrays["left"] < 0).sum() == 10


def test_extreme_values_keep_their_order():
    big = np.finfo(np.float32).max
    X = np.array([-np.inf, -big, -1e-40, 0.0, 1e-40, big, np.inf, np.nan] * 20, dtype=np.float32)
    g = np.tile(np.arange(8.0) ** 2, 20)[:, None]
    booster = make_booster(X[:, None], max_leaf_nodes=0, learning_rate=1.0)
    scores = np.zeros_like(g)
    booster.grow_round(0, g, np.ones_like(g), scores, 1)
    np.testing.assert_allclose(scores, -g, rtol=1e-12)
    np.testing.assert_array_equal(predict(booster.take_trees(), X[:, None]), scores[:, 0])


def test_uint8_features_are_read_as_they_are():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 256, (2000, 6)).astype(np.uint8)
    y = X[:, 0] / 64.0
    as_bytes, _ = boost(make_booster(X), y, 5)
    as_floats, _ = boost(make_booster(X.astype(np.float32)), y, 5)
    assert_same_arrays(as_bytes, as_floats)


def test_constant_features_give_a_leaf_each_round():
    X = np.ones((50, 3), dtype=np.float32)
    y = np.arange(50.0)
    arrays, scores = boost(make_booster(X), y, 2)
    assert (arrays["left"] == -1).all()
    np.testing.assert_allclose(scores, 24.5 * (1 - 0.9**2))
