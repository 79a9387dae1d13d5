"""Decision forests that know the geometry of their features."""

from importlib.metadata import version

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
]

__version__ = version("silvan")
