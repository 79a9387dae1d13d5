"""Categorical features: codes at nodes, directions over them, and what users see."""

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from categorical_tree import CategoricalTree
from growing import draw_rows, grow, make_options, make_rows
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from projections.registry import CASES, named
from scipy.sparse import eye_array
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import OneHotEncoder
from test_reference import assert_tree_equals_reference, find_estimation_rows

import silvan
from silvan import ForestClassifier, ForestRegressor, ManifoldForestClassifier, _core
from silvan.projections import AxisAligned, Patches, ProjectionDistribution, SparseSigns

SETTINGS = settings(
    max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)


def make_mixed(rng, n, n_categories, missing):
    """Numbers and numbers of categories, some of them new (-1) or missing."""
    X = rng.normal(size=(n, len(n_categories))).astype(np.float32)
    for j, count in enumerate(n_categories):
        if count:
            X[:, j] = rng.integers(-1 if missing else 0, count, n)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X


def make_distribution(kind, p):
    distributions = {
        "axis": _core.axis_aligned(p),
        "signs": _core.sparse_signs(p, 2.0, False),
        "uniform": _core.uniform_combinations(p, 2),
    }
    return distributions[kind]


def grow_both(seed, n, n_categories, family, missing, options, labels, targets, honest):
    """One tree natively and by the reference."""
    rng = np.random.default_rng([seed, n])
    X = make_mixed(rng, n, n_categories, missing)
    given = targets if labels is None else labels
    options = make_options(seed=seed, n_categories=n_categories, **options)
    rows = make_rows(n) | {"estimation_share": honest}
    distribution = make_distribution(family, len(n_categories))
    arrays = grow(X, given, distribution, options, rows=rows, source=X)
    reference = CategoricalTree(
        X,
        targets,
        draw_rows(rows, seed, 0) * 1.0,
        distribution,
        options,
        labels=labels,
        estimation=find_estimation_rows(rows, options),
    )
    assert_tree_equals_reference(arrays, reference)
    return arrays, reference


FAMILIES = st.sampled_from(["axis", "signs", "uniform"])
CATEGORIES = st.sampled_from([[3], [0, 4], [5, 0, 2], [40, 0, 0, 7], [2, 2, 2], [0, 1, 0]])


@SETTINGS
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 120),
    n_categories=CATEGORIES,
    n_classes=st.integers(2, 6),
    family=FAMILIES,
    missing=st.booleans(),
    honest=st.sampled_from([0.0, 0.0, 0.5]),
)
def test_classification_tree_equals_the_reference(
    seed, n, n_categories, n_classes, family, missing, honest
):
    labels = np.random.default_rng(seed).integers(0, n_classes, n).astype(np.int32)
    options = {"n_outputs": n_classes, "n_directions": 3}
    one_hot = np.eye(n_classes)[labels]
    grow_both(seed, n, n_categories, family, missing, options, labels, one_hot, honest)


@SETTINGS
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 120),
    n_categories=CATEGORIES,
    n_outputs=st.integers(1, 3),
    family=FAMILIES,
    missing=st.booleans(),
)
def test_regression_tree_equals_the_reference(seed, n, n_categories, n_outputs, family, missing):
    targets = np.random.default_rng(seed).integers(-512, 512, (n, n_outputs)) / 64.0
    options = {"criterion": "squared_error", "n_outputs": n_outputs, "n_directions": 3}
    grow_both(seed, n, n_categories, family, missing, options, None, targets, 0.0)


def test_the_reference_meets_splits_over_numbers_and_categories():
    labels = np.random.default_rng(0).integers(0, 3, 150).astype(np.int32)
    options = {"n_outputs": 3, "n_directions": 3}
    arrays, _ = grow_both(
        0, 150, [6, 0, 0, 4], "signs", False, options, labels, np.eye(3)[labels], 0.0
    )
    indptr, over = arrays["direction_indptr"], arrays["direction_indices"] >= 4
    kinds = {(over[a:b].any(), (~over[a:b]).any()) for a, b in pairwise(indptr)}
    assert kinds >= {(True, True), (True, False), (False, True)}


def make_frame(n=400, seed=0):
    """Colour and size decide together; the shop is a useless name."""
    rng = np.random.default_rng(seed)
    colour = rng.choice(["red", "green", "blue", "black", "white", "pink"], n)
    size = rng.normal(size=n).astype(np.float32)
    frame = pd.DataFrame(
        {
            "colour": pd.Categorical(colour),
            "size": size,
            "shop": [f"shop {i}" for i in rng.integers(0, 60, n)],
        }
    )
    warm = np.isin(colour, ["red", "pink", "white"])
    return frame, np.where(warm ^ (size > 0), "sold", "kept")


