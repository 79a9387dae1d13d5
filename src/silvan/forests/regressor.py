"""ForestRegressor: a forest whose leaves hold means of numeric targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.metrics import r2_score

from silvan._persistence import require_fitted
from silvan._validation import invalid, warn_user
from silvan.forest_arrays import ForestArrays
from silvan.forests._docs import shared_docs
from silvan.forests.base import BaseForest
from silvan.forests.sampling import (
    RowPlan,
    RowSampling,
    exact_targets,
    middle,
    plan_rows,
    target_bits,
)
from silvan.forests.weights import RowWeighting, leaf_means, weighted_quantiles
from silvan.projections import ProjectionDistribution

# Squares of targets must fit into the float32 that holds a node's impurity.
_LARGEST_RANGE = 1e18
# With fewer bits than this, rounded targets are good enough for choosing splits but not for leaf
# values.
_BITS_OF_A_LEAF_VALUE = 32


@shared_docs
class ForestRegressor(MultiOutputMixin, RegressorMixin, BaseForest):  # type: ignore[misc]
    """A forest that predicts numbers, for any distribution of split directions.

    Each tree is grown on rows of its own by splitting nodes along the best of a few directions that
    are drawn at random from `projections`. The targets may have several columns.

    Parameters
    ----------
    {n_estimators}
    {projections}
    {regressor_criterion}
    max_features : int, float, "sqrt", "log2" or None, default=1.0
        {max_features}
    {limits}
    {categorical_features}
    {regressor_oob}
    {running}

    Attributes
    ----------
    {regressor_fitted}
    {fitted}

    See Also
    --------
    ForestClassifier : The same for classes.
    ManifoldForestRegressor : The same with patches, for images, series and other grids.

    Notes
    -----
    {notes}

    Targets are rounded while trees grow so that all sums of them are exact in float64; with equal
    weights a prediction is off by less than 1e-12 of the range of the targets at a thousand rows,
    and 1e-9 at a million.

    References
    ----------
    L. Breiman, "Random Forests", Machine Learning 45, 2001.

    N. Meinshausen, "Quantile Regression Forests", Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from silvan import ForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = ForestRegressor(n_estimators=50, random_state=0).fit(X, y)
    >>> forest.score(X, y) > 0.8
    True
    >>> forest.predict_quantiles(X[:3], [0.1, 0.9]).shape
    (3, 2)
    """

    _criteria: ClassVar[Mapping[str, str]] = {"squared_error": "squared_error"}
    _multi_output = True
    _metric = staticmethod(r2_score)
    _fitted: ClassVar[tuple[str, ...]] = ("oob_prediction_", "_y")

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        projections: ProjectionDistribution | None = None,
        criterion: str = "squared_error",
        max_features: int | float | str | None = 1.0,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        max_samples: int | float | str | None = None,
        honest: bool = False,
        honest_fraction: float = 0.5,
        scaling: str | None = None,
        categorical_features: Sequence[int | bool | str] | str | None = "from_dtype",
        oob_score: bool | Callable[..., float] = False,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        super().__init__(
            n_estimators,
            projections=projections,
            criterion=criterion,
            max_features=max_features,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_impurity_decrease=min_impurity_decrease,
            bootstrap=bootstrap,
            max_samples=max_samples,
            honest=honest,
            honest_fraction=honest_fraction,
            scaling=scaling,
            categorical_features=categorical_features,
            oob_score=oob_score,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
            warm_start=warm_start,
        )

    @shared_docs
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        {fit_rows}
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Numbers to regress on, a column for each output.
        {fit_weights}
        """
        return super().fit(X, y, sample_weight)

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the targets of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs_)
            Means over the trees of the mean targets in the leaves.
        """
        return self._drop_single_output(self._predict_values(self._rows(X)))

    def predict_quantiles(self, X: ArrayLike, q: ArrayLike = 0.5) -> NDArray[np.float64]:
        """Predict quantiles of the targets, given each row.

        The conditional distribution of a target is that of the training targets under the weights
        of `forest_weights` (Meinshausen 2006). Its quantile is the smallest training target whose
        distribution function reaches q, so every prediction is a target that was seen.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        q : float or array-like of shape (n_quantiles,), default=0.5
            Levels in [0, 1].

        Returns
        -------
        quantiles : ndarray
            Of shape (n_samples, n_quantiles), or (n_samples, n_quantiles, n_outputs_) for several
            outputs; a single number `q` drops the axis of the quantiles.
        """
        levels = np.asarray(q, dtype=np.float64)
        if levels.ndim > 1 or levels.size == 0 or not ((levels >= 0) & (levels <= 1)).all():
            raise invalid("q", "a level in [0, 1] or a sequence of them", q, "pass for example 0.5")
        leaves = self.apply(X)
        weighting = RowWeighting(self.forest_, self._sampling)
        quantiles = np.empty((len(leaves), levels.size, self.n_outputs_))
        for block in weighting.query_blocks(len(leaves)):
            weights = weighting(leaves[block])
            for k in range(self.n_outputs_):
                quantiles[block, :, k] = weighted_quantiles(weights, self._y[:, k], levels.ravel())
        quantiles = self._drop_single_output(quantiles)
        return quantiles[:, 0] if levels.ndim == 0 else quantiles

    def _encode_targets(self, y: NDArray[Any]) -> NDArray[np.float64]:
        if y.ndim == 2 and y.shape[1] == 1:
            warn_user(
                "A column-vector y was passed when a 1d array was expected; pass y.ravel().",
                DataConversionWarning,
            )
        if y.ndim == 2 and y.shape[1] == 0:
            raise ValueError("y must have at least one column, but it has none; pass the targets.")
        self._y = np.ascontiguousarray(y, dtype=np.float64).reshape(len(y), -1)
        half_range = float((self._y.max(axis=0) / 2 - self._y.min(axis=0) / 2).max())
        if half_range > _LARGEST_RANGE / 2:
            raise ValueError(
                f"the targets y must span at most {_LARGEST_RANGE:g}, but they span 2 * "
                f"{half_range:g}; rescale them."
            )
        self.n_outputs_ = self._y.shape[1]
        return self._y

    def _plan_rows(self, y: NDArray[Any], sample_weight: NDArray[np.float64] | None) -> RowPlan:
        return plan_rows(
            len(y),
            sample_weight,
            None,
            bootstrap=self.bootstrap,
            max_samples=self.max_samples,
            estimation_share=self.honest_fraction if self.honest else 0.0,
            numeric_targets=True,
        )

    def _grow_targets(self, y: NDArray[Any], plan: RowPlan) -> tuple[NDArray[Any], int]:
        return exact_targets(y, target_bits(plan)), self.n_outputs_

    def _leaf_values(
        self, forest: ForestArrays, sampling: RowSampling, first: int
    ) -> NDArray[np.float64]:
        if target_bits(sampling.plan) < _BITS_OF_A_LEAF_VALUE:
            means = leaf_means(forest, sampling, self._y, first)
            leaf = np.repeat(np.arange(forest.n_leaves), np.diff(forest.value_indptr))
            return means[leaf, forest.value_outputs]
        centre = middle(self._y if sampling.plan.kept is None else self._y[sampling.plan.kept])
        return forest.values + centre[forest.value_outputs]

    def _keep_out_of_bag(
        self, predictions: NDArray[np.float64], y: NDArray[Any], scored: NDArray[np.bool_]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        self.oob_prediction_ = self._drop_single_output(predictions)
        return self._drop_single_output(y[scored]), self.oob_prediction_[scored]

    def _drop_single_output(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values[..., 0] if self.n_outputs_ == 1 else values

    def _check_fitted(self) -> None:
        super()._check_fitted()
        forest, seen = self.forest_, self._y
        one_output = self._drop_single_output(seen)
        kept = getattr(self, "oob_prediction_", one_output)
        require_fitted(
            {
                "n_outputs_": self.n_outputs_ == forest.n_outputs,
                "_y": seen.dtype == np.float64
                and seen.shape == (self._sampling.plan.n_samples, self.n_outputs_)
                and bool(np.isfinite(seen).all()),
                "oob_prediction_": kept.dtype == seen.dtype and kept.shape == one_output.shape,
                "forest_.values": len(forest.values) == forest.n_leaves * self.n_outputs_,
            }
        )
