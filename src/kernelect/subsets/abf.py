"""All basis functions in the model: finds widths and lambda together, by the gradient of the likelihood.

Notation of moments.py, with Phi (N, M) all functions at the rows, H = Phi^T S Phi + lambda I,
x = H^-1 b and r = T - Phi x. The function to minimise, with beta at its best, is
    F = N/2 sum_k ln(A_k / tt_k) + k/2 (ln |H| - M ln lambda),
which is minus the gain in nats over the model without functions. The kernel turns the
derivative of F in the design matrix into one in its own parameters:
    dF/dPhi = S [k Phi H^-1 - sum_k (N / A_k) r_k x_k^T].
One step costs about 5 N M^2, so for large N widths are found on a subset of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas

from kernelect.dictionaries.base import Dictionary
from kernelect.kernels import Kernel
from kernelect.kernels.scale import spread_rows
from kernelect.numerics import factorize, product, symmetrize_from_lower
from kernelect.parameters import ParameterSpace
from kernelect.results import SearchResult
from kernelect.search import LBFGS, Budget, Directions, search_along
from kernelect.subsets.factored import MISFIT_FLOOR
from kernelect.subsets.moments import SubsetRows
from kernelect.subsets.profile import GramProfile
from kernelect.typing import Array, Observer

#: Bounds of lambda in units of the functions' mean squared norm.
_LOWEST, _HIGHEST = 1e-8, 1e4

_STARTS = 9


@dataclass(frozen=True)
class ABFObjective:
    """F and its gradient in theta = (logarithms of the kernel's parameters, ln lambda).

    Parameters
    ----------
    kernel : Kernel
        With numbers for all parameters; theta replaces them.
    sample : SubsetRows
    centres : ndarray of shape (M, d)
    """

    kernel: Kernel
    sample: SubsetRows
    centres: Array

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Return F and its gradient."""
        kernel, lam = self.kernel.with_theta(theta[:-1]), float(np.exp(theta[-1]))
        s, T, Phi, G, b = self._design(kernel)
        N, k, M = self._n_rows, T.shape[1], len(G)
        factor = factorize(G, lam)
        x, inverse = factor.solve(b), factor.inverse()
        A = self._misfit(T, b, x)
        value = 0.5 * N * np.log(A / self._energy(T)).sum() + 0.5 * k * (factor.log_determinant() - M * theta[-1])
        by_design = k * product(Phi, inverse) - product((T - Phi @ x) * (N / A), x.T)
        by_design *= s[:, None]
        if self.sample.intercept:  # Phi was centred: so is its adjoint
            by_design -= np.outer(s / s.sum(), by_design.sum(axis=0))
        by_kernel, _ = kernel.cross_pullback(self.sample.X, self.centres, by_design)
        by_lam = lam * (0.5 * N * np.sum(x**2 / A) + 0.5 * k * np.trace(inverse)) - 0.5 * k * M
        return float(value), np.append(by_kernel, by_lam)

    def profile(self, kernel: Kernel) -> GramProfile:
        """Return the likelihood along lambda alone (-F up to a constant); all lambdas cost as much as a few."""
        _, T, _, G, b = self._design(kernel)
        return GramProfile(symmetrize_from_lower(G), b, self._energy(T), self._n_rows, 0.0)

    @property
    def _n_rows(self) -> float:
        return float(self.sample.weights.sum()) - (1.0 if self.sample.intercept else 0.0)

    def _design(self, kernel: Kernel) -> tuple[Array, Array, Array, Array, Array]:
        """Return weights, centred targets, centred Phi, G and b."""
        s, T = self.sample.weights, self.sample.T - self.sample.target_means
        Phi = kernel.cross(self.sample.X, self.centres)
        if self.sample.intercept:
            Phi -= s @ Phi / s.sum()
        weighted = Phi * np.sqrt(s)[:, None]
        G = blas.dsyrk(1.0, weighted.T, lower=1)  # Fortran order, lower triangle
        return s, T, Phi, G, product(Phi.T, s[:, None] * T)

    def _energy(self, T: Array) -> Array:
        return np.einsum("i,ij,ij->j", self.sample.weights, T, T)

    def _misfit(self, T: Array, b: Array, x: Array) -> Array:
        energy = self._energy(T)
        return np.asarray(np.maximum(energy - np.einsum("ij,ij->j", b, x), MISFIT_FLOOR * energy), dtype=float)


@dataclass(frozen=True, kw_only=True)
class Widths:
    """A kernel with its widths found, their names, the lambda that came with them, and the search."""

    kernel: Kernel
    names: tuple[str, ...]
    regularization: float
    result: SearchResult
    at_bound: tuple[str, ...]


def fit_widths(
    kernel: Kernel,
    sample: SubsetRows,
    *,
    max_rows: int = 512,
    budget: Budget | None = None,
    observe: Observer | None = None,
) -> Widths:
    """Find a kernel's ``"auto"`` parameters with a function at every row in the model.

    Parameters
    ----------
    kernel : Kernel
    sample : SubsetRows
    max_rows : int
        Number of rows and functions used, spread over the sorted data.
    budget : Budget, optional
    observe : callable, optional
        Called with an :class:`kernelect.results.Evaluation` after every step.
    """
    part = sample.rows(np.sort(spread_rows(sample.X, max_rows)))
    centres = np.unique(part.X, axis=0)
    space = kernel.space(centres)
    objective = ABFObjective(kernel.start(centres), part, centres)
    space = ParameterSpace.joined([space, _regularization_space(objective, objective.kernel)])
    for directions in (_tied, Directions.each_free):
        result = search_along(LBFGS(), lambda: objective, directions(space), budget=budget, observe=observe)
        space = space.moved(result.theta)
    found = objective.kernel.with_theta(result.theta[:-1])
    return Widths(
        kernel=found,
        names=space.names[:-1],
        regularization=float(np.exp(result.theta[-1])),
        result=result,
        at_bound=space.at_bound(result.theta),
    )


def with_fitted_kernels(
    dictionary: Dictionary,
    sample: SubsetRows,
    *,
    max_rows: int = 512,
    budget: Budget | None = None,
    observe: Observer | None = None,
) -> tuple[Dictionary, list[Widths]]:
    """Return the dictionary after finding the ``"auto"`` parameters of each kernel separately."""
    found, widths = [], []
    for kernel in dictionary.kernels:
        if kernel.space(sample.X).free.any():
            widths.append(fit_widths(kernel, sample, max_rows=max_rows, budget=budget, observe=observe))
            kernel = widths[-1].kernel
        found.append(kernel)
    return dictionary.with_kernels(tuple(found)), widths


def _regularization_space(objective: ABFObjective, kernel: Kernel) -> ParameterSpace:
    """Return bounds of ln lambda and the best start of a few."""
    profile = objective.profile(kernel)
    unit = float(profile.eigenvalues.mean()) or 1.0  # the functions' mean squared norm
    low, high = float(np.log(_LOWEST * unit)), float(np.log(_HIGHEST * unit))
    grid = np.linspace(low, high, _STARTS + 2)[1:-1]
    best = float(grid[int(np.argmax(profile.log_likelihood(np.exp(grid))))])
    return ParameterSpace.single("regularization", best, below=best - low, above=high - best)


def _tied(space: ParameterSpace) -> Directions:
    """Return directions in which all free widths move together and lambda by itself."""
    places = np.where(space.free, 0, -1)
    places[-1] = 1
    return Directions(space, places)
