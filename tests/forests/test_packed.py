"""Prediction reads packed nodes: for every kind of forest, the leaves are those of growing."""

import pickle

import numpy as np
import pytest

import silvan
from silvan import ForestClassifier, ForestRegressor
from silvan.projections import AxisAligned, Mixture, Patches, RandomRotation, SparseSigns

N, SHAPE = 400, (6, 8)

PROJECTIONS = {
    "axis": AxisAligned(),
    "signs": SparseSigns(mean_nonzeros=1.0),
    "sparse": SparseSigns(mean_nonzeros=3.0),
    "rotation": RandomRotation(),
    "patches": Patches(SHAPE, max_size=(6, 8)),
    "mixture": Mixture([(AxisAligned(), 0.5), (Patches(SHAPE, max_size=(6, 8)), 0.5)]),
}
DTYPES = {
    "float32": lambda X: X.astype(np.float32),
    "float64": lambda X: X,
    "uint8": lambda X: np.clip(40 * X + 120, 0, 255).astype(np.uint8),
    "int64": lambda X: np.round(10 * X).astype(np.int64),
    "columns": lambda X: np.asfortranarray(X.astype(np.float32)),
    "missing": lambda X: np.where(np.random.default_rng(3).random(X.shape) < 0.05, np.nan, X),
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 48))
    return X, (X[:, :3].sum(axis=1) > 0).astype(int) + (X[:, 5] > 1)


def grown_leaves(forest):
    """The leaf, among the nodes of its tree, that growing put each row of each tree in."""
    arrays = forest.forest_
    leaves = np.full((forest._sampling.plan.n_samples, arrays.n_trees), -1)
    for t in range(arrays.n_trees):
        tree = arrays.tree(t)
        for node in np.flatnonzero(tree.left < 0):
            leaf = -1 - tree.left[node]
            leaves[tree.members[tree.member_indptr[leaf] : tree.member_indptr[leaf + 1]], t] = node
    return leaves


def walk_slowly(arrays, X):
    """One row at a time over the arrays themselves, for directions over features."""
    leaves = np.empty((len(X), arrays.n_trees), dtype=np.int32)
    for t in range(arrays.n_trees):
        tree = arrays.tree(t)
        for i, x in enumerate(X.astype(np.float32)):
            node = 0
            while tree.left[node] >= 0:
                terms = range(*tree.direction_indptr[node : node + 2])
                value = np.float32(0)
                for k in terms:
                    value += tree.direction_coefficients[k] * x[tree.direction_indices[k]]
                left = tree.missing_left[node] if np.isnan(value) else value <= tree.threshold[node]
                node = tree.left[node] + (0 if left else 1)
            leaves[i, t] = node
    return leaves


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", PROJECTIONS)
def test_training_rows_end_in_their_own_leaves(kind, dtype, data):
    X, y = DTYPES[dtype](data[0]), data[1]
    forest = ForestClassifier(6, projections=PROJECTIONS[kind], random_state=0).fit(X, y)
    leaves, grown = forest.apply(X), grown_leaves(forest)
    assert (grown >= 0).any(axis=1).mean() > 0.9
    assert np.array_equal(leaves[grown >= 0], grown[grown >= 0])


@pytest.mark.parametrize("dtype", ["float32", "uint8", "columns", "missing"])
@pytest.mark.parametrize("kind", ["axis", "signs", "sparse", "rotation"])
def test_leaves_are_those_of_a_walk_over_the_arrays(kind, dtype, data):
    X, y = DTYPES[dtype](data[0]), data[1]
    forest = ForestClassifier(3, projections=PROJECTIONS[kind], random_state=0).fit(
        X[:300], y[:300]
    )
    assert np.array_equal(forest.apply(X), walk_slowly(forest.forest_, X))


@pytest.mark.parametrize("dtype", ["float32", "uint8", "columns", "missing"])
@pytest.mark.parametrize("kind", PROJECTIONS)
@pytest.mark.parametrize("voting", ["soft", "hard"])
def test_predictions_do_not_depend_on_the_rows_beside(kind, dtype, voting, data):
    X, y = DTYPES[dtype](data[0]), data[1]
    forest = ForestClassifier(
        7, projections=PROJECTIONS[kind], min_samples_leaf=3, voting=voting, random_state=0
    ).fit(X[:300], y[:300])
    leaves, probabilities = forest.apply(X), forest.predict_proba(X)
    for n in (1, 7, 9, 17):
        parts = range(0, n * 4, n)
        assert np.array_equal(
            leaves[: 4 * n], np.vstack([forest.apply(X[i : i + n]) for i in parts])
        )
        alone = np.vstack([forest.predict_proba(X[i : i + n]) for i in parts])
        assert np.array_equal(probabilities[: 4 * n], alone)


