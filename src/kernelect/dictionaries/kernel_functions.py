"""Dictionaries of kernel functions k(x, c): radial basis functions at the data or at given centres."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelect.dictionaries.base import Dictionary, ListedCandidates, check_count
from kernelect.exceptions import InvalidArgument
from kernelect.kernels import Kernel, Precomputed, as_kernel
from kernelect.kernels.scale import spread_rows
from kernelect.typing import Array


@dataclass(frozen=True, eq=False)
class CentredKernels(ListedCandidates):
    """The functions x -> k(x, c) for the rows c of ``centres``."""

    kernel: Kernel
    centres: Array  # (M, d)

    listed = "centres"

    def evaluate(self, X: Array) -> Array:
        # The centres are what the model keeps: a row's values must not depend on its batch.
        return np.ascontiguousarray(self.kernel.cross(self.centres, X).T)

    def pullback(self, X: Array, weights: Array) -> Array:
        return self.kernel.cross_pullback(self.centres, X, weights.T)[0]

    def describe(self) -> list[str]:
        name = type(self.kernel).__name__
        return [f"{name} at ({', '.join(f'{value:.4g}' for value in centre)})" for centre in self.centres]


@dataclass(frozen=True)
class KernelFunctions(Dictionary):
    """Kernel functions at the data or at given centres; Gaussian ones by default.

    With ``kernel="ard"`` these are the radial basis functions exp(-sum_j gamma_j (x_j - c_j)^2)
    with one width per input (gamma_j = 1/r_j^2 of Barrio et al.). ``"auto"`` widths are found
    before the search, with all functions in the model (:func:`kernelect.subsets.fit_widths`).

    Parameters
    ----------
    kernel : str or Kernel, default="ard"
        A name (widths ``"auto"``) or an object of :mod:`kernelect.kernels`.
    centres : "data" or array of shape (n_centres, n_features)
    max_centres : int, default=2000
        With ``centres="data"`` and more rows than this, the centres are rows spread over the
        sorted data. The search keeps one (M, M) array for M centres.
    """

    kernel: Any = "ard"
    centres: Any = "data"
    max_centres: int = 2000

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        kernel = as_kernel(self.kernel)
        if isinstance(kernel, Precomputed):
            raise InvalidArgument(
                "kernel='precomputed' has no centres: give dictionary='precomputed' with X as the design matrix."
            )
        return (kernel,)

    def with_kernels(self, kernels: tuple[Kernel, ...]) -> KernelFunctions:
        return replace(self, kernel=kernels[0])

    def build(self, X: Array) -> CentredKernels:
        return CentredKernels(self.kernels[0].start(np.unique(X, axis=0)), self._centres(X))

    def _centres(self, X: Array) -> Array:
        if isinstance(self.centres, str):
            if self.centres != "data":
                raise InvalidArgument(f"centres={self.centres!r} must be 'data' or an array (n_centres, n_features).")
            rows = np.unique(X, axis=0)
            return rows[np.sort(spread_rows(rows, check_count("max_centres", self.max_centres, 1)))]
        centres = np.array(self.centres, dtype=float)
        if centres.ndim != 2 or centres.shape[1] != X.shape[1] or not np.all(np.isfinite(centres)):
            raise InvalidArgument(
                f"centres has shape {centres.shape} but X has {X.shape[1]} inputs: "
                f"give finite numbers of shape (n_centres, {X.shape[1]})."
            )
        return centres
