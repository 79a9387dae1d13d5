"""No class gains by its name: where classes change places, so do their probabilities."""

import numpy as np
import pytest

from silvan import (
    BoostedForestClassifier,
    BoostedManifoldForestClassifier,
    ForestClassifier,
    ManifoldForestClassifier,
    presets,
)
from silvan.export import to_text
from silvan.inspection import out_of_bag_curve, strength_and_correlation, tree_predictions
from silvan.projections import SparseSigns

OPTIONS = {
    "s_rerf": {"shape": (2, 3)},
    "graph_morf": {"graph": np.eye(6, k=1) + np.eye(6, k=-1)},
    "morf": {"shape": (2, 3)},
    "mf": {"shape": (2, 3)},
}
# Ways in which leaves stay impure.
IMPURE = [{"honest": True}, {"min_samples_split": 10}]


def noise(n_samples=100, n_classes=2):
    X = np.random.default_rng(0).normal(size=(n_samples, 6))
    return X, np.arange(n_samples) % n_classes


def make(name, **options):
    if hasattr(presets, name):
        return getattr(presets, name)(200, **OPTIONS.get(name, {}) | options)
    if name == "manifold":
        return ManifoldForestClassifier(200, channels="raw", shape=(2, 3), **options)
    if name == "windows":
        return ManifoldForestClassifier(200, shape=(2, 3), **options)
    return ForestClassifier(200, **options)


def share_of_second(forest, X, y):
    """Mean probability of class 1 on new rows, and that of class 0 where labels are swapped."""
    new = np.random.default_rng(1).normal(size=(300, 6))
    as_given = forest.fit(X, y).predict_proba(new)[:, 1].mean()
    return as_given, forest.fit(X, 1 - y).predict_proba(new)[:, 0].mean()


@pytest.mark.parametrize("impure", IMPURE, ids=str)
@pytest.mark.parametrize("name", [*presets.__all__, "forest", "manifold", "windows"])
def test_swapped_labels_swap_probabilities_in_distribution(name, impure):
    X, y = noise()
    given, swapped = share_of_second(make(name, voting="hard", random_state=0, **impure), X, y)
    assert given == pytest.approx(swapped, abs=0.06)
    assert given == pytest.approx(0.5, abs=0.06)


@pytest.mark.parametrize("voting", ["soft", "hard"])
@pytest.mark.parametrize("name", ["rf", "f_rc", "sporf", "mf", "forest", "manifold", "windows"])
def test_swapped_labels_swap_probabilities_exactly_where_all_rows_are_seen(name, voting):
    X, y = noise()
    options = {"bootstrap": False, "min_samples_split": 10, "voting": voting, "random_state": 0}
    given, swapped = make(name, **options).fit(X, y), make(name, **options).fit(X, 1 - y)
    np.testing.assert_array_equal(given.predict_proba(X), swapped.predict_proba(X)[:, ::-1])


@pytest.mark.parametrize("Forest", [BoostedForestClassifier, BoostedManifoldForestClassifier])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_of_boosted_forests_change_places_with_their_labels(Forest, n_classes):
    X, y = noise(120, n_classes)
    options = {"shape": (2, 3)} if Forest is BoostedManifoldForestClassifier else {}
    forest = Forest(30, min_samples_leaf=2, random_state=0, **options)
    given = forest.fit(X, y).predict_proba(X)
    swapped = forest.fit(X, n_classes - 1 - y).predict_proba(X)[:, ::-1]
    if n_classes == 2:
        # The score of one class is minus that of the other, up to rounding.
        np.testing.assert_allclose(given, swapped, atol=1e-6)
    assert given.mean(axis=0) == pytest.approx([1 / n_classes] * n_classes, abs=0.03)
    assert swapped.mean(axis=0) == pytest.approx([1 / n_classes] * n_classes, abs=0.03)


def test_three_classes_share_the_vote_of_a_leaf_where_they_are_equally_probable():
    X, y = np.zeros((30, 1)), np.arange(30) % 3
    forest = ForestClassifier(5, voting="hard", bootstrap=False, random_state=0).fit(X, y)
    np.testing.assert_allclose(forest.predict_proba(X[:1]), [[1 / 3] * 3])
    assert "class: 0 or 1 or 2 (0.33)" in to_text(forest, 0)
    # A class that is less probable has no part in the vote.
    forest.fit(X, np.where(y == 2, y * (np.arange(30) > 5), y))
    np.testing.assert_allclose(forest.predict_proba(X[:1]), [[1, 0, 0]])


def test_measures_of_trees_do_not_depend_on_the_names_of_the_classes():
    X, y = noise(300)
    options = {"max_depth": 3, "voting": "hard", "random_state": 0, "max_samples": 0.5}
    options["projections"] = SparseSigns()
    forests = [
        ForestClassifier(100, bootstrap=False, **options).fit(X, labels) for labels in (y, 1 - y)
    ]
    first, second = (
        strength_and_correlation(forest, X, labels)
        for forest, labels in zip(forests, (y, 1 - y), strict=True)
    )
    assert first.strength == pytest.approx(second.strength, abs=0.02)
    given, swapped = (tree_predictions(forest, X).mean() for forest in forests)
    assert given == pytest.approx(1 - swapped, abs=0.02)


def test_out_of_bag_votes_are_shared_as_votes_are():
    X, y = noise(200)
    options = {"honest": True, "voting": "hard", "oob_score": True, "random_state": 0}
    forest = presets.rf(100, **options).fit(X, y)
    assert forest.oob_decision_function_[:, 1].mean() == pytest.approx(0.5, abs=0.03)
    assert out_of_bag_curve(forest, X, y)[-1] == pytest.approx(1 - forest.oob_score_)


def test_posteriors_of_manifold_aware_forests_are_averaged():
    """Perry 2020, section 2.2."""
    assert presets.mf().voting == "soft"
    X, y = noise()
    forest = presets.mf(20, shape=(2, 3), honest=True, random_state=0).fit(X, y)
    np.testing.assert_allclose(forest.forest_weights(X) @ np.eye(2)[y], forest.predict_proba(X))
