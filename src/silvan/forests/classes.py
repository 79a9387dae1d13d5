"""What forests that predict classes do alike, bagged or boosted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from silvan._persistence import require_fitted
from silvan._validation import invalid, is_integer, is_number
from silvan.forests.parameters import SupervisedParameters
from silvan.forests.supervised import SupervisedForest
from silvan.forests.targets import ClassTargets, Targets
from silvan.forests.weights import sample_blocks


@dataclass(kw_only=True, eq=False, repr=False)
class ClassParameters(SupervisedParameters):
    """What forests that predict classes have besides."""

    class_weight: Mapping[Any, float] | str | None = None


class ClassForest(ClassifierMixin, ClassParameters, SupervisedForest):  # type: ignore[misc]
    """A forest that learns classes; subclasses give a value for each class to a sample."""

    _multi_output = False
    _fitted: ClassVar[tuple[str, ...]] = ("classes_", "n_classes_")

    classes_: NDArray[Any]
    n_classes_: int

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
            codes[block] = self._predict_codes(checked[block])
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def _predict_codes(self, checked: NDArray[Any]) -> NDArray[np.intp]:
        """Places of the most probable classes, for samples that were checked."""
        codes: NDArray[np.intp] = self._predict_values(checked).argmax(axis=1)
        return codes

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes_)
            In the order of `classes_`. Of a bagged forest, means over the trees of leaf
            probabilities (soft voting) or votes (hard voting).
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

    def _check_fitted(self) -> None:
        super()._check_fitted()
        require_fitted(
            {
                "n_classes_": is_integer(self.n_classes_),
                "classes_": self.classes_.shape == (self.n_classes_,),
                "n_outputs_": self.n_outputs_ == 1,
            }
        )
