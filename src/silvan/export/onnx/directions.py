"""The values of samples along the directions of their nodes, in an ONNX model."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array

from silvan.export.onnx.codes import Codes
from silvan.export.onnx.graph import Graph
from silvan.export.onnx.sums import add_running_sums, append_zeros, touched_cells
from silvan.export.onnx.tables import NodeTables, Padding, add_one_by_one, look_up_columns
from silvan.forest_arrays import ForestArrays


class _Terms(NamedTuple):
    """Terms of directions: which columns of what, times which coefficients."""

    of: str
    dtype: type  # what they are added in
    n_terms: int
    columns: tuple[Any, int, int]
    coefficients: tuple[Any, int, int]

    @classmethod
    def tabulate(
        cls, tables: NodeTables, directions: csr_array, of: str, dtype: type = np.float32
    ) -> Self:
        """Append the terms to the tables, as many for each node.

        Directions with fewer terms than others go on with a column of zeros after all others.
        """
        lengths = np.diff(directions.indptr)
        n_terms = int(lengths.max())
        fill = Padding(lengths)
        columns = fill(directions.indices.astype(np.int32), directions.shape[1])
        coefficients = fill(directions.data.astype(np.float32), 0.0)
        return cls(of, dtype, n_terms, tables.append(columns), tables.append(coefficients))

    def list_up(self, tables: NodeTables, body: Graph) -> str:
        """Add, inside the loop, the terms of each sample at its node."""
        kept = tables.columns(self.coefficients)
        coefficients = body.add("Cast", kept, to=body.type_of(self.dtype))
        entries = look_up_columns(tables, body, self.of, self.columns)
        return body.add("Mul", coefficients, entries)

    def add_up(self, tables: NodeTables, body: Graph) -> str:
        """Add, inside the loop, the sum of the terms of each sample at its node."""
        return add_one_by_one(tables, body, self.list_up(tables, body), self.n_terms)


class _Patches(NamedTuple):
    """Terms over running sums, and those that count the missing cells."""

    values: _Terms
    missing: _Terms | None

    def add_up(self, tables: NodeTables, body: Graph) -> str:
        """Add, inside the loop, the values along patches: NaN where a cell is missing."""
        value = self.values.add_up(tables, body)
        value = body.add("Cast", value, to=body.type_of(np.float32))
        if self.missing is None:
            return value
        touched = self.missing.add_up(tables, body)
        touched = body.add("Cast", touched, to=body.type_of(np.bool_))
        return body.add("Where", touched, body.constant(np.array(np.float32(np.nan))), value)


class _Directions(NamedTuple):
    """All terms of the directions of a forest, as far as it has them."""

    numbers: _Terms | None
    patches: _Patches | None
    codes: Codes | None

    def add_up(self, tables: NodeTables, body: Graph) -> str:
        """Add, inside the loop, the value of each sample along the direction of its node."""
        if self.numbers is not None and self.codes is not None:
            # Numbers first and then one code after the other, as in the core.
            parts = [part.list_up(tables, body) for part in (self.numbers, self.codes)]
            terms = body.add("Concat", *parts, axis=2)
            n_terms = self.numbers.n_terms + self.codes.n_terms
            return add_one_by_one(tables, body, terms, n_terms)
        values = [part.add_up(tables, body) for part in self if part is not None]
        # A direction is over features or over running sums; the other part is zero.
        return body.add("Add", *values) if len(values) == 2 else values[0]


def add_directions(
    graph: Graph, tables: NodeTables, forest: ForestArrays, samples: str, may_miss: bool
) -> _Directions:
    """Tabulate the terms over features, over running sums and over categories."""
    directions: Any = forest.stored_directions()
    over_features = directions[:, : forest.n_features]
    others = directions[:, forest.n_features :]
    numbers = patches = codes = None
    columns = append_zeros(graph, samples)
    if over_features.nnz:
        numbers = _Terms.tabulate(tables, over_features, columns)
    if others.nnz and len(forest.n_categories):
        codes = Codes.tabulate(graph, tables, forest, others, columns)
    elif others.nnz:
        sums, missing = add_running_sums(graph, forest, samples, may_miss)
        values = _Terms.tabulate(tables, others, sums, np.float64)
        counts = None
        if missing is not None:
            touched = touched_cells(forest, np.diff(others.indptr) > 0)
            counts = _Terms.tabulate(tables, touched, missing, np.float64)
        patches = _Patches(values, counts)
    return _Directions(numbers, patches, codes)
