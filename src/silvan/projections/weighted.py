"""Combinations of features that are drawn by weights, given or learnt: guided search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from silvan import _core
from silvan._validation import check_choice, check_integer, invalid, is_integer
from silvan.projections.arrays import read_array, scale_weights
from silvan.projections.base import ProjectionDistribution
from silvan.projections.grids import COEFFICIENTS, draw_coefficients
from silvan.projections.node import Node


class WeightedCombinations(ProjectionDistribution):
    """Combinations of a random number of features, which are drawn by weights [1]_.

    Each node draws a number L of features; each of its directions has L distinct ones, drawn one
    after the other with probability proportional to their weights, with independent coefficients.
    With `trees_per_round` the forest learns the weights: trees grow in rounds, and those of a round
    draw features by their importance in the trees of all rounds before.

    Parameters
    ----------
    n_features : int or pair of int, default=(1, 3)
        Number L of features in a direction, or the smallest and the largest, among which each node
        draws one uniformly. More than the data have means all of them.
    weights : array-like of shape (p,), default=None
        How likely each feature is to be drawn, not negative; None means equally likely. A feature
        of weight zero is never drawn.
    trees_per_round : int, default=None
        Number of trees that are grown before weights are learnt anew; None does not learn. In later
        rounds the weight of a feature is its weight times the mean of 1/p and its share in the
        decrease of impurity, so that none of positive weight is ever out of reach. Rounds begin at
        multiples of this number: neither threads nor warm starts change the forest. Only in bagged
        forests on one machine, and not inside other distributions than `UnitFree`.
    coefficients : {"uniform", "signs", "ones", "normal"}, default="uniform"
        Coefficients of the features: uniform over (-1, 1); +1 or -1; all one; standard normal.

    See Also
    --------
    UniformCombinations : The same with one L and equal weights.

    References
    ----------
    .. [1] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018, section 2.5.

    Examples
    --------
    >>> from silvan.projections import WeightedCombinations
    >>> guided = WeightedCombinations(2, weights=[1, 1, 0, 1])
    >>> guided.draw(100, n_features=4, random_state=0).toarray()[:, 2].any()
    np.False_
    """

    def __init__(
        self,
        n_features: int | tuple[int, int] = (1, 3),
        weights: ArrayLike | None = None,
        trees_per_round: int | None = None,
        coefficients: str = "uniform",
    ) -> None:
        self.n_features = n_features
        self.weights = weights
        self.trees_per_round = trees_per_round
        self.coefficients = coefficients

    def validate(self, n_features: int) -> None:
        """Raise an error if a parameter is wrong, or there is another number of weights."""
        given: Any = self.n_features
        pair = (given, given) if is_integer(given) else given
        if not (
            isinstance(pair, tuple | list)
            and len(pair) == 2
            and all(is_integer(size) for size in pair)
            and 1 <= pair[0] <= pair[1]
        ):
            raise invalid(
                "n_features",
                "an integer >= 1, or a pair of them, the smaller first",
                given,
                "pass for example (1, 3)",
            )
        check_integer("trees_per_round", self.trees_per_round, 1, or_none=True)
        check_choice("coefficients", self.coefficients, COEFFICIENTS)
        if self.weights is None:
            return
        weights = read_array("weights", self.weights)
        if weights.shape != (n_features,) or weights.dtype.kind not in "biuf":
            raise ValueError(
                f"weights must have a number for each of the {n_features} features, but its shape "
                f"is {weights.shape} and its type {weights.dtype}; pass one per feature, or None."
            )
        if not (np.isfinite(weights).all() and (weights >= 0).all() and (weights > 0).any()):
            raise ValueError(
                "weights must be finite and not negative, and one must be positive, but they range "
                f"from {weights.min():g} to {weights.max():g}; give unwanted features zero."
            )

    def sample(self, node: Node, rng: np.random.Generator) -> sparse.csr_array[np.float64]:
        """Draw directions for one node in NumPy, as a reference for the core."""
        weights = self._weights(node.n_features)
        smallest, largest = self._sizes(node.n_features)
        size = min(int(rng.integers(smallest, largest + 1)), int(np.count_nonzero(weights)))
        directions = np.zeros((node.n_directions, node.n_features))
        for direction in directions:
            chosen = rng.choice(node.n_features, size, replace=False, p=weights / weights.sum())
            direction[chosen] = draw_coefficients(self.coefficients, size, rng)
        return sparse.csr_array(directions)

    def guided_by(self, importances: NDArray[np.float64]) -> WeightedCombinations:
        """The distribution of the next round, given the importances of the features so far.

        Parameters
        ----------
        importances : ndarray of shape (p,)
            Shares of the features in the decrease of impurity, which add up to 1 or are all 0.

        Returns
        -------
        distribution : WeightedCombinations
            One with these weights, which learns no more.
        """
        p = len(importances)
        learnt = self._weights(p) * (0.5 / p + 0.5 * importances)
        return WeightedCombinations(self.n_features, learnt / learnt.sum(), None, self.coefficients)

    def _weights(self, n_features: int) -> NDArray[np.float64]:
        if self.weights is None:
            return np.ones(n_features)
        return scale_weights(np.asarray(self.weights, dtype=np.float64))

    def _sizes(self, n_features: int) -> tuple[int, int]:
        given: Any = self.n_features
        smallest, largest = (given, given) if is_integer(given) else given
        return min(int(smallest), n_features), min(int(largest), n_features)

    def _to_native(self, n_features: int) -> _core.ProjectionDistribution:
        return _core.weighted_combinations(
            self._weights(n_features), self._sizes(n_features), self.coefficients
        )
