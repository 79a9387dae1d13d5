"""Forests as ONNX models: the same walk down all trees at once, in standard operators.

The model keeps the node that each row has reached in each tree. One step of a loop projects the
rows on the directions of these nodes and goes on to a child; a leaf is its own child. Terms are
added one by one in float32, over running sums in float64, as the native core does it, so that every
row ends in the same leaf.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, diags_array, eye_array, kron, vstack

from silvan._validation import check_choice, check_features, check_predictor, invalid
from silvan.export._graph import Graph
from silvan.export.readable import category_names
from silvan.forest_arrays import MOST_CATEGORIES, ForestArrays
from silvan.forests.base import BaseForest
from silvan.forests.scaling import LARGEST_FLOAT32, Scaler
from silvan.preprocessing import RankScaler

_INPUT_TYPES = ("float32", "float64", "uint8")


def to_onnx(forest: BaseForest, *, dtype: str | None = None) -> Any:
    """Write a fitted forest as an ONNX model.

    The model has the input ``X``, with rows in the shape that `fit` was given: those of a manifold
    forest are flat if they were flat there. The model of a classifier has the outputs ``label`` and
    ``probabilities``, that of a regressor ``prediction``. Rows end in the same leaves as in
    `forest`, missing values included; means over the trees are taken in float64 and agree to its
    rounding.

    A categorical feature goes in as a number: the place of the category in the `categories_` of the
    forest, -1 (or any number that is no place) for a new one, NaN for a missing one.
    `to_onnx_input` makes such rows; elsewhere, the categories are in the metadata of the model,
    under ``categories``: a JSON list with the names, or null, for each feature.

    Parameters
    ----------
    forest : fitted forest
        A classifier or regressor of this library, with any distribution of directions.
    dtype : {"float32", "float64", "uint8"} or None, default=None
        Type of the input. None is float64 if the forest scales its features (`scaling`), and
        otherwise float32. Forests that do not scale round float64 to float32, so the input may as
        well be rounded. The others scale in float64 first: a model with input of type float32
        predicts what the forest does for the rounded values, where values that are closer than
        float32 can tell apart have the same rank. uint8 is not for forests with categorical
        features.

    Returns
    -------
    model : onnx.ModelProto
        The model, checked by onnx; write it with ``onnx.save(model, path)``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from silvan import ForestClassifier
    >>> from silvan.export import to_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> model = to_onnx(ForestClassifier(20, random_state=0).fit(X, y))
    >>> [output.name for output in model.graph.output]
    ['label', 'probabilities']
    """
    check_predictor(forest)
    dtype = _exact_type(forest) if dtype is None else dtype
    check_choice("dtype", dtype, _INPUT_TYPES)
    categories = forest.categories_
    if categories is not None and dtype == "uint8":
        raise invalid(
            "dtype", '"float32" or "float64" with categorical features', dtype, "leave it out"
        )
    graph = Graph()
    rows = graph.add("Flatten", "X", axis=1)
    rows = _keep_numbers(graph, forest, rows, _add_scaling(graph, forest.fitted_.scaler, rows))
    rows = graph.add("Cast", rows, to=graph.type_of(np.float32))
    may_miss = dtype != "uint8" or forest.fitted_.scaler is not None
    leaves = _add_walk(graph, forest.forest_, rows, may_miss)
    means = _add_means(graph, forest, leaves)
    if hasattr(forest, "classes_"):
        outputs = _add_labels(graph, forest.classes_, means)
    else:
        outputs = _add_prediction(graph, forest.n_outputs_, means)
    model = graph.finish(
        {"X": (np.dtype(dtype).type, [None, *forest.fitted_.sample_shape])}, outputs
    )
    if categories is not None:
        graph.describe(model, {"categories": json.dumps(category_names(forest))})
    return model


def to_onnx_input(forest: BaseForest, X: ArrayLike) -> NDArray[Any]:
    """Rows as the ONNX model of a forest takes them: numbers, and categories as numbers.

    Parameters
    ----------
    forest : fitted forest
        A classifier or regressor of this library.
    X : array-like of shape (n_samples, n_features)
        Rows, as given to `forest`, for example a data frame.

    Returns
    -------
    rows : array of shape (n_samples, n_features)
        The rows, of the type that `to_onnx` takes by default; see there for what stands for a
        category. Those of a manifold forest have the shape that `fit` was given.

    Examples
    --------
    >>> import pandas as pd
    >>> from silvan import ForestClassifier
    >>> from silvan.export import to_onnx_input
    >>> X = pd.DataFrame({"colour": ["red", "blue", "red", None], "size": [1.0, 2.0, 3.0, 4.0]})
    >>> forest = ForestClassifier(5, random_state=0).fit(X, [0, 1, 0, 1])
    >>> forest.categories_
    [array(['blue', 'red'], dtype=object), None]
    >>> to_onnx_input(forest, X.assign(colour=["red", "blue", "green", None]))
    array([[ 1.,  1.],
           [ 0.,  2.],
           [-1.,  3.],
           [nan,  4.]], dtype=float32)
    """
    check_predictor(forest)
    rows: NDArray[Any] = forest.fitted_.check(X)
    check_features(rows)
    exact = rows.astype(_exact_type(forest), copy=False)
    return exact.reshape(len(rows), *forest.fitted_.sample_shape)


def _exact_type(forest: BaseForest) -> str:
    """The smallest type of input that makes the model predict what the forest does."""
    return "float32" if forest._scaler is None else "float64"


def _add_scaling(graph: Graph, scaler: Scaler | None, rows: str) -> str:
    """Add the scaling of the features, if the forest has one."""
    if scaler is None:
        return rows
    rows = graph.add("Cast", rows, to=graph.type_of(np.float64))
    if isinstance(scaler, RankScaler):
        return _add_ranks(graph, scaler, rows)
    rows = graph.add("Sub", rows, graph.constant(scaler.centre))
    rows = graph.add("Div", rows, graph.constant(scaler.width))
    # The operator Clip need not keep NaN.
    for comparison, limit in (("Greater", LARGEST_FLOAT32), ("Less", -LARGEST_FLOAT32)):
        end = graph.constant(np.array(limit))
        rows = graph.add("Where", graph.add(comparison, rows, end), end, rows)
    return rows


def _keep_numbers(graph: Graph, forest: BaseForest, rows: str, scaled: str) -> str:
    """Take the numbers of categories from the rows, and all else from the scaled ones."""
    n_categories = forest.forest_.n_categories
    if rows == scaled or not len(n_categories):
        return scaled
    # Of one type, which every number of a category has room in.
    rows = graph.add("Cast", rows, to=graph.type_of(np.float64))
    return graph.add("Where", graph.constant(n_categories > 0), rows, scaled)


def _add_ranks(graph: Graph, scaler: RankScaler, rows: str) -> str:
    """Add the ranks of float64 values, by the same operations as in the scaler."""
    # A feature without values has one that nothing is compared to, and a rank that is missing.
    none = np.full(1, np.nan, dtype=np.float32)
    knots = [values if len(values) else none for values in scaler.values_]
    ranks = [ranks if len(ranks) else none for ranks in scaler.ranks_]
    lengths = np.array([len(values) for values in knots], dtype=np.int32)
    start = graph.constant((np.cumsum(lengths) - lengths).astype(np.int32))
    one, last = graph.constant(np.array(1, np.int32)), graph.constant(lengths - 1)
    tables = {"knot": np.concatenate(knots), "rank": np.concatenate(ranks)}
    names = {name: graph.constant(table) for name, table in tables.items()}

    def look_up(inside: Graph, name: str, place: str) -> str:
        found = inside.add("Gather", names[name], inside.add("Add", start, place))
        return inside.add("Cast", found, to=graph.type_of(np.float64))

    count = _add_binary_search(graph, rows, lengths, look_up)
    at = graph.add("Max", graph.add("Sub", count, one), graph.constant(np.array(0, np.int32)))
    above = graph.add("Min", graph.add("Add", at, one), last)
    lower, upper = (look_up(graph, "knot", place) for place in (at, above))
    low, high = (look_up(graph, "rank", place) for place in (at, above))
    half, zero = graph.constant(np.array(0.5)), graph.constant(np.array(0.0))
    halves = [graph.add("Mul", value, half) for value in (rows, lower, upper)]
    width = graph.add("Sub", halves[2], halves[1])
    step = graph.add("Div", graph.add("Sub", halves[0], halves[1]), width)
    step = graph.add("Where", graph.add("Greater", width, zero), step, zero)
    scaled = graph.add("Add", low, graph.add("Mul", step, graph.add("Sub", high, low)))

    ends = (graph.constant(np.array([v[i] for v in knots], np.float64)) for i in (0, -1))
    below, beyond = graph.add("Less", rows, next(ends)), graph.add("Greater", rows, next(ends))
    scaled = graph.add("Where", below, zero, scaled)
    scaled = graph.add("Where", beyond, graph.constant(scaler.n_values_ + 1.0), scaled)
    missing = graph.constant(np.array(np.nan))
    return graph.add("Where", graph.add("IsNaN", rows), missing, scaled)


def _add_binary_search(
    graph: Graph, rows: str, lengths: NDArray[np.int32], look_up: Callable[..., str]
) -> str:
    """Add the number of knots of each feature that are no larger than the value.

    The loop tries to raise it by powers of two, the largest first.
    """
    n_steps = int(lengths.max()).bit_length()
    strides = graph.constant(2 ** np.arange(n_steps, dtype=np.int32)[::-1])
    one, all_of = graph.constant(np.array(1, np.int32)), graph.constant(lengths)
    body = Graph(graph)
    raised = body.add("Add", "count", body.add("Gather", strides, "step"))
    place = body.add("Sub", body.add("Min", raised, all_of), one)
    counts = body.add("LessOrEqual", look_up(body, "knot", place), rows)
    counts = body.add("And", counts, body.add("LessOrEqual", raised, all_of))
    body.add("Where", counts, raised, "count", name="next_count")
    nothing = graph.constant(np.array(0, np.int32))
    count = graph.add("Expand", nothing, graph.add("Shape", rows))
    return graph.add_loop(n_steps, body, count, ("count", "next_count"))


def _add_walk(graph: Graph, forest: ForestArrays, rows: str, may_miss: bool) -> str:
    """Add the way down all trees; the result is the leaf of each row and tree, of all leaves."""
    n_rows = graph.add("Shape", rows, start=0, end=1)
    n_trees = graph.constant(np.array([forest.n_trees]))
    size = graph.add("Concat", n_rows, n_trees, axis=0)
    roots = graph.constant(forest.tree_offsets[:-1].astype(np.int32))
    nodes = graph.add("Expand", roots, size)
    n_steps = int(forest.depth().max())
    if n_steps:
        body = _make_step(graph, forest, rows, may_miss)
        nodes = graph.add_loop(n_steps, body, nodes, ("node", "next_node"))
    leaf = forest.left < 0
    numbers = np.where(leaf, forest.leaf_offsets[forest.node_trees()] - 1 - forest.left, 0)
    return graph.add("Gather", graph.constant(numbers.astype(np.int32)), nodes)


def _make_step(graph: Graph, forest: ForestArrays, rows: str, may_miss: bool) -> Graph:
    """The body of the loop: from nodes to their children, from leaves to themselves."""
    leaf = forest.left < 0
    first = forest.tree_offsets[forest.node_trees()]
    tables = _NodeTables(graph, Graph(graph), forest.n_trees)
    terms = _add_tables_of_terms(graph, tables, forest, rows, may_miss)
    left = np.where(leaf, np.arange(forest.n_nodes), first + forest.left)
    child = tables.append(left.astype(np.int32))
    # Whatever is projected at a leaf stays there.
    limit = tables.append(np.where(leaf, np.float32(np.inf), forest.threshold))
    missing_left = tables.append((leaf | (forest.missing_left > 0)).astype(np.int32))
    body = tables.gather()

    value = terms.add_up(tables, body)
    goes_left = body.add("LessOrEqual", value, tables.column(limit))
    if may_miss:
        stays = body.add("Cast", tables.column(missing_left), to=graph.type_of(np.bool_))
        stays = body.add("And", body.add("IsNaN", value), stays)
        goes_left = body.add("Or", goes_left, stays)
    right = body.add("Cast", body.add("Not", goes_left), to=graph.type_of(np.int32))
    body.add("Add", tables.column(child), right, name="next_node")
    return body


class _NodeTables:
    """What is known of each node, in one table of integers and one of floats.

    A step looks up all of it at once: to gather a row costs little more than to gather a number.
    """

    def __init__(self, graph: Graph, body: Graph, n_trees: int) -> None:
        self._graph = graph
        self._body = body
        self._columns: dict[Any, list[NDArray[Any]]] = {np.int32: [], np.float32: []}
        self._gathered: dict[Any, str] = {}
        self.n_trees = n_trees

    def append(self, columns: NDArray[Any]) -> tuple[Any, int, int]:
        """Append columns; the result tells where they are."""
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
        """Columns of the nodes, of shape (rows, trees, columns)."""
        kind, start, stop = where
        ends = (self._graph.constant(np.array([n])) for n in (start, stop, 2))
        return self._body.add("Slice", self._gathered[kind], *ends)

    def column(self, where: tuple[Any, int, int]) -> str:
        """A single column, of shape (rows, trees)."""
        return self.reshape(self.columns(where), self.n_trees)

    def reshape(self, array: str, *shape: int) -> str:
        """The array with another shape of each row."""
        return self._body.add("Reshape", array, self._graph.constant(np.array([0, *shape])))


class _Terms(NamedTuple):
    """Terms of directions: which columns of what, times which weights."""

    of: str
    dtype: type  # what they are added in
    n_terms: int
    columns: tuple[Any, int, int]
    weights: tuple[Any, int, int]

    @classmethod
    def tabulate(
        cls, tables: _NodeTables, directions: csr_array, of: str, dtype: type = np.float32
    ) -> Self:
        """Append the terms to the tables, as many for each node.

        Directions with fewer terms than others go on with a column of zeros after all others.
        """
        lengths = np.diff(directions.indptr)
        n_terms = int(lengths.max())
        fill = _Padding(lengths)
        columns = fill(directions.indices.astype(np.int32), directions.shape[1])
        weights = fill(directions.data.astype(np.float32), 0.0)
        return cls(of, dtype, n_terms, tables.append(columns), tables.append(weights))

    def list_up(self, tables: _NodeTables, body: Graph) -> str:
        """Add, inside the loop, the terms of each row at its node."""
        weights = body.add("Cast", tables.columns(self.weights), to=body.type_of(self.dtype))
        entries = _look_up_columns(tables, body, self.of, self.columns)
        return body.add("Mul", weights, entries)

    def add_up(self, tables: _NodeTables, body: Graph) -> str:
        """Add, inside the loop, the sum of the terms of each row at its node."""
        return _add_one_by_one(tables, body, self.list_up(tables, body), self.n_terms)


class _Codes(NamedTuple):
    """Terms over categorical features: the codes that their categories have at each node.

    The codes of a feature at a node lie in one run of a long table, from its first category with a
    code to its last; all other categories are worth nothing.
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
        cls, graph: Graph, tables: _NodeTables, forest: ForestArrays, directions: Any, of: str
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
        fill = _Padding(counts)
        parts = (features[begins], categories[begins], starts, lengths)
        nothing = (forest.n_features, 0, 0, 0)
        columns_at, first, starts_at, lengths_at = (
            tables.append(fill(part.astype(np.int32), none))
            for part, none in zip(parts, nothing, strict=True)
        )
        n_terms = int(counts.max())
        where = (columns_at, first, starts_at, lengths_at)
        return cls(of, n_terms, *where, graph.constant(codes))

    def list_up(self, tables: _NodeTables, body: Graph) -> str:
        """Add, inside the loop, the codes of each row at its node; NaN for missing categories."""
        numbers = _look_up_columns(tables, body, self.of, self.columns)
        missing = body.add("IsNaN", numbers)
        # A number that is no integer stands for the category below it, as in the core; what is no
        # category at all must not leave the range of int32.
        low, high = (body.constant(np.array(end, np.float32)) for end in (-1.0, MOST_CATEGORIES))
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

    def add_up(self, tables: _NodeTables, body: Graph) -> str:
        """Add, inside the loop, the sum of the codes of each row at its node."""
        return _add_one_by_one(tables, body, self.list_up(tables, body), self.n_terms)


