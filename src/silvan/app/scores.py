"""Scores of predictions with 95 % confidence intervals.

Each score is a mean over rows, or a smooth function of such means, so its standard error follows
from the influence that each row has on it; accuracy has Wilson's interval, which is right near 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_Z = 1.959964  # 97.5 % quantile of the normal distribution
_SMALLEST = 1e-15


@dataclass(frozen=True)
class Score:
    """A number that says how good predictions are, and how sure it is."""

    name: str
    value: float
    low: float
    high: float
    meaning: str


def classification_scores(y: NDArray[np.intp], probabilities: NDArray[np.float64]) -> list[Score]:
    """Scores of class probabilities; `y` has the numbers of the true classes."""
    n, n_classes = probabilities.shape
    right = (probabilities.argmax(axis=1) == y).astype(np.float64)
    truth = np.clip(probabilities[np.arange(n), y], _SMALLEST, 1.0)
    squares = (probabilities**2).sum(axis=1) - 2 * probabilities[np.arange(n), y] + 1.0
    counts = np.bincount(y, minlength=n_classes).astype(np.float64)
    present = counts > 0
    hits = np.bincount(y, weights=right, minlength=n_classes)
    recall = np.divide(hits, counts, out=np.zeros(n_classes), where=present)
    share = n / (np.count_nonzero(present) * np.maximum(counts, 1.0))
    balanced = float(recall[present].mean())
    return [
        Score("accuracy", *wilson(float(right.mean()), n), "share of rows that it gets right"),
        _score(
            "balanced accuracy",
            balanced,
            (right - recall[y]) * share[y],
            "the same for each class, then their mean",
        ),
        _score("log loss", -float(np.log(truth).mean()), -np.log(truth), "0 is perfect"),
        _score(
            "Brier score", float(squares.mean()), squares, "squared error of probabilities; 0 to 2"
        ),
    ]


def regression_scores(y: NDArray[np.float64], predicted: NDArray[np.float64]) -> list[Score]:
    """Scores of predicted numbers."""
    squares, gaps = (y - predicted) ** 2, np.abs(y - predicted)
    spread = (y - y.mean()) ** 2
    error, variance = float(squares.mean()), max(float(spread.mean()), _SMALLEST)
    root = np.sqrt(error)
    return [
        _score(
            "R²",
            1 - error / variance,
            -squares / variance + error * spread / variance**2,
            "share of the variance that is explained",
        ),
        _score("RMSE", root, squares / max(2 * root, _SMALLEST), "root mean squared error"),
        _score("mean absolute error", float(gaps.mean()), gaps, "in the unit of the target"),
    ]


def wilson(share: float, n: int) -> tuple[float, float, float]:
    """A share and Wilson's interval for it.

    >>> [round(x, 3) for x in wilson(0.5, 100)]
    [0.5, 0.404, 0.596]
    """
    centre = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * np.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return share, float(centre - half), float(centre + half)


def _score(name: str, value: float, influence: NDArray[Any], meaning: str) -> Score:
    n = len(influence)
    half = _Z * float(np.std(influence, ddof=1)) / np.sqrt(n) if n > 1 else float("nan")
    return Score(name, float(value), float(value) - half, float(value) + half, meaning)
