"""Files of fitted forests: safetensors with a JSON header, no pickle."""

from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator

from silvan import boosting, channels, forests, losses, projections, unsupervised
from silvan.channels import ChannelLayout, FittedChannels
from silvan.channels.plane import PlaneGrid
from silvan.files.container import FileFormatError
from silvan.files.encoding import register
from silvan.files.saving import load, save
from silvan.forest_arrays import ForestArrays
from silvan.forests.categories import CategoryTable
from silvan.forests.dates import DateColumn
from silvan.forests.fitting import TreeSeed
from silvan.forests.labelled import GridAxes
from silvan.forests.sampling import SamplePlan, Sampling
from silvan.forests.scaling import LinearScaler
from silvan.preprocessing import RankScaler
from silvan.unsupervised.affinities import BinaryAffinity, GaussianAffinity, MahalanobisAffinity
from silvan.unsupervised.base import GaussianForest
from silvan.unsupervised.leaf_gaussians import LeafGaussians
from silvan.unsupervised.leaf_index import LeafIndex

__all__ = ["FileFormatError", "load", "register", "save"]

_KEPT = BaseEstimator | projections.ProjectionDistribution | channels.Channel | losses.Loss
for _module in (boosting, channels, forests, losses, projections, unsupervised):
    for _name in _module.__all__:
        _class = getattr(_module, _name)
        if isinstance(_class, type) and issubclass(_class, _KEPT):
            register(_class)
for _class in (
    BinaryAffinity,
    CategoryTable,
    ChannelLayout,
    DateColumn,
    FittedChannels,
    ForestArrays,
    FrozenEstimator,
    GaussianAffinity,
    GaussianForest,
    GridAxes,
    LeafGaussians,
    LeafIndex,
    LinearScaler,
    MahalanobisAffinity,
    PlaneGrid,
    RankScaler,
    SamplePlan,
    Sampling,
    TreeSeed,
):
    register(_class)
