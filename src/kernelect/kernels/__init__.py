"""Kernels: Gram matrices, and the pullback of weights on them to their parameters.

>>> from kernelect.kernels import ARD, Constant
>>> 2.0 * ARD(gamma=[0.1, 0.5]) + Constant("auto")
Constant(constant=2.0) * ARD(gamma=array([0.1, 0.5])) + Constant(constant='auto')
"""

from typing import TYPE_CHECKING

from kernelect.lazy import lazily

if TYPE_CHECKING:
    from kernelect.kernels.base import Kernel
    from kernelect.kernels.categories import Agreement, Category
    from kernelect.kernels.columns import OnColumns
    from kernelect.kernels.composite import Product, Sum
    from kernelect.kernels.dot_product import Constant, InnerProduct, Linear, Polynomial
    from kernelect.kernels.parametric import Parameter, Parametric
    from kernelect.kernels.precomputed import Precomputed
    from kernelect.kernels.products import OverInputs, ProductLaplace, ProductMatern
    from kernelect.kernels.rational_quadratic import RationalQuadratic
    from kernelect.kernels.registry import KERNELS, as_kernel
    from kernelect.kernels.stationary import ARD, RBF, WIDTH, Matern, Stationary
    from kernelect.kernels.translation import SklearnKernel, from_sklearn

__all__ = [
    "ARD",
    "KERNELS",
    "RBF",
    "WIDTH",
    "Agreement",
    "Category",
    "Constant",
    "InnerProduct",
    "Kernel",
    "Linear",
    "Matern",
    "OnColumns",
    "OverInputs",
    "Parameter",
    "Parametric",
    "Polynomial",
    "Precomputed",
    "Product",
    "ProductLaplace",
    "ProductMatern",
    "RationalQuadratic",
    "SklearnKernel",
    "Stationary",
    "Sum",
    "as_kernel",
    "from_sklearn",
]

if not TYPE_CHECKING:  # so that type checkers report unknown names
    __getattr__ = lazily(
        __name__,
        {
            "base": ["Kernel"],
            "categories": ["Agreement", "Category"],
            "columns": ["OnColumns"],
            "composite": ["Product", "Sum"],
            "dot_product": ["Constant", "InnerProduct", "Linear", "Polynomial"],
            "translation": ["SklearnKernel", "from_sklearn"],
            "parametric": ["Parameter", "Parametric"],
            "precomputed": ["Precomputed"],
            "products": ["OverInputs", "ProductLaplace", "ProductMatern"],
            "rational_quadratic": ["RationalQuadratic"],
            "registry": ["KERNELS", "as_kernel"],
            "stationary": ["ARD", "RBF", "WIDTH", "Matern", "Stationary"],
        },
    )
