"""What a forest does not depend on: threads, row order, memory layout, labels, repetition."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from silvan import ForestClassifier, ForestRegressor
from silvan.projections import AxisAligned

FORESTS = {
    "classifier": ForestClassifier(n_estimators=12, random_state=3),
    "classifier without bootstrap": ForestClassifier(12, bootstrap=False, random_state=3),
    "entropy": ForestClassifier(12, criterion="entropy", projections=AxisAligned(), random_state=3),
    "regressor": ForestRegressor(n_estimators=12, random_state=3),
    "regressor without bootstrap": ForestRegressor(12, bootstrap=False, random_state=3),
}


@pytest.fixture(params=FORESTS, ids=str)
def forest(request):
    return clone(FORESTS[request.param])


@pytest.fixture
def data(forest, labelled, numeric):
    return labelled if isinstance(forest, ForestClassifier) else numeric


def values(forest, X):
    return (forest.predict_proba if hasattr(forest, "predict_proba") else forest.predict)(X)


@pytest.mark.parametrize("n_jobs", [2, 4])
def test_forest_is_identical_for_any_number_of_threads(forest, data, n_jobs, assert_same_forest):
    X, y = data
    alone = clone(forest).fit(X, y)
    together = forest.set_params(n_jobs=n_jobs).fit(X, y)
    assert_same_forest(alone.forest_, together.forest_)
    np.testing.assert_array_equal(values(alone, X), values(together, X))


def test_order_of_rows_does_not_matter(forest, data, assert_same_forest):
    X, y = data
    order = np.random.default_rng(0).permutation(len(X))
    given = clone(forest).fit(X, y)
    shuffled = forest.fit(X[order], y[order])
    assert_same_forest(given.forest_, shuffled.forest_, ignore=("members",))
    np.testing.assert_array_equal(values(given, X), values(shuffled, X))


def test_order_of_weighted_rows_does_not_matter(forest, data, assert_same_forest):
    X, y = data
    rng = np.random.default_rng(1)
    weight = rng.exponential(size=len(X))
    order = rng.permutation(len(X))
    given = clone(forest).fit(X, y, weight)
    shuffled = forest.fit(X[order], y[order], weight[order])
    assert_same_forest(given.forest_, shuffled.forest_, ignore=("members", "values"))
    np.testing.assert_allclose(values(given, X), values(shuffled, X), rtol=1e-12)


@pytest.mark.parametrize("whole", [True, False])
def test_order_of_repeated_rows_with_unequal_weights_does_not_matter(
    forest, data, whole, assert_same_forest
):
    # Equal rows of unequal weights: which of them are drawn decides how many a node has.
    X, y = data[0][:40].repeat(4, axis=0), data[1][:40].repeat(4)
    rng = np.random.default_rng(1)
    for seed in range(5):
        weight = rng.integers(1, 6, len(X)).astype(float) if whole else rng.exponential(size=len(X))
        order = rng.permutation(len(X))
        forest.set_params(min_samples_leaf=3, random_state=seed)
        given = clone(forest).fit(X, y, weight)
        shuffled = clone(forest).fit(X[order], y[order], weight[order])
        assert_same_forest(given.forest_, shuffled.forest_, ignore=("members", "values"))
        np.testing.assert_allclose(values(given, X), values(shuffled, X), rtol=1e-12)


def test_integer_weights_equal_repeated_rows(forest, data, assert_same_forest):
    X, y = data
    weight = np.random.default_rng(2).integers(0, 4, len(X))
    weighted = clone(forest).fit(X, y, weight)
    repeated = forest.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_same_forest(
        weighted.forest_, repeated.forest_, ignore=("members", "member_indptr", "n_samples")
    )
    np.testing.assert_array_equal(values(weighted, X), values(repeated, X))


def test_integer_weights_equal_repeated_rows_with_class_weights(labelled, assert_same_forest):
    X, y = labelled
    weight = np.random.default_rng(3).integers(0, 4, len(X))
    for class_weight in ("balanced", {0: 0.3, 2: 5.0}):
        forest = ForestClassifier(10, class_weight=class_weight, random_state=0)
        weighted = clone(forest).fit(X, y, weight)
        repeated = forest.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
        assert_same_forest(
            weighted.forest_, repeated.forest_, ignore=("members", "member_indptr", "n_samples")
        )


def test_zero_weight_equals_absence(forest, data, assert_same_forest):
    X, y = data
    weight = np.random.default_rng(4).exponential(size=len(X))
    weight[::3] = 0.0
    kept = np.flatnonzero(weight)
    weighted = clone(forest).fit(X, y, weight)
    without = forest.fit(X[kept], y[kept], weight[kept])
    assert_same_forest(weighted.forest_, without.forest_, ignore=("members",))
    np.testing.assert_array_equal(weighted.forest_.members, kept[without.forest_.members])


def test_scale_of_fractional_weights_does_not_matter(forest, data, assert_same_forest):
    X, y = data
    weight = np.random.default_rng(5).exponential(size=len(X))
    once, times_eight = clone(forest).fit(X, y, weight), forest.fit(X, y, 8.0 * weight)
    assert_same_forest(once.forest_, times_eight.forest_, ignore=("weight",))


LAYOUTS = {
    "column-major": np.asfortranarray,
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
    "reversed": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "float64": lambda X: X.astype(np.float64),
    "float64 column-major": lambda X: np.asfortranarray(X.astype(np.float64)),
    "objects": lambda X: X.astype(object),
    "list": lambda X: X.tolist(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_memory_layout_does_not_matter(forest, data, layout, assert_same_forest):
    X, y = data
    given = clone(forest).fit(X, y)
    other = forest.fit(LAYOUTS[layout](X), y)
    assert_same_forest(given.forest_, other.forest_)
    np.testing.assert_array_equal(values(given, X), values(given, LAYOUTS[layout](X)))


def test_read_only_arrays_are_accepted(forest, data):
    X, y = (array.copy() for array in data)
    weight = np.ones(len(y))
    for array in (X, y, weight):
        array.flags.writeable = False
    forest.fit(X, y, weight)
    values(forest, X)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32, np.int64, np.uint16, np.float16])
def test_integers_of_any_type_give_the_same_forest(forest, data, dtype, assert_same_forest):
    X, y = data
    if dtype == np.uint8:
        forest.set_params(bootstrap=False)  # the canonical order hashes bytes, not numbers
    X = np.clip(np.rint(10 * X) + 50, 0, 100)
    wide = clone(forest).fit(X, y)
    narrow = forest.fit(X.astype(dtype), y)
    assert_same_forest(wide.forest_, narrow.forest_)
    np.testing.assert_array_equal(values(wide, X), values(narrow, X.astype(dtype)))


def test_truth_values_are_features(forest, data, assert_same_forest):
    X, y = data
    X = np.median(X, axis=0) < X
    assert_same_forest(clone(forest).fit(X, y).forest_, forest.fit(X.astype(float), y).forest_)


def test_names_of_classes_do_not_matter(labelled, assert_same_forest):
    X, y = labelled
    names = np.array(["ant", "bee", "cicada"])
    numbered = ForestClassifier(30, random_state=0, oob_score=True).fit(X, y)
    named = ForestClassifier(30, random_state=0, oob_score=True).fit(X, names[y])
    assert_same_forest(numbered.forest_, named.forest_)
    np.testing.assert_array_equal(named.classes_, names)
    np.testing.assert_array_equal(names[numbered.predict(X)], named.predict(X))
    assert numbered.oob_score_ == named.oob_score_
    objects = ForestClassifier(30, random_state=0).fit(X, names[y].astype(object))
    assert_same_forest(numbered.forest_, objects.forest_)


def test_pickled_forest_predicts_the_same(forest, data, assert_same_forest):
    X, y = data
    copy = pickle.loads(pickle.dumps(forest.fit(X, y)))
    assert_same_forest(forest.forest_, copy.forest_)
    np.testing.assert_array_equal(values(forest, X), values(copy, X))
    assert (forest.forest_weights(X[:5]) != copy.forest_weights(X[:5])).nnz == 0


def test_same_seed_gives_the_same_forest_and_another_seed_another(forest, data, assert_same_forest):
    X, y = data
    first = clone(forest).fit(X, y)
    assert_same_forest(first.forest_, clone(forest).fit(X, y).forest_)
    other = forest.set_params(random_state=4).fit(X, y)
    assert not np.array_equal(first.forest_.threshold, other.forest_.threshold)


def test_random_state_instances_are_used_once(data, forest, assert_same_forest):
    X, y = data
    forest.set_params(random_state=np.random.RandomState(0))
    first, second = clone(forest).fit(X, y), clone(forest).fit(X, y)
    assert_same_forest(first.forest_, second.forest_)
    first_thresholds = forest.fit(X, y).forest_.threshold
    assert not np.array_equal(first_thresholds, forest.fit(X, y).forest_.threshold)