@pytest.mark.parametrize("case", CASES, ids=named)
def test_every_distribution_reads_categories(case):
    X, y = make_frame()
    unseen, truth = make_frame(seed=1)
    forest = ForestClassifier(60, projections=case.build(3), max_features=3, random_state=0)
    assert forest.fit(X, y).score(unseen, truth) > 0.85
    size_alone = ["size", "size", "size"]
    numbers = clone(forest).fit(X[size_alone].to_numpy(), y)
    assert numbers.score(unseen[size_alone].to_numpy(), truth) < 0.65


def test_a_useless_column_of_many_categories_does_not_win():
    rng = np.random.default_rng(0)
    n = 1000
    X = np.column_stack([rng.integers(0, 500, n), rng.normal(size=n)]).astype(np.float32)
    y = (X[:, 1] + 0.5 * rng.normal(size=n) > 0).astype(int)
    forest = ForestClassifier(
        60, projections=AxisAligned(), max_features=2, categorical_features=[0], random_state=0
    ).fit(X[:500], y[:500])
    alone = ForestClassifier(60, random_state=0).fit(X[:500, 1:], y[:500])
    assert forest.score(X[500:], y[500:]) > alone.score(X[500:, 1:], y[500:]) - 0.02


def test_out_of_bag_scores_are_honest_with_many_categories():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 300, (800, 2)).astype(np.float32)
    y = rng.integers(0, 2, 800)
    forest = ForestClassifier(60, categorical_features=[0, 1], oob_score=True, random_state=0).fit(
        X, y
    )
    assert abs(forest.oob_score_ - 0.5) < 0.06


@pytest.mark.parametrize("chosen", [[0, 2], ["colour", "shop"], [True, False, True], "from_dtype"])
def test_columns_are_named_in_four_ways(chosen):
    X, y = make_frame()
    forest = ForestClassifier(5, categorical_features=chosen, random_state=0).fit(X, y)
    by_dtype = ForestClassifier(5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(forest.predict_proba(X), by_dtype.predict_proba(X))
    assert list(forest.forest_.n_categories) == [6, 0, X["shop"].nunique()]
    assert list(forest.feature_names_in_) == ["colour", "size", "shop"]


@pytest.mark.parametrize("kind", ["category", "str", "object", "string"])
def test_from_dtype_finds_categories_of_every_type(kind):
    X, y = make_frame()
    X["shop"] = X["shop"].astype(kind)
    assert list(ForestClassifier(2).fit(X, y).forest_.n_categories > 0) == [True, False, True]


def test_polars_frames_give_the_same_forest():
    polars = pytest.importorskip("polars")
    X, y = make_frame()
    same = polars.DataFrame({name: X[name].to_list() for name in X}).with_columns(
        polars.col("colour").cast(polars.Categorical)
    )
    forest = ForestClassifier(5, random_state=0).fit(X, y)
    other = ForestClassifier(5, random_state=0).fit(same, y)
    np.testing.assert_array_equal(forest.predict_proba(X), other.predict_proba(same))


def test_numbers_can_be_categories_and_their_values_do_not_matter():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 8, (300, 3))
    y = np.isin(X[:, 0], [1, 4, 6]).astype(int)
    names = np.array([10**12, 7, -3, 5, 0, 2**40, 99, 1])
    forest = ForestClassifier(10, categorical_features=[0, 1, 2], random_state=0).fit(X, y)
    order = np.argsort(names)
    renamed = names[order][X]
    other = ForestClassifier(10, categorical_features=[0, 1, 2], random_state=0).fit(renamed, y)
    np.testing.assert_array_equal(forest.predict_proba(X), other.predict_proba(renamed))
    assert forest.score(X, y) == 1.0


@pytest.mark.parametrize("scaling", ["rank", "minmax", "standard"])
def test_scaling_leaves_categories_alone(scaling):
    X, y = make_frame()
    unseen, truth = make_frame(seed=1)
    forest = ForestClassifier(40, scaling=scaling, max_features=3, random_state=0).fit(X, y)
    assert forest.score(unseen, truth) > 0.9


