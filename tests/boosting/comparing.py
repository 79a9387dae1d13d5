"""Comparison of boosted forests bit for bit."""

from dataclasses import fields

import numpy as np

from silvan.forest_arrays import ForestArrays


def same_forest(a, b):
    """Whether two estimators have the same trees and curves, bit for bit."""
    arrays = (field.name for field in fields(ForestArrays))
    return (
        all(np.array_equal(getattr(a.forest_, n), getattr(b.forest_, n)) for n in arrays)
        and np.array_equal(a.start_, b.start_)
        and np.array_equal(a.train_score_, b.train_score_)
        and np.array_equal(a.validation_score_, b.validation_score_)
        and a.n_iter_ == b.n_iter_
    )
