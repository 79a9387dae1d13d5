"""Combinations of a fixed number of features with uniform coefficients, as in Forest-RC."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from silvan import _core
from silvan._validation import check_integer
from silvan.projections.base import ProjectionDistribution
from silvan.projections.node import Node


class UniformCombinations(ProjectionDistribution):
    """Combinations of L random features with uniform coefficients, as in Forest-RC (F-RC) [1]_.

    Each direction has min(L, p) distinct features, drawn uniformly without replacement, with
    independent coefficients uniform over (-1, 1). On ranks instead of raw values the forest is
    Frank [2]_.

    Parameters
    ----------
    n_features : int, default=2
        Number L of features in a direction; a number larger than p means all features.

    References
    ----------
    .. [1] L. Breiman. Random forests. Machine Learning 45, 2001.
    .. [2] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018, chapter 2.

    Examples
    --------
    >>> from silvan.projections import UniformCombinations
    >>> directions = UniformCombinations(n_features=3).draw(5, n_features=10, random_state=0)
    >>> (directions != 0).sum(axis=1)
    array([3, 3, 3, 3, 3])
    """

    def __init__(self, n_features: int = 2) -> None:
        self.n_features = n_features

    def validate(self, n_features: int) -> None:
        """Raise an error if a parameter is wrong."""
        check_integer("n_features", self.n_features, 1)

    def sample(self, node: Node, rng: np.random.Generator) -> sparse.csr_array[np.float64]:
        """Draw directions for one node in NumPy, as a reference for the core."""
        size = min(self.n_features, node.n_features)
        directions = np.zeros((node.n_directions, node.n_features))
        for direction in directions:
            features = rng.choice(node.n_features, size=size, replace=False)
            direction[features] = rng.uniform(-1, 1, size=size)
        return sparse.csr_array(directions)

    def _to_native(self, n_features: int) -> _core.ProjectionDistribution:
        return _core.uniform_combinations(n_features, min(int(self.n_features), n_features))
