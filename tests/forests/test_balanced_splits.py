"""Balanced splits: the least share of a node's samples on either side."""

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import csr_array
from sklearn.datasets import load_iris
from test_reference import check_classification, check_regression

from silvan import DensityForest, ForestClassifier, ForestRegressor, ManifoldForestClassifier, load
from silvan.projections import AxisAligned, SparseSigns

FEATURES = ["normal", "ties", "uint8", "skewed", "missing"]


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("balance", [0.1, 0.5])
@pytest.mark.parametrize("random", [False, True])
def test_trees_equal_the_reference(features, balance, random):
    options = {"min_balance": balance, "random_thresholds": random}
    check_classification(0, 700, 4, 3, features, "signs", options | {"max_depth": 2})
    check_classification(1, 90, 4, 2, features, "axis", options | {"min_samples_leaf": 3})
    check_classification(2, 90, 3, 12, features, "axis", options | {"criterion": "entropy"})
    check_classification(3, 100, 3, 3, features, "signs", options, weighted=True, honest=0.5)
    check_regression(4, 600, 1, features, "signs", options | {"max_depth": 2})
    check_regression(5, 60, 2, features, "axis", options)


def shares_of_smaller_sides(arrays):
    split = np.flatnonzero(arrays.left >= 0)
    trees = np.searchsorted(arrays.tree_offsets, split, side="right") - 1
    left = arrays.tree_offsets[trees] + arrays.left[split]
    n = arrays.n_samples[split]
    assert (arrays.n_samples[left] + arrays.n_samples[left + 1] == n).all()
    smaller = np.minimum(arrays.n_samples[left], arrays.n_samples[left + 1])
    return smaller, n


def make_skewed(n=600, p=5):
    rng = np.random.default_rng(0)
    X = np.exp(2 * rng.normal(size=(n, p))).round(1)
    return X, (X[:, 0] > 20) | (X[:, 1] < 0.1)


@pytest.mark.parametrize("balance", [0.1, 0.25, 0.5])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"thresholds": "random"},
        {"honest": True},
        {"honest": True, "thresholds": "random"},
        {"max_leaf_nodes": 20},
        {"criterion": "entropy"},
        {"projections": AxisAligned()},
        {"projections": AxisAligned(), "monotonic_cst": [1, -1, 0, 0, 0]},
        {"projections": AxisAligned(), "monotonic_cst": [1] * 5, "thresholds": "random"},
    ],
)
def test_no_side_is_smaller_than_its_share(balance, changes):
    X, y = make_skewed()
    forest = ForestClassifier(10, min_balance=balance, random_state=0, **changes).fit(X, y)
    smaller, n = shares_of_smaller_sides(forest.forest_)
    assert (smaller >= np.minimum(np.ceil(balance * n - 1e-9), n // 2)).all()
    assert len(n) > 5 or balance == 0.5  # ties leave few halves


def test_forests_without_it_split_off_single_samples():
    X, y = make_skewed()
    smaller, n = shares_of_smaller_sides(ForestClassifier(10, random_state=0).fit(X, y).forest_)
    assert (smaller / n).min() < 0.01


def test_drawn_thresholds_are_uniform_among_those_that_are_balanced():
    X = np.concatenate([np.linspace(0, 1, 101), [1000.0]])[:, None]
    y = np.arange(102) % 2
    stumps = ForestClassifier(
        3000,
        thresholds="random",
        min_balance=0.25,
        max_depth=1,
        projections=AxisAligned(),
        bootstrap=False,
        random_state=0,
    ).fit(X, y)
    drawn = stumps.forest_.threshold[stumps.forest_.tree_offsets[:-1]]
    # 26 of the 102 samples on either side.
    assert stats.kstest(drawn, stats.uniform(0.25, 0.51).cdf).pvalue > 1e-4


def test_ties_that_leave_no_balanced_split_make_a_leaf():
    X = np.array([[0.0]] * 9 + [[1.0]])
    y = np.arange(10) % 2
    for thresholds in ("best", "random"):
        parameters = {"bootstrap": False, "projections": AxisAligned(), "thresholds": thresholds}
        forest = ForestClassifier(1, min_balance=0.2, **parameters).fit(X, y)
        assert len(forest.forest_.left) == 1
        forest = ForestClassifier(1, min_balance=0.1, **parameters).fit(X, y)
        assert len(forest.forest_.left) == 3


def test_half_on_either_side_makes_trees_as_deep_as_the_logarithm_says():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(1000, 3)), rng.normal(size=1000)
    forest = ForestRegressor(5, min_balance=0.5, bootstrap=False, random_state=0).fit(X, y)
    assert {tree.get_depth() for tree in forest.estimators_} == {10}


def test_sparse_samples_grids_and_densities_have_it():
    rng = np.random.default_rng(2)
    X = (rng.poisson(0.7, size=(300, 6)) * rng.normal(size=(300, 6))).astype(np.float32)
    y = X[:, 0] > 0.2
    for thresholds in ("best", "random"):
        parameters = {"min_balance": 0.3, "thresholds": thresholds, "random_state": 0}
        dense, mostly_zero = (
            ForestClassifier(8, projections=SparseSigns(), **parameters).fit(given, y).forest_
            for given in (X, csr_array(X))
        )
        np.testing.assert_array_equal(dense.threshold, mostly_zero.threshold)
    images = rng.normal(size=(200, 5, 5))
    grid = ManifoldForestClassifier(5, min_balance=0.2, random_state=0).fit(images, y[:200])
    density = DensityForest(5, min_balance=0.3, random_state=0).fit(load_iris().data)
    for forest, balance in ((grid, 0.2), (density, 0.3)):
        smaller, n = shares_of_smaller_sides(forest.forest_)
        assert (smaller >= np.floor(balance * n)).all()


def test_it_is_saved(tmp_path):
    X, y = make_skewed()
    forest = ForestClassifier(3, min_balance=0.2, random_state=0).fit(X, y)
    forest.save(tmp_path / "forest")
    assert load(tmp_path / "forest").min_balance == 0.2


@pytest.mark.parametrize("value", [-0.1, 0.6, "half", None, np.nan])
def test_other_values_are_refused(value):
    with pytest.raises(ValueError, match=r"min_balance must be a number between 0 and 0\.5"):
        ForestClassifier(min_balance=value).fit([[0.0], [1.0]], [0, 1])
