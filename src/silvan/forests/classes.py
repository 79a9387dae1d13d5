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
from silvan.forests.targets import (
    ClassTargets,
    SeveralClassTargets,
    Targets,
    warn_of_column,
)
from silvan.forests.weights import sample_blocks


@dataclass(kw_only=True, eq=False, repr=False)
class ClassParameters(SupervisedParameters):
    """What forests that predict classes have besides."""

    class_weight: Mapping[Any, float] | list[Mapping[Any, float]] | str | None = None


class ClassForest(ClassifierMixin, ClassParameters, SupervisedForest):  # type: ignore[misc]
    """A forest that learns classes; subclasses give a value for each class to a sample."""

    _numeric_targets = False
    _named_class_weights: ClassVar[tuple[str, ...]] = ("balanced",)
    _fitted: ClassVar[tuple[str, ...]] = ("classes_", "n_classes_")

    # Lists with an entry for each output, where there are several.
    classes_: Any
    n_classes_: Any

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        labels : ndarray of shape (n_samples,) or (n_samples, n_outputs_)
            Most probable classes. Where the whole forest finds several equally probable, the first
            of them in `classes_`, as in scikit-learn; this is the only place where the order of the
            classes counts, and `predict_proba` shows such ties.
        """
        checked = self._checked(X)
        n_samples = checked.shape[0]
        codes = np.empty((n_samples, self.n_outputs_), dtype=np.intp)
        for block in sample_blocks(n_samples, int(np.sum(self.n_classes_))):
            codes[block] = self._predict_codes(checked[block]).reshape(-1, self.n_outputs_)
        return self._labels(codes)

    def _labels(self, codes: NDArray[np.intp]) -> NDArray[Any]:
        """The classes at these places, of shape (n_samples, n_outputs_)."""
        labels: NDArray[Any]
        if self.n_outputs_ == 1:
            labels = self.classes_[codes[:, 0]]
        else:
            columns = [
                classes[column] for classes, column in zip(self.classes_, codes.T, strict=True)
            ]
            labels = np.column_stack(columns)
        return labels

    def _outputs(self, values: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Values of the classes of each output, in arrays of their own."""
        if self.n_outputs_ == 1:
            return [values]
        return np.split(values, np.cumsum(self.n_classes_)[:-1], axis=-1)

    def _predict_codes(self, checked: NDArray[Any]) -> NDArray[np.intp]:
        """Places of the most probable classes, for samples that were checked."""
        outputs = self._outputs(self._predict_values(checked))
        return np.column_stack([values.argmax(axis=1) for values in outputs])

    def predict_proba(self, X: ArrayLike) -> Any:
        """Predict the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes_), or a list of them
            In the order of `classes_`; a list has an array for each of several outputs. Of a bagged
            forest, means over the trees of leaf probabilities (soft voting) or votes (hard voting).
        """
        outputs = self._outputs(self._predict_values(self._checked(X)))
        return outputs[0] if self.n_outputs_ == 1 else outputs

    def predict_log_proba(self, X: ArrayLike) -> Any:
        """Predict the logarithm of the probability of each class; it is -inf for probability 0.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples, n_classes_), or a list of them
            Logarithms of `predict_proba`.
        """
        probabilities = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            if self.n_outputs_ > 1:
                return [np.log(of_output) for of_output in probabilities]
            return np.log(probabilities, out=probabilities)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not self._is_class_weight(self.class_weight):
            named = ", ".join(f'"{name}"' for name in self._named_class_weights)
            raise invalid(
                "class_weight",
                f"None, {named} or a dictionary from labels to weights >= 0 (for several outputs, "
                "a list of them)",
                self.class_weight,
                'pass for example "balanced"',
            )

    def _is_class_weight(self, value: Any) -> bool:
        if isinstance(value, str):
            return value in self._named_class_weights
        if isinstance(value, list):
            return (
                self._multi_output
                and all(isinstance(v, Mapping) for v in value)
                and all(map(self._is_class_weight, value))
            )
        if isinstance(value, Mapping):
            return all(is_number(weight) and weight >= 0 for weight in value.values())
        return value is None

    def _encode_targets(self, y: NDArray[Any]) -> ClassTargets | SeveralClassTargets:
        if y.ndim == 2 and y.shape[1] > 1:
            return SeveralClassTargets.encode(y)
        warn_of_column(y)
        return ClassTargets.encode(y.ravel())

    def _class_factor(
        self, targets: Targets, sample_weight: NDArray[np.float64] | None
    ) -> NDArray[np.float64] | None:
        """The product over the outputs of the weights of a sample's classes."""
        assert isinstance(targets, ClassTargets | SeveralClassTargets)
        if self.class_weight is None:
            return None
        outputs = targets.outputs
        given: Any = self.class_weight
        if len(outputs) == 1 or isinstance(given, str):
            given = [given] * len(outputs)
        if not isinstance(given, list) or len(given) != len(outputs):
            raise invalid(
                "class_weight",
                f"a name or a list of {len(outputs)} dictionaries, one for each output of y",
                self.class_weight,
                'pass for example "balanced"',
            )
        factors = [
            _class_weights(weights, classes, codes, sample_weight)[codes]
            for weights, (classes, codes) in zip(given, outputs, strict=True)
        ]
        product: NDArray[np.float64] = np.prod(factors, axis=0)
        return product

    def _check_fitted(self) -> None:
        super()._check_fitted()
        several = self.n_outputs_ > 1
        n_classes = self.n_classes_ if several else [self.n_classes_]
        classes = self.classes_ if several else [self.classes_]
        require_fitted(
            {
                "n_outputs_": len(classes) == self.n_outputs_,
                "n_classes_": len(n_classes) == len(classes) and all(map(is_integer, n_classes)),
                "classes_": all(
                    labels.shape == (n,) for labels, n in zip(classes, n_classes, strict=True)
                ),
            }
        )


def _class_weights(
    given: Mapping[Any, float] | str,
    classes: NDArray[Any],
    codes: NDArray[np.int32],
    sample_weight: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Weights of the classes, with 24 bits: their products with integer weights stay exact."""
    n_classes = len(classes)
    if isinstance(given, Mapping):
        left_out = [c for c in classes.tolist() if c not in given]
        if left_out and len(left_out) + len(given) != n_classes:
            raise ValueError(
                f"class_weight has labels that y does not have, and leaves out {left_out[:5]}; "
                f"the classes are {classes[:10]}, use these labels."
            )
        weights = np.array([given.get(c, 1.0) for c in classes.tolist()])
    else:
        totals = np.bincount(codes, weights=sample_weight, minlength=n_classes)
        present = totals > 0
        weights = np.zeros(n_classes)
        weights[present] = totals.sum() / (np.count_nonzero(present) * totals[present])
    return weights.astype(np.float32).astype(np.float64)
