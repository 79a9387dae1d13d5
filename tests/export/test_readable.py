"""Trees as text and as dictionaries say what the forest does."""

import json

import numpy as np
import pandas as pd
import pytest
from mixed_frames import make_frame, new_rows
from scipy.sparse import csr_array
from sklearn.datasets import load_digits, load_iris

import silvan
from silvan import ForestClassifier, ForestRegressor, ManifoldForestClassifier
from silvan.export import to_dict, to_text
from silvan.projections import AxisAligned, UniformCombinations


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def predict_by_dict(description, x):
    """Walk a row down the trees of a description."""
    total = 0.0
    for nodes in description["trees"]:
        node = nodes[0]
        while "values" not in node:
            value = np.float32(0)
            terms = list(zip(node["features"], node["coefficients"], strict=True))
            for feature, weight in terms:
                if not isinstance(weight, dict):
                    value += np.float32(weight) * x[feature]
            for feature, codes in terms:
                if isinstance(codes, dict):
                    known = x[feature] is not None
                    value += np.float32(codes.get(x[feature], 0.0) if known else np.nan)
            if node["threshold"] is None or np.isnan(value):
                left = np.isnan(value) == (node["missing"] == "left")
            else:
                left = value <= np.float32(node["threshold"])
            node = nodes[node["left" if left else "right"]]
        total = total + np.array(node["values"])
    return total / len(description["trees"])


def test_a_dictionary_is_all_that_predictions_need(iris):
    X, y = iris
    X = X.astype(np.float32)
    X[::4, 2] = np.nan
    for distribution in (AxisAligned(), UniformCombinations(3)):
        forest = ForestClassifier(3, projections=distribution, random_state=0).fit(X, y)
        description = json.loads(json.dumps(to_dict(forest), allow_nan=False))
        predicted = np.array([predict_by_dict(description, x) for x in X])
        np.testing.assert_allclose(predicted, forest.predict_proba(X), atol=1e-12)
        assert description["classes"] == [0, 1, 2]
        assert description["shape"] is None


def test_dictionaries_write_patches_over_features():
    X, y = load_digits(return_X_y=True)
    X = X[:200].reshape(-1, 8, 8).astype(np.float32)
    forest = ManifoldForestClassifier(2, channels="raw", max_size=6, random_state=0).fit(X, y[:200])
    description = to_dict(forest)
    assert description["shape"] == [8, 8]
    predicted = np.array([predict_by_dict(description, x.ravel()) for x in X])
    np.testing.assert_allclose(predicted, forest.predict_proba(X), atol=1e-12)


def test_dictionaries_and_texts_name_categories():
    X, y, _ = make_frame()
    forest = ForestClassifier(4, max_features=6, random_state=0).fit(X, y)
    description = json.loads(json.dumps(to_dict(forest), allow_nan=False))
    assert description["categories"][0] == ["blue", "green", "pink", "red", "white"]
    assert description["categories"][1] is None
    rows = new_rows()
    values = rows.to_numpy(dtype=object)
    for j in (0, 2):
        values[pd.isna(values[:, j]), j] = None
    predicted = np.array([predict_by_dict(description, x) for x in values])
    np.testing.assert_allclose(predicted, forest.predict_proba(rows), atol=1e-12)


def test_text_of_categories():
    X = pd.DataFrame({"colour": ["red", "blue", "green", None] * 10, "x": np.zeros(40)})
    y = np.array([1.0, 0.0, 0.0, 5.0] * 10)
    distribution = AxisAligned()
    forest = ForestRegressor(
        1, projections=distribution, max_features=2, max_depth=2, bootstrap=False, random_state=0
    ).fit(X, y)
    codes = to_dict(forest)["trees"][0][0]["coefficients"][0]
    assert set(codes) == {"red", "blue", "green"}
    assert codes["red"] > codes["blue"] == codes["green"]
    text = to_text(forest, max_terms=2, show_missing=True)
    assert f"colour {{blue: {codes['blue']:.2f}, green: {codes['green']:.2f}, ... 1 more}}" in text
    assert "or missing" in text or "is missing" in text
    whole = to_text(forest)
    assert f"colour {{red: {codes['red']:.2f}, " in whole


