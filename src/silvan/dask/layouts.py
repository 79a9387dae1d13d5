"""Which layout a fit takes: samples on every worker, or where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dask.array as da
import numpy as np

from silvan.dask.partitioned import Partitioned
from silvan.dask.partitions import Part, align_parts, is_collection, n_bytes
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
        fits = _table_bytes(session, X, parts) <= _MAX_SHARE_OF_MEMORY * _smallest_memory(session)
        layout = "replicated" if fits else "partitioned"
    return (Replicated if layout == "replicated" else Partitioned)(session, parts)


def _smallest_memory(session: Session) -> float:
    return min(session.memory_limits(), default=float("inf"))


def _table_bytes(session: Session, X: Any, parts: list[Part]) -> float:
    """Memory of the features as they were given."""
    if not is_collection(X):
        return float(n_bytes(X))
    if isinstance(X, da.Array) and not np.isnan(X.nbytes):
        return float(X.nbytes)
    sizes = session.compute([(n_bytes, part.X) for part in parts])
    return float(sum(session.results(sizes)))
