"""The experiment on categorical columns: data, encodings, cells and the codes of its ablation."""

from __future__ import annotations

import numpy as np
import pytest
from experiments import categories, category_systems
from experiments.arguments import Arguments
from experiments.data import Split
from experiments.encodings import CategorySplit, encode, join_groups, load_categories, simulate
from experiments.node_codes import SOURCES, NodeCodes, spread
from experiments.store import Store


@pytest.fixture
def data(tmp_path):
    """A set on disk whose second attribute is nominal, beside one that is too small."""
    folder = tmp_path / "uci"
    folder.mkdir()
    rng = np.random.default_rng(0)
    lines = ["name,n,p,n_categorical_3plus"]
    for name, n in (("nominal", 60), ("tiny", 10)):
        level = rng.integers(3, size=n)
        X = np.column_stack([rng.normal(size=n), np.eye(3)[level]]).astype(np.float32)
        y = (level == 1).astype(np.int16)
        group = np.array([0, 1, 1, 1])
        np.savez(folder / f"{name}.npz", X=X, y=y, fold=np.arange(n) % 5, feature_group=group)
        lines.append(f"{name},{n},4,1")
    (folder / "index.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_one_hot_columns_are_joined_to_the_categories_they_came_from():
    X = np.array([[0.5, 0, 1, 0, 7], [1.5, 1, 0, 0, 8], [2.5, 0, 0, 1, 9]], dtype=np.float32)
    joined, is_categorical = join_groups(X, np.array([3, 4, 4, 4, 6]))
    np.testing.assert_array_equal(joined, [[0.5, 1, 7], [1.5, 0, 8], [2.5, 2, 9]])
    np.testing.assert_array_equal(is_categorical, [False, True, False])


def test_large_sets_are_cut_and_split_by_their_folds(data):
    rows, is_categorical = load_categories(data, "nominal", fold=0, max_samples=40)
    assert len(rows.y_train) + len(rows.y_test) == 40
    np.testing.assert_array_equal(is_categorical, [False, True])
    np.testing.assert_array_equal(rows.y_test, rows.X_test[:, 1] == 1)


def test_encodings_learn_from_training_rows_alone():
    X_train = np.array([[0, 5], [0, 6], [2, 7], [2, 8]] * 10, dtype=np.float32)
    X_test = np.array([[2, 1], [3, 2]], dtype=np.float32)
    rows = Split(X_train, (X_train[:, 0] == 2).astype(int), X_test, np.zeros(2, dtype=int))
    split = CategorySplit(rows, np.array([True, False]))
    expected = {
        "native": X_test,
        "one-hot": [[0, 1, 1], [0, 0, 2]],
        "codes": [[1, 1], [-1, 2]],
        "grouped": [[1, 1], [np.nan, 2]],
        "target": [[1, 1], [0.5, 2]],
        "target, all rows": [[1, 1], [0.5, 2]],
    }
    for name, codes in expected.items():
        encoded = encode(name, split, 0)
        np.testing.assert_allclose(encoded.X_test, codes, atol=1e-6)
        np.testing.assert_array_equal(encoded.X_train[:, -1], X_train[:, 1])


@pytest.mark.parametrize("effect", ["additive", "interaction"])
def test_simulated_levels_matter_as_they_should(effect):
    rows, is_categorical = simulate(4, 3, effect, (20_000, 10), seed=1).split
    assert is_categorical.tolist() == [True, True] + [False] * 5
    shares = [rows.y_train[rows.X_train[:, 0] == k].mean() for k in range(4)]
    useless = [rows.y_train[rows.X_train[:, 1] == k].mean() for k in range(3)]
    assert np.ptp(useless) < 0.04
    assert (np.ptp(shares) > 0.2) == (effect == "additive")


def test_no_forest_is_better_than_the_best_possible_error(monkeypatch):
    monkeypatch.setattr(category_systems, "SIZES", (100, 2000))
    cell = {"levels": 5, "useless": 5, "effect": "additive", "seed": 0}
    for system in category_systems.systems(category_systems.SIMULATED_ENCODINGS)[-3:]:
        found = category_systems.measure_simulated({**cell, **system})
        assert found["bayes_error"] - 0.03 < found["error"] < 0.5
        assert np.isnan(found["oob_error"]) == (system["distribution"] == "boosting")


def test_sets_are_measured_by_every_system_and_summed_up(data, tmp_path):
    arguments = Arguments("test", quick=False, seeds=1, jobs=1, data=data, output=tmp_path)
    cells = categories.list_cells(arguments)
    assert {cell["dataset"] for cell in cells} == {"nominal"}
    assert len(cells) == 5 * 9
    keys = ("dataset", "fold", "distribution", "encoding")
    store = Store(tmp_path / "categories.csv", keys, categories.VALUES)
    for cell in cells:
        values = {"error": 0.2, "oob_error": 0.3, "fit_s": 1.0}
        if cell["encoding"] == "native":
            values = {"error": 0.1, "oob_error": 0.1, "fit_s": 0.5}
        store.add({**cell, **values})
    line = categories.summarise(store, "default").splitlines()[2]
    assert line == "| native | 1.50 | 1 | 0.1000 | +0.00 | 0.50 |"
    assert "| default: native against one-hot | 1 / 0 | -10.00 |" in categories.compare(store)
    assert 0 <= categories.measure(cells[0])["error"] < 0.5


def test_codes_in_python_are_means_of_the_rows_that_are_asked():
    levels = np.array([0, 0, 1, 1, 1, 2])
    y = np.array([0, 1, 1, 1, 1, 0])
    X = np.column_stack([levels, levels]).astype(np.float32)
    rows = CategorySplit(Split(X, y, X[:1], y[:1]), np.array([True, False]))
    split, starts = spread(rows)
    assert starts == (0, 3, 4)
    np.testing.assert_array_equal(split.X_train[:, :3], np.eye(3)[levels])
    drawn = {
        source: NodeCodes(starts, source).draw(2, 4, X=split.X_train, y=y, random_state=0).toarray()
        for source in SOURCES
    }
    codes = {source: found[found[:, 3] == 0, :3][0] for source, found in drawn.items()}
    expected = np.array([0.5, 1, 0]) - y.mean()
    np.testing.assert_allclose(codes["all rows"], expected, atol=1e-5)
    assert not np.allclose(codes["half of the rows"], expected)
