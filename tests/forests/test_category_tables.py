"""Categories of tables of every library, and splits on nothing but a missing category."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from mixed_frames import COLOURS, make_frame, new_rows

import silvan
from silvan import ForestClassifier, ForestRegressor


def as_arrow(X: pd.DataFrame, *, dictionary: bool = True) -> pa.Table:
    """The frame in several chunks, whose dictionaries differ."""
    text = [name for name in X if X[name].dtype != np.float32]
    columns = {
        name: pa.array(X[name], from_pandas=True).cast(pa.string())
        if name in text
        else pa.array(X[name])
        for name in X
    }
    parts = [pa.table(columns).slice(start, 70) for start in range(0, len(X), 70)]
    if dictionary:
        parts = [
            part.set_column(
                part.column_names.index(name), name, part.column(name).dictionary_encode()
            )
            for part in parts
            for name in text[:1]
        ]
    return pa.concat_tables(parts)


@pytest.mark.parametrize("dictionary", [False, True])
def test_tables_of_pyarrow_give_the_same_forest(dictionary):
    X, y, _ = make_frame()
    forest = ForestClassifier(5, random_state=0).fit(X, y)
    table = as_arrow(X, dictionary=dictionary)
    assert table.column(0).num_chunks == 3
    other = ForestClassifier(5, random_state=0).fit(table, y)
    assert list(other.feature_names_in_) == list(X.columns)
    np.testing.assert_array_equal(other.forest_.n_categories, forest.forest_.n_categories)
    unseen = new_rows()
    np.testing.assert_array_equal(
        other.predict_proba(as_arrow(unseen, dictionary=dictionary)), forest.predict_proba(unseen)
    )


def test_columns_of_pyarrow_can_be_named():
    X, y, _ = make_frame()
    chosen = ForestClassifier(5, categorical_features=["colour", "shop"], random_state=0)
    by_type = ForestClassifier(5, random_state=0).fit(as_arrow(X), y)
    np.testing.assert_array_equal(
        chosen.fit(as_arrow(X), y).predict_proba(X), by_type.predict_proba(X)
    )
    numbers = pa.table({"zip": pa.array([8001, 8002, None, 8001] * 10), "x": np.arange(40.0)})
    forest = ForestRegressor(2, categorical_features=["zip"]).fit(numbers, np.arange(40))
    np.testing.assert_array_equal(forest.categories_[0], [8001, 8002])
    keyed = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0] * 10), pa.array([8001, 8002]))
    same = ForestRegressor(2).fit(numbers.set_column(0, "zip", keyed), np.arange(40))
    np.testing.assert_array_equal(same.categories_[0], [8001, 8002])


def test_categories_that_do_not_occur_are_not_learnt():
    X, y, _ = make_frame()
    X["colour"] = X["colour"].cat.add_categories(["mauve"])
    forest = ForestClassifier(2, random_state=0).fit(X, y)
    np.testing.assert_array_equal(forest.categories_[0], COLOURS)


def test_categories_are_an_attribute():
    X, y, _ = make_frame()
    forest = ForestClassifier(2, random_state=0).fit(X, y)
    lengths = [None if known is None else len(known) for known in forest.categories_]
    assert lengths == [5, None, 12, None]
    assert forest.fit(X[["size", "noise"]], y).categories_ is None


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_numbers_beside_categories_keep_their_type(kind):
    X, y, _ = make_frame()
    X = X.astype({"size": kind, "noise": kind})
    forest = ForestClassifier(2, random_state=0).fit(X, y)
    assert forest._check_data(X, reset=False).dtype == kind


@pytest.mark.parametrize("distribution", [None, silvan.projections.AxisAligned()])
def test_a_split_on_a_missing_category_alone_is_kept(distribution, tmp_path):
    """Small nodes may ask no row for a code, and still part rows whose category is missing."""
    X, _, target = make_frame()
    options = {
        "projections": distribution,
        "max_features": 6,
        "bootstrap": False,
        "random_state": 0,
    }
    forest = ForestRegressor(20, **options).fit(X, target)
    arrays = forest.forest_.check()
    stored = arrays.stored_directions()
    nothing = (abs(stored).sum(axis=1) == 0) & (arrays.left >= 0)
    assert nothing.any()
    leaves = forest.apply(X)
    for tree in range(arrays.n_trees):
        part = arrays.tree(tree)
        for leaf in np.flatnonzero(part.left < 0):
            number = -1 - part.left[leaf]
            members = part.members[slice(*part.member_indptr[number : number + 2])]
            assert (leaves[members, tree] == leaf).all()
    assert forest.feature_importances_.sum() == pytest.approx(1.0)
    forest.save(tmp_path / "forest.silvan")
    loaded = silvan.load(tmp_path / "forest.silvan")
    np.testing.assert_array_equal(loaded.predict(new_rows()), forest.predict(new_rows()))


def test_a_column_without_a_known_category_is_warned_about():
    X, y, _ = make_frame()
    forest = ForestClassifier(5, random_state=0).fit(X, y)
    column = X.columns[0]
    other = X.astype({column: object})
    other[column] = np.arange(len(X)) % 5  # codes in place of strings
    with pytest.warns(
        UserWarning, match=f"column {column!r} of X has no category that the forest was fitted"
    ):
        forest.predict(other)
    with pytest.warns(UserWarning, match=f"column {column!r} of X .* all its samples count"):
        forest.predict(other[:1])
    numbers = ForestClassifier(5, categorical_features=[0], random_state=0).fit(
        np.column_stack([np.arange(len(y)) % 7, np.ones(len(y))]), y
    )
    strings = np.array([[str(k), 1.0] for k in range(7)], dtype=object)
    with pytest.warns(UserWarning, match="column 0 of X .* for example '0' where 0 was seen"):
        numbers.predict(strings)


def test_a_new_category_among_known_ones_is_not_warned_about():
    X, y, _ = make_frame()
    forest = ForestClassifier(5, random_state=0).fit(X, y)
    rows = X[:3].astype({X.columns[0]: object})
    rows.iloc[0, 0] = "unheard of"
    forest.predict(rows)
    forest.predict(rows[:1])
    rows[X.columns[0]] = None
    forest.predict(rows)


def test_large_integers_that_are_one_float_stay_two_categories(tmp_path):
    large = np.array([2**53, 2**53 + 1], dtype=object)
    codes = np.arange(200) % 2
    for missing in (False, True):
        X = large[codes][:, None]
        if missing:
            X = np.concatenate([X, [[None]] * 20])
        y = np.append(codes, np.zeros(len(X) - 200, dtype=int))
        forest = ForestClassifier(5, categorical_features=[0], random_state=0).fit(X, y)
        assert forest.categories_[0].tolist() == large.tolist()
        assert forest.score(X[:200], codes) == 1.0
        forest.save(tmp_path / "forest.safetensors")
        loaded = silvan.load(tmp_path / "forest.safetensors")
        np.testing.assert_array_equal(loaded.predict(X), forest.predict(X))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda X: X[[*X.columns[::-1]]], "must be in the same order"),
        (lambda X: X.assign(more="text"), "unseen at fit time"),
        (lambda X: X.iloc[:, 1:], "yet now missing"),
    ],
    ids=["order", "more", "fewer"],
)
def test_columns_in_another_order_or_number_are_reported_as_such(change, fault):
    X, y, _ = make_frame()
    X = X.assign(when=pd.date_range("2020-01-01", periods=len(X), freq="7h"))
    forest = ForestClassifier(2, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=fault):
        forest.predict(change(X))


def test_another_number_of_columns_without_names_is_reported_as_such():
    X = np.array([["a", 1.0], ["b", 2.0]] * 5, dtype=object)
    forest = ForestClassifier(2, categorical_features=[0], random_state=0).fit(X, [0, 1] * 5)
    with pytest.raises(ValueError, match="X has 3 features, but"):
        forest.predict(np.array([["a", 1.0, "text"]], dtype=object))
