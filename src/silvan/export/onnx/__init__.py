"""Forests as ONNX models: the same walk down all trees at once, in standard operators.

The model keeps the node that each sample has reached in each tree. One step of a loop projects the
samples on the directions of these nodes and goes on to a child; a leaf is its own child. Terms are
added one by one in float32, over running sums in float64, as the native core does it, so that every
sample ends in the same leaf.
"""

from silvan.export.onnx.model import to_onnx, to_onnx_input

__all__ = ["to_onnx", "to_onnx_input"]