def test_unseen_categories_are_average_and_missing_ones_are_missing():
    X, y = make_frame()
    X.loc[::7, "colour"] = None
    forest = ForestClassifier(30, random_state=0).fit(X, y)
    rows = X[:4].astype({"colour": object})
    rows["colour"] = ["mauve", None, np.nan, pd.NA]
    encoded = forest._encoded(rows)
    np.testing.assert_array_equal(encoded[:, 0], [-1, np.nan, np.nan, np.nan])
    probabilities = forest.predict_proba(rows)
    assert np.isfinite(probabilities).all()
    # A row of unseen categories alone goes where value 0 goes at every split.
    only = ForestClassifier(1, bootstrap=False, random_state=0).fit(X[["colour"]], y)
    node = 0
    while only.forest_.left[node] >= 0:
        node = only.forest_.left[node] + int(only.forest_.threshold[node] < 0)
    new = pd.DataFrame({"colour": ["mauve"]})
    assert only.apply(new)[0, 0] == node


def test_rows_in_any_order_give_the_same_forest():
    X, y = make_frame()
    order = np.random.default_rng(3).permutation(len(X))
    forest = ForestClassifier(10, random_state=0).fit(X, y)
    other = ForestClassifier(10, random_state=0, n_jobs=2).fit(X.iloc[order], y[order])
    np.testing.assert_array_equal(forest.predict_proba(X), other.predict_proba(X))


def test_training_rows_reach_the_leaves_that_they_grew():
    X, y = make_frame()
    for distribution in (SparseSigns(density=1.0), Patches((3,), max_size=3)):
        forest = ForestClassifier(5, projections=distribution, random_state=0).fit(X, y)
        leaves = forest.apply(X)
        for tree in range(5):
            part = forest.forest_.tree(tree)
            for leaf in np.flatnonzero(part.left < 0):
                number = -1 - part.left[leaf]
                members = part.members[slice(*part.member_indptr[number : number + 2])]
                assert (leaves[members, tree] == leaf).all()


def test_one_row_and_many_are_predicted_alike():
    X, y = make_frame()
    forest = ForestClassifier(20, random_state=0).fit(X, y)
    together = forest.predict_proba(X[:40])
    singly = np.vstack([forest.predict_proba(X[i : i + 1]) for i in range(40)])
    np.testing.assert_array_equal(together, singly)


def test_importances_have_an_entry_per_column():
    X, _ = make_frame()
    y = X["colour"].isin(["red", "pink", "white"]) + X["size"]
    forest = ForestRegressor(40, random_state=0).fit(X, y)
    assert forest.feature_importances_.shape == (3,)
    assert forest.feature_importances_.sum() == pytest.approx(1.0)
    assert forest.feature_importances_[:2].min() > forest.feature_importances_[2]
    directions = forest.forest_.directions()
    assert directions.shape == (forest.forest_.n_nodes, 3)
    assert directions.has_sorted_indices
    stored = forest.forest_.stored_directions()
    codes = stored[:, 3:9].toarray().astype(np.float64)
    met = np.maximum(np.diff(stored[:, 3:9].tocsr().indptr), 1)
    spread = np.sqrt((codes**2).sum(axis=1) / met)
    np.testing.assert_allclose(directions[:, [0]].toarray()[:, 0], spread, rtol=1e-6)
    np.testing.assert_array_equal(directions[:, [1]].toarray(), stored[:, [1]].toarray())


def test_python_distributions_see_codes():
    seen = []

    class Watcher(ProjectionDistribution):
        def sample(self, node, rng):
            seen.append((node.X, node.targets))
            return eye_array(1, node.n_features)

    X, y = make_frame()
    forest = ForestClassifier(1, projections=Watcher(), bootstrap=False, random_state=0)
    forest.fit(X[["colour", "size"]], y)
    root, _ = seen[0]
    np.testing.assert_array_equal(root[:, 1], X["size"])
    codes = {c: np.unique(root[(X["colour"] == c).to_numpy(), 0]) for c in set(X["colour"])}
    assert all(len(values) == 1 for values in codes.values())
    assert len({float(values[0]) for values in codes.values()}) > 3


def test_files_pickles_and_warm_starts_keep_categories(tmp_path):
    X, y = make_frame()
    forest = ForestClassifier(6, random_state=0, oob_score=False).fit(X, y)
    forest.save(tmp_path / "forest")
    for other in (silvan.load(tmp_path / "forest"), pickle.loads(pickle.dumps(forest))):
        np.testing.assert_array_equal(other.predict_proba(X), forest.predict_proba(X))
    warm = clone(forest).set_params(n_estimators=3, warm_start=True).fit(X, y)
    warm.set_params(n_estimators=6).fit(X, y)
    np.testing.assert_array_equal(warm.predict_proba(X), forest.predict_proba(X))
    renamed = X.assign(colour=X["colour"].cat.rename_categories({"red": "rot"}))
    with pytest.raises(ValueError, match="categories are not what they were"):
        warm.set_params(n_estimators=7).fit(renamed, y)


