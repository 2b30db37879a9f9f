"""Selection, solution and prediction shared by both relevance vector machines."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kernelect.criteria import Criterion, RVMCrossValidation
from kernelect.criteria.rvm import dealt_out
from kernelect.dictionaries import Candidates, DictionaryDesign, as_dictionary
from kernelect.estimators._base import SelfSelecting
from kernelect.estimators._columns import ColumnOrder, telling, told
from kernelect.estimators._in_time import in_time
from kernelect.estimators._precomputed import check_kernel_matrix
from kernelect.estimators._relevance import function_relevances, relevances
from kernelect.estimators._rvm_centres import centre_request, centred, no_centres, origins_of, row_numbers, squares_of
from kernelect.estimators._rvm_held import MOST_ROWS, LossBySize, Losses, loss_by_size
from kernelect.estimators._rvm_model import RelevanceModel, on_centres, on_rows
from kernelect.estimators._targets import nameless_targets
from kernelect.estimators._training import Training
from kernelect.exceptions import InvalidArgument, MissingCapability, unknown_name
from kernelect.kernels import Kernel
from kernelect.kernels.centres import GaussianCentres
from kernelect.kernels.scale import spread_rows
from kernelect.machines.rvm import (
    RVM,
    Classical,
    Columns,
    Sequential,
    Slopes,
    TargetLikelihood,
    evidence_by_size,
    moved_centres,
)
from kernelect.numerics import canonical_order, require_memory, single_blas_thread
from kernelect.priors import as_prior, shrink_selected
from kernelect.results import ModelSize
from kernelect.search import Search
from kernelect.selection import (
    Centres,
    RelevanceObjective,
    Rows,
    StartedKernel,
    in_units,
    join,
    select,
    suited_search,
    with_remark,
)
from kernelect.selection.landmarks import LandmarkRequest
from kernelect.typing import Array, Indices

_ALGORITHMS = {"sequential": Sequential, "classical": Classical}

_CENTRES = ("data", "movable")

#: Share of the time limit for the search, where the last fit comes after it.
_SEARCHING = 0.75

_CONSTANT = "no function raised the evidence, so the model is a constant"


class RVMBase(SelfSelecting):
    """An RVM: candidate functions at the training rows, or a dictionary's."""

    _machines = ("rvm",)

    #: Real targets with normal noise, or labels of +-1.
    _regression: ClassVar[bool]

    centres: str
    landmarks: Any
    algorithm: str
    dictionary: Any

    functions_: Candidates
    basis_: list[str]
    support_: Indices
    relevance_vectors_: Array
    landmarks_: Array | None
    intercept_: Any
    _model: RelevanceModel
    _loss_by_size: LossBySize

    @property
    def _is_precomputed(self) -> bool:
        return self.dictionary is None and super()._is_precomputed

    has_evidence_by_size = True

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

    def _fit_machine(self, data: Training, unit: float = 1.0) -> None:
        """Select, solve and set the learned attributes; targets have been divided by ``unit``."""
        if self._is_precomputed:
            check_kernel_matrix(data.X)
        self._check_words()
        columns = ColumnOrder.of(data, self._kernel())
        data, deadline = columns.columns_of(data), self._deadline
        request = self._centre_request(int(data.kept.sum()), columns)
        machine = RVM(self._regression, most_functions=np.inf if request is None else request.first)
        timed = in_time(data, machine, deadline, pairwise=self._is_precomputed)
        data = timed.data
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
            slopes = self._keep(found, selection.theta, row_numbers(found, data.X, kept))
            self._calibrate(found, selection.theta)
            self._keep_losses(found, slopes)
        self._keep_as_given(columns)
        selection = told(in_units(selection, found, unit), places)
        self.selection_ = timed.told(with_remark(selection, "" if len(self.support_) else _CONSTANT))
        self.n_iter_ = selection.n_evaluations

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
        """Return what tells rows apart: their inputs, or kernel values whatever the order of their columns."""
        return np.sort(rows.X, axis=1) if self._is_precomputed else rows.X

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

        ``order`` is that of the rows among those the user gave parts for, ``columns`` that of the columns where it is
        not the user's; parameters have the user's names.
        """
        kernel = self._kernel() if columns is None else columns.inside(self._kernel())
        # The data's scale is that of distinct rows, so that a row given twice is the same as a row of weight 2.
        distinct = rows.X if self._is_precomputed else np.unique(rows.X, axis=0)
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
                f"evidence_by_size is for one machine, and {objective.targets.shape[1]} tell the classes apart: "
                "fit two classes, or a regression."
            )
        if self._is_precomputed or self.dictionary is not None:
            design = objective.design(self.selection_.theta)[0][:, self.support_]
        else:
            design, _ = objective.centred_on(Centres.of(objective.X, self.support_)).design(self.selection_.theta)
        targets, weights = objective.targets[:, 0], objective.weights
        return evidence_by_size(Columns.of(design), objective.machine.likelihood(targets, weights))

    def _keep(self, objective: RelevanceObjective, theta: Array, rows: Indices) -> list[Slopes]:
        """Set the learned attributes at ``theta``, and return the slopes of every output's likelihood.

        ``rows`` are those of the user that have a candidate function.
        """
        fits, kernel = objective.fits(theta), objective.kernel_at(theta)
        columns, model = on_rows(fits)
        likelihood, slopes = fits[0].likelihood, [fit.posterior.slopes for fit in fits]
        vectors = None if self._is_precomputed or self.dictionary is not None else objective.points[columns]
        if self.centres == "movable":
            geometry = GaussianCentres.of(kernel, objective.X)
            moved = [moved_centres(fit, objective.points, geometry) for fit in fits]
            vectors, model = on_centres(moved)
            likelihood, slopes = moved[0][0].likelihood, [posterior.slopes for _, posterior in moved]
            columns = origins_of(objective.points, np.vstack([fit.origins for fit, _ in moved]))
        if self.dictionary is None:
            columns = rows[columns]
            order = np.argsort(columns, kind="stable")
            columns, model = columns[order], model.reordered(order)
            vectors = None if vectors is None else vectors[order]
        self.support_ = columns
        self.landmarks_ = None if objective.centres is None else objective.centres.points
        if isinstance(kernel, DictionaryDesign):
            self.functions_ = kernel.dictionary.build(objective.X).take(columns)
            self.basis_ = self.functions_.describe()
        else:
            self.kernel_ = kernel
        if vectors is not None:
            self.relevance_vectors_ = vectors
        self._model = model
        self._keep_noise(likelihood)
        dual_coef, intercept = self._model.coefficients()
        single = len(intercept) == 1
        self.dual_coef_ = dual_coef[:, 0] if single else dual_coef
        self.intercept_ = float(intercept[0]) if single else intercept
        if vectors is not None:
            self.feature_importances_ = relevances(kernel, objective.X, dual_coef, vectors)
        elif not self._is_precomputed:
            self.feature_importances_ = function_relevances(self.functions_, objective.X, dual_coef)
        return slopes

    def _keep_losses(self, objective: RelevanceObjective, slopes: list[Slopes]) -> None:
        """Set what fewer vectors cost, which is not known without the rows; functions without vectors all stay."""
        if "relevance_vectors_" not in vars(self):
            return
        rows = np.sort(spread_rows(objective.X, MOST_ROWS))
        weights, values = objective.weights[rows], self._values(objective.X[rows])
        losses = self._losses(objective.targets[rows], weights)
        self._loss_by_size = loss_by_size(self._model, values, [each.on(rows) for each in slopes], weights, losses)

    def _keep_as_given(self, columns: ColumnOrder) -> None:
        """Put what belongs to columns into their given order."""
        learned = vars(self)
        if "kernel_" in learned:
            self.kernel_ = columns.outside(self.kernel_)
        if "relevance_vectors_" in learned:
            self.relevance_vectors_ = np.take(self.relevance_vectors_, columns.given, axis=1)
        if self.landmarks_ is not None:
            self.landmarks_ = np.take(self.landmarks_, columns.given, axis=1)
        if "feature_importances_" in learned:
            self.feature_importances_ = self.feature_importances_[columns.given]

    def __getattr__(self, name: str) -> Any:
        if name == "feature_importances_" and "support_" in self.__dict__:
            raise AttributeError(
                "kernel='precomputed' has no feature_importances_, because the inputs behind the kernel are not known: "
                "fit with a kernel of the inputs, such as kernel='ard'."
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @abstractmethod
    def _losses(self, targets: Array, weights: Array) -> Losses:
        """Return the losses that are told of rows left out: how well latent values predict the targets."""

    def _calibrate(self, objective: RelevanceObjective, theta: Array) -> None:
        """Set what probabilities need besides the model: nothing for one machine."""

    def _keep_noise(self, likelihood: TargetLikelihood) -> None:
        """Set what the likelihood has learned: nothing for labels."""

    def _values(self, X: Array) -> Array:
        """Return the values (m, n_vectors) of the model's functions at rows ``X``."""
        if self.dictionary is not None:
            return self.functions_.evaluate(X) if len(self.support_) else np.zeros((len(X), 0))
        if self._is_precomputed:
            return X[:, self.support_]
        if not len(self.relevance_vectors_):
            return np.zeros((len(X), 0))
        return np.ascontiguousarray(self.kernel_.cross(self.relevance_vectors_, X).T)

    def _latent(self, X: Any) -> tuple[Array, Array]:
        """Return means and variances of the latent functions, (m, k) each."""
        values = self._values(self._validated(X))
        return self._model.predict(values)
