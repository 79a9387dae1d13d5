"""The experiments' systems fit and predict on tiny data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from experiments import (
    bars_tuned,
    control,
    graph,
    honesty,
    patch_pairs,
    regression_directions,
    simulations,
)
from sklearn.datasets import load_digits

from silvan.datasets import make_bars


@pytest.mark.parametrize("problem", simulations.PROBLEMS)
@pytest.mark.parametrize("system", ["channels", "MORF", "SPORF", "kNN"])
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


def test_bars_are_measured_out_of_bag_and_on_new_rows():
    cell = {"distribution": "1 to 14", "n": 50, "seed": 0}
    assert 0 <= bars_tuned.measure_out_of_bag(cell)["oob_error"] < 0.2
    assert 0 <= bars_tuned.measure_test(cell)["error"] < 0.1


def test_rules_of_pairs_name_sizes_and_numbers_of_patches():
    distribution = patch_pairs.make_distribution("3 x 1 + W/8 x 2", (64,))
    assert [(part.max_size, part.n_patches) for part, _ in distribution.components] == [
        ((3,), 1),
        ((8,), 2),
    ]


def test_the_lower_half_of_an_image_is_to_be_told_from_the_upper():
    X, y, shape = regression_directions.make_problem("digits", Path(), 0)
    images = load_digits().images[: len(y)]
    assert shape == (4, 8)
    np.testing.assert_array_equal(X, images[:, :4].reshape(len(y), 32))
    np.testing.assert_allclose(y, images[:, 4:].mean(axis=(1, 2)))


@pytest.mark.parametrize("name", control.SYSTEMS)
def test_systems_of_the_shuffled_control_fit(name):
    X, y = make_bars(20, random_state=0)
    forest = control.make_system({"system": name, "problem": "bars", "seed": 0})
    assert forest.set_params(n_estimators=2).fit(X, y).score(X, y) > 0.5
