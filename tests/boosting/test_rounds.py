"""The rounds of a fit: early stopping, warm starts, curves of scores, progress."""

import tracemalloc

import numpy as np
import pytest
from boosting.comparing import same_forest
from sklearn.base import clone
from sklearn.metrics import log_loss, make_scorer, mean_absolute_error

from silvan import (
    BoostedForestClassifier,
    BoostedForestRegressor,
    BoostedManifoldForestClassifier,
)
from silvan.boosting.scores import best_round, has_converged
from silvan.projections import AxisAligned, RidgeDirections

QUICK = {"learning_rate": 0.5, "min_samples_leaf": 2, "random_state": 0}


def test_early_stopping_keeps_the_rounds_up_to_the_best(two_classes):
    X, y = two_classes
    forest = BoostedForestClassifier(200, early_stopping=True, n_iter_no_change=5, **QUICK)
    forest.fit(X, y)
    scores = forest.validation_score_
    assert 1 <= forest.n_iter_ == np.argmax(scores) < len(scores) - 1 < 200
    assert len(scores) == len(forest.train_score_) == forest.n_iter_ + 6
    assert forest.forest_.n_trees == forest.n_iter_
    full = clone(forest).set_params(n_estimators=forest.n_iter_, n_iter_no_change=1000).fit(X, y)
    assert np.array_equal(full.predict_proba(X), forest.predict_proba(X))


def test_held_out_samples_are_not_trained_on(two_classes):
    X, y = two_classes
    forest = BoostedForestClassifier(100, early_stopping=True, validation_fraction=0.5, **QUICK)
    forest.fit(X, y)
    last = -forest.validation_score_[forest.n_iter_]
    # The mean over both halves lies between the two.
    overall = log_loss(y, forest.predict_proba(X))
    assert overall == pytest.approx((last - forest.train_score_[forest.n_iter_]) / 2, rel=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_data_are_as_they_were_when_samples_were_held_out(two_classes, dtype, order):
    X, y = two_classes
    given = np.array(X, dtype=dtype, order=order)
    forest = BoostedForestClassifier(20, early_stopping=True, **QUICK)
    expected = clone(forest).fit(X, y)
    assert same_forest(forest.fit(given, y), expected)
    np.testing.assert_array_equal(given, X)


def test_samples_to_grow_on_are_not_copied_twice():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 60))
    forest = BoostedForestClassifier(2, early_stopping=True, projections=AxisAligned(), **QUICK)
    tracemalloc.start()
    forest.fit(X, X[:, 0] > 0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The one copy is half as large as the data; the core makes it, unseen here.
    assert peak < 0.3 * X.nbytes


def test_out_of_bag_samples_stop_a_fit(two_classes):
    X, y = two_classes
    options = QUICK | {"subsample": 0.6, "early_stopping": "out_of_bag", "n_iter_no_change": 5}
    forest = BoostedForestClassifier(300, **options).fit(X, y)
    scores = forest.validation_score_
    assert 1 <= forest.n_iter_ == np.argmax(scores) == len(scores) - 6 < 294
    assert scores[0] == forest.train_score_[0]
    # Samples that a round left out gain less from it than those that it was grown on.
    assert scores[forest.n_iter_] < forest.train_score_[forest.n_iter_]
    warm = clone(forest).set_params(n_estimators=4, warm_start=True).fit(X, y)
    warm.set_params(n_estimators=300).fit(X, y)
    assert same_forest(warm, forest)
    np.testing.assert_array_equal(warm.validation_score_, scores)


def test_gains_out_of_bag_are_those_of_the_samples_left_out(numeric):
    X, y = numeric
    one = BoostedForestRegressor(
        1, subsample=0.5, early_stopping="out_of_bag", projections=AxisAligned(), **QUICK
    ).fit(X, y)
    trained = one.forest_.n_samples[0]
    assert trained == round(0.5 * len(X))
    before, after = ((y - raw) ** 2 for raw in (one.start_[0], one.predict(X)))
    # The gain of all samples is the mean of those of both halves.
    gain = (before - after).mean() / 2
    inside = 2 * gain - (one.validation_score_[1] - one.validation_score_[0])
    assert inside > one.validation_score_[1] - one.validation_score_[0]


def test_out_of_bag_samples_need_a_subsample(two_classes):
    X, y = two_classes
    forest = BoostedForestClassifier(5, early_stopping="out_of_bag")
    with pytest.raises(ValueError, match="subsample must be below 1 with early_stopping"):
        forest.fit(X, y)


def test_early_stopping_is_automatic_with_many_samples(numeric):
    X, y = numeric
    forest = BoostedForestRegressor(3, random_state=0)
    assert len(forest.fit(X, y).validation_score_) == 0
    rng = np.random.default_rng(0)
    many = rng.normal(size=(10_001, 2))
    assert len(forest.fit(many, many[:, 0]).validation_score_) == 4
    assert len(forest.set_params(early_stopping=False).fit(many, many[:, 0]).validation_score_) == 0


def test_training_scores_stop_a_fit_where_nothing_is_held_out(numeric):
    X, y = numeric
    forest = BoostedForestRegressor(
        300, early_stopping=True, validation_fraction=None, tol=0.05, n_iter_no_change=3, **QUICK
    ).fit(X, y)
    assert forest.n_iter_ < 300
    assert len(forest.validation_score_) == 0


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "roc_auc", None])
def test_scorers_of_scikit_learn_judge_rounds(two_classes, scoring):
    X, y = two_classes
    forest = BoostedForestClassifier(
        8, early_stopping=True, validation_fraction=None, scoring=scoring, **QUICK
    ).fit(X, y)
    if scoring == "neg_log_loss":
        expected = -log_loss(y, forest.predict_proba(X))
        assert forest.train_score_[forest.n_iter_] == pytest.approx(expected)
    if scoring in ("accuracy", None):
        assert forest.train_score_[forest.n_iter_] == pytest.approx(forest.score(X, y))
    assert (forest.train_score_[1:] > forest.train_score_[0]).all()


