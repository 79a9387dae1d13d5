"""Files of fitted forests: safetensors with a JSON header, no pickle."""

from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator

from silvan import boosting, forests, losses, projections, unsupervised
from silvan.files.container import FileFormatError
from silvan.files.encoding import register
from silvan.files.saving import load, save
from silvan.forest_arrays import ForestArrays
from silvan.forests.categories import CategoryTable
from silvan.forests.sampling import RowPlan, RowSampling
from silvan.forests.scaling import LinearScaler
from silvan.preprocessing import RankScaler
from silvan.unsupervised.affinities import BinaryAffinity, GaussianAffinity, MahalanobisAffinity
from silvan.unsupervised.base import GaussianForest
from silvan.unsupervised.leaf_gaussians import LeafGaussians
from silvan.unsupervised.leaf_index import LeafIndex

__all__ = ["FileFormatError", "load", "register", "save"]

for _module in (boosting, forests, losses, projections, unsupervised):
    for _name in _module.__all__:
        if issubclass(
            _class := getattr(_module, _name),
            BaseEstimator | projections.ProjectionDistribution | losses.Loss,
        ):
            register(_class)
for _class in (
    BinaryAffinity,
    CategoryTable,
    ForestArrays,
    FrozenEstimator,
    GaussianAffinity,
    GaussianForest,
    LeafGaussians,
    LeafIndex,
    LinearScaler,
    MahalanobisAffinity,
    RankScaler,
    RowPlan,
    RowSampling,
):
    register(_class)
