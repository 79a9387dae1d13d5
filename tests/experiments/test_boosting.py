"""The experiments on gradient boosting measure tiny data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from experiments import (
    boosting_defaults,
    boosting_images,
    boosting_simulations,
    boosting_tables,
    boosting_tuned,
)
from experiments.boosting_systems import log_loss_of
from experiments.data import Split
from experiments.store import Store
from experiments.uci import UciSet
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics import log_loss


def test_log_loss_is_that_of_scikit_learn_and_bounded_for_unknown_classes():
    probabilities = np.array([[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]])
    classes, y = np.array(["a", "b"]), np.array(["b", "a", "a"])
    expected = log_loss(y, probabilities)
    assert log_loss_of(probabilities, classes, y) == pytest.approx(expected)
    unknown = log_loss_of(probabilities[:1], classes, np.array(["c"]))
    assert unknown == pytest.approx(-np.log(1e-6))


@pytest.mark.parametrize("system", ["silvan", "HistGradientBoosting", "silvan, bagged"])
def test_tables_are_measured(system, monkeypatch):
    X, y = load_iris(return_X_y=True)
    split = Split(X[::2], y[::2] + 5, X[1::2], y[1::2] + 5)
    monkeypatch.setattr(boosting_tables, "split_of", lambda cell: split)
    values = boosting_tables.measure({"dataset": "iris", "fold": 0, "system": system})
    assert values["error"] < 0.1
    assert 0 < values["log_loss"] < 0.6


@pytest.mark.parametrize("problem", boosting_simulations.PROBLEMS)
def test_simulations_are_measured(problem, monkeypatch):
    monkeypatch.setattr(boosting_simulations, "N_TEST", 100)
    cell = {"problem": problem, "n": 60, "system": "silvan", "seed": 0}
    assert 0 <= boosting_simulations.measure(cell)["error"] <= 0.8


def test_settings_for_images_are_judged_by_training_images(monkeypatch):
    digits = load_digits()
    images = np.zeros((len(digits.images), 28, 28), dtype=np.uint8)
    images[:, 10:18, 10:18] = digits.images * 15
    X, y = images.reshape(len(images), -1), digits.target
    # A test image that is touched while choosing would fail.
    split = Split(X, y, X[:0], y[:0])
    monkeypatch.setattr(boosting_images, "load_images", lambda folder: split)
    monkeypatch.setattr(boosting_images, "N_JUDGING", 200)
    monkeypatch.setitem(
        boosting_images.CANDIDATES, "default", {"n_estimators": 10, "max_features": 32}
    )
    cell = {"stage": "choose", "dataset": "mnist", "setting": "default", "n": 200, "seed": 0}
    values = boosting_images.measure(cell | {"data": Path()})
    assert values["error"] < 0.6
    assert values["n_rounds"] == 10


def test_pages_compare_the_systems_that_have_been_measured(tmp_path):
    store = Store(tmp_path / "cells.csv", ("dataset", "fold", "system"), boosting_tables.SCORES)
    for dataset, gap in (("iris", 0.1), ("wine", 0.2), ("bank_full", -0.1)):
        for system, score in (("silvan", 0.5), ("LightGBM", 0.5 + gap)):
            row = {"dataset": dataset, "fold": 0, "system": system, "fit_s": 2.0, "predict_s": 1.0}
            store.add({**row, "error": score, "log_loss": score})
    parts = boosting_tables.describe(store, ("iris", "wine"), {"iris": 150, "wine": 178})
    assert "| silvan | 1.00 | 0.5000 | - | - |" in parts[0]
    assert "| LightGBM | 2.00 | 0.6500 | 2 / 0 |" in parts[0]
    assert "CatBoost" not in "".join(parts)
    assert not boosting_tables.describe(store, ("zoo",), {"zoo": 101})


@pytest.mark.parametrize("candidate", boosting_defaults.CANDIDATES)
def test_candidates_for_defaults_are_measured(monkeypatch, candidate):
    X, y = load_iris(return_X_y=True)
    found = UciSet(X.astype(np.float32), y, y, X[:0], y[:0])
    monkeypatch.setattr(boosting_defaults, "load_uci", lambda data, name: found)
    cell = {"dataset": "iris", "fold": 0, "candidate": candidate, "data": None}
    assert boosting_defaults.measure(cell)["error"] <= 0.2


def test_systems_try_as_many_settings_and_choose_by_training_samples(monkeypatch):
    X, y = load_iris(return_X_y=True)
    # A test sample that is touched while choosing would change the choice.
    for system in ("silvan", "HistGradientBoosting"):
        settings = boosting_tuned.draw_settings(system, 0)
        assert len(settings) == boosting_tuned.N_SETTINGS
        assert settings[0] == {}
        for setting in settings:
            boosting_tuned.make(system, setting, 0)
    monkeypatch.setattr(boosting_tuned, "N_SETTINGS", 3)
    chosen = []
    fold = np.arange(len(y)) % 2
    for shift in (0.0, 100.0):
        moved = X + shift * (fold == 0)[:, None]
        one = UciSet(moved.astype(np.float32), y, fold, X[:0], y[:0])
        monkeypatch.setattr(boosting_tuned, "load_uci", lambda data, name, one=one: one)
        cell = {"data": Path(), "dataset": "iris", "fold": 0, "system": "silvan"}
        chosen.append(boosting_tuned.measure(cell)["setting"])
    assert chosen[0] == chosen[1]


def test_tuned_settings_are_drawn_alike():
    ours = boosting_tuned.draw_settings("silvan", 3)[1:]
    theirs = boosting_tuned.draw_settings("XGBoost", 3)[1:]
    assert [one["n_estimators"] for one in ours] == [one["n_estimators"] for one in theirs]
    depths = [boosting_tuned.DEPTHS[one["max_leaf_nodes"]] for one in ours]
    assert depths == [one["max_depth"] for one in theirs]
