"""Wahba's generalised approximate cross-validation for linear slack.

Notation as in machines/svm/machine.py:  (1/n) sum_i [xi_i + alpha_i K_ii f_i],  f = 2 if z < -1, else 1.
"""

from __future__ import annotations

import numpy as np

from kernelect.criteria.base import CriterionValue
from kernelect.criteria.svm.binary import ErrorEstimate, MachineAdjoint
from kernelect.machines import BinarySVM
from kernelect.typing import Array


class GACV(ErrorEstimate):
    """Generalised approximate cross-validation (Gold & Sollich 2003, eq. 13).

    An estimate of the mean slack of rows left out, rather than of the error rate.

    Notes
    -----
    The paper's f is 0 for z > 1. Marginal support vectors lie at z = 1 plus or minus rounding,
    so f read literally makes the value depend on the solver's last digits; with f = 1 there,
    alpha = 0 takes care of z > 1. What is left are jumps when a row passes z = -1; between them
    the gradient is exact.

    References
    ----------
    G. Wahba, Y. Lin, H. Zhang. Generalized approximate cross validation for support vector
    machines. In Advances in Large Margin Classifiers (2000) 297-309.
    """

    name = "gacv"
    words = "generalised approximate cross-validation"
    slacks = ("linear",)

    def _value(self, machine: BinarySVM) -> CriterionValue:
        terms = machine.slacks + machine.alpha * machine.diagonal * _factor(machine)
        return CriterionValue(value=float(np.average(terms, weights=machine.weights)), pointwise=terms)

    def _value_and_gradient(self, machine: BinarySVM) -> CriterionValue:
        p, adjoint = machine, MachineAdjoint(machine)
        found = self._value(p)
        support, f = adjoint.support, _factor(p)
        adjoint.add_diagonal(support, (p.weights * p.alpha * f)[support])
        adjoint.by_beta[support] += (p.labels * p.weights * p.diagonal * f)[support]
        adjoint.by_margin[p.bounded] -= p.weights[p.bounded]
        gradient, by_C = adjoint.carried(1.0 / float(p.weights.sum()))
        return CriterionValue(
            value=found.value, pointwise=found.pointwise, grad_gram=gradient, grad_regularization=by_C
        )


def _factor(p: BinarySVM) -> Array:
    return np.where(p.margins < -1.0, 2.0, 1.0)
