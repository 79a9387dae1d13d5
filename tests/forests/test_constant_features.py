"""A feature that is constant in all training samples has no share in what a forest has learnt."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import silvan
from silvan import (
    BoostedForestClassifier,
    BoostedForestRegressor,
    ForestClassifier,
    ForestRegressor,
)
from silvan.explanations import feature_contributions
from silvan.inspection import importance_map
from silvan.projections import SparseSigns

CONSTANT = 3
_ESTIMATORS = [ForestClassifier, ForestRegressor, BoostedForestClassifier, BoostedForestRegressor]


def _data() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).normal(size=(300, 5))
    X[:, CONSTANT] = 7.0
    return X, (X[:, 0] + X[:, 1] > 0).astype(np.int64)


@pytest.mark.parametrize("estimator", _ESTIMATORS)
def test_a_constant_has_no_importance_and_no_part_in_predictions(estimator: type) -> None:
    X, y = _data()
    forest = estimator(20, random_state=0).fit(X, y)
    drawn = [
        forest.forest_.directions(tree)[:, [CONSTANT]].nnz for tree in range(forest.forest_.n_trees)
    ]
    assert sum(drawn) > 0
    importances = forest.feature_importances_
    assert importances[CONSTANT] == 0 and importances.sum() == pytest.approx(1)
    assert (importances[[0, 1]] > 0.25).all()
    for kind in ("gain", "counts"):
        assert importance_map(forest, kind)[CONSTANT] == 0
    bias, values = feature_contributions(forest, X[:9])
    assert not values[:, CONSTANT].any()
    if estimator is ForestClassifier:
        np.testing.assert_allclose(bias + values.sum(axis=1), forest.predict_proba(X[:9]))
        tree = forest.estimators_[0]
        assert tree.feature_importances_[CONSTANT] == 0


def test_the_trees_do_not_depend_on_it() -> None:
    X, y = _data()
    forest = ForestClassifier(5, random_state=0).fit(X, y)
    assert forest.projections_.spreads[CONSTANT] == 8


def test_a_value_that_is_missing_now_and_then_may_help() -> None:
    X, y = _data()
    X[y == 1, CONSTANT] = np.nan
    forest = ForestClassifier(20, random_state=0).fit(X, y)
    assert forest.feature_importances_[CONSTANT] > 0


def test_sparse_columns_of_one_value_have_none_either() -> None:
    X, y = _data()
    X[:, 4] = 0
    forest = ForestClassifier(20, random_state=0).fit(csr_array(X), y)
    dense = ForestClassifier(20, random_state=0).fit(X, y)
    assert not forest.feature_importances_[[CONSTANT, 4]].any()
    np.testing.assert_array_equal(forest.feature_importances_, dense.feature_importances_)


def test_sparse_columns_with_missing_values_are_not_constant() -> None:
    X, y = _data()
    X[y == 1, CONSTANT] = np.nan
    forest = ForestClassifier(20, random_state=0).fit(csr_array(X), y)
    assert forest.feature_importances_[CONSTANT] > 0


def test_a_saved_forest_and_one_that_grows_on_know_it(tmp_path) -> None:
    X, y = _data()
    forest = ForestClassifier(10, random_state=0, warm_start=True).fit(X, y)
    forest.save(tmp_path / "forest")
    read = silvan.load(tmp_path / "forest")
    np.testing.assert_array_equal(read.feature_importances_, forest.feature_importances_)
    grown = read.set_params(n_estimators=20).fit(X, y)
    whole = ForestClassifier(20, random_state=0).fit(X, y)
    np.testing.assert_array_equal(grown.feature_importances_, whole.feature_importances_)


def test_without_units_taken_out_coefficients_alone_count() -> None:
    X, y = _data()
    forest = ForestClassifier(20, projections=SparseSigns(), random_state=0).fit(X, y)
    assert forest.feature_importances_[CONSTANT] > 0
