"""What forests predict: accuracy, voting, missing values, limits and edge cases."""

import doctest
import inspect

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_friedman1
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import cross_val_score

import silvan
from silvan import ForestClassifier, ForestRegressor
from silvan.projections import (
    AxisAligned,
    Mixture,
    SparseSigns,
    UniformCombinations,
    UnitFree,
)

BOTH = pytest.mark.parametrize("Forest", [ForestClassifier, ForestRegressor])


@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
@pytest.mark.parametrize("projections", [None, AxisAligned()], ids=["sparse", "axes"])
def test_classifier_is_as_accurate_as_a_random_forest(criterion, projections):
    X, y = load_iris(return_X_y=True)
    ours = ForestClassifier(50, criterion=criterion, projections=projections, random_state=0)
    theirs = RandomForestClassifier(50, random_state=0)
    assert cross_val_score(ours, X, y).mean() > cross_val_score(theirs, X, y).mean() - 0.03


def test_regressor_is_as_accurate_as_a_random_forest():
    X, y = make_friedman1(400, 8, noise=0.5, random_state=0)
    ours = ForestRegressor(60, projections=AxisAligned(), random_state=0)
    theirs = RandomForestRegressor(60, random_state=0)
    assert cross_val_score(ours, X, y).mean() > cross_val_score(theirs, X, y).mean() - 0.03


def test_unlimited_trees_without_bootstrap_remember_their_training_rows(numeric, labelled):
    X, y = numeric
    np.testing.assert_allclose(
        ForestRegressor(3, bootstrap=False, random_state=0).fit(X, y).predict(X), y, rtol=1e-11
    )
    X, y = labelled
    assert ForestClassifier(3, bootstrap=False, random_state=0).fit(X, y).score(X, y) == 1.0


def test_hard_votes_are_whole_or_shared_and_soft_votes_are_means(labelled):
    X, y = labelled
    parameters = {"n_estimators": 8, "min_samples_leaf": 5, "random_state": 0}
    soft = ForestClassifier(**parameters).fit(X, y)
    hard = ForestClassifier(**parameters, voting="hard").fit(X, y)
    # Three classes share a vote in halves or thirds.
    sixths = 6 * 8 * hard.predict_proba(X)
    np.testing.assert_allclose(sixths, np.rint(sixths), atol=1e-12)
    sixths = 6 * 8 * soft.predict_proba(X)
    assert (np.abs(sixths - np.rint(sixths)) > 1e-3).any()
    for forest in (soft, hard):
        np.testing.assert_allclose(forest.predict_proba(X).sum(axis=1), 1)
        np.testing.assert_array_equal(
            forest.predict(X), forest.classes_[forest.predict_proba(X).argmax(axis=1)]
        )


def test_log_probabilities_are_logarithms(labelled):
    X, y = labelled
    forest = ForestClassifier(4, random_state=0).fit(X, y)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(forest.predict_log_proba(X), np.log(forest.predict_proba(X)))


def test_apply_gives_leaves(labelled):
    X, y = labelled
    forest = ForestClassifier(6, random_state=0).fit(X, y)
    leaves = forest.apply(X)
    assert leaves.shape == (len(X), 6)
    assert (forest.forest_.left[leaves + forest.forest_.tree_offsets[:-1]] < 0).all()


def test_several_outputs_share_their_trees(two_outputs):
    X, y = two_outputs
    forest = ForestRegressor(20, random_state=0).fit(X, y)
    assert forest.n_outputs_ == 2
    assert forest.predict(X).shape == y.shape
    assert forest.score(X, y) > 0.7


def test_column_of_targets_is_taken_as_one_target_with_a_warning(numeric):
    X, y = numeric
    forest = ForestRegressor(3, random_state=0)
    with pytest.warns(DataConversionWarning, match="column-vector y was passed") as caught:
        forest.fit(X, y[:, None])
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(
        forest.predict(X), ForestRegressor(3, random_state=0).fit(X, y).predict(X)
    )


@BOTH
def test_missing_values_are_split_on(Forest):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)).astype(np.float32)
    X[rng.random(X.shape) < 0.3] = np.nan
    y = np.isnan(X[:, 1]).astype(int)
    forest = Forest(30, projections=AxisAligned(), max_features=None, random_state=0).fit(X, y)
    assert forest.score(X, y) > 0.99
    assert forest.__sklearn_tags__().input_tags.allow_nan


@BOTH
def test_values_that_are_missing_only_in_prediction_are_no_error(Forest, labelled):
    X, y = labelled
    forest = Forest(5, random_state=0).fit(X, y)
    assert np.isfinite(forest.predict(np.full((2, X.shape[1]), np.nan))).all()


@BOTH
def test_one_row_is_remembered(Forest):
    forest = Forest(3, random_state=0).fit([[1.0, 2.0]], [4])
    np.testing.assert_array_equal(forest.predict([[5.0, 5.0], [np.nan, 0.0]]), [4, 4])


