"""Manifold forests read images, series, channels and volumes, and are forests of patches."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from silvan import (
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
)
from silvan.datasets import make_bars, make_circle_segments, make_impulse
from silvan.forests.grid import flatten_samples
from silvan.projections import AxisAligned, Patches

PAIRS = [
    (ManifoldForestClassifier, ForestClassifier),
    (ManifoldForestRegressor, ForestRegressor),
]
BOTH = pytest.mark.parametrize("Forest", [forest for forest, _ in PAIRS])


@pytest.fixture(scope="module")
def images():
    """300 digits as uint8 images."""
    digits = load_digits()
    return digits.images[:300].astype(np.uint8), digits.target[:300]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize(("Manifold", "Plain"), PAIRS)
def test_manifold_forest_is_the_forest_of_its_patches(Manifold, Plain, images, assert_same_forest):
    X, y = images
    patches = Patches((8, 8), 2, 4, ("wrap", "inside"), coefficients="signs", n_patches=3, reach=2)
    own = Manifold(
        4,
        channels="raw",
        min_size=2,
        max_size=4,
        boundary=("wrap", "inside"),
        coefficients="signs",
        n_patches=3,
        reach=2,
        max_depth=6,
        random_state=0,
    ).fit(X, y)
    plain = Plain(4, projections=patches, max_features="sqrt", max_depth=6, random_state=0)
    plain.fit(X.reshape(-1, 64), y)
    assert_same_forest(own.forest_, plain.forest_)
    assert own.projections_ == patches


@pytest.mark.parametrize(("Manifold", "Plain"), PAIRS)
def test_parameters_are_those_of_the_forest_with_patches_for_projections(Manifold, Plain):
    own, plain = Manifold().get_params(), Plain().get_params()
    added = {
        "shape": None,
        "min_size": 1,
        "max_size": None,
        "boundary": "auto",
        "contiguous": True,
        "coefficients": "ones",
        "n_patches": 1,
        "reach": None,
        "channels": "auto",
        "statistics": "auto",
        "shift": "auto",
        "n_terms": "auto",
        "pool_size": "auto",
        "thresholds": "auto",
        "bootstrap": "auto",
    }
    assert plain.pop("projections") is None
    assert own.pop("max_features") == "auto"
    assert plain.pop("max_features") in ("auto", 1.0)
    assert own == plain | added


@BOTH
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
def test_images_and_flat_rows_grow_identical_forests(Forest, dtype, images, assert_same_forest):
    X, y = images[0].astype(dtype), images[1]
    flat = X.reshape(len(X), -1)
    cube = Forest(30, max_depth=4, oob_score=True, random_state=0).fit(X, y)
    rows = clone(cube).set_params(shape=(8, 8)).fit(flat, y)
    nested = clone(cube).fit(X.tolist(), y) if dtype == np.float64 else cube
    assert_same_forest(cube.forest_, rows.forest_)
    assert_same_forest(cube.forest_, nested.forest_)
    assert cube.shape_ == rows.shape_ == (8, 8)
    assert cube.n_features_in_ == rows.n_features_in_ == 64
    for method in ("predict", "apply", "predict_proba", "predict_quantiles"):
        if hasattr(cube, method):
            expected = getattr(cube, method)(X)
            np.testing.assert_array_equal(getattr(cube, method)(flat), expected)
            np.testing.assert_array_equal(getattr(rows, method)(X), expected)
    assert (cube.forest_weights(X) != rows.forest_weights(flat)).nnz == 0
    assert cube.score(X, y) == rows.score(flat, y)
    assert cube.oob_score_ == rows.oob_score_


@pytest.mark.parametrize("boundary", ["pad", "wrap", "corner", "inside"])
def test_flat_rows_without_a_shape_are_series(boundary):
    X, y = make_circle_segments(100, random_state=0)
    forest = ManifoldForestClassifier(20, boundary=boundary, random_state=0).fit(X, y)
    assert forest.shape_ == (100,)
    assert forest.projections_.boundary == (boundary,)
    same = clone(forest).set_params(shape=100).fit(X, y)
    np.testing.assert_array_equal(same.predict_proba(X), forest.predict_proba(X))


def test_cyclic_patches_read_the_circle_better_than_single_places():
    X, y = make_circle_segments(400, random_state=0)
    forest = ManifoldForestClassifier(
        60, boundary="wrap", max_size=15, max_features=40, random_state=0
    ).fit(X, y)
    X_test, y_test = make_circle_segments(500, random_state=1)
    pixels = ForestClassifier(60, projections=AxisAligned(), random_state=0).fit(X, y)
    assert forest.score(X_test, y_test) > 0.85 > pixels.score(X_test, y_test)
    # Turning all rows by the same angle changes nothing about a circle.
    assert forest.score(np.roll(X_test, 37, axis=1), y_test) > 0.85


def test_channels_are_subsets_and_time_is_runs(rng):
    y = rng.integers(2, size=120)
    X = rng.normal(size=(120, 4, 30))
    X[y == 1, 2, 10:20] += 1
    forest = ManifoldForestClassifier(
        20, channels="raw", contiguous=(False, True), max_size=(2, 10), random_state=0
    ).fit(X, y)
    assert forest.shape_ == (4, 30)
    directions = (forest.forest_.directions().toarray() != 0).reshape(-1, 4, 30)
    times, channels = directions.any(axis=1), directions.any(axis=2)
    assert np.abs(np.diff(times.astype(int), prepend=0, append=0, axis=1)).sum(axis=1).max() == 2
    assert channels.sum(axis=1).max() == 2
    apart = channels & ~np.roll(channels, 1, axis=1) & ~np.roll(channels, -1, axis=1)
    assert (apart.sum(axis=1) == 2).any()
    assert forest.score(X, y) > 0.95


def test_volumes_are_read(rng):
    y = rng.integers(2, size=150)
    X = rng.normal(size=(150, 5, 5, 6)).astype(np.float32)
    X[y == 1, 1:3, 1:4, 2:5] += 1
    forest = ManifoldForestClassifier(100, oob_score=True, random_state=0).fit(X, y)
    assert forest.shape_ == (5, 5, 6)
    assert forest.oob_score_ > 0.9


def test_regressor_learns_from_images(rng):
    y = rng.uniform(1, 5, size=200)
    X = rng.normal(size=(200, 6, 6))
    X[:, 1:4, 2:5] += y[:, None, None]
    forest = ManifoldForestRegressor(30, oob_score=True, random_state=0).fit(X, y)
    assert forest.oob_score_ > 0.8
    two = clone(forest).fit(X, np.column_stack([y, -y]))
    assert two.predict(X).shape == (200, 2)


def test_patches_beat_single_pixels_on_bars():
    X, y = make_bars(40, shape=(28, 28), random_state=0)
    X_test, y_test = make_bars(300, shape=(28, 28), random_state=1)
    forest = ManifoldForestClassifier(100, shape=(28, 28), max_size=(4, 1), random_state=0)
    pixels = ForestClassifier(100, projections=AxisAligned(), random_state=0).fit(X, y)
    assert forest.fit(X, y).score(X_test, y_test) > 0.95 > pixels.score(X_test, y_test)


class TestMemory:
    @pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
    def test_flattening_contiguous_images_makes_no_copy(self, dtype):
        X = np.zeros((20, 4, 5), dtype=dtype)
        for rows in (X, X[::2], X[5:]):
            flat, grid = flatten_samples(rows)
            assert np.shares_memory(flat, X)
            assert flat.dtype == dtype
            assert grid == (4, 5)

    @pytest.mark.parametrize("dtype", [np.uint8, np.float32])
    def test_fit_and_predict_copy_images_in_the_core_only(self, dtype, rng):
        X = rng.integers(0, 255, (4000, 20, 25)).astype(dtype)
        y = np.arange(4000) % 2
        forest = ManifoldForestClassifier(1, channels="raw", max_depth=1, random_state=0)
        forest.fit(X[:10], y[:10]).predict(X[:10])
        tracemalloc.start()
        forest.fit(X, y).predict(X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 0.1 * X.nbytes

    def test_images_in_any_layout_grow_the_same_forest(self, images, assert_same_forest):
        X, y = images
        forest = ManifoldForestClassifier(3, random_state=0).fit(X, y)
        for layout in (np.asfortranarray(X), X[:, ::-1][:, ::-1], np.flip(np.flip(X, 2).copy(), 2)):
            assert_same_forest(clone(forest).fit(layout, y).forest_, forest.forest_)

    def test_images_are_not_written_to(self, images):
        X, y = images[0].copy(), images[1]
        X.flags.writeable = False
        ManifoldForestClassifier(2, random_state=0).fit(X, y).predict(X)


class TestEcosystem:
    def test_kinds_and_tags(self):
        assert is_classifier(ManifoldForestClassifier())
        assert is_regressor(ManifoldForestRegressor())
        assert isinstance(ManifoldForestClassifier(), ForestClassifier)
        tags = ManifoldForestClassifier().__sklearn_tags__()
        assert tags.input_tags.three_d_array
        assert tags.input_tags.allow_nan

    def test_images_pass_through_cross_validation_and_pipelines(self, images):
        X, y = images
        forest = ManifoldForestClassifier(20, random_state=0)
        assert cross_val_score(forest, X, y, cv=3).mean() > 0.85
        pipeline = make_pipeline(FunctionTransformer(lambda images: images[:, ::-1]), forest)
        assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.85

    def test_patch_sizes_are_searched(self, images):
        X, y = images
        search = GridSearchCV(
            ManifoldForestClassifier(5, random_state=0), {"max_size": [1, (2, 3)]}, cv=2
        ).fit(X, y)
        best = search.best_params_["max_size"]
        assert search.best_estimator_.projections_.max_size == ((1, 1) if best == 1 else best)

    def test_frames_of_series_name_the_features(self):
        X, y = make_impulse(60, n_features=30, random_state=0)
        frame = pd.DataFrame(X, columns=[f"t{t}" for t in range(30)])
        forest = ManifoldForestClassifier(5, random_state=0).fit(frame, y)
        assert list(forest.feature_names_in_) == list(frame.columns)
        assert forest.predict(frame).shape == y.shape
        assert not hasattr(clone(forest).fit(X, y), "feature_names_in_")

    def test_pickles_predict_alike(self, images):
        X, y = images
        forest = ManifoldForestClassifier(3, random_state=0).fit(X, y)
        loaded = pickle.loads(pickle.dumps(forest))
        np.testing.assert_array_equal(loaded.predict_proba(X), forest.predict_proba(X))

    def test_warm_start_goes_on_with_the_same_grid(self, images, assert_same_forest):
        X, y = images
        forest = ManifoldForestClassifier(2, warm_start=True, random_state=0).fit(X, y)
        forest.set_params(n_estimators=4).fit(X, y)
        assert_same_forest(
            forest.forest_, ManifoldForestClassifier(4, random_state=0).fit(X, y).forest_
        )
        with pytest.raises(
            ValueError, match=r"shape_ was \(8, 8\) and is \(4, 16\); pass the same"
        ):
            forest.set_params(n_estimators=6).fit(X.reshape(-1, 4, 16), y)

    def test_missing_cells_are_handled(self, images, rng):
        X, y = images[0].astype(np.float32), images[1]
        X[rng.uniform(size=X.shape) < 0.02] = np.nan
        assert ManifoldForestClassifier(20, random_state=0).fit(X, y).score(X, y) > 0.95


class TestErrors:
    X = np.random.default_rng(0).normal(size=(20, 4, 6))
    Y = np.arange(20) % 2

    @BOTH
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            (
                {"shape": (4, 5)},
                r"shape \(4, 5\) is not the shape \(4, 6\) of the samples of X; leave",
            ),
            ({"shape": 24}, r"shape \(24,\) is not the shape \(4, 6\)"),
            ({"shape": (4, 0)}, r"shape must be an integer or a tuple of integers >= 1"),
            ({"shape": "8x8"}, r"shape must be an integer or a tuple of integers >= 1.*'8x8'"),
            ({"min_size": 0}, r"min_size must be an integer from 1 to 4, the length of axis 0"),
            ({"max_size": 5}, r"max_size must be an integer from 1 to 4, the length of axis 0"),
            ({"min_size": 3, "max_size": 2}, r"min_size must be at most max_size \(2 along"),
            ({"max_size": (1, 2, 3)}, r"max_size must be one value or one for each of the 2"),
            ({"boundary": "mirror"}, "boundary must be one of"),
            ({"contiguous": "yes"}, "contiguous"),
            ({"coefficients": "twos"}, "coefficients must be one of"),
            ({"n_patches": 0}, "n_patches must be an integer >= 1"),
            ({"n_patches": 10**9}, "n_patches must be at most 1000"),
            ({"coefficients": np.array([1, 2])}, "coefficients must be"),
            ({"reach": -1}, "reach must be an integer >= 0 or None"),
        ],
    )
    def test_bad_parameters_are_refused(self, Forest, parameters, message):
        with pytest.raises(ValueError, match=message):
            Forest(2, channels="raw", **parameters).fit(self.X, self.Y)

    def test_flat_rows_of_another_number_of_cells_are_refused(self):
        message = r"shape \(4, 5\) has 20 cells but X has 24 features; pass the shape that X was"
        with pytest.raises(ValueError, match=message):
            ManifoldForestClassifier(2, shape=(4, 5)).fit(self.X.reshape(20, 24), self.Y)

    @pytest.mark.parametrize("method", ["predict", "predict_proba", "apply", "forest_weights"])
    def test_rows_on_another_grid_are_refused_in_prediction(self, method):
        forest = ManifoldForestClassifier(2, random_state=0).fit(self.X, self.Y)
        call = getattr(forest, method)
        message = (
            r"samples of the shape \(4, 6\) that the forest was fitted on.* have shape \(6, 4\)"
        )
        with pytest.raises(ValueError, match=message):
            call(self.X.reshape(20, 6, 4))
        with pytest.raises(
            ValueError, match=r"have shape \(1, 4, 6\); pass samples of the same grid"
        ):
            call(self.X[:, None])
        with pytest.raises(ValueError, match=r"X has 23 features, but .* is expecting 24"):
            call(self.X.reshape(20, 24)[:, 1:])
        with pytest.raises(
            ValueError, match=r"X has the shape \(4, 6\) of a single sample; add an"
        ):
            call(self.X[0])
        assert call(self.X[:1]).shape[0] == 1

    def test_empty_arrays_are_refused(self):
        with pytest.raises(ValueError, match=r"0 sample\(s\)"):
            ManifoldForestClassifier(2).fit(np.empty((0, 4, 6)), [])
        with pytest.raises(ValueError, match=r"0 feature\(s\)"):
            ManifoldForestClassifier(2).fit(np.empty((20, 0, 6)), self.Y)

    def test_failed_fit_leaves_the_estimator_as_it_was(self):
        forest = ManifoldForestClassifier(2, channels="raw", random_state=0).fit(self.X, self.Y)
        before = dict(vars(forest))
        with pytest.raises(ValueError, match="max_size"):
            forest.set_params(max_size=7).fit(self.X.reshape(20, 6, 4), self.Y)
        assert vars(forest) == before | {"max_size": 7}
