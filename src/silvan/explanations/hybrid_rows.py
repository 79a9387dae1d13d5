"""Shapley values of forests that read samples as a whole: hybrids are made and predicted.

Channels and running sums are computed from all values of a sample, so that a direction has no term
for each feature, and a changed value means a new prediction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Values of hybrids that are in memory at a time.
_BLOCK_VALUES = 2**22


def sample_orders(
    predict: Callable[[NDArray[Any]], Floats],
    samples: NDArray[Any],
    background: NDArray[Any],
    n_permutations: int,
    seed: int,
) -> tuple[Floats, Floats]:
    """Shapley values of the samples' features and their variances, by random orders.

    Parameters
    ----------
    predict : callable
        What the forest predicts for an array of samples: an array of shape (n, n_outputs).
    samples, background : ndarray of shape (n, n_features)
        The samples to explain, and those that absent features are taken from.
    n_permutations : int
        Orders of the features for each pair of them, each taken forwards and backwards.
    seed : int
        Of the orders.

    Returns
    -------
    values, variances : ndarray of shape (n_samples, n_features, n_outputs)
        Means over the background samples, and the variances of these means.
    """
    n_outputs = predict(background[:1]).shape[1]
    values = np.zeros((*samples.shape, n_outputs))
    variances = np.zeros_like(values)
    for i, own in enumerate(samples):
        for j, other in enumerate(background):
            (differing,) = np.nonzero((own != other) & ~((own != own) & (other != other)))
            if not len(differing):
                continue
            rng = np.random.default_rng((seed, i, j))
            forwards = rng.permuted(np.tile(np.arange(len(differing)), (n_permutations, 1)), axis=1)
            orders = np.stack([forwards, forwards[:, ::-1]], axis=1).reshape(-1, len(differing))
            changes = _changes(predict, own, other, differing, orders)
            each = changes.reshape(n_permutations, 2, len(differing), n_outputs).mean(axis=1)
            values[i, differing] += each.mean(axis=0)
            variances[i, differing] += each.var(axis=0, ddof=1) / n_permutations
    return values / len(background), variances / len(background) ** 2


def _changes(
    predict: Callable[[NDArray[Any]], Floats],
    own: NDArray[Any],
    other: NDArray[Any],
    differing: NDArray[np.intp],
    orders: NDArray[np.intp],
) -> Floats:
    """What each differing feature changes at its turn: of shape (orders, features, outputs)."""
    turns = np.argsort(orders, axis=1)
    n_orders, n_changes = orders.shape
    order, step = np.divmod(np.arange(n_orders * (n_changes + 1)), n_changes + 1)
    n_rows = max(1, _BLOCK_VALUES // len(own))
    predictions = []
    for first in range(0, len(order), n_rows):
        block = slice(first, first + n_rows)
        hybrids = np.tile(other, (len(order[block]), 1))
        changed = turns[order[block]] < step[block, None]
        hybrids[:, differing] = np.where(changed, own[differing], other[differing])
        predictions.append(predict(hybrids))
    along = np.concatenate(predictions).reshape(n_orders, n_changes + 1, -1)
    changes = np.empty((n_orders, n_changes, along.shape[2]))
    np.put_along_axis(changes, orders[:, :, None], np.diff(along, axis=1), axis=1)
    return changes
