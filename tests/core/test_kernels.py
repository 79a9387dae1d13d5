"""The kernels agree whatever the instruction set, the layout and the number of threads."""

import numpy as np
import pytest
from core.invariants import assert_same_forest
from growing import grow as grow_natively
from growing import make_options

from silvan import _core

SETS = _core.instruction_sets()


def grow(X, y, *, source=None, n_threads=1, n_outputs=3, **changes):
    options = make_options(n_outputs=n_outputs, **changes)
    distribution = _core.sparse_signs(X.shape[1], 2.0, True)
    return grow_natively(X, y, distribution, options, source=source, trees=6, n_threads=n_threads)


def problem(n=1500, p=9, dtype=np.float32):
    rng = np.random.default_rng(0)
    X = 100 + 30 * rng.normal(size=(n, p))
    y = (X[:, 0] + X[:, 1] > 205).astype(np.int32) + (X[:, 2] > 110)
    flip = rng.random(n) < 0.1
    y[flip] = rng.integers(0, 3, flip.sum())
    return np.clip(X, 0, 255).astype(dtype), y.astype(np.int32)


def test_the_baseline_instruction_set_is_always_there():
    assert SETS[0] == "baseline"


@pytest.mark.parametrize("instruction_set", SETS)
@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
@pytest.mark.parametrize("leaf", [1, 4])
def test_every_instruction_set_grows_the_same_forest(instruction_set, dtype, leaf):
    X, y = problem(dtype=dtype)
    expected = grow(X, y, instruction_set="baseline", min_samples_leaf=leaf)
    assert_same_forest(grow(X, y, instruction_set=instruction_set, min_samples_leaf=leaf), expected)


@pytest.mark.parametrize("instruction_set", SETS)
def test_every_instruction_set_grows_the_same_regression_forest(instruction_set):
    X, y = problem()
    target = (y[:, None] + np.round(X[:, :1])) / 8.0
    changes = {"criterion": "squared_error", "n_outputs": 1}
    expected = grow(X, target, instruction_set="baseline", **changes)
    assert_same_forest(grow(X, target, instruction_set=instruction_set, **changes), expected)


def test_an_unknown_instruction_set_is_refused():
    X, y = problem(50)
    with pytest.raises(ValueError, match="no kernels named mmx"):
        grow(X, y, instruction_set="mmx")


@pytest.mark.parametrize("n_threads", [2, 3, 16])
def test_forest_is_identical_for_any_number_of_threads(n_threads):
    X, y = problem()
    assert_same_forest(grow(X, y, n_threads=n_threads), grow(X, y))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_forest_is_identical_with_a_row_major_second_layout(dtype):
    # Larger than the cache that decides which layout is read.
    X, y = problem(40_000, 40, np.uint8 if dtype == np.uint8 else np.float32)
    X = X.astype(dtype)
    assert_same_forest(grow(X, y, source=X, max_depth=6), grow(X, y, max_depth=6))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8, np.int32, np.int64])
@pytest.mark.parametrize("layout", ["C", "F", "strided", "reversed", "readonly"])
def test_columns_hold_the_values_of_the_matrix(dtype, layout):
    X = np.random.default_rng(0).integers(0, 200, (133, 37)).astype(dtype)
    expected = X.astype(np.uint8 if dtype == np.uint8 else np.float32)
    if layout == "F":
        X = np.asfortranarray(X)
    elif layout == "strided":
        X = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3]
    elif layout == "reversed":
        X = X[::-1, ::-1].copy()[::-1, ::-1]
    elif layout == "readonly":
        X.flags.writeable = False
    columns = _core.to_columns(X)
    assert columns.flags.f_contiguous
    assert columns.dtype == expected.dtype
    np.testing.assert_array_equal(columns, expected)


def test_projections_that_overflow_do_not_break_growing():
    X = np.array([[3e38, 3e38], [-3e38, 3e38], [3e38, -3e38], [-3e38, -3e38], [0, 1], [1, 0]])
    y = np.array([0, 1, 0, 1, 2, 2], dtype=np.int32)
    forest = grow(X.astype(np.float32), y)
    assert len(forest["tree_offsets"]) == 7


def test_outliers_that_fill_a_single_bin_are_split_exactly():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 1)).astype(np.float32)
    y = (X[:, 0] > 0.3).astype(np.int32)
    X[0] = 1e30
    y[0] = 1
    forest = grow(X, y, n_outputs=2)
    leaves = np.diff(forest["leaf_offsets"])
    np.testing.assert_array_equal(leaves, 2)
