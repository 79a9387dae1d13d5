"""Scaling inside a forest: the same transformer, learnt in sample, whatever the order of rows."""

import pickle
import tracemalloc

import numpy as np
import pytest
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from silvan import (
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
)
from silvan.forests.scaling import fit_scaler, scale_samples
from silvan.preprocessing import RankScaler
from silvan.projections import AxisAligned, UniformCombinations

SCALERS = {"rank": RankScaler, "minmax": MinMaxScaler, "standard": StandardScaler}
FORESTS = [ForestClassifier, ForestRegressor, ManifoldForestClassifier, ManifoldForestRegressor]


@pytest.fixture(params=SCALERS)
def scaling(request):
    return request.param


@pytest.fixture
def skewed(labelled):
    X, y = labelled
    rng = np.random.default_rng(0)
    new = X + rng.normal(scale=0.5, size=X.shape)
    scales = 10.0 ** np.arange(-2, 4)
    return (X * scales).astype(np.float32), y, (new * scales).astype(np.float32)


@pytest.mark.parametrize("Forest", FORESTS)
def test_scaling_is_that_of_a_transformer_before_the_forest(Forest, scaling, skewed):
    X, y, new = (part.astype(np.float64) for part in skewed)
    inside = Forest(8, scaling=scaling, random_state=0).fit(X, y)
    scaler = SCALERS[scaling]().fit(X)
    outside = Forest(8, random_state=0).fit(scaler.transform(X).astype(np.float32), y)
    # scikit-learn's moments may differ in their last bits, and with them a split.
    tolerance = 0.0 if scaling != "standard" else 0.05
    after = scaler.transform(new).astype(np.float32)
    difference = np.abs(inside.predict(new) != outside.predict(after))
    assert difference.mean() <= tolerance


def test_ranks_make_a_forest_blind_to_increasing_transformations(skewed, assert_same_forest):
    X, y, _ = skewed
    parameters = {"projections": UniformCombinations(), "scaling": "rank", "random_state": 0}
    one = ForestClassifier(8, **parameters).fit(X, y)
    bent = X.astype(np.float64)
    bent[:, 0] = bent[:, 0] ** 3
    bent[:, 5] = np.exp(bent[:, 5] / 1000)
    two = ForestClassifier(8, **parameters).fit(bent, y)
    assert_same_forest(one.forest_, two.forest_)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(bent))


def test_axis_aligned_forests_of_ranks_divide_the_rows_as_those_of_values(labelled):
    # Tomita 2.2.5: a random forest works on ranks anyway. The canonical order of the rows, and with
    # it the draws, follows their content, so that only trees of all rows can be compared.
    X, y = labelled
    parameters = {"projections": AxisAligned(), "bootstrap": False, "random_state": 0}
    plain = ForestClassifier(8, **parameters).fit(X, y)
    ranked = ForestClassifier(8, scaling="rank", **parameters).fit(X, y)
    np.testing.assert_array_equal(plain.forest_.left, ranked.forest_.left)
    np.testing.assert_array_equal(plain.forest_.members, ranked.forest_.members)
    np.testing.assert_array_equal(plain.forest_.direction_indices, ranked.forest_.direction_indices)


def test_order_of_rows_and_threads_change_nothing(skewed, scaling, assert_same_forest):
    X, y, _ = skewed
    weight = np.random.default_rng(0).exponential(size=len(y))
    shuffled = np.random.default_rng(1).permutation(len(y))
    one = ForestClassifier(8, scaling=scaling, random_state=0).fit(X, y, weight)
    two = ForestClassifier(8, scaling=scaling, random_state=0, n_jobs=2)
    two.fit(X[shuffled], y[shuffled], weight[shuffled])
    assert_same_forest(one.forest_, two.forest_, ignore=("members",))


def test_integer_weights_equal_repeated_rows(skewed, scaling, assert_same_forest):
    X, y, new = skewed
    weight = np.random.default_rng(0).integers(0, 4, size=len(y))
    weighted = ForestClassifier(8, scaling=scaling, random_state=0).fit(X, y, weight)
    repeated = ForestClassifier(8, scaling=scaling, random_state=0)
    repeated.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_array_equal(weighted.predict_proba(new), repeated.predict_proba(new))


def test_class_weights_do_not_move_the_scales(skewed, scaling):
    X, y, _ = skewed
    plain = ForestClassifier(2, scaling=scaling, random_state=0).fit(X, y)
    weighted = ForestClassifier(2, scaling=scaling, class_weight={0: 2.5}, random_state=0)
    weighted.fit(X, y)
    for j in range(X.shape[1]):
        np.testing.assert_array_equal(
            plain._scaler._scale_column(j, X[:, j]), weighted._scaler._scale_column(j, X[:, j])
        )