@BOTH
def test_constant_features_and_targets_give_trees_of_one_leaf(Forest):
    forest = Forest(3, random_state=0).fit(np.ones((9, 2)), [7] * 9)
    np.testing.assert_array_equal(forest.predict([[0.0, 0.0]]), [7])
    assert forest.forest_.n_nodes == 3


def test_one_class_is_predicted_with_certainty():
    forest = ForestClassifier(3, random_state=0).fit(np.arange(10)[:, None], ["only"] * 10)
    assert forest.n_classes_ == 1
    np.testing.assert_array_equal(forest.predict_proba([[0], [99]]), [[1.0], [1.0]])


def test_ten_thousand_classes_are_possible():
    X = np.arange(20_000, dtype=np.float32)[:, None]
    y = np.repeat(np.arange(10_000), 2)
    forest = ForestClassifier(2, criterion="entropy", bootstrap=False, random_state=0).fit(X, y)
    np.testing.assert_array_equal(forest.predict(X), y)
    assert forest.predict_proba(X[:3]).shape == (3, 10_000)


def test_classes_without_weight_have_probability_zero(labelled):
    X, y = labelled
    forest = ForestClassifier(5, class_weight={2: 0.0, 0: 1, 1: 1}, random_state=0).fit(X, y)
    assert forest.n_classes_ == 3
    assert (forest.predict_proba(X)[:, 2] == 0).all()


def test_class_weights_shift_predictions(labelled):
    X, y = labelled
    plain = ForestClassifier(20, max_depth=2, random_state=0).fit(X, y)
    tilted = clone(plain).set_params(class_weight={0: 50, 1: 1, 2: 1}).fit(X, y)
    assert np.count_nonzero(tilted.predict(X) == 0) > 1.5 * np.count_nonzero(plain.predict(X) == 0)


def test_limits_are_kept(numeric):
    X, y = numeric
    forest = ForestRegressor(5, max_depth=3, random_state=0).fit(X, y)
    assert forest.forest_.depth().max() == 3
    forest = ForestRegressor(5, min_samples_leaf=0.1, random_state=0).fit(X, y)
    arrays = forest.forest_
    assert arrays.n_samples[arrays.left < 0].min() >= 15
    forest = ForestRegressor(5, min_samples_split=40, random_state=0).fit(X, y)
    assert forest.forest_.n_samples[forest.forest_.left >= 0].min() >= 40
    forest = ForestRegressor(5, min_impurity_decrease=1e9, random_state=0).fit(X, y)
    assert forest.forest_.n_nodes == 5


def test_more_directions_than_features_fit_better(numeric):
    X, y = numeric
    few = ForestRegressor(5, max_features=1, max_depth=2, random_state=0).fit(X, y)
    many = ForestRegressor(5, max_features=20.0, max_depth=2, random_state=0).fit(X, y)
    assert many.score(X, y) > few.score(X, y) + 0.05


@pytest.mark.parametrize(
    ("max_features", "d"),
    [(1, 1), (7, 7), (0.5, 8), (2.0, 32), ("sqrt", 4), ("log2", 4), (None, 16), (0.001, 1)],
)
def test_number_of_directions(max_features, d):
    forest = ForestClassifier(max_features=max_features)
    assert silvan.forests.parameters.n_directions(forest, 16) == d


@pytest.mark.parametrize(
    ("projections", "p", "d"),
    [
        (None, 1, 1),
        (None, 10, 10),  # all of few features
        (None, 100, 24),
        (None, 900, 30),  # the square root of many
        (UnitFree(UniformCombinations()), 100, 24),
        (Mixture([(AxisAligned(), 1), (UnitFree(SparseSigns()), 1)]), 100, 24),
        (AxisAligned(), 100, 10),
        (SparseSigns(), 100, 10),
    ],
)
def test_the_automatic_number_of_directions_follows_the_distribution(projections, p, d):
    forest = ForestClassifier(projections=projections)
    assert silvan.forests.parameters.n_directions(forest, p) == d


@BOTH
def test_documentation_is_complete(Forest):
    text = Forest.__doc__
    assert "{" not in text.replace('{"', "")
    lines = [line.strip() for line in text.splitlines()]
    documented = {line.split(" : ")[0] for line in lines if " : " in line}
    assert set(inspect.signature(Forest).parameters) <= documented
    forest = Forest(40, oob_score=True, random_state=0).fit(*load_iris(return_X_y=True))
    learnt = {name for name in vars(forest) if name.endswith("_") and not name.startswith("_")}
    assert learnt <= documented
    assert doctest.run_docstring_examples(Forest, {}) is None
    assert max(len(line) for line in text.splitlines()) <= 100


def test_class_of_the_forest_is_public():
    assert set(silvan.__all__) >= {"ForestClassifier", "ForestRegressor", "__version__"}
