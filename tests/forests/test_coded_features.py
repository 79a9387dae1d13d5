"""Features of few distinct values are read as codes, which changes no forest."""

import numpy as np
import pytest

from silvan import ForestClassifier
from silvan.projections import AxisAligned, SparseSigns


@pytest.mark.parametrize("projections", [AxisAligned(), SparseSigns()])
@pytest.mark.parametrize("thresholds", ["best", "random"])
def test_codes_give_the_forest_of_bytes(projections, thresholds, assert_same_forest):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (9_000, 40)).astype(np.uint8)  # as float32 larger than 1 MB, so coded
    y = (X[:, 0] > 2) ^ (X[:, 1] + X[:, 2] > 4)
    forest = ForestClassifier(
        2, projections=projections, thresholds=thresholds, bootstrap=False, random_state=0
    )
    of_bytes = forest.fit(X, y).forest_
    assert_same_forest(of_bytes, forest.fit(X.astype(np.float32), y).forest_)


@pytest.mark.parametrize("thresholds", ["best", "random"])
def test_coded_samples_end_in_the_leaves_that_they_were_grown_into(thresholds):
    rng = np.random.default_rng(1)
    X = rng.integers(-3, 4, (9_000, 40)).astype(np.float32)
    X[rng.random(X.shape) < 0.05] = np.nan
    X[rng.random(X.shape) < 0.05] = -0.0
    y = np.nan_to_num(X[:, 0] + X[:, 1]) > 0
    forest = ForestClassifier(2, thresholds=thresholds, bootstrap=False, random_state=0).fit(X, y)
    arrays = forest.forest_
    for tree, nodes in enumerate(forest.apply(X).T):
        leaves = arrays.leaf_offsets[tree] - 1 - arrays.left[arrays.tree_offsets[tree] + nodes]
        for leaf in np.unique(leaves):
            members = arrays.members[slice(*arrays.member_indptr[leaf : leaf + 2])]
            np.testing.assert_array_equal(np.sort(members), np.flatnonzero(leaves == leaf))
