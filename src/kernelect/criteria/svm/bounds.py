"""Bounds on the leave-one-out error of support vector machines without bias.

Notation as in machines/svm/machine.py; M = K + diag(e), e = 1/C_i for quadratic slack. Leaving out a row
lowers its margin by at most alpha_i K_ii, so an error has alpha_i K_ii >= z_i = 1 - xi_i.
"""

from __future__ import annotations

import numpy as np

from kernelect.criteria.base import CriterionValue
from kernelect.criteria.svm.binary import ErrorEstimate, MachineAdjoint
from kernelect.machines import BinarySVM


class RadiusMargin(ErrorEstimate):
    """R^2 sum_i alpha_i / n with R^2 = max_i M_ii, plus the mean slack for linear slack (eq. 9).

    The radius is taken from the origin. The offset is part of the kernel, so the smallest ball
    around the data gives no bound: for two equal rows with opposite labels it claims 1/2 where
    the leave-one-out error is 1. For quadratic slack (M includes 1/C) sum alpha is the inverse
    squared margin of the paper; for linear slack alpha_i K_ii + xi_i >= 1 bounds an error.
    """

    name = "radius-margin"
    words = "the radius-margin bound"

    def _value(self, machine: BinarySVM) -> CriterionValue:
        terms = float(machine.diagonal.max()) * machine.alpha
        if not machine.quadratic:
            terms = terms + machine.slacks
        return CriterionValue(value=float(np.average(terms, weights=machine.weights)), pointwise=terms)

    def _value_and_gradient(self, machine: BinarySVM) -> CriterionValue:
        p, adjoint = machine, MachineAdjoint(machine)
        found = self._value(p)
        radius = float(p.diagonal.max())
        adjoint.by_beta += p.labels * p.weights * radius
        # If several rows share the largest diagonal (stationary kernels) they share the derivative.
        largest = p.diagonal >= radius * (1.0 - 1e-12)
        by_diagonal = np.where(largest, float(p.weights @ p.alpha) / largest.sum(), 0.0)
        adjoint.by_ridge += by_diagonal
        if not p.quadratic:
            adjoint.by_margin[p.bounded] -= p.weights[p.bounded]
        total = float(p.weights.sum())
        gradient, by_C = adjoint.carried(1.0 / total)
        gradient.flat[:: len(by_diagonal) + 1] += by_diagonal / total
        return CriterionValue(
            value=found.value, pointwise=found.pointwise, grad_gram=gradient, grad_regularization=by_C
        )


class JaakkolaHaussler(ErrorEstimate):
    """The share of rows with alpha_i K_ii >= z_i, which include all leave-one-out errors."""

    name = "jaakkola-haussler"
    words = "the bound of Jaakkola and Haussler on the leave-one-out error"
    has_gradient = False

    def _value(self, machine: BinarySVM) -> CriterionValue:
        p = machine
        left = p.margins - p.alpha * (np.diagonal(p.gram) + (0.0 if p.quadratic else p.ridge))
        return CriterionValue(value=float(np.average(left <= 0.0, weights=p.weights)), pointwise=left)


class SupportVectorCount(ErrorEstimate):
    """The share of support vectors: leaving out any other row changes nothing."""

    name = "support-vectors"
    words = "the share of support vectors"
    has_gradient = False

    def _value(self, machine: BinarySVM) -> CriterionValue:
        support = np.zeros(len(machine.labels))
        support[machine.free] = support[machine.bounded] = 1.0
        return CriterionValue(value=float(np.average(support, weights=machine.weights)), pointwise=support)
