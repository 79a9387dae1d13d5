"""The systems of the literature under their own names, each a configured forest.

Every function takes ``n_estimators``, ``task`` ("classification" or "regression") and any further
parameter of the estimator that it returns; what is passed wins over what the literature says.
"""

from silvan.presets.fitted_directions import ccf, o_rf, rot_for
from silvan.presets.manifolds import graph_morf, mf, morf, s_rerf
from silvan.presets.random_directions import (
    agnostic,
    extra_trees,
    f_rc,
    frank,
    guided,
    rerf,
    rf,
    rr_rf,
    sporf,
)

__all__ = [
    "agnostic",
    "ccf",
    "extra_trees",
    "f_rc",
    "frank",
    "graph_morf",
    "guided",
    "mf",
    "morf",
    "o_rf",
    "rerf",
    "rf",
    "rot_for",
    "rr_rf",
    "s_rerf",
    "sporf",
]
