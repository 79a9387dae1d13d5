"""Predictions of files larger than memory: batches in, batches out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from numpy.typing import NDArray
from sklearn.base import is_classifier

from silvan.app.data import Batch, Source
from silvan.app.errors import DataError, UsageError
from silvan.app.models import layout_of
from silvan.app.outputs import writing
from silvan.app.streams import printing
from silvan.forests.base import BaseForest

BATCH_ROWS = 32_768
_SUFFIXES = (".csv", ".parquet", ".arrow")
_PREDICTION = "prediction"


def predict_source(
    forest: BaseForest, source: Source, keep: tuple[str, ...], probabilities: bool
) -> Iterator[pa.Table]:
    """Tables of predictions, one for each batch of the data."""
    for batch in source.batches(layout_of(forest, keep), BATCH_ROWS):
        try:
            columns = _predict(forest, batch, probabilities)
        except ValueError as error:
            raise DataError(f"{source.path} does not fit the forest: {error}") from None
        yield pa.table(batch.kept | columns)


def _probability_name(label: Any) -> str:
    return f"p_{label}"


def _predict(forest: Any, batch: Batch, probabilities: bool) -> dict[str, Any]:
    X = batch.X
    if isinstance(X, np.ndarray) and X.ndim > 2:
        X = X.reshape(len(X), -1)
    if not is_classifier(forest):
        predicted: NDArray[Any] = forest.predict(X)
        return {_PREDICTION: predicted}
    values = forest.predict_proba(X)
    columns: dict[str, Any] = {_PREDICTION: forest.classes_[values.argmax(axis=1)]}
    if probabilities:
        columns |= {
            _probability_name(label): values[:, k].astype(np.float32)
            for k, label in enumerate(forest.classes_)
        }
    return columns


def check_columns(
    forest: BaseForest, out: Path | None, keep: tuple[str, ...], probabilities: bool
) -> None:
    """Check what the result is to have, before anything is read."""
    if out is not None and out.suffix.lower() not in _SUFFIXES:
        raise UsageError(f"--out must end in {', '.join(_SUFFIXES)}, but it is {out}.")
    if probabilities and not is_classifier(forest):
        raise UsageError("--probabilities is for classifiers, but this forest predicts numbers.")
    labels = forest.classes_ if is_classifier(forest) and probabilities else ()
    made = {_PREDICTION, *map(_probability_name, labels)}
    taken = [name for name in keep if name in made]
    if taken:
        raise UsageError(
            f"--keep {taken[0]!r} has the name of a column that silvan adds; rename it in the "
            "data, or leave it out."
        )


@contextmanager
def open_writer(path: Path | None) -> Iterator[Callable[[pa.Table], None]]:
    """A function that appends a table to a file, or to standard output as CSV.

    The file appears when the block ends well; half of the predictions would look like all.
    """
    if path is None:
        with printing(), _open_stream(".csv", sys.stdout.buffer) as write:
            yield write
        return
    with (
        writing(path) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        _open_stream(path.suffix.lower(), sink) as write,
    ):
        yield write


@contextmanager
def _open_stream(suffix: str, sink: Any) -> Iterator[Callable[[pa.Table], None]]:
    opened: list[Any] = []

    def write(table: pa.Table) -> None:
        if not opened:
            opened.append(_open_format(suffix, sink, table.schema))
        opened[0].write_table(table)

    try:
        yield write
    finally:
        for writer in opened:
            writer.close()


def _open_format(suffix: str, sink: Any, schema: pa.Schema) -> Any:
    if suffix == ".csv":
        options = pa.csv.WriteOptions(quoting_style="needed")
        return pa.csv.CSVWriter(sink, schema, write_options=options)
    if suffix == ".parquet":
        return pa.parquet.ParquetWriter(sink, schema)
    return pa.ipc.new_file(sink, schema)
