"""BoostedForestClassifier: boosted trees whose raw scores become class probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from silvan._parameters import growing
from silvan._persistence import require_fitted
from silvan._validation import check_choice, invalid
from silvan.boosting import _docs  # noqa: F401
from silvan.boosting.answers import read_only
from silvan.boosting.base import BoostedForest
from silvan.boosting.parameters import OTHER_LOSS
from silvan.boosting.scores import favoured_classes
from silvan.forests._docs import shared_docs
from silvan.forests.classes import ClassForest
from silvan.forests.constraints import require_one_number
from silvan.forests.targets import ClassTargets, Targets
from silvan.losses import (
    BinaryLogLoss,
    Gamma,
    Huber,
    Loss,
    MultinomialLogLoss,
    Poisson,
    Quantile,
    SquaredError,
)


@shared_docs
@dataclass(kw_only=True, eq=False, repr=False)
class BoostedForestClassifier(BoostedForest, ClassForest):
    """A boosted forest that predicts classes, for any distribution of split directions.

    Trees are grown one round after the other, each on the gradients that the rounds before left
    over: one tree for two classes, and one for each class where there are more. All trees of a
    round split along the same pool of columns: single features, and directions that are drawn anew
    in every round.

    Parameters
    ----------
    {boosted_n_estimators}
    {boosted_projections}
    loss : {"log_loss"} or Loss, default="log_loss"
        What is minimised; an object is a loss of your own, see :class:`silvan.losses.Loss`.
    {boosted_limits}
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied with `sample_weight`: a dictionary (classes that it
        leaves out have weight 1), or "balanced" for weights inversely proportional to the
        classes' total weights.
    {categorical_features}
    {boosted_running}

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes_,)
        The labels of the classes, sorted.
    n_classes_ : int
        Number of classes.
    {boosted_fitted}

    See Also
    --------
    BoostedForestRegressor : The same for numeric targets.
    BoostedManifoldForestClassifier : The same with patches, for images, series and other grids.
    ForestClassifier : Independent trees, whose votes are averaged.

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
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from silvan import BoostedForestClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    >>> forest = BoostedForestClassifier(100, random_state=0).fit(X_train, y_train)
    >>> forest.score(X_test, y_test) > 0.95
    True
    """

    loss: str | Loss = growing("log_loss")
    l2_regularization: float = growing(1.0)

    @shared_docs
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        {fit_samples}
        y : array-like of shape (n_samples,)
            Class labels: numbers or strings; two classes at least.
        {boosted_fit_weights}
        """
        return super().fit(X, y, sample_weight)

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Raw scores of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes_)
            Log-odds of the second class where there are two, otherwise a score for each class,
            whose softmax is `predict_proba`.
        """
        return self._drop_single_score(self._raw_scores(self._checked(X)))

    def staged_decision_function(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Raw scores after each round.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Yields
        ------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes_)
            `decision_function` of the forest after each number of rounds.
        """
        for raw in self._staged_raw_scores(X):
            yield self._drop_single_score(raw).copy()

    def staged_predict_proba(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Probabilities of the classes after each round.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Yields
        ------
        probabilities : ndarray of shape (n_samples, n_classes_)
            `predict_proba` of the forest after each number of rounds.
        """
        for raw in self._staged_raw_scores(X):
            yield self.loss_.inverse_link(raw)

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[Any]]:
        """Predicted classes after each round.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Yields
        ------
        labels : ndarray of shape (n_samples,)
            `predict` of the forest after each number of rounds.
        """
        for raw in self._staged_raw_scores(X):
            yield self.classes_[favoured_classes(raw)]

    def _predict_codes(self, checked: NDArray[Any]) -> NDArray[np.intp]:
        return favoured_classes(self._raw_scores(checked))

    def _drop_single_score(self, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        return raw[:, 0] if raw.shape[1] == 1 else raw

    _multi_output = False

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not isinstance(self.loss, Loss):
            check_choice("loss", self.loss, ("log_loss",), OTHER_LOSS)

    def _make_loss(self, targets: Targets) -> Loss:
        assert isinstance(targets, ClassTargets)
        if targets.n_values < 2:
            raise ValueError(
                "y must have at least two classes to tell apart, but it has one class, "
                f"{targets.classes[:1].tolist()[0]!r}; pass samples of another class, too."
            )
        if self.monotonic_cst is not None:
            require_one_number(self.monotonic_cst, targets)
        if isinstance(self.loss, SquaredError | Quantile | Huber | Poisson | Gamma):
            rule = "a loss of classes in a classifier"
            remedy = 'pass "log_loss", or fit a BoostedForestRegressor'
            raise invalid("loss", rule, self.loss, remedy)
        if isinstance(self.loss, Loss):
            loss: Loss = self.loss
        else:
            n_classes = targets.n_values
            loss = BinaryLogLoss() if n_classes == 2 else MultinomialLogLoss(n_classes)
        loss.check_targets(read_only(targets.encoded))
        return loss

    def _n_predicted(self, targets: Targets) -> int:
        assert isinstance(targets, ClassTargets)
        return targets.n_values

    def _check_fitted(self) -> None:
        super()._check_fitted()
        probabilities = self.loss_.inverse_link(self.start_[None])
        require_fitted({"loss_": probabilities.shape == (1, self.n_classes_)})
