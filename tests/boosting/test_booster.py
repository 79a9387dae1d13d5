"""What the native booster promises besides its splits: draws, threads, routes, renewed values."""

import signal
import threading
import time

import numpy as np
import pytest
from boosting.boosters import (
    assert_same_arrays,
    boost,
    draw_gradients,
    draw_table,
    make_booster,
    make_options,
    make_training,
    predict,
    problem,
)
from boosting.reference_booster import ReferenceTree

from silvan import _core

OPTIONS = {
    "plain": {},
    "samples and columns": {"subsample": 0.6, "colsample": 0.5},
    "few columns": {"colsample": 0.1},
    "random thresholds": {"random_thresholds": True},
    "directions": {"n_directions": 12},
    "directions alone": {"n_directions": 12, "use_features": False, "redraw_every": 3},
    "few bins": {"max_bins": 7},
}


@pytest.mark.parametrize("case", OPTIONS)
def test_scores_are_those_of_the_trees(case):
    X, y = problem()
    distribution = _core.sparse_signs(X.shape[1], 2.0, True)
    booster = make_booster(X, distribution, **OPTIONS[case])
    arrays, scores = boost(booster, y, 8)
    assert len(arrays["tree_offsets"]) == 9
    assert np.mean((scores[:, 0] - y) ** 2) < 0.95 * np.mean(y**2)
    np.testing.assert_allclose(predict(arrays, X), scores[:, 0], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("case", OPTIONS)
def test_trees_are_the_same_for_any_number_of_threads(case):
    X, y = problem(n=70_000, n_features=5)
    distribution = _core.sparse_signs(X.shape[1], 2.0, True)
    grown = [
        boost(make_booster(X, distribution, **OPTIONS[case]), y, 4, n_threads=n_threads)
        for n_threads in (1, 2, 5)
    ]
    for arrays, scores in grown[1:]:
        assert_same_arrays(arrays, grown[0][0])
        np.testing.assert_array_equal(scores, grown[0][1])


@pytest.mark.parametrize("vector_leaves", [False, True])
@pytest.mark.parametrize("n_threads", [2, 3])
def test_outputs_are_the_same_for_any_number_of_threads(n_threads, vector_leaves):
    X, _ = problem()
    g, h = draw_gradients(len(X), 5)
    grown = []
    for threads in (1, n_threads):
        booster = make_booster(X, vector_leaves=vector_leaves)
        scores = np.zeros_like(g)
        booster.grow_round(0, g, h, scores, threads)
        grown.append((booster.take_trees(), scores))
    assert_same_arrays(grown[1][0], grown[0][0])
    np.testing.assert_array_equal(grown[1][1], grown[0][1])


@pytest.mark.parametrize("instruction_set", _core.instruction_sets())
@pytest.mark.parametrize("case", OPTIONS)
def test_trees_are_the_same_for_any_instruction_set(case, instruction_set):
    X, y = problem()
    distribution = _core.sparse_signs(X.shape[1], 2.0, True)
    options = OPTIONS[case] | {"l1": 0.5, "l2": 1.0}
    expected = make_booster(X, distribution, instruction_set="baseline", **options)
    booster = make_booster(X, distribution, instruction_set=instruction_set, **options)
    assert_same_arrays(boost(booster, y, 4)[0], boost(expected, y, 4)[0])


@pytest.mark.parametrize("case", OPTIONS)
def test_rounds_that_resume_are_those_of_one_fit(case):
    X, y = problem()
    distribution = _core.sparse_signs(X.shape[1], 2.0, True)
    whole, scores = boost(make_booster(X, distribution, **OPTIONS[case]), y, 6)
    first, half = boost(make_booster(X, distribution, **OPTIONS[case]), y, 3)
    second, resumed = boost(
        make_booster(X, distribution, **OPTIONS[case]), y, 3, first=3, scores=half
    )
    np.testing.assert_array_equal(resumed, scores)
    for name in ("threshold", "values", "direction_indices", "direction_coefficients"):
        np.testing.assert_array_equal(np.concatenate([first[name], second[name]]), whole[name])


def test_seeds_and_rounds_draw_differently():
    X, y = problem()
    distribution = _core.sparse_signs(X.shape[1], 2.0, True)
    options = {"n_directions": 5, "use_features": False}
    g, h = (0.0 - y)[:, None], np.ones((len(y), 1))

    def directions(seed, number):
        booster = make_booster(X, distribution, seed=seed, **options)
        booster.grow_round(number, g, h, None, 1)
        return booster.take_trees()["direction_indices"].tolist()

    assert directions(0, 0) == directions(0, 0)
    assert directions(0, 0) != directions(0, 1)
    assert directions(0, 0) != directions(1, 0)


def test_a_tree_grows_on_the_drawn_samples_and_scores_all():
    X = draw_table(200, 4, missing=0.1)
    g, h = draw_gradients(200, 1)
    booster = make_booster(X, subsample=0.5, seed=9)
    scores = np.zeros_like(g)
    booster.grow_round(7, g, h, scores, 1)
    draws = _core.SampleDraws(np.arange(200, dtype=np.uint32), 100, False)
    drawn = np.flatnonzero(_core.draw_samples(draws, 9, 7))
    reference = ReferenceTree(X, g, h, samples=drawn)
    arrays = booster.take_trees()
    assert arrays["n_samples"][0] == 100
    assert arrays["left"].tolist() == reference.arrays()["left"]
    np.testing.assert_allclose(scores, reference.predict(X), rtol=1e-9)


def test_a_tree_splits_its_share_of_the_columns():
    X = draw_table(500, 10)
    y = X.sum(axis=1).astype(np.float64)
    used = []
    booster = make_booster(X, colsample=0.3)
    scores = np.zeros((500, 1))
    for number in range(20):
        booster.grow_round(number, scores - y[:, None], np.ones((500, 1)), scores, 1)
        used.append(frozenset(booster.take_trees()["direction_indices"].tolist()))
    assert {len(features) for features in used} == {3}
    assert len(set(used)) > 5
    assert frozenset.union(*used) == set(range(10))


def test_random_thresholds_are_edges_within_the_node():
    X = draw_table(400, 1, levels=30)
    g, h = draw_gradients(400, 1)
    roots = set()
    for seed in range(60):
        booster = make_booster(X, random_thresholds=True, seed=seed, max_leaf_nodes=2)
        booster.grow_round(0, g, h, None, 1)
        arrays = booster.take_trees()
        if arrays["left"][0] > 0:
            roots.add(float(arrays["threshold"][0]))
    values = np.unique(X)
    edges = set((values[:-1] / 2 + values[1:] / 2).tolist())
    assert roots <= edges
    assert len(roots) > 15


@pytest.mark.parametrize("vector_leaves", [False, True])
def test_renewed_values_take_the_place_of_newton_steps(vector_leaves):
    X, _ = problem()
    g, h = draw_gradients(len(X), 2)
    booster = make_booster(X, vector_leaves=vector_leaves, subsample=0.7)
    booster.grow_round(0, g, h, None, 1)
    leaves = booster.leaves(2)
    assert leaves.shape == (len(X), 1 if vector_leaves else 2)
    assert set(np.unique(leaves)) == set(range(booster.n_leaves))
    rng = np.random.default_rng(0)
    values = rng.normal(size=(booster.n_leaves, 2 if vector_leaves else 1))
    scores = np.ones((len(X), 2))
    booster.set_values(values, scores, 2)
    expected = 1 + (values[leaves[:, 0]] if vector_leaves else values[leaves][:, :, 0])
    np.testing.assert_array_equal(scores, expected)
    np.testing.assert_array_equal(booster.take_trees()["values"], values.ravel())
    with pytest.raises(ValueError, match="before the trees are taken"):
        booster.set_values(values, scores, 1)


def test_leaves_are_those_that_scores_come_from():
    X, y = problem()
    booster = make_booster(X)
    arrays, scores = boost(booster, y, 1)
    np.testing.assert_array_equal(arrays["values"][booster.leaves(1)[:, 0]], scores[:, 0])


def test_gains_are_differences_of_weight_times_impurity():
    X = draw_table(300, 5)
    g, h = draw_gradients(300, 1)
    booster = make_booster(X, max_leaf_nodes=2, l2=1.0)
    booster.grow_round(0, g, h, None, 1)
    arrays = booster.take_trees()
    spread = arrays["weight"] * arrays["impurity"]
    gain = ReferenceTree(X, g, h, max_leaf_nodes=2, l2=1.0).nodes[0].gain
    assert spread[0] - spread[1] - spread[2] == pytest.approx(gain, rel=1e-5)


def test_constrained_scores_are_monotone():
    rng = np.random.default_rng(0)
    X = rng.random((2000, 3)).astype(np.float32)
    y = np.sin(9 * X[:, 0]) - X[:, 1] + 0.5 * rng.normal(size=2000)
    booster = make_booster(X, monotone=[1, -1, 0])
    arrays, _ = boost(booster, y, 30)
    grid = np.repeat(rng.random((50, 3)).astype(np.float32)[:, None], 101, axis=1)
    for feature, sign in ((0, 1), (1, -1)):
        moved = grid.copy()
        moved[:, :, feature] = np.linspace(0, 1, 101, dtype=np.float32)
        curves = predict(arrays, moved.reshape(-1, 3)).reshape(50, 101)
        assert (sign * np.diff(curves, axis=1) >= 0).all()
        assert np.ptp(curves, axis=1).min() > 0.1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"use_features": False}, "features or directions"),
        ({"n_directions": 4}, "need a distribution"),
        ({"max_bins": 256}, "max_bins"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes"),
        ({"subsample": 0.0}, "subsample"),
        ({"monotone": [1]}, "one entry per feature"),
        ({"monotone": [2, 0]}, "-1, 0 or 1"),
        ({"monotone": [1, 0], "vector_leaves": True}, "one tree per output"),
        ({"interaction_groups": [[0, 2]]}, "numbers of features"),
    ],
)
def test_contradictory_options_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        make_booster(draw_table(20, 2), **changes)


