"""Support vector machines that select their kernel and C.

Notation as in machines/svm/machine.py: beta signed dual variables, z margins, C the machine's constant.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from scipy.special import expit, log_expit, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from kernelect.criteria import (
    GACV,
    Criterion,
    EPEvidence,
    HMCEvidence,
    JaakkolaHaussler,
    LaplaceEvidence,
    LeaveOneOut,
    RadiusMargin,
    Span,
    SupportVectorCount,
    SVMCriterion,
    UnsmoothedSpan,
)
from kernelect.criteria.calibration import fit_temperature, probabilities
from kernelect.estimators._base import SelfSelecting
from kernelect.estimators._early_stopping import ValidationPart, stopped_early, validation_split
from kernelect.estimators._full_kernel import Scales, StartedKernel, settle_widths, started_kernel
from kernelect.estimators._latent import (
    FINAL_TOL,
    SQUARES,
    SQUARES_PER_OUTPUT,
    per_row,
    with_doubts,
    with_first_step,
)
from kernelect.estimators._relevance import relevances
from kernelect.estimators._sklearn import check_sample_weight, validate_data
from kernelect.estimators._svm_members import PosteriorMember, SupportMember, mixed_log_odds
from kernelect.estimators._targets import class_weights, decide_class, encode_labels, weighted_targets
from kernelect.exceptions import InvalidArgument, MissingCapability, unknown_name
from kernelect.machines import EP, SVM, Machine
from kernelect.machines.ep.likelihoods import hinge_for
from kernelect.numerics import blas_threads_for, factorize, mean_diagonal, require_memory
from kernelect.parameters import ParameterSpace, check_positive
from kernelect.priors import LogNormal, Prior, as_prior
from kernelect.results import Selection
from kernelect.search import LBFGS, GradientAscent, RandomWalk, Search
from kernelect.selection import SelectionObjective, SelectionOptions, select
from kernelect.selection.objective import Memory
from kernelect.typing import Array, Indices, Mask

#: Criteria by name.
_CRITERIA: dict[str, type[Criterion]] = {
    criterion.name: criterion
    for criterion in (
        EPEvidence,
        HMCEvidence,
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

#: Who predicts.
_PREDICTORS = ("auto", "posterior-mean", "svm")

#: Amplitude and offset beside C: start and bounds.
_SCALES = Scales(amplitude=(1.0, 0.01, 3000.0), offset=(0.2, 1e-4, 100.0))

#: C: start and bounds beside an amplitude; and as multiples of 1 / mean k(x, x) without one.
_C_BESIDE_AMPLITUDE = (0.6, 0.05, 200.0)
_C_ALONE = (1.0, 1e-3, 1e4)

#: Peak of a fit in n x n arrays of doubles, measured at n = 2000.
_PEAK_SQUARES = 13.0

#: Further n x n arrays of a sampled evidence (factors to draw with, blocks of the gradient), measured
#: at n = 500.
_SAMPLED_SQUARES = 34.0


class SVC(ClassifierMixin, SelfSelecting):
    """Support vector classifier that selects its kernel and C in ``fit``.

    Maximises the evidence of the machine read as a probabilistic model, by expectation
    propagation or Monte Carlo, or minimises an estimate of the leave-one-out error, over C and
    all kernel parameters, by analytic gradients. No grid, no folds. The offset is part of the
    kernel, so there is no intercept.

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
    criterion : str or criterion, default="ep-evidence"
        ``"ep-evidence"`` (by expectation propagation), ``"hmc-evidence"`` (exact up to sampling
        error, slow), ``"span"`` (smoothed; several times faster), ``"laplace-evidence"``, ``"gacv"`` (linear
        slack), ``"radius-margin"``, ``"loo"`` (exact, by retraining), ``"unsmoothed-span"``,
        ``"jaakkola-haussler"``, ``"support-vectors"``, or an object of :mod:`kernelect.criteria`.
    predictor : "auto", "posterior-mean" or "svm", default="auto"
        ``"posterior-mean"`` predicts by the posterior of the latent function, all rows carrying
        it, ``"svm"`` by the plain machine at the selected hyper-parameters. ``"auto"`` is the
        former for ``"ep-evidence"`` and ``"hmc-evidence"``, the latter for other criteria, which
        have no posterior.
    prior : "auto", "log-normal", "shrinkage", "gaussian", "laplace", "evidence" or None
        Prior over hyper-parameters. ``"auto"`` is, for ``"ep-evidence"`` and ``"hmc-evidence"``, a weak
        normal prior on the logarithms of amplitude, length scales (about their mean) and C where
        amplitude or widths are selected; for other criteria shrinkage where several widths are.
    search : "auto", "lbfgs", "scg", "nelder-mead", "random-walk" or "gradient-ascent", default="auto"
        ``"auto"`` is L-BFGS, gradient ascent for ``"hmc-evidence"``, or the random walk for criteria
        without gradient.
    n_restarts : int, default=0
        Further searches from scattered starts, of which the best is kept.
    ensemble : bool, default=False
        Average the decision functions (the probabilities, for the posterior mean) at the optima
        of all starts in place of taking the best; asks for ``n_restarts`` of at least 1, and 5 to 10 are a good number.
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
        For scattered starts, the random walk, sampled evidence and the rows set aside.
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
        Indices of the training rows that are support vectors (of any class's machine); all rows
        of positive weight for the posterior mean.
    support_vectors_ : ndarray of shape (n_support, n_features)
        Empty for a precomputed kernel.
    dual_coef_ : ndarray of shape (n_support,) or (n_support, n_classes)
        Signed dual variables; the posterior mean is the kernel values times these.
    intercept_ : float
        Always 0: the kernel holds the offset.
    feature_importances_ : ndarray of shape (n_features,)
        Relevance of each input, summing to 1.
    n_iter_ : int
        Evaluations of the criterion.
    selection_ : Selection
        Value, status sentence and trace of the selection, and the optima of all starts. The
        value of evidences is minus (1/n) ln evidence, of the evidence times the prior where
        there is one.

    Notes
    -----
    More than two classes: one machine against the rest for each, sharing kernel and C, with the
    criterion summed.

    The model behind the evidence is a Gaussian process prior over the decision function and
    Q(y | theta) = kappa(C) exp(-C l(y theta)), l the slack's penalty. Probabilities of the
    posterior mean are E Q(1) / (E Q(1) + E Q(-1)) over the posterior, divided by their sum where
    there are more than two classes. Those of the plain machine are calibrated on the
    leave-one-out decision values that the span rule gives.

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
        criterion: Any = "ep-evidence",
        predictor: Any = "auto",
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
        self.predictor = predictor
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
        criterion = self._criterion()
        self._check_arguments(X, criterion, targets.shape[1])
        weights = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        weights = weights * class_weights(self.class_weight, self.classes_, index)
        kept = weights > 0
        if len(np.unique(index[kept])) < len(self.classes_):
            raise InvalidArgument(
                "sample_weight leaves a class without a row of positive weight: each needs at least 1."
            )
        with blas_threads_for(int(kept.sum())):
            objective = self._objective(self._rows_of(X, kept), targets[kept], weights[kept], criterion)
            selection, objective = self._select(objective, index[kept])
            self._keep(objective, selection, kept)
        if not self._by_posterior(criterion):
            loo = self._leave_one_out(X, targets, kept)
            self._inverse_temperature = fit_temperature(loo, index, weights)
        self._warn_if_doubtful(self.selection_)
        return self

    def decision_function(self, X: Any) -> Array:
        """Return decision values, (n,) for two classes (positive: ``classes_[1]``), else (n, n_classes).

        For the posterior mean these are log-odds, ln E Q(1) - ln E Q(-1), whose sign is that of
        the mean; the mean itself for a precomputed kernel, which does not tell k(x, x).
        """
        check_is_fitted(self)
        values = self._decide(np.asarray(validate_data(self, X, reset=False, dtype=np.float64), dtype=float))
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> Array:
        """Return the class with the largest decision value, which is also the most probable one."""
        decision = self.decision_function(X)
        return self.classes_[decide_class(decision)]

    def predict_proba(self, X: Any) -> Array:
        """Return class probabilities, from the model or calibrated (see Notes)."""
        check_is_fitted(self)
        if not self._is_posterior:
            return probabilities(self.decision_function(X), self._inverse_temperature)
        if self._is_precomputed:
            raise MissingCapability(
                "kernel='precomputed' does not tell k(x, x) of new rows, which probabilities of the posterior need: "
                "use predict, predictor='svm', or give a kernel instead."
            )
        log_odds = self.decision_function(X)
        if log_odds.ndim == 1:
            return np.column_stack([expit(-log_odds), expit(log_odds)])
        return np.asarray(softmax(log_expit(log_odds), axis=1), dtype=float)

    @property
    def _is_posterior(self) -> bool:
        return isinstance(self._members[0], PosteriorMember)

    def _by_posterior(self, criterion: Criterion) -> bool:
        """Tell who predicts, or that the criterion has no posterior to do so."""
        if not isinstance(self.predictor, str) or self.predictor not in _PREDICTORS:
            raise unknown_name("predictor", self.predictor, list(_PREDICTORS))
        if self.predictor == "posterior-mean" and not criterion.latent:
            raise MissingCapability(
                f"predictor='posterior-mean' needs a criterion with a posterior, and criterion={criterion.name!r} has "
                "none: use criterion='ep-evidence' or 'hmc-evidence', or predictor='svm'."
            )
        return criterion.latent and self.predictor != "svm"

    def _check_arguments(self, X: Array, criterion: Criterion, n_outputs: int) -> None:
        self._check_precomputed(X)
        self._by_posterior(criterion)
        squares = _PEAK_SQUARES
        if criterion.latent:
            # One more output: the model that is kept, beside the last one of the search.
            squares = SQUARES + self._kernel().squares + SQUARES_PER_OUTPUT * (n_outputs + 1)
            squares += _SAMPLED_SQUARES if criterion.sampled else 0.0
        require_memory(len(X), squares)
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

    def _objective(self, X: Array, targets: Array, weights: Array, criterion: Criterion) -> SelectionObjective:
        machine: Machine[Any] = EP(hinge_for(self.slack)) if criterion.latent else SVM(self.slack)
        if isinstance(criterion, SVMCriterion):
            criterion.check(self.slack)
        # A precomputed matrix is used as it is: the full form is for kernels of inputs.
        started = started_kernel(self._kernel() if self._is_precomputed else self.kernel, X, _SCALES)
        prior = self._prior(started.space, criterion)
        space = ParameterSpace.joined([started.space, self._constant_space(started, criterion, X)])
        return SelectionObjective(X, targets, weights, started.kernel, space, machine, criterion, prior)

    def _objective_on(self, X: Array, y: Array) -> SelectionObjective:
        return self._objective(X, *weighted_targets(y, self.class_weight), self._criterion())

    def _criterion(self) -> Criterion:
        if isinstance(self.criterion, SVMCriterion) or (
            isinstance(self.criterion, Criterion) and self.criterion.latent
        ):
            return self.criterion
        if not isinstance(self.criterion, str) or self.criterion not in _CRITERIA:
            raise unknown_name("criterion", self.criterion, list(_CRITERIA))
        if self.criterion == HMCEvidence.name:
            return HMCEvidence(seed=check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        return _CRITERIA[self.criterion]()

    def _prior(self, space: ParameterSpace, criterion: Criterion) -> Prior | None:
        """Return the prior; ``"auto"`` has nothing to say about numbers that are given."""
        if not isinstance(self.prior, str) or self.prior != "auto":
            return as_prior(self.prior, space)
        if criterion.latent:
            spoken_of = np.concatenate([space.all_widths, space.amplitudes])
            return LogNormal() if space.free[spoken_of].any() else None
        return None if space.free[space.all_widths].sum() < 2 else as_prior("auto", space)

    def _constant_space(self, started: StartedKernel, criterion: Criterion, X: Array) -> ParameterSpace:
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
            selection, objective = select(objective, options)
            return self._in_units(selection, objective), objective
        seed = int(options.generator.integers(np.iinfo(np.int32).max))
        searched, aside = validation_split(index, self.validation_fraction, seed)
        X = objective.X
        part = ValidationPart(
            X[np.ix_(aside, searched)] if self._is_precomputed else X[aside],
            objective.targets[aside],
            objective.weights[aside],
            self._predicting(objective).machine,
        )
        smaller = replace(
            objective,
            X=self._rows_of(X, searched),
            targets=objective.targets[searched],
            weights=objective.weights[searched],
        )
        selection, smaller = select(smaller, options)
        selection = self._in_units(stopped_early(smaller, selection, part), smaller)
        return selection, replace(objective, prior=smaller.prior)

    @staticmethod
    def _in_units(selection: Selection, objective: SelectionObjective) -> Selection:
        return per_row(selection, objective) if objective.criterion.latent else selection

    def _search_options(self, objective: SelectionObjective) -> SelectionOptions:
        """Return the options, with a search that suits the criterion."""
        criterion, space = objective.criterion, objective.space
        by_default: Search = LBFGS() if criterion.has_gradient else RandomWalk()
        if criterion.sampled:
            by_default = GradientAscent()
        options = self._options(by_default if isinstance(self.search, str) and self.search == "auto" else None)
        if criterion.latent:
            options = replace(options, search=with_first_step(options.search))
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
        self._members = [self._member(objective, theta) for theta in thetas]
        main = self._member(objective, selection.theta) if len(thetas) > 1 else self._members[0]
        self.kernel_, self.C_ = main.kernel, main.C
        self.support_ = np.flatnonzero(kept)[main.support]
        self.support_vectors_ = main.inputs
        self.dual_coef_ = main.dual_coef[:, 0] if len(self.classes_) == 2 else main.dual_coef
        self.intercept_ = 0.0
        self.n_iter_ = selection.n_evaluations
        self._kept = np.flatnonzero(kept)
        self.selection_ = self._in_words(selection, objective)
        if not self._is_precomputed:
            self.feature_importances_ = np.mean([self._relevance(objective, m) for m in self._members], axis=0)

    def _in_words(self, selection: Selection, objective: SelectionObjective) -> Selection:
        """Return the selection with remarks and doubts of criterion and solvers."""
        criterion, fitted = objective.criterion, objective.solved(selection.theta)
        remark = criterion.remark(fitted)
        if remark:
            selection = replace(selection, ending=f"{selection.ending}; {remark}")
        machine: Any = objective.machine
        doubts = [machine.doubt(fitted.state), criterion.doubt(fitted)]
        if self.ensemble:
            doubts += {machine.doubt(objective.solved(theta).state) for theta in selection.optima} - set(doubts)
        if criterion.latent and not self._is_posterior:
            plain: Any = SVM(self.slack)
            doubts.append(plain.doubt(self._predicting(objective).solved(selection.theta).state))
        return with_doubts(selection, doubts)

    @staticmethod
    def _relevance(objective: SelectionObjective, member: SupportMember | PosteriorMember) -> Array:
        coefficients = np.zeros_like(objective.targets)
        coefficients[member.support] = member.dual_coef
        return relevances(member.kernel, objective.X, coefficients)

    def _predicting(self, objective: SelectionObjective) -> SelectionObjective:
        """Return the objective with the machine that predicts."""
        if not self._by_posterior(objective.criterion):
            return replace(objective, machine=SVM(self.slack), memory=Memory())
        return replace(objective, machine=EP(hinge_for(self.slack), tol=FINAL_TOL), memory=Memory())

    def _member(self, objective: SelectionObjective, theta: Array) -> SupportMember | PosteriorMember:
        kind = PosteriorMember if self._by_posterior(objective.criterion) else SupportMember
        return kind.of(self._predicting(objective), theta, self._is_precomputed)

    def _decide(self, X: Array) -> Array:
        """Return decision values (m, k), averaged over the members."""
        values = np.array([self._decide_by(member, X) for member in self._members])
        if self._is_posterior and not self._is_precomputed and len(values) > 1:
            return mixed_log_odds(values)
        return np.asarray(values.mean(axis=0), dtype=float)

    def _decide_by(self, member: SupportMember | PosteriorMember, X: Array) -> Array:
        if self._is_precomputed:
            return member.decide(X[:, self._kept[member.support]].T, None)
        return member.decide(member.kernel.cross(member.inputs, X), member.kernel.diagonal(X))

    def _leave_one_out(self, X: Array, targets: Array, kept: Mask) -> Array:
        """Return span-corrected decision values, (n,) or (n, k); a row of weight 0 was left out all along."""
        values = np.empty_like(targets)
        values[kept] = np.mean([m.loo for m in self._members if isinstance(m, SupportMember)], axis=0)
        if not kept.all():
            values[~kept] = self._decide(X[~kept])
        return values[:, 0] if values.shape[1] == 1 else values
