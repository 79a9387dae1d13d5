"""The experiments' systems fit and predict on tiny data."""

from __future__ import annotations

import pytest
from experiments import graph, simulations


@pytest.mark.parametrize("problem", simulations.PROBLEMS)
@pytest.mark.parametrize("system", ["MORF", "SPORF", "kNN"])
def test_simulated_problems_are_measured(problem, system, monkeypatch):
    monkeypatch.setattr(simulations, "N_TEST", 50)
    values = simulations.measure({"problem": problem, "system": system, "n": 20, "seed": 0})
    assert 0 <= values["error"] <= 0.8
    assert values["fit_s"] >= 0


def test_bump_on_the_graph_lies_around_its_centres():
    X, y = graph.draw_signals(2000, 0)
    lift = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    raised = lift > 0.15
    assert 10 <= raised.sum() <= graph.N_NODES / 2
