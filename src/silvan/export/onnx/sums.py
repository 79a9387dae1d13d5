"""Running sums of the cells of a grid, in an ONNX model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, eye_array, kron, vstack

from silvan.export.onnx.graph import Graph
from silvan.forest_arrays import ForestArrays


def touched_cells(forest: ForestArrays, over_sums: NDArray[np.bool_]) -> csr_array:
    """The cells of patches as sums over running sums: each cell once, whatever its coefficient.

    Coefficients of a patch may have both signs, so that those of its missing cells could cancel.
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


def append_zeros(graph: Graph, columns: str) -> str:
    """Add a column of zeros after all others, which padded terms read."""
    return graph.add("Pad", columns, graph.constant(np.array([0, 0, 0, 1])))


def add_running_sums(
    graph: Graph, forest: ForestArrays, samples: str, may_miss: bool
) -> tuple[str, str | None]:
    """Add running sums of the cells, and of missing ones if there may be some, as columns."""
    cells = graph.add("Cast", samples, to=graph.type_of(np.float64))
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
    return append_zeros(graph, graph.add("Flatten", sums, axis=1))
