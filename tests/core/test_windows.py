"""Windows on channels: read off running sums, they are what their definition says."""

import math

import numpy as np
import pytest
from core.invariants import (
    assert_grown_alike,
    assert_samples_end_where_they_are_members,
    noisy_classes,
)
from growing import draw_rows, estimation_rows, make_options, make_rows
from growing import grow as grow_natively
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from window_tree import Channels, WindowTree, assert_tree_equals_reference

from silvan import ForestClassifier, ForestRegressor
from silvan.projections import AxisAligned, Mixture, Windows

ALL = ("mean", "spread", "slope")
KINDS = {
    "series": Windows([40], 1, 30, statistics=ALL),
    "series and spectrum": Windows([40, 21], 2, 40, statistics=ALL, n_patches=2, weights=(1, 3)),
    "circle": Windows([30, 12], 1, 20, "wrap", statistics=ALL, shift=2),
    "image": Windows([(6, 7)] * 3, 1, 4),
    "shifted image": Windows([(6, 7)] * 2, 1, 4, shift=3, shift_probability=0.9),
    "pairs": Windows([(6, 7), (3, 5)], 2, 5, n_patches=2, reach=2, statistics=ALL, shift=1),
    "torus": Windows([(6, 8)] * 2, (3, 2), (6, 8), "wrap", n_patches=3, statistics=ALL, shift=2),
    "cylinder": Windows([(6, 8)], 1, 6, ("inside", "wrap"), statistics=ALL, shift=1),
    "corners": Windows([(6, 7)], (2, 3), (6, 7), ("corner", "inside"), statistics=("slope",)),
    "volume": Windows([(3, 5, 4)] * 2, (2, 1, 2), (3, 5, 4), statistics=ALL, shift=1, n_patches=2),
    "mixture": Mixture(
        [
            (AxisAligned(), 1.0),
            (Windows([(6, 7)], 3, 6), 2.0),
            (Windows([(6, 7)], 1, 2, statistics=("spread",)), 1.0),
        ]
    ),
}
kinds = pytest.mark.parametrize("name", KINDS)
FEATURES = ["normal", "uint8", "few values", "offset", "missing", "whole", "missing indicators"]


def n_features_of(name):
    windows = KINDS[name]
    if isinstance(windows, Mixture):
        windows = windows.components[-1][0]
    return sum(math.prod(np.atleast_1d(shape)) for shape in windows.shapes)


def make_native(name):
    p = n_features_of(name)
    return KINDS[name]._to_native(p), p


def make_features(rng, n, p, kind):
    if kind == "uint8":
        return rng.integers(0, 256, (n, p)).astype(np.uint8)
    if kind == "few values":
        return rng.integers(0, 2, (n, p)).astype(np.uint8)
    X = rng.normal(size=(n, p)).astype(np.float32)
    if kind == "whole":
        X = rng.integers(0, 6, (n, p)).astype(np.float32)
    if kind == "missing indicators":
        X = rng.integers(0, 2, (n, p)).astype(np.float32)
    if kind == "offset":
        X = X * np.float32(8) + np.float32(1e6)
    if kind.startswith("missing"):
        X[rng.random((n, p)) < 0.01] = np.nan
    return X


def grow(X, y, distribution, *, source=None, n_threads=1, trees=1, rows=None, **changes):
    n_outputs = int(y.max()) + 1 if y.ndim == 1 else y.shape[1]
    options = make_options(**({"n_outputs": n_outputs} | changes))
    rows = make_rows(len(X)) if rows is None else rows
    given = {"rows": rows, "source": source, "trees": trees, "n_threads": n_threads}
    return grow_natively(X, y, distribution, options, **given), rows, options


# Values


@pytest.mark.parametrize("name", [name for name in KINDS if name != "mixture"])
@pytest.mark.parametrize("features", FEATURES)
def test_sums_give_the_values_of_the_definition(name, features):
    windows, p = KINDS[name], n_features_of(name)
    X = make_features(np.random.default_rng(0), 12, p, features)
    axes = windows._channels()[0]
    wraps = [axis.boundary == "wrap" for axis in axes]
    max_size = [axis.max_size for axis in axes]
    channels = Channels(X, windows._shapes(), wraps, max_size)
    for terms in windows.draw_windows(60, random_state=1):
        for _, window in terms:
            ours = channels.values(window, np.arange(len(X)))
            by_definition = window.values(channels.cells[window.channel], wraps)
            scale = 1e6 if features == "offset" else 255
            tolerance = 1e-9 * (scale if window.statistic == "mean" else 255)
            np.testing.assert_allclose(ours, by_definition, rtol=1e-9, atol=tolerance)


