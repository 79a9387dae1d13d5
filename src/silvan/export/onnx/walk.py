"""The way down all trees in an ONNX model: a loop that goes from nodes to their children."""

from __future__ import annotations

import numpy as np

from silvan.export.onnx.directions import add_directions
from silvan.export.onnx.graph import Graph
from silvan.export.onnx.tables import NodeTables
from silvan.forest_arrays import ForestArrays


def add_walk(graph: Graph, forest: ForestArrays, samples: str, may_miss: bool) -> str:
    """Add the way down all trees; return the leaf of each sample in each tree."""
    n_samples = graph.add("Shape", samples, start=0, end=1)
    n_trees = graph.constant(np.array([forest.n_trees]))
    size = graph.add("Concat", n_samples, n_trees, axis=0)
    roots = graph.constant(forest.tree_offsets[:-1].astype(np.int32))
    nodes = graph.add("Expand", roots, size)
    n_steps = int(forest.depth().max())
    if n_steps:
        body = _make_step(graph, forest, samples, may_miss)
        nodes = graph.add_loop(n_steps, body, nodes, ("node", "next_node"))
    leaf = forest.left < 0
    numbers = np.where(leaf, forest.leaf_offsets[forest.node_trees()] - 1 - forest.left, 0)
    return graph.add("Gather", graph.constant(numbers.astype(np.int32)), nodes)


def _make_step(graph: Graph, forest: ForestArrays, samples: str, may_miss: bool) -> Graph:
    """The body of the loop: from nodes to their children, from leaves to themselves."""
    leaf = forest.left < 0
    first = forest.tree_offsets[forest.node_trees()]
    tables = NodeTables(graph, Graph(graph), forest.n_trees)
    terms = add_directions(graph, tables, forest, samples, may_miss)
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
