"""Terms of directions over categorical features, in an ONNX model."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from silvan.export.onnx.graph import Graph
from silvan.export.onnx.tables import NodeTables, Padding, add_one_by_one, look_up_columns
from silvan.forest_arrays import ForestArrays
from silvan.forest_arrays.layout import MAX_CATEGORIES


class Codes(NamedTuple):
    """Terms over categorical features: the codes that their categories have at each node.

    The codes of a feature at a node lie in one run of a long table, from its first category with a
    code to its last; all other categories have code 0.
    """

    of: str
    n_terms: int
    columns: tuple[Any, int, int]
    first: tuple[Any, int, int]  # category
    starts: tuple[Any, int, int]  # of the runs
    lengths: tuple[Any, int, int]
    codes: str

    @classmethod
    def tabulate(
        cls, graph: Graph, tables: NodeTables, forest: ForestArrays, directions: Any, of: str
    ) -> Self:
        """Append the runs to the tables; `directions` are over the indicators of categories."""
        node = np.repeat(np.arange(forest.n_nodes), np.diff(directions.indptr))
        columns = directions.indices.astype(np.int32)
        features = forest.column_features(columns + np.int32(forest.n_features))
        categories = columns - (np.cumsum(forest.n_categories) - forest.n_categories)[features]
        begins = np.flatnonzero(np.diff(node, prepend=-1) | np.diff(features, prepend=-1))
        ends = np.append(begins[1:], len(node)) - 1
        lengths = categories[ends] - categories[begins] + 1
        starts = np.cumsum(lengths) - lengths
        # The last entry is what lies outside of all runs.
        codes = np.zeros(int(lengths.sum()) + 1, dtype=np.float32)
        run = np.repeat(np.arange(len(begins)), ends - begins + 1)
        codes[(starts - categories[begins])[run] + categories] = directions.data
        counts = np.bincount(node[begins], minlength=forest.n_nodes)
        fill = Padding(counts)
        parts = (features[begins], categories[begins], starts, lengths)
        nothing = (forest.n_features, 0, 0, 0)
        columns_at, first, starts_at, lengths_at = (
            tables.append(fill(part.astype(np.int32), none))
            for part, none in zip(parts, nothing, strict=True)
        )
        n_terms = int(counts.max())
        where = (columns_at, first, starts_at, lengths_at)
        return cls(of, n_terms, *where, graph.constant(codes))

    def list_up(self, tables: NodeTables, body: Graph) -> str:
        """Add, inside the loop, the codes of each sample at its node; NaN where missing."""
        numbers = look_up_columns(tables, body, self.of, self.columns)
        missing = body.add("IsNaN", numbers)
        # A number that is no integer stands for the category below it, as in the core; what is no
        # category at all must not leave the range of int32.
        low, high = (body.constant(np.array(end, np.float32)) for end in (-1.0, MAX_CATEGORIES))
        place = body.add("Where", missing, low, numbers)
        place = body.add("Floor", body.add("Min", body.add("Max", place, low), high))
        place = body.add("Cast", place, to=body.type_of(np.int32))
        place = body.add("Sub", place, tables.columns(self.first))
        inside = body.add(
            "And",
            body.add("GreaterOrEqual", place, body.constant(np.array(0, np.int32))),
            body.add("Less", place, tables.columns(self.lengths)),
        )
        outside = body.constant(np.array(-1, np.int32))  # the last entry
        at = body.add("Where", inside, body.add("Add", place, tables.columns(self.starts)), outside)
        codes = body.add("Gather", self.codes, at)
        return body.add("Where", missing, body.constant(np.array(np.float32(np.nan))), codes)

    def add_up(self, tables: NodeTables, body: Graph) -> str:
        """Add, inside the loop, the sum of the codes of each sample at its node."""
        return add_one_by_one(tables, body, self.list_up(tables, body), self.n_terms)
