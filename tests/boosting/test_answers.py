"""What a loss answers is checked, whoever wrote it, and so are the scores that stop a fit."""

import numpy as np
import pytest

from silvan import BoostedForestClassifier, BoostedForestRegressor
from silvan.losses import (
    AbsoluteError,
    BinaryLogLoss,
    Gamma,
    Huber,
    MultinomialLogLoss,
    Poisson,
    SquaredError,
)

QUICK = {"n_estimators": 3, "min_samples_leaf": 2, "random_state": 0, "n_jobs": 1}
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = X[:, 0] + 5.0


class OwnError(SquaredError):
    """Half the squared error, with one of its answers replaced."""

    def __init__(self, method=None, change=None):
        self.method = method
        self.change = change

    def _answer(self, method, answer):
        return self.change(answer) if self.method == method else answer

    def losses(self, y, raw):
        return self._answer("losses", super().losses(y, raw))

    def derivatives(self, y, raw):
        return self._answer("derivatives", super().derivatives(y, raw))

    def start(self, y, weight=None):
        return self._answer("start", super().start(y, weight))

    def inverse_link(self, raw):
        return self._answer("inverse_link", raw)


class RenewingError(SquaredError):
    """A loss that says what leaves have."""

    def __init__(self, change):
        self.change = change

    def leaf_values(self, y, raw, weight, leaf):
        means = np.bincount(leaf, y - raw) / np.bincount(leaf)
        return self.change(means)


def test_starts_and_derivatives_may_be_of_single_precision():
    known = BoostedForestRegressor(**QUICK).fit(X, Y).predict(X)
    single = OwnError("start", lambda start: start.astype(np.float32))
    predicted = BoostedForestRegressor(loss=single, **QUICK).fit(X, Y).predict(X)
    assert predicted.dtype == np.float64
    np.testing.assert_allclose(predicted, known, rtol=1e-6)
    single = OwnError("derivatives", lambda both: tuple(part.astype(np.float32) for part in both))
    predicted = BoostedForestRegressor(loss=single, **QUICK).fit(X, Y).predict(X)
    np.testing.assert_allclose(predicted, known, rtol=1e-6)


@pytest.mark.parametrize(
    ("method", "change"),
    [
        ("start", lambda start: start[0]),
        ("start", lambda start: np.zeros(2)),
        ("start", lambda start: start * np.nan),
        ("start", lambda start: None),
        ("inverse_link", lambda raw: raw[:, 0]),
        ("derivatives", lambda both: both[0]),
        ("derivatives", lambda both: None),
        ("derivatives", lambda both: (both[0][:, 0], both[1][:, 0])),
        ("derivatives", lambda both: (both[0] * 1j, both[1])),
        ("derivatives", lambda both: (both[0], both[1].astype(str))),
        ("losses", lambda losses: losses * 1j),
        ("derivatives", lambda both: (both[0] * np.nan, both[1])),
        ("derivatives", lambda both: (both[0], -both[1])),
        ("losses", lambda losses: losses[:4]),
        ("losses", lambda losses: 1.0),
        ("losses", lambda losses: None),
    ],
)
def test_wrong_answers_of_a_loss_are_refused_by_name(method, change):
    with pytest.raises(ValueError, match=rf"^OwnError\.{method} must return .* but "):
        BoostedForestRegressor(loss=OwnError(method, change), **QUICK).fit(X, Y)


@pytest.mark.parametrize(
    "change", [lambda values: values[:1], lambda values: values * np.nan, lambda values: None]
)
def test_wrong_values_of_leaves_are_refused(change):
    with pytest.raises(ValueError, match=r"^RenewingError\.leaf_values must return an array"):
        BoostedForestRegressor(loss=RenewingError(change), **QUICK).fit(X, Y)


def test_leaves_of_every_output_are_numbered_from_zero():
    both = np.column_stack([Y, -2 * Y])
    renewed = BoostedForestRegressor(loss=RenewingError(np.copy), **QUICK).fit(X, both)
    newton = BoostedForestRegressor(**QUICK).fit(X, both)
    np.testing.assert_allclose(renewed.predict(X), newton.predict(X), rtol=1e-6)


def test_a_loss_of_numbers_is_not_one_of_classes():
    for loss in (SquaredError(), AbsoluteError(), Huber(), Poisson(), Gamma()):
        with pytest.raises(ValueError, match=r"^loss must be a loss of classes .*Regressor"):
            BoostedForestClassifier(loss=loss, **QUICK).fit(X, Y > 5)
    for loss in (BinaryLogLoss(), MultinomialLogLoss(3)):
        with pytest.raises(ValueError, match=r"^loss must be a loss of numbers .*Classifier"):
            BoostedForestRegressor(loss=loss, **QUICK).fit(X, Y)
    with pytest.raises(ValueError, match=r"^BinaryLogLoss\.inverse_link must return an array"):
        BoostedForestClassifier(loss=BinaryLogLoss(), **QUICK).fit(X, np.digitize(Y, [4.5, 5.5]))


def test_scores_that_are_no_numbers_cannot_stop_a_fit():
    forest = BoostedForestRegressor(scoring=lambda *_, **__: np.nan, **QUICK)
    assert np.isnan(forest.fit(X, Y).train_score_).all()
    with pytest.raises(ValueError, match=r"^scoring must return numbers .*validation_fraction"):
        forest.set_params(early_stopping=True).fit(X, Y)


@pytest.mark.parametrize("method", ["losses", "derivatives"])
@pytest.mark.parametrize("early_stopping", [True, False])
def test_a_loss_cannot_write_into_targets_or_raw_scores(method, early_stopping):
    class WritingError(SquaredError):
        pass

    def write(self, y, raw):
        raw -= y
        return raw if method == "losses" else (raw, np.ones_like(raw))

    setattr(WritingError, method, write)
    forest = BoostedForestRegressor(loss=WritingError(), early_stopping=early_stopping, **QUICK)
    with pytest.raises(ValueError, match="read-only"):
        forest.fit(X, Y)


def test_a_scorer_cannot_write_into_samples():
    def write(forest, X, y):
        X[:] = 0.0
        return 1.0

    with pytest.raises(ValueError, match="read-only"):
        BoostedForestRegressor(scoring=write, **QUICK).fit(X.astype(np.float32, order="F"), Y)


@pytest.mark.parametrize("scoring", ["loss", None])
@pytest.mark.parametrize("n_samples", [2, 5, 20])
def test_rounds_that_leave_no_sample_out_cannot_be_judged_by_them(n_samples, scoring):
    forest = BoostedForestRegressor(
        scoring=scoring, early_stopping="out_of_bag", subsample=0.99, **QUICK
    )
    with pytest.raises(ValueError, match=f"^subsample must leave .* all {n_samples} distinct"):
        forest.fit(X[:n_samples], Y[:n_samples])


def test_scorers_see_the_samples_that_a_round_left_out():
    seen = []

    def score(forest, X, y):
        seen.append((X, y))
        return 1.0

    forest = BoostedForestRegressor(
        scoring=score, early_stopping="out_of_bag", subsample=0.5, **QUICK
    ).fit(X, Y)
    assert len(forest.validation_score_) == 4 and len(seen) == 10
    for features, y in seen:
        assert len(y) in (20, 40)
        np.testing.assert_allclose(features[:, 0] + 5.0, y, rtol=1e-6)


@pytest.mark.parametrize("score", ["good", None, np.zeros(2), 1j])
def test_scores_that_are_not_one_number_are_refused(score):
    with pytest.raises(ValueError, match=r"^scoring must return a number, but it returned"):
        BoostedForestRegressor(scoring=lambda *_: score, **QUICK).fit(X, Y)


def test_scorers_that_cannot_judge_a_forest_are_refused_by_name():
    for scoring in ("roc_auc", "accuracy"):
        with pytest.raises(ValueError, match=rf"^scoring must be .*'{scoring}' could not be comp"):
            BoostedForestRegressor(scoring=scoring, **QUICK).fit(X, Y)
