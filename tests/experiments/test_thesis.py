"""The experiments on the thesis's simulations measure and choose what they say."""

from __future__ import annotations

import numpy as np
import pytest
from experiments import (
    angles,
    first_splits,
    markers,
    posteriors,
    robustness,
    stripes,
    top_projections,
    tuning_grid,
)
from experiments.store import Store
from experiments.transformations import BY_POWERS, TRANSFORMATIONS, make_transform


@pytest.mark.parametrize("problem", tuning_grid.PROBLEMS)
@pytest.mark.parametrize("system", tuning_grid.SYSTEMS)
def test_forests_of_the_grid_are_measured(problem, system, monkeypatch):
    monkeypatch.setattr(tuning_grid, "N_TEST", 50)
    cell = tuning_grid.list_cells(problem, 200, [0], [system])[0]
    values = tuning_grid.measure(cell)
    assert set(values) == set(tuning_grid.VALUES)
    assert 0 <= values["oob_error"] <= 1
    assert 0 <= values["error"] <= 1


def test_only_sparse_forests_have_more_than_p_directions():
    cells = tuning_grid.list_cells("sparse parity", 100, [0, 1], tuning_grid.SYSTEMS)
    largest = {s: max(c["d"] for c in cells if c["system"] == s) for s in tuning_grid.SYSTEMS}
    assert largest == {"RF": 20, "RerF": 400, "F-RC": 400, "RR-RF": 20}
    assert len(cells) == 2 * (4 + 25 + 25 + 4)


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "grid.csv", tuning_grid.KEYS, tuning_grid.VALUES)
    rows = [
        # system, d, nonzeros, seed, out-of-bag error, error
        ("RerF", 2, 1, 0, 0.3, 0.9),
        ("RerF", 5, 2, 0, 0.1, 0.2),
        ("RerF", 9, 3, 0, 0.1, 0.4),
        ("RerF", 2, 1, 1, 0.2, 0.6),
        ("F-RC", 2, 1, 0, 0.0, 0.1),
        ("F-RC", 2, 2, 0, 0.5, 0.7),
    ]
    for system, d, nonzeros, seed, oob_error, error in rows:
        cell = {"problem": "orthant", "system": system, "n": 10, "d": d, "nonzeros": nonzeros}
        values = dict.fromkeys(tuning_grid.VALUES, 0.0)
        store.add({**cell, **values, "seed": seed, "oob_error": oob_error, "error": error})
    return store


def test_each_seed_has_the_forest_with_the_least_out_of_bag_error(store):
    assert tuning_grid.chosen_mean(store, "error", system="RerF") == pytest.approx(0.4)
    bounded = tuning_grid.chosen_mean(store, "error", system="RerF", max_directions=4)
    assert bounded == pytest.approx(0.75)


def test_of_equal_errors_the_largest_area_under_the_curve_is_chosen(tmp_path):
    store = Store(tmp_path / "grid.csv", stripes.KEYS, stripes.VALUES)
    for d, oob_error, oob_auc in ((2, 0.1, 0.7), (5, 0.1, 0.8), (9, 0.1, 0.8), (12, 0.2, 0.9)):
        cell = {"system": "RF", "n": 10, "d": d, "nonzeros": 1, "seed": 0, "fit_s": 0.0}
        store.add({**cell, "oob_error": oob_error, "oob_auc": oob_auc, "error": 0.0})
    assert [row["d"] for row in tuning_grid.choose(store)] == ["5"]


def test_single_features_of_forest_rc_count_only_when_asked_for(store):
    assert tuning_grid.chosen_mean(store, "error", system="F-RC") == pytest.approx(0.7)
    assert tuning_grid.chosen_mean(store, "error", system="F-RC", nonzeros=1) == pytest.approx(0.1)


