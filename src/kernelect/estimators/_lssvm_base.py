"""Selection, solution and decision values: what both LS-SVM estimators share.

Notation as in machines/lssvm/full.py: alpha dual coefficients, b intercept, mu ridge,
P the bordered inverse, c = diag P, r leave-one-out residuals.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelect.estimators._base import SelfSelecting
from kernelect.estimators._precomputed import check_kernel_matrix
from kernelect.estimators._relevance import relevances
from kernelect.estimators._training import LabelledTraining, Training
from kernelect.kernels import Precomputed
from kernelect.machines import LSSVM, Expansion, LSSVMState
from kernelect.numerics import Deadline, blas_threads_for, require_memory
from kernelect.priors import as_prior
from kernelect.selection import (
    Rows,
    SelectionObjective,
    in_units,
    join,
    recalibrated,
    ridge_space,
    select,
    started_as_given,
)
from kernelect.typing import Array, Indices

#: Peak of a fit in n x n arrays beside the kernel's.
_SQUARES = 4.0


class LSSVMBase(SelfSelecting):
    """An estimator around one LS-SVM; the concrete ones encode targets and shape predictions."""

    _machines = ("lssvm",)

    regularization: Any

    regularization_: float
    intercept_: Any
    X_fit_: Array
    _rows: Indices

    def _fit_machine(self, data: Training, unit: float = 1.0, *, recalibrate: bool = False) -> Array:
        """Select, solve and set the learned attributes; return leave-one-out decision values (n, k).

        Targets have been divided by ``unit``, and so are all attributes but the selection's record.
        ``recalibrate``: ridge and width are chosen once more by the log-loss of labels.
        """
        deadline = Deadline.after(self.time_limit)
        if self._is_precomputed:
            check_kernel_matrix(data.X)
        require_memory(len(data.X), (_SQUARES + self._kernel().squares) * self._n_searches_at_once())
        rows, kept, options = data.rows(pairwise=self._is_precomputed), data.kept, self._options()
        with blas_threads_for(len(rows.X)):
            selection, objective = select(self._problem(rows), options, self._lead)
            if recalibrate and isinstance(data, LabelledTraining):
                selection = recalibrated(selection, objective, data.index[kept], deadline, options.observe)
            self._rows = np.flatnonzero(kept)
            residuals = self._keep(objective, selection.theta)
        self.selection_ = in_units(selection, objective, unit)
        self.n_iter_ = selection.n_evaluations
        # A row of weight 0 was left out all along.
        loo = data.targets.copy() if kept.all() else self._decide(data.X)
        loo[kept] = data.targets[kept] - residuals
        return loo

    def _problem(self, rows: Rows) -> SelectionObjective:
        started = started_as_given(self._kernel(), rows.X, pairwise=self._is_precomputed)
        criterion, prior = self._criterion(), as_prior(self.prior, started.space)
        ridge = ridge_space(self.regularization, started, rows.X, rows.targets, rows.weights)
        return join(rows, started, LSSVM(), criterion, prior, ridge)

    def _keep(self, objective: SelectionObjective, theta: Array) -> Array:
        """Set the learned attributes at ``theta`` and return the leave-one-out residuals."""
        fitted = objective.solved(theta)
        state: LSSVMState = fitted.state
        c = state.bordered_diagonal()
        single = objective.targets.shape[1] == 1
        self.kernel_ = objective.kernel_at(theta)
        self.regularization_ = fitted.regularization
        self.dual_coef_ = state.dual_coef[:, 0] if single else state.dual_coef
        self.intercept_ = float(state.intercept[0]) if single else state.intercept
        if not isinstance(self.kernel_, Precomputed):
            self.X_fit_ = objective.X
            self.feature_importances_ = relevances(self.kernel_, objective.X, state.dual_coef)
        self._keep_leave_one_out(objective, c, state.leave_one_out_residuals(c))
        return state.leave_one_out_residuals(c)

    def _keep_leave_one_out(self, objective: SelectionObjective, diagonal: Array, residuals: Array) -> None:
        """Keep what predictions need of leave-one-out; by default nothing."""

    def _decide(self, X: Array) -> Array:
        """Return decision values (m, k)."""
        expansion = Expansion(self.dual_coef_.reshape(len(self._rows), -1), np.atleast_1d(self.intercept_))
        return expansion.decide(self._cross(X))

    def _cross(self, X: Array) -> Array:
        """Return kernel values between the training rows and ``X``, (n, m)."""
        if isinstance(self.kernel_, Precomputed):
            return X[:, self._rows].T
        return self.kernel_.cross(self.X_fit_, X)