def test_a_scorer_of_ones_own_sees_weights_and_predictions(numeric):
    X, y = numeric
    seen = []

    def error(y_true, y_pred, sample_weight=None):
        seen.append(sample_weight)
        return mean_absolute_error(y_true, y_pred, sample_weight=sample_weight)

    weight = np.random.default_rng(0).uniform(1, 2, size=len(y))
    forest = BoostedForestRegressor(
        4, scoring=make_scorer(error, greater_is_better=False), random_state=0
    ).fit(X, y, sample_weight=weight)
    expected = -mean_absolute_error(y, forest.predict(X), sample_weight=weight)
    assert forest.train_score_[-1] == pytest.approx(expected)
    assert len(seen) == 5 and len(seen[0]) == len(y)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"subsample": 0.5, "colsample": 0.5, "n_jobs": 2},
        {"early_stopping": True, "n_iter_no_change": 4},
        {"vector_leaves": True, "thresholds": "random"},
        {"redraw_every": 4, "projections": RidgeDirections()},
    ],
)
def test_a_warm_start_is_one_long_fit(labelled, options):
    X, y = labelled
    long = BoostedForestClassifier(14, **QUICK, **options).fit(X, y)
    warm = BoostedForestClassifier(5, warm_start=True, **QUICK, **options).fit(X, y)
    assert not same_forest(warm, long)
    warm.set_params(n_estimators=9).fit(X, y)
    warm.set_params(n_estimators=14).fit(X, y)
    assert same_forest(warm, long)


@pytest.mark.parametrize("loss", ["absolute_error", "huber", "gamma"])
def test_a_warm_start_of_a_regressor_is_one_long_fit(numeric, loss):
    X, y = numeric
    long = BoostedForestRegressor(9, loss=loss, **QUICK).fit(X, y)
    warm = BoostedForestRegressor(4, loss=loss, warm_start=True, **QUICK).fit(X, y)
    assert same_forest(warm.set_params(n_estimators=9).fit(X, y), long)


