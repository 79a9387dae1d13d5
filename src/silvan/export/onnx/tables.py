"""Tables of what an ONNX model knows about each node of a forest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from silvan.export.onnx.graph import Graph


class NodeTables:
    """What is known about each node, in one table of integers and one of floats.

    A step looks up all of it at once: to gather a row costs little more than to gather a number.
    """

    def __init__(self, graph: Graph, body: Graph, n_trees: int) -> None:
        self._graph = graph
        self._body = body
        self._columns: dict[Any, list[NDArray[Any]]] = {np.int32: [], np.float32: []}
        self._gathered: dict[Any, str] = {}
        self.n_trees = n_trees

    def append(self, columns: NDArray[Any]) -> tuple[Any, int, int]:
        """Append columns; return where they are."""
        kind = np.int32 if columns.dtype == np.int32 else np.float32
        columns = columns.reshape(len(columns), -1)
        start = sum(part.shape[1] for part in self._columns[kind])
        self._columns[kind].append(columns)
        return kind, start, start + columns.shape[1]

    def gather(self) -> Graph:
        """Add the look-up to the body of the loop, and return it."""
        for kind, columns in self._columns.items():
            table = self._graph.constant(np.concatenate(columns, axis=1).astype(kind))
            self._gathered[kind] = self._body.add("Gather", table, "node")
        return self._body

    def columns(self, where: tuple[Any, int, int]) -> str:
        """Columns of the nodes, of shape (n_samples, n_trees, n_columns)."""
        kind, start, stop = where
        ends = (self._graph.constant(np.array([n])) for n in (start, stop, 2))
        return self._body.add("Slice", self._gathered[kind], *ends)

    def column(self, where: tuple[Any, int, int]) -> str:
        """A single column, of shape (n_samples, n_trees)."""
        return self.reshape(self.columns(where), self.n_trees)

    def reshape(self, array: str, *shape: int) -> str:
        """The array with another shape of each sample."""
        return self._body.add("Reshape", array, self._graph.constant(np.array([0, *shape])))


class Padding:
    """Puts entries of nodes into a matrix with a row per node, and pads short rows."""

    def __init__(self, lengths: NDArray[Any]) -> None:
        self._filled = np.arange(int(lengths.max())) < lengths[:, None]

    def __call__(self, entries: NDArray[Any], nothing: float) -> NDArray[Any]:
        """The entries as a matrix, with `nothing` where a node has no more of them."""
        padded = np.full(self._filled.shape, nothing, dtype=entries.dtype)
        padded[self._filled] = entries
        return padded


def look_up_columns(tables: NodeTables, body: Graph, of: str, columns: tuple[Any, int, int]) -> str:
    """Add, inside the loop, entries of samples in columns that depend on the node."""
    n_terms = columns[2] - columns[1]
    places = tables.reshape(tables.columns(columns), tables.n_trees * n_terms)
    entries = body.add("GatherElements", of, places, axis=1)
    return tables.reshape(entries, tables.n_trees, n_terms)


def add_one_by_one(tables: NodeTables, body: Graph, terms: str, n_terms: int) -> str:
    """Add, inside the loop, the sum of the terms in their order; ReduceSum may have another."""
    sums = body.add("CumSum", terms, body.constant(np.array(2)))
    ends = (body.constant(np.array([n])) for n in (n_terms - 1, n_terms, 2))
    return tables.reshape(body.add("Slice", sums, *ends), tables.n_trees)
