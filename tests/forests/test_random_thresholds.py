"""Extremely randomised trees: thresholds that are drawn, not searched."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_diabetes, load_digits, load_iris
from test_reference import check_classification, check_regression

from silvan import ForestClassifier, ForestRegressor, ManifoldForestClassifier, presets
from silvan.projections import AxisAligned

RANDOM = {"random_thresholds": True}
FEATURES = ["normal", "ties", "uint8", "skewed", "missing"]


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("family", ["axis", "signs", "uniform"])
@pytest.mark.parametrize("leaf", [1, 4])
def test_trees_equal_the_reference(features, family, leaf):
    options = RANDOM | {"min_samples_leaf": leaf}
    for seed in range(4):
        check_classification(seed, 90, 4, 2 + seed, features, family, options, weighted=seed == 2)
        check_regression(seed, 90, 1 + seed % 2, features, family, options)


def test_entropy_and_honest_trees_equal_the_reference():
    for seed in range(8):
        check_classification(
            seed, 60, 3, 3, "normal", "signs", RANDOM | {"criterion": "entropy", "max_depth": 3}
        )
        check_classification(seed, 80, 3, 3, "missing", "signs", RANDOM, honest=0.5)


@pytest.mark.parametrize("n_classes", [9, 30, 64, 70])
def test_trees_of_many_classes_equal_the_reference(n_classes):
    for seed in range(2):
        check_classification(seed, 300, 4, n_classes, "ties", "axis", RANDOM)
        check_classification(seed, 300, 4, n_classes, "normal", "signs", RANDOM)


def test_thresholds_are_uniform_between_the_smallest_and_the_largest_value():
    X = np.array([[-1.0], [0.0], [3.0]] * 10)
    y = np.array([0, 1, 0] * 10)
    stumps = ForestClassifier(4000, thresholds="random", max_depth=1, random_state=0)
    forest = stumps.set_params(projections=AxisAligned(), bootstrap=False).fit(X, y).forest_
    thresholds = forest.threshold[forest.tree_offsets[:-1]]
    assert thresholds.min() >= -1 and thresholds.max() < 3
    assert stats.kstest(thresholds, stats.uniform(-1, 4).cdf).pvalue > 1e-6


def test_best_of_the_candidates_wins():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 10))
    y = X[:, 3] > 0
    forest = presets.extra_trees(50, max_features=10, max_depth=1, random_state=0).fit(X, y)
    roots = forest.forest_.direction_indices[forest.forest_.direction_indptr[:-1][::3]]
    assert np.bincount(roots, minlength=10)[3] > 30


def test_forest_does_not_depend_on_threads_order_or_repetition(assert_same_forest):
    X, y = load_iris(return_X_y=True)
    forest = ForestClassifier(20, thresholds="random", random_state=3)
    first = forest.fit(X, y).forest_
    shuffled = np.random.default_rng(1).permutation(len(X))
    other = ForestClassifier(20, thresholds="random", random_state=3, n_jobs=3)
    other.fit(X[shuffled], y[shuffled])
    np.testing.assert_array_equal(first.threshold, other.forest_.threshold)
    weighted = ForestClassifier(20, thresholds="random", random_state=3).fit(
        X, y, np.full(len(y), 2)
    )
    repeated = ForestClassifier(20, thresholds="random", random_state=3).fit(
        np.repeat(X, 2, axis=0), np.repeat(y, 2)
    )
    np.testing.assert_array_equal(weighted.forest_.threshold, repeated.forest_.threshold)


def test_accuracy_is_that_of_extremely_randomised_trees():
    X, y = load_digits(return_X_y=True)
    ours = presets.extra_trees(100, random_state=0).fit(X[:1200], y[:1200])
    assert ours.score(X[1200:], y[1200:]) > 0.92
    X, y = load_diabetes(return_X_y=True)
    regressor = presets.extra_trees(100, task="regression", random_state=0).fit(X[:300], y[:300])
    assert regressor.score(X[300:], y[300:]) > 0.35


def test_categories_grids_and_out_of_bag_work():
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"kind": rng.choice(list("abcd"), 300), "size": rng.normal(size=300)})
    y = table["kind"].isin(["a", "c"]) ^ (table["size"] > 0)
    forest = ForestClassifier(60, thresholds="random", oob_score=True, random_state=0)
    assert forest.fit(table, y).oob_score_ > 0.8
    digits = load_digits()
    images = ManifoldForestClassifier(30, thresholds="random", max_size=4, random_state=0)
    images.fit(digits.images[:900], digits.target[:900])
    assert images.score(digits.images[900:], digits.target[900:]) > 0.85


@pytest.mark.parametrize("Forest", [ForestClassifier, ForestRegressor])
def test_other_names_are_refused(Forest):
    with pytest.raises(
        ValueError, match="thresholds must be one of 'best', 'random', 'agnostic', but it is 'x'"
    ):
        Forest(thresholds="x").fit([[0.0], [1.0]], [0, 1])
