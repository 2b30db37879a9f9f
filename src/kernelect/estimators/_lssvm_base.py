"""Selection and solution: what both LS-SVM estimators share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernelect.criteria import PRESS, Criterion, GroupPRESS
from kernelect.estimators._attributes import ReadsConstant
from kernelect.estimators._base import SelfSelecting
from kernelect.estimators._elsewhere import GivenRows, as_parts
from kernelect.estimators._lssvm_solved import Solved
from kernelect.estimators._precomputed import check_kernel_matrix
from kernelect.estimators._relevance import relevances
from kernelect.estimators._sklearn import validate_data
from kernelect.estimators._training import PRECISIONS, Data, LabelledTraining, Training
from kernelect.exceptions import InvalidArgument
from kernelect.machines import LSSVM, Groups
from kernelect.model import Model
from kernelect.numerics import (
    SparseRows,
    best_blas_threads,
    blas_threads_beside_blocks,
    require_memory,
)
from kernelect.priors import PRIORS, Prior, as_prior
from kernelect.results import ModelSize
from kernelect.selection import (
    LeastSquaresObjective,
    Rows,
    SelectionObjective,
    join,
    recalibrated,
    ridge_space,
    select,
    started_as_given,
)
from kernelect.selection.landmarks import (
    CANDIDATES,
    LandmarkFitting,
    LandmarkRequest,
    RowParts,
    as_request,
    lacking_on_landmarks,
    rows_within,
)
from kernelect.typing import Array, Indices

#: Rows at which relevances are measured, if there are many.
_RELEVANCE_ROWS = 2000

#: What to do about too many rows of kernel values.
_FEWER_ROWS = "Fit a random subset of the rows"

#: Peak of a fit in n x n arrays beside the kernel's.
_SQUARES = 4.0


@dataclass(eq=False, repr=False, kw_only=True)
class LSSVMBase(ReadsConstant, SelfSelecting):
    """An estimator around one LS-SVM; the concrete ones encode targets and shape predictions."""

    _machines = ("lssvm",)

    regularization: Any = "auto"
    landmarks: Any = "auto"
    criterion: Any = "press"

    @property
    def landmarks_(self) -> Array | None:
        """The landmarks, None if all rows have coefficients."""
        return None if self._component.sampled is None else self._vectors()

    def with_model(self, model: Model, kept: Indices | None = None) -> Self:
        """Return the machine with another model, which may speak of other rows when they are left out."""
        other = super().with_model(model, kept)
        if model.training is not None:
            other.loo_rows_ = model.training.numbers
        return other

    def model_size(self) -> ModelSize:
        """Return how many landmarks a prediction uses, or all rows."""
        if self.landmarks_ is None:
            return super().model_size()
        return ModelSize(count=len(self.landmarks_), what="landmark")

    def _parts(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> RowParts | None:
        """Return rows that stay where they are, None if they are in memory."""
        parts = as_parts(X, y, sample_weight, groups)
        if parts is not None and self._is_precomputed:
            raise InvalidArgument(
                "kernel='precomputed' takes a matrix of kernel values in memory: give X.compute(), or inputs and "
                "another kernel."
            )
        return parts

    def _solved(self, data: GivenRows, unit: float = 1.0, *, recalibrate: bool = False) -> Solved:
        """Select and solve; sets what is reported of the selection.

        Targets have been divided by ``unit``. ``recalibrate``: ridge and width are chosen once more by the log-loss of
        labels.
        """
        request = self._landmark_request(data.n_weighted, self.n_features_in_)
        if request is None:
            return self._exact(data.in_memory(self._refusal), unit, recalibrate)
        return self._on_landmarks(data, unit, request, recalibrate=recalibrate)

    def _refusal(self, needed: str) -> str:
        """Return what is said of rows that the exact machine cannot have in one place."""
        if self.landmarks is None:
            return f"landmarks=None {needed}: leave landmarks at 'auto', give their number, or give X.compute()."
        return f"{self._needs_all_rows()}, or give X.compute(): the exact machine {needed}."

    def _merged(self, data: Data) -> Data:
        """Return the rows without copies; those of a member of a mixture have none."""
        if self._is_precomputed:
            check_kernel_matrix(data.X)
        return data if self._whole else data.merged(pairwise=self._is_precomputed)

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

    def _instead(self) -> str:
        """Return what to do if the exact machine needs more memory than there is."""
        return _FEWER_ROWS if self._is_precomputed else self._needs_all_rows() or "Use landmarks='auto'"

    def _on_landmarks(self, data: GivenRows, unit: float, request: LandmarkRequest, *, recalibrate: bool) -> Solved:
        """Select and solve on landmarks."""
        table, order = data.in_blocks()
        sample = table.sample(rows_within(self._deadline, CANDIDATES))
        options, lead = self._options(), self._lead
        with blas_threads_beside_blocks():
            problem = self._problem(sample.rows)
            fit = LandmarkFitting(table, problem, sample, request, options, recalibrate, lead, unit).run()
        self.selection_, self.n_iter_ = fit.selection.with_remark(data.remark), fit.selection.n_evaluations
        self.regularization_ = self._ridge(fit.left_out.state.regularization)
        self.loo_rows_ = table.kept if table.kept is not None and len(table.kept) < table.n_rows else None
        state, points = fit.left_out.state, fit.landmarks.points
        self.feature_importances_ = relevances(fit.kernel, sample.part(_RELEVANCE_ROWS).X, state.dual_coef, points)
        solved = Solved.on_landmarks(fit, table, unit, order, spread=self._keeps_spread, fewer=self._keeps_fewer)
        return solved.expanded(data)

    #: Whether deviations and intervals are wanted.
    _keeps_spread: ClassVar[bool]

    #: Landmarks of which sums are kept for smaller models; None for all of them.
    _keeps_fewer: ClassVar[int | None] = None

    def _exact(self, data: Training, unit: float, recalibrate: bool) -> Solved:
        """Select and solve on all rows that there is time for."""
        self.loo_rows_ = None
        data, searching = data.in_time(LSSVM(), self._deadline, pairwise=self._is_precomputed, whole=self._whole)
        options = self._options(deadline=searching)
        rows = data.rows(pairwise=self._is_precomputed)
        squares = (_SQUARES + self._kernel().squares) * self._n_searches_at_once()
        require_memory(len(rows.X), squares, self._instead)
        with best_blas_threads(self._deadline):
            selection, objective = select(self._problem(rows), options, self._lead)
            assert isinstance(objective, LeastSquaresObjective)
            if recalibrate and isinstance(data, LabelledTraining):
                selection = recalibrated(selection, objective, data.index[data.kept], searching, options.observe)
            solved = Solved.exactly(objective, selection.theta, data, unit, spread=self._keeps_spread)
        self.selection_ = data.described(objective.in_units(selection, unit))
        self.n_iter_ = selection.n_evaluations
        self.regularization_ = self._ridge(solved.ridge)
        if not self._is_precomputed:
            self.feature_importances_ = relevances(solved.part.kernel, objective.X, solved.part.coefficients / unit)
        return solved.expanded(data)

    def _ridge(self, found: float) -> float:
        """Return the ridge that was found, or to the last digit the one that was given: a search has its logarithm."""
        return found if isinstance(self.regularization, str) else float(self.regularization)

    def _problem(self, rows: Rows) -> SelectionObjective:
        started = started_as_given(self._kernel(), rows.X, pairwise=self._is_precomputed)
        criterion, prior = self._criterion_of(rows.groups), as_prior(self.prior, started.space)
        led = self._lead is not None
        ridge = ridge_space(self.regularization, started, rows, led=led)
        return join(rows, started, LSSVM(), criterion, prior, ridge)

    def _known_groups(self) -> Groups | None:
        """Return the groups that a fit was given, of all its rows; None before a fit."""
        training = self.model_.training if "model_" in vars(self) else None
        return None if training is None or training.groups is None else Groups(training.groups)

    def _criterion_of(self, groups: Groups | None) -> Criterion:
        """Return the criterion; if groups are given, PRESS that leaves out whole groups."""
        criterion = self._criterion()
        if groups is None:
            return criterion
        if not isinstance(criterion, PRESS):
            raise InvalidArgument(
                f"criterion={self.criterion!r} does not leave out groups: use criterion='press', or leave groups out."
            )
        return GroupPRESS(groups)

    def _validated(self, X: Any) -> Array:
        """Return the rows of a prediction, checked; single precision and sparse rows are read in blocks."""
        if self._needs_no_check(X):
            return np.asarray(X)
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=PRECISIONS, in_blocks=not self._is_precomputed)
        return rows if isinstance(rows, SparseRows) else np.asarray(rows)  # type: ignore[return-value]