class _Patches(NamedTuple):
    """Terms over running sums, and those that count the missing cells."""

    values: _Terms
    missing: _Terms | None

    def add_up(self, tables: _NodeTables, body: Graph) -> str:
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
    codes: _Codes | None

    def add_up(self, tables: _NodeTables, body: Graph) -> str:
        """Add, inside the loop, the value of each row along the direction of its node."""
        if self.numbers is not None and self.codes is not None:
            # Numbers first and then one code after the other, as in the core.
            parts = [part.list_up(tables, body) for part in (self.numbers, self.codes)]
            terms = body.add("Concat", *parts, axis=2)
            n_terms = self.numbers.n_terms + self.codes.n_terms
            return _add_one_by_one(tables, body, terms, n_terms)
        values = [part.add_up(tables, body) for part in self if part is not None]
        # A direction is over features or over running sums; the other part is zero.
        return body.add("Add", *values) if len(values) == 2 else values[0]


class _Padding:
    """Puts entries of nodes into a matrix with a row per node, and something after the last."""

    def __init__(self, lengths: NDArray[Any]) -> None:
        self._filled = np.arange(int(lengths.max())) < lengths[:, None]

    def __call__(self, entries: NDArray[Any], nothing: float) -> NDArray[Any]:
        padded = np.full(self._filled.shape, nothing, dtype=entries.dtype)
        padded[self._filled] = entries
        return padded


