"""Canonical correlations of random features with the targets, as in the forests named so."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from silvan import _core
from silvan._validation import check_flag, check_integer
from silvan.projections.base import ProjectionDistribution
from silvan.projections.fitted import (
    DEFAULT_MAX_SAMPLES,
    FitSample,
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

# Square roots of the smallest share of variance, and the smallest correlation, that count.
_NO_DEVIATION = 1e-5
_NO_CORRELATION = 1e-6
_NO_LIMIT = 2**31 - 1


class CanonicalDirections(ProjectionDistribution):
    """Canonical correlations with the targets, as in canonical correlation forests (CCF) [1]_.

    A fit draws `n_features` distinct features uniformly and finds the directions over them along
    which the node's samples correlate most with their targets: with any combination of the
    indicators of the classes, or of the outputs in regression. Directions of one fit are
    uncorrelated with each other. There are at most as many as features drawn, and at most K - 1 for
    K classes in the node or q for q outputs. Each is scaled to unit length. The fit does not depend
    on the units of the features.

    With `bootstrap` (the *projection bootstrap*) the fit sees samples drawn from the node's with
    replacement, as many as there are, each with its weight; the split is then searched over the
    node's own samples. If the draw admits no fit (for example, if it has one class), the node's
    samples themselves are used.

    Fits continue until there are d directions or `max_fits` fits; from the last fit, the directions
    with the largest correlations are taken. Published forests make one fit at a node and see all
    samples: ``max_fits=1`` here, ``max_features=None`` and ``bootstrap=False`` in the forest.

    Samples with a missing value among the features drawn are left out of the fit. Where there is
    nothing to fit, it gives the feature drawn first.

    Parameters
    ----------
    n_features : int or None, default=None
        Number of features in a direction; None is log2(p) + 1, rounded up. A number larger than p
        means all features.
    bootstrap : bool, default=True
        Whether to draw samples with replacement for each fit.
    max_samples : int or None, default=256
        Largest number of samples that a fit uses. If there are more, it takes one at random from
        each of `max_samples` equal stretches of them, and the bootstrap draws from these. None uses
        all.
    max_fits : int or None, default=None
        Largest number of fits at a node, even if they give fewer than d directions; None sets no
        limit.

    References
    ----------
    .. [1] T. Rainforth and F. Wood. Canonical correlation forests. arXiv:1507.05444, 2015.

    Examples
    --------
    The larger noise of the second feature does not hide what separates the classes:

    >>> import numpy as np
    >>> from silvan.projections import CanonicalDirections
    >>> rng = np.random.default_rng(0)
    >>> noise, y = 100 * rng.normal(size=1000), rng.integers(2, size=1000)
    >>> X = np.column_stack([y + noise, noise])
    >>> distribution = CanonicalDirections()
    >>> distribution.draw(1, n_features=2, random_state=0, X=X, y=y).toarray().round(2)
    array([[ 0.71, -0.71]], dtype=float32)
    """

    def __init__(
        self,
        n_features: int | None = None,
        bootstrap: bool = True,
        max_samples: int | None = DEFAULT_MAX_SAMPLES,
        max_fits: int | None = None,
    ) -> None:
        self.n_features = n_features
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.max_fits = max_fits

    def validate(self, n_features: int) -> None:
        """Raise an error if a parameter is wrong."""
        check_fit(self.n_features, self.max_samples, n_features, or_none=True)
        check_flag("bootstrap", self.bootstrap)
        check_integer("max_fits", self.max_fits, 1, or_none=True)

    def sample(self, node: Node, rng: np.random.Generator) -> sparse.csr_array[np.float64]:
        """Draw directions for one node in NumPy, as a reference for the core."""
        directions: list[Vector] = []
        for _ in range(self._max_fits(node.n_directions)):
            if len(directions) >= node.n_directions:
                break
            drawn = rng.choice(node.n_features, self._n_drawn(node.n_features), replace=False)
            fitted = self._fit(node, np.sort(drawn), rng)
            directions += fitted or [place(drawn[:1], np.ones(1), node.n_features)]
        return sparse.csr_array(np.array(directions[: node.n_directions]))

    def _fit(
        self, node: Node, features: NDArray[np.intp], rng: np.random.Generator
    ) -> list[Vector]:
        rows = thin(np.arange(node.n_samples), sample_limit(self.max_samples), rng)
        draws = [rows]
        if self.bootstrap and len(rows) > 0:
            draws.insert(0, rows[rng.integers(len(rows), size=len(rows))])
        for drawn in draws:
            sample = read_sample(node, features, count_samples(drawn, node))
            directions = [orient(direction) for direction in canonical_directions(sample)]
            fitted = [place(features, d, node.n_features) for d in directions if d is not None]
            if fitted:
                return fitted
        return []

    def _n_drawn(self, n_features: int) -> int:
        return n_drawn(self.n_features, np.log2(n_features) + 1, n_features)

    def _max_fits(self, n_directions: int) -> int:
        """The parameter, or where it is None the number of directions: each fit gives one."""
        return n_directions if self.max_fits is None else min(int(self.max_fits), _NO_LIMIT)

    def _to_native(self, n_features: int) -> _core.ProjectionDistribution:
        return _core.canonical_directions(
            n_features,
            self._n_drawn(n_features),
            bool(self.bootstrap),
            sample_limit(self.max_samples),
            self._max_fits(_NO_LIMIT),
        )


def canonical_directions(sample: FitSample) -> list[Vector]:
    """Coefficients of the columns in canonical directions, largest correlation first.

    Both sides are written in orthonormal columns, by a singular value decomposition each; the
    singular vectors of what these have in common are the directions.
    """
    if len(sample.X) < 2:
        return []
    Z, deviation, varies = standardize(sample)
    root = np.sqrt(sample.shares)[:, None]
    targets = sample.targets
    if targets.ndim == 1:
        classes = np.unique(targets)
        if len(classes) < 2:
            return []
        targets = (targets[:, None] == classes).astype(np.float64)
        targets -= sample.shares @ targets
    spread = np.sqrt(sample.shares @ targets**2)
    targets = targets[:, spread > 0] / spread[spread > 0]
    if Z.shape[1] == 0 or targets.shape[1] == 0:
        return []
    basis, scale, axes = _orthonormal_columns(root * Z)
    target_basis, _, _ = _orthonormal_columns(root * targets)
    left, correlations, _ = np.linalg.svd(basis.T @ target_basis, full_matrices=False)
    directions = []
    for column in (axes.T / scale @ left[:, correlations > _NO_CORRELATION]).T:
        coefficients = np.zeros(len(varies))
        coefficients[varies] = column / deviation
        directions.append(coefficients)
    return directions


def _orthonormal_columns(
    values: NDArray[np.float64],
) -> tuple[NDArray[np.float64], Vector, NDArray[np.float64]]:
    """The singular value decomposition of what is not rounding error."""
    left, scale, right = np.linalg.svd(values, full_matrices=False)
    kept = scale > _NO_DEVIATION * scale[0]
    return left[:, kept], scale[kept], right[kept]