def test_text_of_a_stump(iris):
    X, y = iris
    frame = pd.DataFrame(X[:100, [1, 2]], columns=["b", "c"])
    forest = ForestClassifier(
        1, projections=AxisAligned(), max_features=None, max_depth=1, bootstrap=False
    ).fit(frame, np.array(["one", "two"])[y[:100]])
    text = "|--- c <= 2.45\n|   |--- class: one\n|--- c >  2.45\n|   |--- class: two"
    assert to_text(forest) == text
    renamed = to_text(forest, feature_names=["B", "C"], decimals=3, show_missing=True)
    side = "<= 2.450" if forest.forest_.missing_left[0] else ">  2.450"
    text = text.replace("c ", "C ").replace("2.45", "2.450")
    assert renamed == text.replace(side, f"{side} or missing")


def test_text_says_which_leaves_it_left_out(iris):
    X, y = iris
    forest = ForestClassifier(3, random_state=0).fit(X, y)
    for tree in range(3):
        text = to_text(forest, tree, max_depth=1)
        hidden = sum(
            int(line.split("... ")[1].split()[0]) for line in text.split("\n") if "..." in line
        )
        shown = text.count("class:")
        assert hidden + shown == np.diff(forest.forest_.leaf_offsets)[tree]
    assert "..." not in to_text(forest, max_depth=None)


def test_text_of_patches_is_in_the_terms_of_the_grid():
    X, y = load_digits(return_X_y=True)
    forest = ManifoldForestClassifier(
        1, channels="raw", shape=(8, 8), max_size=6, max_depth=3, random_state=0
    )
    text = to_text(forest.fit(X, y))
    direction = forest.forest_.directions(0)[[0]].toarray().reshape(8, 8)
    rows, columns = np.flatnonzero(direction.any(axis=1)), np.flatnonzero(direction.any(axis=0))
    box = f"sum X[{rows[0]}:{rows[-1] + 1}, {columns[0]}:{columns[-1] + 1}]"
    assert text.startswith(f"|--- {box} <= ")


def test_long_directions_are_cut_short(iris):
    X, y = iris
    forest = ForestRegressor(1, projections=UniformCombinations(4), max_depth=2, random_state=0)
    forest.fit(X, np.column_stack([y, 10 * y]))
    assert " + ... 2 more <= " in to_text(forest, max_terms=2)
    assert "value: [" in to_text(forest)


def test_text_of_splits_on_missingness():
    X = np.where(np.arange(40)[:, None] % 2, np.nan, 1.0)
    forest = ForestClassifier(1, bootstrap=False, projections=AxisAligned(), random_state=0)
    text = to_text(forest.fit(X, np.arange(40) % 2))
    assert text.split("\n")[::2] == ["|--- x[0] is there", "|--- x[0] is missing"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tree": 3}, "tree must be an integer from 0 to 2"),
        ({"max_depth": 0}, "max_depth must be an integer >= 1 or None"),
        ({"decimals": -1}, "decimals must be an integer >= 0"),
        ({"max_terms": 0}, "max_terms must be"),
        ({"show_missing": 1}, "show_missing must be True or False"),
        ({"feature_names": ["a"]}, "feature_names must be None or a sequence of 4 names"),
    ],
)
def test_wrong_parameters_are_refused(options, message, iris):
    forest = ForestClassifier(3, random_state=0).fit(*iris)
    with pytest.raises(ValueError, match=message):
        to_text(forest, **options)


def test_small_numbers_are_not_written_as_zero():
    X, y = load_iris(return_X_y=True)
    forest = ForestClassifier(1, projections=AxisAligned(), max_depth=1, random_state=0)
    text = to_text(forest.fit(X * 1e-5, y))
    threshold = float(text.split("<= ")[1].split("\n")[0])
    assert threshold == pytest.approx(forest.forest_.threshold[0], rel=0.05)
    assert threshold < 1e-4


def test_signs_are_not_taken_for_parts_of_names():
    difference = silvan.projections.Dictionary(csr_array([[-1.0, 1.0], [-0.5, 1.0]]))
    X = pd.DataFrame({"worst area": [0.0, 0, 1, 1], "size": [0.0, 1, 0, 1]})
    forest = ForestClassifier(8, projections=difference, random_state=0).fit(X, [0, 1, 0, 1])
    text = "".join(to_text(forest, tree) for tree in range(8))
    assert "--- - worst area + size <=" in text
    assert "--- -0.50*worst area + size <=" in text
    assert "-worst" not in text
