"""The evidence of a latent Gaussian model, by expectation propagation.

Notation as in machines/ep/machine.py; Z_i the normalisers of the tilted densities, w_i the weights,
tau_-, nu_- precision and shift of a cavity.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np

from kernelect.criteria.base import Criterion, CriterionValue, misjudged
from kernelect.machines import EP, EPColumn, Fitted
from kernelect.typing import Array


class EPEvidence(Criterion):
    """Minus (1/n) ln evidence, ln kappa included, summed over outputs; n is the sum of weights.

    The value is free once the machine has converged; the gradient costs one inverse,
    2 n^3/3, and n^2 per kernel parameter.

    Notes
    -----
    With phi(nu, tau) = nu^2/(2 tau) - ln(tau)/2 the log-partition function of a normal,

        ln Z = sum_i m_i [ln Z_i + phi(cavity_i) - phi(marginal_i)] + N^T mu/2 - ln|B|/2 + sum_i w_i ln kappa.

    At the fixed point ln Z is stationary in the sites, so only the explicit dependence counts:
    d ln Z/dK = (b b^T - R)/2 and d ln Z/dC = sum_i w_i d ln kappa/dC - sum_i m_i <p l>_i.

    References
    ----------
    C. E. Rasmussen, C. K. I. Williams. Gaussian Processes for Machine Learning. MIT Press 2006.
    C. Gold, P. Sollich. Model selection for support vector machine classification.
    Neurocomputing 55 (2003) 221-249.
    """

    name = "ep-evidence"
    words = "the evidence (expectation propagation)"
    judges = ("ep",)

    def value(self, fitted: Fitted) -> CriterionValue:
        machine, columns = ep_solution(fitted)
        log_kappa, _ = machine.likelihood.log_normalizer(fitted.regularization)
        n = float(fitted.weights.sum())
        value = -sum(log_evidence(column) for column in columns) / n - len(columns) * log_kappa
        return CriterionValue(
            value=value, pointwise=np.column_stack([column.tilted.log_z for column in columns]) + log_kappa
        )

    def value_and_gradient(self, fitted: Fitted) -> CriterionValue:
        machine, columns = ep_solution(fitted)
        _, by_constant = machine.likelihood.log_normalizer(fitted.regularization)
        n = float(fitted.weights.sum())
        gradient = reduce(add, (column.grad_gram(-1.0 / n) for column in columns))
        losses = sum(float(column.copies @ column.tilted.mean_loss) for column in columns)
        return replace(
            self.value(fitted),
            grad_gram=gradient,
            grad_regularization=losses / n - len(columns) * by_constant,
            grad_limits=_grad_limits(columns[0], -1.0 / n),
        )

    def nats(self, value: float, fitted: Fitted) -> tuple[float, float]:
        """The value is already a log-likelihood, per row."""
        n = float(fitted.weights.sum())
        return n * value, n


def ep_solution(fitted: Fitted) -> tuple[EP, tuple[EPColumn, ...]]:
    """Return machine and outputs, or say that the machine has no Gaussian posterior."""
    if not isinstance(fitted.machine, EP):
        raise misjudged(EP.name, fitted.machine)
    return fitted.machine, fitted.state.columns


def log_evidence(column: EPColumn) -> float:
    """Return ln Z of one output, without ln kappa."""
    tau, nu, variance = column.sites.tau, column.sites.nu, column.variance
    v, shift = column.cavity_variance, column.cavity_mean / column.cavity_variance
    # phi(cavity) - phi(marginal), with the large squares already subtracted
    squares = 0.5 * variance * (shift * (tau * v * shift - 2.0 * nu) - nu * nu)
    sites = column.tilted.log_z + squares + 0.5 * np.log1p(tau * v)
    return float(column.copies @ sites + 0.5 * column.shift @ column.mean - 0.5 * column.log_determinant())


def _grad_limits(column: EPColumn, scale: float) -> Array | None:
    """Return scale * d ln Z in the limits of targets: at the fixed point only the tilted normalisers depend on them."""
    by_limits = column.tilted.by_limits
    return None if by_limits is None else scale * column.copies[:, None] * by_limits
