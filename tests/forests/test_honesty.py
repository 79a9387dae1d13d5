"""Honest forests: disjoint rows for splits and leaves, weights that agree with predictions."""

import numpy as np
import pytest
from growing import make_options, to_native_options
from scipy.sparse import csr_array
from sklearn.base import clone

from silvan import (
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
    _core,
)
from silvan.datasets import make_trunk
from silvan.inspection import importance_map
from silvan.projections import (
    AxisAligned,
    Dictionary,
    ProjectionDistribution,
    RandomRotation,
    UniformCombinations,
)

DISTRIBUTIONS = {
    "signs": None,
    "axes": AxisAligned(),
    "combinations": UniformCombinations(),
    "rotation": RandomRotation(),
    "dictionary": Dictionary(np.eye(6)),
}
SAMPLES = {
    "bootstrap": {},
    "all rows": {"bootstrap": False},
    "subsample": {"bootstrap": False, "max_samples": "n**0.8"},
}


@pytest.fixture(params=DISTRIBUTIONS)
def projections(request):
    return DISTRIBUTIONS[request.param]


@pytest.fixture(params=SAMPLES)
def sample(request):
    return SAMPLES[request.param]


def estimation_rows(forest, tree):
    """Numbers that the estimation rows of a tree had in fit."""
    sampling = forest._sampling
    rows = _core.estimation_samples(sampling.native(), sampling.seed, tree)
    return sampling.sample_numbers(rows.astype(np.int32))


def leaf_members(forest, tree):
    arrays = forest.forest_
    first, last = arrays.leaf_offsets[tree : tree + 2]
    return [arrays.members[slice(*arrays.member_indptr[i : i + 2])] for i in range(first, last)]


def test_weights_agree_with_predictions(projections, sample, labelled, numeric):
    X, y = labelled
    forest = ForestClassifier(15, honest=True, projections=projections, random_state=0, **sample)
    forest.fit(X, y)
    alpha = forest.forest_weights(X)
    np.testing.assert_allclose(alpha.sum(axis=1), 1)
    np.testing.assert_allclose(alpha @ np.eye(3)[y], forest.predict_proba(X), atol=1e-12)
    X, y = numeric
    weight = np.random.default_rng(0).exponential(size=len(y))
    forest = ForestRegressor(15, honest=True, projections=projections, random_state=0, **sample)
    forest.fit(X, y, weight)
    np.testing.assert_allclose(forest.forest_weights(X) @ y, forest.predict(X), rtol=1e-9)


def test_structure_does_not_depend_on_targets_of_estimation_rows(labelled):
    X, y = labelled
    forest = ForestClassifier(1, honest=True, bootstrap=False, random_state=0).fit(X, y)
    changed = y.copy()
    rows = estimation_rows(forest, 0)
    changed[rows] = (changed[rows] + 1) % 3
    # The halves follow the content of the rows: the same ones are asked for by hand.
    halves, distribution = forest._sampling.native(), AxisAligned()._to_native(6)
    options = to_native_options(make_options(seed=forest._sampling.seed))
    arrays = []
    for targets in (y, changed):
        codes = _core.Targets(targets.astype(np.int32), None, 3)
        training = _core.TrainingSet(_core.to_columns(X), None, codes, halves)
        arrays.append(_core.grow(training, distribution, options, (0, 1), 1, None))
    for name in ("left", "threshold", "direction_indices", "members", "impurity", "weight"):
        np.testing.assert_array_equal(arrays[0][name], arrays[1][name])
    assert not np.array_equal(arrays[0]["values"], arrays[1]["values"])


def test_leaves_are_filled_by_estimation_rows_that_reach_them(sample, labelled):
    X, y = labelled
    forest = ForestClassifier(10, honest=True, random_state=0, **sample).fit(X, y)
    arrays, leaves = forest.forest_.check(), forest.apply(X)
    n_empty = 0
    for tree in range(10):
        estimation = estimation_rows(forest, tree)
        drawn = np.flatnonzero(forest._sampling.drawn_weights(tree))
        assert np.isin(estimation, drawn).all()
        root = arrays.tree_offsets[tree]
        assert arrays.n_samples[root] == len(drawn) - len(estimation)
        leaf = -1 - arrays.left[root + leaves[:, tree]]
        for number, members in enumerate(leaf_members(forest, tree)):
            reached = estimation[leaf[estimation] == number]
            if len(reached):
                np.testing.assert_array_equal(np.sort(members), reached)
            else:
                n_empty += 1
                assert np.isin(members, estimation).all()
    assert n_empty > 0


