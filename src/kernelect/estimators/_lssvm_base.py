"""Selection, solution and decision values: what both LS-SVM estimators share.

Notation as in machines/lssvm/full.py: alpha dual coefficients, b intercept, mu ridge,
P the bordered inverse, c = diag P, r leave-one-out residuals.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernelect.criteria import PRESS
from kernelect.estimators._base import SelfSelecting
from kernelect.estimators._relevance import relevances
from kernelect.estimators._sklearn import validate_data
from kernelect.estimators._targets import require_size
from kernelect.exceptions import InvalidArgument, unknown_name
from kernelect.kernels import Kernel, Precomputed
from kernelect.kernels.scale import spread_rows
from kernelect.machines import LSSVM, LSSVMState, RidgePath
from kernelect.numerics import blas_threads_for, mean_diagonal, require_memory
from kernelect.parameters import ParameterSpace, check_positive
from kernelect.priors import as_prior
from kernelect.selection import SelectionObjective, polished, select
from kernelect.typing import Array, Indices, Mask

#: Bounds of the ridge, relative to the spread of the kernel (the mean of k(x, x) less that of all entries).
_RIDGE_BOUNDS = (1e-9, 1e4)

#: Rows used to find the first ridge at the start kernel.
_START_ROWS = 600


class LSSVMBase(SelfSelecting):
    """An estimator around one LS-SVM; the concrete ones encode targets and shape predictions."""

    def _fit_machine(self, X: Array, targets: Array, weights: Array, labels: Indices | None = None) -> Array:
        """Select, solve and set the fitted attributes; return leave-one-out decision values (n, k).

        ``targets`` is (n, k); ``labels`` (class indices) are given where ridge and width shall
        be polished.
        """
        began = time.monotonic()
        self._check(X, targets, weights)
        kept = weights > 0
        rows = X[np.ix_(kept, kept)] if self._is_precomputed else X[kept]
        options = self._options()
        with blas_threads_for(len(rows)):
            objective = self._objective(rows, targets[kept], weights[kept])
            options.search.check(objective.criterion.has_gradient, objective.criterion.name)
            selection, objective = select(objective, options)
            if labels is not None:
                deadline = began + (float("inf") if self.time_limit is None else self.time_limit)
                selection = polished(selection, objective, labels[kept], deadline, options.observe)
            residuals = self._keep(objective, selection.theta, kept)
        self.selection_ = selection
        self.n_iter_ = selection.n_evaluations
        self._warn_if_doubtful(selection)
        # A row of weight 0 was left out all along.
        loo = targets.copy() if kept.all() else self._decide(X)
        loo[kept] = targets[kept] - residuals
        return loo

    def _check(self, X: Array, targets: Array, weights: Array) -> None:
        """Check what scikit-learn's validation leaves open."""
        if not isinstance(self.criterion, PRESS) and self.criterion != "press":
            raise unknown_name("criterion", self.criterion, ["press"])
        self._check_precomputed(X)
        require_size(targets, 1e150)
        positive = int(np.sum(weights > 0))
        if positive < 2:
            raise InvalidArgument(f"sample_weight leaves {positive} row(s) of positive weight: at least 2 are needed.")
        kernel, jobs = self._kernel(), min(abs(self.n_jobs or 1), self.n_restarts + 1)
        require_memory(len(X), (4.0 + kernel.squares) * jobs)

    def _objective(self, X: Array, targets: Array, weights: Array) -> SelectionObjective:
        kernel = self._kernel()
        started, space = kernel.start(X), kernel.space(X)
        prior = as_prior(self.prior, space)
        joined = ParameterSpace.joined([space, self._ridge_space(started, X, targets, weights)])
        criterion = self.criterion if isinstance(self.criterion, PRESS) else PRESS()
        return SelectionObjective(X, targets, weights, started, joined, LSSVM(), criterion, prior)

    def _objective_on(self, X: Array, y: Array) -> SelectionObjective:
        return self._objective(X, *self._targets(y))

    def _ridge_space(self, kernel: Kernel, X: Array, targets: Array, weights: Array) -> ParameterSpace:
        """Return the ridge's start (best at the start kernel) and bounds, or its fixed value."""
        ridge = check_positive("regularization", self.regularization)
        if not isinstance(ridge, str):
            return ParameterSpace.single("regularization", float(np.log(ridge)), free=False)
        rows = np.arange(len(X)) if self._is_precomputed else spread_rows(X, _START_ROWS)
        with np.errstate(over="ignore", invalid="ignore"):  # mean_diagonal says it better
            gram = kernel.gram(X[rows])
        # The intercept absorbs what all entries of the kernel matrix have in common.
        scale = mean_diagonal(gram) - float(gram.mean())
        scale = (scale if scale > 0 else abs(mean_diagonal(gram)) or 1.0) * float(weights.mean())
        lower, upper = (bound * scale for bound in _RIDGE_BOUNDS)
        start = np.log(RidgePath(gram, targets[rows], weights[rows]).best_ridge(lower * 10, upper / 10))
        return ParameterSpace.single(
            "regularization", float(start), below=float(start - np.log(lower)), above=float(np.log(upper) - start)
        )

    def _keep(self, objective: SelectionObjective, theta: Array, kept: Mask) -> Array:
        """Set the fitted attributes at ``theta`` and return the leave-one-out residuals."""
        fitted = objective.solved(theta)
        state: LSSVMState = fitted.state
        c = state.bordered_diagonal()
        single = objective.targets.shape[1] == 1
        for stale in ("X_fit_", "feature_importances_", "_gram"):
            self.__dict__.pop(stale, None)
        self.kernel_ = objective.kernel_at(theta)
        self.regularization_ = fitted.regularization
        self.dual_coef_ = state.dual_coef[:, 0] if single else state.dual_coef
        self.intercept_ = float(state.intercept[0]) if single else state.intercept
        self._rows = np.flatnonzero(kept)
        if not isinstance(self.kernel_, Precomputed):
            self.X_fit_ = objective.X
            self.feature_importances_ = relevances(self.kernel_, objective.X, state.dual_coef)
        self._keep_leave_one_out(objective, c, state.leave_one_out_residuals(c))
        return state.leave_one_out_residuals(c)

    def _keep_leave_one_out(self, objective: SelectionObjective, diagonal: Array, residuals: Array) -> None:
        """Keep what predictions need of leave-one-out; by default nothing."""

    def _decide(self, X: Array) -> Array:
        """Return decision values (m, k)."""
        state = LSSVMState(self.dual_coef_.reshape(len(self._rows), -1), np.atleast_1d(self.intercept_), *[None] * 3)
        return LSSVM().decide(state, self._cross(X))

    def _cross(self, X: Array) -> Array:
        """Return kernel values between the training rows and ``X``, (n, m)."""
        if isinstance(self.kernel_, Precomputed):
            return X[:, self._rows].T
        return self.kernel_.cross(self.X_fit_, X)

    def _validated(self, X: Any) -> Array:
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, reset=False, dtype=np.float64), dtype=float)
