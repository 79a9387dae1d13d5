"""The samples that boosted trees are grown on, and those that validate them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from silvan import _core
from silvan._validation import TrainingFeatures, invalid, is_integer
from silvan.forests.fitting import TrainingRows


class Part(NamedTuple):
    """Samples with targets and weights; `features` in any layout."""

    features: NDArray[Any]
    y: NDArray[Any]  # encoded
    weight: NDArray[np.float64] | None


class Parts(NamedTuple):
    """Samples to grow on, column-major, and those held out, if any."""

    training: Part
    validation: Part | None


def make_parts(rows: TrainingRows, share: int | float | None) -> Parts:
    """Merge samples that are equal into one of their total weight, and hold a share of them out.

    Then a whole weight and a repeated sample are the same, and no sample is in both parts. Classes
    have the same share in both where that is possible.
    """
    sampling = rows.sampling
    y = rows.targets.kept(sampling.plan)
    numbers, weight = _distinct(rows, y)
    if share is None:
        return Parts(_take(rows.features, y, weight, numbers), None)
    # In canonical order, so that the parts do not depend on the order of the samples.
    ordered = sampling.order[np.isin(sampling.order, numbers)]
    training, validation = _split(ordered, y, share, sampling.seed)
    held_out = _take(TrainingFeatures(rows.features.columns, None), y, weight, validation)
    return Parts(_take(rows.features, y, weight, training), held_out)


def _distinct(
    rows: TrainingRows, y: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[np.float64] | None]:
    """Numbers of one of each of the samples that are equal, and the total weight of each.

    Weights are those of all samples, to be read at these numbers; None if all are one.
    """
    order, given = rows.sampling.order, rows.sampling.weights
    repeats = _core.sample_repeats(rows.features.rows, y.reshape(len(y), -1), order).astype(bool)
    if not repeats.any():
        return np.arange(len(order)), given
    first = np.flatnonzero(~repeats)
    single = np.ones(len(order)) if given is None else given
    totals = np.add.reduceat(single[order], first)
    weight = np.zeros(len(order))
    weight[order[first]] = totals
    equal = bool((totals == totals[0]).all())
    return np.sort(order[first]).astype(np.intp), None if equal else weight


def _split(
    numbers: NDArray[Any], y: NDArray[Any], share: int | float, seed: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    n_held_out = int(share) if is_integer(share) else int(np.ceil(share * len(numbers)))
    n_smaller = min(n_held_out, len(numbers) - n_held_out)
    if n_smaller < 1:
        raise invalid(
            "validation_fraction",
            f"such that some of the {len(numbers)} distinct samples are held out, and some not",
            share,
            "pass a smaller share, or early_stopping=False",
        )
    classes = y[numbers] if y.ndim == 1 else None
    if classes is not None:
        counts = np.unique(classes, return_counts=True)[1]
        if counts.min() < 2 or n_smaller < len(counts):
            classes = None
    training, validation = train_test_split(
        numbers, test_size=n_held_out, stratify=classes, random_state=seed % 2**32
    )
    return np.sort(training).astype(np.intp), np.sort(validation).astype(np.intp)


def _take(
    features: TrainingFeatures,
    y: NDArray[Any],
    weight: NDArray[np.float64] | None,
    numbers: NDArray[np.intp],
) -> Part:
    """Some samples; all of them without a copy."""
    if len(numbers) == len(y):
        return Part(features.columns, y, weight)
    taken = np.empty((len(numbers), features.columns.shape[1]), features.columns.dtype, order="F")
    for j in range(taken.shape[1]):
        taken[:, j] = features.columns[numbers, j]
    return Part(taken, y[numbers], None if weight is None else weight[numbers])
