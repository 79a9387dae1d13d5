"""ForestRegressor: a forest whose leaves hold means of numeric targets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import r2_score

from silvan._persistence import require_fitted
from silvan._validation import invalid
from silvan.forests._docs import shared_docs
from silvan.forests.bagged_supervised import BaggedSupervisedForest
from silvan.forests.numbers import NumberForest
from silvan.forests.sample_numbers import check_members
from silvan.forests.targets import NumberTargets
from silvan.forests.weights import SampleWeighting, weighted_quantiles


def _r2(y_true: NDArray[Any], y_pred: NDArray[Any]) -> float:
    """R², or NaN for a single sample, which has no spread."""
    return float(r2_score(y_true, y_pred)) if len(y_true) > 1 else np.nan


@shared_docs
@dataclass(kw_only=True, eq=False, repr=False)
class ForestRegressor(NumberForest, BaggedSupervisedForest):
    """A forest that predicts numbers, for any distribution of split directions.

    Each tree is grown on samples of its own by splitting nodes along the best of a few directions
    that are drawn at random from `projections`. The targets may have several columns.

    Parameters
    ----------
    {n_estimators}
    {projections}
    {regressor_criterion}
    max_features : int, float, "auto", "sqrt", "log2" or None, default=1.0
        {max_features}
    {thresholds}
    {limits}
    {bootstrap}
    {sampling}
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
    weights a prediction is off by less than 1e-12 of the range of the targets at a thousand
    samples, and 1e-9 at a million.

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

    # Friedman's improvement of a split is its decrease of squared error (Friedman 2001, eq. 35).
    _criteria: ClassVar[Mapping[str, str]] = {
        "squared_error": "squared_error",
        "friedman_mse": "squared_error",
        "absolute_error": "absolute_error",
        "poisson": "poisson",
    }
    _takes_sparse = True
    _metric = staticmethod(_r2)
    _fitted: ClassVar[tuple[str, ...]] = ("oob_prediction_", "_y")

    @shared_docs
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        {fit_samples}
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Numbers to regress on, a column for each output.
        {fit_weights}
        """
        return super().fit(X, y, sample_weight)

    def predict_quantiles(self, X: ArrayLike, q: ArrayLike = 0.5) -> NDArray[np.float64]:
        """Predict quantiles of the targets, given each sample.

        The conditional distribution of a target is that of the training targets under the weights
        of `forest_weights` (Meinshausen 2006). Its quantile is the smallest training target whose
        distribution function reaches q, so every prediction is a target that was seen.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.
        q : float or array-like of shape (n_quantiles,), default=0.5
            Levels in [0, 1].

        Returns
        -------
        quantiles : ndarray
            Of shape (n_samples, n_quantiles), or (n_samples, n_quantiles, n_outputs_) for several
            outputs; a single number `q` drops the axis of the quantiles.
        """
        try:
            levels = np.asarray(q, dtype=np.float64)
        except (TypeError, ValueError):
            levels = np.empty(0)
        if levels.ndim > 1 or levels.size == 0 or not ((levels >= 0) & (levels <= 1)).all():
            raise invalid("q", "a level in [0, 1] or a sequence of them", q, "pass for example 0.5")
        check_members(self._sampling.plan.n_samples, "predict_quantiles")
        leaves = self.apply(X)
        weighting = SampleWeighting(self.forest_, self._sampling)
        quantiles = np.empty((len(leaves), levels.size, self.n_outputs_))
        for block in weighting.query_blocks(len(leaves)):
            weights = weighting(leaves[block])
            for k in range(self.n_outputs_):
                quantiles[block, :, k] = weighted_quantiles(weights, self._y[:, k], levels.ravel())
        quantiles = self._drop_single_output(quantiles)
        return quantiles[:, 0] if levels.ndim == 0 else quantiles

    def _encode_targets(self, y: NDArray[Any]) -> NumberTargets:
        return NumberTargets.encode(y, self._criteria[self.criterion])

    def _keep_out_of_bag(
        self, predictions: NDArray[np.float64], y: NDArray[Any], scored: NDArray[np.bool_]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        self.oob_prediction_ = self._drop_single_output(predictions)
        return self._drop_single_output(y[scored]), self.oob_prediction_[scored]

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
