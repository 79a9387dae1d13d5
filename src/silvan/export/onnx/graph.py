"""A model of ONNX while it is put together: operators, constants, loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_OPSET = 17
_IR_VERSION = 8
_MAX_MODEL_BYTES = 2**31 - 1  # of a protobuf message


class Graph:
    """A list of operators that grows; results are known by their names."""

    def __init__(self, parent: Graph | None = None) -> None:
        self._onnx = _import_onnx()
        self._nodes: list[Any] = []
        # A body of a loop sees the constants of the graph around it.
        self._constants: list[Any] = [] if parent is None else parent._constants
        self._names: list[None] = [] if parent is None else parent._names

    def type_of(self, dtype: Any) -> int:
        """What ONNX calls a type of NumPy."""
        kind: int = self._onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        return kind

    def constant(self, array: NDArray[Any]) -> str:
        """Append a constant."""
        name = self._new_name("constant")
        if array.dtype.kind == "U":
            array = array.astype(object)
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def add(self, operator: str, *inputs: str, name: str | None = None, **attributes: Any) -> str:
        """Append an operator of one result."""
        output = name or self._new_name(operator.lower())
        self._nodes.append(self._onnx.helper.make_node(operator, inputs, [output], **attributes))
        return output

    def add_loop(self, n_steps: int, body: Graph, state: str, names: tuple[str, str]) -> str:
        """Repeat a body that turns one state into the next; `names` are those inside of it."""
        helper = self._onnx.helper
        int64, int32, flag = map(self.type_of, (np.int64, np.int32, np.bool_))
        go_on = body.add("Identity", "go_on")
        inside = helper.make_graph(
            body._nodes,
            "step",
            [
                helper.make_tensor_value_info("step", int64, []),
                helper.make_tensor_value_info("go_on", flag, []),
                helper.make_tensor_value_info(names[0], int32, None),
            ],
            [
                helper.make_tensor_value_info(go_on, flag, []),
                helper.make_tensor_value_info(names[1], int32, None),
            ],
        )
        count = self.constant(np.array(n_steps))
        return self.add("Loop", count, "", state, body=inside)

    def finish(self, inputs: dict[str, Any], outputs: dict[str, Any]) -> Any:
        """The model, given types and shapes of its inputs and outputs."""
        helper = self._onnx.helper

        def describe(values: dict[str, Any]) -> list[Any]:
            return [
                helper.make_tensor_value_info(
                    name,
                    self._onnx.TensorProto.STRING if dtype is np.str_ else self.type_of(dtype),
                    shape,
                )
                for name, (dtype, shape) in values.items()
            ]

        graph = helper.make_graph(
            self._nodes, "silvan", describe(inputs), describe(outputs), self._constants
        )
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", _OPSET)],
            ir_version=_IR_VERSION,
            producer_name="silvan",
        )
        if model.ByteSize() > _MAX_MODEL_BYTES:
            raise ValueError(
                f"the model would take {model.ByteSize():,} bytes, but an ONNX file has at most "
                f"{_MAX_MODEL_BYTES:,}; export a forest with fewer trees, or limit their depth."
            )
        self._onnx.checker.check_model(model)
        return model

    def describe(self, model: Any, facts: dict[str, str]) -> None:
        """Write facts into the metadata of a model."""
        self._onnx.helper.set_model_props(model, facts)

    def _new_name(self, kind: str) -> str:
        self._names.append(None)
        return f"{kind}_{len(self._names)}"


def _import_onnx() -> Any:
    try:
        import onnx
        import onnx.checker
        import onnx.helper
        import onnx.numpy_helper
    except ImportError as error:
        raise ImportError(
            "exporting to ONNX needs the package onnx, which is not installed; install "
            "silvan[onnx]."
        ) from error
    return onnx
