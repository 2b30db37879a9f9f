"""Why this row: exact Shapley values of kernel expansions.

>>> from sklearn.datasets import load_iris
>>> from kernelect import LSSVC
>>> from kernelect.explain import shapley_values
>>> X, y = load_iris(return_X_y=True)
>>> found = shapley_values(LSSVC("rbf").fit(X, y), X[:2])
>>> found.values.shape
(2, 4, 3)
"""

from kernelect.lazy import offered

__getattr__, __all__ = offered(__name__)
