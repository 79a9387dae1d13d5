"""Strength and correlation equal Breiman's definitions, computed slowly."""

import math

import numpy as np
import pytest

from silvan import ForestClassifier, ForestRegressor
from silvan.datasets import make_orthant, make_trunk
from silvan.inspection import (
    StrengthCorrelation,
    out_of_bag_mask,
    strength_and_correlation,
    tree_predictions,
)
from silvan.projections import SparseSigns


def plain_strength(forest, X, y):
    """Row by row and tree by tree."""
    out, votes = out_of_bag_mask(forest), tree_predictions(forest, X)
    margins, rivals = [], {}
    for i in range(len(X)):
        if not out[i].any():
            continue
        share = {c: np.mean(votes[i][out[i]] == c) for c in forest.classes_}
        others = [c for c in forest.classes_ if c != y[i]]
        rivals[i] = max(others, key=lambda c: share[c])  # the first of equal ones
        margins.append(share[y[i]] - share[rivals[i]])
    deviations = []
    for t in range(votes.shape[1]):
        rows = np.flatnonzero(out[:, t])
        raw = [float(votes[i, t] == y[i]) - float(votes[i, t] == rivals[i]) for i in rows]
        deviations.append(np.std(raw))
    return np.mean(margins), np.var(margins) / np.mean(deviations) ** 2


@pytest.mark.parametrize("max_depth", [1, None])
def test_measures_equal_a_plain_computation(labelled, max_depth):
    X, y = labelled
    # No leaf of these trees has equally probable classes, of which predictions draw one.
    forest = ForestClassifier(
        15, projections=SparseSigns(), max_depth=max_depth, random_state=0
    ).fit(X, y)
    measures = strength_and_correlation(forest, X, y)
    assert (measures.strength, measures.correlation) == pytest.approx(plain_strength(forest, X, y))


def test_few_trees_and_many_classes_equal_a_plain_computation():
    X, y = make_orthant(150, n_features=3, random_state=0)
    forest = ForestClassifier(3, random_state=0).fit(X, y)
    measures = strength_and_correlation(forest, X, y)
    assert (measures.strength, measures.correlation) == pytest.approx(plain_strength(forest, X, y))


def test_measures_do_not_depend_on_the_size_of_blocks(labelled, monkeypatch):
    forest = ForestClassifier(10, random_state=0).fit(*labelled)
    whole = strength_and_correlation(forest, *labelled)
    monkeypatch.setattr("silvan.forests.weights._ENTRIES_AT_ONCE", 100)
    parts = strength_and_correlation(forest, *labelled)
    assert parts.strength == pytest.approx(whole.strength)
    assert parts.correlation == pytest.approx(whole.correlation)


def test_more_directions_make_trees_stronger_and_more_alike():
    X, y = make_trunk(400, random_state=0)
    measures = [
        strength_and_correlation(
            ForestClassifier(100, projections=SparseSigns(), max_features=d, random_state=0).fit(
                X, y
            ),
            X,
            y,
        )
        for d in (1, 50)
    ]
    assert measures[0].strength < measures[1].strength
    assert measures[0].correlation < measures[1].correlation


def test_bound_is_breimans():
    assert StrengthCorrelation(0.5, 0.2).bound == pytest.approx(0.2 * 0.75 / 0.25)
    assert StrengthCorrelation(-0.1, 0.2).bound == math.inf


def test_trees_without_doubt_have_no_correlation():
    X = np.repeat([[0.0], [1.0]], 30, axis=0)
    y = X[:, 0].astype(int)
    measures = strength_and_correlation(ForestClassifier(20, random_state=0).fit(X, y), X, y)
    assert measures.strength == 1.0
    assert math.isnan(measures.correlation)


def test_single_class_has_full_strength():
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.zeros(20)
    measures = strength_and_correlation(ForestClassifier(10, random_state=0).fit(X, y), X, y)
    assert measures.strength == 1.0


def test_regressors_are_refused(numeric):
    forest = ForestRegressor(2, random_state=0).fit(*numeric)
    with pytest.raises(ValueError, match="forest must be a classifier"):
        strength_and_correlation(forest, *numeric)
