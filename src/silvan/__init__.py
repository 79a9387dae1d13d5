"""Decision forests that know the geometry of their features."""

from silvan._version import __version__
from silvan.files import load
from silvan.forests import (
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
)
from silvan.unsupervised import DensityForest, ManifoldEmbedding

__all__ = [
    "DensityForest",
    "ForestClassifier",
    "ForestRegressor",
    "ManifoldEmbedding",
    "ManifoldForestClassifier",
    "ManifoldForestRegressor",
    "__version__",
    "load",
]
