"""Decision forests that know the geometry of their features."""

from importlib.metadata import version

from silvan.forests import ForestClassifier, ForestRegressor

__all__ = ["ForestClassifier", "ForestRegressor", "__version__"]

__version__ = version("silvan")
