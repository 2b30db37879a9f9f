"""Selection, solution and decision values: what both LS-SVM estimators share.

Notation as in machines/lssvm/full.py: alpha dual coefficients, b intercept, mu ridge,
P the bordered inverse, c = diag P, r leave-one-out residuals.
"""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernelect.criteria import PRESS, Criterion, GroupPRESS
from kernelect.estimators._base import SelfSelecting
from kernelect.estimators._dask import is_dask, predicted, template_of
from kernelect.estimators._elsewhere import PartedTraining
from kernelect.estimators._in_time import in_time
from kernelect.estimators._precomputed import check_kernel_matrix
from kernelect.estimators._relevance import relevances
from kernelect.estimators._sklearn import validate_data
from kernelect.estimators._training import PRECISIONS, LabelledTraining, Training
from kernelect.exceptions import InvalidArgument
from kernelect.kernels import Kernel, Precomputed
from kernelect.machines import LSSVM, Expansion, Groups, LSSVMState, blocks_of
from kernelect.machines.lssvm.landmarks import LandmarkState
from kernelect.machines.lssvm.left_out import LeftOut
from kernelect.machines.lssvm.sampled import SampledRows
from kernelect.numerics import best_blas_threads, blas_threads_beside_blocks, over_blocks, require_memory
from kernelect.priors import PRIORS, Prior, as_prior
from kernelect.results import ModelSize
from kernelect.selection import (
    LeastSquaresObjective,
    Rows,
    SelectionObjective,
    in_units,
    join,
    left_out,
    recalibrated,
    ridge_space,
    select,
    started_as_given,
)
from kernelect.selection.landmarks import (
    BLOCK_ROWS,
    CANDIDATES,
    EXACT_ROWS,
    ArrayTable,
    GroupedTable,
    LandmarkFit,
    LandmarkRequest,
    Table,
    as_request,
    fit_on_landmarks,
    lacking_on_landmarks,
    rows_within,
    sampled_rows,
)
from kernelect.typing import Array, Indices

#: Rows at which relevances are measured, where there are many.
_RELEVANCE_ROWS = 2000

#: What predictions need not know: names of columns, which are checked beforehand, and results of training rows.
_NOT_FOR_PREDICTIONS = {"feature_names_in_", "loo_prediction_", "loo_decision_", "loo_rows_", "selection_", "_sampled"}

#: What to do about too many rows of kernel values.
_FEWER_ROWS = "Fit a random subset of the rows"

#: Peak of a fit in n x n arrays beside the kernel's.
_SQUARES = 4.0


