"""Guided search: features drawn by weights, given or learnt in rounds of trees."""

import numpy as np
import pytest
from growing import sample_directions
from sklearn.base import clone

from silvan import BoostedForestClassifier, ForestClassifier, ForestRegressor, load
from silvan.forests import guiding
from silvan.projections import Mixture, UnitFree, WeightedCombinations


def make_data(n=400, p=60, informative=3):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)).astype(np.float32)
    return X, X[:, :informative].sum(axis=1) > 0


def guided(n_estimators=24, **changes):
    projections = WeightedCombinations((1, 3), trees_per_round=8)
    parameters = {"max_features": 6, "random_state": 0, **changes}
    return ForestClassifier(n_estimators, projections=projections, **parameters)


def assert_same(one, other):
    for name in ("left", "threshold", "direction_indices", "direction_coefficients"):
        np.testing.assert_array_equal(getattr(one.forest_, name), getattr(other.forest_, name))
    np.testing.assert_array_equal(one.projections_.weights, other.projections_.weights)


def test_successive_draws_have_the_probabilities_of_their_weights():
    weights = np.array([4.0, 2.0, 1.0, 0.0])
    native = WeightedCombinations(2, weights, coefficients="ones")._to_native(4)
    drawn = [tuple(sample_directions(native, 0, tree, "", 1)[1]) for tree in range(20_000)]
    share = weights / weights.sum()
    for pair in ((0, 1), (0, 2), (1, 2)):
        a, b = share[list(pair)]
        expected = a * b / (1 - a) + a * b / (1 - b)
        seen = np.mean([one == pair for one in drawn])
        assert abs(seen - expected) < 6 * np.sqrt(expected * (1 - expected) / len(drawn))
    assert not any(3 in one for one in drawn)


@pytest.mark.parametrize("scale", [1e308, 5e-324])
@pytest.mark.parametrize("trees_per_round", [None, 2])
def test_weights_of_any_size_are_relative(scale, trees_per_round):
    X, y = make_data(n=100, p=4)
    grown = [
        ForestClassifier(
            4,
            projections=WeightedCombinations(2, np.full(4, weight), trees_per_round),
            random_state=0,
        ).fit(X, y)
        for weight in (1.0, scale)
    ]
    np.testing.assert_array_equal(grown[0].predict_proba(X), grown[1].predict_proba(X))


def test_extreme_weights_are_drawn_without_delay():
    weights = np.full(50, 1e-12)
    weights[7] = 1.0
    directions = WeightedCombinations(3, weights).draw(500, 50, random_state=0)
    assert (np.diff(directions.indptr) == 3).all()
    assert (directions.toarray()[:, 7] != 0).all()
    others = np.delete(directions.toarray() != 0, 7, axis=1).sum(axis=0)
    assert others.max() < 60
    few = WeightedCombinations(3, np.eye(50)[7]).draw(5, 50, random_state=0)
    np.testing.assert_array_equal(few.indices, [7] * 5)


def test_the_number_of_features_is_one_per_node_and_uniform_over_nodes():
    native = WeightedCombinations((1, 4))._to_native(20)
    sizes = [np.diff(sample_directions(native, 0, tree, "", 6)[0]) for tree in range(4000)]
    assert all(len(set(one)) == 1 for one in sizes)
    counts = np.bincount([one[0] for one in sizes])[1:]
    assert (np.abs(counts - 1000) < 6 * np.sqrt(750)).all()


def test_the_forest_is_the_same_for_any_number_of_threads_and_any_warm_start():
    X, y = make_data()
    whole = guided(20).fit(X, y)
    assert_same(whole, guided(20, n_jobs=3).fit(X, y))
    for steps in ((8, 20), (5, 20), (3, 11, 17, 20)):
        warm = guided(steps[0], warm_start=True)
        for n_estimators in steps:
            warm.set_params(n_estimators=n_estimators).fit(X, y)
        assert_same(whole, warm)
    with pytest.warns(UserWarning, match="the forest has its 20 trees already"):
        assert_same(whole, warm.fit(X, y))


