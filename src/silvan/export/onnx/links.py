"""From the raw scores of a boosted forest to its predictions, in an ONNX model."""

from __future__ import annotations

from silvan._validation import invalid
from silvan.export.onnx.graph import Graph
from silvan.losses import BinaryLogLoss, Gamma, Loss, MultinomialLogLoss, Poisson


def add_link(graph: Graph, loss: Loss, raw: str) -> str:
    """Add what the loss makes of raw scores: means, or a column for each class."""
    if type(loss).inverse_link is Loss.inverse_link:
        return raw
    if type(loss) in (Poisson, Gamma):
        return graph.add("Exp", raw)
    if type(loss) is MultinomialLogLoss:
        return graph.add("Softmax", raw, axis=1)
    if type(loss) is BinaryLogLoss:
        first = graph.add("Sigmoid", graph.add("Neg", raw))
        return graph.add("Concat", first, graph.add("Sigmoid", raw), axis=1)
    raise invalid(
        "loss",
        "one of silvan.losses, or without a link of its own, for a forest to be written as ONNX",
        loss,
        "export a forest with such a loss",
    )
