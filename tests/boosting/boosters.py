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


def assert_same_arrays(a, b):
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


def problem(n=3000, n_features=20, *, missing=0.05):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, n_features)).astype(np.float32)
    y = X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=n)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def predict(arrays, X):
    """Sums of the leaf values of all trees with one output."""
    total = np.zeros(len(X))
    for tree in range(len(arrays["tree_offsets"]) - 1):
        node = slice(*arrays["tree_offsets"][tree : tree + 2])
        left = arrays["left"][node]
        at = np.zeros(len(X), dtype=int)
        while (inner := np.flatnonzero(left[at] >= 0)).size:
            for here in np.unique(at[inner]):
                rows = inner[at[inner] == here]
                terms = slice(
                    *arrays["direction_indptr"][node.start + here : node.start + here + 2]
                )
                value = np.zeros(len(rows), dtype=np.float32)
                for j, c in zip(
                    arrays["direction_indices"][terms],
                    arrays["direction_coefficients"][terms],
                    strict=True,
                ):
                    value = value + c * X[rows, j]
                goes_left = value <= arrays["threshold"][node][here]
                goes_left |= np.isnan(value) & (arrays["missing_left"][node][here] == 1)
                at[rows] = left[here] + ~goes_left
        total += arrays["values"][arrays["leaf_offsets"][tree] - 1 - left[at]]
    return total
