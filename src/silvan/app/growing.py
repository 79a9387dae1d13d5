"""Growing the forest of a command, and what is said about it."""

from __future__ import annotations

import math
import time
import warnings
from typing import Any

from silvan.app.console import note, say
from silvan.app.data import Dataset
from silvan.app.describing import splits_in_words
from silvan.app.errors import UsageError
from silvan.app.models import fit_rows
from silvan.app.numbers import write_count


def grow(estimator: Any, data: Dataset, *, out_of_bag: bool) -> float:
    """Fit an estimator with a progress bar, and return the seconds that it took.

    The out-of-bag score is estimated if it is asked for and can be.
    """
    # The only sample of a table is in every tree's bag.
    may_score = out_of_bag and len(data.y) > 1
    return fit_timed(estimator, fit_rows(data), data.y, out_of_bag=may_score)


def fit_timed(estimator: Any, X: Any, y: Any, *, out_of_bag: bool) -> float:
    """The same for samples and targets in whatever form the estimator takes."""
    estimator.set_params(verbose=1)
    if hasattr(estimator, "oob_score"):
        estimator.oob_score = bool(estimator.bootstrap) and out_of_bag
    start = time.perf_counter()
    _fit(estimator, X, y)
    seconds = time.perf_counter() - start
    estimator.set_params(verbose=0)
    return seconds


def say_growth(estimator: Any, seconds: float) -> None:
    """Print what was grown, and how long it took."""
    if hasattr(estimator, "n_iter_"):
        grown = write_count(estimator.n_iter_, "round")
        if estimator.n_iter_ < estimator.n_estimators:
            grown += f" of {estimator.n_estimators} (the best, by rows held out)"
    else:
        grown = write_count(estimator.n_estimators, "tree")
    kind, splits = type(estimator).__name__, splits_in_words(estimator)
    say(f"Grew {grown} in {seconds:.1f} s: a {kind} whose nodes split along {splits}.")


def say_score(estimator: Any, task: str) -> None:
    """Print how good a forest is on rows that trees have not seen, where that is known."""
    if hasattr(estimator, "n_iter_"):
        held_out = estimator.validation_score_
        if len(held_out):
            say(f"Loss on rows held out: {-held_out[estimator.n_iter_]:.4g}.")
        else:
            note("No rows were held out; silvan evaluate --boost says how good it is on new rows.")
        return
    if not estimator.oob_score:
        return
    name = "accuracy" if task == "classification" else "R²"
    if math.isfinite(estimator.oob_score_):
        say(f"Out-of-bag {name}: {estimator.oob_score_:.3f}, an estimate for new rows.")
    else:
        say(f"Out-of-bag {name}: unknown, since too few rows were out of bag.")


def _fit(estimator: Any, X: Any, y: Any) -> None:
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            estimator.fit(X, y)
    except ValueError as error:
        raise UsageError(f"the forest cannot be grown: {error}") from None
    for warning in caught:
        note(f"Note: {warning.message}")
