"""Axis-aligned directions: single features, as in Breiman's random forests."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from silvan import _core
from silvan.projections.base import ProjectionDistribution
from silvan.projections.node import Node


class AxisAligned(ProjectionDistribution):
    """Single features, as in random forests (Forest-RI) [1]_.

    A node draws min(d, p) distinct features, uniformly without replacement, each with coefficient
    1.

    References
    ----------
    .. [1] L. Breiman. Random forests. Machine Learning 45, 2001.

    Examples
    --------
    >>> from silvan.projections import AxisAligned
    >>> AxisAligned().draw(n_directions=9, n_features=4, random_state=0).sum(axis=0)
    array([1., 1., 1., 1.], dtype=float32)
    """

    def sample(self, node: Node, rng: np.random.Generator) -> sparse.csr_array[np.float64]:
        """Draw directions for one node in NumPy, as a reference for the core."""
        n_directions = min(node.n_directions, node.n_features)
        features = rng.permutation(node.n_features)[:n_directions]
        return sparse.csr_array(np.eye(node.n_features)[features])

    def _to_native(self, n_features: int) -> _core.ProjectionDistribution:
        return _core.axis_aligned(n_features)
