"""Forests without targets: nodes split where the two sides are most compact, by a Gaussian gain."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import validate_data

from silvan import _core
from silvan._persistence import require_fitted
from silvan._validation import check_choice, check_integer, invalid, is_number
from silvan.forest_arrays import ForestArrays
from silvan.forests.base import BaseForest
from silvan.forests.fitting import TrainingRows
from silvan.forests.sampling import RowPlan, RowSampling, plan_rows, target_bits
from silvan.projections import (
    CanonicalDirections,
    ProjectionDistribution,
    RidgeDirections,
    UniformCombinations,
)
from silvan.projections.mixture import find_component

COVARIANCE_TYPES = ("full", "diag")
# Coordinates of the criterion are whole numbers that a float32 holds exactly.
_MOST_BITS = 23
# Shares of the leaves of a tree add up to 1, but for this.
_ROUNDING = 1e-9


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


class GaussianForest(BaseForest):
    """A forest grown by the log-determinant gain; what density forests and embeddings stand on.

    A node's split maximises ``log|C| - sum_i w_i log|C_i|``: C is the covariance of the node's
    rows, C_i that of a side and w_i the side's share of the weight. Leaves hold the share of
    the tree's weight that reaches them.
    """

    _criteria: ClassVar[dict[str, str]] = {"gaussian": "gaussian"}
    _multi_output = False
    _default_projections = UniformCombinations

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        projections: ProjectionDistribution | None = None,
        covariance_type: str = "full",
        reg_covar: float = 1e-4,
        criterion_dim: int | None = 8,
        max_thresholds: int | None = 8,
        max_features: int | float | str | None = 1.0,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 15,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        super().__init__(
            n_estimators,
            projections=projections,
            criterion="gaussian",
            max_features=max_features,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_impurity_decrease=min_impurity_decrease,
            bootstrap=bootstrap,
            max_samples=max_samples,
            oob_score=False,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            warm_start=warm_start,
        )
        self.covariance_type = covariance_type
        self.reg_covar = reg_covar
        self.criterion_dim = criterion_dim
        self.max_thresholds = max_thresholds

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows. float32 and uint8 are used as they are, other numbers become float32;
            missing values are refused.
        y : Ignored
            Not used; there for the sake of pipelines.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, none negative; None weights all rows equally. See `bootstrap` and
            `max_samples` for what a weight means.

        Returns
        -------
        self : object
            The fitted forest.
        """
        return super().fit(X, np.zeros(1), sample_weight)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Not there: nodes measure their gains in spaces of their own."""
        raise AttributeError(
            "a forest without targets has no feature_importances_; silvan.inspection counts which "
            "features its splits use."
        )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_covariance_parameters(self.covariance_type, self.reg_covar)
        check_integer("criterion_dim", self.criterion_dim, 1, or_none=True)
        check_integer("max_thresholds", self.max_thresholds, 1, or_none=True)

    def _check_data(self, X: Any, y: Any = "no_validation", **rules: Any) -> Any:
        """Check `X`; where targets are asked for, there are none and zeros take their place."""
        reset = rules.get("reset", True)
        checked = validate_data(self, X, dtype="numeric", reset=reset)
        return (checked, np.zeros(len(checked))) if reset else checked

    def _resolve_projections(self, n_features: int) -> ProjectionDistribution:
        projections = super()._resolve_projections(n_features)
        for law in (RidgeDirections, CanonicalDirections):
            if find_component(projections, law) is not None:
                raise invalid(
                    "projections",
                    f"a distribution that looks at no targets ({law.__name__} does)",
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

    def _encode_targets(self, y: NDArray[Any]) -> NDArray[np.float64]:
        self.n_outputs_ = 1
        return y

    def _plan_rows(self, y: NDArray[Any], sample_weight: NDArray[np.float64] | None) -> RowPlan:
        return plan_rows(
            len(y),
            sample_weight,
            None,
            bootstrap=self.bootstrap,
            max_samples=self.max_samples,
            numeric_targets=True,
        )

    def _grow_targets(self, y: NDArray[Any], plan: RowPlan) -> tuple[NDArray[Any], int]:
        return y[:, None], 1

    def _grow(
        self,
        rows: TrainingRows,
        projections: ProjectionDistribution,
        options: _core.GrowOptions,
        first: int,
    ) -> ForestArrays:
        n_features = rows.features.columns.shape[1]
        wanted = n_features if self.criterion_dim is None else int(self.criterion_dim)
        gaussian = _core.GaussianOptions()
        gaussian.full = self.covariance_type == "full"
        gaussian.n_dimensions = min(wanted, n_features)
        gaussian.max_thresholds = 0 if self.max_thresholds is None else int(self.max_thresholds)
        gaussian.ridge = float(self.reg_covar)
        # Sums of weight times the product of two coordinates must be exact.
        gaussian.bits = min(target_bits(rows.sampling.plan) // 2, _MOST_BITS)
        options.gaussian = gaussian
        return super()._grow(rows, projections, options, first)

    def _leaf_values(
        self, forest: ForestArrays, sampling: RowSampling, first: int
    ) -> NDArray[np.float64]:
        """Shares of the tree's weight, the priors of the leaves."""
        weight = forest.weight[forest.tree_offsets[:-1]]
        return forest.values / np.repeat(weight, np.diff(forest.leaf_offsets))

    def _keep_out_of_bag(self, *_: Any) -> Any:
        raise NotImplementedError("a forest without targets has no out-of-bag predictions")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        tags.target_tags.required = False
        return tags
