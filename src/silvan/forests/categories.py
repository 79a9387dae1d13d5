"""Columns of categories and dates: which they are, and their values as numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing, check_array

from silvan._validation import invalid, is_integer, warn_user
from silvan.forest_arrays.layout import MAX_CATEGORIES
from silvan.forests.dates import DateColumn, date_columns, learn_dates
from silvan.forests.distinct import distinct_in
from silvan.forests.frames import (
    as_table,
    column_label,
    column_names,
    is_arrow,
    is_missing,
    take_column,
)

FROM_DTYPE = "from_dtype"
_NEW = -1.0
# How the names of types begin that hold categories: of pandas, polars and pyarrow.
_CATEGORICAL_TYPES = (
    "category",
    "categorical",
    "dictionary",
    "enum",
    "str",
    "large_string",
    "utf8",
)
# What a category in a file may be.
_SAVED = (str, int, float, np.generic, date, time, timedelta)
_RULE = (
    'None, "from_dtype", or a list that has the positions, the names or a truth value of each '
    "column"
)


@dataclass(frozen=True, eq=False)
class CategoryTable:
    """What the columns of a table hold that is no number: categories, or dates.

    A column is an array of its categories, a `DateColumn`, or None where it holds numbers. Dates
    have a feature for each of their parts, and other columns one.
    """

    categories: list[NDArray[Any] | DateColumn | None]

    @property
    def by_feature(self) -> list[NDArray[Any] | None]:
        """The categories of each feature, None for numbers."""
        known: list[NDArray[Any] | None] = []
        for column in self.categories:
            known += [None] * len(column.parts) if isinstance(column, DateColumn) else [column]
        return known

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of categories of each feature; 0 for numbers."""
        return np.array([0 if known is None else len(known) for known in self.by_feature], np.int64)

    @property
    def has_categories(self) -> bool:
        """Whether any column is categorical."""
        return bool(self.columns)

    @property
    def columns(self) -> list[int]:
        """Positions of the categorical features."""
        return [j for j, known in enumerate(self.by_feature) if known is not None]

    @property
    def dates(self) -> dict[int, DateColumn]:
        """The columns that hold dates, by their positions in the table."""
        return {j: of for j, of in enumerate(self.categories) if isinstance(of, DateColumn)}

    def _places(self) -> list[int]:
        """The first feature of each column."""
        widths = [len(of.parts) if isinstance(of, DateColumn) else 1 for of in self.categories]
        return [0, *np.cumsum(widths).tolist()]

    def by_column(self, values: NDArray[Any]) -> NDArray[Any]:
        """Numbers of the features, added up over those of each column."""
        summed: NDArray[Any] = np.add.reduceat(values, self._places()[:-1])
        return summed

    def names(self, columns: Iterable[str]) -> list[str]:
        """The names of the features, given those of the columns."""
        return [
            name
            for column, known in zip(columns, self.categories, strict=True)
            for name in (known.names(column) if isinstance(known, DateColumn) else [column])
        ]

    def encode(self, X: Any) -> NDArray[Any]:
        """The samples as numbers: of categories, -1 for new ones, NaN for missing ones."""
        numeric = [j for j, known in enumerate(self.categories) if known is None]
        values = np.empty((X.shape[0], 0), dtype=np.float32)
        if numeric:
            values = check_array(
                X.select(numeric) if is_arrow(X) else _safe_indexing(X, numeric, axis=1),
                dtype="numeric",
                ensure_all_finite=False,
                input_name="X",
            )
        # Both types hold the numbers of categories; float32 where the features need no more.
        dtype = np.promote_types(values.dtype, np.float32)
        encoded = np.empty((X.shape[0], len(self.by_feature)), dtype=dtype)
        places = self._places()
        encoded[:, [places[j] for j in numeric]] = values
        for j, known in enumerate(self.categories):
            if isinstance(known, DateColumn):
                encoded[:, places[j] : places[j] + len(known.parts)] = known.encode(X, j)
            elif known is not None:
                encoded[:, places[j]] = _encode_categories(X, j, known)
        return encoded

    def show(self, X: Any) -> NDArray[np.object_]:
        """The samples as objects for readers: numbers, and the names of categories.

        A missing category is None.
        """
        shown = self.encode(X).astype(object)
        places = self._places()
        for j, known in enumerate(self.categories):
            if not isinstance(known, np.ndarray):
                continue
            rows, distinct = distinct_in(X, j)
            values = [None if is_missing(v) else category_name(v) for v in distinct.tolist()]
            shown[:, places[j]] = np.array([*values, None], dtype=object)[rows]
        return shown

    def same_as(self, other: CategoryTable | None) -> bool:
        """Whether both know the same categories and read the same dates."""
        return other is not None and all(
            np.array_equal(mine, theirs)
            if isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray)
            else (mine is theirs or (isinstance(mine, DateColumn) and mine == theirs))
            for mine, theirs in zip(self.categories, other.categories, strict=True)
        )

    def _belongs_to(self, n_columns: int, n_categories: NDArray[np.int64]) -> bool:
        """Whether this is the table of a forest with so many; for what was read from a file."""
        return (
            isinstance(self.categories, list)
            and len(self.categories) == n_columns
            and all(
                known is None
                or (isinstance(known, DateColumn) and known._is_sound())
                or (isinstance(known, np.ndarray) and _are_categories(known))
                for known in self.categories
            )
            and np.array_equal(self.counts if self.has_categories else [], n_categories)
        )


