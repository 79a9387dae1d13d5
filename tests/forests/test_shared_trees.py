"""Several threads may grow one tree; the forest is that of one thread."""

import numpy as np
import pytest

from silvan import ForestClassifier, ForestRegressor, presets
from silvan.forest_arrays.layout import DTYPES
from silvan.projections import (
    AxisAligned,
    Mixture,
    Patches,
    RandomRotation,
    SparseSigns,
    Windows,
)

N = 30_000  # enough for nodes that are worth handing over


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 12)).astype(np.float32)
    X[rng.random(X.shape) < 0.01] = np.nan
    noise = rng.normal(size=N)
    return X, (np.nansum(X[:, :4], axis=1) + noise > 0).astype(int) + (noise > 1)


FORESTS = {
    "sparse": ForestClassifier(2),
    "axis": ForestClassifier(1, projections=AxisAligned(), max_depth=9),
    "random thresholds": ForestClassifier(3, thresholds="random", bootstrap=False),
    "rotation": ForestClassifier(1, projections=RandomRotation(), max_features=2, max_depth=8),
    "mixture": ForestClassifier(2, projections=Mixture([(AxisAligned(), 1), (SparseSigns(), 1)])),
    "patches": ForestClassifier(2, projections=Patches((3, 4), max_size=3)),
    "windows": ForestClassifier(2, projections=Windows([(3, 4)], statistics=("mean", "spread"))),
    "canonical": presets.ccf(1, max_depth=6),
    "regression": ForestRegressor(2, max_features=3),
    "honest": ForestClassifier(1, honest=True, max_depth=8),
}


@pytest.mark.parametrize("name", FORESTS)
def test_a_shared_tree_is_the_tree_of_one_thread(name, data):
    X, y = data
    one, many = (
        FORESTS[name].set_params(n_jobs=n_jobs, random_state=0).fit(X, y).forest_
        for n_jobs in (1, 5)
    )
    for array in DTYPES:
        np.testing.assert_array_equal(getattr(many, array), getattr(one, array), err_msg=array)
    many.check()


def test_categories_are_shared_alike(data):
    X, y = data
    codes = np.random.default_rng(1).integers(40, size=N)
    X = np.column_stack([codes, X])
    forests = [
        ForestClassifier(1, categorical_features=[0], n_jobs=n_jobs, random_state=0).fit(X, y)
        for n_jobs in (1, 4)
    ]
    one, many = (forest.forest_ for forest in forests)
    np.testing.assert_array_equal(many.left, one.left)
    np.testing.assert_array_equal(many.direction_coefficients, one.direction_coefficients)
