"""Forests without targets: nodes split where the two sides are most compact, by a Gaussian gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import validate_data

from silvan import _core
from silvan._parameters import growing
from silvan._persistence import require_fitted
from silvan._validation import (
    check_choice,
    check_features,
    check_integer,
    check_n_samples,
    check_numbers,
    check_sample_weight,
    check_unmasked,
    invalid,
    is_number,
)
from silvan.forests._docs import add_parts
from silvan.forests.bagged import BaggedForest
from silvan.forests.fitting import CheckedSamples, unchanged_on_failure
from silvan.forests.odd_values import admit_samples, named_columns
from silvan.forests.sampling import DrawRule, SamplePlan, plan_samples, target_bits
from silvan.forests.targets import NoTargets
from silvan.projections import (
    CanonicalDirections,
    ProjectionDistribution,
    RidgeDirections,
    RidgeWindows,
    UniformCombinations,
)
from silvan.projections.mixture import find_component

COVARIANCE_TYPES = ("full", "diag")
# Coordinates of the criterion are whole numbers that a float32 holds exactly.
_MAX_BITS = 23
_MAX_THRESHOLDS = 2**31 - 1
# Shares of the leaves of a tree add up to 1, but for this.
_ROUNDING = 1e-9

add_parts(
    {
        "gaussian_max_features": """
            Number d of candidate directions at a node. An integer is d itself; a float is a
            fraction of the number of features p, rounded, and may exceed 1; "sqrt" and "log2" are
            those functions of p, rounded down; None is p. "auto" is the square root of p, or 24 (p
            if there are fewer features) if that is more and `projections` are `UnitFree`. At least
            one direction is always drawn.
        """,
    }
)


def check_covariance_parameters(covariance_type: object, reg_covar: object) -> None:
    """Check how covariances are estimated."""
    check_choice("covariance_type", covariance_type, COVARIANCE_TYPES)
    if not (is_number(reg_covar) and 1e-12 <= reg_covar <= 1):  # type: ignore[operator]
        raise invalid(
            "reg_covar",
            "a number in [1e-12, 1], relative to the variances of the data",
            reg_covar,
            "pass for example 1e-4",
        )


@dataclass(kw_only=True, eq=False, repr=False)
class GaussianForest(BaggedForest):
    """A forest grown by the log-determinant gain; what density forests and embeddings stand on.

    A node's split maximises ``log|C| - sum_i w_i log|C_i|``: C is the covariance of the node's
    samples, C_i that of a side and w_i the side's share of the weight. Leaves hold the share of
    the tree's weight that reaches them.
    """

    covariance_type: str = growing("full")
    reg_covar: float = growing(1e-4)
    criterion_dim: int | None = growing(8)
    max_thresholds: int | None = growing(8)
    min_samples_leaf: int | float = growing(15)

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples. float32 and uint8 are used as they are, other numbers become float32;
            missing values are refused.
        y : Ignored
            Not used; there for the sake of pipelines.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights of the samples; None weights all samples equally. See `bootstrap`
            and `max_samples` for what a weight means.

        Returns
        -------
        self : object
            The fitted forest.
        """
        with unchanged_on_failure(self):
            self._fit(X, None, sample_weight)
        return self

    @staticmethod
    def _default_projections() -> ProjectionDistribution:
        return UniformCombinations()

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_covariance_parameters(self.covariance_type, self.reg_covar)
        check_integer("criterion_dim", self.criterion_dim, 1, or_none=True)
        check_integer(
            "max_thresholds", self.max_thresholds, 1, maximum=_MAX_THRESHOLDS, or_none=True
        )

    def _check_fit(self, X: Any, y: None, sample_weight: Any) -> CheckedSamples:
        self._check_parameters()
        check_n_samples(X)
        check_unmasked("sample_weight", sample_weight)
        X = self._check_numbers(X, reset=True)
        check_features(X, self._feature_names())
        weight = check_sample_weight(sample_weight, X)
        plan = plan_samples(
            len(X),
            weight,
            None,
            DrawRule(self.bootstrap, self.max_samples),
            numeric_targets=True,
        )
        self._growth(plan)
        return CheckedSamples(X, NoTargets.of(len(X)), weight, plan)

    def _check_samples(self, X: Any) -> NDArray[Any]:
        return self._check_numbers(X, reset=False)

    def _check_numbers(self, X: Any, *, reset: bool) -> NDArray[Any]:
        X = admit_samples(X)
        with named_columns(X):
            checked: NDArray[Any] = validate_data(self, X, dtype="numeric", reset=reset)
            check_numbers(checked)
        return checked

    def _resolve_projections(self, n_features: int) -> ProjectionDistribution:
        projections = super()._resolve_projections(n_features)
        for fitted in (RidgeDirections, RidgeWindows, CanonicalDirections):
            if find_component(projections, fitted) is not None:
                raise invalid(
                    "projections",
                    f"a distribution that looks at no targets ({fitted.__name__} does)",
                    projections,
                    "pass for example silvan.projections.PrincipalComponents()",
                )
        return projections

    def _check_fitted(self) -> None:
        super()._check_fitted()
        forest = self.forest_
        totals = np.add.reduceat(forest.values, forest.leaf_offsets[:-1])
        require_fitted(
            {
                "n_outputs_": self.n_outputs_ == forest.n_outputs == 1,
                "forest_.values": len(forest.values) == forest.n_leaves
                and bool((forest.values > 0).all())
                and bool((np.abs(totals - 1) < _ROUNDING).all()),
            }
        )

    def _choose_criterion(
        self, options: _core.GrowOptions, plan: SamplePlan, n_features: int
    ) -> None:
        wanted = n_features if self.criterion_dim is None else int(self.criterion_dim)
        gaussian = _core.GaussianOptions()
        gaussian.full = self.covariance_type == "full"
        gaussian.n_dimensions = min(wanted, n_features)
        gaussian.max_thresholds = 0 if self.max_thresholds is None else int(self.max_thresholds)
        gaussian.ridge = float(self.reg_covar)
        # Sums of weight times the product of two coordinates must be exact.
        gaussian.bits = min(target_bits(plan) // 2, _MAX_BITS)
        options.criterion = "gaussian"
        options.gaussian = gaussian

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags
