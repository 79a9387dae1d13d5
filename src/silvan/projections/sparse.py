"""Sparse directions with coefficients +1 and -1, as in RerF and SPORF."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from silvan import _core
from silvan._validation import check_choice, invalid, is_number
from silvan.projections.base import ProjectionDistribution
from silvan.projections.node import Node

DEFAULT_MEAN_NONZEROS = 2.0


class SparseSigns(ProjectionDistribution):
    """Sums and differences of a few random features, as in RerF [1]_ and SPORF [2]_.

    How sparse the directions are is set in one of two ways: by `density`, or by
    `mean_nonzeros`, which is `density` times the number p of features. If neither is given,
    `mean_nonzeros` is 2, or p / 2 if that is less, so that some directions are single features.

    Parameters
    ----------
    density : float, default=None
        Fraction of coefficients that are not zero, in (0, 1]; the λ of [1]_.
    mean_nonzeros : float, default=None
        Mean number of features of a direction, above 0; the λ of [2]_.
    counts : {"matrix", "poisson"}, default="matrix"
        How the nonzeros are shared out among the d directions of a node:

        - ``"matrix"`` (RerF): exactly max(1, round(mean_nonzeros · d)) of them, at most p·d,
          are placed uniformly without replacement in the p x d matrix of all directions. A
          direction that comes out empty is treated as `empty` says.
        - ``"poisson"`` (SPORF): each direction has min(p, max(1, Poisson(mean_nonzeros))) distinct
          features, drawn uniformly.

        Each nonzero is +1 or -1 with equal probability.
    empty : {"fill", "drop"}, default="fill"
        What becomes of directions without nonzeros, with ``counts="matrix"``: each gets one
        feature, drawn uniformly, so that there are always d directions; or they are left out, as
        the R package rerf does, and a node has fewer candidates. At least one is left.

    References
    ----------
    .. [1] T. M. Tomita. Generalized linear splitting rules in decision forests. Johns Hopkins
       University, 2018, chapter 3.
    .. [2] Manifold forests: closing the gap on neural networks. Submitted to a conference,
       section 2.3.

    Examples
    --------
    >>> from silvan.projections import SparseSigns
    >>> directions = SparseSigns(mean_nonzeros=3).draw(100, n_features=20, random_state=0)
    >>> directions.shape
    (100, 20)
    >>> 300 <= directions.nnz <= 320
    True
    >>> sorted(set(directions.data.tolist()))
    [-1.0, 1.0]
    """

    def __init__(
        self,
        density: float | None = None,
        mean_nonzeros: float | None = None,
        counts: str = "matrix",
        empty: str = "fill",
    ) -> None:
        self.density = density
        self.mean_nonzeros = mean_nonzeros
        self.counts = counts
        self.empty = empty

    def validate(self, n_features: int) -> None:
        """Raise an error if a parameter is wrong."""
        check_choice("counts", self.counts, ("matrix", "poisson"))
        check_choice("empty", self.empty, ("fill", "drop"))
        if self.empty == "drop" and self.counts == "poisson":
            raise invalid("empty", 'fill with counts="poisson"', self.empty, 'pass counts="matrix"')
        if self.density is not None and self.mean_nonzeros is not None:
            raise invalid(
                "density",
                f"None where mean_nonzeros is given (mean_nonzeros={self.mean_nonzeros!r})",
                self.density,
                "pass one of the two: mean_nonzeros is density times the number of features",
            )
        if self.density is not None and not (is_number(self.density) and 0 < self.density <= 1):
            raise invalid(
                "density",
                "a number in (0, 1] or None",
                self.density,
                "pass the fraction of coefficients that are not zero, or mean_nonzeros instead",
            )
        if self.mean_nonzeros is not None and not (
            is_number(self.mean_nonzeros) and self.mean_nonzeros > 0
        ):
            raise invalid(
                "mean_nonzeros",
                "a finite number above 0 or None",
                self.mean_nonzeros,
                "pass the mean number of features of a direction, for example 2.0",
            )

    def sample(self, node: Node, rng: np.random.Generator) -> sparse.csr_array[np.float64]:
        """Draw directions for one node in NumPy, as a reference for the core."""
        chosen = (
            self._choose_by_matrix(node, rng)
            if self.counts == "matrix"
            else self._choose_by_poisson(node, rng)
        )
        signs = rng.choice([-1.0, 1.0], size=chosen.shape)
        return sparse.csr_array(np.where(chosen, signs, 0.0))

    def _choose_by_matrix(self, node: Node, rng: np.random.Generator) -> NDArray[np.bool_]:
        n_cells = node.n_features * node.n_directions
        n_nonzeros = math.floor(self._resolve_mean(node.n_features) * node.n_directions + 0.5)
        cells = np.zeros(n_cells, dtype=bool)
        cells[rng.choice(n_cells, size=min(max(1, n_nonzeros), n_cells), replace=False)] = True
        chosen = cells.reshape(node.n_directions, node.n_features)
        if self.empty == "drop":
            return np.asarray(chosen[chosen.any(axis=1)])
        for direction in chosen:
            if not direction.any():
                direction[rng.integers(node.n_features)] = True
        return chosen

    def _choose_by_poisson(self, node: Node, rng: np.random.Generator) -> NDArray[np.bool_]:
        sizes = rng.poisson(self._resolve_mean(node.n_features), size=node.n_directions)
        chosen = np.zeros((node.n_directions, node.n_features), dtype=bool)
        for direction, size in zip(chosen, np.clip(sizes, 1, node.n_features), strict=True):
            direction[rng.choice(node.n_features, size=size, replace=False)] = True
        return chosen

    def _resolve_mean(self, n_features: int) -> float:
        if self.density is not None:
            return float(self.density) * n_features
        if self.mean_nonzeros is not None:
            return float(self.mean_nonzeros)
        return min(DEFAULT_MEAN_NONZEROS, n_features / 2)

    def _to_native(self, n_features: int) -> _core.ProjectionDistribution:
        mean_nonzeros = self._resolve_mean(n_features)
        return _core.sparse_signs(
            n_features, mean_nonzeros, self.counts == "poisson", self.empty == "drop"
        )
