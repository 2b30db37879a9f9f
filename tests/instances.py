"""The lists over which laws run: a new part adds a line and inherits them."""

import numpy as np
from sklearn.gaussian_process import kernels as sk

from kernelect.kernels import (
    ARD,
    RBF,
    Agreement,
    Category,
    Constant,
    FunctionKernel,
    Linear,
    Matern,
    Polynomial,
    ProductLaplace,
    ProductMatern,
    RationalQuadratic,
    from_sklearn,
)
from kernelect.kernels import KERNELS as REGISTERED

#: Kernels for data of three inputs.
WIDTHS = np.array([0.1, 0.4, 0.25])
KERNELS = {
    "rbf": RBF(0.3),
    "ard": ARD(WIDTHS),
    "matern32": Matern(1.5, 0.3),
    "matern52": Matern(2.5, 0.3),
    "matern32-ard": Matern(1.5, WIDTHS),
    "matern52-ard": Matern(2.5, WIDTHS),
    "rational-quadratic": RationalQuadratic(0.3, alpha=0.7),
    "rational-quadratic-ard": RationalQuadratic(WIDTHS, alpha=2.5),
    "product-laplace": ProductLaplace(WIDTHS),
    "product-matern32": ProductMatern(WIDTHS),
    "category": Category(WIDTHS),
    "agreement": Agreement(),
    "numbers and categories": ProductLaplace([0.3, 0.2]).on([2, 0]) * Category([0.8]).on([1]),
    "on columns": (RBF(0.3) + Linear()).on([1, 2]),
    "linear": Linear(),
    "polynomial": Polynomial(3, gamma=0.2, coef0=0.7),
    "constant": Constant(2.0),
    "scaled ard plus constant": 2.0 * ARD(WIDTHS) + Constant(0.1),
    "sum and product": RBF(0.3) * Polynomial(2, gamma=0.2, coef0=0.7) + Matern(1.5, 0.4) * 3.0,
    "rbf plus linear": RBF(0.3) + 0.5 * Linear(),
    "from scikit-learn, translated": from_sklearn(
        sk.ConstantKernel(2.0, "fixed") * sk.RBF([1.0, 2.0, 3.0], "fixed") + sk.Matern(1.5, "fixed", nu=1.5)
    ),
    "from scikit-learn, wrapped": from_sklearn(sk.RationalQuadratic(1.5, 0.8)),
    "function": FunctionKernel(sk.RBF(1.5)),
}

#: A registered kernel without a line above stands here as it starts on some rows.
_ROWS = np.random.default_rng(0).normal(size=(12, 3))
for _name in REGISTERED.names:
    if _name not in (*KERNELS, "precomputed"):  # whose inputs are kernel values
        KERNELS[_name] = REGISTERED.make(_name).start(_ROWS)

#: Those with one width or more.
WITH_WIDTHS = [name for name, kernel in KERNELS.items() if len(kernel.space(np.eye(3)).all_widths)]


def wavy(n=60, seed=0):
    """Two inputs, a wavy real target and noisy labels of it."""
    generator = np.random.default_rng(seed)
    X = generator.uniform(-3, 3, size=(n, 2))
    f = np.sin(X[:, 0]) + 0.5 * X[:, 1]
    return X, f + 0.3 * generator.normal(size=n), np.where(f + 0.4 * generator.normal(size=n) > 0, 1.0, -1.0)
