"""Checks that the functions of inspection share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from silvan._validation import check_one_output, invalid
from silvan.forests.bagged import BaggedForest
from silvan.forests.base import BaseForest
from silvan.forests.classifier import ForestClassifier
from silvan.forests.sampling import order_samples


def check_bagged(forest: object) -> None:
    """Require a fitted forest of independent trees, which know their samples."""
    check_one_output(forest)
    if not isinstance(forest, BaggedForest):
        raise invalid(
            "forest",
            "a forest of independent trees, each grown on samples of its own (a boosted forest is "
            "a single sum)",
            forest,
            "pass for example a fitted ForestClassifier or ForestRegressor",
        )


def check_classifier(forest: object) -> None:
    """Require a fitted classifier of this library, of independent trees."""
    check_bagged(forest)
    if not isinstance(forest, ForestClassifier):
        raise invalid("forest", "a classifier", forest, "pass a fitted ForestClassifier")


def check_training_samples(forest: BaseForest, X: Any, y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Require the samples that the forest was fitted on; return them and the encoded targets.

    The canonical order of the samples is a hash of their content, so other samples have another
    one.
    """
    fitted = forest.fitted_
    if fitted.encode is None:
        raise invalid("forest", "a classifier or a regressor", forest, "pass one of these")
    rows, sampling = fitted.read(X), fitted.sampling
    several = np.ndim(y) == 2 and not isinstance(forest, ForestClassifier)
    encoded = fitted.encode(np.asarray(y) if several else column_or_1d(y))
    targets = encoded.encoded
    same = len(rows) == len(targets) == sampling.plan.n_samples
    if same:
        kept = slice(None) if sampling.plan.kept is None else sampling.plan.kept
        numbers = np.ascontiguousarray(targets.reshape(len(rows), -1)[kept], dtype=np.float64)
        order = order_samples(rows[kept], numbers, sampling.plan, fitted.spreads)
        same = np.array_equal(order, sampling.order)
    same = same and np.array_equal(
        encoded.attributes.get("classes_", ()), getattr(forest, "classes_", ())
    )
    if not same:
        raise ValueError(
            f"X and y must be the {sampling.plan.n_samples} training samples, in order, since "
            "the forest knows which of these each tree left out; pass what was given to fit."
        )
    return rows, targets
