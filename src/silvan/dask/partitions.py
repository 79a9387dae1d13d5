"""Data in partitions: Dask collections and delayed values as aligned parts of samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, NamedTuple

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask.delayed import Delayed
from distributed import Client, Future
from scipy.sparse import issparse

from silvan._validation import is_number
from silvan.forests.supervised import SupervisedForest

SPARSE = (
    "Sparse data was passed for X, but forests on a cluster read dense partitions only; pass "
    "arrays or frames, or fit on one machine."
)


class Part(NamedTuple):
    """Samples, targets and weights of a partition: delayed values, futures, or None for weights."""

    X: Any
    y: Any
    weight: Any


class _Pieces(NamedTuple):
    values: list[Any]
    sizes: tuple[int, ...] | None  # None: not known


def is_collection(X: Any) -> bool:
    """Whether these are data in partitions and not in memory."""
    return isinstance(X, da.Array | dd.DataFrame | dd.Series) or _is_delayed(X)


def align_parts(client: Client, X: Any, y: Any, sample_weight: Any) -> list[Part]:
    """Parts that hold the same samples of all three."""
    if y is None:
        raise ValueError("a forest requires y to be passed, but the target y is None; pass it.")
    if is_number(sample_weight):
        raise ValueError(
            f"sample_weight must have one weight for each sample, but it is {sample_weight!r}; "
            "leave it out to weight all samples equally."
        )
    pieces = {"X": _cut(client, X)}
    for name, values in (("y", y), ("sample_weight", sample_weight)):
        if values is not None:
            pieces[name] = _cut_like(client, name, values, pieces["X"])
    for name, cut in pieces.items():
        if len(cut.values) != len(pieces["X"].values):
            raise ValueError(
                f"{name} must have the partitions of X, but it has {len(cut.values)} and X "
                f"{len(pieces['X'].values)}; repartition it, or compute the sizes of both with "
                "compute_chunk_sizes()."
            )
    none = [None] * len(pieces["X"].values)
    columns = [
        pieces[name].values if name in pieces else none for name in ("X", "y", "sample_weight")
    ]
    return [Part(*part) for part in zip(*columns, strict=True)]


def count_samples(part: Any) -> int:
    """Number of samples of a partition; sparse matrices have a shape, but no length."""
    if getattr(part, "shape", ()):
        return int(part.shape[0])
    if not hasattr(part, "__len__"):
        raise TypeError(
            "partitions must be arrays or data frames, but one is of type "
            f"{type(part).__name__}; return a table from each delayed call."
        )
    return len(part)


def join_parts(X: list[Any], y: list[Any], weight: list[Any]) -> tuple[Any, Any, Any]:
    """All parts as one table of each kind."""
    check_lengths(X, y, "y")
    if weight[0] is not None:
        check_lengths(X, weight, "sample_weight")
    kept = [i for i, part in enumerate(X) if count_samples(part)] or [0]
    joined_weight = None if weight[0] is None else _join([weight[i] for i in kept])
    return _join([X[i] for i in kept]), _join([y[i] for i in kept]), joined_weight


def check_lengths(X: Sequence[Any], others: Sequence[Any], name: str, first: int = 0) -> None:
    """Require as many samples of the others as of X, part by part from number `first` on."""
    for number, (mine, theirs) in enumerate(zip(X, others, strict=True), first):
        if count_samples(mine) != count_samples(theirs):
            raise ValueError(
                f"partition {number} of X has {count_samples(mine)} samples, but that of {name} "
                f"has {count_samples(theirs)}; give both the same partitions."
            )


def learnt(forest: SupervisedForest) -> dict[str, Any]:
    """Attributes of a forest that are no parameters: what it has learnt of the data."""
    parameters = {declared.name for declared in fields(forest)}
    return {name: value for name, value in vars(forest).items() if name not in parameters}


def n_bytes(values: Any) -> int:
    """Memory of the arrays and frames in nested tuples."""
    if hasattr(values, "memory_usage"):
        return int(np.sum(values.memory_usage(deep=False)))
    if hasattr(values, "nbytes"):
        return int(values.nbytes)
    if isinstance(values, tuple | list):
        return sum(n_bytes(value) for value in values)
    if hasattr(values, "__dict__"):
        return sum(n_bytes(value) for value in vars(values).values())
    return 64


def _is_delayed(values: Any) -> bool:
    return (
        isinstance(values, list | tuple)
        and len(values) > 0
        and all(isinstance(value, Delayed | Future) for value in values)
    )


def _cut(client: Client, values: Any) -> _Pieces:
    if isinstance(values, da.Array):
        whole = values.rechunk(dict.fromkeys(range(1, values.ndim), -1))
        return _Pieces(whole.to_delayed().ravel().tolist(), _known(whole.chunks[0]))
    if isinstance(values, dd.DataFrame | dd.Series):
        # Full optimisation would join partitions of a frame of which few columns are read.
        return _Pieces(list(values.simplify().to_delayed(optimize_graph=False)), None)
    if _is_delayed(values):
        return _Pieces(list(values), None)
    if not hasattr(values, "shape"):
        values = np.asarray(values)
    # Sent to one worker; others get it from there.
    return _Pieces([client.scatter(values, hash=False)], (len(values),))


def _cut_like(client: Client, name: str, values: Any, like: _Pieces) -> _Pieces:
    """The same in the partitions of other pieces, as far as their sizes are known."""
    sizes = like.sizes
    if isinstance(values, da.Array) and sizes is not None and not math.isnan(values.shape[0]):
        _check_total(name, values.shape[0], sizes)
        return _cut(client, values.rechunk({0: sizes}))
    if is_collection(values):
        return _cut(client, values)
    if sizes is None:
        raise ValueError(
            f"{name} is in memory, but X is in partitions whose sizes are not known; pass {name} "
            "as a Dask collection with the partitions of X."
        )
    if not hasattr(values, "shape"):
        values = np.asarray(values)
    _check_total(name, len(values), sizes)
    ends = np.cumsum(sizes).tolist()
    slices = [_rows(values, end - size, end) for size, end in zip(sizes, ends, strict=True)]
    return _Pieces([dask.delayed(part) for part in slices], sizes)


def _check_total(name: str, n_samples: int, sizes: tuple[int, ...]) -> None:
    if n_samples != sum(sizes):
        raise ValueError(
            f"X has {sum(sizes)} samples, but {name} has {n_samples}; pass one for each sample."
        )


def _rows(values: Any, start: int, stop: int) -> Any:
    return values.iloc[start:stop] if hasattr(values, "iloc") else values[start:stop]


def _known(chunks: tuple[float, ...]) -> tuple[int, ...] | None:
    return None if any(math.isnan(size) for size in chunks) else tuple(int(n) for n in chunks)


def _join(parts: list[Any]) -> Any:
    if len(parts) == 1:
        return parts[0]
    if hasattr(parts[0], "iloc"):
        import pandas

        return pandas.concat(parts, ignore_index=True)
    if hasattr(parts[0], "combine_chunks"):
        import pyarrow

        return pyarrow.concat_tables(parts)
    if hasattr(parts[0], "vstack"):
        import polars

        return polars.concat(parts)
    if issparse(parts[0]):
        raise TypeError(SPARSE)
    arrays = [np.asarray(part) for part in parts]
    for number, array in enumerate(arrays):
        if array.shape[1:] != arrays[0].shape[1:]:
            raise ValueError(
                "all partitions must have the same features, but samples have the shape "
                f"{arrays[0].shape[1:]} in the first and {array.shape[1:]} in partition {number} "
                "of those with samples; give all the same columns."
            )
    return np.concatenate(arrays)