class LSSVMBase(SelfSelecting):
    """An estimator around one LS-SVM; the concrete ones encode targets and shape predictions."""

    _machines = ("lssvm",)

    regularization: Any
    landmarks: Any

    regularization_: float
    intercept_: Any
    landmarks_: Array | None
    loo_rows_: Indices | None
    X_fit_: Array
    _rows: Indices
    _groups: Indices | None = None
    _weights: Array
    _gram: Array
    _sampled: SampledRows

    def model_size(self) -> ModelSize:
        """Return how many landmarks a prediction uses, or all rows."""
        if self.landmarks_ is None:
            return super().model_size()
        return ModelSize(count=len(self.landmarks_), what="landmark")

    def _fit_machine(self, data: Training, unit: float = 1.0, *, recalibrate: bool = False) -> Array:
        """Select, solve and set the learned attributes; return leave-one-out decision values (n, k).

        Targets have been divided by ``unit``, and so are all attributes but the selection's record.
        ``recalibrate``: ridge and width are chosen once more by the log-loss of labels.
        """
        self._groups = data.groups
        request = self._landmark_request(int(data.kept.sum()), data.X.shape[1])
        if request is None:
            return self._fit_exactly(data, unit, recalibrate)
        self.loo_rows_ = None
        if data.groups is not None:
            return self._fit_groups_on_landmarks(data, data.groups, unit, request, recalibrate)
        table = ArrayTable(data.X, data.targets, data.weights)
        return self._fit_on_landmarks(table, unit, request, recalibrate=recalibrate)

    def _fit_groups_on_landmarks(
        self, data: Training, groups: Indices, unit: float, request: LandmarkRequest, recalibrate: bool
    ) -> Array:
        """Do the same with rows in the order of their groups, so that a block of rows has whole ones."""
        order = np.argsort(groups, kind="stable")
        table = GroupedTable(data.X[order], data.targets[order], data.weights[order], groups[order])
        found = self._fit_on_landmarks(table, unit, request, recalibrate=recalibrate)
        self._rows = np.where(self._rows >= 0, order[self._rows], -1)
        self._sampled = self._sampled.renumbered(order)
        self._reorder_spread(order, np.flatnonzero(table.kept_weights > 0.0))
        loo = np.empty_like(found)
        loo[order] = found
        return loo

    def _fit_in_parts(self, data: PartedTraining, *, recalibrate: bool = False) -> Array:
        """Do the same with rows that stay where they are; return leave-one-out decisions of ``loo_rows_``."""
        if self._is_precomputed:
            raise InvalidArgument(
                "kernel='precomputed' takes a matrix of kernel values in memory: give X.compute(), or inputs and "
                "another kernel."
            )
        table = data.table
        request = self._landmark_request(table.n_weighted, self.n_features_in_)
        if request is not None:
            loo = self._fit_on_landmarks(table, data.unit, request, recalibrate=recalibrate)
            self.loo_rows_ = table.kept if len(table.kept) < table.n_rows else None
            return loo
        if table.n_rows > EXACT_ROWS:
            exact = f"needs all {table.n_rows} rows in one place, and X is in parts"
            raise InvalidArgument(
                f"landmarks=None {exact}: leave landmarks at 'auto', give their number, or give X.compute()."
                if self.landmarks is None
                else f"{self._needs_all_rows()}, or give X.compute(): the exact machine {exact}."
            )
        return self._fit_exactly(data.in_memory(), data.unit, recalibrate)

    def _landmark_request(self, n_rows: int, n_inputs: int) -> LandmarkRequest | None:
        """Return which landmarks are asked for, None for the exact machine."""
        automatic = self.landmarks is None or (isinstance(self.landmarks, str) and self.landmarks == "auto")
        if self._is_precomputed and not automatic:
            raise InvalidArgument(
                f"landmarks={self.landmarks!r} needs inputs, and kernel='precomputed' takes kernel values: "
                "leave landmarks at 'auto', or give the inputs and another kernel."
            )
        if self._is_precomputed:
            return None
        request = as_request(self.landmarks, n_rows, n_inputs)
        return None if request is not None and automatic and self._needs_all_rows() else request

    def _needs_all_rows(self) -> str:
        """Return why criterion or prior need the exact machine, however many rows there are; else nothing."""
        named = isinstance(self.prior, Prior) or self.prior in PRIORS
        return lacking_on_landmarks(self._criterion(), PRIORS.resolve(self.prior) if named else None)

    def _fit_on_landmarks(self, table: Table, unit: float, request: LandmarkRequest, *, recalibrate: bool) -> Array:
        """Select, solve and set the learned attributes; return leave-one-out decisions of the rows that are kept."""
        deadline = self._deadline
        sample = table.sample(rows_within(deadline, CANDIDATES))
        options, lead = self._options(), self._lead
        with blas_threads_beside_blocks():
            problem = self._problem(sample.rows)
            fit = fit_on_landmarks(table, problem, sample, request, options, recalibrate, lead, unit, deadline)
        self._keep_solution(fit.kernel, fit.left_out.state, fit.landmarks.points)
        self.regularization_ = fit.left_out.state.regularization
        self.landmarks_, self._rows = fit.landmarks.points, fit.landmarks.numbers
        rows = sample.part(_RELEVANCE_ROWS).X
        coefficients = fit.left_out.state.dual_coef
        self.feature_importances_ = relevances(self.kernel_, rows, coefficients, fit.landmarks.points)
        self._sampled = sampled_rows(fit, table)
        self._keep_spread(fit, table)
        self.selection_, self.n_iter_ = fit.selection, fit.selection.n_evaluations
        return np.asarray(table.kept_targets - fit.left_out.residuals, dtype=float)

    def _fit_exactly(self, data: Training, unit: float, recalibrate: bool) -> Array:
        self.loo_rows_ = None
        if self._is_precomputed:
            check_kernel_matrix(data.X)
        timed = in_time(data, LSSVM(), self._deadline, pairwise=self._is_precomputed, whole=self._whole)
        data, kept, options = timed.data, timed.data.kept, self._options(deadline=timed.searching)
        instead = _FEWER_ROWS if self._is_precomputed else self._needs_all_rows() or "Use landmarks='auto'"
        require_memory(int(kept.sum()), (_SQUARES + self._kernel().squares) * self._n_searches_at_once(), instead)
        rows = data.rows(pairwise=self._is_precomputed)
        with best_blas_threads(self._deadline):
            selection, objective = select(self._problem(rows), options, self._lead)
            assert isinstance(objective, LeastSquaresObjective)
            if recalibrate and isinstance(data, LabelledTraining):
                selection = recalibrated(selection, objective, data.index[kept], timed.searching, options.observe)
            self._rows = np.flatnonzero(kept)
            residuals = self._keep(objective, selection.theta)
        self.selection_ = timed.told(in_units(selection, objective, unit))
        self.n_iter_ = selection.n_evaluations
        # A row of weight 0 was left out all along.
        loo = data.targets.copy() if kept.all() else self._decide(data.X)
        loo[kept] = data.targets[kept] - residuals
        return loo

    def _problem(self, rows: Rows) -> SelectionObjective:
        started = started_as_given(self._kernel(), rows.X, pairwise=self._is_precomputed)
        criterion, prior = self._criterion_of(rows.groups), as_prior(self.prior, started.space)
        ridge = ridge_space(self.regularization, started, rows.X, rows.targets, rows.weights)
        return join(rows, started, LSSVM(), criterion, prior, ridge)

    def _known_groups(self) -> Groups | None:
        """Return the groups that a fit was given, of all its rows."""
        return None if self._groups is None else Groups(self._groups)

    def _criterion_of(self, groups: Groups | None) -> Criterion:
        """Return the criterion; where groups are given, PRESS that leaves out whole groups."""
        criterion = self._criterion()
        if groups is None:
            return criterion
        if not isinstance(criterion, PRESS):
            raise InvalidArgument(
                f"criterion={self.criterion!r} does not leave out groups: use criterion='press', or leave groups out."
            )
        return GroupPRESS(groups)

    def _keep(self, objective: LeastSquaresObjective, theta: Array) -> Array:
        """Set the learned attributes at ``theta`` and return the leave-one-out residuals."""
        fitted = objective.solved(theta)
        state: LSSVMState = fitted.state
        kernel = objective.kernel_at(theta)
        self._keep_solution(kernel, state, None if isinstance(kernel, Precomputed) else objective.X)
        self.regularization_, self.landmarks_ = fitted.regularization, None
        self._weights = objective.weights
        if isinstance(kernel, Precomputed):
            self._gram = objective.X
        if not isinstance(kernel, Precomputed):
            self.feature_importances_ = relevances(kernel, objective.X, state.dual_coef)
        return self._keep_leave_one_out(objective, theta, state)

    def _keep_solution(self, kernel: Kernel, state: LSSVMState | LandmarkState, rows: Array | None) -> None:
        """Set what predictions need: the kernel, the coefficients and the rows they belong to."""
        coefficients, intercept = state.dual_coef, state.intercept
        single = coefficients.shape[1] == 1
        self.kernel_ = kernel
        self.dual_coef_ = coefficients[:, 0] if single else coefficients
        self.intercept_ = float(intercept[0]) if single else intercept
        if rows is not None:
            self.X_fit_ = rows

    def _resolved(self) -> LSSVMState:
        """Return the exact machine factorised again: a factor is not kept, so that models stay small."""
        gram = self._gram if isinstance(self.kernel_, Precomputed) else self.kernel_.gram(self.X_fit_)
        return LSSVM().fit(gram, np.zeros((len(gram), 1)), self.regularization_, self._weights)

    def residuals_without(self, partitions: list[Indices]) -> list[Array]:
        """Return the residuals (n, k) of rows left out with their group, for several ways to group the rows.

        Of the exact machine, at its selected hyper-parameters.
        """
        blocks = blocks_of(self._resolved().bordered_inverse())
        alpha = self.dual_coef_.reshape(len(self.dual_coef_), -1)
        return [Groups(index).solve(blocks, alpha) for index in partitions]

    def _keep_leave_one_out(self, objective: LeastSquaresObjective, theta: Array, state: LSSVMState) -> Array:
        """Return the leave-one-out residuals, and keep what predictions need of them; by default nothing."""
        remembered = objective.remembered_residuals(theta)
        return left_out(state, objective.criterion.groups)[1] if remembered is None else remembered

    def _keep_spread(self, fit: LandmarkFit, table: Table) -> None:
        """Keep what predictions on landmarks need of leave-one-out; by default nothing."""

    def _reorder_spread(self, order: Indices, counted: Indices) -> None:
        """Put what is kept of rows into the order in which they were given; by default nothing is kept.

        ``order`` has the number of every row of the table, ``counted`` the places of those of positive weight.
        """

    def _among_landmarks(self, chosen: Indices) -> Self:
        """Return the machine on some landmarks of ``_sampled``: a refit of all rows, left out of it those of these."""
        small, places = copy(self), self._sampled.places[chosen]
        rows = small._sampled = self._sampled.among(chosen)
        small.landmarks_, small._rows = np.ascontiguousarray(self.X_fit_[places]), self._rows[places]
        small._keep_solution(self.kernel_, rows.state, small.landmarks_)
        small.loo_rows_, cross = rows.numbers, small._cross(rows.inputs)
        small._keep_sampled(rows.left_out(cross), cross)
        return small

    def _sampled_rows(self) -> Indices:
        """Return the places of the rows in ``_sampled`` among those that leave-one-out covers."""
        numbers = self._sampled.numbers
        return numbers if self.loo_rows_ is None else np.searchsorted(self.loo_rows_, numbers)

    @abstractmethod
    def _keep_sampled(self, out: LeftOut, cross: Array) -> None:
        """Keep the leave-one-out of the rows in ``_sampled``, which have the kernel values ``cross`` (m, q)."""

    def _decide(self, X: Array) -> Array:
        """Return decision values (m, k), block by block of rows."""
        expansion = Expansion(
            dual_coef=self.dual_coef_.reshape(len(self.dual_coef_), -1), intercept=np.atleast_1d(self.intercept_)
        )
        parts = [slice(first, first + BLOCK_ROWS) for first in range(0, len(X), BLOCK_ROWS)]
        return np.concatenate(
            list(over_blocks(lambda part: expansion.decide(self._cross(np.asarray(X[part], dtype=float))), parts))
        )

    def _validated(self, X: Any) -> Array:
        """Return the rows of a prediction, checked; single precision, in memory or in a file, is read in blocks."""
        if self._needs_no_check(X):
            return np.asarray(X)
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, reset=False, dtype=PRECISIONS))

    def _is_lazy(self, X: Any) -> bool:
        """Tell whether rows belong to Dask, so that predictions wait until they are asked for."""
        if not is_dask(X):
            return False
        check_is_fitted(self)
        return True

    def _lazily(self, method: str, X: Any, dtype: Any, columns: int | None) -> Any:
        """Return what a method says of the rows of a Dask collection, as a Dask array."""
        validate_data(self, template_of(X), skip_check_array=True, reset=False)
        lean = copy(self)
        lean.__dict__ = {k: value for k, value in vars(self).items() if k not in _NOT_FOR_PREDICTIONS}
        return predicted(partial(getattr(type(lean), method), lean), X, dtype, columns)

    def _cross(self, X: Array) -> Array:
        """Return kernel values between the rows with coefficients and ``X``, (n, m)."""
        if isinstance(self.kernel_, Precomputed):
            return X[:, self._rows].T
        return self.kernel_.cross(self.X_fit_, X)
