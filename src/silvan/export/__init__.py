"""Forests for other programs and for readers: ONNX models, text and plain dictionaries."""

from silvan.export.onnx import to_onnx, to_onnx_input
from silvan.export.readable import to_dict, to_text

__all__ = ["to_dict", "to_onnx", "to_onnx_input", "to_text"]
