"""Principal components of random groups of features, as in Rotation Forest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from silvan import _core
from silvan._validation import check_choice
from silvan.projections.base import ProjectionDistribution
from silvan.projections.fitted import (
    DEFAULT_MAX_SAMPLES,
    FitSample,
    Vector,
    check_fit,
    count_samples,
    orient,
    place,
    read_sample,
    sample_limit,
    thin,
)
from silvan.projections.node import Node

# Variances below this share of the largest, and coefficients below that, are rounding errors.
_NO_VARIANCE = 1e-13
_NO_WEIGHT = 1e-12
_BOOTSTRAP_SHARE = 0.75


class PrincipalComponents(ProjectionDistribution):
    """Principal components of random groups of features, as in Rotation Forest [1]_ [2]_.

    A random permutation of the p features is cut into groups of `n_features` (the last may be
    smaller). A group gives the principal components of its features, a direction each, over these
    features alone: eigenvectors of their covariance, largest variance first. The features are
    centred and not scaled, so units matter.

    With ``per="node"`` [2]_ the components are those of the node's samples, and those without
    variance are left out; a group in which nothing varies gives its first feature. Groups are taken
    until there are d directions (of the last one, its leading components); after the last group
    comes another permutation.

    With ``per="tree"`` [1]_ each tree finds one rotation and a node draws min(d, p) distinct
    columns of it. Each group then sees its own random subset of the tree's samples: some of the
    classes (each with probability 1/2, at least one), and of these a bootstrap sample of three
    quarters of the samples. In regression no samples are excluded. All components are kept.

    Samples count by their weight. Samples with a missing value among the features of a group are
    left out of its fit.

    Parameters
    ----------
    n_features : int, default=3
        Number of features in a group; a number larger than p means one group of all features.
    per : {"node", "tree"}, default="node"
        Whether to fit at every node or once per tree.
    max_samples : int or None, default=256
        Largest number of samples that a fit uses. If there are more, it takes one at random from
        each of `max_samples` equal stretches of them. None uses all.

    See Also
    --------
    RandomRotation : A rotation that does not look at the data.

    Notes
    -----
    Table 3.1 of [2]_ can be read as if the features of a group were those left out. As in [1]_,
    they are those that the components are over.

    References
    ----------
    .. [1] J. J. Rodríguez, L. I. Kuncheva and C. J. Alonso. Rotation forest: a new classifier
       ensemble method. IEEE Transactions on Pattern Analysis and Machine Intelligence 28, 2006.
    .. [2] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018, table 3.1.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.projections import PrincipalComponents
    >>> x = np.random.default_rng(0).normal(size=500)
    >>> X = np.column_stack([x, 2 * x, 0 * x])
    >>> PrincipalComponents().draw(1, n_features=3, random_state=0, X=X).toarray().round(3)
    array([[0.447, 0.894, 0.   ]], dtype=float32)
    """

    def __init__(
        self,
        n_features: int = 3,
        per: str = "node",
        max_samples: int | None = DEFAULT_MAX_SAMPLES,
    ) -> None:
        self.n_features = n_features
        self.per = per
        self.max_samples = max_samples

    def validate(self, n_features: int) -> None:
        """Raise an error if a parameter is wrong."""
        check_fit(self.n_features, self.max_samples, n_features, or_none=False)
        check_choice("per", self.per, ("node", "tree"))

    def sample(self, node: Node, rng: np.random.Generator) -> sparse.csr_array[np.float64]:
        """Draw directions for one node in NumPy, as a reference for the core.

        With ``per="tree"`` a call fits a rotation of its own to the node, so that the distribution
        of the root is that of the native distribution, but the nodes of a tree do not share their
        rotation.
        """
        if self.per == "tree":
            rotation = self._fit_rotation(node, rng)
            count = min(node.n_directions, node.n_features)
            return sparse.csr_array(rotation[rng.choice(node.n_features, count, replace=False)])
        directions: list[Vector] = []
        while len(directions) < node.n_directions:
            missing = node.n_directions - len(directions)
            n_drawn = min(node.n_features, missing * self._group_size(node))
            permutation = rng.choice(node.n_features, n_drawn, replace=False)
            for group in self._cut(permutation, node):
                if len(directions) < node.n_directions:
                    directions += self._fit_group(node, group, rng)
        return sparse.csr_array(np.array(directions[: node.n_directions]))

    def _fit_group(
        self, node: Node, group: NDArray[np.intp], rng: np.random.Generator
    ) -> list[Vector]:
        """The components that vary among the node's samples."""
        features = np.sort(group)
        rows = thin(np.arange(node.n_samples), sample_limit(self.max_samples), rng)
        sample = read_sample(node, features, count_samples(rows, node))
        variance, components = principal_components(sample)
        varies = variance > _NO_VARIANCE * variance.max()
        if not varies.any():
            features, components = group[:1], np.ones((1, 1))
            varies = np.ones(1, dtype=np.bool_)
        return [place(features, component, node.n_features) for component in components[varies]]

    def _fit_rotation(self, node: Node, rng: np.random.Generator) -> NDArray[np.float64]:
        """All components of all groups, each fitted to a sample of its own."""
        permutation = rng.choice(node.n_features, node.n_features, replace=False)
        rotation: list[Vector] = []
        for group in self._cut(permutation, node):
            features = np.sort(group)
            sample = read_sample(node, features, count_samples(self._draw_samples(node, rng), node))
            _, components = principal_components(sample)
            rotation += [place(features, component, node.n_features) for component in components]
        return np.array(rotation)

    def _draw_samples(self, node: Node, rng: np.random.Generator) -> NDArray[np.intp]:
        """The samples that one group of a tree sees."""
        rows = np.arange(node.n_samples)
        if len(rows) > 0 and node.targets.ndim == 1:
            classes, numbers = np.unique(node.targets, return_inverse=True)
            chosen = rng.integers(2, size=len(classes))
            while not chosen.any():
                chosen = rng.integers(2, size=len(classes))
            rows = np.flatnonzero(chosen[numbers])
        rows = thin(rows, sample_limit(self.max_samples), rng)
        if len(rows) == 0:
            return rows
        n_draws = max(1, int(_BOOTSTRAP_SHARE * len(rows)))
        return np.asarray(rows[rng.integers(len(rows), size=n_draws)])

    def _group_size(self, node: Node) -> int:
        return min(int(self.n_features), node.n_features)

    def _cut(self, permutation: NDArray[np.intp], node: Node) -> list[NDArray[np.intp]]:
        size = self._group_size(node)
        return [permutation[first : first + size] for first in range(0, len(permutation), size)]

    def _to_native(self, n_features: int) -> _core.ProjectionDistribution:
        return _core.principal_components(
            n_features,
            min(int(self.n_features), n_features),
            self.per == "tree",
            sample_limit(self.max_samples),
        )


def principal_components(sample: FitSample) -> tuple[Vector, NDArray[np.float64]]:
    """Variances, descending, and components, a row each, of a centred sample."""
    n_samples, n_columns = sample.X.shape
    if n_samples == 0:
        return np.zeros(n_columns), np.eye(n_columns)
    scaled = np.sqrt(sample.shares)[:, None] * sample.X
    _, deviation, components = np.linalg.svd(scaled, full_matrices=True)
    components[np.abs(components) < _NO_WEIGHT] = 0
    variance = np.zeros(n_columns)
    variance[: len(deviation)] = deviation**2
    oriented = [orient(component) for component in components]
    return variance, np.array(oriented)