def test_a_warm_start_reads_a_grid_as_the_first_rounds_did():
    rng = np.random.default_rng(0)
    images = rng.integers(0, 255, size=(300, 8, 8), dtype=np.uint8)
    y = images[:, :4].mean(axis=(1, 2)) > 128
    options = {"max_size": 6, "random_state": 0}
    long = BoostedManifoldForestClassifier(6, **options).fit(images, y)
    warm = BoostedManifoldForestClassifier(3, warm_start=True, **options).fit(images, y)
    assert same_forest(warm.set_params(n_estimators=6).fit(images, y), long)


def test_a_warm_start_on_other_samples_or_losses_is_refused(numeric):
    X, y = numeric
    forest = BoostedForestRegressor(3, warm_start=True, random_state=0).fit(X, y)
    before = forest.predict(X)
    with pytest.raises(ValueError, match="same samples, but X, y, sample_weight or scaling is"):
        forest.set_params(n_estimators=5).fit(X[::-1] + 1, y)
    with pytest.raises(ValueError, match="same loss"):
        forest.set_params(loss="absolute_error").fit(X, y)
    with pytest.raises(ValueError, match="at least 3, the number of rounds"):
        forest.set_params(n_estimators=2, loss="squared_error").fit(X, y)
    with pytest.warns(UserWarning, match="3 rounds already"):
        forest.set_params(n_estimators=3).fit(X, y)
    assert np.array_equal(forest.predict(X), before)


def test_progress_shows_rounds_loss_and_time(numeric, capsys):
    X, y = numeric
    BoostedForestRegressor(3, verbose=1, early_stopping=True).fit(X, y)
    line = capsys.readouterr().err
    assert "3/3 rounds" in line and "loss" in line and "held-out" in line and "took" in line


def test_a_failed_fit_leaves_the_forest_unchanged(numeric):
    X, y = numeric
    forest = BoostedForestRegressor(3, projections=AxisAligned()).fit(X, y)
    before = vars(forest).copy()
    with pytest.raises(ValueError, match="poisson"):
        forest.set_params(loss="poisson").fit(X, -y)
    assert {**vars(forest), "loss": "squared_error"} == before


def test_equal_samples_are_never_in_both_parts():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(60, 3)), 10, axis=0)
    y = np.repeat(rng.normal(size=60), 10)
    forest = BoostedForestRegressor(
        30, early_stopping=True, validation_fraction=20, n_iter_no_change=30, **QUICK
    ).fit(X, y)
    # Noise cannot be learnt from other samples.
    assert forest.train_score_[-1] > 0.1 * forest.train_score_[0]
    assert forest.validation_score_[-1] < 5 * forest.train_score_[-1]


def test_convergence_counts_rounds_without_a_better_score():
    assert not has_converged([0.0, 1.0], 2, 0.0)
    assert has_converged([0.0, 1.0, 1.0, 0.5], 2, 0.0)
    assert not has_converged([0.0, 1.0, 1.0, 1.5], 2, 0.0)
    assert has_converged([0.0, 1.0, 1.0, 1.5], 2, 0.6)
    assert best_round([0.0, 2.0, 1.0, 2.0]) == 1


@pytest.mark.parametrize("vector_leaves", [True, False])
def test_a_warm_start_with_other_leaves_for_several_outputs_is_refused(numeric, vector_leaves):
    X, y = numeric
    both = np.column_stack([y, -y])
    forest = BoostedForestRegressor(
        3, vector_leaves=vector_leaves, warm_start=True, random_state=0
    ).fit(X, both)
    forest.set_params(n_estimators=6, vector_leaves=not vector_leaves)
    with pytest.raises(ValueError, match=f"^vector_leaves must be {vector_leaves}, as it was"):
        forest.fit(X, both)
    forest.set_params(vector_leaves=vector_leaves).fit(X, both)
    assert forest.forest_.n_trees == (6 if vector_leaves else 12)


def test_a_warm_start_with_another_scoring_is_refused(numeric):
    X, y = numeric
    forest = BoostedForestRegressor(3, warm_start=True, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"^warm_start=True goes on with the same scoring, but"):
        forest.set_params(n_estimators=6, scoring="r2").fit(X, y)
    assert len(forest.set_params(scoring="loss").fit(X, y).train_score_) == 7
