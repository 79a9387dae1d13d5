"""Contributions add up to predictions, and are those of a row's path."""

import numpy as np
import pytest
from projections.registry import CASES, named
from sklearn.datasets import load_diabetes, load_digits
from sklearn.exceptions import NotFittedError
from sklearn.inspection import partial_dependence, permutation_importance

from silvan import (
    DensityForest,
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
)
from silvan.explanations import Contributions, feature_contributions
from silvan.projections import AxisAligned


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:250].reshape(-1, 8, 8).astype(np.float32), y[:250]


def assert_adds_up(forest, X):
    bias, values = feature_contributions(forest, X)
    predicted = getattr(forest, "predict_proba", forest.predict)(X)
    np.testing.assert_allclose(bias + values.sum(axis=1), predicted, rtol=1e-12, atol=1e-12)
    return bias, values


def slow_contributions(forest, X):
    """The definition: each row, tree and step by itself, over leaves that hold their values."""
    arrays = forest.forest_
    nodes = forest.apply(X)
    values = np.zeros((len(X), arrays.n_features, arrays.n_outputs))
    bias = np.zeros(arrays.n_outputs)
    for tree in range(arrays.n_trees):
        first = arrays.tree_offsets[tree]
        leaves = arrays.leaf_values(tree).toarray()
        if forest.fitted_.hard_votes:
            best = leaves == leaves.max(axis=1, keepdims=True)
            leaves = best / best.sum(axis=1, keepdims=True)
        directions = arrays.directions(tree).toarray().astype(float)

        def below(node, first=first):
            left = arrays.left[first + node]
            return [node] if left < 0 else below(left) + below(left + 1)

        def mean(node, first=first, leaves=leaves, below=below):
            under = below(node)
            weight = arrays.weight[first + np.array(under)]
            return weight @ leaves[-1 - arrays.left[first + np.array(under)]] / weight.sum()

        bias += mean(0) / arrays.n_trees
        for i, leaf in enumerate(nodes[:, tree]):
            node = 0
            while node != leaf:
                left = arrays.left[first + node]
                child = left if leaf in below(left) else left + 1
                share = np.abs(directions[node]) / np.abs(directions[node]).sum()
                values[i] += np.outer(share, mean(child) - mean(node)) / arrays.n_trees
                node = child
    return bias, values


@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_contributions_are_those_of_the_definition(voting, digits):
    X, y = digits
    forest = ManifoldForestClassifier(
        3,
        channels="raw",
        max_size=6,
        min_samples_leaf=6,
        voting=voting,
        class_weight="balanced",
        random_state=0,
    ).fit(X, y)
    bias, values = feature_contributions(forest, X[:12])
    expected_bias, expected = slow_contributions(forest, X[:12])
    np.testing.assert_allclose(bias, expected_bias, atol=1e-14)
    np.testing.assert_allclose(values, expected, atol=1e-14)


@pytest.mark.parametrize("case", CASES, ids=named)
def test_they_add_up_for_every_distribution(case, digits):
    X, y = digits
    X = X.reshape(-1, 64)[:, 20:36].copy()
    X[::3, 5] = np.nan
    forest = ForestClassifier(3, projections=case.build(16), random_state=0).fit(X, y)
    assert_adds_up(forest, X)


@pytest.mark.parametrize("max_size", [3, 7])
@pytest.mark.parametrize("Forest", [ManifoldForestClassifier, ManifoldForestRegressor])
def test_they_add_up_for_manifold_forests(Forest, max_size, digits):
    X, y = digits
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.02, np.nan, X)
    forest = Forest(5, max_size=max_size, max_depth=6, random_state=0)
    _, values = assert_adds_up(forest.fit(X, y, sample_weight=np.arange(len(y)) % 3), X)
    assert values.shape[:2] == (len(X), 64)


@pytest.mark.parametrize("scaling", [None, "rank", "standard"])
@pytest.mark.parametrize("Forest", [ForestClassifier, ForestRegressor])
def test_they_add_up_for_honest_and_scaled_forests(Forest, scaling, digits):
    X, y = digits
    forest = Forest(5, honest=True, scaling=scaling, random_state=0)
    assert_adds_up(forest.fit(X.reshape(-1, 64), y), X.reshape(-1, 64))


def test_shapes_and_bias_of_regressors():
    X, y = load_diabetes(return_X_y=True)
    forest = ForestRegressor(10, bootstrap=False, random_state=0).fit(X, y)
    bias, values = assert_adds_up(forest, X[:7])
    assert isinstance(bias, float)
    assert values.shape == (7, 10)
    np.testing.assert_allclose(bias, y.mean())
    forest = ForestRegressor(10, random_state=0).fit(X, np.column_stack([y, -y]))
    bias, values = assert_adds_up(forest, X[:7])
    assert bias.shape == (2,)
    np.testing.assert_allclose(values[..., 0], -values[..., 1], atol=1e-9)


def test_bias_of_classifiers_is_the_share_of_the_classes(digits):
    X, y = digits
    forest = ForestClassifier(3, bootstrap=False, random_state=0).fit(X.reshape(-1, 64), y)
    bias, values = assert_adds_up(forest, X.reshape(-1, 64))
    np.testing.assert_allclose(bias, np.bincount(y) / len(y))
    np.testing.assert_allclose(values.sum(axis=2), 0, atol=1e-12)


def test_a_feature_that_is_never_used_contributes_nothing(digits):
    X, y = digits
    X = X.reshape(-1, 64).copy()
    X[:, 7] = 3.0
    forest = ForestClassifier(5, projections=AxisAligned(), random_state=0).fit(X, y)
    assert not feature_contributions(forest, X).values[:, 7].any()
    single = ForestClassifier(2, random_state=0).fit(X, np.zeros(len(X)))
    bias, values = feature_contributions(single, X)
    assert bias.tolist() == [1.0]
    assert not values.any()


def test_forests_that_are_not_fitted_are_refused():
    with pytest.raises(NotFittedError):
        feature_contributions(ForestClassifier(), np.zeros((2, 3)))


def test_forests_without_predictions_are_refused():
    X = np.random.default_rng(0).normal(size=(50, 2))
    with pytest.raises(ValueError, match="forest must be a classifier or a regressor"):
        feature_contributions(DensityForest(2, random_state=0).fit(X), X)


def test_tools_of_scikit_learn_for_looking_at_models(digits):
    X, y = digits
    flat = X.reshape(-1, 64)
    forest = ManifoldForestClassifier(10, shape=(8, 8), random_state=0).fit(flat, y)
    result = permutation_importance(forest, flat, y, n_repeats=2, random_state=0)
    assert result.importances_mean.shape == (64,)
    assert result.importances_mean.reshape(8, 8)[:, 0].max() < result.importances_mean.max()
    curve = partial_dependence(forest, flat, [20], grid_resolution=5)
    assert curve["average"].shape == (10, 5)
    X, y = load_diabetes(return_X_y=True)
    regressor = ForestRegressor(20, random_state=0).fit(X, y)
    rising = partial_dependence(regressor, X, [2], grid_resolution=5)["average"][0]
    assert rising[-1] > rising[0] + 20  # body mass index raises the prediction


def test_contributions_show_their_shape_and_not_their_numbers():
    shown = repr(Contributions(np.array([0.25, 0.75]), np.zeros((50, 4, 2))))
    assert shown == "Contributions(bias=[0.25 0.75], values=<array of shape (50, 4, 2)>)"
    assert repr(Contributions(1.5, np.zeros((5, 4)))).startswith("Contributions(bias=1.5, values=")