def _look_up_columns(
    tables: _NodeTables, body: Graph, of: str, columns: tuple[Any, int, int]
) -> str:
    """Add, inside the loop, entries of rows in columns that depend on the node."""
    n_terms = columns[2] - columns[1]
    places = tables.reshape(tables.columns(columns), tables.n_trees * n_terms)
    entries = body.add("GatherElements", of, places, axis=1)
    return tables.reshape(entries, tables.n_trees, n_terms)


def _add_one_by_one(tables: _NodeTables, body: Graph, terms: str, n_terms: int) -> str:
    """Add, inside the loop, the sum of the terms in their order; ReduceSum may have another."""
    sums = body.add("CumSum", terms, body.constant(np.array(2)))
    ends = (body.constant(np.array([n])) for n in (n_terms - 1, n_terms, 2))
    return tables.reshape(body.add("Slice", sums, *ends), tables.n_trees)


def _add_tables_of_terms(
    graph: Graph, tables: _NodeTables, forest: ForestArrays, rows: str, may_miss: bool
) -> _Directions:
    """The terms over features, over running sums and over categories."""
    directions: Any = forest.stored_directions()
    over_features = directions[:, : forest.n_features]
    others = directions[:, forest.n_features :]
    numbers = patches = codes = None
    columns = _append_zeros(graph, rows)
    if over_features.nnz:
        numbers = _Terms.tabulate(tables, over_features, columns)
    if others.nnz and len(forest.n_categories):
        codes = _Codes.tabulate(graph, tables, forest, others, columns)
    elif others.nnz:
        sums, missing = _add_running_sums(graph, forest, rows, may_miss)
        values = _Terms.tabulate(tables, others, sums, np.float64)
        counts = None
        if missing is not None:
            touched = _touched_cells(forest, np.diff(others.indptr) > 0)
            counts = _Terms.tabulate(tables, touched, missing, np.float64)
        patches = _Patches(values, counts)
    return _Directions(numbers, patches, codes)


