"""The scaling of features in an ONNX model: linear, or by ranks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from silvan.export.onnx.graph import Graph
from silvan.forests.base import BaseForest
from silvan.forests.scaling import LARGEST_FLOAT32, LinearScaler
from silvan.preprocessing import RankScaler


def add_scaling(graph: Graph, forest: BaseForest, samples: str) -> str:
    """Add the scaling of the features, if the forest has one; categories stay as they are."""
    scaler, n_categories = forest.fitted_.scaler, forest.forest_.n_categories
    if scaler is None:
        return samples
    samples = graph.add("Cast", samples, to=graph.type_of(np.float64))
    if isinstance(scaler, RankScaler):
        scaled = _add_ranks(graph, scaler, samples)
    else:
        scaled = _add_linear_scaling(graph, scaler, samples)
    if not len(n_categories):
        return scaled
    return graph.add("Where", graph.constant(n_categories > 0), samples, scaled)


def _add_linear_scaling(graph: Graph, scaler: LinearScaler, samples: str) -> str:
    samples = graph.add("Sub", samples, graph.constant(scaler.centre))
    samples = graph.add("Div", samples, graph.constant(scaler.width))
    # The operator Clip need not keep NaN.
    for comparison, limit in (("Greater", LARGEST_FLOAT32), ("Less", -LARGEST_FLOAT32)):
        end = graph.constant(np.array(limit))
        samples = graph.add("Where", graph.add(comparison, samples, end), end, samples)
    return samples


def _add_ranks(graph: Graph, scaler: RankScaler, samples: str) -> str:
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

    count = _add_binary_search(graph, samples, lengths, look_up)
    at = graph.add("Max", graph.add("Sub", count, one), graph.constant(np.array(0, np.int32)))
    above = graph.add("Min", graph.add("Add", at, one), last)
    lower, upper = (look_up(graph, "knot", place) for place in (at, above))
    low, high = (look_up(graph, "rank", place) for place in (at, above))
    half, zero = graph.constant(np.array(0.5)), graph.constant(np.array(0.0))
    halves = [graph.add("Mul", value, half) for value in (samples, lower, upper)]
    width = graph.add("Sub", halves[2], halves[1])
    step = graph.add("Div", graph.add("Sub", halves[0], halves[1]), width)
    step = graph.add("Where", graph.add("Greater", width, zero), step, zero)
    scaled = graph.add("Add", low, graph.add("Mul", step, graph.add("Sub", high, low)))

    ends = (graph.constant(np.array([v[i] for v in knots], np.float64)) for i in (0, -1))
    below = graph.add("Less", samples, next(ends))
    beyond = graph.add("Greater", samples, next(ends))
    scaled = graph.add("Where", below, zero, scaled)
    scaled = graph.add("Where", beyond, graph.constant(scaler.n_values_ + 1.0), scaled)
    missing = graph.constant(np.array(np.nan))
    return graph.add("Where", graph.add("IsNaN", samples), missing, scaled)


def _add_binary_search(
    graph: Graph, samples: str, lengths: NDArray[np.int32], look_up: Callable[..., str]
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
    counts = body.add("LessOrEqual", look_up(body, "knot", place), samples)
    counts = body.add("And", counts, body.add("LessOrEqual", raised, all_of))
    body.add("Where", counts, raised, "count", name="next_count")
    nothing = graph.constant(np.array(0, np.int32))
    count = graph.add("Expand", nothing, graph.add("Shape", samples))
    return graph.add_loop(n_steps, body, count, ("count", "next_count"))
