"""Trees of limited leaves (max_leaf_nodes) and monotone constraints of bagged forests."""

import heapq

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from silvan import ForestClassifier, ForestRegressor, ManifoldForestClassifier
from silvan.projections import AxisAligned, Mixture, SparseSigns

SINGLE = {"projections": AxisAligned(), "max_features": None, "bootstrap": False}


@pytest.fixture(scope="module")
def rising():
    """Targets that mostly rise with the first feature and fall with the second."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4)).astype(np.float32)
    y = X[:, 0] - X[:, 1] + np.sin(4 * X[:, 0]) + np.cos(5 * X[:, 1]) + rng.normal(size=400)
    return X, y


def first_splits(forest, max_leaf_nodes):
    """Predictions of a tree's first splits, the one that gains most always next."""
    gain = {}
    for node, left in enumerate(forest.left):
        if left >= 0:
            sides = sum(forest.weight[c] * forest.impurity[c] for c in (left, left + 1))
            gain[node] = forest.weight[node] * forest.impurity[node] - sides
    queue, made = [(-gain[0], 0)], set()
    while queue and len(made) < max_leaf_nodes - 1:
        node = heapq.heappop(queue)[1]
        made.add(node)
        for child in (forest.left[node], forest.left[node] + 1):
            if child in gain:
                heapq.heappush(queue, (-gain[child], child))
    return made


@pytest.mark.parametrize("options", [{}, {"honest": True}, {"thresholds": "random"}])
def test_limited_trees_are_the_first_splits_of_whole_ones(rising, options):
    X, y = rising
    for seed in range(3):
        whole = ForestRegressor(1, random_state=seed, **options).fit(X, y)
        few = ForestRegressor(1, max_leaf_nodes=9, random_state=seed, **options).fit(X, y)
        made = first_splits(whole.forest_, 9)
        kept = few.forest_.left >= 0
        assert kept.sum() == len(made) == 8
        expected = sorted(whole.forest_.threshold[node] for node in made)
        np.testing.assert_array_equal(np.sort(few.forest_.threshold[kept]), expected)


@pytest.mark.parametrize("n_leaves", [2, 7, 30])
def test_single_features_give_the_trees_of_scikit_learn(rising, n_leaves):
    X, y = rising
    ours = ForestRegressor(1, max_leaf_nodes=n_leaves, **SINGLE).fit(X, y)
    theirs = DecisionTreeRegressor(max_leaf_nodes=n_leaves, random_state=0).fit(X, y)
    assert ours.forest_.leaf_offsets[-1] == theirs.get_n_leaves() == n_leaves
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6)


def test_limited_forests_are_the_same_for_any_number_of_threads(rising):
    X, y = rising
    frame = pd.DataFrame(X).assign(kind=pd.Categorical(np.array(list("abc"))[np.arange(400) % 3]))
    frame.columns = frame.columns.astype(str)
    one, three = (
        ForestRegressor(6, max_leaf_nodes=12, random_state=0, n_jobs=n).fit(frame, y)
        for n in (1, 3)
    )
    np.testing.assert_array_equal(one.predict(frame), three.predict(frame))
    assert (np.diff(one.forest_.leaf_offsets) <= 12).all()
    # A training sample ends in the leaf that it was grown into.
    nodes, forest = one.apply(frame), one.forest_
    for tree in range(6):
        first, last = forest.leaf_offsets[tree : tree + 2]
        leaf = -1 - forest.left[forest.tree_offsets[tree] + nodes[:, tree]]
        for number in range(last - first):
            members = slice(*forest.member_indptr[first + number : first + number + 2])
            assert (leaf[forest.members[members]] == number).all()


def test_a_limit_that_is_not_reached_changes_no_prediction(rising):
    X, y = rising
    classes = (y > 0).astype(int)
    whole = ForestClassifier(5, random_state=0).fit(X, classes)
    limited = ForestClassifier(5, random_state=0, max_leaf_nodes=400).fit(X, classes)
    np.testing.assert_array_equal(whole.predict_proba(X), limited.predict_proba(X))


def test_limited_trees_of_windows_grow():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 255, (60, 12, 12)).astype(np.uint8)
    y = (X[:, :4].mean(axis=(1, 2)) > 127).astype(int)
    forest = ManifoldForestClassifier(5, max_leaf_nodes=6, random_state=0).fit(X, y)
    assert (np.diff(forest.forest_.leaf_offsets) <= 6).all()
    assert forest.score(X, y) > 0.7


# Along features without a sign scikit-learn does not ask for bounds, and clips the leaves instead;
# here leaf values stay means.
SIGNS = [1, -1, 1, -1]


@pytest.mark.parametrize("limit", [None, 15])
def test_constrained_trees_are_those_of_scikit_learn(rising, limit):
    X, y = rising
    ours = ForestRegressor(1, monotonic_cst=SIGNS, max_leaf_nodes=limit, **SINGLE).fit(X, y)
    theirs = DecisionTreeRegressor(monotonic_cst=SIGNS, max_leaf_nodes=limit, random_state=0)
    np.testing.assert_allclose(ours.predict(X), theirs.fit(X, y).predict(X), rtol=1e-6)
    free = ForestRegressor(1, max_leaf_nodes=limit, **SINGLE).fit(X, y)
    assert not np.allclose(free.predict(X), ours.predict(X))


