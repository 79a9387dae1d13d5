"""ONNX models end in the same leaves as the forest, and say the same."""

import json
import sys
from dataclasses import replace

import numpy as np
import onnxruntime
import pytest
from mixed_frames import make_frame, new_rows
from projections.registry import CASES, named
from sklearn.datasets import load_diabetes, load_digits
from sklearn.exceptions import NotFittedError

from silvan import (
    DensityForest,
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
    load,
)
from silvan.export import to_onnx, to_onnx_input
from silvan.projections import Mixture, Patches, UniformCombinations


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:300].reshape(-1, 8, 8).astype(np.float32), y[:300]


def run(forest, X, **options):
    model = to_onnx(forest, **options)
    quiet = onnxruntime.SessionOptions()
    quiet.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), quiet)
    return session.run(None, {"X": X})


def assert_same(forest, X, **options):
    outputs = run(forest, X, **options)
    if hasattr(forest, "classes_"):
        label, probabilities = outputs
        np.testing.assert_array_equal(label, forest.predict(X))
        np.testing.assert_allclose(probabilities, forest.predict_proba(X), rtol=0, atol=1e-14)
    else:
        predicted = forest.predict(X)
        assert outputs[0].shape == predicted.shape
        np.testing.assert_allclose(outputs[0], predicted, rtol=1e-14)


@pytest.mark.parametrize("case", CASES, ids=named)
def test_every_distribution(case, digits):
    X, y = digits
    X = X.reshape(-1, 64)[:, 20:36]
    distribution = case.build(16)
    assert_same(ForestClassifier(3, projections=distribution, random_state=0).fit(X, y), X)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_size": 6},
        {"max_size": 6, "boundary": "wrap"},
        {"max_size": 6, "contiguous": (False, True), "voting": "hard"},
    ],
    ids=str,
)
def test_patches_over_features_and_running_sums(options, missing, digits):
    X, y = digits
    if missing:
        X = np.where(np.random.default_rng(0).random(X.shape) < 0.03, np.nan, X)
    forest = ManifoldForestClassifier(4, channels="raw", random_state=0, **options).fit(X, y)
    assert_same(forest, X.astype(np.float32))


def test_small_and_large_patches_in_one_forest(digits):
    X, y = digits
    distribution = Mixture([(Patches((8, 8), max_size=7), 1.0), (UniformCombinations(), 1.0)])
    X = X.reshape(-1, 64)
    forest = ForestClassifier(4, projections=distribution, random_state=0).fit(X, y)
    over_sums = forest.forest_.direction_indices >= 64
    assert 0 < over_sums.sum() < len(over_sums)
    assert_same(forest, X)


def test_missing_cells_of_patches_with_both_signs_do_not_cancel():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 20)).astype(np.float32)
    X[:30, [4, 12]] = np.nan
    forest = ManifoldForestClassifier(
        1, channels="raw", min_size=14, max_size=14, max_depth=1, bootstrap=False, random_state=0
    ).fit(X, np.arange(60) % 2)
    # The sum of cells 2 to 7 less that of cells 10 to 15.
    forest.forest_ = replace(
        forest.forest_,
        direction_indptr=np.array([0, 4, 4, 4]),
        direction_indices=np.array([22, 28, 30, 36], dtype=np.int32),
        direction_coefficients=np.array([-1, 1, 1, -1], dtype=np.float32),
        threshold=np.array([-100, 0, 0], dtype=np.float32),
        missing_left=np.array([1, 0, 0], dtype=np.uint8),
    ).check()
    assert np.unique(forest.apply(X)[:30]) == 1
    assert np.unique(forest.apply(X)[30:]) == 2
    assert_same(forest, X)


@pytest.mark.parametrize("dtype", ["uint8", "float64"])
def test_other_types_of_input(dtype, digits):
    X, y = digits
    X = X.astype(dtype) * (1 if dtype == "uint8" else np.pi)
    assert_same(
        ManifoldForestClassifier(4, channels="raw", random_state=0).fit(X, y), X, dtype=dtype
    )


