"""PRESS of whole groups of rows: the exact leave-one-group-out error of a least-squares machine.

Notation as in machines/lssvm/groups.py; Q = 1/2 sum_g sum_{i in g} s_i r_i^2.
"""

from __future__ import annotations

import numpy as np

from kernelect.criteria.base import Criterion, CriterionValue
from kernelect.criteria.lssvm.landmarks import LandmarkGroupPRESS
from kernelect.criteria.lssvm.press import PRESS
from kernelect.criteria.lssvm.squares import SquaredErrors, half_sum
from kernelect.machines import Fitted, Groups, LSSVMState, blocks_of
from kernelect.numerics import product
from kernelect.typing import Indices


class GroupPRESS(SquaredErrors):
    """PRESS in which rows of one group leave together, such as the visits of one patient.

    Rows of one group resemble each other more than their inputs tell. A machine that has seen one of them predicts
    the others better than it predicts a new group. With groups of one row this is PRESS.

    Parameters
    ----------
    groups : Groups
        Of the rows that are judged.

    Notes
    -----
    With u_g = P_gg^-1 S_g r_g and N the block-diagonal matrix of the symmetric parts of u_g r_g^T, summed over
    outputs, the adjoint of Q is

        dQ/dK = P N P - sym((P u) alpha^T),

    and dQ/dmu = sum_i [dQ/dK]_ii / s_i. Cost: that of PRESS, with a full product in the place of half a one.
    """

    name = "group-press"
    leaves_out = True
    words = "the exact squared error of groups left out (PRESS by groups)"
    on_landmarks = LandmarkGroupPRESS()
    groups: Groups

    def __init__(self, groups: Groups) -> None:
        self.groups = groups

    def on_rows(self, rows: Indices) -> Criterion:
        """Return the criterion of a part of the rows; if they are all of one group, each leaves by itself."""
        part = self.groups.of(rows)
        return GroupPRESS(part) if len(part) > 1 else PRESS()

    def value(self, fitted: Fitted) -> CriterionValue:
        state: LSSVMState = fitted.state
        residuals = self.groups.solve(blocks_of(state.bordered_inverse()), state.dual_coef)
        return CriterionValue(value=half_sum(fitted.weights, residuals), pointwise=residuals)

    def value_and_gradient(self, fitted: Fitted) -> CriterionValue:
        state: LSSVMState = fitted.state
        P, alpha = state.bordered_inverse(), state.dual_coef
        residuals = self.groups.solve(blocks_of(P), alpha)
        u = self.groups.solve(blocks_of(P), fitted.weights[:, None] * residuals)
        gradient = product(P, self.groups.outer_times(u, residuals, P))
        outer = product(product(P, u), alpha.T)
        gradient -= 0.5 * (outer + outer.T)
        by_ridge = float(np.sum(np.diagonal(gradient) / fitted.weights))
        return CriterionValue(
            value=half_sum(fitted.weights, residuals),
            pointwise=residuals,
            grad_gram=gradient,
            grad_regularization=by_ridge,
        )

    def size(self, fitted: Fitted) -> float:
        return half_sum(fitted.weights, fitted.targets)
