"""Error of a relevance vector machine on rows it was not trained on.

Fitted anew for every part of the data, precisions and choice of functions included: the
leave-one-out formulas at fixed precisions are far too optimistic for an RVM.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernelect.criteria.base import CriterionValue
from kernelect.criteria.rvm.base import RVMCriterion
from kernelect.criteria.rvm.held_out import held_out_losses, predictives, quick, relevance_machine
from kernelect.exceptions import InvalidArgument, unknown_name
from kernelect.machines import Fitted
from kernelect.machines.rvm import RVMState, moderated
from kernelect.typing import Array, Indices, Mask

#: A mean square below this is nothing: its logarithm and its inverse, times a hundred million rows, are finite.
_LEAST_SQUARE = 1e-300


@dataclass(frozen=True, kw_only=True)
class RVMCrossValidation(RVMCriterion):
    """Mean loss per row over parts of the data left out in turn.

    The fits to the other rows skip the sequential algorithm's smallest actions. They also skip the polish, which
    costs more than all the rest and changes predictions little. If the machine runs out of time, the value is the
    mean over the parts that were left out so far, at least one.

    Parameters
    ----------
    n_parts : int
    loss : "log" or "error"
        Minus the log predictive density, or the error rate (for real targets the squared error).
    parts : ndarray of shape (n,), optional
        Which part each row belongs to; by default rows are dealt out in the order of their targets.
    centred_on_rows : bool
        Whether columns of the design belong to rows and are left out with them.
    centres : ndarray of shape (m,), optional
        Which row each column belongs to, -1 for none; by default column j belongs to row j.
    """

    n_parts: int = 5
    loss: str = "log"
    parts: Indices | None = None
    centred_on_rows: bool = True
    centres: Indices | None = None
    name = "cv"
    words = "the cross-validated log-loss"

    def __post_init__(self) -> None:
        if self.loss not in ("log", "error"):
            raise unknown_name("loss", self.loss, ["log", "error"])
        if self.n_parts < 2:
            raise InvalidArgument(f"n_parts={self.n_parts!r} leaves no rows to train on: give 2 or more.")

    has_gradient = False
    rescales = True
    needs_solution = False

    def value(self, fitted: Fitted) -> CriterionValue:
        losses, parts = np.full(len(fitted.gram), np.nan), self._parts(fitted)
        for part in np.unique(parts):
            losses[parts == part] = self._losses(fitted, parts == part)
            if relevance_machine(fitted.machine).deadline.passed:
                break
        return CriterionValue(value=mean_loss(losses, fitted.weights), pointwise=losses)

    def value_and_gradient(self, fitted: Fitted) -> CriterionValue:
        return self.value(fitted)

    def nats(self, value: float, fitted: Fitted) -> tuple[float, float]:
        n = float(fitted.weights.sum())  # losses are sums over the outputs already
        if self.loss == "error" and relevance_machine(fitted.machine).regression:  # squares of the targets' own unit
            value = max(value, _LEAST_SQUARE)
            return 0.5 * n * float(np.log(value)), 0.5 * n / value
        return n * value, n

    def rescaled(self, value: Array, unit: float, n_rows: float) -> Array:
        return value * unit**2 if self.loss == "error" else value + np.log(unit)

    @property
    def compares_shapes(self) -> bool:
        """Whether the functions are a kernel's at the rows, and losses finer than a count of errors."""
        return self.centred_on_rows and self.loss == "log"

    def on_rows(self, rows: Indices) -> RVMCrossValidation:
        return self if self.parts is None else replace(self, parts=self.parts[rows])

    def centred_on(self, rows: Indices | None) -> RVMCrossValidation:
        return replace(self, centres=rows)

    def _leaves_with(self, out: Mask, n_columns: int) -> Mask:
        """Return the columns of the design that are left out with the rows ``out``."""
        if not self.centred_on_rows:
            return np.zeros(n_columns, dtype=bool)
        return out if self.centres is None else out[self.centres] & (self.centres >= 0)

    def _parts(self, fitted: Fitted) -> Indices:
        if self.parts is not None:
            return self.parts
        parts = np.empty(len(fitted.targets), dtype=np.intp)
        parts[np.lexsort(fitted.targets.T)] = np.arange(len(parts)) % self.n_parts
        return parts

    def held_out_log_odds(self, fitted: Fitted) -> Array:
        """Return the log-odds (n, k) of every row by machines trained without its part.

        If time is up they are NaN for the parts that are left.
        """
        found, parts = np.full(fitted.targets.shape, np.nan), self._parts(fitted)
        for part in np.unique(parts):
            state, design = self._trained_without(fitted, parts == part)
            found[parts == part] = moderated(*predictives(state, design))
            if relevance_machine(fitted.machine).deadline.passed:
                break
        return found

    def _losses(self, fitted: Fitted, out: Mask) -> Array:
        """Return the losses of the rows ``out`` under the machine trained on the others."""
        state, design = self._trained_without(fitted, out)
        return held_out_losses(state, design, fitted.targets[out], self.loss)

    def _trained_without(self, fitted: Fitted, out: Mask) -> tuple[RVMState, Array]:
        """Return the machine trained on all rows but ``out``, and its candidate functions at these."""
        columns = ~self._leaves_with(out, fitted.gram.shape[1])
        gram, weights = fitted.gram[np.ix_(~out, columns)], fitted.weights[~out]
        machine = quick(relevance_machine(fitted.machine), float(weights.sum()))
        state = machine.fit(gram, fitted.targets[~out], 1.0, weights)
        return state, fitted.gram[np.ix_(out, columns)]


def mean_loss(losses: Array, weights: Array) -> float:
    """Return the mean of the losses that are known."""
    known = ~np.isnan(losses)
    return float(np.average(losses[known], weights=weights[known]))
