"""The contract of an algorithm that finds a sparse model, and how much effort it makes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from kernelect.machines.rvm.likelihoods import TargetLikelihood
from kernelect.machines.rvm.linear import Columns
from kernelect.machines.rvm.polish import SparseFit
from kernelect.numerics import NEVER, Deadline


@dataclass(frozen=True, kw_only=True)
class Algorithm(ABC):
    """Finds active functions and precisions of high evidence.

    Parameters
    ----------
    polished : bool
        Whether to raise the evidence to a stationary point on the functions found.
    bound : float
        A polished fit below this value is not improved any further. The value is the log-evidence
        minus ``price`` for every function.
    price : float
    deadline : Deadline
        When to stop with the model so far; the first few functions are found in any case.
    """

    polished: bool = True
    bound: float = -np.inf
    price: float = 0.0
    deadline: Deadline = NEVER

    @abstractmethod
    def fit(self, columns: Columns, likelihood: TargetLikelihood, start: SparseFit | None = None) -> SparseFit:
        """Return a (local) maximum of the evidence.

        ``start`` gives the functions, precisions and noise to start from; its targets are not used.
        """

    def gives_up(self, fit: SparseFit) -> bool:
        """Return whether to stop improving a polished fit."""
        return self.deadline.passed or merit(fit, self.price) < self.bound


def merit(fit: SparseFit, price: float) -> float:
    """Return the log-evidence minus a price for every function."""
    return fit.log_evidence - price * len(fit.active)
