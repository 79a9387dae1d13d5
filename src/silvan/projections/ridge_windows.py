"""Combinations of windows on channels that ridge regressions find at each node."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from silvan import _core
from silvan._parameters import growing
from silvan._validation import check_integer, invalid, is_integer, is_number
from silvan._windows import Window
from silvan.projections.base import check_samples, describe_samples
from silvan.projections.fitted import (
    DEFAULT_MAX_SAMPLES,
    FitSample,
    center,
    sample_limit,
    standardize,
    thin,
)
from silvan.projections.node import Node
from silvan.projections.ridge import draw_target, fit_linear
from silvan.projections.windows import Terms, Windows

MAX_DRAWN = 100_000
_FEWEST_TERMS = 5


@dataclass(eq=False, repr=False)
class RidgeWindows(Windows):
    """Combinations of random windows on channels, fitted to the samples of each node.

    A direction draws `n_drawn` windows as `Windows` does, keeps those that correlate most with the
    targets of the node's samples, and combines these by a ridge regression of the targets on them.
    It keeps `n_terms`, or fewer in a small node, where a fit would learn the noise of few samples.
    Windows of one direction may lie on several channels. Each is divided by its standard
    deviation in the node, so that coefficients have no units and tell how much a window counts. The
    largest coefficient comes first.

    Where single windows are weak, many of them together separate classes with few samples, as
    linear models on random convolutions do [1]_; the tree divides what one of them leaves mixed.
    Few directions at a node are enough: `max_features` of a forest may be 1.

    More than two classes are put into two groups first, by a grouping that is uniformly random
    among all those of two groups, a new one for each direction. Of several outputs each direction
    draws one. Windows that are constant, or missing for one of the samples, take no part, nor do
    those that vary by less than a millionth of what the cells of their channel do: a rounding
    error, such as the mean of a series that was centred, would count as much as any other window.
    For the same reason those that do not correlate with the targets at all are left out.
    Where there is nothing to fit, the direction is the window drawn first. A direction is missing
    where one of its windows is.

    Parameters
    ----------
    shapes, min_size, max_size, boundary, n_patches, reach, statistics, shift, shift_probability, \