def test_a_spread_at_a_large_offset_keeps_its_digits():
    """Without centring, a window of ten values at 1e6 loses the variance altogether."""
    rng = np.random.default_rng(0)
    X = (1e6 + rng.integers(-8, 9, (400, 40)) / 8).astype(np.float32)
    spread = X[:, 10:20].astype(np.float64).std(axis=1)
    y = (spread > np.median(spread)).astype(int)
    windows = Windows([40], 10, 10, "inside", statistics=("spread",))
    forest = ForestClassifier(1, projections=windows, max_features=500, max_depth=1, random_state=0)
    forest.fit(X, y)
    ((_, window),) = forest.forest_.windows(0)
    assert (window.start, window.end) == ((10,), (20,))
    left = forest.apply(X)[:, 0] == 1
    assert np.array_equal(left, window.values(X).astype(np.float32) <= forest.forest_.threshold[0])
    assert forest.score(X, y) > 0.95


# Growing


@settings(
    max_examples=80, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 150),
    n_classes=st.integers(1, 5),
    name=st.sampled_from(list(KINDS)),
    features=st.sampled_from(FEATURES),
    leaf=st.sampled_from([1, 1, 4]),
    random_thresholds=st.booleans(),
)
def test_a_tree_over_windows_equals_the_reference(
    seed, n, n_classes, name, features, leaf, random_thresholds
):
    native, p = make_native(name)
    rng = np.random.default_rng(seed)
    X = make_features(rng, n, p, features)
    y = rng.integers(0, n_classes, n).astype(np.int32)
    changes = {"min_samples_leaf": leaf, "random_thresholds": random_thresholds}
    arrays, rows, options = grow(X, y, native, seed=seed, **changes)
    weight = draw_rows(rows, seed, 0).astype(float)
    targets = np.eye(int(y.max()) + 1)[y]
    assert_tree_equals_reference(arrays, WindowTree(X, targets, weight, native, options))


@pytest.mark.parametrize("features", ["normal", "uint8", "missing"])
@pytest.mark.parametrize("name", ["torus", "series and spectrum", "mixture", "volume"])
def test_large_nodes_over_windows_equal_the_reference_too(name, features):
    native, p = make_native(name)
    rng = np.random.default_rng(1)
    X = make_features(rng, 700, p, features)
    y = rng.integers(0, 3, 700).astype(np.int32)
    arrays, rows, options = grow(X, y, native, max_depth=3)
    weight = draw_rows(rows, options["seed"], 0).astype(float)
    assert_tree_equals_reference(arrays, WindowTree(X, np.eye(3)[y], weight, native, options))


def test_a_regression_tree_over_windows_equals_the_reference():
    native, p = make_native("pairs")
    rng = np.random.default_rng(2)
    X = make_features(rng, 200, p, "missing")
    y = rng.integers(-512, 512, (200, 1)) / 64.0
    arrays, rows, options = grow(X, y, native, criterion="squared_error")
    weight = draw_rows(rows, options["seed"], 0).astype(float)
    assert_tree_equals_reference(arrays, WindowTree(X, y, weight, native, options))


@pytest.mark.parametrize("features", ["normal", "uint8", "missing"])
def test_an_honest_tree_over_windows_equals_the_reference(features):
    native, p = make_native("shifted image")
    rng = np.random.default_rng(3)
    X = make_features(rng, 300, p, features)
    y = rng.integers(0, 3, 300).astype(np.int32)
    rows = make_rows(300, replace=False) | {"estimation_share": 0.5}
    arrays, rows, options = grow(X, y, native, rows=rows)
    weight = draw_rows(rows, options["seed"], 0).astype(float)
    estimation = estimation_rows(rows, options["seed"], 0)
    reference = WindowTree(X, np.eye(3)[y], weight, native, options, estimation=estimation)
    assert_tree_equals_reference(arrays, reference)


def test_sums_of_large_windows_do_not_overflow():
    """More than 257 bytes overflow 16 bits, 65,535 squares of them 32."""
    for length in (257, 258, 70_000):
        native = Windows([length], length, length, "inside", statistics=ALL)._to_native(length)
        X = np.full((6, length), 255, dtype=np.uint8)
        X[3:, ::2] = 0
        y = np.repeat(np.arange(2, dtype=np.int32), 3)
        arrays, rows, options = grow(
            X, y, native, n_directions=12, rows=make_rows(6, replace=False)
        )
        weight = draw_rows(rows, options["seed"], 0).astype(float)
        reference = WindowTree(X, np.eye(2)[y], weight, native, options)
        assert_tree_equals_reference(arrays, reference)


