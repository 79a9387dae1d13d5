"""Systems of gradient boosting, all with their defaults and one thread; others are optional."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier

from silvan import BoostedForestClassifier, ForestClassifier

PACKAGES = {
    "LightGBM": "lightgbm",
    "XGBoost": "xgboost",
    "CatBoost": "catboost",
    "YDF, oblique": "ydf",
}
SYSTEMS = ("silvan", "LightGBM", "XGBoost", "HistGradientBoosting", "CatBoost", "silvan, bagged")


def is_installed(name: str) -> bool:
    """Whether the package that a system needs is there."""
    return name not in PACKAGES or find_spec(PACKAGES[name]) is not None


def make_booster(name: str, seed: int) -> Any:
    """The classifier of a system."""
    if name == "silvan":
        return BoostedForestClassifier(random_state=seed, n_jobs=1)
    if name == "silvan, bagged":
        return ForestClassifier(random_state=seed, n_jobs=1)
    if name == "HistGradientBoosting":
        return HistGradientBoostingClassifier(random_state=seed)
    return _OTHERS[name](seed)


def _make_lightgbm(seed: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=seed, n_jobs=1, verbosity=-1)


def _make_xgboost(seed: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(random_state=seed, n_jobs=1)


def _make_catboost(seed: int) -> Any:
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        random_seed=seed, thread_count=1, verbose=False, allow_writing_files=False
    )


class _ObliqueTrees:
    """YDF's gradient boosted trees with sparse oblique splits, as a classifier."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, X: NDArray[Any], codes: NDArray[Any]) -> _ObliqueTrees:
        """Fit to classes 0, 1, ..."""
        import ydf

        learner = ydf.GradientBoostedTreesLearner(
            label="y", split_axis="SPARSE_OBLIQUE", random_seed=self.seed, num_threads=1
        )
        self.model = learner.train({**self._columns(X), "y": codes}, verbose=0)
        return self

    def predict_proba(self, X: NDArray[Any]) -> NDArray[Any]:
        """Probabilities of the classes; of two, YDF gives that of the second."""
        found = np.asarray(self.model.predict(self._columns(X)))
        if found.ndim == 1:
            return np.column_stack([1.0 - found, found])
        order = np.argsort([int(name) for name in self.model.label_classes()])
        return found[:, order]

    @staticmethod
    def _columns(X: NDArray[Any]) -> dict[str, NDArray[Any]]:
        return {f"x{j}": X[:, j] for j in range(X.shape[1])}


_OTHERS: dict[str, Callable[[int], Any]] = {
    "LightGBM": _make_lightgbm,
    "XGBoost": _make_xgboost,
    "CatBoost": _make_catboost,
    "YDF, oblique": _ObliqueTrees,
}


class Coded:
    """A classifier that is shown classes as 0, 1, ..., as some libraries ask for."""

    def __init__(self, classifier: Any) -> None:
        self.classifier = classifier

    def fit(self, X: NDArray[Any], y: NDArray[Any]) -> Coded:
        """Number the classes that are there, and fit."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.classifier.fit(X, codes)
        return self

    def predict_proba(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Probabilities of `classes_`."""
        return np.asarray(self.classifier.predict_proba(X), dtype=np.float64)


def log_loss_of(
    probabilities: NDArray[np.float64], classes: NDArray[Any], y: NDArray[Any], least: float = 1e-6
) -> float:
    """Mean log loss; probabilities below `least`, and those of unknown classes, count as that."""
    place = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    true = probabilities[np.arange(len(y)), place]
    return float(-np.log(np.where(classes[place] == y, true, 0.0).clip(least)).mean())