whole_probability, weights
        The windows that are drawn; see `Windows`.
    n_drawn : int, default=200
        Number of windows that are drawn for a direction.
    n_terms : int, default=40
        Largest number of windows that it keeps, at most `n_drawn`.
    terms_per_root : float or None, default=2.0
        A node of n distinct samples keeps at most this times √n windows, rounded down, but 5 in any
        case (if `n_terms` allows them). None: `n_terms` at every node.
    alpha : float, default=0.1
        Strength of the penalty, above 0. The regression minimises the mean squared error plus alpha
        times the squared length of the coefficients of standardised windows.
    max_samples : int or None, default=256
        Largest number of samples that a fit uses. Of more, it takes one at random from each of
        `max_samples` equal stretches of them. None looks at all.

    See Also
    --------
    Windows : Single windows.
    RidgeDirections : Ridge regressions on features.

    Notes
    -----
    Regressions are solved in a fixed order of operations: a forest is the same for any number of
    threads and on any processor.

    References
    ----------
    .. [1] A. Dempster, D. F. Schmidt and G. I. Webb. MiniRocket: a very fast (almost) deterministic
       transform for time series classification. Knowledge Discovery and Data Mining, 2021.

    Examples
    --------
    The classes differ in the mean of the first half of a series:

    >>> import numpy as np
    >>> from silvan.projections import RidgeWindows
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=200)
    >>> X = rng.normal(size=(200, 20)) + y[:, None] * (np.arange(20) < 10)
    >>> windows = RidgeWindows([20], max_size=10, n_drawn=50, n_terms=2)
    >>> for coefficient, window in windows.draw_windows(1, random_state=0, X=X, y=y)[0]:
    ...     print(f"{coefficient:.2f} {window.describe()}")
    0.78 mean of channel 0 [0:9] / 0.614
    0.63 mean of channel 0 [1:9] / 0.627
    """

    n_drawn: int = growing(200)
    n_terms: int = growing(40)
    terms_per_root: float | None = growing(2.0)
    alpha: float = growing(0.1)
    max_samples: int | None = growing(DEFAULT_MAX_SAMPLES)

    def validate(self, n_features: int) -> None:
        """Raise an error if a parameter is wrong, or channels have another number of cells."""
        super().validate(n_features)
        if not (is_integer(self.n_drawn) and 1 <= self.n_drawn <= MAX_DRAWN):
            rule = f"an integer from 1 to {MAX_DRAWN}"
            raise invalid("n_drawn", rule, self.n_drawn, "pass for example 200")
        if not (is_integer(self.n_terms) and 1 <= self.n_terms <= self.n_drawn):
            rule = f"an integer from 1 to n_drawn ({self.n_drawn})"
            raise invalid("n_terms", rule, self.n_terms, "pass for example 40")
        per_root = self.terms_per_root
        if not (per_root is None or (is_number(per_root) and per_root > 0)):
            rule = "a finite number above 0, or None"
            raise invalid("terms_per_root", rule, per_root, "pass for example 2.0")
        if not (is_number(self.alpha) and self.alpha > 0):
            raise invalid("alpha", "a finite number above 0", self.alpha, "pass for example 0.1")
        check_integer("max_samples", self.max_samples, 2, or_none=True)

    def draw_windows(
        self,
        n_directions: int,
        random_state: Any = None,
        *,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
    ) -> list[Terms]:
        """Draw directions as the root of a tree does, to look at the distribution.

        Parameters
        ----------
        n_directions : int
            Number of directions.
        random_state : int, RandomState instance or None, default=None
            Seed; an int makes the draw reproducible.
        X : array-like of shape (n_samples, n_features), default=None
            The cells of that root's samples; without them there is nothing to fit.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
            The targets of `X`: floats are regressed on, anything else are classes.

        Returns
        -------
        directions : list of list of (float, Window)
            The coefficients and windows of each direction.
        """
        n_features = sum(math.prod(shape) for shape in self._shapes())
        samples = None if X is None else describe_samples(check_samples(X, n_features), y)
        return self._draw_windows(n_directions, random_state, samples)

    def sample(self, node: Node, rng: np.random.Generator) -> sparse.csr_array[np.float64]:
        """Draw directions for one node in NumPy, as a reference for the core.

        They are written over the cells, which means and slopes can be.
        """
        fitted = [self.fit_windows(node, rng) for _ in range(node.n_directions)]
        return self._over_cells(fitted, node.n_features)

    def fit_windows(self, node: Node, rng: np.random.Generator) -> Terms:
        """A direction for a node, of windows of any statistic.

        Parameters
        ----------
        node : Node
            The node.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        terms : list of (float, Window)
            Coefficients and windows.
        """
        drawn = self.sample_windows(self.n_drawn, rng)
        taken = thin(np.arange(node.n_samples), sample_limit(self.max_samples), rng)
        target = draw_target(node.targets[taken], rng)
        if target is None:
            return drawn[0]
        n_samples = None if len(taken) == node.n_samples else node.n_samples
        return self.combine(drawn, node.X[taken], target, node.weights[taken], n_samples)

    def count_terms(self, n_samples: int) -> int:
        """The largest number of windows that a node of so many samples keeps."""
        if self.terms_per_root is None:
            return int(self.n_terms)
        of_samples = max(_FEWEST_TERMS, int(self.terms_per_root * math.sqrt(n_samples)))
        return min(int(self.n_terms), of_samples)

    def combine(
        self,
        drawn: list[Terms],
        X: NDArray[Any],
        target: NDArray[Any],
        weights: NDArray[Any],
        n_samples: int | None = None,
    ) -> Terms:
        """The combination of windows that were drawn, by its definition.

        Parameters
        ----------
        drawn : list of list of (float, Window)
            The windows.
        X : array of shape (n_samples, n_features)
            The cells of the samples.
        target : array of shape (n_samples,)
            What to regress on.
        weights : array of shape (n_samples,)
            The weights of the samples.
        n_samples : int or None, default=None
            Number of samples of the node, where `X` has only some of them. None: those of `X` that
            differ in what was drawn.

        Returns
        -------
        terms : list of (float, Window)
            Coefficients and windows, the largest coefficient first; the first window drawn where
            there is nothing to fit.
        """
        columns = np.column_stack([self._values(terms, X) for terms in drawn]).astype(np.float64)
        sample = FitSample(center(columns, weights), center(target, weights), weights)
        Z, deviation, varies = standardize(sample)
        numbers = np.flatnonzero(varies)
        smallest = self._smallest_deviations([drawn[number][0][1] for number in numbers], X)
        strength = np.abs((weights * sample.targets) @ Z)
        order = np.argsort(-strength.astype(np.float32), kind="stable")
        n_terms = self.count_terms(len(np.unique(Z, axis=0)) if n_samples is None else n_samples)
        counts = (deviation >= smallest) & (strength > 1e-12 * np.abs(weights * target).sum())
        best = np.sort(order[counts[order]][:n_terms])
        alpha = self.alpha * weights.sum()
        coefficients = fit_linear(Z[:, best], sample.targets, weights, alpha)
        length = np.linalg.norm(coefficients)
        if not length > 0:
            return drawn[0]
        return [
            (
                float(coefficients[k] / length * sign),
                window._replace(scale=float(deviation[best[k]])),
            )
            for k in np.argsort(-np.abs(coefficients).astype(np.float32), kind="stable")
            for sign, window in drawn[numbers[best[k]]]
        ]

    def _smallest_deviations(self, windows: list[Window], X: NDArray[Any]) -> NDArray[np.float64]:
        """A millionth of the deviation of some cells of some samples of the tree, here of `X`."""
        sizes = [math.prod(shape) for shape in self._shapes()]
        firsts = np.cumsum([0, *sizes])
        seen = X[_evenly(len(X), 8)].astype(np.float64)
        spreads = [
            np.nanstd(seen[:, first + _evenly(size, 4)]) if len(seen) else 0.0
            for first, size in zip(firsts, sizes, strict=False)
        ]
        steps = [w.end[-1] - w.start[-1] if w.statistic == "slope" else 1 for w in windows]
        channels = [window.channel for window in windows]
        return 1e-6 * np.array(spreads)[channels] / steps

    def _values(self, terms: Terms, X: NDArray[Any]) -> NDArray[np.float32]:
        """The value of a direction for each sample."""
        shapes = self._shapes()
        firsts = np.cumsum([0, *(math.prod(shape) for shape in shapes)])
        wraps = [axis.boundary == "wrap" for axis in self._channels()[0]]
        total = np.zeros(len(X))
        for coefficient, window in terms:
            cells = X[:, slice(*firsts[window.channel : window.channel + 2])]
            on_grid = cells.reshape(len(X), *shapes[window.channel])
            # Windows have float32 values.
            total += coefficient * window.values(on_grid, wraps).astype(np.float32)
        return total.astype(np.float32)

    def _to_native(self, n_features: int) -> _core.ProjectionDistribution:
        return _core.ridge_windows(
            super()._to_native(n_features),
            int(self.n_drawn),
            int(self.n_terms),
            math.inf if self.terms_per_root is None else float(self.terms_per_root),
            float(self.alpha),
            sample_limit(self.max_samples),
        )


def _evenly(n: int, n_taken: int) -> NDArray[np.int64]:
    """So many of the numbers below n, at even distances."""
    n_taken = min(n, n_taken)
    return np.arange(n_taken) * n // max(n_taken, 1)
