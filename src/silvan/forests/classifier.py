"""ForestClassifier: a forest whose leaves hold class probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import type_of_target

from silvan._parameters import growing
from silvan._persistence import require_fitted
from silvan._validation import check_choice, invalid
from silvan.forests._docs import shared_docs
from silvan.forests.bagged_supervised import BaggedSupervisedForest
from silvan.forests.classes import ClassForest
from silvan.forests.targets import ClassTargets, SeveralClassTargets

# Shares of the classes in a leaf add up to 1, but for this.
_ROUNDING = 1e-9


@shared_docs
@dataclass(kw_only=True, eq=False, repr=False)
class ForestClassifier(ClassForest, BaggedSupervisedForest):
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
    max_features : int, float, "auto", "sqrt", "log2" or None, default="auto"
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
    max_features: int | float | str | None = growing("auto")
    voting: str = growing("soft")

    _criteria: ClassVar[Mapping[str, str]] = {
        "gini": "gini",
        "entropy": "entropy",
        "log_loss": "entropy",
    }
    _takes_sparse = True
    _metric = staticmethod(accuracy_score)
    _named_class_weights = ("balanced", "balanced_subsample")

    _fitted: ClassVar[tuple[str, ...]] = ("oob_decision_function_",)

    @shared_docs
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        {fit_samples}
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels: numbers or strings, with a column for each output.
        {fit_weights}
        """
        return super().fit(X, y, sample_weight)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("voting", self.voting, ("soft", "hard"))

    def _keep_out_of_bag(
        self, predictions: NDArray[np.float64], y: NDArray[Any], scored: NDArray[np.bool_]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        outputs = self._outputs(predictions)
        self.oob_decision_function_ = predictions if self.n_outputs_ == 1 else _stack(outputs)
        codes = np.column_stack([values[scored].argmax(axis=1) for values in outputs])
        return self._labels(y[scored].reshape(codes.shape)), self._labels(codes)

    def _encode_targets(self, y: NDArray[Any]) -> ClassTargets | SeveralClassTargets:
        targets = super()._encode_targets(y)
        if isinstance(targets, SeveralClassTargets):
            self._check_several(y)
        return targets

    def _check_several(self, y: NDArray[Any]) -> None:
        """Refuse what classes of several outputs do not have."""
        if self.voting == "hard":
            raise invalid(
                "voting",
                '"soft" where y has several outputs',
                self.voting,
                "or fit a forest for each output with sklearn.multioutput.MultiOutputClassifier",
            )
        if self.oob_score and type_of_target(y) != "multilabel-indicator":
            raise ValueError(
                "The type of target cannot be used to compute OOB estimates: y has several outputs "
                "of several classes, which have no common score; set oob_score=False, or fit a "
                "forest for each output."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        soft = self.voting == "soft"
        tags.classifier_tags.multi_label = tags.target_tags.multi_output = soft
        return tags

    def _asks_for_hard_votes(self) -> bool:
        return self.voting == "hard"

    def _check_fitted(self) -> None:
        super()._check_fitted()
        forest, n_samples = self.forest_, self._sampling.plan.n_samples
        votes = getattr(self, "oob_decision_function_", None)
        several = self.n_outputs_ > 1
        shape = (max(self.n_classes_), self.n_outputs_) if several else (self.n_classes_,)
        totals = np.add.reduceat(forest.values, forest.value_indptr[:-1])
        require_fitted(
            {
                "n_classes_": int(np.sum(self.n_classes_)) == forest.n_outputs,
                "oob_decision_function_": votes is None
                or (votes.shape == (n_samples, *shape) and votes.dtype == np.float64),
                "forest_.values": bool((forest.values >= 0).all())
                and bool((np.abs(totals - self.n_outputs_) < _ROUNDING * self.n_outputs_).all()),
            }
        )


def _stack(outputs: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Values of shape (n_samples, n_classes, n_outputs); zeros where an output lacks a class."""
    stacked = np.zeros((len(outputs[0]), max(map(_width, outputs)), len(outputs)))
    for k, values in enumerate(outputs):
        stacked[:, : _width(values), k] = values
    return stacked


def _width(values: NDArray[np.float64]) -> int:
    return int(values.shape[1])
