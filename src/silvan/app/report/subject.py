"""What a report is about: a forest, its data, and predictions to judge it by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from silvan.app.comparison import Result
from silvan.app.data import Dataset
from silvan.app.evaluation import check_same_columns, count_repeats
from silvan.app.models import fit_rows
from silvan.app.scores import Score, classification_scores, regression_scores
from silvan.app.scoring import class_numbers
from silvan.forests.base import BaseForest


@dataclass(frozen=True, eq=False)
class Judgement:
    """Predictions for rows that the trees behind them have not seen."""

    where: str  # "out of bag" or "on the test data"
    data: Dataset
    rows: NDArray[np.intp]  # numbers of the rows of `data` that have a prediction
    truth: NDArray[Any]  # numbers of the classes, or targets
    predicted: NDArray[np.float64]  # a column of probabilities per class, or predicted targets

    @cached_property
    def scores(self) -> list[Score]:
        """The scores, the main one first."""
        measure: Any = classification_scores if self.predicted.ndim == 2 else regression_scores
        scores: list[Score] = measure(self.truth, self.predicted)
        return scores


@dataclass(frozen=True, eq=False)
class Subject:
    """Everything that a page is made from."""

    forest: BaseForest
    data: Dataset  # what the forest was fitted on
    held_out: Dataset | None = None
    results: Sequence[Result] = field(default_factory=list)
    model_path: str | None = None
    title: str = "Report on a forest"

    @property
    def classifies(self) -> bool:
        """Whether the forest predicts classes."""
        return bool(is_classifier(self.forest))

    @cached_property
    def labels(self) -> list[str]:
        """Names of the classes."""
        return [str(label) for label in self.forest.classes_]

    @property
    def feature_names(self) -> list[str]:
        """Names of the features, of which a column of dates has several."""
        known = self.forest.fitted_.feature_names
        n_features = self.forest.fitted_.n_features
        return [f"x{k}" for k in range(n_features)] if known is None else [*map(str, known)]

    @property
    def has_out_of_bag(self) -> bool:
        """Whether trees left out rows, and the forest has kept what they predict for these."""
        return bool(np.isfinite(getattr(self.forest, "oob_score_", np.nan)))

    @property
    def is_boosted(self) -> bool:
        """Whether the forest has curves of scores against rounds, and no rows out of bag."""
        return self.forest.fitted_.start is not None

    @cached_property
    def judgement(self) -> Judgement | None:
        """Predictions on the test data if there are any, else out of bag if there are any."""
        if self.held_out is not None:
            X = check_same_columns(self.data, self.held_out)
            forest: Any = self.forest
            values = forest.predict_proba(X) if self.classifies else forest.predict(X)
            return self._judge("on the test data", self.held_out, values)
        if self.has_out_of_bag:
            name = "oob_decision_function_" if self.classifies else "oob_prediction_"
            return self._judge("out of bag", self.data, getattr(self.forest, name))
        return None

    @cached_property
    def n_repeats(self) -> int:
        """How many rows of the test data were there to learn from."""
        return 0 if self.held_out is None else count_repeats(self.data, self.held_out)

    @property
    def fitted_rows(self) -> Any:
        """The training rows as they were given to `fit`."""
        return fit_rows(self.data)

    def _judge(self, where: str, data: Dataset, values: NDArray[np.float64]) -> Judgement | None:
        rows = np.flatnonzero(np.isfinite(values.reshape(len(values), -1)).all(axis=1))
        if len(rows) < 2:  # which have no spread to tell an interval from
            return None
        truth = data.y[rows]
        if self.classifies:
            truth = class_numbers(self.forest.classes_, truth)
        return Judgement(where, data, rows, truth, values[rows])
