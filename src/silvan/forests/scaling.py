"""Scaling of features inside a forest: learnt on the training samples, applied to every sample."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan.forests.categories import CategoryTable
from silvan.preprocessing import DistinctValues, RankScaler, distinct_values, sample_counts

SCALINGS = ("rank", "minmax", "standard")

LARGEST_FLOAT32 = float(np.finfo(np.float32).max)


@dataclass(frozen=True, eq=False)
class LinearScaler:
    """Subtracts a centre and divides by a width, feature by feature."""

    centre: NDArray[np.float64]
    width: NDArray[np.float64]

    def _scale_column(self, j: int, column: NDArray[Any]) -> NDArray[np.float64]:
        """Scaled values of feature `j`, within the range of float32."""
        scaled: NDArray[np.float64] = column.astype(np.float64)
        scaled -= self.centre[j]
        scaled /= self.width[j]
        return np.clip(scaled, -LARGEST_FLOAT32, LARGEST_FLOAT32, out=scaled)

    def _belongs_to(self, n_features: int) -> bool:
        """Whether this is a scaling of so many features; for what was read from a file."""
        return all(
            isinstance(array, np.ndarray)
            and array.shape == (n_features,)
            and array.dtype == np.float64
            for array in (self.centre, self.width)
        )


Scaler = RankScaler | LinearScaler


def fit_scaler(
    scaling: str | None,
    X: NDArray[Any],
    kept: NDArray[np.integer[Any]] | None,
    weight: NDArray[np.float64] | None,
) -> Scaler | None:
    """Learn a scaling from the samples `kept` (None: all) of checked data; None scales nothing."""
    if scaling is None:
        return None
    counts = sample_counts(weight, kept)
    columns = (X[:, j] if kept is None else X[kept, j] for j in range(X.shape[1]))
    return scaler_of(scaling, X.shape[1], (distinct_values(column, counts) for column in columns))


def scaler_of(scaling: str, n_features: int, features: Iterable[DistinctValues]) -> Scaler:
    """A scaling from the distinct values of each feature, and how many samples have each."""
    if scaling == "rank":
        return RankScaler()._learn_distinct(n_features, features)
    measure = _range if scaling == "minmax" else _moments
    # Of a feature without values the scaled ones are missing.
    measures = np.full((2, n_features), np.nan)
    for j, (values, n) in enumerate(features):
        if len(values):
            measures[:, j] = measure(values.astype(np.float64), n)
    return LinearScaler(*measures)


def scale_samples(
    scaler: Scaler,
    X: NDArray[Any],
    kept: NDArray[np.integer[Any]] | None,
    order: Any,
    table: CategoryTable | None = None,
) -> NDArray[np.float32]:
    """The samples `kept` (None: all), scaled, in one float32 matrix of that memory order.

    Numbers of categories stay as they are.
    """
    categorical = set() if table is None else set(table.columns)
    n_samples = len(X) if kept is None else len(kept)
    scaled = np.empty((n_samples, X.shape[1]), dtype=np.float32, order=order)
    for j in range(X.shape[1]):
        column = X[:, j] if kept is None else X[kept, j]
        scaled[:, j] = column if j in categorical else scaler._scale_column(j, column)
    return scaled


def _range(values: NDArray[np.float64], n: NDArray[np.float64]) -> tuple[float, float]:
    """The minimum, and the range or 1 if that is zero."""
    return values[0], (values[-1] - values[0]) or 1.0


def _moments(values: NDArray[np.float64], n: NDArray[np.float64]) -> tuple[float, float]:
    """The mean, and the standard deviation or 1 if that is zero."""
    total = n.sum()
    mean = values[0] + (n * (values - values[0])).sum() / total
    deviation = np.sqrt((n * (values - mean) ** 2).sum() / total)
    return mean, deviation if len(values) > 1 else 1.0
