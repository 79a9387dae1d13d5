"""Systems and folds of a comparison of forests."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import KFold, StratifiedKFold

from silvan.app.comparison import Fold, System
from silvan.app.console import note
from silvan.app.data import Dataset
from silvan.app.errors import DataError, UsageError
from silvan.app.models import Growing, fit_rows, make_forest
from silvan.app.names import AUTO, BOOST, SKLEARN
from silvan.app.numbers import write_count
from silvan.forests.base import BaseForest

THIS = "this forest"
_NAMES = {AUTO: "silvan", BOOST: "silvan, boosted", SKLEARN: "scikit-learn RandomForest"}


def task_of(forest: BaseForest) -> str:
    """What a forest was fitted for."""
    return "classification" if is_classifier(forest) else "regression"


def check_fitted_on(forest: BaseForest, data: Dataset) -> None:
    """Refuse other data than those that a forest was fitted on, as far as their number tells."""
    n_rows = forest.fitted_.sampling.plan.n_samples
    if n_rows != len(data.y):
        raise DataError(
            f"the forest was fitted on {write_count(n_rows, 'row')} but the data have "
            f"{len(data.y):,}; pass the data that it was fitted on, and other rows as --test."
        )


def make_systems(
    names: Sequence[str],
    data: Dataset,
    task: str,
    growing: Growing,
    this: BaseForest | None = None,
) -> list[System]:
    """The forests of some names; the first one alone has the user's settings."""
    systems = []
    if this is not None:
        forest = clone(this).set_params(verbose=0, n_jobs=growing.n_jobs)
        if hasattr(forest, "oob_score"):
            forest.oob_score = False
        forest = _by_position(forest, data)
        systems.append(System(THIS, forest, has_out_of_bag=False))
    plain = Growing(growing.n_trees, growing.n_jobs, growing.seed)
    for name in dict.fromkeys(names):
        settings = growing if name == names[0] else plain
        estimator = _by_position(make_forest(name, data, task, settings), data)
        systems.append(System(_NAMES.get(name, name), estimator, has_out_of_bag=False))
    return systems


def _by_position(estimator: Any, data: Dataset) -> Any:
    """The estimator with the columns that hold category numbers set, if it has such a parameter."""
    if data.categorical and isinstance(estimator, BaseForest):
        estimator.set_params(categorical_features=data.categorical)
    return estimator


def make_folds(
    data: Dataset, held_out: Dataset | None, task: str, n_folds: int, seed: int
) -> tuple[NDArray[Any], NDArray[Any], list[Fold]]:
    """Flat rows, targets, and the parts to train and to test on.

    Categories are numbers, and dates are several; each system learns what they mean from its own
    part.
    """
    X = fit_rows(data)
    if held_out is not None:
        other = check_same_columns(data, held_out)
        rows = np.arange(len(X) + len(other))
        folds = [(rows[: len(X)], rows[len(X) :])]
        joined = np.concatenate([data.numbers, data.encode(other)])
        return joined, np.concatenate([data.y, held_out.y]), folds
    reason = too_few_rows(data.y, task, n_folds)
    if reason is not None:
        raise UsageError(f"{reason}; pass a smaller --folds, or a --test file.")
    X = data.numbers
    kind: Any = StratifiedKFold if task == "classification" else KFold
    splitter = kind(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # A class with fewer rows than there are folds is in some of them only.
        warnings.filterwarnings("ignore", "The least populated class")
        return X, data.y, list(splitter.split(X, data.y))


def too_few_rows(y: NDArray[Any], task: str, n_folds: int) -> str | None:
    """Why rows cannot be shared among folds, if they cannot."""
    if task == "classification":
        largest = int(np.unique(y, return_counts=True)[1].max())
        if largest < n_folds:
            rows = write_count(largest, "row")
            return f"no class has more than {rows}, which {n_folds} folds cannot share"
    # The score of a part with one row is not defined for numbers.
    elif len(y) < 2 * n_folds:
        return f"{write_count(len(y), 'row')} cannot be shared among {n_folds} folds"
    return None


def count_repeats(data: Dataset, held_out: Dataset) -> int:
    """How many rows of the test data are rows of the training data, target included."""
    codes = np.unique(np.concatenate([data.y, held_out.y]), return_inverse=True)[1]
    other = data.encode(check_same_columns(data, held_out))
    # Plus zero, so that there is one zero.
    rows = np.column_stack([np.concatenate([data.numbers, other]) + 0.0, codes.ravel()])
    known = {row.tobytes() for row in rows[: len(data.y)]}
    return sum(row.tobytes() in known for row in rows[len(data.y) :])


def note_repeats(data: Dataset, held_out: Dataset, path: Path) -> None:
    """Say if test rows were there to learn from."""
    n_repeats = count_repeats(data, held_out)
    if n_repeats:
        note(
            f"Note: {n_repeats:,} of the {len(held_out.y):,} rows of {path} are training rows, "
            "too, which makes scores look better than they are; remove them from one of the files."
        )


def check_same_columns(data: Dataset, held_out: Dataset) -> Any:
    """Rows of the test data as forests of the training data take them, columns in that order."""
    if data.names and held_out.names:
        given = set(held_out.names)
        missing = [name for name in data.names if name not in given]
        if missing:
            raise DataError(
                f"the test data lack the column {missing[0]!r} of the training data; pass a table "
                "with the same columns."
            )
        return held_out.X.select(list(data.names))
    if data.row_shape != held_out.row_shape:
        raise DataError(
            f"a row of the test data has shape {held_out.row_shape}, one of the training data has "
            f"{data.row_shape}; pass rows of the same shape."
        )
    return held_out.rows.reshape(len(held_out.y), -1)
