"""Kernels by name, as the ``kernel`` argument of the estimators takes them."""

from __future__ import annotations

from collections.abc import Callable

from kernelect.exceptions import InvalidArgument, unknown_name
from kernelect.kernels.base import Kernel
from kernelect.kernels.dot_product import Linear, Polynomial
from kernelect.kernels.from_sklearn import from_sklearn, is_sklearn_kernel
from kernelect.kernels.precomputed import Precomputed
from kernelect.kernels.stationary import ARD, RBF, Matern

_NAMED: dict[str, Callable[[], Kernel]] = {
    "ard": ARD,
    "rbf": RBF,
    "matern32": lambda: Matern(1.5),
    "matern52": lambda: Matern(2.5),
    "matern32-ard": lambda: Matern(1.5, elliptical=True),
    "matern52-ard": lambda: Matern(2.5, elliptical=True),
    "linear": Linear,
    "polynomial": Polynomial,
    "precomputed": Precomputed,
}

KERNEL_NAMES = tuple(_NAMED)


def as_kernel(kernel: object) -> Kernel:
    """Return ``kernel`` as a :class:`Kernel`: by name, as it is, or from scikit-learn."""
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str):
        if kernel not in _NAMED:
            raise unknown_name("kernel", kernel, list(KERNEL_NAMES))
        return _NAMED[kernel]()
    if is_sklearn_kernel(kernel):
        return from_sklearn(kernel)
    raise InvalidArgument(
        f"kernel={kernel!r} is not possible: give a name ({', '.join(map(repr, KERNEL_NAMES))}), "
        "an object of kernelect.kernels or one of sklearn.gaussian_process.kernels."
    )
