"""Decision forests that know the geometry of their features."""

from silvan._version import __version__
from silvan.files import load
from silvan.forests import (
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
)

__all__ = [
    "ForestClassifier",
    "ForestRegressor",
    "ManifoldForestClassifier",
    "ManifoldForestRegressor",
    "__version__",
    "load",
]
