"""What forests that predict numbers do alike, bagged or boosted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import MultiOutputMixin, RegressorMixin

from silvan.forests.supervised import SupervisedForest
from silvan.forests.targets import NumberTargets


class NumberForest(MultiOutputMixin, RegressorMixin, SupervisedForest):  # type: ignore[misc]
    """A forest that learns numbers, one or several for each sample."""

    _numeric_targets = True

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the targets of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs_)
            Of a bagged forest, means over the trees of the mean targets in the leaves.
        """
        return self._drop_single_output(self._predict_values(self._checked(X)))

    def _encode_targets(self, y: NDArray[Any]) -> NumberTargets:
        return NumberTargets.encode(y)

    def _drop_single_output(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values[..., 0] if self.n_outputs_ == 1 else values