@pytest.mark.parametrize("name", [*TRANSFORMATIONS, *BY_POWERS])
def test_transformations_do_what_their_names_say(name):
    X = np.random.default_rng(0).uniform(1, 2, size=(200, 5))
    transform = make_transform(name, 5, seed=3)
    changed = transform(X).astype(float)
    share = np.mean(~np.isclose(changed, X))
    assert share == pytest.approx({"raw": 0.0, "corrupted": 0.2}.get(name, 1.0))
    lengths = np.linalg.norm(changed, axis=1), np.linalg.norm(X, axis=1)
    assert np.allclose(*lengths, rtol=1e-4) == (name in ("raw", "rotated"))
    if name != "corrupted":
        np.testing.assert_allclose(transform(X[:7]), changed[:7], rtol=1e-4, atol=1e-4)


def test_bayes_error_along_the_best_projection_is_that_of_the_problem():
    from scipy.sparse import csr_array

    from silvan.inspection import TopProjections

    best = csr_array([1 / np.sqrt(np.arange(1, 11))])
    top = TopProjections(best, np.ones(1), np.ones(1, int), tuple("abcdefghij"))
    assert top_projections.bayes_errors(top)[0] == pytest.approx(0.0436, abs=1e-4)


def test_one_feature_of_a_hundred_random_ones_is_found_by_sparse_directions():
    cell = {"p": 8, "system": "RerF, d = p²", "target": "sparse", "nodes": 20}
    assert angles.measure(cell)["within_1"] > 0.8
    assert angles.measure({**cell, "system": "RR-RF"})["within_1"] == 0


def test_first_split_of_sparse_directions_parts_parallel_planes(monkeypatch):
    monkeypatch.setattr(first_splits, "N", 500)
    monkeypatch.setattr(first_splits, "N_TEST", 200)
    cell = {"problem": "parallel hyperplanes", "seed": 0}
    assert first_splits.measure({**cell, "system": "RerF"})["error"] < 0.1
    assert first_splits.measure({**cell, "system": "RF"})["error"] > 0.3


def test_robustness_and_posteriors_are_measured(monkeypatch):
    for module in (robustness, posteriors):
        monkeypatch.setattr(module, "N_TEST", 50)
    cell = {"problem": "Trunk", "p": 10, "transformation": "affine", "system": "Frank"}
    assert 0 <= robustness.measure({**cell, "d": 4, "seed": 0})["error"] <= 0.5
    monkeypatch.setattr(posteriors, "N", 60)
    values = posteriors.measure({"kind": "corrupted", "system": "RR-RF(r)", "seed": 0})
    assert 0 < values["hellinger"] < 1


def test_regressions_that_leave_one_sample_out_are_those_of_scikit_learn():
    from sklearn.model_selection import LeaveOneOut, cross_val_predict

    X, y = markers.simulate((15, 6), 0)
    columns = np.stack([X[:, [0, 6]], X[:, [3, 40]]]).astype(np.float64)
    found = markers.leave_one_out(columns, y)
    for candidate, probability in zip(columns, found, strict=True):
        expected = cross_val_predict(
            markers.make_regression(), candidate, y, cv=LeaveOneOut(), method="predict_proba"
        )
        np.testing.assert_allclose(probability, expected[:, 1], atol=1e-3)


def test_stripes_are_five_whole_lines_of_either_direction():
    X, y = stripes.draw_stripes(40, 0)
    images = X.reshape(40, 20, 20)
    assert y.tolist() == [0] * 20 + [1] * 20
    assert (images[y == 0].all(axis=2).sum(axis=1) == 5).all()
    assert (images[y == 1].all(axis=1).sum(axis=1) == 5).all()
    assert (X.sum(axis=1) == 100).all()


@pytest.mark.parametrize("system", stripes.SYSTEMS)
def test_forests_on_stripes_are_measured(system, monkeypatch):
    monkeypatch.setattr(stripes, "N_TEST", 40)
    monkeypatch.setattr(stripes, "N_TREES", 20)
    cell = {"system": system, "n": 10, "d": 20, "nonzeros": 2, "seed": 0}
    values = stripes.measure(cell)
    assert set(values) == set(stripes.VALUES)
    assert 0 <= values["oob_error"] <= 1
