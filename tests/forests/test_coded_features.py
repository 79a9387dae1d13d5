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
