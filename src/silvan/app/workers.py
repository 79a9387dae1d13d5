"""Fitting by a local cluster: Parquet files that are larger than memory, part by part."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from joblib import effective_n_jobs
from numpy.typing import NDArray

from silvan.app.console import note
from silvan.app.data import Dataset, Request
from silvan.app.data.columns import as_array, as_features, as_targets
from silvan.app.data.dataset import Source, arrange
from silvan.app.data.tables import TableFile
from silvan.app.errors import UsageError
from silvan.app.formats import table_format
from silvan.app.growing import fit_timed
from silvan.app.inputs import note_target
from silvan.app.models import Growing, decide_task, make_forest
from silvan.app.names import BOOST
from silvan.app.numbers import write_count

_BATCH = 65_536
# Features of a part, as float32; a part is at least one row group.
_BYTES_OF_A_PART = 2**25
_HEAD = 5


@dataclass(frozen=True)
class Work:
    """What the options say about workers, and what they are to do."""

    n_workers: int
    memory: str
    forest: str
    out_of_bag: bool


class Fitted(NamedTuple):
    """A forest of one machine, and what was found out on the way to it."""

    estimator: Any
    task: str
    n_rows: int
    seconds: float


@dataclass(frozen=True)
class Columns:
    """Which columns of a Parquet file are read, and how."""

    path: Path
    target: str
    names: tuple[str, ...]
    kinds: dict[str, str | None]
    on_grid: bool

    def features(self, groups: list[int]) -> Any:
        """The samples of some row groups: a table, or an array where they lie on a grid."""
        wanted = frozenset(self.names)
        with pq.ParquetFile(self.path, buffer_size=1 << 16, pre_buffer=False) as file:
            batches = file.iter_batches(
                _BATCH, row_groups=groups, columns=list(self.names), use_threads=False
            )
            blocks = [
                as_features(block.select(self.names), wanted, self.kinds) for block in batches
            ]
        table = pa.Table.from_batches(blocks) if blocks else self._no_rows()
        return as_array(table) if self.on_grid else table

    def targets(self, groups: list[int], task: str | None) -> tuple[NDArray[Any], str]:
        """Their targets, as they are learnt, and whether they are classes or measurements."""
        with pq.ParquetFile(self.path) as file:
            column = file.read_row_groups(groups, columns=[self.target]).column(0)
        return decide_task(as_targets(column, self.target), task)

    def labels(self, groups: list[int], task: str) -> NDArray[Any]:
        """The targets alone."""
        return self.targets(groups, task)[0]

    def _no_rows(self) -> pa.Table:
        schema = pq.read_schema(self.path)
        empty = [pa.array([], schema.field(name).type) for name in self.names]
        block = pa.RecordBatch.from_arrays(empty, names=list(self.names))
        return pa.Table.from_batches([as_features(block, frozenset(self.names), self.kinds)])


def fit_with_workers(
    source: Source, asked: Request, task: str | None, growing: Growing, work: Work
) -> Fitted:
    """Fit a forest on a Parquet file by processes of a bounded memory."""
    on_cluster, local_cluster, connect, delayed = _import_dask()
    _check_memory(work.memory)
    if work.forest == BOOST:
        raise UsageError(
            "--workers grows trees that do not need each other, and boosted ones do; leave it out."
        )
    columns = _find_columns(source, asked)
    groups = list(_parts(columns))
    y, decided = columns.targets([group for part in groups for group in part], task)
    head = _head(columns, asked, y)
    size = f"{write_count(len(y), 'row')} and {write_count(len(columns.names), 'feature')}"
    note(f"{source.path}: {size}, read in {len(groups):,} parts.")
    note_target(columns.target, y, decided)
    n_rows = len(y)
    del y
    n_threads = max(1, effective_n_jobs(growing.n_jobs) // work.n_workers)
    forest = make_forest(work.forest, head, decided, growing)
    # A task has a thread of its worker.
    forest.set_params(n_jobs=1)
    with (
        local_cluster(
            n_workers=work.n_workers,
            threads_per_worker=n_threads,
            memory_limit=work.memory,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,  # what fails is told below
        ) as cluster,
        connect(cluster) as client,
    ):
        threads = f"{write_count(work.n_workers, 'worker')} of {write_count(n_threads, 'thread')}"
        note(f"{threads}; dashboard: {cluster.dashboard_link}.")
        estimator = on_cluster(forest, client=client)
        X = [delayed(partial(columns.features, part))() for part in groups]
        targets = [delayed(partial(columns.labels, part, decided))() for part in groups]
        try:
            seconds = fit_timed(estimator, X, targets, out_of_bag=work.out_of_bag and n_rows > 1)
        except RuntimeError as error:  # what workers could not do, in words
            raise UsageError(str(error)) from error
    local = estimator.to_local()
    return Fitted(local.set_params(n_jobs=growing.n_jobs), decided, n_rows, seconds)


def _import_dask() -> tuple[Any, Any, Any, Any]:
    try:
        from dask import delayed
        from distributed import Client, LocalCluster

        from silvan.dask import on_cluster
    except ImportError as error:
        raise UsageError(f"--workers needs Dask ({error}); install silvan[dask].") from None
    return on_cluster, LocalCluster, Client, delayed


def _check_memory(memory: str) -> None:
    from dask.utils import parse_bytes

    try:
        understood = memory == "auto" or parse_bytes(memory) > 0
    except ValueError:
        understood = False
    if not understood:
        raise UsageError(
            f"--worker-memory must be auto or a size such as 1.5GB, but it is {memory!r}; pass one."
        )


def _find_columns(source: Source, asked: Request) -> Columns:
    if not (isinstance(source, TableFile) and table_format(source.path) == "parquet"):
        raise UsageError(
            f"--workers is for Parquet files, but {source.path} is not one; convert it, or leave "
            "the option out."
        )
    target, names, kinds = source.columns(asked)
    on_grid = asked.on_grid
    path = Path(os.path.abspath(source.path))
    return Columns(path, target, tuple(names), kinds, on_grid)


def _parts(columns: Columns) -> Iterator[list[int]]:
    """Numbers of row groups that are read together."""
    max_rows = max(1, _BYTES_OF_A_PART // (4 * len(columns.names)))
    metadata = pq.read_metadata(columns.path)
    part: list[int] = []
    n_rows = 0
    for group in range(metadata.num_row_groups):
        size = metadata.row_group(group).num_rows
        if part and n_rows + size > max_rows:
            yield part
            part, n_rows = [], 0
        part.append(group)
        n_rows += size
    if part:
        yield part


def _head(columns: Columns, asked: Request, y: NDArray[Any]) -> Dataset:
    """The first rows, which show what kind of forest the data need."""
    if len(y) == 0:
        raise UsageError(f"{columns.path} has no rows; pass a file with some.")
    with pq.ParquetFile(columns.path) as file:
        block = next(file.iter_batches(_HEAD, columns=list(columns.names)))
    table = pa.Table.from_batches([as_features(block, frozenset(columns.names), columns.kinds)])
    labels = y[: table.num_rows]
    if not columns.on_grid:
        return Dataset(table, labels, "table", columns.target)
    shaped = asked if asked.shape else Request(shape=(len(columns.names),), kind=asked.kind)
    return arrange(np.asarray(table), labels, shaped, columns.target)
