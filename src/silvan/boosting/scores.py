"""How good a boosted forest is after each round, and when it is time to stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import check_scoring

from silvan.boosting.answers import read_only
from silvan.boosting.parts import Part
from silvan.losses import Loss

Floats = NDArray[np.float64]
# Scores of training samples are estimated from so many of them.
_MAX_SCORED = 10_000


class _Round(BaseEstimator):  # type: ignore[misc]
    """A forest after some rounds, for one set of samples: scorers ask it as they ask a forest."""

    def __init__(self, raw: Floats | None = None, loss: Loss | None = None) -> None:
        self.raw = raw
        self.loss = loss

    def _values(self) -> Floats:
        assert self.raw is not None and self.loss is not None
        return self.loss.inverse_link(self.raw)


class _Regressor(RegressorMixin, _Round):  # type: ignore[misc]
    def predict(self, X: object) -> Floats:
        values = self._values()
        return values[:, 0] if values.shape[1] == 1 else values


class _Classifier(ClassifierMixin, _Round):  # type: ignore[misc]
    classes_: NDArray[Any]

    def predict_proba(self, X: object) -> Floats:
        return self._values()

    def predict(self, X: object) -> NDArray[Any]:
        assert self.raw is not None
        labels: NDArray[Any] = self.classes_[favoured_classes(self.raw)]
        return labels

    def decision_function(self, X: object) -> Floats:
        assert self.raw is not None
        return self.raw[:, 0] if self.raw.shape[1] == 1 else self.raw


def favoured_classes(raw: Floats) -> NDArray[np.intp]:
    """Places of the classes with the largest scores; a single score is that of the second class.

    Probabilities that are rounded to equal ones are not asked.
    """
    return (raw[:, 0] > 0).astype(np.intp) if raw.shape[1] == 1 else raw.argmax(axis=1)


class Scoring:
    """Scores raw predictions; a larger score is better."""

    def __init__(self, loss: Loss, scoring: Any, forest: Any) -> None:
        self._loss = loss
        self._classes: NDArray[Any] | None = getattr(forest, "classes_", None)
        self._name = scoring
        scorer = None if scoring == "loss" else check_scoring(forest, scoring)
        self._scorer: Callable[..., float] | None = scorer

    @property
    def sees_features(self) -> bool:
        """Whether the features of samples are asked for; a loss does without."""
        return self._scorer is not None

    def __call__(self, part: Part, raw: Floats) -> float:
        """The score of samples with these raw scores."""
        raw = read_only(raw)
        if self._scorer is None:
            return -self._loss.value(part.y, raw, part.weight)
        if self._classes is None:
            model: Any = _Regressor(raw, self._loss)
            y = part.y[:, 0] if part.y.shape[1] == 1 else part.y
        else:
            model = _Classifier(raw, self._loss)
            model.classes_ = self._classes
            y = self._classes[part.y]
        weights = {} if part.weight is None else {"sample_weight": part.weight}
        try:
            score = self._scorer(model, read_only(part.features), y, **weights)
        except (AttributeError, TypeError, ValueError) as error:
            if not isinstance(self._name, str):
                raise
            raise ValueError(
                f"scoring must be a score of what this forest predicts, but {self._name!r} could "
                f'not be computed ({error}); pass another one, or "loss".'
            ) from error
        if not (np.ndim(score) == 0 and np.asarray(score).dtype.kind in "biuf"):
            raise ValueError(
                f"scoring must return a number, but it returned {score!r}; return for example the "
                "score of the whole set as a float."
            )
        return float(score)


class ScoredSamples:
    """The training samples that stand for all of them in scores.

    Scorers see their features; a loss does without.
    """

    def __init__(self, training: Part, seed: int, with_features: bool = True) -> None:
        n_samples = len(training.y)
        self._numbers: Any = slice(None)
        self.part = training
        if n_samples > _MAX_SCORED:
            drawn = np.random.default_rng(seed).choice(n_samples, _MAX_SCORED, replace=False)
            self._numbers = np.sort(drawn)
            weight = None if training.weight is None else training.weight[self._numbers]
            seen = self._numbers if with_features else slice(0)
            self.part = Part(training.features[seen], training.y[self._numbers], weight)

    def take(self, raw: Floats) -> Floats:
        """Raw scores of these samples, out of those of all."""
        taken: Floats = raw[self._numbers]
        return taken


def best_round(scores: list[float]) -> int:
    """Number of rounds with the best score, the fewest of equal ones."""
    return int(np.argmax(scores))


def has_converged(scores: list[float], n_iter_no_change: int, tol: float) -> bool:
    """Whether none of the last scores is better than all before by more than `tol`."""
    if np.isnan(scores).any():
        raise ValueError(
            "scoring must return numbers to stop early by, but it returned nan after round "
            f"{int(np.isnan(scores).argmax())}; hold out more samples (validation_fraction), pass "
            "another scoring, or early_stopping=False."
        )
    if len(scores) <= n_iter_no_change:
        return False
    before, last = scores[:-n_iter_no_change], scores[-n_iter_no_change:]
    return max(last) <= max(before) + tol