def test_empty_leaves_have_the_rows_of_their_parent():
    # One estimation row in ten: most leaves are empty, and those below share an ancestor.
    X, y = make_trunk(200, random_state=0)
    forest = ForestClassifier(5, honest=True, honest_fraction=0.1, random_state=0).fit(X, y)
    arrays, leaves = forest.forest_, forest.apply(X)
    for tree in range(5):
        first, last = arrays.tree_offsets[tree : tree + 2]
        left = arrays.left[first:last]
        parent = np.full(len(left), -1)
        inner = np.flatnonzero(left >= 0)
        parent[left[inner]] = parent[left[inner] + 1] = inner
        estimation = estimation_rows(forest, tree)
        below = {node: [] for node in range(len(left))}
        for row in estimation:
            node = leaves[row, tree]
            while node >= 0:
                below[node].append(row)
                node = parent[node]
        members = leaf_members(forest, tree)
        for node in np.flatnonzero(left < 0):
            # A node without estimation rows is not split, so that the parent of a leaf has some.
            source = node if below[node] else parent[node]
            np.testing.assert_array_equal(np.sort(members[-1 - left[node]]), np.sort(below[source]))


def test_out_of_bag_rows_are_in_neither_half(labelled):
    X, y = labelled
    forest = ForestClassifier(30, honest=True, oob_score=True, random_state=0).fit(X, y)
    votes, n_trees = np.zeros((len(y), 3)), np.zeros(len(y))
    arrays, leaves = forest.forest_, forest.apply(X)
    for tree in range(30):
        out = forest._sampling.drawn_weights(tree) == 0
        assert not out[np.concatenate(leaf_members(forest, tree))].any()
        leaf = (
            arrays.leaf_offsets[tree] - 1 - arrays.left[arrays.tree_offsets[tree] + leaves[:, tree]]
        )
        for row in np.flatnonzero(out):
            entries = slice(*arrays.value_indptr[leaf[row] : leaf[row] + 2])
            votes[row, arrays.value_outputs[entries]] += arrays.values[entries]
            n_trees[row] += 1
    np.testing.assert_allclose(forest.oob_decision_function_, votes / n_trees[:, None])


FORESTS = {
    "classifier": ForestClassifier(8, honest=True, random_state=3),
    "regressor": ForestRegressor(8, honest=True, honest_fraction=0.3, random_state=3),
    "subsample": ForestRegressor(
        8, honest=True, bootstrap=False, max_samples="n**0.9", random_state=3
    ),
}


@pytest.fixture(params=FORESTS)
def forest(request):
    return clone(FORESTS[request.param])


def test_threads_and_order_of_rows_change_nothing(forest, labelled, assert_same_forest):
    X, y = labelled
    shuffled = np.random.default_rng(0).permutation(len(y))
    other = clone(forest).set_params(n_jobs=2).fit(X[shuffled], y[shuffled])
    forest.fit(X, y)
    assert_same_forest(forest.forest_, other.forest_, ignore=("members",))
    difference = forest.forest_weights(X)[:, shuffled] != other.forest_weights(X)
    assert difference.nnz == 0


@pytest.mark.parametrize("bootstrap", [True, False])
def test_integer_weights_equal_repeated_rows(bootstrap, labelled):
    X, y = labelled
    weight = np.random.default_rng(0).integers(0, 4, size=len(y))
    weighted = ForestClassifier(8, honest=True, bootstrap=bootstrap, random_state=0)
    weighted.fit(X, y, weight)
    repeated = ForestClassifier(8, honest=True, bootstrap=bootstrap, random_state=0)
    repeated.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))


def test_warm_start_arrives_at_the_forest_of_one_fit(labelled, assert_same_forest):
    X, y = labelled
    whole = ForestClassifier(6, honest=True, random_state=0).fit(X, y)
    grown = ForestClassifier(2, honest=True, warm_start=True, random_state=0).fit(X, y)
    assert_same_forest(whole.forest_, grown.set_params(n_estimators=6).fit(X, y).forest_)
    with pytest.raises(ValueError, match="honest, honest_fraction or scaling is not what it was"):
        grown.set_params(n_estimators=8, honest_fraction=0.4).fit(X, y)


class RowCounter(ProjectionDistribution):
    """Draws single features, and notes the rows that it is shown."""

    def __init__(self):
        self.seen = set()

    def sample(self, node, rng):
        self.seen.update(node.samples.tolist())
        chosen = rng.integers(node.n_features, size=node.n_directions)
        return csr_array(np.eye(node.n_features)[chosen])


