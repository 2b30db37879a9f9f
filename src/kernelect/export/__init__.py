"""Models without Python: one header of C, a graph of ONNX, a function of JavaScript.

>>> from sklearn.datasets import load_iris
>>> from kernelect import LSSVC
>>> from kernelect.export import to_c
>>> X, y = load_iris(return_X_y=True)
>>> len(to_c(LSSVC("rbf").fit(X, y))) > 1000
True
"""

from kernelect.export.c import to_c

__all__ = ["to_c"]
