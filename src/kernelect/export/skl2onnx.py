"""Converters for skl2onnx, so that it converts pipelines that end in an estimator of this library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.estimators import GPC, GPR, LSSVC, LSSVR, RVC, RVR, SVC, BasisSearchRegressor
from kernelect.exceptions import MissingCapability
from kernelect.export.models import program_of
from kernelect.export.onnx_model import label_array
from kernelect.export.onnx_nodes import OnnxNodes
from kernelect.extras import load_extra

#: The first version of the operators in which all reductions take their axes as an input.
_LEAST_OPSET = 18

_CLASSIFIERS = (LSSVC, SVC, GPC, RVC)
_REGRESSORS = (LSSVR, GPR, RVR, BasisSearchRegressor)


def register_skl2onnx() -> None:
    """Let ``skl2onnx.to_onnx`` convert pipelines that end in an estimator of this library.

    Other steps of the pipeline are converted by skl2onnx itself. Give ``target_opset=18`` or later.
    """
    skl2onnx = load_extra("skl2onnx", caller="register_skl2onnx", extra="skl2onnx")
    options = {"zipmap": [True, False, "columns"], "nocl": [True, False], "output_class_labels": [True, False]}
    for cls in (*_CLASSIFIERS, *_REGRESSORS):
        is_classifier = cls in _CLASSIFIERS
        skl2onnx.update_registered_converter(
            cls,
            f"Kernelect{cls.__name__}",
            _classifier_shapes if is_classifier else _regressor_shapes,
            _convert,
            overwrite=True,
            options=options if is_classifier else None,
        )


def _numbers_like(variable: Any, size: int) -> Any:
    """Return the type of an output with as many rows as the input and its precision."""
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    kind = DoubleTensorType if isinstance(variable.type, DoubleTensorType) else FloatTensorType
    return kind([variable.get_first_dimension(), size])


def _classifier_shapes(operator: Any) -> None:
    from skl2onnx.common.data_types import Int64TensorType, StringTensorType

    classes = operator.raw_operator.classes_
    kind = Int64TensorType if label_array(tuple(classes.tolist())).dtype.kind == "i" else StringTensorType
    rows = operator.inputs[0].get_first_dimension()
    operator.outputs[0].type = kind([rows])
    operator.outputs[1].type = _numbers_like(operator.inputs[0], len(classes))


def _regressor_shapes(operator: Any) -> None:
    size = program_of(operator.raw_operator).result.shape[0]
    operator.outputs[0].type = _numbers_like(operator.inputs[0], size)


@dataclass(kw_only=True)
class _Container:
    """Nodes handed on to skl2onnx."""

    scope: Any
    container: Any

    def node(self, operator: str, inputs: list[str], **attributes: Any) -> str:
        output: str = attributes.pop("output", None) or self.scope.get_unique_variable_name("kernelect")
        name = self.scope.get_unique_operator_name(f"kernelect_{operator}")
        self.container.add_node(operator, inputs, [output], name=name, **attributes)
        return output

    def constant(self, values: Any) -> str:
        onnx = load_extra("onnx", caller="register_skl2onnx", extra="onnx")
        name: str = self.scope.get_unique_variable_name("kernelect_c")
        tensor = onnx.numpy_helper.from_array(np.asarray(values), name)
        content = list(np.asarray(values).ravel()) if tensor.data_type == onnx.TensorProto.STRING else values.ravel()
        self.container.add_initializer(name, tensor.data_type, list(np.shape(values)), content)
        return name

    def cast(self, name: str, kind: Any) -> str:
        onnx = load_extra("onnx", caller="register_skl2onnx", extra="onnx")
        return self.node("Cast", [name], to=onnx.helper.np_dtype_to_tensor_dtype(np.dtype(kind)))


def _convert(scope: Any, operator: Any, container: Any) -> None:
    from skl2onnx.common.data_types import DoubleTensorType

    if container.target_opset < _LEAST_OPSET:
        raise MissingCapability(
            f"target_opset={container.target_opset} lacks operators that an exported model needs: give "
            f"target_opset={_LEAST_OPSET} or later."
        )
    sink, variable = _Container(scope=scope, container=container), operator.inputs[0]
    is_double = isinstance(variable.type, DoubleTensorType)
    numbers = variable.full_name if is_double else sink.cast(variable.full_name, np.float64)
    program = program_of(operator.raw_operator)
    nodes = OnnxNodes(
        program=program, sink=sink, numbers=numbers, categories="", real=np.float64 if is_double else np.float32
    )
    result = nodes.add(program.result)
    if program.classes is None:
        sink.node("Identity", [result], output=operator.outputs[0].full_name)
        return
    sink.node("Identity", [result], output=operator.outputs[1].full_name)
    best = sink.node("ArgMax", [result], axis=1, keepdims=0)
    labels = sink.constant(label_array(program.classes))
    sink.node("Gather", [labels, best], axis=0, output=operator.outputs[0].full_name)
