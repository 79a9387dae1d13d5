"""Time series in the formats of the UCR and UEA archives: .ts, and .tsv with a class first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan.app.data.dataset import Batch, Dataset, Layout, Request, Source, reshape_rows
from silvan.app.data.dialect import all_numbers
from silvan.app.errors import DataError, UsageError

_MISSING = frozenset(("?", "", "NaN", "nan"))
Series = NDArray[np.float32]


def is_labelled_tsv(path: Path) -> bool:
    """Whether a .tsv file has series: no header, all numbers, the first the class."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        fields = next(lines, "").split("\t")
    return len(fields) > 2 and all_numbers([text.strip() for text in fields])


class SeriesFile(Source):
    """Series of one or several channels; rows of shape (length,) or (channels, length)."""

    def read(self, request: Request) -> Dataset:
        """All series; shorter ones end in missing values."""
        if request.drop or request.target:
            raise UsageError(f"{self.path} contains the class; leave out --target and --drop.")
        items = list(self._items())
        if not items:
            raise DataError(f"{self.path} has no series; pass a file with some.")
        series, labels = zip(*items, strict=True)
        if any(label is None for label in labels):
            raise DataError(f"{self.path} has no classes or targets; learn from a file that has.")
        shape = (len(series[0]), max(channels.shape[1] for channels in series))
        X = np.stack([self._padded(channels, shape) for channels in series])
        X = X[:, 0] if shape[0] == 1 else X
        notes = []
        if any(channels.shape[1] != shape[1] for channels in series):
            notes.append("series of unequal length end in missing values")
        if request.shape is not None:
            X = reshape_rows(X, request.shape)
        return Dataset(X, _labels(list(labels)), request.kind or "series", "class", tuple(notes))

    def batches(self, layout: Layout, n_rows: int) -> Iterator[Batch]:
        """Blocks of series, filled up to the length of the forest's."""
        if layout.keep:
            raise UsageError("--keep names columns of tables, but a series has none.")
        shape = layout.shape or (layout.n_features,)
        whole = shape if len(shape) == 2 else (1, layout.n_features)
        items = self._items()
        while block := list(islice(items, n_rows)):
            yield Batch(np.stack([self._padded(series, whole).reshape(-1) for series, _ in block]))

    def _padded(self, series: Series, shape: tuple[int, ...]) -> Series:
        if len(series) != shape[0] or series.shape[1] > shape[1]:
            raise DataError(
                f"a series of {self.path} has {len(series)} channels of {series.shape[1]} steps, "
                f"but others have {shape[0]} of {shape[1]}; pass series of the same shape."
            )
        filled = np.full(shape, np.nan, dtype=np.float32)
        filled[:, : series.shape[1]] = series
        return filled

    def _items(self) -> Iterator[tuple[Series, str | None]]:
        """Series and label, one after the other."""
        read = self._ts_items if self.path.suffix.lower() == ".ts" else self._tsv_items
        with self.path.open(encoding="utf-8", errors="replace") as lines:
            yield from read(enumerate((line.strip() for line in lines), start=1))

    def _tsv_items(self, lines: Iterator[tuple[int, str]]) -> Iterator[tuple[Series, str | None]]:
        for number, line in lines:
            if line:
                label, *values = line.split("\t")
                yield self._values(values, number)[None], label

    def _ts_items(self, lines: Iterator[tuple[int, str]]) -> Iterator[tuple[Series, str | None]]:
        labelled = False
        for _, line in lines:
            words = line.lower().split()
            if words[:1] == ["@timestamps"] and words[1:2] == ["true"]:
                raise DataError(f"{self.path} has time stamps, which silvan does not read.")
            if words[:1] in (["@classlabel"], ["@targetlabel"]):
                labelled = words[1:2] == ["true"]
            if words[:1] == ["@data"]:
                break
        else:
            raise DataError(f"{self.path} has no line @data; it is not a .ts file.")
        for number, line in lines:
            if not line or line.startswith("#"):
                continue
            *parts, last = line.split(":")
            channels, label = (parts, last) if labelled else ([*parts, last], None)
            values = [self._values(channel.split(","), number) for channel in channels]
            if not values or len({len(channel) for channel in values}) != 1:
                raise DataError(
                    f"line {number} of {self.path} has channels of unequal length; correct it."
                )
            yield np.stack(values), label

    def _values(self, texts: list[str], number: int) -> Series:
        try:
            return np.array(
                [np.nan if text.strip() in _MISSING else float(text) for text in texts],
                dtype=np.float32,
            )
        except ValueError as error:
            raise DataError(f"line {number} of {self.path}: {error}; correct it.") from None


def _labels(labels: list[Any]) -> NDArray[Any]:
    """Whole numbers where all labels are, other numbers where all are, else text.

    >>> _labels(["1.0", "2.0"]), _labels(["a", "1"])
    (array([1, 2]), array(['a', '1'], dtype='<U1'))
    """
    if not all_numbers(labels):
        return np.array(labels, dtype=np.str_)
    numbers = np.array(labels, dtype=np.float64)
    whole = numbers.astype(np.int64)
    return whole if np.array_equal(whole, numbers) else numbers
