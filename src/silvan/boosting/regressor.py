"""BoostedForestRegressor: boosted trees that predict means, medians or quantiles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from silvan._parameters import growing
from silvan._persistence import require_fitted
from silvan._validation import check_choice, invalid, is_number
from silvan.boosting import _docs  # noqa: F401
from silvan.boosting.answers import read_only
from silvan.boosting.base import BoostedForest
from silvan.boosting.parameters import OTHER_LOSS
from silvan.forests._docs import shared_docs
from silvan.forests.numbers import NumberForest
from silvan.forests.targets import Targets
from silvan.losses import (
    AbsoluteError,
    BinaryLogLoss,
    Gamma,
    Huber,
    Loss,
    MultinomialLogLoss,
    Poisson,
    Quantile,
    SquaredError,
)

_LOSSES: dict[str, type[Loss]] = {
    "squared_error": SquaredError,
    "absolute_error": AbsoluteError,
    "quantile": Quantile,
    "huber": Huber,
    "poisson": Poisson,
    "gamma": Gamma,
}


@shared_docs
@dataclass(kw_only=True, eq=False, repr=False)
class BoostedForestRegressor(BoostedForest, NumberForest):
    """A boosted forest that predicts numbers, for any distribution of split directions.

    Trees are grown one round after the other, each on the gradients that the rounds before left
    over: one tree for each column of the targets. All trees of a round split along the same pool of
    columns: single features, and directions that are drawn anew in every round.

    Parameters
    ----------
    {boosted_n_estimators}
    {boosted_projections}
    loss : str or Loss, default="squared_error"
        What is minimised: "squared_error" for means, "absolute_error" for medians, "quantile",
        "huber" for means that few large errors pull less, "poisson" for counts and "gamma" for
        positive, skewed targets, both by the logarithm of the mean; or a loss of your own. See
        :mod:`silvan.losses`.
    quantile : float or None, default=None
        Which quantile to predict with ``loss="quantile"``, between 0 and 1.
    {boosted_limits}
    {categorical_features}
    {boosted_running}

    Attributes
    ----------
    {boosted_fitted}

    See Also
    --------
    BoostedForestClassifier : The same for classes.
    BoostedManifoldForestRegressor : The same with patches, for images, series and other grids.
    ForestRegressor : Independent trees, whose predictions are averaged.

    Notes
    -----
    {boosted_notes}

    References
    ----------
    J. H. Friedman, "Greedy Function Approximation: A Gradient Boosting Machine", Annals of
    Statistics 29, 2001.

    G. Ke et al., "LightGBM: A Highly Efficient Gradient Boosting Decision Tree", NeurIPS 2017.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from silvan import BoostedForestRegressor
    >>> X, y = make_friedman1(1000, noise=1.0, random_state=0)
    >>> forest = BoostedForestRegressor(100, random_state=0).fit(X[:500], y[:500])
    >>> forest.score(X[500:], y[500:]) > 0.85
    True
    >>> high = BoostedForestRegressor(100, loss="quantile", quantile=0.9, random_state=0)
    >>> bool((high.fit(X[:500], y[:500]).predict(X[500:]) > y[500:]).mean() > 0.7)
    True
    """

    loss: str | Loss = growing("squared_error")
    quantile: float | None = growing(None)

    @shared_docs
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        {fit_samples}
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Numbers to regress on, a column for each output.
        {boosted_fit_weights}
        """
        return super().fit(X, y, sample_weight)

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Predicted targets after each round.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Yields
        ------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs_)
            `predict` of the forest after each number of rounds.
        """
        for raw in self._staged_raw_scores(X):
            yield self._drop_single_output(self.loss_.inverse_link(raw.copy()))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not isinstance(self.loss, Loss):
            check_choice("loss", self.loss, _LOSSES, OTHER_LOSS)
        needed = self.loss == "quantile"
        given = is_number(self.quantile) and 0 < self.quantile < 1  # type: ignore[operator]
        if not (given if needed else given or self.quantile is None):
            raise invalid(
                "quantile",
                'a number between 0 and 1 with loss="quantile"' if needed else "None or in (0, 1)",
                self.quantile,
                "pass for example 0.9",
            )

    def _make_loss(self, targets: Targets) -> Loss:
        if isinstance(self.loss, BinaryLogLoss | MultinomialLogLoss):
            rule = "a loss of numbers in a regressor"
            remedy = 'pass for example "squared_error", or fit a BoostedForestClassifier'
            raise invalid("loss", rule, self.loss, remedy)
        if isinstance(self.loss, Loss):
            loss: Loss = self.loss
        elif self.loss == "quantile":
            assert self.quantile is not None
            loss = Quantile(self.quantile)
        else:
            loss = _LOSSES[self.loss]()
        loss.check_targets(read_only(targets.encoded))
        return loss

    def _n_predicted(self, targets: Targets) -> int:
        return int(targets.encoded.shape[1])

    def _check_fitted(self) -> None:
        super()._check_fitted()
        require_fitted({"n_outputs_": self.n_outputs_ == self.forest_.n_outputs})
