"""Directions that do not depend on the units of the features."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from silvan import _core
from silvan._validation import invalid
from silvan.projections.base import ProjectionDistribution
from silvan.projections.node import Node
from silvan.projections.spreads import nearest_powers


class UnitFree(ProjectionDistribution):
    """Directions of another distribution, drawn where all features have about the same spread.

    Sums and differences of features depend on their units: next to a length in millimetres, one in
    kilometres has no say. Here the other distribution sees each feature divided by its spread, and
    the coefficients that it draws are divided by the spread, too, so that they are those of
    the features as they are. Directions of a single feature are left as they are: their splits
    do not depend on units. Categorical features have no unit and keep their codes.

    The spread of a feature is the distance between the quartiles of its distinct values, rounded to
    a power of two; of a constant it is the constant. It is learnt once per fit from the training
    samples; of more than 16,384 distinct values a share is taken, which the values decide on. Rare
    values far off do not change it, nor does it matter how often a value occurs or is missing.
    Powers of two round nothing: where the columns of `X` are multiplied by powers of two, the
    forest is the same, bit for bit, but for coefficients and thresholds in the new units.

    Parameters
    ----------
    distribution : ProjectionDistribution
        What directions are drawn from. Patches that are so large that they are read from running
        sums are refused: cells of a grid have one unit.
    spreads : array-like of shape (n_features,), default=None
        Spread of each feature, above 0; each is rounded to a power of two. None learns them from
        the training samples: the fitted forest has them in ``projections_.spreads``.

    See Also
    --------
    silvan.preprocessing.RankScaler : Ranks in place of values, which depend on no monotone scale.

    Examples
    --------
    >>> import numpy as np
    >>> from silvan.projections import SparseSigns, UnitFree
    >>> metres = np.random.default_rng(0).normal(size=(100, 2))
    >>> X = metres * [1024, 1]
    >>> distribution = UnitFree(SparseSigns(density=1))
    >>> first, second = distribution.draw(1, n_features=2, random_state=0, X=X).data
    >>> float(abs(first / second))
    0.001953125
    """

    def __init__(
        self, distribution: ProjectionDistribution, spreads: ArrayLike | None = None
    ) -> None:
        self.distribution = distribution
        self.spreads = spreads

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, those of the other distribution by their own names, too.

        Parameters
        ----------
        **params
            Names and values: `distribution`, `spreads`, and what the distribution has.

        Returns
        -------
        self : object
            This object.
        """
        known = self.get_params(deep=False)
        own = {key: value for key, value in params.items() if key.partition("__")[0] in known}
        super().set_params(**own)
        others = {key: value for key, value in params.items() if key not in own}
        if others:
            self.distribution.set_params(**others)
        return self

    def __repr__(self) -> str:
        return super().__repr__().replace("(distribution=", "(", 1)

    def validate(self, n_features: int) -> None:
        """Raise an error if a parameter, or one of the other distribution, is wrong."""
        self._check_distribution()
        self.distribution.validate(n_features)
        if self.distribution._to_native(n_features).columns.grid_shape:
            raise invalid(
                "distribution",
                "over features alone, because cells of a grid have one unit",
                self.distribution,
                "use it without UnitFree",
            )
        if self.spreads is None:
            return
        spreads = np.asarray(self.spreads)
        if spreads.shape != (n_features,) or spreads.dtype.kind not in "iuf":
            raise ValueError(
                f"spreads must be a number for each of the {n_features} features, but it has shape "
                f"{spreads.shape} and dtype {spreads.dtype}; pass one per feature, or None."
            )
        if not ((spreads > 0) & np.isfinite(spreads)).all():
            raise ValueError(
                "spreads must be finite and above 0, but they range from "
                f"{spreads.min():g} to {spreads.max():g}; pass 1 where a feature has none."
            )

    def _check_distribution(self) -> None:
        wrong = not isinstance(self.distribution, ProjectionDistribution)
        if wrong or isinstance(self.distribution, UnitFree):
            raise invalid(
                "distribution",
                "a ProjectionDistribution that is not UnitFree itself",
                self.distribution,
                "pass for example SparseSigns()",
            )

    def resolve(self, shape: tuple[int, ...]) -> UnitFree:
        """The same of a distribution that knows the shape of a sample."""
        self._check_distribution()
        return UnitFree(self.distribution.resolve(shape), self.spreads)

    def sample(self, node: Node, rng: np.random.Generator) -> sparse.csr_array[np.float64]:
        """Draw directions for one node in NumPy, as a reference for the core."""
        factors = np.ldexp(1.0, -self.exponents(node.n_features))
        directions = sparse.csr_array(self.distribution.sample(node.scaled(factors), rng))
        several = np.repeat(np.diff(directions.indptr) > 1, np.diff(directions.indptr))
        directions.data = np.where(
            several, directions.data * factors[directions.indices], directions.data
        )
        return directions

    def _with_spreads(self, spreads: NDArray[np.float64]) -> UnitFree:
        if self.spreads is not None:
            return self
        return UnitFree(self.distribution, spreads)

    def exponents(self, n_features: int) -> NDArray[np.int32]:
        """Exponents of the spreads as powers of two; 0 for all if there are no spreads yet.

        Parameters
        ----------
        n_features : int
            Number of features of the data.

        Returns
        -------
        exponents : ndarray of shape (n_features,)
            One for each feature.
        """
        if self.spreads is None:
            return np.zeros(n_features, dtype=np.int32)
        return nearest_powers(np.asarray(self.spreads, dtype=np.float64))

    def _to_native(self, n_features: int) -> _core.ProjectionDistribution:
        native = self.distribution._to_native(n_features)
        return _core.unit_free(native, self.exponents(n_features))
