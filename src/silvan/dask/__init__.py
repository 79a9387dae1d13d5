"""Forests grown by a Dask cluster: the same estimators, data in partitions, the same trees.

Every random draw of a forest is keyed by seed, tree and node, so that workers can grow any of its
trees. See the guide's page "Clusters" for the two layouts of the data and what they cost.
"""

try:
    import dask.dataframe  # noqa: F401
    import distributed  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"silvan.dask needs Dask, which is not installed ({error}); install silvan[dask]."
    ) from error

from silvan.dask.estimators import (
    ForestClassifier,
    ForestRegressor,
    ManifoldForestClassifier,
    ManifoldForestRegressor,
    on_cluster,
)
from silvan.dask.running import ClusterError

__all__ = [
    "ClusterError",
    "ForestClassifier",
    "ForestRegressor",
    "ManifoldForestClassifier",
    "ManifoldForestRegressor",
    "on_cluster",
]
