"""Silvan's forests under the names of scikit-learn's, and a plugin that runs its tests with them.

``python -m pytest -p substitutes --pyargs sklearn.ensemble.tests.test_forest``
"""

from __future__ import annotations

from dataclasses import dataclass

import sklearn.ensemble

import silvan
from silvan._parameters import growing
from silvan.projections import AxisAligned, ProjectionDistribution


class _SingleFeatures:
    @staticmethod
    def _default_projections() -> ProjectionDistribution:
        return AxisAligned()


@dataclass(kw_only=True, eq=False, repr=False)
class RandomForestClassifier(_SingleFeatures, silvan.ForestClassifier):
    pass


@dataclass(kw_only=True, eq=False, repr=False)
class RandomForestRegressor(_SingleFeatures, silvan.ForestRegressor):
    pass


@dataclass(kw_only=True, eq=False, repr=False)
class ExtraTreesClassifier(_SingleFeatures, silvan.ForestClassifier):
    bootstrap: bool = False
    thresholds: str = growing("random")


@dataclass(kw_only=True, eq=False, repr=False)
class ExtraTreesRegressor(_SingleFeatures, silvan.ForestRegressor):
    bootstrap: bool = False
    thresholds: str = growing("random")


SUBSTITUTES = {
    cls.__name__: cls
    for cls in (
        RandomForestClassifier,
        RandomForestRegressor,
        ExtraTreesClassifier,
        ExtraTreesRegressor,
    )
}

for _name, _cls in SUBSTITUTES.items():
    setattr(sklearn.ensemble, _name, _cls)
