"""Decision forests that know the geometry of their features."""

from importlib import import_module
from typing import TYPE_CHECKING

from silvan._version import __version__

if TYPE_CHECKING:
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

# Where the names of __all__ are. They are imported when they are first asked for: the command line
# is then at work, and can answer Ctrl-C, before NumPy, SciPy and scikit-learn are imported, which
# takes a second or more.
_HOMES = ("forests", "boosting", "unsupervised", "files")


def __getattr__(name: str) -> object:
    if name in __all__:
        for home in _HOMES:
            module = import_module(f"silvan.{home}")
            if name in module.__all__:
                globals()[name] = getattr(module, name)
                return globals()[name]
    elif not name.startswith("_"):
        try:
            return import_module(f"silvan.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"silvan.{name}":
                raise
    raise AttributeError(f"module 'silvan' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
