"""ForestClassifier: a forest whose leaves hold class probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score

from silvan._parameters import growing
from silvan._persistence import require_fitted
from silvan._validation import check_choice, invalid, is_integer, is_number
from silvan.forests._docs import shared_docs
from silvan.forests.supervised import SupervisedForest
from silvan.forests.targets import ClassTargets, Targets
from silvan.forests.weights import sample_blocks

# Shares of the classes in a leaf add up to 1, but for this.
_ROUNDING = 1e-9


@shared_docs
@dataclass(kw_only=True, eq=False, repr=False)
class ForestClassifier(ClassifierMixin, SupervisedForest):  # type: ignore[misc]
    """A forest that predicts classes, for any distribution of split directions.

    Each tree is grown on samples of its own by splitting nodes along the best of a few directions
    that are drawn at random from `projections`. Axis-aligned directions give Breiman's random
    forest, sparse signed ones a sparse projection oblique forest, patches of pixels a manifold
    forest.

    Parameters
    ----------
    {n_estimators}
    {projections}
    {classifier_criterion}
    max_features : int, float, "sqrt", "log2" or None, default="sqrt"
        {max_features}
    {thresholds}
    {limits}
    {bootstrap}
    {sampling}
    {categorical_features}
    {classifier_voting}
    {running}

    Attributes
    ----------
    {classifier_fitted}
    {fitted}

    See Also
    --------
    ForestRegressor : The same for numeric targets.
    ManifoldForestClassifier : The same with patches, for images, series and other grids.

    Notes
    -----
    {notes}

    References
    ----------
    L. Breiman, "Random Forests", Machine Learning 45, 2001.

    T. M. Tomita et al., "Sparse Projection Oblique Randomer Forests", Journal of Machine Learning
    Research 21, 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ForestClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> forest.predict(X[:2])
    array([0, 0])
    >>> forest.score(X, y) > 0.95
    True
    """

    criterion: str = growing("gini")
    max_features: int | float | str | None = growing("sqrt")
    voting: str = growing("soft")
    class_weight: Mapping[Any, float] | str | None = None

    _criteria: ClassVar[Mapping[str, str]] = {
        "gini": "gini",
        "entropy": "entropy",
        "log_loss": "entropy",
    }
    _multi_output = False
    _metric = staticmethod(accuracy_score)

    _fitted: ClassVar[tuple[str, ...]] = ("classes_", "n_classes_", "oob_decision_function_")

    @shared_docs
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        {fit_samples}
        y : array-like of shape (n_samples,)
            Class labels: numbers or strings.
        {fit_weights}
        """
        return super().fit(X, y, sample_weight)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Most probable classes. Where the whole forest finds several equally probable, the first
            of them in `classes_`, as in scikit-learn; this is the only place where the order of the
            classes counts, and `predict_proba` shows such ties.
        """
        checked = self._checked(X)
        codes = np.empty(len(checked), dtype=np.intp)
        for block in sample_blocks(len(checked), self.n_classes_):
            codes[block] = self._predict_values(checked[block]).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes_)
            Means over the trees of leaf probabilities (soft voting) or votes (hard voting), in the
            order of `classes_`.
        """
        return self._predict_values(self._checked(X))

    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the logarithm of the probability of each class; it is -inf for probability 0.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes_)
            Logarithms of `predict_proba`.
        """
        probabilities = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(probabilities, out=probabilities)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("voting", self.voting, ("soft", "hard"))
        balanced = isinstance(self.class_weight, str) and self.class_weight == "balanced"
        known = self.class_weight is None or balanced
        if isinstance(self.class_weight, Mapping):
            known = all(is_number(w) and w >= 0 for w in self.class_weight.values())
        if not known:
            raise invalid(
                "class_weight",
                'None, "balanced" or a dictionary from labels to weights >= 0',
                self.class_weight,
                'pass for example "balanced"',
            )

    def _encode_targets(self, y: NDArray[Any]) -> ClassTargets:
        return ClassTargets.encode(y)

    def _class_factor(
        self, targets: Targets, sample_weight: NDArray[np.float64] | None
    ) -> NDArray[np.float64] | None:
        assert isinstance(targets, ClassTargets)
        weights = self._class_weights(targets, sample_weight)
        return None if weights is None else weights[targets.encoded]

    def _class_weights(
        self, targets: ClassTargets, sample_weight: NDArray[np.float64] | None
    ) -> NDArray[np.float64] | None:
        """Weights of the classes, with 24 bits: their products with integer weights stay exact."""
        if self.class_weight is None:
            return None
        classes, n_classes = targets.classes, targets.n_values
        if isinstance(self.class_weight, Mapping):
            left_out = [c for c in classes.tolist() if c not in self.class_weight]
            if left_out and len(left_out) + len(self.class_weight) != n_classes:
                raise ValueError(
                    f"class_weight has labels that y does not have, and leaves out {left_out[:5]}; "
                    f"the classes are {classes[:10]}, use these labels."
                )
            weights = np.array([self.class_weight.get(c, 1.0) for c in classes.tolist()])
        else:
            totals = np.bincount(targets.encoded, weights=sample_weight, minlength=n_classes)
            present = totals > 0
            weights = np.zeros(n_classes)
            weights[present] = totals.sum() / (np.count_nonzero(present) * totals[present])
        return weights.astype(np.float32).astype(np.float64)

    def _keep_out_of_bag(
        self, predictions: NDArray[np.float64], y: NDArray[Any], scored: NDArray[np.bool_]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        self.oob_decision_function_ = predictions
        return self.classes_[y[scored]], self.classes_[predictions[scored].argmax(axis=1)]

    def _hard_votes(self) -> bool:
        return self.voting == "hard"

    def _check_fitted(self) -> None:
        super()._check_fitted()
        forest, n_samples = self.forest_, self._sampling.plan.n_samples
        votes = getattr(self, "oob_decision_function_", None)
        totals = np.add.reduceat(forest.values, forest.value_indptr[:-1])
        require_fitted(
            {
                "n_classes_": is_integer(self.n_classes_) and self.n_classes_ == forest.n_outputs,
                "classes_": self.classes_.shape == (self.n_classes_,),
                "n_outputs_": self.n_outputs_ == 1,
                "oob_decision_function_": votes is None
                or (votes.shape == (n_samples, self.n_classes_) and votes.dtype == np.float64),
                "forest_.values": bool((forest.values >= 0).all())
                and bool((np.abs(totals - 1) < _ROUNDING).all()),
            }
        )
