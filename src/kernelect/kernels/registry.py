"""The kernels by name, as the ``kernel`` argument of the estimators takes them.

A kernel is declared here once. The names in messages and on the command line, what a saved model
may hold and the laws of the tests follow from it.
"""

from __future__ import annotations

from functools import partial

from kernelect.exceptions import InvalidArgument
from kernelect.kernels.base import Kernel
from kernelect.kernels.categories import Agreement, Category
from kernelect.kernels.composite import OnColumns, Product, Sum
from kernelect.kernels.dot_product import Constant, Linear, Polynomial
from kernelect.kernels.function import FunctionKernel
from kernelect.kernels.precomputed import Precomputed
from kernelect.kernels.products import ProductLaplace, ProductMatern
from kernelect.kernels.rational_quadratic import RationalQuadratic
from kernelect.kernels.stationary import ARD, RBF, Matern
from kernelect.kernels.translation import SklearnKernel, from_sklearn, is_sklearn_kernel
from kernelect.registry import Registry

KERNELS: Registry[Kernel] = Registry("kernel", Kernel)  # type: ignore[type-abstract]

KERNELS.register(ARD, "ard")
KERNELS.register(RBF, "rbf")
KERNELS.register(Matern, "matern32", make=partial(Matern, 1.5))
KERNELS.register(Matern, "matern52", make=partial(Matern, 2.5))
KERNELS.register(Matern, "matern32-ard", make=partial(Matern, 1.5, elliptical=True))
KERNELS.register(Matern, "matern52-ard", make=partial(Matern, 2.5, elliptical=True))
KERNELS.register(RationalQuadratic, "rational-quadratic")
KERNELS.register(RationalQuadratic, "rational-quadratic-ard", make=partial(RationalQuadratic, elliptical=True))
KERNELS.register(ProductLaplace, "product-laplace")
KERNELS.register(ProductMatern, "product-matern32")
KERNELS.register(Category, "category")
KERNELS.register(Agreement, "agreement")
KERNELS.register(Linear, "linear")
KERNELS.register(Polynomial, "polynomial")
KERNELS.register(Precomputed, "precomputed")
for _part in (
    Constant,
    Sum,
    Product,
    OnColumns,
    SklearnKernel,
    FunctionKernel,
):  # built from other parts: stored by models, but without a name
    KERNELS.register(_part)


def as_kernel(kernel: object) -> Kernel:
    """Return ``kernel`` as a :class:`Kernel`: by name, as it is, from scikit-learn, or a function."""
    if isinstance(kernel, Kernel | str | type):
        return KERNELS.resolve(kernel)
    if is_sklearn_kernel(kernel):
        return from_sklearn(kernel)
    if callable(kernel):
        return FunctionKernel(kernel)
    raise InvalidArgument(
        f"kernel={kernel!r} must be a name ({', '.join(map(repr, KERNELS.names))}), "
        "an object of kernelect.kernels, one of sklearn.gaussian_process.kernels or a function of two arrays of rows."
    )
