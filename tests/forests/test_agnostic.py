"""Data-agnostic forests (Tomita, definition 1): targets fill the leaves and decide nothing."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_iris

from silvan import (
    BoostedForestClassifier,
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
)
from silvan.projections import AxisAligned, CanonicalDirections, RidgeDirections, SparseSigns

PARTITION = ("left", "threshold", "missing_left", "direction_indices", "direction_coefficients")


def make_features(n=400, p=4, *, missing=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)).astype(np.float32)
    X[:, 0] = X[:, 0].round()
    if missing:
        X[rng.random((n, p)) < 0.1] = np.nan
    return X


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"max_leaf_nodes": 30},
        {"projections": AxisAligned(), "min_samples_leaf": 5},
        {"projections": SparseSigns(), "max_features": 1, "max_depth": 4},
        {"min_balance": 0.2, "criterion": "entropy"},
    ],
)
def test_the_partition_does_not_depend_on_the_targets(missing, changes):
    X = make_features(missing=missing)
    # Every tree sees every sample: draws depend on a hash of all that is known of one.
    parameters = {"thresholds": "agnostic", "bootstrap": False, "random_state": 0, **changes}
    rng = np.random.default_rng(1)
    targets = (np.nan_to_num(X[:, 1]) > 0, rng.integers(0, 3, len(X)), np.arange(len(X)) % 2)
    first, *others = (ForestClassifier(10, **parameters).fit(X, y).forest_ for y in targets)
    for other in others:
        for name in PARTITION:
            np.testing.assert_array_equal(getattr(first, name), getattr(other, name))
    assert not np.array_equal(first.value_outputs, others[0].value_outputs)
    parameters.pop("criterion", None)
    number = ForestRegressor(10, **parameters | {"max_features": 2})
    classes = ForestClassifier(10, **parameters | {"max_features": 2}).fit(X, targets[0]).forest_
    for name in PARTITION:
        grown = number.fit(X, rng.normal(size=len(X))).forest_
        np.testing.assert_array_equal(getattr(grown, name), getattr(classes, name))


def test_forests_that_choose_do_depend_on_the_targets():
    X = make_features()
    parameters = {"thresholds": "random", "bootstrap": False, "random_state": 0}
    by_value = ForestClassifier(10, **parameters).fit(X, X[:, 1] > 0).forest_
    by_chance = ForestClassifier(10, **parameters).fit(X, np.arange(len(X)) % 2).forest_
    assert not np.array_equal(by_value.threshold, by_chance.threshold)


def test_directions_and_thresholds_of_roots_have_their_own_frequencies():
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(200, 5))
    X[0], X[1] = 0, 1
    stumps = ForestClassifier(
        4000,
        thresholds="agnostic",
        projections=AxisAligned(),
        max_features=3,
        max_depth=1,
        bootstrap=False,
        random_state=0,
    ).fit(X, X[:, 0] > 0.5)
    roots = stumps.forest_.tree_offsets[:-1]
    features = stumps.forest_.direction_indices[stumps.forest_.direction_indptr[roots]]
    assert stats.chisquare(np.bincount(features, minlength=5)).pvalue > 1e-4
    assert stats.kstest(stumps.forest_.threshold[roots], stats.uniform.cdf).pvalue > 1e-4


def test_every_leaf_is_equally_likely_to_be_split_next():
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(3000, 1))
    trees = ForestClassifier(
        3000,
        thresholds="agnostic",
        max_leaf_nodes=4,
        min_balance=0.5,
        bootstrap=False,
        projections=AxisAligned(),
        random_state=0,
    ).fit(X, X[:, 0] > 0.5)
    # After two splits there are two leaves at depth 2 and one at depth 1, which is split next with
    # probability 1/3: only then are all four leaves at depth 2.
    depths = np.array([tree.get_depth() for tree in trees.estimators_])
    even = (depths == 2).sum()
    assert set(depths) == {2, 3}
    assert stats.binomtest(even, len(depths), 1 / 3).pvalue > 1e-4


def test_pure_nodes_are_split_too():
    X = make_features()
    y = np.zeros(len(X), dtype=int)
    grown = ForestRegressor(3, thresholds="agnostic", max_depth=3, random_state=0).fit(X, y)
    assert len(grown.forest_.left) > 3 * 8


def test_forest_is_the_same_for_any_number_of_threads_and_a_warm_start():
    X, y = load_iris(return_X_y=True)
    parameters = {"thresholds": "agnostic", "max_leaf_nodes": 12, "random_state": 3}
    one = ForestClassifier(20, **parameters).fit(X, y).forest_
    three = ForestClassifier(20, n_jobs=3, **parameters).fit(X, y).forest_
    warm = ForestClassifier(7, warm_start=True, **parameters).fit(X, y)
    warm.set_params(n_estimators=20).fit(X, y)
    for name in PARTITION:
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))
        np.testing.assert_array_equal(getattr(one, name), getattr(warm.forest_, name))


def test_error_falls_towards_that_of_bayes_as_theorem_3_says():
    def draw(n, seed):
        rng = np.random.default_rng(seed)
        X = rng.uniform(size=(n, 2))
        noisy = rng.random(n) < 0.1
        return X, ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)) ^ noisy

    X_test, y_test = draw(4000, 99)
    errors = []
    for n in (50, 500, 5000):
        forest = ForestClassifier(
            30, thresholds="agnostic", max_leaf_nodes=int(2 * n**0.5), random_state=0
        )
        errors.append(1 - forest.fit(*draw(n, 0)).score(X_test, y_test))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.14


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"min_impurity_decrease": 0.1}, "min_impurity_decrease"),
        ({"ccp_alpha": 0.1}, "ccp_alpha"),
        ({"monotonic_cst": [1, 0], "projections": AxisAligned()}, "monotonic_cst"),
        ({"class_weight": "balanced"}, "class_weight"),
        ({"class_weight": {0: 1, 1: 2}}, "class_weight"),
        ({"projections": RidgeDirections()}, "projections"),
        ({"projections": CanonicalDirections()}, "projections"),
    ],
)
def test_what_would_look_at_targets_is_refused(changes, name):
    with pytest.raises(ValueError, match=f'{name} must be .* with thresholds="agnostic"'):
        ForestClassifier(thresholds="agnostic", **changes).fit([[0.0, 1.0], [1.0, 2.0]], [0, 1])


def test_combinations_of_windows_are_refused_with_their_parameter():
    X = np.random.default_rng(0).normal(size=(20, 30))
    with pytest.raises(ValueError, match=r"n_terms must be 1 .* pass n_terms=1"):
        ManifoldForestClassifier(2, thresholds="agnostic", n_terms=2).fit(X, np.arange(20) % 2)


def test_categories_poisson_and_boosting_are_refused():
    table = pd.DataFrame({"kind": ["a", "b", "a", "c"]})
    with pytest.raises(ValueError, match="must have no categorical columns"):
        ForestClassifier(thresholds="agnostic").fit(table, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="criterion must be another criterion"):
        ForestRegressor(thresholds="agnostic", criterion="poisson").fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="thresholds must be one of 'best', 'random'"):
        BoostedForestClassifier(thresholds="agnostic").fit([[0.0], [1.0]], [0, 1])
