"""Directions of ridge regressions on random features, as in oblique random forests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from silvan import _core
from silvan._validation import invalid, is_number
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

_MAX_STEPS = 20
_CONVERGED = 1e-4
_SAFE_MOVE = 1.79


class RidgeDirections(ProjectionDistribution):
    """Ridge regressions on random features, as in oblique random forests (O-RF) [1]_ [2]_.

    Each direction draws `n_features` distinct features uniformly and regresses the targets of the
    node's samples on them; its coefficients are those of the regression, scaled to unit length. For
    the fit each feature is divided by its standard deviation in the node; the intercept is not
    penalised.

    In classification it is a logistic regression with a ridge penalty, which minimises the sum of
    weight times log-loss plus ``alpha / 2`` times the squared length of the coefficients: that of
    ``LogisticRegression(C=1/alpha)`` on standardised features. More than two classes are put into
    two groups first, by a grouping that is uniformly random among all those of two groups, a new
    one for each direction. In regression it is ``Ridge(alpha)`` on standardised features; of
    several outputs each direction draws one.

    A sample of weight 2 counts as two samples do, so the scale of sample weights matters where they
    are not in the draws already (``bootstrap=False`` in the forest).
    Samples with a missing value among the features drawn are left out of the fit. Where there is
    nothing to fit (one class, no feature that varies), the direction is the feature drawn first.

    Parameters
    ----------
    n_features : int or None, default=None
        Number of features in a direction; None takes the square root of p, rounded up. More than
        the data have means all of them.
    alpha : float, default=1.0
        Strength of the penalty, above 0.
    max_samples : int or None, default=256
        Largest number of samples that a fit uses. If there are more, it takes one at random from
        each of `max_samples` equal stretches of them. None uses all.

    Notes
    -----
    Table 3.1 of [2]_ says how many features are left out; as in [1]_, `n_features` says how many
    are used. In [1]_ the strength of the penalty is chosen at each node; here it is a parameter.

    References
    ----------
    .. [1] B. H. Menze, B. M. Kelm, D. N. Splitthoff, U. Koethe and F. A. Hamprecht. On oblique
       random forests. European Conference on Machine Learning, 2011.
    .. [2] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018, table 3.1.

    Examples
    --------
    Classes on the two sides of a line:

    >>> import numpy as np
    >>> from silvan.projections import RidgeDirections
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> y = 3 * X[:, 0] + 4 * X[:, 1] > 0
    >>> distribution = RidgeDirections(n_features=2)
    >>> distribution.draw(1, n_features=2, random_state=0, X=X, y=y).toarray().round(1)
    array([[0.6, 0.8]], dtype=float32)
    """

    def __init__(
        self,
        n_features: int | None = None,
        alpha: float = 1.0,
        max_samples: int | None = DEFAULT_MAX_SAMPLES,
    ) -> None:
        self.n_features = n_features
        self.alpha = alpha
        self.max_samples = max_samples

    def validate(self, n_features: int) -> None:
        """Raise an error if a parameter is wrong."""
        check_fit(self.n_features, self.max_samples, n_features, or_none=True)
        if not (is_number(self.alpha) and self.alpha > 0):
            raise invalid("alpha", "a finite number above 0", self.alpha, "pass for example 1.0")

    def sample(self, node: Node, rng: np.random.Generator) -> sparse.csr_array[np.float64]:
        """Draw directions for one node in NumPy, as a reference for the core."""
        return sparse.csr_array(
            np.array([self._fit_direction(node, rng) for _ in range(node.n_directions)])
        )

    def _fit_direction(self, node: Node, rng: np.random.Generator) -> Vector:
        drawn = rng.choice(node.n_features, self._n_drawn(node.n_features), replace=False)
        features = np.sort(drawn)
        rows = thin(np.arange(node.n_samples), sample_limit(self.max_samples), rng)
        sample = read_sample(node, features, count_samples(rows, node))
        target = draw_target(sample.targets, rng)
        coefficients = np.zeros(len(features))
        if target is not None:
            Z, deviation, varies = standardize(sample)
            fit = fit_logistic if sample.targets.ndim == 1 else fit_linear
            coefficients[varies] = fit(Z, target, sample.weights, self.alpha) / deviation
        oriented = orient(coefficients)
        if oriented is None:
            return place(drawn[:1], np.ones(1), node.n_features)
        return place(features, oriented, node.n_features)

    def _n_drawn(self, n_features: int) -> int:
        return n_drawn(self.n_features, np.sqrt(n_features), n_features)

    def _to_native(self, n_features: int) -> _core.ProjectionDistribution:
        return _core.ridge_directions(
            n_features,
            self._n_drawn(n_features),
            float(self.alpha),
            sample_limit(self.max_samples),
        )


def draw_target(targets: NDArray[np.float64], rng: np.random.Generator) -> Vector | None:
    """A single target: two groups of the classes as 0 and 1, or one output; None if hopeless."""
    if targets.ndim == 2:
        n_outputs = targets.shape[1]
        output = int(rng.integers(n_outputs)) if n_outputs > 1 else 0
        return targets[:, output] if len(targets) > 1 else None
    classes, numbers = np.unique(targets, return_inverse=True)
    if len(classes) < 2:
        return None
    if len(classes) == 2:
        return numbers.astype(np.float64)
    other = rng.integers(2, size=len(classes) - 1)
    while not other.any():
        other = rng.integers(2, size=len(classes) - 1)
    return np.concatenate([[0], other])[numbers].astype(np.float64)


def fit_linear(Z: NDArray[np.float64], target: Vector, weights: Vector, alpha: float) -> Vector:
    """Ridge regression on centred columns and a centred target."""
    weighted = Z.T * weights
    hessian = weighted @ Z + alpha * np.eye(Z.shape[1])
    return np.asarray(np.linalg.solve(hessian, weighted @ target), dtype=np.float64)


def fit_logistic(Z: NDArray[np.float64], target: Vector, weights: Vector, alpha: float) -> Vector:
    """Ridge logistic regression with an intercept by Newton's method; returns the coefficients.

    A step that moves some sample by D > 1.79 along the logits may overshoot. If the next step
    promises a larger gain, it did, and is cut to log(1 + D) / D of itself, which never does.
    """
    if Z.shape[1] == 0:
        return np.zeros(0)
    design = np.column_stack([Z, np.ones(len(Z))])
    penalty = np.append(np.full(Z.shape[1], alpha), 0.0)

    def find_step(solution: Vector) -> tuple[Vector, float]:
        logits = design @ solution
        small = np.exp(-np.abs(logits))
        unlikely = small / (1 + small)
        probability = np.where(logits < 0, unlikely, 1 - unlikely)
        descent = design.T @ (weights * (target - probability)) - penalty * solution
        hessian = (design.T * (weights * unlikely * (1 - unlikely))) @ design + np.diag(penalty)
        step = np.linalg.solve(hessian, descent)
        return step, float(step @ descent)

    share = weights @ target / weights.sum()
    solution = np.append(np.zeros(Z.shape[1]), np.log(share / (1 - share)))
    step, move, promise = np.zeros_like(solution), 0.0, np.inf
    for _ in range(_MAX_STEPS):
        next_step, gain = find_step(solution)
        if not gain <= promise and move > _SAFE_MOVE:
            solution = solution + (np.log1p(move) / move - 1) * step
            next_step, gain = find_step(solution)
        step, promise = next_step, gain
        move = float(np.abs(design @ step).max())
        solution = solution + step
        if gain <= _CONVERGED * weights.sum():
            break
    return np.asarray(solution[:-1])