def _touched_cells(forest: ForestArrays, over_sums: NDArray[np.bool_]) -> csr_array:
    """The cells of patches as sums over running sums: each cell once, whatever its weight.

    Weights of a patch may have both signs, so that those of its missing cells could cancel.
    """
    corners: Any = eye_array(1)
    for length, runs in zip(forest.grid_shape, forest.grid_contiguous, strict=True):
        # A cell is the running sum after it less the one before it.
        axis = eye_array(length, length + bool(runs), k=int(bool(runs)))
        corners = kron(corners, axis - eye_array(*axis.shape) if runs else axis)
    touched = []
    for tree in range(forest.n_trees):
        cells = forest.directions(tree)
        cells.data[:] = 1.0
        keep = over_sums[slice(*forest.tree_offsets[tree : tree + 2])]
        found = csr_array(diags_array(keep.astype(np.float64)) @ cells @ corners)
        found.eliminate_zeros()
        touched.append(found)
    result: csr_array = csr_array(vstack(touched))
    result.sort_indices()
    return result


def _append_zeros(graph: Graph, columns: str) -> str:
    return graph.add("Pad", columns, graph.constant(np.array([0, 0, 0, 1])))


def _add_running_sums(
    graph: Graph, forest: ForestArrays, rows: str, may_miss: bool
) -> tuple[str, str | None]:
    """Add running sums of the cells, and of missing ones if there may be some, as columns."""
    cells = graph.add("Cast", rows, to=graph.type_of(np.float64))
    if not may_miss:
        return _add_sums_of(graph, forest, cells), None
    missing = graph.add("IsNaN", cells)
    present = graph.add("Where", missing, graph.constant(np.array(0.0)), cells)
    counted = graph.add("Cast", missing, to=graph.type_of(np.float64))
    return _add_sums_of(graph, forest, present), _add_sums_of(graph, forest, counted)


