"""Kernels of ``sklearn.gaussian_process.kernels`` as kernels of this library.

What this library has itself is translated, so that it keeps its O(d n^2) pullback; any other
kernel is wrapped, at the price of scikit-learn's (n, n, p) gradient array. scikit-learn is not
imported here: its objects are known by their class names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.kernels.base import Kernel, Pullback
from kernelect.kernels.composite import Product, Sum
from kernelect.kernels.dot_product import Constant
from kernelect.kernels.stationary import ARD, RBF, Matern
from kernelect.parameters import ParameterSpace
from kernelect.typing import Array

_MODULE = "sklearn.gaussian_process.kernels"


def is_sklearn_kernel(kernel: object) -> bool:
    """Whether ``kernel`` comes from scikit-learn's Gaussian processes or derives from one."""
    return any(base.__module__ == _MODULE and base.__name__ == "Kernel" for base in type(kernel).__mro__)


def from_sklearn(kernel: Any) -> Kernel:
    """Return the kernel of this library that equals scikit-learn's ``kernel``.

    Hyper-parameters that scikit-learn would optimise are ``"auto"`` here if the kernel is
    translated; those with bounds ``"fixed"`` keep their value.
    """
    kind = type(kernel).__name__
    if kind == "CompoundKernel":
        raise InvalidArgument(
            "kernel cannot be a CompoundKernel, which holds one kernel for each class: give one kernel, such as their "
            "sum."
        )
    if kind in ("Sum", "Product"):
        parts = from_sklearn(kernel.k1), from_sklearn(kernel.k2)
        return Sum.of(*parts) if kind == "Sum" else Product.of(*parts)
    if kind == "ConstantKernel":
        return Constant("auto" if _is_free(kernel, "constant_value") else kernel.constant_value)
    if kind == "RBF" or (kind == "Matern" and kernel.nu in (1.5, 2.5)):
        return _translated_width(kernel, kind)
    return SklearnKernel(kernel)


def _translated_width(kernel: Any, kind: str) -> Kernel:
    elliptical = bool(kernel.anisotropic)
    length = np.asarray(kernel.length_scale, dtype=float)
    gamma: Any = (
        "auto" if _is_free(kernel, "length_scale") else (0.5 / length**2 if elliptical else 0.5 / length.item() ** 2)
    )
    if kind == "Matern":
        return Matern(kernel.nu, gamma, elliptical)
    return ARD(gamma) if elliptical else RBF(gamma)


def _is_free(kernel: Any, name: str) -> bool:
    return not getattr(kernel, f"hyperparameter_{name}").fixed


@dataclass(frozen=True, eq=False)
class SklearnKernel(Kernel):
    """A scikit-learn kernel without counterpart here, with its own start values and bounds."""

    wrapped: Any

    @property
    def words(self) -> str:
        return "scikit-learn"

    def cross(self, X: Array, Z: Array) -> Array:
        return np.asarray(self.wrapped(X, Z), dtype=float)

    def diagonal(self, X: Array) -> Array:
        return np.asarray(self.wrapped.diag(X), dtype=float)

    def linearize(self, X: Array) -> tuple[Array, Pullback]:
        gram, gradient = self.wrapped(X, eval_gradient=True)
        return gram, lambda weights: np.einsum("ij,ijp->p", weights, gradient)

    def cross_pullback(self, X: Array, Z: Array, weights: Array) -> tuple[Array, Array]:
        # scikit-learn differentiates square matrices only: the rectangle is a block of one.
        gradient = self.wrapped(np.vstack([X, Z]), eval_gradient=True)[1][: len(X), len(X) :]
        return np.einsum("ij,ijp->p", weights, gradient), self.points_pullback(X, Z, weights)

    @property
    def squares(self) -> float:
        return 4.0 + 6.0 * len(self.theta)

    def points_pullback(self, X: Array, Z: Array, weights: Array) -> Array:
        return central_differences(self, X, Z, weights)  # scikit-learn's kernels do not know this derivative

    @property
    def theta(self) -> Array:
        return np.asarray(self.wrapped.theta, dtype=float)

    def with_theta(self, theta: Array) -> Self:
        return type(self)(self.wrapped.clone_with_theta(theta))

    def start(self, X: Array) -> Self:
        return self

    def space(self, X: Array) -> ParameterSpace:
        theta, bounds = self.theta, np.asarray(self.wrapped.bounds, dtype=float).reshape(-1, 2)
        names = tuple(
            hyper.name if hyper.n_elements == 1 else f"{hyper.name}[{j}]"
            for hyper in self.wrapped.hyperparameters
            if not hyper.fixed
            for j in range(hyper.n_elements)
        )
        everywhere = np.ones(len(theta), dtype=bool)
        return ParameterSpace(
            names=names,
            start=theta,
            lower=bounds[:, 0],
            upper=bounds[:, 1],
            free=everywhere,
            widths=(),
            reference=np.zeros(len(theta)),
        )


def central_differences(kernel: Kernel, X: Array, Z: Array, weights: Array) -> Array:
    """Return the derivative of ``sum(weights * kernel.cross(X, Z))`` in ``Z`` for a kernel that does not know it."""
    steps = 1e-5 * np.maximum(Z.std(axis=0), 1e-3)
    out = np.empty_like(Z)
    for j, step in enumerate(steps):
        shift = np.zeros(Z.shape[1])
        shift[j] = step
        change = kernel.cross(X, Z + shift) - kernel.cross(X, Z - shift)
        out[:, j] = np.sum(weights * change, axis=0) / (2.0 * step)
    return out
