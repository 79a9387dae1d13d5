"""What tests hand to the native booster."""

import numpy as np

from silvan import _core

DEFAULTS = {"min_samples_leaf": 1}


def make_training(X, *, targets=None, n_categories=None):
    targets = np.zeros((len(X), 1)) if targets is None else targets
    return _core.TrainingSet(
        _core.to_columns(X),
        None,
        _core.Targets(targets, None, targets.shape[1]),
        _core.SampleDraws(np.arange(len(X), dtype=np.uint32), len(X), False),
        None if n_categories is None else np.asarray(n_categories, dtype=np.int64),
    )


def make_options(**changes):
    options = _core.BoostOptions()
    for name, value in (DEFAULTS | changes).items():
        setattr(options, name, np.asarray(value, np.int8) if name == "monotone" else value)
    return options


def make_booster(X, distribution=None, *, n_categories=None, **changes):
    training = make_training(X, n_categories=n_categories)
    return _core.Booster(training, distribution, make_options(**changes))


def boost(booster, y, n_rounds, *, n_threads=1, first=0, scores=None):
    """Fit squared error; returns the arrays of the trees and the scores."""
    scores = np.zeros((len(y), 1)) if scores is None else scores
    for number in range(first, first + n_rounds):
        booster.grow_round(number, scores - y[:, None], np.ones((len(y), 1)), scores, n_threads)
    return booster.take_trees(), scores


def draw_gradients(n, n_outputs, seed=0):
    """Gradients and hessians with few enough bits for sums that are exact in any order.

    Two splits that mirror each other then gain exactly the same, and the first one wins everywhere.
    """
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(n, n_outputs)), 0.2 + rng.random((n, n_outputs))
    return tuple(np.round(values * 2**16) / 2**16 for values in drawn)


def draw_table(n, n_features, *, missing=0.0, levels=12, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, (n, n_features)).astype(np.float32) / 8 - 2
    X[rng.random(X.shape) < missing] = np.nan
    return X
