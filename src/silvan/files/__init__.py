"""Files of fitted forests: safetensors with a JSON header, no pickle."""

from sklearn.base import BaseEstimator

from silvan import forests, projections
from silvan.files.container import FileFormatError
from silvan.files.encoding import register
from silvan.files.saving import load, save
from silvan.forest_arrays import ForestArrays
from silvan.forests.sampling import RowPlan, RowSampling
from silvan.forests.scaling import LinearScaler
from silvan.preprocessing import RankScaler

__all__ = ["FileFormatError", "load", "register", "save"]

for _module in (forests, projections):
    for _name in _module.__all__:
        if issubclass(
            _class := getattr(_module, _name), BaseEstimator | projections.ProjectionDistribution
        ):
            register(_class)
for _class in (ForestArrays, LinearScaler, RankScaler, RowPlan, RowSampling):
    register(_class)
