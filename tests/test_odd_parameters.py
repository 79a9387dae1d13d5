"""Every parameter of every estimator takes an odd value, or refuses it by name before any work."""

import warnings

import numpy as np
import pytest

from silvan import (
    BoostedForestClassifier,
    BoostedForestRegressor,
    BoostedManifoldForestClassifier,
    DensityForest,
    ForestClassifier,
    ForestRegressor,
    ManifoldEmbedding,
    ManifoldForestClassifier,
    projections,
)
from silvan.preprocessing import RankScaler
from silvan.tuning import OutOfBagSearch

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 9))
Y = (X[:, 0] > 0).astype(int)
VALUES = [
    np.array([1, 2]),
    np.array([]),
    object(),
    b"x",
    10**30,
    -1,
    float("nan"),
    "",
    [],
    {},
    [None],
]
SMALL = {"n_estimators": 2, "random_state": 0}
ESTIMATORS = {
    ForestClassifier: SMALL,
    ForestRegressor: SMALL,
    ManifoldForestClassifier: {**SMALL, "shape": (3, 3), "channels": "raw"},
    BoostedForestClassifier: SMALL,
    BoostedForestRegressor: SMALL,
    BoostedManifoldForestClassifier: {**SMALL, "shape": (3, 3), "channels": "raw"},
    DensityForest: SMALL,
    ManifoldEmbedding: SMALL,
    RankScaler: {},
    OutOfBagSearch: {"estimator": ForestClassifier(5, random_state=0), "min_trees": 5},
}
DISTRIBUTIONS = {
    "Patches": {"shape": (3, 3)},
    "Windows": {"shapes": [(3, 3)]},
    "RidgeWindows": {"shapes": [(3, 3)]},
    "GraphNeighborhoods": {"graph": np.eye(9, k=1) + np.eye(9, k=-1)},
    "EdgeNeighborhoods": {"edges": [(i, i + 1) for i in range(9)]},
    "Dictionary": {"atoms": np.eye(9)},
    "Mixture": {"components": [(projections.AxisAligned(), 1.0)]},
    "UnitFree": {"distribution": projections.SparseSigns()},
}
# Words of scikit-learn's that name a parameter in their own way.
NAMED = {"param_grid": "Parameter grid", "estimator": "estimator"}


def refusals(make, names):
    """What is wrong with how odd values of each parameter are answered."""
    wrong = []
    for name in names:
        for value in VALUES:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    make(name, value)
            except (ValueError, TypeError) as error:
                if name not in str(error) and NAMED.get(name, name) not in str(error):
                    wrong.append(f"{name}={value!r:.40}: {error!s:.100}")
            except Exception as error:
                wrong.append(f"{name}={value!r:.40}: {type(error).__name__} {error!s:.100}")
    return wrong


@pytest.mark.parametrize("kind", ESTIMATORS, ids=lambda kind: kind.__name__)
def test_odd_values_are_refused_by_the_name_of_their_parameter(kind, capfd):
    given = ESTIMATORS[kind]

    def fit(name, value):
        kind(**{**given, name: value}).fit(X, Y)

    assert refusals(fit, kind(**given).get_params(deep=False)) == []


OTHERS = {"Grid", "Node", "ProjectionDistribution", "Window"}


@pytest.mark.parametrize("kind", sorted(set(projections.__all__) - OTHERS))
def test_odd_values_of_distributions_are_refused_by_name(kind):
    make = getattr(projections, kind)
    given = DISTRIBUTIONS.get(kind, {})

    def fit(name, value):
        distribution = make(**{**given, name: value})
        ForestClassifier(2, projections=distribution, random_state=0).fit(X, Y)

    assert refusals(fit, make(**given).get_params(deep=False)) == []


def test_more_terms_than_can_be_drawn_are_refused_by_their_name():
    X = np.random.default_rng(0).normal(size=(20, 12))
    with pytest.raises(ValueError, match=r"^n_terms must be at most 12500, but it is 1000000000"):
        ManifoldForestClassifier(2, n_terms=10**9).fit(X, np.arange(20) % 2)
