"""Selection, solution and prediction shared by both relevance vector machines."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernelect.criteria import Criterion, RVMCrossValidation
from kernelect.criteria.rvm import dealt_out
from kernelect.dictionaries import Candidates, DictionaryDesign, as_dictionary
from kernelect.estimators._attributes import ReadsConstant
from kernelect.estimators._base import SelfSelecting
from kernelect.estimators._columns import ColumnOrder, telling, told
from kernelect.estimators._precomputed import check_kernel_matrix
from kernelect.estimators._rvm_centres import centre_request, centred, no_centres, row_numbers, squares_of
from kernelect.estimators._rvm_held import MOST_ROWS, Losses, loss_by_size
from kernelect.estimators._rvm_solution import RelevanceSolution
from kernelect.estimators._targets import nameless_targets
from kernelect.estimators._training import Data, Training
from kernelect.exceptions import InvalidArgument, MissingCapability, unknown_name
from kernelect.kernels import Kernel
from kernelect.kernels.scale import spread_rows
from kernelect.machines.rvm import (
    RVM,
    Classical,
    Columns,
    Sequential,
    evidence_by_size,
)
from kernelect.model import Component, FunctionPart, Model, Tempered
from kernelect.model.relevance import LossBySize
from kernelect.numerics import canonical_order, canonical_signs, require_memory, single_blas_thread
from kernelect.priors import as_prior, shrink_selected
from kernelect.results import ModelSize
from kernelect.search import Search
from kernelect.selection import (
    Centres,
    RelevanceObjective,
    Rows,
    StartedKernel,
    join,
    select,
    suited_search,
)
from kernelect.selection.landmarks import LandmarkRequest
from kernelect.typing import Array, Indices

_ALGORITHMS = {"sequential": Sequential, "classical": Classical}

_CENTRES = ("data", "movable")

#: Share of the time limit for the search, if the last fit comes after it.
_SEARCHING = 0.75

_CONSTANT = "no function raised the evidence, so the model is a constant"


@dataclass(eq=False, repr=False, kw_only=True)
class RVMBase(ReadsConstant, SelfSelecting):
    """An RVM: candidate functions at the training rows, or a dictionary's."""

    _machines = ("rvm",)

    #: Real targets with normal noise, or labels of +-1.
    _regression: ClassVar[bool]

    centres: str = "data"
    landmarks: Any = "auto"
    algorithm: str = "sequential"
    dictionary: Any = None
    search: Any = "auto"

    @property
    def functions_(self) -> Candidates:
        """The functions of the dictionary that the model uses."""
        part = self._component.parts[0]
        if not isinstance(part, FunctionPart):
            raise AttributeError("This machine has a kernel and no dictionary: see relevance_vectors_.")
        return part.functions

    @property
    def relevance_vectors_(self) -> Array:
        """The vectors that the model uses."""
        return self._vectors()

    @property
    def _is_precomputed(self) -> bool:
        return self.dictionary is None and super()._is_precomputed

    has_evidence_by_size = True

    def with_model(self, model: Model, kept: Indices | None = None) -> Self:
        """Return the machine with a model of some of its vectors."""
        other = super().with_model(model, kept)
        other.support_ = self.support_ if kept is None else self.support_[kept]
        return other

    def model_size(self) -> ModelSize:
        """Return how many functions a prediction uses."""
        return ModelSize(
            count=len(self.support_), what="relevance vector" if self.dictionary is None else "basis function"
        )

    def selected_kernel(self) -> Kernel | None:
        """Return the kernel with its selected parameters, or None if a dictionary replaces it."""
        return self.kernel_ if self.dictionary is None else None

    def _kernel(self) -> Kernel:
        if self.dictionary is None:
            return super()._kernel()
        return DictionaryDesign(as_dictionary(self.dictionary))

    def _search(self) -> Search:
        if isinstance(self.search, str) and self.search == "auto":
            return suited_search(RVM, self._criterion())
        return super()._search()

    def _merged(self, data: Data) -> Data:
        """Return the rows without copies; as they are if the user has dealt them out to parts."""
        if self._is_precomputed:
            check_kernel_matrix(data.X)
        criterion = self._criterion()
        dealt = isinstance(criterion, RVMCrossValidation) and criterion.parts is not None
        return data if dealt else data.merged(counts=True, pairwise=self._is_precomputed)

    def _fit_machine(self, data: Training, unit: float = 1.0, centre: float = 0.0) -> Component:
        """Select and solve; return the machine without its link.

        Targets are those that were given less ``centre``, divided by ``unit``.
        """
        self._check_words()
        columns = ColumnOrder.of(data, self._kernel(), self._marks(data.targets))
        data, deadline = columns.columns_of(data), self._deadline
        request = self._centre_request(int(data.kept.sum()), columns)
        machine = RVM(self._regression, most_functions=np.inf if request is None else request.first)
        data, _ = data.in_time(machine, deadline, pairwise=self._is_precomputed)
        order = self._row_order(data.rows(pairwise=self._is_precomputed))
        rows, kept = data.rows(pairwise=self._is_precomputed, order=order), np.flatnonzero(data.kept)[order]
        require_memory(len(kept), squares_of(self._kernel(), rows.X, request))
        objective = centred(self._problem(rows, order, columns), request, data.X, kept, self._seed)
        places = columns.places(objective)
        # A criterion that trains machines of its own, or a part of the rows, leaves the last fit still to be done.
        searching = deadline.part(_SEARCHING)
        objective, options = objective.before(searching), self._options(deadline=searching)
        options = replace(options, observe=telling(options.observe, places))
        # Products are with a few columns at a time: a second thread made a fit of 16 s one of 115 s.
        with single_blas_thread():
            selection, found = select(objective, options)
            assert isinstance(found, RelevanceObjective)
            found = found.before(deadline)
            solution = RelevanceSolution.at(
                found, selection.theta, row_numbers(found, data.X, kept), centres=self.centres
            )
            link = self._link(found, selection.theta)
            losses = self._loss_by_size(solution, found, link)
        if not self._is_precomputed:
            self.feature_importances_ = solution.relevances(found.X)[columns.given]
        self.support_, self.landmarks_ = solution.support, solution.landmarks
        if solution.functions is not None:
            self.basis_ = solution.functions.describe()
        if self.landmarks_ is not None:
            self.landmarks_ = np.take(self.landmarks_, columns.given, axis=1)
        selection = told(found.in_units(selection, unit), places)
        self.selection_ = data.described(selection.with_remark("" if len(self.support_) else _CONSTANT))
        self.n_iter_ = selection.n_evaluations
        return solution.as_given(columns).component(unit, centre, link, losses)

    def _centre_request(self, n_rows: int, columns: ColumnOrder) -> LandmarkRequest | None:
        """Return which rows candidate functions are centred on, None for all of them; columns are those fitted."""
        if not self._is_precomputed and self.dictionary is None:
            return columns.points_of(centre_request(self.landmarks, n_rows, len(columns.fitted)))
        if self.landmarks is not None and not (isinstance(self.landmarks, str) and self.landmarks == "auto"):
            raise no_centres(self.landmarks, precomputed=self.dictionary is None)
        return None

    def _row_order(self, rows: Rows) -> Indices:
        """Return the order in which the rows are fitted, whatever the order in which they were given.

        It decides between two candidate functions that gain the same, up to rounding.
        """
        inputs = self._told_apart(rows)
        return canonical_order(np.column_stack([inputs, self._ordered_targets(rows, inputs), rows.weights]))

    def _told_apart(self, rows: Rows) -> Array:
        """Return what distinguishes rows: their inputs, or kernel values whatever the order of their columns.

        Inputs have signs of the data's own: if two sets of functions gain the same up to rounding, the sign of a
        column decided between optima of 8.9 and 13.1.
        """
        if self._is_precomputed:
            return np.sort(rows.X, axis=1)
        return canonical_signs(rows.X, self._marks(rows.targets)) * rows.X

    def _marks(self, targets: Array) -> Array:
        """Return what signs of columns may follow: real targets, but not labels, because classes may be renamed."""
        return targets if self._regression else np.zeros_like(targets)

    def _ordered_targets(self, rows: Rows, inputs: Array) -> Array:
        """Return the targets that rows are ordered by; those of labels do not depend on the names of classes."""
        return rows.targets if self._regression else nameless_targets(inputs, rows.targets, rows.weights)

    def _check_words(self) -> None:
        if self.centres not in _CENTRES:
            raise unknown_name("centres", self.centres, list(_CENTRES))
        if self.algorithm not in _ALGORITHMS:
            raise unknown_name("algorithm", self.algorithm, list(_ALGORITHMS))
        moving = self.centres == "movable" or self._criterion().needs_centres
        if moving and (self._is_precomputed or self.dictionary is not None):
            raise MissingCapability(
                "centres='movable' and criterion='centre-evidence' need a Gaussian kernel of the inputs, and this "
                f"machine has {'precomputed kernel values' if self.dictionary is None else 'a dictionary'}: use "
                "kernel='rbf' or 'ard' without a dictionary, or centres='data' with another criterion."
            )

    def _criterion_for(self, rows: Rows, order: Indices | None) -> Criterion:
        """Return the criterion; parts for cross-validation do not depend on the rows' order."""
        criterion = self._criterion()
        if not isinstance(criterion, RVMCrossValidation):
            return criterion
        dealt = self._dealt(criterion, rows)
        return dealt if criterion.parts is None or order is None else dealt.on_rows(order)

    def _dealt(self, criterion: RVMCrossValidation, rows: Rows) -> RVMCrossValidation:
        """Return the criterion with a part for every row."""
        parts = criterion.parts
        if parts is None:
            inputs = self._told_apart(rows)
            parts = dealt_out(inputs, self._ordered_targets(rows, inputs), rows.weights, criterion.n_parts)
        elif len(parts) != len(rows.X):
            raise InvalidArgument(
                f"parts has {len(parts)} entries for {len(rows.X)} rows of positive weight: give one for each of them."
            )
        return replace(criterion, parts=parts, centred_on_rows=self.dictionary is None)

    def _problem(
        self, rows: Rows, order: Indices | None = None, columns: ColumnOrder | None = None
    ) -> RelevanceObjective:
        """Return what is minimised.

        ``order`` is that of the rows among those the user gave parts for, ``columns`` that of the columns if it is
        not the user's; parameters have the user's names.
        """
        kernel = self._kernel() if columns is None else columns.inside(self._kernel())
        # The data's scale is that of distinct rows, so that a row given twice is the same as a row of weight 2.
        first = np.arange(len(rows.X)) if self._is_precomputed else np.unique(rows.X, axis=0, return_index=True)[1]
        distinct = rows.X[np.sort(first)]
        space = kernel.space(distinct) if columns is None else columns.space(kernel, distinct)
        started = StartedKernel(kernel=kernel.start(distinct), space=space, pairwise=self._is_precomputed)
        prior = as_prior(self.prior, started.space, shrink_selected)
        machine = RVM(self._regression, _ALGORITHMS[self.algorithm]())
        objective = join(rows, started, machine, self._criterion_for(rows, order), prior)
        assert isinstance(objective, RelevanceObjective)
        return objective

    def evidence_by_size(self, X: Any, y: Any) -> tuple[Array, Array]:
        """Return sizes and ln evidence as functions are removed from the model, the weakest first.

        Parameters
        ----------
        X, y
            What the machine was fitted on.

        Returns
        -------
        size, log_evidence : ndarray of shape (n_models,)
            The constant counts as a function. Centres are at the data. Models of more than two classes are refused,
            because several one-against-rest machines have no single size.
        """
        check_is_fitted(self)
        objective = self._problem(self._unweighted(np.asarray(X, dtype=float), np.asarray(y)))
        assert isinstance(objective.machine, RVM)
        if objective.targets.shape[1] > 1:
            raise MissingCapability(
                f"evidence_by_size is for models with one machine, but there are {objective.targets.shape[1]} here: "
                "fit two classes, or a regression."
            )
        if self._is_precomputed or self.dictionary is not None:
            design = objective.design(self.selection_.theta)[0][:, self.support_]
        else:
            design, _ = objective.centred_on(Centres.of(objective.X, self.support_)).design(self.selection_.theta)
        targets, weights = objective.targets[:, 0], objective.weights
        return evidence_by_size(Columns.of(design), objective.machine.likelihood(targets, weights))

    def _loss_by_size(
        self, solution: RelevanceSolution, objective: RelevanceObjective, link: Tempered | None
    ) -> LossBySize | None:
        """Return what fewer vectors cost, which is not known without the rows; functions without vectors all stay."""
        if solution.vectors is None:
            return None
        rows = np.sort(spread_rows(objective.X, MOST_ROWS))
        weights, values = objective.weights[rows], solution.values(objective.X[rows])
        losses = self._losses(objective.targets[rows], weights, link)
        return loss_by_size(solution.model, values, [each.on(rows) for each in solution.slopes], weights, losses)

    def __getattr__(self, name: str) -> Any:
        if name == "feature_importances_" and "support_" in self.__dict__:
            raise AttributeError(
                "kernel='precomputed' has no feature_importances_, because the inputs behind the kernel are not known: "
                "fit with a kernel of the inputs, such as kernel='ard'."
            )
        return super().__getattr__(name)

    @abstractmethod
    def _losses(self, targets: Array, weights: Array, link: Tempered | None) -> Losses:
        """Return the losses that are reported of rows left out: how well latent values predict the targets."""

    def _link(self, objective: RelevanceObjective, theta: Array) -> Tempered | None:
        """Return what probabilities need besides the model; nothing for numbers."""
        return None
