"""Boosted forests: trees that are grown on what the trees before them left over."""

from silvan.boosting.classifier import BoostedForestClassifier
from silvan.boosting.manifold import (
    BoostedManifoldForestClassifier,
    BoostedManifoldForestRegressor,
)
from silvan.boosting.regressor import BoostedForestRegressor

__all__ = [
    "BoostedForestClassifier",
    "BoostedForestRegressor",
    "BoostedManifoldForestClassifier",
    "BoostedManifoldForestRegressor",
]
