"""Decision forests that know the geometry of their features."""

from silvan._version import __version__
from silvan.boosting import (
    BoostedForestClassifier,
    BoostedForestRegressor,
    BoostedManifoldForestClassifier,
    BoostedManifoldForestRegressor,
)
from silvan.files import load
from silvan.forests import (
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
)
from silvan.unsupervised import DensityForest, ManifoldEmbedding

__all__ = [
    "BoostedForestClassifier",
    "BoostedForestRegressor",
    "BoostedManifoldForestClassifier",
    "BoostedManifoldForestRegressor",
    "DensityForest",
    "ForestClassifier",
    "ForestRegressor",
    "ManifoldEmbedding",
    "ManifoldForestClassifier",
    "ManifoldForestRegressor",
    "__version__",
    "load",
]