def test_missing_values_stay_missing(skewed, scaling):
    X, y, new = (part.copy() for part in skewed)
    X[::7, 1] = np.nan
    X[:, 2] = np.nan
    new[::5] = np.nan
    forest = ForestClassifier(40, scaling=scaling, oob_score=True, random_state=0).fit(X, y)
    scaled = forest._encoded(new)
    assert np.isnan(scaled[::5]).all()
    assert np.isnan(scaled[:, 2]).all()
    np.testing.assert_allclose(forest.predict_proba(new).sum(axis=1), 1)
    assert forest.oob_score_ > 0.5


def test_constant_features_and_values_far_outside_are_scaled(scaling):
    X = np.array([[1.0, 0.0], [1.0, 1e-30], [1.0, 0.0], [1.0, 1e-30]])
    forest = ForestClassifier(4, scaling=scaling, random_state=0).fit(X, [0, 1, 0, 1])
    far = np.array([[1.0, 3e38], [1.0, -3e38]])
    assert np.isfinite(forest._encoded(far)).all()
    assert forest.predict(far).tolist() == [1, 0]


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_manifold_forests_scale_rows_in_the_shape_of_the_data(scaling, dtype):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    images = rng.integers(0, 100, (120, 6, 7))
    images[y == 1, 2:4, 2:4] += 120
    images = images.astype(dtype)
    forest = ManifoldForestClassifier(
        100, max_size=5, scaling=scaling, oob_score=True, random_state=0
    ).fit(images, y)
    assert forest.shape_ == (6, 7)
    assert forest.oob_score_ > 0.9
    np.testing.assert_array_equal(
        forest.predict_proba(images), forest.predict_proba(images.reshape(120, 42))
    )


def test_training_rows_end_in_the_leaves_that_they_were_grown_into(skewed, scaling):
    X, y, _ = skewed
    forest = ForestClassifier(8, scaling=scaling, bootstrap=False, random_state=0).fit(X, y)
    assert forest.score(X, y) == 1.0
    assert forest.forest_weights(X).diagonal().min() > 0


def test_warm_start_and_pickle_keep_the_scaling(skewed, scaling, assert_same_forest):
    X, y, new = skewed
    whole = ForestClassifier(6, scaling=scaling, random_state=0).fit(X, y)
    grown = ForestClassifier(3, scaling=scaling, warm_start=True, random_state=0).fit(X, y)
    grown.set_params(n_estimators=6).fit(X, y)
    assert_same_forest(whole.forest_, grown.forest_)
    again = pickle.loads(pickle.dumps(grown))
    np.testing.assert_array_equal(again.predict_proba(new), whole.predict_proba(new))
    other = "rank" if scaling != "rank" else "minmax"
    with pytest.raises(ValueError, match="scaling is not what it was"):
        grown.set_params(n_estimators=8, scaling=other).fit(X, y)


def test_training_features_are_one_float32_copy(skewed, scaling):
    X, y, _ = skewed
    forest = ForestClassifier(2, scaling=scaling, random_state=0)
    features = forest._read_samples(forest._check_fit(X, y, None), seed=0).features
    assert features.columns.dtype == np.float32
    assert features.columns.flags.f_contiguous
    assert features.source is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_scaling_allocates_the_scaled_matrix_and_a_few_columns(scaling, dtype):
    X = np.random.default_rng(0).integers(0, 256, (5000, 60)).astype(dtype)
    scaler = fit_scaler(scaling, X, None, None)
    tracemalloc.start()
    scaled = scale_samples(scaler, X, None, "F")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    column = 8 * len(X)
    assert peak < scaled.nbytes + 15 * column


def test_bytes_have_the_ranks_of_the_same_floats():
    X = np.random.default_rng(0).integers(10, 200, (1000, 3)).astype(np.uint8)
    new = np.arange(256, dtype=np.uint8).repeat(3).reshape(256, 3).repeat(2, axis=0)
    bytes_, floats = RankScaler().fit(X), RankScaler().fit(X.astype(np.float32))
    ranks = floats.transform(new.astype(np.float32))
    np.testing.assert_array_equal(bytes_.transform(new), ranks)


def test_unknown_scalings_are_refused(labelled):
    X, y = labelled
    with pytest.raises(ValueError, match="scaling must be one of 'rank', 'minmax', 'standard'"):
        ForestClassifier(scaling="percentile").fit(X, y)
