"""Support vector machines that select their kernel and C.

Notation as in machines/svm.py: beta signed dual variables, z margins, C the machine's constant.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from kernelect.criteria import (
    GACV,
    JaakkolaHaussler,
    LaplaceEvidence,
    LeaveOneOut,
    RadiusMargin,
    Span,
    SupportVectorCount,
    SVMCriterion,
    UnsmoothedSpan,
)
from kernelect.criteria.binary import binaries
from kernelect.criteria.calibration import fit_temperature, probabilities
from kernelect.criteria.span import span_corrected_margins
from kernelect.estimators._base import SelfSelecting, relevances
from kernelect.estimators._early_stopping import ValidationPart, stopped_early, validation_split
from kernelect.estimators._full_kernel import StartedKernel, settle_widths, started_kernel
from kernelect.estimators._sklearn import check_sample_weight, validate_data
from kernelect.estimators._targets import class_weights, decide_class, encode_labels
from kernelect.exceptions import InvalidArgument, unknown_name
from kernelect.kernels import Kernel
from kernelect.linalg import blas_threads_for, factorize, mean_diagonal, require_memory
from kernelect.machines import SVM, Fitted
from kernelect.parameters import ParameterSpace, check_positive
from kernelect.priors import Prior, as_prior
from kernelect.results import Selection
from kernelect.search import LBFGS, RandomWalk, Search
from kernelect.selection import SelectionObjective, SelectionOptions, select
from kernelect.typing import Array, Indices, Mask

#: Criteria by name.
_CRITERIA: dict[str, type[SVMCriterion]] = {
    criterion.name: criterion
    for criterion in (
        Span,
        LaplaceEvidence,
        GACV,
        RadiusMargin,
        LeaveOneOut,
        UnsmoothedSpan,
        JaakkolaHaussler,
        SupportVectorCount,
    )
}

#: C: start and bounds beside an amplitude; and as multiples of 1 / mean k(x, x) without one.
_C_BESIDE_AMPLITUDE = (0.6, 0.05, 200.0)
_C_ALONE = (1.0, 1e-3, 1e4)

#: Peak of a fit in n x n arrays of doubles, measured at n = 2000.
_PEAK_SQUARES = 13.0


@dataclass(frozen=True)
class _Member:
    """One solved machine, reduced to its support vectors."""

    kernel: Kernel
    C: float
    support: Indices  # among the rows of positive weight
    dual_coef: Array  # (n_support, k)
    inputs: Array  # support vectors; empty for a precomputed kernel
    loo: Array  # (n, k) span-corrected decision values of the training rows


class SVC(ClassifierMixin, SelfSelecting):
    """Support vector classifier that selects its kernel and C in ``fit``.

    Minimises an estimate of the leave-one-out error, or maximises an approximation to the
    evidence, over C and all kernel parameters, by analytic gradients through the machine's
    solution. No grid, no folds. The offset is part of the kernel, so there is no intercept.

    Parameters
    ----------
    kernel : str or Kernel, default="ard"
        A name stands for amplitude * kernel + offset with everything selected: ``"ard"``,
        ``"rbf"``, ``"matern32"``, ``"matern52"`` (also with ``"-ard"``), ``"linear"``,
        ``"polynomial"``; ``"precomputed"`` is used as it is, and so is an object of
        :mod:`kernelect.kernels` or of ``sklearn.gaussian_process.kernels``.
    slack : "linear" or "quadratic", default="linear"
        Penalty C xi or C xi^2 / 2 for a row that misses its margin by xi.
    C : "auto" or float, default="auto"
        Larger C, less regularisation. Beside a kernel's own amplitude, C stays at 1 for
        criteria that see only the product of the two (all but the evidence).
    criterion : str or criterion, default="span"
        ``"span"`` (smoothed), ``"laplace-evidence"``, ``"gacv"`` (linear slack), ``"radius-margin"``,
        ``"loo"`` (exact, by retraining), ``"unsmoothed-span"``, ``"jaakkola-haussler"``,
        ``"support-vectors"``, or an object of :mod:`kernelect.criteria`.
    prior : "auto", "shrinkage", "gaussian", "laplace", "evidence" or None
        Prior over the widths. ``"auto"`` is shrinkage where several widths are selected.
    search : "auto", "lbfgs", "scg", "nelder-mead" or "random-walk", default="auto"
        ``"auto"`` is L-BFGS, or the random walk for criteria without gradient.
    n_restarts : int, default=0
        Further searches from scattered starts, of which the best is kept.
    ensemble : bool, default=False
        Average the decision functions at the optima of all starts in place of taking the best;
        asks for ``n_restarts`` of at least 1, and 5 to 10 are a good number.
    early_stopping : bool, default=False
        Take, of all points along the search, the one with the smallest error on rows set aside;
        then the machine is solved on all rows.
    validation_fraction : float, default=0.2
        Share of the rows set aside for early stopping.
    max_iter : int, default=200
        Iterations of each search.
    tol : float, default=1e-5
        Relative decrease of the criterion at which a search has converged.
    time_limit : float, optional
        Seconds after which the best point so far is taken, with one warning.
    class_weight : dict, "balanced" or None
    random_state : int, RandomState or None
        For scattered starts, the random walk and the rows set aside.
    n_jobs : int, optional
        Restarts at the same time.
    verbose : bool, int or callable, default=0
        A line per evaluation on standard error, or a callable that receives each
        :class:`kernelect.results.Evaluation`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    kernel_ : Kernel
        With the selected parameters.
    C_ : float
    support_ : ndarray of shape (n_support,)
        Indices of the training rows that are support vectors (of any class's machine).
    support_vectors_ : ndarray of shape (n_support, n_features)
        Empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_support,) or (n_support, n_classes)
        Signed dual variables.
    intercept_ : float
        Always 0: the kernel holds the offset.
    feature_importances_ : ndarray of shape (n_features,)
        Relevance of each input, summing to 1.
    n_iter_ : int
        Evaluations of the criterion.
    selection_ : Selection
        Value, status sentence and trace of the selection, and the optima of all starts.

    Notes
    -----
    More than two classes: one machine against the rest for each, sharing kernel and C, with the
    criterion summed. Probabilities are calibrated on the leave-one-out decision values that the
    span rule gives.

    References
    ----------
    C. Gold, P. Sollich. Model selection for support vector machine classification.
    Neurocomputing 55 (2003) 221-249.

    Examples
    --------
    >>> from kernelect import SVC
    >>> from kernelect.datasets import twonorm
    >>> X, y = twonorm(200, random_state=0)
    >>> model = SVC(kernel="rbf").fit(X, y)
    >>> X_new, y_new = twonorm(1000, random_state=1)
    >>> bool(model.score(X_new, y_new) > 0.95)
    True
    """

    def __init__(
        self,
        kernel: Any = "ard",
        *,
        slack: str = "linear",
        C: Any = "auto",
        criterion: Any = "span",
        prior: Any = "auto",
        search: Any = "auto",
        n_restarts: int = 0,
        ensemble: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.2,
        max_iter: int = 200,
        tol: float = 1e-5,
        time_limit: float | None = None,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: Any = 0,
    ) -> None:
        self.kernel = kernel
        self.slack = slack
        self.C = C
        self.criterion = criterion
        self.prior = prior
        self.search = search
        self.n_restarts = n_restarts
        self.ensemble = ensemble
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Select the hyper-parameters and fit the machine.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Kernel values between all rows where ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array-like of shape (n_samples,), optional
            Multiplies C row by row.
        """
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        self.classes_, index, targets = encode_labels(y)
        self._check_arguments(X)
        weights = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        weights = weights * class_weights(self.class_weight, self.classes_, index)
        kept = weights > 0
        if len(np.unique(index[kept])) < len(self.classes_):
            raise InvalidArgument(
                "sample_weight leaves a class without a row of positive weight: each needs at least 1."
            )
        with blas_threads_for(int(kept.sum())):
            objective = self._objective(self._rows_of(X, kept), targets[kept], weights[kept])
            selection, objective = self._select(objective, index[kept])
            self._keep(objective, selection, kept)
        loo = self._leave_one_out(X, targets, kept)
        self._inverse_temperature = fit_temperature(loo, index, weights)
        self._warn_if_doubtful(self.selection_)
        return self

    def decision_function(self, X: Any) -> Array:
        """Return decision values, (n,) for two classes (positive: ``classes_[1]``), else (n, n_classes)."""
        check_is_fitted(self)
        values = self._decide(np.asarray(validate_data(self, X, reset=False, dtype=np.float64), dtype=float))
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> Array:
        """Return the class with the largest decision value, which is also the most probable one."""
        decision = self.decision_function(X)
        return self.classes_[decide_class(decision)]

    def predict_proba(self, X: Any) -> Array:
        """Return class probabilities, calibrated on span-corrected leave-one-out decision values."""
        return probabilities(self.decision_function(X), self._inverse_temperature)

    def _check_arguments(self, X: Array) -> None:
        self._check_precomputed(X)
        require_memory(len(X), _PEAK_SQUARES)
        if self._is_precomputed:  # says so where the matrix is not positive semi-definite
            factorize(X, 1e-8 * (abs(mean_diagonal(X)) or 1.0))
        for name in ("ensemble", "early_stopping"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise InvalidArgument(f"{name}={getattr(self, name)!r} is not possible: give True or False.")
        if self.ensemble and self.early_stopping:
            raise InvalidArgument("ensemble=True and early_stopping=True exclude each other: choose one of them.")

    def _rows_of(self, X: Array, rows: Mask | Indices) -> Array:
        """Return some rows, and for a precomputed kernel the same columns."""
        if self._is_precomputed:
            return X[rows][:, rows]
        return X[rows]

    def _objective(self, X: Array, targets: Array, weights: Array) -> SelectionObjective:
        machine, criterion = SVM(self.slack), self._criterion()
        criterion.check(machine.slack)
        started = started_kernel(self.kernel, X)
        prior = self._prior(started.space)
        space = ParameterSpace.joined([started.space, self._constant_space(started, criterion, X)])
        return SelectionObjective(X, targets, weights, started.kernel, space, machine, criterion, prior)

    def _criterion(self) -> SVMCriterion:
        if isinstance(self.criterion, SVMCriterion):
            return self.criterion
        if not isinstance(self.criterion, str) or self.criterion not in _CRITERIA:
            raise unknown_name("criterion", self.criterion, list(_CRITERIA))
        return _CRITERIA[self.criterion]()

    def _prior(self, space: ParameterSpace) -> Prior | None:
        """Return the prior; ``"auto"`` has nothing to say about widths that are given."""
        if isinstance(self.prior, str) and self.prior == "auto" and space.free[space.all_widths].sum() < 2:
            return None
        return as_prior(self.prior, space)

    def _constant_space(self, started: StartedKernel, criterion: SVMCriterion, X: Array) -> ParameterSpace:
        """Return start and bounds of C, or its fixed value."""
        C = check_positive("C", self.C)
        if not isinstance(C, str):
            return ParameterSpace.single("C", float(np.log(C)), free=False)
        if started.full and criterion.scale_invariant:
            return ParameterSpace.single("C", 0.0, free=False)
        numbers = np.array(_C_BESIDE_AMPLITUDE if started.full else _C_ALONE)
        if not started.full:
            diagonal = np.diagonal(X) if self._is_precomputed else started.kernel.diagonal(X)
            numbers = numbers / (float(np.mean(diagonal)) or 1.0)
        start, lower, upper = np.log(numbers)
        return ParameterSpace.single("C", float(start), below=float(start - lower), above=float(upper - start))

    def _select(self, objective: SelectionObjective, index: Indices) -> tuple[Selection, SelectionObjective]:
        options = self._search_options(objective)
        if not self.early_stopping:
            return select(objective, options)
        seed = int(options.generator.integers(np.iinfo(np.int32).max))
        searched, aside = validation_split(index, self.validation_fraction, seed)
        X = objective.X
        part = ValidationPart(
            X[np.ix_(aside, searched)] if self._is_precomputed else X[aside],
            objective.targets[aside],
            objective.weights[aside],
        )
        smaller = replace(
            objective,
            X=self._rows_of(X, searched),
            targets=objective.targets[searched],
            weights=objective.weights[searched],
        )
        selection, smaller = select(smaller, options)
        return stopped_early(smaller, selection, part), replace(objective, prior=smaller.prior)

    def _search_options(self, objective: SelectionObjective) -> SelectionOptions:
        """Return the options, with a search that suits the criterion."""
        criterion, space = objective.criterion, objective.space
        by_default: Search = LBFGS() if criterion.has_gradient else RandomWalk()
        options = self._options(by_default if isinstance(self.search, str) and self.search == "auto" else None)
        if self.ensemble and not options.n_restarts and space.free.any():
            raise InvalidArgument(
                f"ensemble=True with n_restarts={self.n_restarts!r} has one optimum to average: set n_restarts to 5."
            )
        if space.free.any():
            options.search.check(criterion.has_gradient, criterion.name)
        return replace(options, settle=lambda theta: settle_widths(objective.X, space, theta))

    def _keep(self, objective: SelectionObjective, selection: Selection, kept: Mask) -> None:
        """Set the fitted attributes."""
        thetas = selection.optima if self.ensemble and len(selection.optima) else selection.theta[None]
        best = objective.solved(selection.theta)
        self._members = [self._member(objective, theta) for theta in thetas]
        main = self._member(objective, selection.theta)
        self.kernel_, self.C_ = main.kernel, main.C
        self.support_ = np.flatnonzero(kept)[main.support]
        self.support_vectors_ = main.inputs
        self.dual_coef_ = main.dual_coef[:, 0] if len(self.classes_) == 2 else main.dual_coef
        self.intercept_ = 0.0
        self.n_iter_ = selection.n_evaluations
        self._kept = np.flatnonzero(kept)
        self.selection_ = _with_doubts(selection, best, objective.criterion)
        if not self._is_precomputed:
            self.feature_importances_ = np.mean([self._relevance(objective, m) for m in self._members], axis=0)

    @staticmethod
    def _relevance(objective: SelectionObjective, member: _Member) -> Array:
        coefficients = np.zeros_like(objective.targets)
        coefficients[member.support] = member.dual_coef
        return relevances(member.kernel, objective.X, coefficients)

    def _member(self, objective: SelectionObjective, theta: Array) -> _Member:
        fitted = objective.solved(theta)
        beta = fitted.state.dual_coef
        support = np.flatnonzero(np.any(beta != 0, axis=1))
        inputs = np.zeros((0, objective.X.shape[1])) if self._is_precomputed else objective.X[support]
        loo = np.column_stack([p.labels * span_corrected_margins(p) for p in binaries(fitted)])
        return _Member(objective.kernel_at(theta), fitted.regularization, support, beta[support], inputs, loo)

    def _decide(self, X: Array) -> Array:
        """Return decision values (m, k), averaged over the members."""
        return np.asarray(np.mean([self._decide_by(member, X) for member in self._members], axis=0), dtype=float)

    def _decide_by(self, member: _Member, X: Array) -> Array:
        if self._is_precomputed:
            return np.asarray(X[:, self._kept[member.support]] @ member.dual_coef, dtype=float)
        return np.asarray(member.kernel.cross(member.inputs, X).T @ member.dual_coef, dtype=float)

    def _leave_one_out(self, X: Array, targets: Array, kept: Mask) -> Array:
        """Return span-corrected decision values, (n,) or (n, k); a row of weight 0 was left out all along."""
        values = np.empty_like(targets)
        values[kept] = np.mean([member.loo for member in self._members], axis=0)
        if not kept.all():
            values[~kept] = self._decide(X[~kept])
        return values[:, 0] if values.shape[1] == 1 else values


def _with_doubts(selection: Selection, fitted: Fitted, criterion: Any) -> Selection:
    """Return the selection with what solver and criterion have to say against it."""
    machine: Any = fitted.machine
    doubts = [doubt for doubt in (machine.doubt(fitted.state), criterion.doubt(fitted)) if doubt]
    if not doubts:
        return selection
    return replace(selection, ending="; ".join([f"ended, but {doubts[0]}", *doubts[1:]]), converged=False)
