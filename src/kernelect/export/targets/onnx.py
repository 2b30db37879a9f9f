"""ONNX: a graph of plain operators."""

from __future__ import annotations

from typing import Any

from kernelect.export.onnx_model import to_onnx
from kernelect.export.targets import ExportOptions, ExportTarget


class OnnxGraph(ExportTarget):
    """A graph of plain operators, see :func:`kernelect.export.to_onnx`."""

    words = "ONNX"
    file = "model.onnx"
    takes = ("single",)

    def write(self, model: Any, options: ExportOptions) -> bytes:
        found: bytes = to_onnx(model, real="float32" if options.single else "double").SerializeToString()
        return found
