"""Which layout a fit takes: samples on every worker, or where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dask.array as da
import numpy as np

from silvan._validation import MAX_SAMPLES
from silvan.dask.partitioned import Partitioned
from silvan.dask.partitions import Part, align_parts, count_samples, is_collection, n_bytes
from silvan.dask.replicated import Replicated
from silvan.dask.running import Session

if TYPE_CHECKING:
    from silvan.dask.forest import ClusterForest

# A worker holds the table as it was given and a copy for growing, besides what it had, and while it
# puts the table together also the partitions.
_MAX_SHARE_OF_MEMORY = 0.2


def open_layout(
    forest: ClusterForest, session: Session, X: Any, y: Any, sample_weight: Any
) -> Replicated | Partitioned:
    """The layout that the forest asks for, or that the size of the data suggests."""
    parts = align_parts(session.client, X, y, sample_weight)
    layout = forest.layout
    if layout == "auto":
        n_samples, size = _table_size(session, X, parts)
        fits = n_samples <= MAX_SAMPLES and (
            size <= _MAX_SHARE_OF_MEMORY * _smallest_memory(session)
        )
        layout = "replicated" if fits else "partitioned"
    return (Replicated if layout == "replicated" else Partitioned)(session, parts)


def _smallest_memory(session: Session) -> float:
    return min(session.memory_limits(), default=float("inf"))


def _table_size(session: Session, X: Any, parts: list[Part]) -> tuple[int, float]:
    """Number of samples, and memory of the features as they were given."""
    if not is_collection(X):
        return _size(X)
    if isinstance(X, da.Array) and not np.isnan(X.nbytes):
        return int(X.shape[0]), float(X.nbytes)
    sizes = session.results(session.compute([(_size, part.X) for part in parts]))
    return sum(n_samples for n_samples, _ in sizes), sum(size for _, size in sizes)


def _size(X: Any) -> tuple[int, float]:
    try:
        return count_samples(X), float(n_bytes(X))
    except TypeError:  # not a table, which the layout refuses
        return 0, float(n_bytes(X))
