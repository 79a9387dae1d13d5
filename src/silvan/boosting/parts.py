"""The samples that boosted trees are grown on, and those that validate them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from silvan import _core
from silvan._validation import invalid, is_integer
from silvan.boosting.answers import read_only
from silvan.forests.fitting import TrainingSamples


class Part(NamedTuple):
    """Samples with targets and weights; `features` in any layout.

    Targets and weights are read-only, since a loss or a scorer of the user's own sees them.
    """

    features: NDArray[Any]
    y: NDArray[Any]  # encoded
    weight: NDArray[np.float64] | None


class Parts(NamedTuple):
    """Samples to grow on, column-major, and those held out, if any."""

    training: Part
    validation: Part | None
    order: NDArray[np.uint32]  # canonical, of the samples to grow on


def make_parts(samples: TrainingSamples, share: int | float | None, n_threads: int = 1) -> Parts:
    """Merge samples that are equal into one of their total weight, and hold a share of them out.

    Then a whole weight and a repeated sample are the same, and no sample is in both parts. Classes
    have the same share in both where that is possible. Features that were copied for this fit are
    not copied again: what is left out is overwritten.
    """
    y = samples.targets.kept(samples.sampling.plan)
    ordered, weight = _distinct(samples, y, n_threads)
    held_out = None
    if share is not None:
        ordered, validation = _split(ordered, y, share, samples.sampling.seed)
        held_out = _take(samples.features.columns, y, weight, validation)
    taken = np.zeros(len(y), dtype=np.bool_)
    taken[ordered] = True
    columns = samples.features.columns
    copied = columns is not samples.features.source
    take = _keep if copied else _take
    training = take(columns, y, weight, np.flatnonzero(taken))
    if copied and held_out is not None:
        held_out = _move_behind(held_out, columns)
    order = (np.cumsum(taken) - 1)[ordered].astype(np.uint32)
    return Parts(training, held_out, order)


def _distinct(
    samples: TrainingSamples, y: NDArray[Any], n_threads: int
) -> tuple[NDArray[np.uint32], NDArray[np.float64] | None]:
    """Numbers of one of each of the samples that are equal, in canonical order, and weights.

    The weights are total ones, to be read at these numbers; None if all are equal.
    """
    order, given = samples.sampling.order, samples.sampling.weights
    targets = y.reshape(len(y), -1)
    repeats = _core.sample_repeats(
        samples.features.rows, targets, order, n_threads=n_threads
    ).astype(bool)
    if not repeats.any():
        return order, given
    first = np.flatnonzero(~repeats)
    single = np.ones(len(order)) if given is None else given
    totals = np.add.reduceat(single[order], first)
    weight = np.zeros(len(order))
    weight[order[first]] = totals
    equal = bool((totals == totals[0]).all())
    return order[first], None if equal else weight


def _split(
    numbers: NDArray[np.uint32], y: NDArray[Any], share: int | float, seed: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Numbers, in canonical order, of samples to grow on and of samples to hold out.

    Drawn from that order, so that the parts do not depend on the order of the samples in `fit`.
    """
    n_held_out = int(share) if is_integer(share) else int(np.ceil(share * len(numbers)))
    n_smaller = min(n_held_out, len(numbers) - n_held_out)
    if n_smaller < 1:
        raise invalid(
            "validation_fraction",
            "such that some distinct samples are held out and some are not, with "
            f"n_samples={len(numbers)} of them",
            share,
            "pass another share, more samples, or early_stopping=False",
        )
    classes = y[numbers] if y.ndim == 1 else None
    if classes is not None:
        counts = np.unique(classes, return_counts=True)[1]
        if counts.min() < 2 or n_smaller < len(counts):
            classes = None
    places = train_test_split(
        np.arange(len(numbers)), test_size=n_held_out, stratify=classes, random_state=seed % 2**32
    )
    training, validation = (numbers[np.sort(part)] for part in places)
    return training, validation


def _take(
    columns: NDArray[Any],
    y: NDArray[Any],
    weight: NDArray[np.float64] | None,
    numbers: NDArray[Any],
) -> Part:
    """Some samples; all of them without a copy."""
    if len(numbers) == len(y):
        return _part(columns, y, weight)
    taken = np.empty((len(numbers), columns.shape[1]), columns.dtype, order="F")
    return _fill(taken, columns, y, weight, numbers)


def _keep(
    columns: NDArray[Any],
    y: NDArray[Any],
    weight: NDArray[np.float64] | None,
    numbers: NDArray[Any],
) -> Part:
    """The same in the memory of the columns, which the samples' features overwrite from its front.

    A column is moved at or before its old place, so that those after it are still there.
    """
    if len(numbers) == len(y):
        return _part(columns, y, weight)
    n_features = columns.shape[1]
    kept = columns.T.reshape(-1)[: len(numbers) * n_features].reshape(n_features, -1).T
    return _fill(kept, columns, y, weight, numbers)


def _move_behind(part: Part, columns: NDArray[Any]) -> Part:
    """The part in the memory of the columns, behind those that were kept."""
    features = columns.T.reshape(-1)[-part.features.size :].reshape(columns.shape[1], -1).T
    features[...] = part.features
    return part._replace(features=features)


def _fill(
    to: NDArray[Any],
    columns: NDArray[Any],
    y: NDArray[Any],
    weight: NDArray[np.float64] | None,
    numbers: NDArray[Any],
) -> Part:
    for j in range(to.shape[1]):
        to[:, j] = columns[numbers, j]
    return _part(to, y[numbers], None if weight is None else weight[numbers])


def _part(features: NDArray[Any], y: NDArray[Any], weight: NDArray[np.float64] | None) -> Part:
    return Part(features, read_only(y), None if weight is None else read_only(weight))
