"""Running sums over grids: patches read off them are what adding up their cells would give."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from core.invariants import (
    assert_grown_alike,
    assert_same_forest,
    assert_samples_end_where_they_are_members,
    noisy_classes,
)
from growing import draw_rows, make_options, make_rows, sample_directions
from growing import grow as grow_natively
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference_tree import ReferenceTree, native_nodes, project

from silvan import ForestClassifier, ForestRegressor, _core
from silvan.projections import AxisAligned, Mixture, Patches

GRIDS = {
    "series": Patches(40, 5, 30),
    "circle": Patches(40, 5, 40, "wrap"),
    "image": Patches((6, 7), 2, 6),
    "torus": Patches((6, 8), (3, 2), (6, 8), "wrap"),
    "corners": Patches((6, 7), (2, 3), (6, 7), ("corner", "inside")),
    "volume": Patches((3, 5, 4), (2, 1, 2), (3, 5, 4)),
    "channels": Patches((3, 20), (1, 4), (3, 16), contiguous=(False, True)),
    "channels last": Patches((20, 3), (4, 1), (16, 3), "wrap", contiguous=(True, False)),
    "channels between": Patches((4, 3, 5), (3, 1, 2), (4, 3, 5), contiguous=(True, False, True)),
    "mixture": Mixture([(AxisAligned(), 1.0), (Patches((6, 7), 3, 6), 2.0)]),
}
PAIRED = {
    "pairs": Patches((6, 7), 2, 6, n_patches=2, reach=2),
    "three on a torus": Patches((6, 8), (3, 2), (6, 8), "wrap", n_patches=3),
    "paired channels": Patches((3, 20), (1, 4), (3, 16), contiguous=(False, True), n_patches=2),
}
single_grids = pytest.mark.parametrize("name", list(GRIDS))
GRIDS |= PAIRED
grids = pytest.mark.parametrize("name", GRIDS)


def grid_of(native):
    columns = native.columns
    return columns.grid_shape, columns.grid_contiguous


def expand(grid, directions):
    shape, contiguous = grid
    columns = _core.ColumnDescription(shape, contiguous, [])
    return _core.expand_directions(columns, int(np.prod(shape)), *directions)


def make_native(name):
    """The distribution, its grid and its number of features."""
    patches = GRIDS[name]
    first = patches if isinstance(patches, Patches) else patches.components[-1][0]
    n_features = int(np.prod(first.shape))
    native = patches._to_native(n_features)
    return native, grid_of(native), n_features


def running_sums(X, grid):
    """Running sums of all rows in float64 along the contiguous axes, which grow by one."""
    shape, contiguous = grid
    sums = X.reshape(len(X), *shape).astype(np.float64)
    for axis in np.flatnonzero(contiguous) + 1:
        sums = np.insert(np.cumsum(sums, axis=axis), 0, 0.0, axis=axis)
    return sums.reshape(len(X), -1)


def to_dense(directions, n_columns):
    indptr, indices, weights = directions
    dense = np.zeros((len(indptr) - 1, n_columns))
    dense[np.repeat(np.arange(len(dense)), np.diff(indptr)), indices] = weights
    return dense


def over_features(directions, grid):
    """Dense directions over the features, by what the running sums of each feature alone are."""
    p = int(np.prod(grid[0]))
    basis = np.hstack([np.eye(p), running_sums(np.eye(p), grid)])
    return to_dense(directions, basis.shape[1]) @ basis.T


# Directions


@grids
def test_a_direction_over_running_sums_expands_to_its_patch(name):
    native, grid, p = make_native(name)
    directions = sample_directions(native, 3, 0, "", 500)
    over_sums = directions[1][directions[0][:-1]] >= p
    assert over_sums.any()
    assert not over_sums.all()
    expanded = expand(grid, directions)
    assert np.array_equal(to_dense(expanded, p), over_features(directions, grid))
    assert (expanded[2] == 1).all() == (name not in PAIRED)
    for start, end in pairwise(expanded[0]):
        assert (np.diff(expanded[1][start:end]) > 0).all()


@single_grids
def test_a_direction_over_running_sums_has_few_look_ups(name):
    native, grid, p = make_native(name)
    directions = sample_directions(native, 3, 0, "", 500)
    n_look_ups = np.diff(directions[0])
    n_cells = np.diff(expand(grid, directions)[0])
    over_sums = directions[1][directions[0][:-1]] >= p
    assert (n_cells[over_sums] > 3 * n_look_ups[over_sums]).all()
    assert np.array_equal(n_cells[~over_sums], n_look_ups[~over_sums])


@pytest.mark.parametrize(("name", "max_look_ups"), [("pairs", 8), ("three on a torus", 48)])
def test_several_patches_have_the_look_ups_of_each(name, max_look_ups):
    native, _, p = make_native(name)
    indptr, indices, _ = sample_directions(native, 3, 0, "", 2_000)
    n_look_ups = np.diff(indptr)[indices[indptr[:-1]] >= p]
    assert n_look_ups.max() <= max_look_ups
    assert n_look_ups.min() < max_look_ups


@grids
def test_any_weights_over_running_sums_expand(name):
    _, grid, p = make_native(name)
    n_sums = running_sums(np.zeros((1, p)), grid).shape[1]
    rng = np.random.default_rng(0)
    weights = rng.integers(-2, 3, (60, n_sums)) * (rng.random((60, n_sums)) < 0.1)
    weights[weights.any(axis=1) == 0, -1] = 1
    rows, columns = np.nonzero(weights)
    directions = (
        np.searchsorted(rows, np.arange(61)).astype(np.int64),
        (columns + p).astype(np.int32),
        weights[rows, columns].astype(np.float32),
    )
    expanded = expand(grid, directions)
    assert np.array_equal(to_dense(expanded, p), over_features(directions, grid))


def test_leaves_have_empty_directions_after_expansion():
    empty = (np.zeros(4, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))
    indptr, indices, _ = expand(([5], [1]), empty)
    assert indptr.tolist() == [0, 0, 0, 0]
    assert len(indices) == 0


# Growing


class GridTree(ReferenceTree):
    """The reference tree on directions that may be over running sums, added in float64."""

    def __init__(self, X, targets, weight, distribution, options):
        self.grid = grid_of(distribution)
        self.sums = running_sums(np.nan_to_num(X), self.grid)
        super().__init__(X, targets, weight, distribution, options)

    def project(self, rows, indices, weights):
        p = self.X.shape[1]
        if indices[0] < p:
            return project(self.X[rows], indices, weights)
        value = np.zeros(len(rows))
        for index, weight in zip(indices, weights, strict=True):
            value = value + np.float64(weight) * self.sums[rows, index - p]
        direction = (np.array([0, len(indices)]), indices, weights)
        cells = np.flatnonzero(over_features(direction, self.grid)[0])
        value[np.isnan(self.X[np.ix_(rows, cells)]).any(axis=1)] = np.nan
        return value.astype(np.float32)


def make_features(rng, n, p, kind):
    if kind == "uint8":
        return rng.integers(0, 256, (n, p)).astype(np.uint8)
    if kind == "few values":
        return rng.integers(0, 2, (n, p)).astype(np.uint8)
    X = rng.normal(size=(n, p)).astype(np.float32)
    if kind == "offset":
        X = X + np.float32(1e4)
    if kind == "missing":
        X[rng.random((n, p)) < 0.02] = np.nan
    return X


def grow(X, y, distribution, *, source=None, n_threads=1, trees=1, replace=True, **changes):
    n_outputs = int(y.max()) + 1 if y.ndim == 1 else y.shape[1]
    options = make_options(**({"n_outputs": n_outputs} | changes))
    rows = make_rows(len(X), replace=replace)
    given = {"rows": rows, "source": source, "trees": trees, "n_threads": n_threads}
    return grow_natively(X, y, distribution, options, **given), rows, options


def assert_tree_equals_reference(arrays, reference):
    native = native_nodes(arrays)
    assert native.keys() == reference.nodes.keys()
    for path, node in reference.nodes.items():
        ours, split = native[path], node["split"]
        assert ours["leaf"] == (split is None)
        if split is None:
            np.testing.assert_array_equal(ours["rows"], node["rows"])
            continue
        np.testing.assert_array_equal(ours["indices"], split["indices"])
        np.testing.assert_array_equal(ours["weights"], split["weights"])
        assert ours["threshold"] == split["threshold"]
        assert ours["missing_left"] == split["missing_left"]


@settings(
    max_examples=80, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 150),
    n_classes=st.integers(1, 5),
    name=st.sampled_from(list(GRIDS)),
    features=st.sampled_from(["normal", "uint8", "few values", "offset", "missing"]),
    leaf=st.sampled_from([1, 1, 4]),
)
def test_a_tree_over_running_sums_equals_the_reference(seed, n, n_classes, name, features, leaf):
    native, _, p = make_native(name)
    rng = np.random.default_rng(seed)
    X = make_features(rng, n, p, features)
    y = rng.integers(0, n_classes, n).astype(np.int32)
    arrays, rows, options = grow(X, y, native, seed=seed, min_samples_leaf=leaf)
    weight = draw_rows(rows, seed, 0).astype(float)
    targets = np.eye(int(y.max()) + 1)[y]
    assert_tree_equals_reference(arrays, GridTree(X, targets, weight, native, options))


@pytest.mark.parametrize("features", ["normal", "uint8", "missing"])
@pytest.mark.parametrize("name", ["torus", "channels", "mixture"])
def test_large_nodes_over_running_sums_equal_the_reference_too(name, features):
    native, _, p = make_native(name)
    rng = np.random.default_rng(1)
    X = make_features(rng, 700, p, features)
    y = rng.integers(0, 3, 700).astype(np.int32)
    arrays, rows, options = grow(X, y, native, max_depth=3)
    weight = draw_rows(rows, options["seed"], 0).astype(float)
    assert_tree_equals_reference(arrays, GridTree(X, np.eye(3)[y], weight, native, options))


def test_a_regression_tree_over_running_sums_equals_the_reference():
    native, _, p = make_native("image")
    rng = np.random.default_rng(2)
    X = make_features(rng, 200, p, "missing")
    y = rng.integers(-512, 512, (200, 1)) / 64.0
    arrays, rows, options = grow(X, y, native, criterion="squared_error")
    weight = draw_rows(rows, options["seed"], 0).astype(float)
    assert_tree_equals_reference(arrays, GridTree(X, y, weight, native, options))


def problem(name, features, n=900):
    native, _, p = make_native(name)
    rng = np.random.default_rng(0)
    X = make_features(rng, n, p, features)
    return native, X, noisy_classes(rng, X)


@pytest.mark.parametrize("features", ["normal", "uint8", "missing"])
def test_forests_over_running_sums_do_not_depend_on_threads_layouts_and_instructions(features):
    native, X, y = problem("torus", features)
    expected = assert_grown_alike(grow, X, y, native)
    if X.dtype == np.float32:
        wide = grow(X.astype(np.float64), y, native, trees=4, source=X.astype(np.float64))[0]
        assert_same_forest(wide, expected)


# Predicting


@pytest.mark.parametrize(
    ("dtype", "missing"),
    [
        (np.uint8, False),
        (np.int64, False),
        (np.float32, False),
        (np.float32, True),
        (np.float64, False),
        (np.float64, True),
    ],
)
@grids
def test_training_rows_end_in_the_leaves_that_hold_them(name, dtype, missing):
    _, X, y = problem(name, "normal" if np.dtype(dtype).kind == "f" else "uint8", 500)
    # Values that float32 has to round, where there is room for them.
    X = (X * (math.pi if dtype == np.float64 else 1)).astype(dtype)
    if missing:
        X[np.random.default_rng(1).random(X.shape) < 0.01] = np.nan
    forest = ForestClassifier(4, projections=GRIDS[name], max_features=5, random_state=0).fit(X, y)
    over_sums = forest.forest_.direction_indices >= X.shape[1]
    assert over_sums.any()
    assert_samples_end_where_they_are_members(forest, X)


@grids
def test_a_forest_over_running_sums_predicts_like_one_whose_patches_are_written_out(name):
    """Sums of bytes are exact either way, so not one row may differ."""
    _, X, y = problem(name, "uint8")
    forest = ForestClassifier(25, projections=GRIDS[name], oob_score=True, random_state=0)
    forest.fit(X[:600], y[:600])
    directions = forest.forest_.directions()
    written_out = replace(
        forest.forest_,
        direction_indptr=directions.indptr.astype(np.int64),
        direction_indices=directions.indices.astype(np.int32),
        direction_coefficients=directions.data,
        grid_shape=np.zeros(0, np.int64),
        grid_contiguous=np.zeros(0, np.uint8),
    ).check()
    assert np.array_equal(_core.apply(written_out, X, 1), forest.apply(X))
    assert np.array_equal(_core.predict(written_out, X, False, 2), forest.predict_proba(X))
    assert np.array_equal(forest.apply(X.astype(np.float32)), forest.apply(X))
    sampling = forest._sampling
    sums, counts = _core.predict_out_of_bag(
        written_out, X[:600], False, sampling.native(), sampling.seed, 1
    )
    assert np.array_equal(sums / counts[:, None], forest.oob_decision_function_)


def test_a_missing_cell_hides_the_patches_that_touch_it_and_no_others():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 40)).astype(np.float32)
    y = X.sum(axis=1)
    forest = ForestRegressor(20, projections=Patches(40, 20, 30), random_state=0).fit(X, y)
    leaves, arrays = forest.apply(X), forest.forest_
    for cell in (0, 17, 39):
        holed = X.copy()
        holed[:, cell] = np.nan
        for tree, after in enumerate(forest.apply(holed).T):
            touched = arrays.directions(tree).toarray()[:, cell] != 0
            left = arrays.left[slice(*arrays.tree_offsets[tree : tree + 2])]
            moved = leaves[:, tree] != after
            for row in np.flatnonzero(moved)[:40]:
                assert touched[meeting_point(left, leaves[row, tree], after[row])]


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


# Exactness


def patch_values(row, patches, n_patches=60):
    """Values of a row along drawn patches, and the cells of each.

    A row of zeros beside it, so that the threshold between the two is half of the value.
    """
    n_features = row.size
    X = np.stack([row.ravel(), np.zeros_like(row.ravel())])
    native = patches._to_native(n_features)
    arrays, *_ = grow(
        X, np.array([0, 1], np.int32), native, trees=n_patches, n_directions=1, replace=False
    )
    roots = arrays["tree_offsets"][:-1]
    values = 2 * arrays["threshold"][roots]
    ends = arrays["direction_indptr"]
    nonzeros = [arrays["direction_indices"][ends[root] : ends[root + 1]] for root in roots]
    assert all(indices[0] >= n_features for indices in nonzeros)
    expanded = expand(
        grid_of(native), (ends, arrays["direction_indices"], arrays["direction_coefficients"])
    )
    return values, [expanded[1][expanded[0][root] : expanded[0][root + 1]] for root in roots]


FLOATS = {
    "series": ((10_000,), Patches(10_000, 13, 2_000)),
    "circle": ((10_000,), Patches(10_000, 13, 2_000, "wrap")),
    "image": ((80, 90), Patches((80, 90), 14, (80, 90), "inside")),
    "volume": ((20, 20, 20), Patches((20, 20, 20), 9, 20, "inside")),
    "channels": (
        (8, 1_000),
        Patches((8, 1_000), (1, 13), (8, 900), "inside", contiguous=(False, True)),
    ),
}


@pytest.mark.parametrize(("shape", "patches"), FLOATS.values(), ids=FLOATS)
@pytest.mark.parametrize("offset", [0.0, 1e4, -1e7])
def test_sums_of_floats_are_as_exact_as_float32_can_be(shape, patches, offset):
    row = np.random.default_rng(0).normal(offset, 1.0, shape).astype(np.float32)
    values, cells = patch_values(row, patches)
    for value, chosen in zip(values, cells, strict=True):
        exact = math.fsum(row.ravel()[chosen].tolist())
        assert abs(float(value) - exact) <= np.spacing(np.float32(abs(exact)))


@pytest.mark.parametrize("shape", [(300, 300), (90_000,), (45, 40, 50)], ids=str)
def test_sums_of_bytes_are_exact(shape):
    patches = Patches(shape, tuple(side // 3 for side in shape), shape, "inside")
    for row in (
        np.full(shape, 255, np.uint8),
        np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8),
    ):
        values, cells = patch_values(row, patches, 25)
        sums = [int(row.ravel()[chosen].sum(dtype=np.int64)) for chosen in cells]
        np.testing.assert_array_equal(values, np.array(sums, dtype=np.float32))


def test_sums_of_very_many_bytes_do_not_overflow():
    n = 8_500_000
    row = np.full(n, 255, np.uint8)
    values, _ = patch_values(row, Patches(n, n, n, "inside"), 1)
    assert values[0] == np.float32(255 * n)
    assert 255 * n > 2**31
