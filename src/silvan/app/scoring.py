"""Scores of a saved forest on labelled data, beside what a forest without features would have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from silvan.app.data import Dataset
from silvan.app.errors import DataError
from silvan.app.models import fit_rows
from silvan.app.numbers import write_alike, write_number
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
    mean = write_number(float(y.mean()))
    return regression_scores(y, predicted), f"always predicting {mean}, the mean of these rows"


def _score_classes(
    classes: NDArray[Any], y: NDArray[Any], probabilities: NDArray[np.float64]
) -> tuple[list[Score], str]:
    codes = class_numbers(classes, y)
    counts = np.bincount(codes, minlength=len(classes))
    largest = f"{classes[counts.argmax()]!s}"
    blind = f"always predicting {largest}, the largest class of these rows"
    return classification_scores(codes, probabilities), blind


def class_numbers(classes: NDArray[Any], y: NDArray[Any]) -> NDArray[np.intp]:
    """The places of targets among the classes of a forest."""
    known = np.isin(y, classes)
    if not known.all():
        raise DataError(
            f"the data have the class {y[~known][0]!s}, which the forest does not know; pass data "
            "with the same classes."
        )
    return np.searchsorted(classes, y)


def format_scores(scores: list[Score]) -> str:
    """A line for each score, with its interval and what it is without features."""
    lines = [("", "score", "95 % interval", "baseline", "")]
    for score in scores:
        value, low, high, blind = write_alike(score.numbers)
        interval = "" if np.isnan(score.low) else f"{low} to {high}"
        lines.append((score.name, value, interval, blind, score.meaning))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        f"{name:<{widths[0]}}  {value:>{widths[1]}}  {interval:>{widths[2]}}  "
        f"{blind:>{widths[3]}}  {meaning}".rstrip()
        for name, value, interval, blind, meaning in lines
    )
