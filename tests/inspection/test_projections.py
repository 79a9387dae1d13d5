"""Importances of whole projections add up the splits along one direction."""

from collections import defaultdict

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_digits

from silvan import ForestClassifier, ForestRegressor
from silvan.datasets import make_trunk
from silvan.inspection import TopProjections, top_projections
from silvan.projections import (
    AxisAligned,
    Dictionary,
    Patches,
    RandomRotation,
    SparseSigns,
)

DISTRIBUTIONS = [
    AxisAligned(),
    SparseSigns(mean_nonzeros=2),
    RandomRotation(),
    Patches((8, 8), max_size=5),
    Patches((8, 8), coefficients="normal", max_size=2),
]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:150], y[:150]


def plain_importances(forest):
    """Importance and number of splits of each projection, by a loop over dense directions."""
    arrays = forest.forest_
    importances, counts = defaultdict(float), defaultdict(int)
    for tree in range(arrays.n_trees):
        first, last = arrays.tree_offsets[tree : tree + 2]
        spread = (arrays.weight * arrays.impurity)[first:last]
        left = arrays.left[first:last]
        gains = {
            node: max(spread[node] - spread[child] - spread[child + 1], 0.0)
            for node, child in enumerate(left)
            if child >= 0
        }
        directions = arrays.directions(tree).toarray()
        for node, gain in gains.items():
            direction = directions[node].astype(float)
            direction /= np.abs(direction).max()
            direction *= np.sign(direction[np.flatnonzero(direction)[0]])
            key = tuple(direction.round(6) + 0.0)
            importances[key] += gain / sum(gains.values()) / arrays.n_trees
            counts[key] += 1
    return importances, counts


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
def test_importances_are_those_of_a_loop_over_all_splits(distribution, digits):
    forest = ForestClassifier(4, projections=distribution, max_features=10, random_state=0).fit(
        *digits
    )
    importances, counts = plain_importances(forest)
    top = top_projections(forest, None)
    assert len(top) == len(importances)
    np.testing.assert_allclose(top.importances, sorted(importances.values(), reverse=True))
    for direction, importance, n_splits in zip(
        top.directions.toarray(), top.importances, top.n_splits, strict=True
    ):
        key = tuple(direction.round(6) + 0.0)
        assert importances[key] == pytest.approx(importance)
        assert counts[key] == n_splits


def test_single_features_have_the_importances_of_features(digits):
    forest = ForestClassifier(5, random_state=0, projections=AxisAligned()).fit(*digits)
    top = top_projections(forest, None)
    np.testing.assert_allclose(
        top.directions.T @ top.importances, forest.feature_importances_, atol=1e-12
    )


def test_directions_that_differ_in_sign_and_scale_are_one_projection():
    X, y = make_trunk(200, n_features=2, random_state=0)
    atoms = csr_array([[1.0, -1.0], [-1.0, 1.0], [3.0, -3.0], [0.1, -0.1], [1.0, 0.5]])
    forest = ForestRegressor(10, projections=Dictionary(atoms), max_features=1, random_state=0)
    top = top_projections(forest.fit(X, y), None)
    assert sorted(map(tuple, top.directions.toarray())) == [(1.0, -1.0), (1.0, 0.5)]
    assert top.importances.sum() == pytest.approx(1.0)


def test_first_k_are_the_first_of_all(digits):
    forest = ForestClassifier(5, projections=SparseSigns(), random_state=0).fit(*digits)
    some, every = top_projections(forest, 7), top_projections(forest, None)
    assert len(some) == 7
    np.testing.assert_array_equal(some.importances, every.importances[:7])
    np.testing.assert_array_equal(some.directions.toarray(), every.directions[:7].toarray())


def test_forest_without_splits_has_no_projections():
    forest = ForestClassifier(3, random_state=0).fit(np.zeros((5, 2)), [0, 0, 0, 1, 1])
    top = top_projections(forest)
    assert len(top) == 0
    assert top.directions.shape == (0, 2)
    assert str(top) == "importance  splits  projection"


def test_table_names_features_signs_and_weights():
    directions = csr_array([[1.0, -1.0, 0.0], [0.25, 0.0, 1.0]])
    top = TopProjections(
        directions, np.array([0.7, 0.2]), np.array([12, 3]), ("age", "height", "x")
    )
    assert str(top).splitlines() == [
        "importance  splits  projection",
        "    0.7000      12  age - height",
        "    0.2000       3  0.25 age + x",
    ]


def test_long_projections_are_cut():
    top = TopProjections(
        csr_array(np.ones((1, 20))), np.ones(1), np.ones(1, int), tuple(f"x{i}" for i in range(20))
    )
    assert top.formulas()[0].endswith("+ x7 ... (20 features)")


def test_frame_has_a_row_for_each_projection_and_names_from_the_data():
    pd = pytest.importorskip("pandas")
    X, y = make_trunk(100, n_features=3, random_state=0)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    forest = ForestClassifier(5, projections=SparseSigns(), random_state=0).fit(frame, y)
    table = top_projections(forest, 4).to_frame()
    assert list(table.columns) == ["importance", "n_splits", "projection", "a", "b", "c"]
    assert len(table) == 4
    assert set(table["projection"].str.extract(r"([a-z])")[0]) <= {"a", "b", "c"}


@pytest.mark.parametrize("k", [0, 2.5, True])
def test_wrong_k_is_refused(k, digits):
    forest = ForestClassifier(2, random_state=0).fit(*digits)
    with pytest.raises(ValueError, match="k must be an integer >= 1 or None"):
        top_projections(forest, k)