def _add_sums_of(graph: Graph, forest: ForestArrays, cells: str) -> str:
    contiguous = forest.grid_contiguous > 0
    grid = graph.constant(np.array([-1, *forest.grid_shape]))
    sums = graph.add("Reshape", cells, grid)
    before = np.concatenate([[0], contiguous, np.zeros(1 + len(contiguous))]).astype(np.int64)
    sums = graph.add("Pad", sums, graph.constant(before))
    for axis in np.flatnonzero(contiguous):
        sums = graph.add("CumSum", sums, graph.constant(np.array(axis + 1)))
    return _append_zeros(graph, graph.add("Flatten", sums, axis=1))


def _add_means(graph: Graph, forest: BaseForest, leaves: str) -> str:
    """Add the mean over the trees of leaf values or votes."""
    arrays = forest.fitted_.voting_arrays
    values = arrays.leaf_values().toarray()
    trees = graph.constant(np.array([1]))
    sums = graph.add(
        "ReduceSum", graph.add("Gather", graph.constant(values), leaves), trees, keepdims=0
    )
    return graph.add("Div", sums, graph.constant(np.array(float(arrays.n_trees))))


def _add_labels(graph: Graph, classes: NDArray[Any], means: str) -> dict[str, Any]:
    probabilities = graph.add("Identity", means, name="probabilities")
    best = graph.add("ArgMax", means, axis=1, keepdims=0)
    texts = classes.dtype.kind in "UO"
    known = graph.constant(classes.astype(str) if texts else classes)
    label = graph.add("Gather", known, best, name="label")
    return {
        label: (np.str_ if texts else classes.dtype, [None]),
        probabilities: (np.float64, [None, len(classes)]),
    }


def _add_prediction(graph: Graph, n_outputs: int, means: str) -> dict[str, Any]:
    if n_outputs > 1:
        return {graph.add("Identity", means, name="prediction"): (np.float64, [None, n_outputs])}
    outputs = graph.constant(np.array([1]))
    return {graph.add("Squeeze", means, outputs, name="prediction"): (np.float64, [None])}