def test_warm_start_refuses_categories_that_became_numbers():
    rng = np.random.default_rng(0)
    X, y = np.column_stack([rng.integers(0, 4, 80), rng.normal(size=80)]), rng.integers(0, 2, 80)
    forest = ForestClassifier(3, categorical_features=[0], warm_start=True, random_state=0).fit(
        X, y
    )
    with pytest.raises(ValueError, match="categories are not what they were"):
        forest.set_params(categorical_features=None).fit(X, y)
    assert forest.categories_ is not None


def test_regression_with_several_outputs():
    X, _ = make_frame()
    targets = np.column_stack([X["colour"].cat.codes % 2 + X["size"], X["size"]])
    forest = ForestRegressor(40, random_state=0, oob_score=True).fit(X, targets)
    assert forest.oob_score_ > 0.9


def test_letters_of_a_sequence_are_read_by_patches():
    rng = np.random.default_rng(0)
    X = rng.choice(list("ACGT"), (600, 30)).astype(object)
    y = rng.integers(0, 2, 600)
    for i in np.flatnonzero(y):
        start = rng.integers(10, 14)
        X[i, start : start + 6] = list("GATTAC")
    frame = pd.DataFrame(X, columns=[f"at{j}" for j in range(30)])
    forest = ManifoldForestClassifier(60, channels="raw", max_size=6, random_state=0)
    forest.fit(frame[:400], y[:400])
    assert forest.score(frame[400:], y[400:]) > 0.8
    assert forest.feature_importances_[10:20].sum() > 0.6


def test_scikit_learn_inspects_frames_with_categories():
    X, y = make_frame()
    forest = ForestClassifier(30, random_state=0).fit(X, y)
    drops = permutation_importance(forest, X, y, n_repeats=2, random_state=0).importances_mean
    assert drops[:2].min() > drops[2]
    averages = partial_dependence(
        forest, X, features=["colour"], categorical_features=["colour"], kind="average"
    )["average"]
    assert averages.shape == (1, 6)
    assert cross_val_score(ForestClassifier(30, random_state=0), X, y, cv=3).mean() > 0.9
    encoder = make_column_transformer(
        (OneHotEncoder(), ["colour", "shop"]), remainder="passthrough"
    )
    assert encoder.fit_transform(X).shape[1] > forest.n_features_in_


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("colour", r"pass \['colour'\] for single columns"),
        ([0, "shop"], "a list that has the positions, the names or a truth value"),
        ([0.5], "a list that has the positions"),
        (3, "a list that has the positions"),
        ([3], "positions from 0 to 2, since X has 3 columns"),
        ([-1], "positions from 0 to 2"),
        (["hue"], "X has no column 'hue'"),
        ([True, False], "a boolean for each of the 3 columns"),
    ],
)
def test_wrong_choices_are_explained(value, message):
    X, y = make_frame(50)
    with pytest.raises(ValueError, match=message):
        ForestClassifier(2, categorical_features=value).fit(X, y)


def test_names_need_a_frame():
    with pytest.raises(ValueError, match="since X has no column names"):
        ForestClassifier(2, categorical_features=["a"]).fit(np.eye(4), [0, 1, 0, 1])


def test_strings_in_an_array_are_told_what_to_do():
    X = np.array([["red", 1.0], ["blue", 2.0], ["red", 3.0]], dtype=object)
    with pytest.raises(ValueError, match="categorical_features"):
        ForestClassifier(2).fit(X, [0, 1, 0])
    forest = ForestClassifier(2, categorical_features=[0], random_state=0).fit(X, [0, 1, 0])
    assert forest.predict([["red", 1.0]]).shape == (1,)


def test_values_that_cannot_be_looked_up_are_refused():
    X = np.empty((2, 1), dtype=object)
    X[:, 0] = [["a"], ["b"]]
    with pytest.raises(ValueError, match="column 0 of X cannot be categorical"):
        ForestClassifier(2, categorical_features=[0]).fit(X, [0, 1])


def test_odd_columns_are_survived():
    X = pd.DataFrame(
        {
            "constant": ["same"] * 20,
            "missing": pd.Series([None] * 20, dtype="object"),
            "ids": [f"id{i}" for i in range(20)],
            "mixed": [1, "one"] * 10,
        }
    )
    y = np.arange(20) % 2
    forest = ForestClassifier(
        20, categorical_features=["constant", "missing", "ids", "mixed"], random_state=0
    ).fit(X, y)
    assert list(forest.forest_.n_categories) == [1, 0, 20, 2]
    assert forest.score(X, y) == 1.0
