"""Selection, solution and decision values of support vector classifiers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelect.criteria import Criterion
from kernelect.criteria.calibration import fit_temperature
from kernelect.estimators._attributes import ReadsLabels, ReadsSlopes
from kernelect.estimators._base import SelfSelecting
from kernelect.estimators._columns import LabelOrder, telling, told
from kernelect.estimators._latent import (
    in_own_units,
    latent_squares,
    log_evidence_of,
    search_tolerance,
    solver_doubt,
)
from kernelect.estimators._latent_landmarks import latent_landmarks, selected_on_landmarks
from kernelect.estimators._precomputed import check_kernel_matrix
from kernelect.estimators._svm_members import (
    PosteriorMember,
    SupportMember,
    member_relevances,
    posterior_components,
    support_component,
)
from kernelect.estimators._targets import labelled_rows, nameless_targets
from kernelect.estimators._training import LabelledTraining, labelled
from kernelect.estimators._validation import validation_split
from kernelect.exceptions import InvalidArgument, MissingCapability, unknown_name
from kernelect.kernels import Kernel
from kernelect.machines import EP, SVM, Fitted, Machine
from kernelect.machines.ep.likelihoods import hinge_for
from kernelect.model import Component, LabelHead, Model, Tempered
from kernelect.numerics import (
    Deadline,
    best_blas_threads,
    canonical_order,
    canonical_signs,
    factorize,
    mean_diagonal,
    require_memory,
)
from kernelect.priors import as_prior, normal_logarithms, shrink_several
from kernelect.results import ModelSize, Selection
from kernelect.selection import (
    SCALES_BESIDE_C,
    Rows,
    SelectionObjective,
    SelectionOptions,
    join,
    select,
    select_stopped_early,
    slack_space,
    started_as_given,
    started_in_full,
    suited_search,
    with_first_step,
    with_settled_starts,
)
from kernelect.selection.landmarks import LandmarkEvidence, LandmarkRequest
from kernelect.typing import Array, Indices

#: Who predicts.
_PREDICTORS = ("auto", "posterior-mean", "svm")

#: Peak of a fit in n x n arrays of doubles, measured at n = 2000.
_PEAK_SQUARES = 13.0

_KINKS = "a local minimum of a criterion with kinks, which may have lower ones"


@dataclass(eq=False, repr=False, kw_only=True)
class SVMBase(ReadsLabels, ReadsSlopes, SelfSelecting):
    """A support vector classifier: a plain machine, or the posterior of the model it stands for."""

    _machines = ("ep", "svm")

    slack: str = "linear"
    C: Any = "auto"
    criterion: Any = "ep-evidence"
    predictor: Any = "auto"
    search: Any = "auto"
    landmarks: Any = "auto"
    ensemble: bool = False
    early_stopping: bool = False
    validation_fraction: float = 0.2
    class_weight: Any = None

    def _constant(self, component: Component) -> Array:
        return component.constant[:1]

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        data = labelled(self, X, y, sample_weight, self.class_weight)
        if self._is_precomputed:
            check_kernel_matrix(data.X)
        data = data.merged(counts=isinstance(self.C, str), pairwise=self._is_precomputed)
        criterion = self._criterion()
        plain = "" if self._by_posterior(criterion) else "a plain machine (predictor or criterion)"
        request = latent_landmarks(self, criterion, int(data.kept.sum()), plain)
        own, data = LabelOrder.of_labels(data, self._kernel(), pairwise=self._is_precomputed)
        if request is not None:
            self._fit_on_landmarks(data, own, request)
            return
        machine = self._machine(criterion, 0)
        data, searching = data.in_time(machine, self._deadline, pairwise=self._is_precomputed)
        self._check_arguments(data, criterion)
        order = self._row_order(data.rows(pairwise=self._is_precomputed))
        rows, kept = data.rows(pairwise=self._is_precomputed, order=order), np.flatnonzero(data.kept)[order]
        with best_blas_threads(self._deadline):
            objective = self._problem(rows, own)
            selection, objective = self._select(objective, own, data.index[kept], searching)
            with self._deadline.watched(firmly=False):
                members = self._keep(objective, own, selection, kept)
        self.selection_ = data.described(self.selection_)
        self.model_ = self._model_of(members, data, kept)

    def _fit_on_landmarks(self, data: LabelledTraining, own: LabelOrder, request: LandmarkRequest) -> None:
        """Select by the evidence on landmarks, and find the posterior of all rows."""
        order = self._row_order(data.rows())
        objective, kept = self._problem(data.rows(order=order), own), np.flatnonzero(data.kept)[order]
        with best_blas_threads(self._deadline):
            options, request = self._search_options(objective, own, self._deadline), own.points_of(request)
            selection, whole = selected_on_landmarks(objective, request, options, None, self._seed())
            members = self._keep(whole, own, in_own_units(selection, whole), kept)
        self.model_ = self._model_of(members, data, kept)

    def _model_of(self, members: list[Any], data: LabelledTraining, kept: Indices) -> Model:
        """Return the model of members, which keep the rows in the order in which they were fitted."""
        places, n_classes = kept if self._is_precomputed else None, len(data.classes)
        if isinstance(members[0], PosteriorMember):
            components = posterior_components(members, places)
            weights = np.full(len(components), 1.0 / len(components))
            return self._record(components, LabelHead(classes=data.classes, weights=weights, pool="log-odds"))
        component = support_component(members, places)
        loo = np.empty_like(data.targets)
        loo[kept] = np.mean([member.loo for member in members], axis=0)
        if not data.kept.all():  # a row of weight 0 was left out all along
            loo[~data.kept] = component.mean(data.X[~data.kept])
        temperature = fit_temperature(loo[:, 0] if n_classes == 2 else loo, data.index, data.weights)
        link = Tempered(inverse_temperature=temperature)
        return self._record((replace(component, link=link),), LabelHead(classes=data.classes, weights=np.ones(1)))

    def selected_kernel(self) -> Kernel | None:
        """Return the kernel with its selected parameters."""
        return self.kernel_

    def model_size(self) -> ModelSize:
        """Return how many vectors a prediction uses."""
        return ModelSize(count=len(self.support_), what="support vector")

    def _by_posterior(self, criterion: Criterion) -> bool:
        """Tell who predicts, or that the criterion has no posterior to do so."""
        if not isinstance(self.predictor, str) or self.predictor not in _PREDICTORS:
            raise unknown_name("predictor", self.predictor, list(_PREDICTORS))
        latent = EP.name in criterion.judges
        if self.predictor == "posterior-mean" and not latent:
            raise MissingCapability(
                f"predictor='posterior-mean' needs a criterion with a posterior, and criterion={criterion.name!r} has "
                "none: use criterion='ep-evidence' or 'hmc-evidence', or predictor='svm'."
            )
        return latent and self.predictor != "svm"

    def _check_arguments(self, data: LabelledTraining, criterion: Criterion) -> None:
        self._by_posterior(criterion)
        squares = _PEAK_SQUARES
        if EP.name in criterion.judges:
            # One more output: the model that is kept, beside the last one of the search.
            n_outputs = data.targets.shape[1] + 1
            squares = self._kernel().squares + latent_squares(n_outputs, criterion)
        require_memory(int(data.kept.sum()), squares)
        if self._is_precomputed:  # says so if the matrix is not positive semi-definite
            factorize(data.X, 1e-8 * (abs(mean_diagonal(data.X)) or 1.0))
        for name in ("ensemble", "early_stopping"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise InvalidArgument(f"{name}={getattr(self, name)!r} must be True or False.")
        if self.ensemble and self.early_stopping:
            raise InvalidArgument("ensemble=True and early_stopping=True exclude each other: choose one of them.")

    def _row_order(self, rows: Rows) -> Indices:
        """Return the order in which the rows are fitted, whatever the order in which they were given.

        A search over a criterion with kinks turns at the last bit of a sum over rows.
        """
        X = rows.X
        inputs = np.sort(X, axis=1) if self._is_precomputed else canonical_signs(X, np.zeros_like(rows.targets)) * X
        targets = nameless_targets(inputs, rows.targets, rows.weights)
        return canonical_order(np.column_stack([inputs, targets, rows.weights]))

    def _problem(self, rows: Rows, columns: LabelOrder | None = None) -> SelectionObjective:
        """Return what is minimised; ``columns`` is the order of the columns where it is not the user's."""
        criterion = self._criterion()
        latent, machine = EP.name in criterion.judges, self._machine(criterion, len(rows.X))
        # A precomputed matrix is used as it is: the full form is for kernels of inputs.
        if isinstance(self.kernel, str) and not self._is_precomputed:
            started = started_in_full(self.kernel, rows.X, SCALES_BESIDE_C)
        else:
            kernel = self._kernel() if columns is None else columns.inside(self._kernel())
            started = started_as_given(kernel, rows.X, pairwise=self._is_precomputed)
        if columns is not None and not columns.is_given:
            started = replace(started, space=started.space.named_by(columns.fitted.tolist()))
        prior = as_prior(self.prior, started.space, normal_logarithms if latent else shrink_several)
        C = slack_space(self.C, started, rows.X, scale_invariant=criterion.scale_invariant)
        return join(rows, started, machine, criterion, prior, C)

    def _machine(self, criterion: Criterion, n_rows: int) -> Machine[Any]:
        """Return what the criterion judges."""
        latent = EP.name in criterion.judges
        return EP(hinge_for(self.slack), tol=search_tolerance(n_rows, criterion)) if latent else SVM(self.slack)

    def _unweighted(self, X: Array, y: Array) -> Rows:
        return labelled_rows(X, y, self.class_weight)

    def _select(
        self, objective: SelectionObjective, own: LabelOrder, index: Indices, deadline: Deadline
    ) -> tuple[Selection, SelectionObjective]:
        options = self._search_options(objective, own, deadline)
        if not self.early_stopping:
            selection, objective = select(objective, options)
            return in_own_units(selection, objective), objective
        seed = int(options.generator.integers(np.iinfo(np.int32).max))
        searched, aside = validation_split(index, self.validation_fraction, seed)
        predicting = PosteriorMember if self._by_posterior(objective.criterion) else SupportMember
        selection, smaller = select_stopped_early(
            objective, options, searched=searched, aside=aside, machine=predicting.machine_for(self.slack)
        )
        return in_own_units(selection, smaller), replace(objective, prior=smaller.prior)

    def _search_options(self, objective: SelectionObjective, own: LabelOrder, deadline: Deadline) -> SelectionOptions:
        """Return the options, with a search that suits the criterion."""
        automatic = isinstance(self.search, str) and self.search == "auto"
        search = suited_search(type(objective.machine), objective.criterion) if automatic else None
        options = self._options(search, deadline)
        if self.ensemble and not options.n_restarts and objective.space.free.any():
            raise InvalidArgument(
                f"ensemble=True with n_restarts={self.n_restarts!r} has one optimum to average: set n_restarts to 5."
            )
        options = replace(options, observe=telling(options.observe, own.places(objective)))
        return with_settled_starts(with_first_step(options, objective), objective)

    def _keep(self, objective: SelectionObjective, own: LabelOrder, selection: Selection, kept: Indices) -> list[Any]:
        """Set the learned attributes and return the members; ``kept`` are the rows in the order of the fit.

        Columns and outputs of the members are in the order in which they were given.
        """
        kind = PosteriorMember if self._by_posterior(objective.criterion) else SupportMember
        machine = kind.machine_for(self.slack)
        if isinstance(objective, LandmarkEvidence):  # of many rows, whose moments need not match to the last digit
            machine = EP(hinge_for(self.slack))
        fitted = objective.solved_by(machine, selection.theta)
        main = kind.of(objective, selection.theta, fitted)
        members = [main]
        if self.ensemble and len(selection.optima):
            solved = [(theta, objective.solved_by(kind.machine_for(self.slack), theta)) for theta in selection.optima]
            members = [kind.of(objective, *each) for each in solved]
        if not self._is_precomputed:
            importances = np.mean([member_relevances(m, objective) for m in members], axis=0)
            self.feature_importances_ = importances[own.given]
        main, members = main.as_given(own), [member.as_given(own) for member in members]
        self.kernel_, self.C_ = main.kernel, main.C if isinstance(self.C, str) else float(self.C)
        support = np.where(main.support >= 0, kept[main.support], -1)
        as_given = np.argsort(support)
        self.support_ = support[as_given]
        self.support_vectors_ = main.inputs if self._is_precomputed else main.inputs[as_given]
        dual_coef = main.dual_coef[as_given]
        self.dual_coef_ = dual_coef[:, 0] if dual_coef.shape[1] == 1 else dual_coef
        self.n_iter_ = selection.n_evaluations
        if kind is PosteriorMember:
            self.log_marginal_likelihood_value_ = log_evidence_of(objective.criterion, fitted)
        self.selection_ = told(self._in_words(selection, objective, fitted), own.places(objective))
        return members

    def _in_words(self, selection: Selection, objective: SelectionObjective, predicting: Fitted) -> Selection:
        """Return the selection with remarks and doubts of criterion and solvers; ``predicting`` is the main machine."""
        criterion, machine = objective.criterion, objective.machine
        same = predicting.machine.name == machine.name
        fitted = predicting if same else objective.solved(selection.theta)
        doubts = [solver_doubt(machine, fitted.state), criterion.doubt(fitted)]
        if self.ensemble:
            doubts += {machine.doubt(objective.solved(theta).state) for theta in selection.optima} - set(doubts)
        if not same:
            doubts.append(predicting.machine.doubt(predicting.state))
        if criterion.has_kinks and objective.space.free.any():
            selection = selection.with_remark(_KINKS)
        return selection.with_remark(criterion.remark(fitted)).with_doubts(doubts)