def test_categories_have_the_same_leaves_alone_and_together(data):
    X, y = data[0].copy(), data[1]
    rng = np.random.default_rng(1)
    X[:, 0], X[:, 1] = rng.integers(5, size=N), rng.integers(40, size=N)
    X[rng.random(N) < 0.1, 0] = np.nan
    for projections in (AxisAligned(), SparseSigns(mean_nonzeros=3.0)):
        forest = ForestClassifier(
            8, projections=projections, categorical_features=[0, 1], random_state=0
        ).fit(X[:300], y[:300])
        leaves, grown = forest.apply(X), grown_leaves(forest)
        assert np.array_equal(leaves[:300][grown >= 0], grown[grown >= 0])
        alone = np.vstack([forest.predict_proba(X[i : i + 1]) for i in range(N)])
        assert np.array_equal(alone, forest.predict_proba(X))


def test_many_rows_on_several_threads(data):
    X, y = data[0].astype(np.float32), data[1]
    forest = ForestClassifier(3, random_state=0, n_jobs=2).fit(X, y)
    many = np.tile(X, (250, 1))
    assert np.array_equal(forest.apply(many), np.tile(forest.apply(X), (250, 1)))
    assert np.array_equal(forest.predict_proba(many), np.tile(forest.predict_proba(X), (250, 1)))


@pytest.mark.parametrize("Forest", [ForestClassifier, ForestRegressor])
def test_a_single_leaf(Forest, data):
    X, y = data[0], np.ones(N)
    forest = Forest(3, random_state=0).fit(X, y)
    assert not forest.apply(X).any()
    assert (forest.predict(X) == 1).all()
    assert forest.predict(X[:1]).tolist() == [1]


def test_several_outputs(data):
    X = data[0]
    forest = ForestRegressor(5, random_state=0).fit(X, X[:, :3])
    alone = np.vstack([forest.predict(X[i : i + 1]) for i in range(20)])
    assert np.array_equal(alone, forest.predict(X)[:20])
    assert np.allclose(forest.forest_weights(X[:20]) @ X[:, :3], alone)


@pytest.mark.parametrize("memory_map", [False, True])
def test_forests_from_files(memory_map, data, tmp_path):
    X, y = data
    forest = ForestClassifier(5, random_state=0).fit(X, y)
    forest.save(tmp_path / "forest.safetensors")
    loaded = silvan.load(tmp_path / "forest.safetensors", memory_map=memory_map)
    assert np.array_equal(loaded.apply(X), forest.apply(X))
    assert np.array_equal(loaded.predict_proba(X[:1]), forest.predict_proba(X[:1]))


def test_packed_nodes_are_made_once_and_stay_out_of_pickles(data):
    X, y = data
    forest = ForestClassifier(5, projections=PROJECTIONS["sparse"], random_state=0).fit(X, y)
    size = len(pickle.dumps(forest))
    assert "packed" not in vars(forest.forest_)
    forest.predict(X)
    packed = forest.forest_.packed
    forest.predict(X)
    assert forest.forest_.packed is packed
    arrays = forest.forest_
    terms = np.diff(arrays.direction_indptr)
    n_blocks = 1 + (-(-terms // 4)).sum()  # of four terms each, and one for leaves
    assert terms.max() > 4 and n_blocks > 1 + (terms > 0).sum()
    nodes_and_leaves = 16 * (arrays.n_nodes + arrays.n_trees + arrays.n_leaves)
    assert packed.nbytes == nodes_and_leaves + 32 * n_blocks
    assert len(pickle.dumps(forest)) == size
    loaded = pickle.loads(pickle.dumps(forest))
    assert np.array_equal(loaded.predict_proba(X), forest.predict_proba(X))


def test_a_warm_start_packs_the_new_trees(data):
    X, y = data
    forest = ForestClassifier(3, warm_start=True, random_state=0).fit(X, y)
    forest.predict(X)
    forest.set_params(n_estimators=6).fit(X, y)
    cold = ForestClassifier(6, random_state=0).fit(X, y)
    assert np.array_equal(forest.predict_proba(X), cold.predict_proba(X))


def test_arrays_that_need_no_check_are_still_refused_where_they_must_be(data):
    X, y = data
    forest = ForestClassifier(3, random_state=0).fit(X, y)
    for wrong in (X[:, :5], X[:0], X[0], np.full((1, 48), np.inf), X.astype(complex)):
        with pytest.raises(ValueError, match=r"X|array|Complex"):
            forest.predict(wrong)
    with pytest.raises(ValueError, match="masked"):
        forest.predict(np.ma.array(X, mask=X > 1))


@pytest.mark.parametrize("n_features", [1024, 1025])
def test_nodes_of_single_features_take_eight_bytes_where_feature_numbers_fit(n_features):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, n_features)).astype(np.float32)
    X[::7, -1] = np.nan
    y = rng.integers(0, 3, 60)
    forest = ForestClassifier(5, projections=AxisAligned(), bootstrap=False, random_state=0)
    forest.fit(X, y)
    assert np.array_equal(forest.predict(X), y)  # leaves are pure, and every sample finds its own
    arrays = forest.forest_
    node_bytes = 8 if n_features <= 1024 else 16
    nodes = node_bytes * (arrays.n_nodes + arrays.n_trees)
    assert arrays.packed.nbytes == nodes + 16 * arrays.n_leaves
