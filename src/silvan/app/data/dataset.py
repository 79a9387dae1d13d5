"""What readers hand over: whole data sets to learn from, batches to predict."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from silvan.app.data.dates import date_kind
from silvan.app.errors import UsageError
from silvan.app.numbers import write_count
from silvan.forests.categories import FROM_DTYPE, CategoryTable, find_categories
from silvan.forests.grid_axes import find_sensors

TEXT, NUMBER = "text", "number"
# Fewer values than this on an axis, and many fewer than on the next, are channels.
_MAX_CHANNELS = 16


@dataclass(frozen=True)
class Request:
    """What the user says about the data to learn from."""

    target: str | None = None
    drop: tuple[str, ...] = ()
    shape: tuple[int, ...] | None = None
    kind: str | None = None
    categorical: tuple[str, ...] = ()  # columns of numbers that name categories
    like: Layout | None = None  # the columns to have, those of other data or of a forest

    @property
    def grid(self) -> tuple[int, ...] | None:
        """The shape of a row: as the user says, else that of the forest's grid, if it has one."""
        if self.shape is not None or self.kind == "table" or self.like is None:
            return self.shape
        return self.like.shape

    @property
    def on_grid(self) -> bool:
        """Whether rows of a table are to lie on a grid."""
        return self.grid is not None or self.kind not in (None, "table")


@dataclass(frozen=True)
class Layout:
    """What a fitted forest needs of a row: named columns, or cells of a grid."""

    n_features: int
    names: tuple[str, ...] | None
    shape: tuple[int, ...] | None
    keep: tuple[str, ...] = ()
    # What each column is: TEXT or NUMBER for categories that are text or numbers, one of DATE_KINDS
    # for dates, None for numbers.
    kinds: tuple[str | None, ...] = ()
    target: str | None = None  # the name of the target's column, if it is known

    def kinds_of(self, names: Sequence[str]) -> dict[str, str]:
        """What columns are that hold no numbers, given the names of all in their order."""
        pairs = zip(names, self.kinds, strict=True) if self.kinds else ()
        return {name: kind for name, kind in pairs if kind is not None}


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows with their targets, and what was found out about them."""

    # A pyarrow table of float32 columns, dictionaries where they are categorical, and dates; or an
    # array with a row per item.
    X: Any
    y: NDArray[Any]
    kind: str
    target: str
    notes: tuple[str, ...] = ()
    booleans: frozenset[str] = frozenset()  # columns that were true and false

    @property
    def rows(self) -> NDArray[Any]:
        """The rows as an array in the shape of the data."""
        return np.asarray(self.X)

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of the features, if they have any."""
        return tuple(self.X.column_names) if isinstance(self.X, pa.Table) else None

    @property
    def layout(self) -> Layout:
        """What other rows must have to go with these."""
        kinds = tuple(_kind_of(field.type) for field in self.X.schema) if self.names else ()
        n_features = int(np.prod(self.row_shape))
        return Layout(n_features, self.names, None, kinds=kinds, target=self.target)

    @cached_property
    def columns(self) -> CategoryTable | None:
        """What columns of a table hold that are no numbers; None if there are none."""
        return find_categories(FROM_DTYPE, self.X)

    @property
    def categorical(self) -> list[int]:
        """Positions of the features that are categories."""
        return [] if self.columns is None else self.columns.columns

    @property
    def numbers(self) -> NDArray[Any]:
        """Flat rows in numbers: a feature for each part of a date, numbers of categories."""
        return self.encode(self.X)

    def encode(self, X: Any) -> NDArray[Any]:
        """Rows like these in numbers."""
        if self.columns is not None:
            return self.columns.encode(X)
        return np.asarray(X).reshape(len(X), -1)

    @property
    def row_shape(self) -> tuple[int, ...]:
        """Shape of one row."""
        return tuple(self.X.shape[1:])

    @property
    def contiguous(self) -> bool | tuple[bool, ...]:
        """Whether neighbours on each axis are neighbours in the data; channels are not."""
        if self.kind == "image" and len(self.row_shape) == 3 and self.row_shape[2] <= 4:
            return (True, True, False)
        if self.kind == "series" and len(self.row_shape) == 2:
            return (False, True)
        # A library's doubt about what is an image is settled here, by the kind.
        return True if find_sensors(self.row_shape) is None else (True, True)

    def describe(self) -> str:
        """Say what a row is."""
        n, shape = len(self.y), self.row_shape
        sizes = " x ".join(str(size) for size in shape)
        if self.kind == "table":
            return f"a table of {write_count(n, 'row')} and {write_count(shape[0], 'feature')}"
        if self.kind == "series" and len(shape) == 2:
            steps, channels = write_count(shape[1], "time step"), write_count(shape[0], "channel")
            return f"{n:,} series of {steps} in {channels}"
        if self.kind == "series":
            return f"{n:,} series of {write_count(shape[0], 'time step')}"
        return f"{write_count(n, 'image')} of {sizes} pixels"


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows to predict, and the columns of the input that go with the predictions."""

    X: Any
    kept: dict[str, Any] = field(default_factory=dict)


class Source(ABC):
    """A file or folder of data."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @abstractmethod
    def read(self, request: Request) -> Dataset:
        """All rows with their targets."""

    @abstractmethod
    def batches(self, layout: Layout, n_rows: int) -> Iterator[Batch]:
        """The rows in order, about `n_rows` at a time, so that memory stays bounded."""

    def count(self) -> int | None:
        """Number of rows, if it is known without reading them."""
        return None


def _kind_of(column: pa.DataType) -> str | None:
    if not pa.types.is_dictionary(column):
        return date_kind(column)
    return NUMBER if pa.types.is_floating(column.value_type) else TEXT


def arrange(
    X: NDArray[Any], y: NDArray[Any], request: Request, target: str, notes: Sequence[str] = ()
) -> Dataset:
    """Put array rows into the shape that was asked for, or find out which kind they are."""
    if request.grid is not None:
        X = reshape_rows(X, request.grid)
    kind = request.kind or guess_kind(X.shape[1:], shaped=request.grid is not None)
    axis = find_sensors(X.shape[1:]) if request.kind is None and kind == "image" else None
    if axis == 0:
        notes = (*notes, "if the rows are recordings of sensors, pass --kind series")
    if kind == "table" and X.ndim > 2:
        X = X.reshape(len(X), -1)
    return Dataset(X, y, kind, target, tuple(notes))


def reshape_rows(X: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Rows in another shape of the same number of cells."""
    n_cells, n_given = int(np.prod(shape)), int(np.prod(X.shape[1:]))
    if n_cells != n_given:
        sizes = "x".join(str(size) for size in shape)
        raise UsageError(
            f"--shape {sizes} has {n_cells} cells but a row has {n_given} values; pass the shape "
            "that rows were flattened from, and name other columns in --drop."
        )
    return X.reshape(len(X), *shape)


def guess_kind(shape: tuple[int, ...], *, shaped: bool) -> str:
    """Tell tables, images and series from the shape of a row.

    >>> guess_kind((64,), shaped=False), guess_kind((64,), shaped=True)
    ('table', 'series')
    >>> guess_kind((3, 100), shaped=False), guess_kind((28, 28), shaped=False)
    ('series', 'image')
    """
    if len(shape) == 1:
        return "series" if shaped else "table"
    if len(shape) == 2 and shape[0] <= _MAX_CHANNELS and shape[1] >= 4 * shape[0]:
        return "series"
    return "image"
