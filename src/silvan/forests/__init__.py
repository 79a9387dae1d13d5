"""The supervised forests."""

from silvan.forests.classifier import ForestClassifier
from silvan.forests.manifold import ManifoldForestClassifier, ManifoldForestRegressor
from silvan.forests.regressor import ForestRegressor

__all__ = [
    "ForestClassifier",
    "ForestRegressor",
    "ManifoldForestClassifier",
    "ManifoldForestRegressor",
]
