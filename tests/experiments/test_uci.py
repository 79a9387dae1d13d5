"""The experiments on UCI sets: splits, grids, order of work, choices and signs."""

from __future__ import annotations

import numpy as np
import pytest
from experiments import (
    boosting,
    defaults,
    uci_folds,
    uci_systems,
    uci_transformations,
    uci_tuning,
)
from experiments.arguments import Arguments
from experiments.store import Store
from experiments.uci import UciSet, is_chosen_on, load_uci, read_index

from silvan import ForestClassifier


@pytest.fixture
def data(tmp_path):
    """Two sets on disk: a small one, and one of more than a thousand rows."""
    folder = tmp_path / "uci"
    folder.mkdir()
    rng = np.random.default_rng(0)
    lines = ["name,n,p,n_categorical,chance_error,table_RF,table_RerF,table_FRC,table_RF_matched"]
    for name, n in (("large", 1500), ("small", 60)):
        X = rng.normal(size=(n, 6)).astype(np.float32)
        X[:, 0] = X[:, 1] + 0.1 * X[:, 0]
        y = (X[:, 1] + 0.5 * X[:, 2] > 0).astype(np.int16)
        np.savez(folder / f"{name}.npz", X=X, y=y, fold=np.arange(n) % 5)
        lines.append(f"{name},{n},6,0,0.5,0.1,0.1,0.1,1")
    (folder / "index.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def make_arguments(data):
    return Arguments("test", quick=False, seeds=1, jobs=1, data=data, output=data)


def test_sets_split_by_folds_and_are_listed_by_their_work(data):
    assert list(read_index(data)) == ["small", "large"]
    split = load_uci(data, "small").split(0, 3)
    assert (len(split.y_train), len(split.y_test)) == (36, 24)
    with pytest.raises(FileNotFoundError, match="SILVAN_DATA"):
        read_index(data / "uci")


def test_about_half_of_all_names_are_chosen_on():
    chosen = sum(is_chosen_on(f"set {k}") for k in range(2000))
    assert 900 < chosen < 1100
    assert is_chosen_on("iris") == is_chosen_on("iris")


def test_large_sets_come_last_fold_by_fold(data):
    cells = uci_tuning.list_cells(make_arguments(data), uci_folds.NAMES)
    order = [(cell["dataset"], cell["fold"]) for cell in cells[::3]]
    small = [("small", k) for k in range(5)]
    assert order == [*small, *[("large", k) for k in range(5)]]


@pytest.mark.parametrize("system", uci_tuning.SYSTEMS)
def test_folds_are_measured_and_chosen_forests_are_named(data, system):
    cell = {"dataset": "small", "fold": 1, "system": system, "data": data}
    found = uci_tuning.measure(cell)
    assert set(found) == set(uci_tuning.VALUES)
    assert found["trees"] == 300
    assert found["error"] < 0.5
    if system == "RerF":
        assert int(found["directions"]) in (1, 2, 3, 4, 5)
        assert found["d"] in (2, 4, 6, 36)


def test_a_cell_may_allow_all_directions():
    few = uci_tuning.make_grid("RerF", 1000, 20)["max_features"]
    every = uci_tuning.make_grid("RerF", 1000, 20, np.inf)["max_features"]
    assert (max(few), max(every)) == (100, 400)


def test_systems_without_bootstrap_are_tuned_with_it_and_grown_without(data, monkeypatch):
    grown = []
    fit = ForestClassifier.fit

    def record(self, X, y):
        grown.append(self.bootstrap)
        return fit(self, X, y)

    monkeypatch.setattr(ForestClassifier, "fit", record)
    for system in ("CCF", "Rot-For", "RF"):
        uci_tuning.measure({"dataset": "small", "fold": 0, "system": system, "data": data})
    # Candidates of a race share their samples and are not fitted one by one.
    assert grown == [False, False]
    assert uci_tuning.make_search("CCF", 100, 6, 0).estimator.bootstrap


def test_ranks_groups_and_corrections_are_those_of_the_textbook():
    errors = np.array([[0.1, 0.2, 0.3], [0.1, 0.1, 0.4], [0.2, 0.3, 0.5], [0.3, 0.2, 0.6]])
    ranks = uci_systems.rank_systems(errors)
    np.testing.assert_allclose(ranks.mean, [1.375, 1.625, 3.0])
    # Demsar (2006): q = 2.343 for three systems at the level .05.
    assert ranks.critical == pytest.approx(2.343 * np.sqrt(3 * 4 / (6 * 4)), abs=1e-3)
    assert 0 < ranks.p_value < 0.05
    close = uci_systems.Ranks(np.array([1.0, 1.4, 2.2, 3.5]), 1.0, 0.0)
    assert uci_systems.find_groups(close) == [(1.0, 1.4), (1.4, 2.2)]
    adjusted = uci_systems.adjust_by_holm(np.array([0.04, 0.01, 0.03]))
    np.testing.assert_allclose(adjusted, [0.06, 0.03, 0.06])


def test_only_folds_that_all_systems_have_are_compared(tmp_path):
    store = Store(tmp_path / "folds.csv", uci_tuning.KEYS, uci_tuning.VALUES)
    systems = uci_folds.NAMES
    for fold in range(3):
        for system in systems[: 3 if fold < 2 else 1]:
            values = dict.fromkeys(uci_tuning.VALUES, 0) | {"error": 0.25 * fold}
            store.add({"dataset": "large", "fold": fold, "system": system, **values})
    assert uci_tuning.shared_folds(store, "large", systems) == {"0", "1"}
    assert uci_tuning.fold_error(store, "large", "RF", systems) == 0.125
    assert uci_tuning.measured_sets(store, {"large": {"n": "1500"}}, systems) == ["large"]
    assert uci_tuning.measured_sets(store, {"large": {"n": "500"}}, systems) == []


def test_directions_of_transformed_sets_follow_the_thesis():
    assert uci_transformations.list_directions(4, 100, oblique=False) == [1, 2, 3, 4]
    assert uci_transformations.list_directions(16, 100, oblique=False) == [2, 4, 8, 16]
    assert uci_transformations.list_directions(16, 100, oblique=True) == [2, 4, 8, 16, 64, 256]
    assert uci_transformations.list_directions(16, 1000, oblique=True) == [2, 4, 8, 16, 64, 100]


def test_training_and_test_rows_are_transformed_alike(data):
    split = uci_transformations.split_set(load_uci(data, "small"))
    changed = uci_transformations.transform(split, "affine", seed=3)
    again = uci_transformations.transform(split, "affine", seed=3)
    np.testing.assert_array_equal(changed.X_test, again.X_test)
    matrix = np.linalg.lstsq(split.X_train, changed.X_train, rcond=None)[0]
    scale = np.abs(changed.X_test).max(axis=0)
    np.testing.assert_allclose((split.X_test @ matrix) / scale, changed.X_test / scale, atol=1e-5)


def test_signs_say_which_way_a_difference_goes():
    gaps = np.linspace(0.01, 0.2, 20)
    assert uci_transformations.sign(-gaps) == "+"
    assert uci_transformations.sign(gaps) == "-"
    assert uci_transformations.sign(gaps * np.resize([1, -1], 20)) == " "
    assert uci_transformations.sign(np.zeros(5)) == " "


def test_a_default_must_be_cheap_and_no_worse_on_average():
    settings = [("signs 2", "sqrt"), ("axis", "2p"), ("signs 5", "p"), ("signs 3", "p")]
    earlier = settings[0]
    # The second is best but slow, the third has the best ranks but one disaster.
    errors = np.array([[0.4, 0.1, 0.2, 0.3]] * 5 + [[0.4, 0.1, 9.0, 0.3]])
    seconds = np.array([[1.0, 10.0, 1.0, 2.0]] * 6)
    evidence = defaults.Evidence(settings, errors, seconds, np.ones(6, dtype=bool))
    np.testing.assert_allclose(evidence.times(earlier), [1, 10, 1, 2])
    assert defaults.choose(evidence, earlier) == ("signs 3", "p")


@pytest.mark.parametrize(("target", "task"), [("classes", "small"), ("numbers", "small feature")])
def test_settings_are_measured_against_the_best_constant(target, task, data):
    cell = {"target": target, "task": task, "distribution": "axis", "directions": "p", "data": data}
    assert 0 < defaults.measure(cell)["error"] < 0.8


def test_regression_on_a_feature_leaves_it_out():
    X = np.arange(20.0).reshape(10, 2) // [[7.0, 1.0]]
    assert defaults.most_varied(X) == 1
    folds = defaults._with_folds(X, X[:, 1])
    assert isinstance(folds, UciSet)
    assert sorted(np.bincount(folds.fold)) == [2, 2, 2, 2, 2]


def test_boosting_is_measured_on_fewer_folds_of_larger_sets_and_compared_by_size(data):
    cells = boosting.list_cells(read_index(data), data)
    systems = len(boosting.SYSTEMS)
    assert [cell["dataset"] for cell in cells] == ["small"] * 5 * systems + ["large"] * systems
    found = [boosting.measure(cell)["error"] for cell in cells[:systems]]
    assert all(0 <= error < 0.5 for error in found)
    errors = np.array([[0.1, 0.2, 0.3], [0.2, 0.2, 0.1], [0.3, 0.4, 0.3]])
    lines = boosting.compare_by_size(errors, np.array([100, 300, 2000])).splitlines()
    assert lines[2:] == [
        "| up to 300 rows | 2 | 0.1500 | 0.2000 | 0.2000 | 1 / 1 |",
        "| more | 1 | 0.3000 | 0.4000 | 0.3000 | 0 / 0 |",
    ]
