"""Density forests and embeddings keep scikit-learn's contract, in several configurations."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from silvan import DensityForest, ManifoldEmbedding
from silvan.projections import AxisAligned

ESTIMATORS = [
    DensityForest(5),
    DensityForest(5, bootstrap=False, covariance_type="diag", projections=AxisAligned()),
    ManifoldEmbedding(20),
    ManifoldEmbedding(20, affinity="gaussian"),
    ManifoldEmbedding(20, affinity="mahalanobis", covariance_type="diag"),
    ManifoldEmbedding(forest=DensityForest(20)),
]


@parametrize_with_checks(ESTIMATORS)
def test_unsupervised_estimators_keep_the_contract_of_scikit_learn(estimator, check):
    check(estimator)
