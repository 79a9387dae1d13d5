"""The experiments' systems fit and predict on tiny data."""

from __future__ import annotations

import numpy as np
import pytest
from experiments import graph, honesty, simulations
from experiments.pairs import make_pairs


@pytest.mark.parametrize("problem", simulations.PROBLEMS)
@pytest.mark.parametrize("system", ["MORF", "SPORF", "kNN"])
def test_simulated_problems_are_measured(problem, system, monkeypatch):
    monkeypatch.setattr(simulations, "N_TEST", 50)
    values = simulations.measure({"problem": problem, "system": system, "n": 20, "seed": 0})
    assert 0 <= values["error"] <= 0.8
    assert values["fit_s"] >= 0


@pytest.mark.parametrize("problem", honesty.PROBLEMS)
@pytest.mark.parametrize("system", honesty.SYSTEMS)
def test_posteriors_are_scored(problem, system, monkeypatch):
    monkeypatch.setattr(honesty, "N_TEST", 100)
    monkeypatch.setattr(honesty, "N_TREES", 5)
    values = honesty.measure({"problem": problem, "system": system, "n": 40, "seed": 0})
    assert set(values) == set(honesty.VALUES)
    assert 0 < values["bayes_brier"] < values["brier"] < 1


def test_true_posteriors_have_the_best_scores():
    truth = honesty.draw_gaussians(20_000, 0, 3)
    scores = honesty.score(truth.posterior, truth.posterior)
    assert scores["brier"] == pytest.approx(scores["bayes_brier"])
    assert scores["calibration"] == 0
    assert abs(scores["error"] - honesty.BAYES_ERROR) < 0.01
    assert abs(np.mean(truth.y - truth.posterior)) < 0.01
    half = honesty.score(np.full(20_000, 0.75), truth.posterior)
    assert half["calibration"] == pytest.approx(0.75 - truth.posterior.mean())


def test_bump_on_the_graph_lies_around_its_centres():
    X, y = graph.draw_signals(2000, 0)
    lift = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    raised = lift > 0.15
    assert 10 <= raised.sum() <= graph.N_NODES / 2


def test_pairs_are_differences_of_rectangles():
    atoms = make_pairs(8, max_size=2, reach=1, n_atoms=300).atoms.toarray()
    assert set(np.unique(atoms)) == {-1.0, 0.0, 1.0}
    assert np.abs(atoms).sum(axis=1).max() <= 8