def test_constraints_need_single_features():
    X = draw_table(20, 2)
    with pytest.raises(ValueError, match="single features"):
        make_booster(X, _core.sparse_signs(2, 1.0, True), n_directions=2, monotone=[1, 0])
    with pytest.raises(ValueError, match="numbers"):
        make_booster(X, n_categories=[3, 0], monotone=[1, 0])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_bad_hessians_are_refused(bad, n_threads):
    X = draw_table(20, 2)
    h = np.ones((20, 1))
    h[7] = bad
    with pytest.raises(ValueError, match="hessians"):
        make_booster(X).grow_round(0, np.ones((20, 1)), h, None, n_threads)


def test_shapes_are_checked():
    booster = make_booster(draw_table(20, 2))
    ones = np.ones((20, 2))
    with pytest.raises(ValueError, match="row per sample"):
        booster.grow_round(0, ones[:9], ones[:9], None, 1)
    with pytest.raises(ValueError, match="differ in shape"):
        booster.grow_round(0, ones, ones[:, :1].copy(), None, 1)
    with pytest.raises(ValueError, match="scores"):
        booster.grow_round(0, ones, ones, np.zeros((20, 1)), 1)


@pytest.fixture
def raised_interrupts():
    """Interrupts raise even where the tests were started in the background, which ignores them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("raised_interrupts")
@pytest.mark.parametrize("n_threads", [1, 2])
def test_interrupts_end_a_round(n_threads):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 20)).astype(np.float32)
    booster = _core.Booster(make_training(X), None, make_options(max_leaf_nodes=2_000))
    g = rng.normal(size=(len(X), 1))
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        for number in range(100):
            booster.grow_round(number, g, np.ones_like(g), None, n_threads)
    timer.join()
    assert time.monotonic() - start < 5.0


def test_impurities_are_finite_where_hessians_all_but_vanish():
    X, y = problem()
    booster = make_booster(X, min_child_weight=0.0, max_leaf_nodes=4)
    booster.grow_round(0, y[:, None], np.full((len(y), 1), 1e-30), None, 1)
    assert np.isfinite(booster.take_trees()["impurity"]).all()