@pytest.mark.parametrize("criterion", ["absolute_error", "poisson"])
@pytest.mark.parametrize("limits", [{"max_depth": 4}, {"max_leaf_nodes": 12}], ids=str)
def test_constraints_hold_for_medians_and_means_of_counts(rising, criterion, limits):
    X, y = rising
    y = np.round(y - y.min()) if criterion == "poisson" else y
    options = {"criterion": criterion, "min_samples_leaf": 3, **limits}
    ours = ForestRegressor(1, monotonic_cst=SIGNS, **options, **SINGLE).fit(X, y)
    theirs = DecisionTreeRegressor(monotonic_cst=SIGNS, random_state=0, **options).fit(X, y)
    if criterion == "poisson":
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6)
    # Many splits have the same absolute error, and either tree takes one of them.
    errors = [np.abs(tree.predict(X) - y).mean() for tree in (ours, theirs)]
    assert errors[0] == pytest.approx(errors[1], rel=1e-12)
    free = ForestRegressor(1, **options, **SINGLE).fit(X, y)
    assert not np.allclose(free.predict(X), ours.predict(X))


def test_constrained_class_trees_are_those_of_scikit_learn(rising):
    X, y = rising
    classes = np.where(y > 0, "yes", "no")
    for criterion in ("gini", "entropy"):
        ours = ForestClassifier(1, monotonic_cst=SIGNS, criterion=criterion, max_depth=3, **SINGLE)
        theirs = DecisionTreeClassifier(
            monotonic_cst=SIGNS, criterion=criterion, max_depth=3, random_state=0
        )
        expected = theirs.fit(X, classes).predict_proba(X)
        np.testing.assert_allclose(ours.fit(X, classes).predict_proba(X), expected, rtol=1e-6)


CONSTRAINED = [
    {},
    {"thresholds": "random"},
    {"min_samples_leaf": 5},
    {"criterion": "absolute_error"},
    {"criterion": "absolute_error", "thresholds": "random"},
    {"criterion": "poisson"},
]


@pytest.mark.parametrize("options", CONSTRAINED, ids=str)
def test_predictions_of_constrained_forests_rise_and_fall(rising, options):
    X, y = rising
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.05, np.nan, X)
    y = np.exp(y / 3) if options.get("criterion") == "poisson" else y
    forest = ForestRegressor(
        20, projections=AxisAligned(), monotonic_cst=[1, -1, 0, 0], random_state=0, **options
    ).fit(X, y)
    for feature, sign in ((0, 1), (1, -1)):
        lines = np.repeat(np.nan_to_num(X[:40]), 50, axis=0)
        lines[:, feature] = np.tile(np.linspace(-3, 3, 50), 40)
        steps = np.diff(forest.predict(lines).reshape(40, 50), axis=1)
        assert (sign * steps >= -1e-12).all()
        assert (sign * steps > 0.01).any()


def test_constraints_are_named_by_columns_and_the_same_for_any_number_of_threads(rising):
    X, y = rising
    frame = pd.DataFrame(X, columns=list("abcd"))
    options = {"projections": AxisAligned(), "random_state": 0}
    named = ForestRegressor(5, monotonic_cst={"a": 1, "b": -1}, n_jobs=3, **options).fit(frame, y)
    listed = ForestRegressor(5, monotonic_cst=[1, -1, 0, 0], **options).fit(X, y)
    np.testing.assert_array_equal(named.predict(frame), listed.predict(X))


MIXED = Mixture([(AxisAligned(), 1.0), (SparseSigns(), 1.0)])
REFUSED = [
    ({"monotonic_cst": [1, 0, 0, 0]}, "monotonic_cst must be None where directions have several"),
    ({"monotonic_cst": [1, 0, 0, 0], "projections": MIXED}, "monotonic_cst must be None where"),
    ({"monotonic_cst": [1, 0], **SINGLE}, "a sequence of 4 numbers -1, 0 or 1"),
    ({"monotonic_cst": [1, 0, 0, 0], "honest": True, **SINGLE}, "honest must be False with"),
    ({"max_leaf_nodes": 1}, "max_leaf_nodes must be"),
    ({"max_leaf_nodes": 2.5}, "max_leaf_nodes must be"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_cannot_be_kept_is_refused(rising, options, message):
    X, y = rising
    with pytest.raises(ValueError, match=message):
        ForestRegressor(2, **options).fit(X, y)


def test_constraints_need_one_number_to_order(rising):
    X, y = rising
    options = {"monotonic_cst": [1, 0, 0, 0], "projections": AxisAligned()}
    with pytest.raises(ValueError, match="None with more than two classes"):
        ForestClassifier(2, **options).fit(X, np.arange(400) % 3)
    with pytest.raises(ValueError, match="None with several outputs"):
        ForestRegressor(2, **options).fit(X, np.c_[y, y])
    with pytest.raises(ValueError, match=r"0 for categories, which have no order, .* column 0"):
        ForestRegressor(2, categorical_features=[0], **options).fit(np.abs(X).round(), y)
