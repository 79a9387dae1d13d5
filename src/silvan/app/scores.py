"""Scores of predictions with 95 % confidence intervals, beside those that need no features.

Each score is a mean over rows, or a smooth function of such means, so its standard error follows
from the influence that each row has on it; accuracy has Wilson's interval, which is right near 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

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
    # The same of predictions that are alike for all rows: shares of the classes, or the mean.
    baseline: float = float("nan")

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """The score, the ends of its interval, and the baseline."""
        return self.value, self.low, self.high, self.baseline


def classification_scores(y: NDArray[np.intp], probabilities: NDArray[np.float64]) -> list[Score]:
    """Scores of class probabilities; `y` has the numbers of the true classes."""
    n, n_classes = probabilities.shape
    shares = np.bincount(y, minlength=n_classes) / n
    blind = _class_scores(y, np.broadcast_to(shares, probabilities.shape))
    return _beside(_class_scores(y, probabilities), blind)


def regression_scores(y: NDArray[np.float64], predicted: NDArray[np.float64]) -> list[Score]:
    """Scores of predicted numbers."""
    return _beside(_number_scores(y, predicted), _number_scores(y, np.full(len(y), y.mean())))


def _beside(scores: list[Score], blind: list[Score]) -> list[Score]:
    pairs = zip(scores, blind, strict=True)
    return [replace(score, baseline=other.value) for score, other in pairs]


def _class_scores(y: NDArray[np.intp], probabilities: NDArray[np.float64]) -> list[Score]:
    n, n_classes = probabilities.shape
    guess = probabilities.argmax(axis=1)
    right = (guess == y).astype(np.float64)
    truth = np.clip(probabilities[np.arange(n), y], _SMALLEST, 1.0)
    squares = (probabilities**2).sum(axis=1) - 2 * probabilities[np.arange(n), y] + 1.0
    counts = np.bincount(y, minlength=n_classes).astype(np.float64)
    present = counts > 0
    hits = np.bincount(y, weights=right, minlength=n_classes)
    recall = np.divide(hits, counts, out=np.zeros(n_classes), where=present)
    share = n / (np.count_nonzero(present) * np.maximum(counts, 1.0))
    balanced = float(recall[present].mean())
    scores = [
        Score("accuracy", *wilson(float(right.mean()), n), "share of rows that it gets right"),
        _score(
            "balanced accuracy",
            balanced,
            (right - recall[y]) * share[y],
            "the same for each class, then their mean",
        ),
        _score("F1", *_f1(y, guess), "precision and recall in one, mean over the classes"),
        _score("ROC AUC", *_area(y, probabilities), "0.5 is a guess, 1 separates all classes"),
        _score("log loss", -float(np.log(truth).mean()), -np.log(truth), "0 is perfect"),
        _score(
            "Brier score", float(squares.mean()), squares, "squared error of probabilities; 0 to 2"
        ),
    ]
    # Of one class alone there is no curve.
    return [score for score in scores if not np.isnan(score.value)]


def _f1(y: NDArray[np.intp], guess: NDArray[np.intp]) -> tuple[float, NDArray[np.float64]]:
    """The mean over the classes of the F1 score, and the influence of each row on it."""
    classes = np.union1d(y, guess)
    value, influence = 0.0, np.zeros(len(y))
    for k in classes:
        both = ((y == k) & (guess == k)).astype(np.float64)
        either = (y == k).astype(np.float64) + (guess == k)
        mean = either.mean()
        f1 = 2 * both.mean() / mean
        value += f1 / len(classes)
        influence += (2 * both - f1 * either) / (mean * len(classes))
    return float(value), influence


def _area(
    y: NDArray[np.intp], probabilities: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """The area under the curve, mean over classes against the rest, and each row's influence.

    The influence is that of DeLong: how many rows of the other kind a row is on the right side of.
    """
    values, influences = [], []
    for k in range(probabilities.shape[1]):
        inside = y == k
        n_inside = np.count_nonzero(inside)
        n_outside = len(y) - n_inside
        if not (n_inside and n_outside):
            continue
        score = probabilities[:, k]
        ranks = rankdata(score)
        below = np.empty(len(y))
        below[inside] = (ranks[inside] - rankdata(score[inside])) / n_outside
        below[~inside] = 1 - (ranks[~inside] - rankdata(score[~inside])) / n_inside
        area = below[inside].mean()
        values.append(area)
        weight = np.where(inside, len(y) / n_inside, len(y) / n_outside)
        influences.append((below - area) * weight)
    if not values:
        return float("nan"), np.zeros(len(y))
    return float(np.mean(values)), np.mean(influences, axis=0)


def _number_scores(y: NDArray[np.float64], predicted: NDArray[np.float64]) -> list[Score]:
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
        _score(
            "mean error",
            float((predicted - y).mean()),
            predicted - y,
            "above 0, predictions are too high on average",
        ),
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
