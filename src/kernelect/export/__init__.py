"""Models without Python: one header of C, a graph of ONNX, a function of JavaScript.

>>> from sklearn.datasets import load_iris
>>> from kernelect import LSSVC
>>> from kernelect.export import to_c
>>> X, y = load_iris(return_X_y=True)
>>> len(to_c(LSSVC("rbf").fit(X, y))) > 1000
True
"""

from kernelect.export.c import to_c
from kernelect.export.dialect import Dialect
from kernelect.export.javascript import to_javascript
from kernelect.export.loops import Loops
from kernelect.export.onnx_model import onnx_inputs, to_onnx
from kernelect.export.prepare import prepared
from kernelect.export.program import Program
from kernelect.export.reduce import SizeCurve, reduce, size_curve
from kernelect.export.reduction import Reduction
from kernelect.export.skl2onnx import register_skl2onnx
from kernelect.export.targets import ExportOptions, ExportTarget

__all__ = [
    "Dialect",
    "ExportOptions",
    "ExportTarget",
    "Loops",
    "Program",
    "Reduction",
    "SizeCurve",
    "onnx_inputs",
    "prepared",
    "reduce",
    "register_skl2onnx",
    "size_curve",
    "to_c",
    "to_javascript",
    "to_onnx",
]