def problem(name, features, n=900):
    native, p = make_native(name)
    rng = np.random.default_rng(0)
    X = make_features(rng, n, p, features)
    return native, X, noisy_classes(rng, X)


@pytest.mark.parametrize("features", ["normal", "uint8", "missing"])
def test_forests_over_windows_do_not_depend_on_threads_layouts_and_instructions(features):
    native, X, y = problem("pairs", features)
    assert_grown_alike(grow, X, y, native)


# Predicting


@pytest.mark.parametrize("features", FEATURES)
@kinds
def test_training_rows_end_in_the_leaves_that_hold_them(name, features):
    _, X, y = problem(name, features, 400)
    forest = ForestClassifier(4, projections=KINDS[name], max_features=5, random_state=0).fit(X, y)
    assert forest.forest_.check().n_windows > 0
    assert_samples_end_where_they_are_members(forest, X)
    if X.dtype == np.uint8:
        assert np.array_equal(forest.apply(X.astype(np.float32)), forest.apply(X))


def test_a_missing_cell_hides_the_windows_that_touch_it_and_no_others():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 40)).astype(np.float32)
    y = X.sum(axis=1)
    windows = Windows([25, 15], 5, 12, shift=2, statistics=("mean", "spread"))
    forest = ForestRegressor(20, projections=windows, random_state=0).fit(X, y)
    leaves, arrays = forest.apply(X), forest.forest_
    for cell in (0, 17, 39):
        holed = X.copy()
        holed[:, cell] = np.nan
        moved = 0
        for tree, after in enumerate(forest.apply(holed).T):
            first, last = arrays.tree_offsets[tree : tree + 2]
            for sample in np.flatnonzero(leaves[:, tree] != after)[:40]:
                node = meeting_point(arrays.left[first:last], leaves[sample, tree], after[sample])
                terms = arrays.windows(first + node)
                assert any(touches(window, cell) for _, window in terms)
                moved += 1
        assert moved > 0


def touches(window, cell):
    at, length, channel = (cell, 25, 0) if cell < 25 else (cell - 25, 15, 1)
    boxes = window.boxes((length,), (False,))
    return window.channel == channel and any(start <= at < end for ((start, end),) in boxes)


def meeting_point(left, a, b):
    """The last node that the ways to two leaves share."""
    parent = {child: node for node in np.flatnonzero(left >= 0) for child in left[node] + (0, 1)}
    above = {a}
    while a in parent:
        a = parent[a]
        above.add(a)
    while b not in above:
        b = parent[b]
    return b


@pytest.mark.parametrize("name", ["series and spectrum", "circle", "pairs", "volume"])
@pytest.mark.parametrize("largest", [1, 5, 300])
def test_sums_of_whole_numbers_and_of_halves_give_the_same_forest(name, largest):
    """Halves are summed in float64: all values are halved, and no bit is lost."""
    rng = np.random.default_rng(largest)
    X = rng.integers(0, largest + 1, (150, n_features_of(name))).astype(np.float32)
    X[0, 0] = 1  # a half below
    y = rng.integers(0, 3, len(X))
    options = {"bootstrap": False, "max_features": 20, "random_state": 1, "thresholds": "random"}
    forests = [
        ForestClassifier(5, projections=KINDS[name], **options).fit(cells, y)
        for cells in (X, X / np.float32(2))
    ]
    whole, half = (forest.forest_ for forest in forests)
    np.testing.assert_array_equal(whole.left, half.left)
    np.testing.assert_array_equal(whole.members, half.members)
    np.testing.assert_array_equal(whole.threshold, half.threshold * 2)
    # A block that has fractions is summed in float64 as a whole.
    mixed = np.vstack([X, X / np.float32(3)])
    np.testing.assert_array_equal(forests[0].apply(mixed)[: len(X)], forests[0].apply(X))


def test_whole_numbers_whose_squares_are_not_exact_are_summed_as_others_are():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2**22, (200, 40)).astype(np.float32)
    y = (X[:, :20].std(axis=1) > X[:, 20:].std(axis=1)).astype(int)
    windows = Windows([40], 1, 30, statistics=("spread",))
    forest = ForestClassifier(20, projections=windows, random_state=0).fit(X, y)
    mixed = np.vstack([X, X + np.float32(0.25)])
    np.testing.assert_array_equal(forest.apply(mixed)[: len(X)], forest.apply(X))