def test_samplers_see_structure_rows_only(labelled):
    X, y = labelled
    counter = RowCounter()
    forest = ForestClassifier(1, honest=True, bootstrap=False, projections=counter, random_state=0)
    forest.fit(X, y)
    estimation = set(estimation_rows(forest, 0).tolist())
    assert counter.seen == set(range(len(y))) - estimation


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_manifold_forests_can_be_honest(dtype):
    rng = np.random.default_rng(0)
    images = rng.integers(0, 100, (150, 6, 7))
    y = rng.integers(2, size=150)
    images[y == 1, 2:4, 2:4] += 120
    images = images.astype(dtype)
    forest = ManifoldForestClassifier(60, max_size=5, honest=True, oob_score=True, random_state=0)
    assert forest.fit(images, y).oob_score_ > 0.9
    alpha = forest.forest_weights(images)
    np.testing.assert_allclose(alpha @ np.eye(2)[y], forest.predict_proba(images), atol=1e-12)
    numbers = ManifoldForestRegressor(20, max_size=5, honest=True, random_state=0).fit(images, y)
    np.testing.assert_allclose(numbers.forest_weights(images) @ y, numbers.predict(images))


def test_importances_of_honest_forests_are_shares(labelled):
    X, y = labelled
    forest = ForestClassifier(20, honest=True, random_state=0).fit(X, y)
    assert forest.feature_importances_.sum() == pytest.approx(1)
    per_class = importance_map(forest, per_class=True)
    assert per_class.shape == (3, 6)
    assert (per_class >= 0).all()
    assert (per_class.sum(axis=1) > 0).all()


def test_quantiles_of_honest_forests_are_those_of_their_weights(numeric):
    X, y = numeric
    forest = ForestRegressor(20, honest=True, random_state=0).fit(X, y)
    alpha = forest.forest_weights(X[:20]).toarray()
    order = np.argsort(y)
    reached = np.cumsum(alpha[:, order], axis=1) >= 0.5 - 1e-9
    np.testing.assert_array_equal(
        forest.predict_quantiles(X[:20]), y[order][reached.argmax(axis=1)]
    )


def test_missing_values_follow_the_splits(labelled):
    X, y = labelled
    X = X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    forest = ForestClassifier(10, honest=True, random_state=0).fit(X, y)
    alpha = forest.forest_weights(X)
    np.testing.assert_allclose(alpha @ np.eye(3)[y], forest.predict_proba(X), atol=1e-12)


def test_few_rows_grow_honest_trees_too():
    for n in (1, 2, 3):
        X, y = np.arange(n, dtype=float)[:, None], np.arange(n)
        forest = ForestClassifier(5, honest=True, random_state=0).fit(X, y)
        np.testing.assert_allclose(forest.predict_proba(X).sum(axis=1), 1)
        assert np.isfinite(
            ForestRegressor(5, honest=True, random_state=0).fit(X, y).predict(X)
        ).all()


def test_honest_posteriors_are_closer_to_the_truth_where_classes_overlap():
    X, y = make_trunk(600, n_features=2, random_state=0)
    X_new, _ = make_trunk(2000, n_features=2, random_state=1)
    posterior = 1 / (1 + np.exp(-2 * X_new @ (1 / np.sqrt([1, 2]))))
    errors = {}
    for honest in (False, True):
        forest = ForestClassifier(100, honest=honest, random_state=0).fit(X, y)
        errors[honest] = np.mean((forest.predict_proba(X_new)[:, 1] - posterior) ** 2)
    assert errors[True] < 0.75 * errors[False]


@pytest.mark.parametrize("fraction", [0, 1, 1.5, -0.1, "half", None, True, np.nan])
def test_honest_fractions_outside_the_unit_interval_are_refused(fraction, labelled):
    X, y = labelled
    with pytest.raises(ValueError, match="honest_fraction must be a number between 0 and 1"):
        ForestClassifier(honest=True, honest_fraction=fraction).fit(X, y)


@pytest.mark.parametrize(
    ("power", "n"), [("n**0.5", 12), ("n**0.8", 55), ("n ** .9", 91), ("n**0.01", 1)]
)
def test_subsamples_may_be_powers_of_the_number_of_rows(power, n, labelled):
    X, y = labelled
    forest = ForestClassifier(2, bootstrap=False, max_samples=power, random_state=0).fit(X, y)
    assert forest._sampling.multiplicities(0).sum() == n


@pytest.mark.parametrize("power", ["n**1.0", "n**0", "n^0.8", "m**0.5", "n**", "sqrt", ""])
def test_other_words_for_subsamples_are_refused(power, labelled):
    X, y = labelled
    with pytest.raises(ValueError, match=r'max_samples must be .* a power such as "n\*\*0.8"'):
        ForestClassifier(max_samples=power).fit(X, y)