def test_later_rounds_look_where_earlier_ones_found_something():
    X, y = make_data()
    forest = guided(24).fit(X, y)
    weights = forest.projections_.weights
    assert set(np.argsort(-weights)[:3]) == {0, 1, 2}
    assert weights[:3].sum() > 0.15  # 0.05 by chance
    assert weights.min() > 0.49 / 60
    used = [forest.forest_.trees(a, a + 8).direction_indices for a in (0, 16)]
    shares = [np.isin(indices, (0, 1, 2)).mean() for indices in used]
    assert shares[1] > 1.5 * shares[0]
    plain = ForestClassifier(
        60, projections=WeightedCombinations((1, 3)), max_features=6, random_state=0
    )
    X_new = np.random.default_rng(9).normal(size=(1000, 60)).astype(np.float32)
    y_new = X_new[:, :3].sum(axis=1) > 0
    assert guided(60).fit(X, y).score(X_new, y_new) > plain.fit(X, y).score(X_new, y_new)


def test_the_first_round_draws_by_the_given_weights():
    X, y = make_data()
    first = guided(8).fit(X, y)
    plain = guided(8).set_params(projections=WeightedCombinations((1, 3))).fit(X, y)
    np.testing.assert_array_equal(first.forest_.threshold, plain.forest_.threshold)
    kept = guided(20).set_params(projections__weights=np.arange(60) > 1).fit(X, y)
    assert kept.forest_.direction_indices.min() == 2


def test_guided_forests_regress_and_are_saved(tmp_path):
    X, _ = make_data(200)
    projections = WeightedCombinations(2, trees_per_round=5, coefficients="signs")
    forest = ForestRegressor(12, projections=projections, random_state=0).fit(X, X[:, 0])
    forest.save(tmp_path / "guided")
    loaded = load(tmp_path / "guided")
    np.testing.assert_array_equal(loaded.predict(X), forest.predict(X))
    np.testing.assert_array_equal(loaded.projections_.weights, forest.projections_.weights)


def test_weights_are_learnt_without_units_too():
    X, y = make_data(200, 8)
    rescaled = np.ldexp(X, [3, -9, 0, 5, 1, -2, 7, 0])
    inner = WeightedCombinations((1, 3), trees_per_round=5, coefficients="signs")
    forest = ForestClassifier(12, projections=UnitFree(inner), max_features=6, random_state=0)
    one, other = clone(forest).fit(X, y), clone(forest).fit(rescaled, y)
    learnt = one.projections_.distribution
    assert learnt.trees_per_round is None
    np.testing.assert_array_equal(np.sort(np.argsort(learnt.weights)[-3:]), [0, 1, 2])
    np.testing.assert_array_equal(learnt.weights, other.projections_.distribution.weights)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(rescaled))


def test_learning_is_refused_where_it_cannot_be():
    X, y = make_data(100, 6)
    learning = WeightedCombinations(2, trees_per_round=5)
    with pytest.raises(ValueError, match="trees_per_round must be None inside other"):
        ForestClassifier(projections=Mixture([(learning, 1.0)])).fit(X, y)
    with pytest.raises(ValueError, match="trees_per_round must be None in boosted forests"):
        BoostedForestClassifier(projections=learning).fit(X, y)
    with pytest.raises(ValueError, match="trees_per_round must be None with thresholds"):
        ForestClassifier(projections=learning, thresholds="agnostic").fit(X, y)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_features": 0}, "n_features must be an integer >= 1"),
        ({"n_features": (3, 2)}, "n_features must be an integer >= 1"),
        ({"n_features": "two"}, "n_features must be an integer >= 1"),
        ({"trees_per_round": 0}, "trees_per_round must be"),
        ({"coefficients": "big"}, "coefficients must be one of"),
        ({"weights": [1.0, 2.0]}, "weights must have a number for each of the 6 features"),
        ({"weights": [1.0] * 5 + [-1.0]}, "weights must be finite and not negative"),
        ({"weights": [0.0] * 6}, "weights must be finite and not negative"),
    ],
)
def test_wrong_parameters_are_refused(changes, message):
    X, y = make_data(50, 6)
    with pytest.raises(ValueError, match=message):
        ForestClassifier(projections=WeightedCombinations(**changes)).fit(X, y)


def test_importances_of_each_tree_are_computed_once(monkeypatch):
    counted = []
    credit = guiding.credit_features

    def count(trees, *arguments, **options):
        counted.append(trees.n_trees)
        return credit(trees, *arguments, **options)

    monkeypatch.setattr(guiding, "credit_features", count)
    forest = guided(30, warm_start=True).fit(*make_data())
    assert sum(counted) == 30
    counted.clear()
    forest.set_params(n_estimators=50).fit(*make_data())
    assert sum(counted) == 50


def test_rounds_share_one_progress_bar(capsys):
    guided(verbose=1).fit(*make_data())
    shown = capsys.readouterr().err
    assert "24/24 trees" in shown
    assert "8/8" not in shown
    assert shown.count("took") == 1
