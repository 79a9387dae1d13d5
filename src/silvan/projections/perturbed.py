"""Random hyperplanes that are perturbed until they split well, as Heath, Kasif and Salzberg do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from silvan import _core
from silvan._validation import check_integer
from silvan.projections.base import ProjectionDistribution
from silvan.projections.fitted import (
    DEFAULT_MAX_SAMPLES,
    Vector,
    check_fit,
    count_samples,
    n_drawn,
    orient,
    place,
    read_sample,
    sample_limit,
    standardize,
    thin,
)
from silvan.projections.node import Node

MAX_PERTURBATIONS = 1_000_000


class PerturbedHyperplanes(ProjectionDistribution):
    """Random hyperplanes, perturbed one coefficient at a time while that does no harm [1]_ [2]_.

    Each direction draws `n_features` distinct features and looks at the node's samples along them,
    each feature divided by its standard deviation there. It begins with standard normal
    coefficients. A perturbation adds a number uniform over (-1/2, 1/2) to one of them, drawn
    uniformly, and is kept unless the best split of those samples gets worse: by the Gini impurity
    of the classes, or by the variance of the targets, of several outputs of one that each direction
    draws. The coefficients are scaled to unit length in the end.

    Samples with a missing value among the features drawn are left out. Where there is nothing to
    split (no feature that varies), the direction is the feature drawn first.

    Parameters
    ----------
    n_features : int or None, default=None
        Number of features in a direction; None takes all.
    n_perturbations : int, default=20
        Number of perturbations; 0 leaves random hyperplanes.
    max_samples : int or None, default=256
        Largest number of samples that are used. If there are more, one is taken at random from each
        of `max_samples` equal stretches of them. None looks at all.

    Notes
    -----
    The trees of [1]_ accept a worse hyperplane with a probability that falls as annealing cools
    down, and perturb the threshold as well; here it is always the best one, and a forest has many
    random beginnings instead. The time of a node grows with `max_features` times
    `n_perturbations`: a few directions at a node are enough.

    References
    ----------
    .. [1] D. Heath, S. Kasif, S. Salzberg. Induction of oblique decision trees. International Joint
       Conference on Artificial Intelligence, 1993.
    .. [2] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018, section 1.4.

    Examples
    --------
    Classes on the two sides of a line:

    >>> import numpy as np
    >>> from silvan.projections import PerturbedHyperplanes
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> y = 3 * X[:, 0] + 4 * X[:, 1] > 0
    >>> distribution = PerturbedHyperplanes(n_perturbations=100)
    >>> direction = distribution.draw(1, n_features=2, random_state=0, X=X, y=y).toarray()[0]
    >>> bool(abs(direction @ [0.6, 0.8]) > 0.98)
    True
    """

    def __init__(
        self,
        n_features: int | None = None,
        n_perturbations: int = 20,
        max_samples: int | None = DEFAULT_MAX_SAMPLES,
    ) -> None:
        self.n_features = n_features
        self.n_perturbations = n_perturbations
        self.max_samples = max_samples

    def validate(self, n_features: int) -> None:
        """Raise an error if a parameter is wrong."""
        check_fit(self.n_features, self.max_samples, n_features, or_none=True)
        check_integer("n_perturbations", self.n_perturbations, 0, maximum=MAX_PERTURBATIONS)

    def sample(self, node: Node, rng: np.random.Generator) -> sparse.csr_array[np.float64]:
        """Draw directions for one node in NumPy, as a reference for the core."""
        return sparse.csr_array(
            np.array([self._climb(node, rng) for _ in range(node.n_directions)])
        )

    def _climb(self, node: Node, rng: np.random.Generator) -> Vector:
        drawn = rng.choice(node.n_features, self._n_drawn(node.n_features), replace=False)
        features = np.sort(drawn)
        rows = thin(np.arange(node.n_samples), sample_limit(self.max_samples), rng)
        sample = read_sample(node, features, count_samples(rows, node))
        coefficients = np.zeros(len(features))
        if len(sample.X) > 1:
            Z, deviation, varies = standardize(sample)
            if varies.any():
                targets = draw_sums(sample.targets, rng)
                climbed = self._perturb(Z, targets, sample.weights, rng)
                coefficients[varies] = climbed / deviation
        oriented = orient(coefficients)
        if oriented is None:
            return place(drawn[:1], np.ones(1), node.n_features)
        return place(features, oriented, node.n_features)

    def _perturb(
        self,
        Z: NDArray[np.float64],
        targets: NDArray[np.float64],
        weights: Vector,
        rng: np.random.Generator,
    ) -> Vector:
        coefficients: Vector = rng.normal(size=(Z.shape[1],))
        best = score_best_split(Z @ coefficients, targets, weights)
        for _ in range(self.n_perturbations):
            perturbed = coefficients.copy()
            perturbed[rng.integers(len(perturbed))] += rng.uniform(-0.5, 0.5)
            score = score_best_split(Z @ perturbed, targets, weights)
            if score >= best:
                coefficients, best = perturbed, score
        return coefficients

    def _n_drawn(self, n_features: int) -> int:
        return n_drawn(self.n_features, n_features, n_features)

    def _to_native(self, n_features: int) -> _core.ProjectionDistribution:
        return _core.perturbed_hyperplanes(
            n_features,
            self._n_drawn(n_features),
            int(self.n_perturbations),
            sample_limit(self.max_samples),
        )


def draw_sums(targets: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """What a split should tell apart: indicators of the classes, or one output."""
    if targets.ndim == 2:
        n_outputs = targets.shape[1]
        return targets[:, [int(rng.integers(n_outputs)) if n_outputs > 1 else 0]]
    return np.asarray(targets[:, np.newaxis] == np.unique(targets), dtype=np.float64)


def score_best_split(value: Vector, targets: NDArray[np.float64], weights: Vector) -> float:
    """The largest sum over both sides of squared sums of targets divided by weights."""
    order = np.argsort(value)
    split = np.flatnonzero(np.diff(value[order]) > 0)
    if len(split) == 0:
        return -np.inf
    sums = np.cumsum(weights[order, np.newaxis] * targets[order], axis=0)
    left, left_weight = sums[split], np.cumsum(weights[order])[split]
    right, right_weight = sums[-1] - left, weights.sum() - left_weight
    score = (left**2).sum(axis=1) / left_weight + (right**2).sum(axis=1) / right_weight
    return float(score.max())
