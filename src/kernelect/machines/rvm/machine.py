"""The relevance vector machine: sparse Bayesian learning on a design matrix.

The design matrix replaces the Gram matrix. Its columns are candidate functions at the training
rows: kernels centred on the rows or anything else. A constant function is always added to them.
Several target columns are several machines, one against the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import repeat

import numpy as np

from kernelect.machines.base import Machine
from kernelect.machines.rvm.algorithm import Algorithm
from kernelect.machines.rvm.centres import CentreFit
from kernelect.machines.rvm.likelihoods import Bernoulli, Normal, TargetLikelihood
from kernelect.machines.rvm.linear import Columns
from kernelect.machines.rvm.polish import SparseFit, solve_at
from kernelect.machines.rvm.sequential import Sequential
from kernelect.numerics import Deadline
from kernelect.typing import Array

#: Operations per row and function of one value; measured against Cholesky factorisations at 6000 rows.
_ACTIONS = 3000.0


@dataclass(frozen=True)
class RVMState:
    """One sparse fit per target column; function 0 is the constant, k the design's column k - 1."""

    fits: tuple[SparseFit, ...]

    @property
    def log_evidence(self) -> float:
        """The sum of the columns' log-evidences."""
        return sum(fit.log_evidence for fit in self.fits)


@dataclass(frozen=True)
class CentreState(RVMState):
    """The sparse fits, and the same fits with centres and weights at their joint mode."""

    centres: tuple[CentreFit, ...] = ()


@dataclass(frozen=True)
class RVM(Machine[RVMState]):
    """Maximises the evidence over one precision per function.

    Parameters
    ----------
    regression : bool
        True for normal noise of unknown precision, false for labels of +-1.
    algorithm : Algorithm
    most_functions : float
        Most candidate functions, used to estimate the work; there are never more than rows.
    """

    regression: bool = False
    algorithm: Algorithm = field(default_factory=Sequential)
    most_functions: float = np.inf
    name = "rvm"
    scans_widths = True

    def fit(
        self, gram: Array, targets: Array, regularization: float, weights: Array, warm: RVMState | None = None
    ) -> RVMState:
        """Return the sparse fits; the RVM has no constant, so ``regularization`` is not used."""
        return self.fit_on(Columns.of(gram), targets, weights, warm)

    def fit_on(self, columns: Columns, targets: Array, weights: Array, warm: RVMState | None = None) -> RVMState:
        """Return the sparse fits on given candidate functions."""
        starts = [None] * targets.shape[1] if warm is None else warm.fits
        return RVMState(
            tuple(self._fit_one(columns, *each) for each in zip(targets.T, repeat(weights), starts, strict=False))
        )

    def _fit_one(self, columns: Columns, targets: Array, weights: Array, start: SparseFit | None) -> SparseFit:
        likelihood = self.likelihood(targets, weights)
        if not np.any(targets[weights > 0.0]):  # nothing to explain: the evidence has no maximum in the noise
            return solve_at(columns.values, np.zeros(0, dtype=np.intp), np.zeros(0), likelihood)
        return self.algorithm.fit(columns, likelihood, start)

    def giving_up_below(self, bound: float, price: float = 0.0) -> RVM:
        """Return the machine that stops improving fits whose merit is below ``bound``."""
        return replace(self, algorithm=replace(self.algorithm, bound=bound, price=price))

    @property
    def deadline(self) -> Deadline:
        """When fits stop with what they have."""
        return self.algorithm.deadline

    def before(self, deadline: Deadline) -> RVM:
        """Return the machine with another deadline."""
        return replace(self, algorithm=replace(self.algorithm, deadline=deadline))

    def work(self, n_rows: float, n_outputs: int) -> float:
        """Return the operations of a value: the design, its copies and a few dozen actions on the whole design."""
        return _ACTIONS * n_outputs * n_rows * min(n_rows, self.most_functions)

    def likelihood(self, targets: Array, weights: Array) -> TargetLikelihood:
        """Return the likelihood of one target column; the noise starts at the size of the targets."""
        targets = np.ascontiguousarray(targets)
        if not self.regression:
            return Bernoulli(targets=targets, sample_weight=weights)
        count = float(weights.sum())
        size = float(weights @ targets**2)
        return Normal(
            targets=targets, sample_weight=weights, precision=count / size if size > 0.0 else 1.0, count=count
        )

    def decide(self, state: RVMState, cross: Array) -> Array:
        columns = [latent(fit, cross.T) for fit in state.fits]
        return np.column_stack(columns)


def latent(fit: SparseFit, design: Array) -> Array:
    """Return h at rows whose candidate functions are ``design`` (without the constant)."""
    return active_design(fit, design) @ fit.posterior.weights


def active_design(fit: SparseFit, design: Array) -> Array:
    """Return the active functions' columns, the constant among them, from a design without it."""
    columns = design[:, np.maximum(fit.active - 1, 0)].copy()
    columns[:, fit.active == 0] = 1.0
    return columns
