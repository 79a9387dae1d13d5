"""Sparse X: the forest of the dense table, bit for bit, and never a dense table."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from silvan import (
    BoostedForestClassifier,
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
)
from silvan._sparse import SparseSamples
from silvan.explanations import feature_contributions
from silvan.forest_arrays.layout import DTYPES
from silvan.inspection import tree_predictions
from silvan.projections import (
    AxisAligned,
    CanonicalDirections,
    Patches,
    PrincipalComponents,
    RandomRotation,
    SparseSigns,
    UniformCombinations,
)
from silvan.projections.spreads import measure_spreads


def make_table(n=300, p=40, density=0.1, seed=0, kind="normal"):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, p), density=density, random_state=rng, dtype=np.float64).tolil()
    values = rng.normal(size=(n, p)) if kind == "normal" else rng.integers(-2, 3, (n, p))
    dense = np.where(X.toarray() != 0, values, 0.0).astype(np.float32)
    if kind == "missing":
        dense[rng.random((n, p)) < 0.01] = np.nan
    y = (np.nan_to_num(dense[:, :5]).sum(axis=1) + 0.1 * rng.normal(size=n) > 0).astype(int)
    return dense, y + (dense[:, 7] != 0)


def assert_same(one, other):
    for name in DTYPES:
        mine, theirs = getattr(one.forest_, name), getattr(other.forest_, name)
        np.testing.assert_array_equal(mine, theirs, err_msg=name)


FORESTS = [
    ForestClassifier(4),
    ForestClassifier(4, projections=AxisAligned()),
    ForestClassifier(4, projections=AxisAligned(), thresholds="random", bootstrap=False),
    ForestClassifier(4, thresholds="random"),
    ForestClassifier(4, criterion="entropy", projections=UniformCombinations(3)),
    ForestClassifier(4, honest=True, projections=SparseSigns()),
    ForestClassifier(4, min_samples_leaf=5, min_weight_fraction_leaf=0.02),
    ForestClassifier(4, class_weight="balanced_subsample", max_depth=4),
    ForestClassifier(2, projections=PrincipalComponents(), max_features=3),
    ForestClassifier(2, projections=CanonicalDirections(), max_features=3),
    ForestClassifier(2, projections=RandomRotation(), max_features=3, max_depth=3),
    ForestRegressor(4),
    ForestRegressor(4, criterion="absolute_error", max_features=5),
    ForestRegressor(4, criterion="poisson", max_features=5),
]


@pytest.mark.parametrize("forest", FORESTS, ids=lambda forest: repr(forest)[:60])
@pytest.mark.parametrize("kind", ["normal", "whole", "missing"])
def test_sparse_samples_grow_the_forest_of_the_dense_table(forest, kind):
    X, y = make_table(kind=kind)
    if kind == "missing" and isinstance(
        forest.projections, PrincipalComponents | CanonicalDirections
    ):
        X = np.nan_to_num(X)
    dense = clone(forest).set_params(random_state=0).fit(X, y)
    for container in (sparse.csr_matrix, sparse.csc_array):
        other = clone(forest).set_params(random_state=0).fit(container(X), y)
        assert_same(dense, other)
    np.testing.assert_array_equal(dense.predict(X), other.predict(sparse.csr_array(X)))
    np.testing.assert_array_equal(dense.apply(X), other.apply(sparse.coo_array(X)))


@pytest.mark.parametrize("density", [0.0, 0.01, 0.5, 1.0])
@pytest.mark.parametrize("thresholds", ["best", "random"])
def test_any_density_gives_the_same_forest(density, thresholds):
    X, _ = make_table(200, 12, density)
    y = np.arange(200) % 3
    forest = ForestClassifier(3, thresholds=thresholds, random_state=0)
    assert_same(clone(forest).fit(X, y), clone(forest).fit(sparse.csr_array(X), y))


def test_weights_threads_and_out_of_bag_scores_agree_with_the_dense_table():
    X, y = make_table()
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    forest = ForestClassifier(60, oob_score=True, random_state=0, n_jobs=2)
    dense = clone(forest).fit(X, y, weight)
    other = clone(forest).fit(sparse.csr_array(X), y, weight)
    assert_same(dense, other)
    np.testing.assert_array_equal(dense.oob_decision_function_, other.oob_decision_function_)
    assert dense.oob_score_ == other.oob_score_


def test_labels_of_several_outputs_may_have_sparse_samples():
    X, y = make_table()
    Y = np.column_stack([y, y == 1])
    forest = ForestClassifier(4, random_state=0)
    assert_same(clone(forest).fit(X, Y), clone(forest).fit(sparse.csr_array(X), Y))


def test_zeros_that_are_stored_change_nothing():
    X, y = make_table()
    stored = sparse.csr_array(X)
    stored.data[::3] = 0.0
    explicit = stored.copy()
    stored.eliminate_zeros()
    forest = ForestClassifier(4, random_state=0)
    assert_same(clone(forest).fit(stored, y), clone(forest).fit(explicit, y))
    assert explicit.nnz > stored.nnz, "the caller's matrix must stay as it is"


def test_duplicates_of_a_cell_add_up():
    rows, columns = np.array([0, 0, 1, 2]), np.array([1, 1, 0, 1])
    X = sparse.coo_array((np.array([1.0, 2.0, 4.0, 5.0]), (rows, columns)), shape=(3, 2))
    forest = ForestClassifier(4, random_state=0, bootstrap=False)
    assert_same(clone(forest).fit(X, [0, 1, 0]), clone(forest).fit(X.toarray(), [0, 1, 0]))


def test_spreads_are_those_of_the_dense_table():
    for kind in ("normal", "whole", "missing"):
        X, _ = make_table(100, 30, 0.2, kind=kind)
        X[:, 3] = 0.0
        X[:, 4] = 7.0
        samples = SparseSamples(sparse.csr_array(X), grow=True)
        np.testing.assert_array_equal(measure_spreads(samples), measure_spreads(X))


def test_wide_samples_are_never_dense():
    rng = np.random.default_rng(0)
    X = sparse.random_array((400, 200_000), density=1e-4, random_state=rng, format="csr")
    y = rng.integers(0, 2, 400)
    tracemalloc.start()
    forest = ForestClassifier(2, max_features=50, random_state=0).fit(X, y)
    forest.predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6  # the dense table has 320 MB


def test_what_sparse_samples_lack_is_refused_by_name():
    X, y = make_table(60, 16)
    S = sparse.csr_array(X)
    with pytest.raises(ValueError, match="scaling must be None where X is sparse"):
        ForestClassifier(2, scaling="rank").fit(S, y)
    with pytest.raises(ValueError, match='categorical_features must be "from_dtype" or None'):
        ForestClassifier(2, categorical_features=[0]).fit(S, y)
    with pytest.raises(ValueError, match="X must be dense where directions are over large patches"):
        ForestClassifier(2, projections=Patches((4, 4), max_size=4)).fit(S, y)
    for forest in (ManifoldForestClassifier(2), BoostedForestClassifier(2)):
        with pytest.raises(TypeError, match=r"X must be dense in a .*, which takes sparse X"):
            forest.fit(S, y)
    forest = ForestClassifier(2, random_state=0).fit(S, y)
    with pytest.raises(ValueError, match=r"pass X\.toarray\(\)"):
        tree_predictions(forest, S)
    parts = feature_contributions(forest, S)
    np.testing.assert_array_equal(parts.values, feature_contributions(forest, X).values)
    with pytest.raises(ValueError, match="infinity or a value too large"):
        ForestClassifier(2).fit(sparse.csr_array(X.astype(np.float64) * 1e300), y)
