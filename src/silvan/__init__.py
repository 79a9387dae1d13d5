"""Decision forests that know the geometry of their features."""

from importlib.metadata import version

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
]

__version__ = version("silvan")