@pytest.mark.parametrize(
    "labels",
    [
        np.array(list("abcdefghij")),
        np.array(list("abcdefghij"), dtype=object),
        np.arange(10.0),
        np.arange(10) > 4,
        np.arange(10, dtype=np.int8),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_classes_of_any_type(labels, digits):
    X, y = digits
    assert_same(ManifoldForestClassifier(3, channels="raw", random_state=0).fit(X, labels[y]), X)


def test_regression():
    X, y = load_diabetes(return_X_y=True)
    X = X.astype(np.float32)
    assert_same(ForestRegressor(5, random_state=0).fit(X, y), X)
    X[::5, 2] = np.nan
    assert_same(ForestRegressor(5, random_state=0).fit(X, np.column_stack([y, -y, y**2])), X)
    assert_same(
        ManifoldForestRegressor(5, channels="raw", max_size=10, random_state=0).fit(X, y), X
    )


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
@pytest.mark.parametrize("scaling", ["minmax", "standard", "rank"])
def test_scaled_forests(scaling, dtype, digits):
    X, y = digits
    X = X.astype(dtype)
    forest = ManifoldForestClassifier(
        4, channels="raw", scaling=scaling, honest=True, random_state=0
    ).fit(X, y)
    assert_same(forest, X, dtype=dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ranks_of_values_between_outside_and_missing(dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6)).astype(dtype)
    X[:, 1] = X[:, 1].round(1)  # ties
    X[:, 2] = 3.0  # a single value
    X[:, 3] = np.nan
    X[:, 4] *= 1e37  # with differences up to the largest float32
    X[::7, 5] = np.nan
    y = X[:, 0] + X[:, 1] > 0
    weight = rng.random(200)
    forest = ForestClassifier(
        5, scaling="rank", projections=UniformCombinations(), random_state=0
    ).fit(X, y, sample_weight=weight)
    new = np.concatenate([X, X + rng.normal(size=X.shape).astype(dtype), X[:50, ::-1]])
    new[200:210, 2] = [2, 3, 4, np.nan, np.nextafter(3, 4), 3, 3, 0, -1, 1e30]
    assert_same(forest, new, dtype=dtype)
    # Leaves of single rows: every rank decides somewhere.
    ranks = ForestRegressor(3, scaling="rank", honest=True, random_state=0).fit(X, X[:, 0])
    assert_same(ranks, new, dtype=dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8"])
@pytest.mark.parametrize("honest", [False, True])
@pytest.mark.parametrize("scaling", [None, "rank"])
def test_several_outputs_of_every_type(scaling, honest, dtype, digits):
    X, y = digits
    X = (X * 10).astype(dtype)
    if dtype != "uint8":
        X[np.random.default_rng(0).random(X.shape) < 0.02] = np.nan
    forest = ManifoldForestRegressor(
        4, channels="raw", max_size=6, honest=honest, scaling=scaling, random_state=0
    ).fit(X, np.column_stack([y, y % 2]))
    assert_same(forest, X, dtype=dtype)


def test_missing_values_that_were_not_there_in_training(digits):
    X, y = digits
    forest = ManifoldForestClassifier(4, channels="raw", random_state=0).fit(X, y)
    holes = np.where(np.random.default_rng(1).random(X.shape) < 0.1, np.nan, X)
    assert_same(forest, holes.astype(np.float32))


def assert_same_with_categories(forest, X, dtype="float32"):
    """The same leaves, missing and unseen categories included."""
    outputs = run(forest, to_onnx_input(forest, X).astype(dtype), dtype=dtype)
    if hasattr(forest, "classes_"):
        np.testing.assert_array_equal(outputs[0], forest.predict(X))
        np.testing.assert_allclose(outputs[1], forest.predict_proba(X), rtol=0, atol=1e-14)
    else:
        np.testing.assert_allclose(outputs[0], forest.predict(X), rtol=1e-14)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("scaling", [None, "rank", "minmax", "standard"])
def test_categories_are_numbers_of_the_input(scaling, dtype):
    X, classes, target = make_frame()
    options = {"max_features": 6, "scaling": scaling, "random_state": 0}
    assert_same_with_categories(ForestClassifier(20, **options).fit(X, classes), new_rows(), dtype)
    assert_same_with_categories(ForestRegressor(20, **options).fit(X, target), new_rows(), dtype)


@pytest.mark.parametrize("case", CASES, ids=named)
def test_every_distribution_with_categories(case):
    X, classes, _ = make_frame(120)
    wide = X.assign(**{f"x{k}": np.float32(np.arange(120) * k % 7) for k in range(12)})
    distribution = case.build(16)
    forest = ForestClassifier(3, projections=distribution, random_state=0).fit(wide, classes)
    assert_same_with_categories(forest, wide)


def test_categories_alone_and_numbers_that_are_none():
    X, classes, _ = make_frame()
    X = X[["colour", "shop"]]
    forest = ForestClassifier(10, random_state=0).fit(X, classes)
    assert_same_with_categories(forest, new_rows()[["colour", "shop"]])
    rows = np.array([[5, 0], [1e30, 0], [-np.inf, 0], [-1, 0], [0.5, 0], [0, 0]], np.float32)
    _, probabilities = run(forest, rows)
    np.testing.assert_array_equal(probabilities[:3], probabilities[[3, 3, 3]])
    np.testing.assert_array_equal(probabilities[4], probabilities[5])


def test_many_categories_and_several_outputs():
    rng = np.random.default_rng(0)
    X = np.column_stack(
        [rng.integers(0, 700, 1500), rng.integers(0, 30, 1500), rng.normal(size=1500)]
    )
    y = np.column_stack([X[:, 0] % 5 + X[:, 2], X[:, 1] % 3])
    options = {"categorical_features": [0, 1], "max_features": 4, "random_state": 0}
    new = X[:300] + np.where(np.arange(300) % 3 == 0, 500, 0)[:, None]
    new[::7, 0], new[::11, 1] = np.nan, np.nan
    for honest in (False, True):
        forest = ForestRegressor(10, honest=honest, **options).fit(X, y)
        assert_same_with_categories(forest, new)
    forest = ForestClassifier(10, voting="hard", **options).fit(X, y[:, 1])
    assert_same_with_categories(forest, new)


def test_the_model_names_the_categories():
    X, classes, _ = make_frame()
    model = to_onnx(ForestClassifier(2, random_state=0).fit(X, classes))
    (fact,) = model.metadata_props
    assert fact.key == "categories"
    names = json.loads(fact.value)
    assert names[0] == ["blue", "green", "pink", "red", "white"]
    assert names[1] is None
    assert names[3] is None


def test_categories_do_not_fit_into_bytes():
    X, classes, _ = make_frame()
    with pytest.raises(ValueError, match=r"dtype must be .* with categorical features"):
        to_onnx(ForestClassifier(2, random_state=0).fit(X, classes), dtype="uint8")


def test_a_forest_without_splits(digits):
    X, _ = digits
    assert_same(
        ForestClassifier(2, random_state=0).fit(X.reshape(-1, 64), np.ones(300)), X.reshape(-1, 64)
    )


def test_rows_of_another_shape_are_refused(digits):
    X, y = digits
    forest = ManifoldForestClassifier(2, channels="raw", random_state=0).fit(X, y)
    with pytest.raises(Exception, match="Invalid rank for input"):
        run(forest, X.reshape(-1, 64))


@pytest.mark.parametrize("Forest", [ManifoldForestClassifier, ManifoldForestRegressor])
def test_the_input_has_the_shape_that_fit_was_given(Forest, digits, tmp_path):
    X, y = digits
    flat = X.reshape(-1, 64)
    forest = Forest(3, channels="raw", shape=(8, 8), random_state=0).fit(flat, y)
    assert_same(forest, flat)
    assert to_onnx_input(forest, X).shape == flat.shape
    forest.save(tmp_path / "flat")
    assert_same(load(tmp_path / "flat"), flat)
    forest.fit(X, y)
    assert_same(forest, X)
    assert to_onnx_input(forest, flat).shape == X.shape


@pytest.mark.parametrize("scaling", ["rank", "minmax", "standard"])
def test_scaled_forests_take_what_float32_cannot_tell_apart(scaling):
    rng = np.random.default_rng(0)
    X = 1e6 + rng.random((400, 3))
    forest = ForestRegressor(5, scaling=scaling, random_state=0).fit(X, X[:, 0])
    rows = to_onnx_input(forest, X)
    np.testing.assert_array_equal(rows, X)
    np.testing.assert_allclose(run(forest, rows)[0], forest.predict(X), rtol=1e-14)
    # Other input is what it says: the forest's prediction for rounded rows.
    rounded = X.astype(np.float32)
    (predicted,) = run(forest, rounded, dtype="float32")
    np.testing.assert_allclose(predicted, forest.predict(rounded), rtol=1e-14)
    assert not np.allclose(predicted, forest.predict(X), rtol=1e-9)


def test_what_cannot_be_exported_is_refused(digits, monkeypatch):
    X, y = digits
    X = X.reshape(-1, 64)
    with pytest.raises(NotFittedError):
        to_onnx(ForestClassifier())
    with pytest.raises(ValueError, match="forest must be a classifier or a regressor"):
        to_onnx(DensityForest(2, random_state=0).fit(X[:, 20:22]))
    forest = ForestClassifier(2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="dtype must be one of 'float32', 'float64', 'uint8'"):
        to_onnx(forest, dtype="int8")
    monkeypatch.setattr("silvan.export.onnx.graph._MAX_MODEL_BYTES", 1000)
    with pytest.raises(ValueError, match=r"model would take .* bytes, .* fewer trees"):
        to_onnx(forest)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"install silvan\[onnx\]"):
        to_onnx(forest)
