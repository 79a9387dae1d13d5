"""Every boosted forest keeps scikit-learn's contract, in several configurations."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from silvan import (
    BoostedForestClassifier,
    BoostedForestRegressor,
    BoostedManifoldForestClassifier,
    BoostedManifoldForestRegressor,
)
from silvan.projections import AxisAligned, SparseSigns

ESTIMATORS = [
    BoostedForestClassifier(),
    BoostedForestClassifier(n_estimators=10, min_samples_leaf=1, projections=AxisAligned()),
    BoostedForestClassifier(n_estimators=10, subsample=0.7, colsample=0.7, l2_regularization=1.0),
    BoostedForestClassifier(n_estimators=10, early_stopping=True, n_iter_no_change=3),
    BoostedForestClassifier(n_estimators=10, class_weight="balanced", scaling="rank"),
    BoostedForestClassifier(n_estimators=10, vector_leaves=True, min_samples_leaf=2),
    BoostedForestRegressor(),
    BoostedForestRegressor(n_estimators=10, min_samples_leaf=1, projections=SparseSigns()),
    BoostedForestRegressor(n_estimators=10, loss="absolute_error", min_samples_leaf=3),
    BoostedForestRegressor(n_estimators=10, loss="huber", thresholds="random"),
    BoostedForestRegressor(n_estimators=10, early_stopping=True, max_leaf_nodes=None, max_depth=3),
    BoostedManifoldForestClassifier(n_estimators=10),
    BoostedManifoldForestRegressor(n_estimators=10, scaling="minmax"),
]


@parametrize_with_checks(ESTIMATORS)
def test_boosted_forests_keep_the_contract_of_scikit_learn(estimator, check):
    check(estimator)
