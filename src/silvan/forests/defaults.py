"""The distribution that an estimator draws from where the user names none, and how to change it."""

from __future__ import annotations

from typing import Any, Self

from silvan.forests.fitting import unchanged_on_failure
from silvan.projections import ProjectionDistribution, SparseSigns, UnitFree


def default_projections() -> ProjectionDistribution:
    """Sums and differences of two features on average, single ones among them, without units."""
    return UnitFree(SparseSigns())


class DefaultProjectionsMixin:
    """Lets ``projections__parameter`` reach into the default distribution of an estimator."""

    projections: ProjectionDistribution | None

    @staticmethod
    def _default_projections() -> ProjectionDistribution:
        """What directions are drawn from where `projections` is None."""
        return default_projections()

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
            params["projections"] = self._default_projections()
        with unchanged_on_failure(self):
            super().set_params(**params)  # type: ignore[misc]
        return self

    def _given_projections(self) -> ProjectionDistribution:
        """The distribution that was given, or the default."""
        return self._default_projections() if self.projections is None else self.projections
