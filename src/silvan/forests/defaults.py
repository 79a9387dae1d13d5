"""The distribution that an estimator draws from where the user names none, and how to change it."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from sklearn.base import clone

from silvan.projections import ProjectionDistribution, SparseSigns, UnitFree

# Sums and differences of two features on average, single ones among them, without units.
DEFAULT_PROJECTIONS = UnitFree(SparseSigns())


class DefaultProjectionsMixin:
    """Lets ``projections__parameter`` reach into the default distribution of an estimator."""

    # What directions are drawn from where `projections` is None; it is copied.
    _default_projections: ClassVar[ProjectionDistribution] = DEFAULT_PROJECTIONS

    projections: ProjectionDistribution | None

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, those of the projections as ``projections__parameter``.

        Where `projections` is None, the latter are those of the default distribution, which takes
        its place.

        Parameters
        ----------
        **params : dict
            Names and values.

        Returns
        -------
        self : object
            The estimator.
        """
        nested = any(name.startswith("projections__") for name in params)
        if nested and params.get("projections", self.projections) is None:
            params["projections"] = clone(self._default_projections, safe=False)
        super().set_params(**params)  # type: ignore[misc]
        return self

    def _given_projections(self) -> ProjectionDistribution:
        """The distribution that was given, or the default."""
        return self._default_projections if self.projections is None else self.projections
