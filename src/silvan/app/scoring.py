"""Scores of a saved forest on labelled data, beside what a forest without features would have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.metrics import roc_auc_score

from silvan.app.data import Dataset
from silvan.app.errors import DataError
from silvan.app.models import fit_rows
from silvan.app.scores import Score, classification_scores, regression_scores


def score_forest(forest: Any, data: Dataset) -> tuple[list[Score], str]:
    """Scores of predictions, and a sentence about those that need no forest."""
    try:
        X = fit_rows(data)
        if not is_classifier(forest):
            return _score_numbers(data.y, forest.predict(X))
        return _score_classes(forest.classes_, data.y, forest.predict_proba(X))
    except ValueError as error:
        raise DataError(f"the data do not fit the forest: {error}") from None


def _score_numbers(
    y: NDArray[np.float64], predicted: NDArray[np.float64]
) -> tuple[list[Score], str]:
    scores = regression_scores(y, predicted)
    return scores, f"Always predicting the mean of these rows has an RMSE of {np.std(y):.4g}."


def _score_classes(
    classes: NDArray[Any], y: NDArray[Any], probabilities: NDArray[np.float64]
) -> tuple[list[Score], str]:
    known = np.isin(y, classes)
    if not known.all():
        raise DataError(
            f"the data have the class {y[~known][0]!s}, which the forest does not know; pass data "
            "with the same classes."
        )
    codes = np.searchsorted(classes, y)
    scores = classification_scores(codes, probabilities)
    auc = _area_under_curve(codes, probabilities)
    if auc is not None:
        nan = float("nan")
        meaning = "chance that a row ranks above one of another class; 0.5 is a guess"
        scores.append(Score("ROC AUC", auc, nan, nan, meaning))
    counts = np.bincount(codes, minlength=len(classes))
    share = counts.max() / len(codes)
    largest = f"{classes[counts.argmax()]!s}"
    return scores, f"Always predicting {largest}, the largest class, is right for {share:.1%}."


def _area_under_curve(codes: NDArray[np.intp], probabilities: NDArray[np.float64]) -> float | None:
    """The mean over the classes that some rows have and others have not; None if there is none."""
    areas = [
        roc_auc_score(codes == k, probabilities[:, k])
        for k in range(probabilities.shape[1])
        if 0 < np.count_nonzero(codes == k) < len(codes)
    ]
    return float(np.mean(areas)) if areas else None


def format_scores(scores: list[Score]) -> str:
    """A line for each score, with its interval where it has one."""
    lines = []
    for score in scores:
        interval = "" if np.isnan(score.low) else f"{score.low:.4f} to {score.high:.4f}"
        lines.append(f"{score.name:<20}{score.value:>8.4f}  {interval:<18}  {score.meaning}")
    return "\n".join(lines)