def check_categorical_features(value: Any) -> None:
    """Check what can be checked without the data."""
    if value is None or (isinstance(value, str) and value == FROM_DTYPE):
        return
    known = not isinstance(value, str) and isinstance(value, Iterable)
    known = known and getattr(value, "ndim", 1) > 0
    if known:
        kinds = {_kind(entry) for entry in value}
        known = len(kinds) <= 1 and None not in kinds
    if not known:
        remedy = f"pass [{value!r}]" if isinstance(value, str) else "pass for example [0, 3]"
        raise invalid("categorical_features", _RULE, value, f"{remedy} for single columns")


def find_categories(
    categorical_features: Any, X: Any, *, dates: bool = True
) -> CategoryTable | None:
    """Learn the categories and dates of a table; None if it has numbers alone.

    Columns of dates are not looked for if `dates` is false.
    """
    named = column_names(X) is not None
    # Only data frames tell types apart; a list need not become a table to see that.
    if not named and (categorical_features is None or isinstance(categorical_features, str)):
        return None
    table = as_table(X)
    if table is None:
        return None
    chosen = _chosen_columns(categorical_features, table)
    columns: list[NDArray[Any] | DateColumn | None] = [None] * table.shape[1]
    for j in chosen:
        known = learn_categories(distinct_in(table, j)[1])
        if len(known) > MAX_CATEGORIES:
            raise too_many_categories(known, column_label(table, j))
        columns[j] = known
    if named and dates:
        for j in date_columns(table):
            columns[j] = learn_dates(table, j) if columns[j] is None else columns[j]
    return CategoryTable(columns) if any(known is not None for known in columns) else None


def too_many_categories(known: NDArray[Any], label: str) -> ValueError:
    """The error about a column with more categories than a feature can have."""
    return ValueError(
        f"{label} of X has {len(known)} categories, but a feature can have {MAX_CATEGORIES} "
        "at most; leave it out, or group its values."
    )


def as_numbers(X: Any) -> NDArray[Any]:
    """Samples as an array; of a data frame or table with categories, as numbers of these."""
    categories = find_categories(FROM_DTYPE, X)
    return np.asarray(X) if categories is None else categories.encode(X)


def category_name(category: Any) -> str:
    """A category in words; a number in all its digits."""
    return f"{category:.15g}" if isinstance(category, float) else str(category)


def has_categories(forest: Any, X: Any) -> bool:
    """Whether a forest, fitted or yet to be fitted on `X`, has categorical features."""
    if hasattr(forest, "forest_"):
        return forest.fitted_.categories is not None
    return find_categories(getattr(forest, "categorical_features", None), X) is not None


def _kind(entry: Any) -> str | None:
    if isinstance(entry, bool | np.bool_):
        return "flag"
    if is_integer(entry):
        return "position"
    return "name" if isinstance(entry, str) else None


