"""Every forest keeps scikit-learn's contract, in several configurations."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from silvan import (
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
)
from silvan.projections import AxisAligned

ESTIMATORS = [
    ForestClassifier(n_estimators=5),
    # Without bootstrap and limits all leaves are pure, and no class weight can change them.
    ForestClassifier(n_estimators=5, bootstrap=False, min_impurity_decrease=1e-3),
    ForestClassifier(n_estimators=5, projections=AxisAligned(), criterion="entropy"),
    ForestClassifier(n_estimators=9, voting="hard"),
    ForestClassifier(n_estimators=5, class_weight="balanced"),
    ForestClassifier(n_estimators=5, scaling="rank"),
    ForestRegressor(n_estimators=5),
    ForestRegressor(n_estimators=5, bootstrap=False),
    ForestRegressor(n_estimators=5, scaling="standard"),
    ForestClassifier(n_estimators=9, honest=True),
    ForestRegressor(n_estimators=9, honest=True, bootstrap=False),
    ForestRegressor(n_estimators=5, projections=AxisAligned(), max_features=0.5),
    ManifoldForestClassifier(n_estimators=5),
    ManifoldForestClassifier(
        n_estimators=9, channels="raw", boundary="wrap", coefficients="signs", voting="hard"
    ),
    ManifoldForestRegressor(n_estimators=5),
    ManifoldForestRegressor(n_estimators=5, scaling="minmax"),
]


@parametrize_with_checks(ESTIMATORS)
def test_forests_keep_the_contract_of_scikit_learn(estimator, check):
    check(estimator)
