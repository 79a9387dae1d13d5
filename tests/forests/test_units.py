"""Forests of directions without units do not depend on the units of the columns."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine

import silvan
from silvan import ForestClassifier, ForestRegressor
from silvan.explanations import feature_contributions
from silvan.inspection import importance_map, out_of_bag_curve
from silvan.projections import (
    AxisAligned,
    CanonicalDirections,
    Mixture,
    SparseSigns,
    UnitFree,
)
from silvan.tuning import OutOfBagSearch

UNIT_FREE = UnitFree(
    Mixture([(AxisAligned(), 1), (SparseSigns(mean_nonzeros=3), 1), (CanonicalDirections(), 1)])
)
FORESTS = {
    "classifier": ForestClassifier(10, projections=UNIT_FREE, random_state=0),
    "random thresholds": ForestClassifier(
        10, projections=UNIT_FREE, thresholds="random", random_state=0
    ),
    "subsample": ForestClassifier(
        10, projections=UNIT_FREE, bootstrap=False, max_samples=0.6, random_state=0
    ),
    "honest": ForestClassifier(10, projections=UNIT_FREE, honest=True, random_state=0),
    "regressor": ForestRegressor(10, projections=UNIT_FREE, random_state=0),
}


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    X = X.astype(np.float32)
    X[::7, 3] = np.nan
    X[:, 5] = 4.0
    return X, y


def powers_of_two(n_features):
    return np.random.default_rng(0).integers(-9, 10, n_features)


def outputs(forest, X):
    return (forest.predict_proba if hasattr(forest, "predict_proba") else forest.predict)(X)


@pytest.mark.parametrize("name", FORESTS)
def test_columns_times_powers_of_two_give_the_same_forest(name, wine):
    X, y = wine
    scaled = np.ldexp(X, powers_of_two(X.shape[1]))
    first = clone(FORESTS[name]).fit(X, y)
    second = clone(FORESTS[name]).fit(scaled, y)
    for field in ("left", "direction_indices", "weight", "impurity", "values", "members"):
        assert np.array_equal(getattr(first.forest_, field), getattr(second.forest_, field))
    assert np.array_equal(outputs(first, X), outputs(second, scaled))
    assert np.array_equal(first.feature_importances_, second.feature_importances_)
    assert np.array_equal(importance_map(first, "gain"), importance_map(second, "gain"))
    parts = [feature_contributions(first, X).values, feature_contributions(second, scaled).values]
    assert np.array_equal(*parts)


def test_coefficients_are_in_the_units_of_the_columns(wine):
    X, y = wine
    powers = powers_of_two(X.shape[1])
    first = clone(FORESTS["classifier"]).fit(X, y).forest_.directions(0)
    second = clone(FORESTS["classifier"]).fit(np.ldexp(X, powers), y).forest_.directions(0)
    several = np.repeat(np.diff(first.indptr) > 1, np.diff(first.indptr))
    shift = np.where(several, powers[first.indices], 0)
    assert np.array_equal(first.data, np.ldexp(second.data, shift))


def test_bytes_and_floats_give_the_same_forest(wine):
    X = np.random.default_rng(0).integers(0, 100, (200, 5)).astype(np.uint8)
    y = X[:, 0] > X[:, 1]
    forest = ForestClassifier(10, projections=UNIT_FREE, random_state=0)
    bytes_, doubled = clone(forest).fit(X, y), clone(forest).fit(2 * X, y)
    floats = clone(forest).fit(X.astype(np.float32), y)
    expected = bytes_.predict_proba(X)
    assert np.array_equal(expected, doubled.predict_proba(2 * X))
    assert np.array_equal(expected, floats.predict_proba(X.astype(np.float32)))


def test_categories_keep_their_codes():
    rng = np.random.default_rng(0)
    colour = rng.integers(0, 5, 300)
    length = rng.normal(size=300) + (colour == 2)
    frame = pd.DataFrame({"colour": pd.Categorical(colour.astype(str)), "length": length})
    y = length + (colour == 3) > 0.5
    forest = ForestClassifier(
        10, projections=UnitFree(SparseSigns(density=1)), max_features=4, random_state=0
    )
    first = clone(forest).fit(frame, y)
    second = clone(forest).fit(frame.assign(length=frame.length * 1024), y)
    assert first.projections_.spreads[0] == 1.0
    assert np.array_equal(first.forest_.left, second.forest_.left)
    assert np.array_equal(first.forest_.values, second.forest_.values)


def test_weights_do_not_change_spreads(wine):
    X, y = wine
    weight = np.random.default_rng(1).integers(0, 3, len(y))
    forest = ForestClassifier(5, projections=UnitFree(SparseSigns()), random_state=0)
    weighted = clone(forest).fit(X, y, weight)
    repeated = clone(forest).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert np.array_equal(weighted.forest_.threshold, repeated.forest_.threshold)


def test_files_keep_spreads_and_readers_know_the_training_samples(wine, tmp_path):
    X, y = wine
    forest = ForestClassifier(20, projections=UNIT_FREE, oob_score=True, random_state=0).fit(X, y)
    forest.save(tmp_path / "forest.silvan")
    loaded = silvan.load(tmp_path / "forest.silvan")
    assert loaded.projections_ == forest.projections_
    assert np.array_equal(loaded.feature_importances_, forest.feature_importances_)
    curve = out_of_bag_curve(loaded, X, y)
    assert np.isfinite(curve[-1])


def test_a_warm_start_goes_on_with_the_same_spreads(wine):
    X, y = wine
    whole = ForestClassifier(8, projections=UNIT_FREE, random_state=0).fit(X, y)
    parts = ForestClassifier(4, projections=UNIT_FREE, warm_start=True, random_state=0).fit(X, y)
    parts.set_params(n_estimators=8).fit(X, y)
    assert np.array_equal(whole.forest_.threshold, parts.forest_.threshold)


def test_a_search_grows_what_a_fit_would_have_grown(wine):
    X, y = wine
    base = ForestClassifier(30, projections=AxisAligned(), random_state=0)
    for projections in (AxisAligned(), UNIT_FREE):
        search = OutOfBagSearch(base, {"projections": [projections]}, min_trees=10).fit(X, y)
        alone = clone(base).set_params(projections=projections).fit(X, y)
        found = search.best_estimator_
        assert np.array_equal(found.forest_.threshold, alone.forest_.threshold)
    both = OutOfBagSearch(base, {"projections": [AxisAligned(), UNIT_FREE]}, min_trees=10)
    assert len(both.fit(X, y).results_["params"]) == 2
