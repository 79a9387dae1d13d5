"""Tables with categories, of UCI and simulated, and the ways to encode them as numbers."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, TargetEncoder

from experiments.data import Split
from experiments.uci import load_uci

EFFECTS = ("additive", "interaction")
N_NUMBERS = 5
# More categories than this are too many for boosting: the rarest share one.
MAX_CATEGORIES_IN_BOOSTING = 255


class CategorySplit(NamedTuple):
    """Rows whose categorical columns hold numbers of categories, and which columns those are."""

    rows: Split
    is_categorical: NDArray[np.bool_]


def join_groups(
    X: NDArray[Any], group: NDArray[Any]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """One column of numbers of categories for each group of one-hot columns."""
    _, first, sizes = np.unique(group, return_index=True, return_counts=True)
    columns = [
        X[:, start] if size == 1 else X[:, start : start + size].argmax(axis=1)
        for start, size in zip(first, sizes, strict=True)
    ]
    return np.column_stack(columns).astype(np.float32), sizes > 1


def load_categories(folder: Path, name: str, fold: int, max_samples: int) -> CategorySplit:
    """A fold of a UCI set with its nominal attributes; of large sets, `max_samples` drawn rows."""
    known = load_uci(folder, name)
    with np.load(folder / "uci" / f"{name}.npz") as file:
        X, is_categorical = join_groups(known.X, file["feature_group"])
    rows = np.random.default_rng(0).permutation(len(X))[:max_samples]
    y = known.y[rows].astype(np.int64)  # TargetEncoder refuses int16
    part = known._replace(X=X[rows], y=y, fold=known.fold[rows])
    return CategorySplit(part.split(fold), is_categorical)


class World(NamedTuple):
    """Rows of a simulation, and the least error that a classifier can make on its test rows."""

    split: CategorySplit
    bayes_error: float


def simulate(levels: int, useless: int, effect: str, sizes: tuple[int, int], seed: int) -> World:
    """Two classes that depend on a category of so many levels and on two of five numbers.

    Beside them is a category of `useless` levels that says nothing. Levels shift the log odds, or,
    in an interaction, decide the sign of the first number's effect.
    """
    rng = np.random.default_rng([seed, levels, useless, EFFECTS.index(effect)])
    n = sum(sizes)
    shift = 1.5 * rng.normal(size=levels)
    category, other = rng.integers(levels, size=n), rng.integers(useless, size=n)
    numbers = rng.normal(size=(n, N_NUMBERS))
    if effect == "additive":
        signal = shift[category] + numbers[:, 0] + numbers[:, 1]
    else:
        signal = 2 * np.sign(shift)[category] * numbers[:, 0] + numbers[:, 1]
    posterior = expit(2 * signal)
    y = (rng.random(n) < posterior).astype(np.int64)
    X = np.column_stack([category, other, numbers]).astype(np.float32)
    cut = sizes[0]
    rows = Split(X[:cut], y[:cut], X[cut:], y[cut:])
    is_categorical = np.arange(X.shape[1]) < 2
    bayes_error = float(np.minimum(posterior, 1 - posterior)[cut:].mean())
    return World(CategorySplit(rows, is_categorical), bayes_error)


def encode(name: str, data: CategorySplit, seed: int) -> Split:
    """Training and test rows as numbers; what is learnt for it is learnt from the training rows."""
    rows, chosen = data
    if name == "native" or not chosen.any():
        return rows
    encoder = _make_encoder(name, seed)
    train, test = rows.X_train[:, chosen], rows.X_test[:, chosen]
    with warnings.catch_warnings():
        # Some sets have classes of fewer rows than folds.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        if name == "target, all rows":
            # What not to do: each training row's own class is part of its code.
            coded = encoder.fit(train, rows.y_train).transform(train)
        else:
            coded = encoder.fit_transform(train, rows.y_train)
    return rows._replace(
        X_train=_beside(coded, rows.X_train[:, ~chosen]),
        X_test=_beside(encoder.transform(test), rows.X_test[:, ~chosen]),
    )


def _make_encoder(name: str, seed: int) -> Any:
    if name == "one-hot":
        return OneHotEncoder(handle_unknown="ignore", sparse_output=False, dtype=np.float32)
    if name == "codes":
        return OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    if name == "grouped":
        return OrdinalEncoder(
            handle_unknown="use_encoded_value",
            unknown_value=np.nan,
            max_categories=MAX_CATEGORIES_IN_BOOSTING,
        )
    if TargetEncoder().get_params().get("shuffle") is True:  # scikit-learn before 1.9
        return TargetEncoder(cv=5, shuffle=True, random_state=seed)
    return TargetEncoder(cv=StratifiedKFold(5, shuffle=True, random_state=seed))


def _beside(coded: NDArray[Any], numbers: NDArray[Any]) -> NDArray[np.float32]:
    """Encoded columns first, then the numbers."""
    return np.ascontiguousarray(np.hstack([coded, numbers]), dtype=np.float32)