def _chosen_columns(categorical_features: Any, table: Any) -> list[int]:
    n_columns = table.shape[1]
    if categorical_features is None:
        return []
    if isinstance(categorical_features, str):
        return [j for j in range(n_columns) if _holds_categories(take_column(table, j))]
    entries = list(categorical_features)
    if not entries:
        return []
    kind = _kind(entries[0])
    if kind == "flag":
        if len(entries) != n_columns:
            raise invalid(
                "categorical_features",
                f"a boolean for each of the {n_columns} columns of X",
                categorical_features,
                "pass one for each, or the positions of the categorical columns",
            )
        return [j for j, flag in enumerate(entries) if flag]
    if kind == "position":
        outside = [entry for entry in entries if not 0 <= entry < n_columns]
        if outside:
            raise invalid(
                "categorical_features",
                f"positions from 0 to {n_columns - 1}, since X has {n_columns} columns",
                categorical_features,
                f"leave out {outside[0]}",
            )
        return sorted({int(entry) for entry in entries})
    names = column_names(table)
    if not names:
        raise invalid(
            "categorical_features",
            "positions or booleans, since X has no column names",
            categorical_features,
            "pass positions, or X as a data frame",
        )
    positions = {name: j for j, name in enumerate(names)}
    unknown = [entry for entry in entries if entry not in positions]
    if unknown:
        raise invalid(
            "categorical_features",
            f"names of columns of X, such as {names[0]!r}",
            categorical_features,
            f"X has no column {unknown[0]!r}",
        )
    return sorted({positions[entry] for entry in entries})


def _holds_categories(column: Any) -> bool:
    """Whether the column of a data frame has a categorical type or holds strings."""
    name = str(column.dtype if hasattr(column, "dtype") else column.type).lower()
    if name.startswith(_CATEGORICAL_TYPES):
        return True
    return name == "object" and any(isinstance(value, str) for value in column)


def learn_categories(distinct: NDArray[Any]) -> NDArray[Any]:
    """Those of the values that are not missing, sorted."""
    if distinct.dtype != object:
        distinct = np.unique(distinct)
        return distinct[~np.isnan(distinct)] if distinct.dtype.kind == "f" else distinct
    found = [value for value in distinct.tolist() if not is_missing(value)]
    categories = np.empty(len(found), dtype=object)
    categories[:] = sorted(found, key=_sort_key)
    return categories


def _encode_categories(X: Any, j: int, known: NDArray[Any]) -> NDArray[np.float64]:
    """The number of each sample's category in one column."""
    rows, distinct = distinct_in(X, j)
    numbers = np.append(_number(distinct, known), np.nan)[rows]  # the last of which row -1 reads
    if _is_all_unseen(numbers, known):
        _warn_of_unseen(column_label(X, j), distinct, known)
    return numbers


def _number(distinct: NDArray[Any], known: NDArray[Any]) -> NDArray[np.float64]:
    """The number of each value among the known ones; -1 for others, NaN for missing ones."""
    numbers = {value: float(number) for number, value in enumerate(known.tolist())}
    return np.array(
        [np.nan if is_missing(v) else numbers.get(v, _NEW) for v in distinct.tolist()], np.float64
    )


def _is_all_unseen(numbers: NDArray[np.float64], known: NDArray[Any]) -> bool:
    """Whether a column has categories, and none that is known."""
    is_new = numbers == _NEW
    return bool(is_new.any() and (is_new | np.isnan(numbers)).all() and len(known) > 0)


def _warn_of_unseen(label: str, distinct: NDArray[Any], known: NDArray[Any]) -> None:
    """Warn about a column without a known category, as of strings where there were numbers.

    One new category by itself is nothing strange, if it is of the type of the others.
    """
    values = [value for value in distinct.tolist() if not is_missing(value)]
    came, expected = values[0], known.tolist()[0]
    # Infinity stands for anything that is no number where all categories are.
    no_number = isinstance(came, float) and math.isinf(came)
    if len(values) > 1 or no_number or isinstance(came, str) != isinstance(expected, str):
        example = "where" if no_number else f"but for example {_shown(came)} where"
        warn_user(
            f"{label} of X has no category that the forest was fitted on, {example} "
            f"{_shown(expected)} was seen, so that all its samples count as average ones; pass the "
            "column as it was in fit."
        )


def _shown(category: Any) -> str:
    return repr(category) if isinstance(category, str) else category_name(category)


def _sort_key(value: Any) -> tuple[str, Any]:
    return type(value).__name__, value


def _are_categories(known: NDArray[Any]) -> bool:
    """Whether these may be categories: values that can be looked up, none of them twice.

    Numbers are searched for in ascending order.
    """
    if known.ndim != 1:
        return False
    if known.dtype.kind in "biuf":
        return bool((known[1:] > known[:-1]).all())
    values = known.tolist()
    return all(isinstance(v, _SAVED) for v in values) and (len(set(values)) == len(values))
