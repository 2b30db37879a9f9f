"""Gaussian process classification by expectation propagation.

Notation as in machines/ep/machine.py; m, v mean and variance of the latent function at a new row,
z = m / sqrt(1 + v), so that the probability of a label under the probit is Phi(z).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from kernelect.criteria import EPLeaveOneOut
from kernelect.estimators._attributes import ReadsLeftOutLabels
from kernelect.estimators._base import SelfSelecting
from kernelect.estimators._bases import ClassifierMixin
from kernelect.estimators._latent import (
    FEW_ROWS,
    FINAL_TOL,
    in_own_units,
    latent_squares,
    left_out_decisions,
    log_evidence_of,
    posterior_component,
    search_tolerance,
    solver_doubt,
)
from kernelect.estimators._latent_landmarks import ReadsLatent, latent_landmarks, selected_on_landmarks
from kernelect.estimators._precomputed import check_kernel_matrix
from kernelect.estimators._relevance import relevances
from kernelect.estimators._targets import labelled_rows
from kernelect.estimators._training import LabelledTraining, labelled
from kernelect.exceptions import InvalidArgument
from kernelect.machines import EP, LIKELIHOODS, EPState, Likelihood
from kernelect.model import LabelHead, Predictive, TrainingRows
from kernelect.numerics import best_blas_threads, require_memory
from kernelect.priors import as_prior, normal_lengths
from kernelect.results import Selection
from kernelect.selection import (
    SCALES_BESIDE_C,
    Rows,
    Scales,
    SelectionObjective,
    SelectionOptions,
    join,
    select,
    select_stopped_left_out,
    slack_space,
    started_as_given,
    started_in_full,
    with_first_step,
)
from kernelect.selection.landmarks import LandmarkEvidence
from kernelect.typing import Array


@dataclass(eq=False, repr=False, kw_only=True)
class GPC(ClassifierMixin, ReadsLeftOutLabels, ReadsLatent, SelfSelecting):
    """Gaussian process classifier that selects itself by its evidence.

    The latent function of each class has a Gaussian process prior, labels are its sign plus
    unit normal noise (probit), and expectation propagation gives the posterior. All kernel
    parameters maximise the evidence, with its analytic gradient. Probabilities are integrated
    over the posterior of the latent function, so they are less sure where there are no data.

    With more than two classes, each is separated from the rest. They share one kernel, which maximises the sum of
    their log evidences, and their probabilities are divided by their sum.

    Up to 2000 rows a step costs O(k n^3 + d n^2) for n rows, d inputs and k classes (k = 1 for two of them), some
    twenty Cholesky factorisations; predicting a row costs O(d n + k n^2). Beyond, m landmarks span the latent function:
    O(k n m^2 + d n m), and O(d m + k m^2) for a prediction.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="ard"
        A name (``"ard"``, ``"rbf"``, ``"matern32"``, ``"matern52"``, also with ``"-ard"``,
        ``"linear"``, ``"polynomial"``, ``"precomputed"``) stands for amplitude * kernel +
        constant, all selected. An object of :mod:`kernelect.kernels` or of
        ``sklearn.gaussian_process.kernels`` is used exactly as given.
    likelihood : str or Likelihood, default="probit"
        How labels come from the latent function: ``"probit"``, ``"hinge"``, ``"squared-hinge"`` (the
        support vector machine's, with its constant C selected too), or an object of the contract
        :class:`kernelect.machines.Likelihood`.
    criterion : str or Criterion, default="ep-evidence"
        ``"ep-evidence"``, ``"hmc-evidence"``, ``"loo"`` (the leave-one-out log-loss, from the cavities of
        expectation propagation), or an object of :mod:`kernelect.criteria` that judges
        a posterior found by expectation propagation.
    prior : "auto", "log-normal", "shrinkage", "gaussian", "laplace", "evidence" or None
        ``"auto"`` is a weak normal prior on the logarithms of amplitude and length scales for kernels with one width
        per input. There is no prior for other kernels, or if no width is selected.
    search : "lbfgs", "scg", "nelder-mead" or "gradient-ascent", default="lbfgs"
    landmarks : "auto", None, int or array of shape (n_landmarks, n_features), default="auto"
        With landmarks the prior of the latent function is spanned by so many rows, and exact at each row by itself; a
        step costs O(n m^2). ``"auto"`` is the exact machine up to 2000 rows and 500 landmarks beyond; None is exact at
        any size. An exact machine on 1000 rows selects first, and the evidence on landmarks goes on from there.
    n_restarts : int, default=0
        Number of further searches from scattered starts; the best result is kept.
    early_stopping : bool, default=False
        Take the point along the search with the fewest leave-one-out errors (of equal ones, that with the smallest
        leave-one-out log-loss). No rows are set aside.
    max_iter : int, default=200
        Iterations of each search.
    tol : float, default=1e-4
        Up to 500 rows, a search has converged when its own model of the evidence expects to gain no more than this,
        in nats per row. With more rows, it has converged when a step gains less than this share of the criterion. The
        evidence often ends in a long flat ridge of growing amplitude, where one step says little about what is left
        to gain.
    time_limit : float, optional
        Seconds after which the search stops, keeps the best point so far and warns once.
    class_weight : dict, "balanced" or None
        Multiplies ``sample_weight``.
    random_state : int, RandomState or None
        For the scattered starts.
    n_jobs : int, optional
        How many restarts run at the same time.
    verbose : bool, int or callable, default=0
        A line per evaluation on standard error, or a callable that receives each
        :class:`kernelect.results.Evaluation`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    kernel_ : Kernel
        With the selected parameters.
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        The latent mean is the kernel values times these.
    X_fit_ : ndarray of shape (n_samples, n_features)
    landmarks_ : ndarray of shape (n_landmarks, n_features) or None
        The landmarks, None if all rows have coefficients; then they are also ``X_fit_``.
    loo_proba_ : ndarray of shape (n_samples, n_classes)
        Leave-one-out probabilities in closed form, from the cavities of expectation propagation. Absent for
        precomputed kernels.
    feature_importances_ : ndarray of shape (n_features,)
        Relevance of each input, summing to 1.
    log_marginal_likelihood_value_ : float
        The logarithm of the evidence, summed over outputs if there are more than two classes; without a prior.
    n_iter_ : int
        Evaluations of the criterion.
    selection_ : Selection
        ``value`` is minus (1/n) ln evidence, summed over outputs if there are more than two classes. With a prior,
        the evidence is multiplied by the prior.

    References
    ----------
    C. E. Rasmussen, C. K. I. Williams. Gaussian Processes for Machine Learning. MIT Press 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelect import GPC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GPC(kernel="rbf").fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    """

    likelihood: Any = "probit"
    criterion: Any = "ep-evidence"
    landmarks: Any = "auto"
    early_stopping: bool = False
    tol: float = 1e-4
    class_weight: Any = None

    _machines = ("ep",)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Select the kernel's parameters and find the posterior.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            With ``kernel="precomputed"``, the kernel values between all rows.
        y : array-like of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows: its log-likelihood is multiplied by w.
        """
        return self._fit_anew(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        data = labelled(self, X, y, sample_weight, self.class_weight)
        if self._is_precomputed:
            check_kernel_matrix(data.X)
        pairwise = self._is_precomputed
        data = data if self._whole else data.merged(counts=True, pairwise=pairwise)
        request = latent_landmarks(self, self._criterion(), int(data.kept.sum()))
        if request is not None:
            objective = self._problem(data.rows())
            options = with_first_step(self._options(), objective)
            with best_blas_threads(self._deadline):
                self._keep(*selected_on_landmarks(objective, request, options, self._lead, self._seed()), data)
            return
        machine = EP(self._likelihood())
        data, searching = data.in_time(
            machine, self._deadline, pairwise=pairwise, whole=self._whole, spreads=not pairwise
        )
        squares = latent_squares(data.targets.shape[1], self._criterion()) + self._kernel().squares
        require_memory(int(data.kept.sum()), squares * self._n_searches_at_once())
        rows = data.rows(pairwise=self._is_precomputed)
        objective = self._problem(rows)
        with best_blas_threads(self._deadline):
            options = with_first_step(self._options(deadline=searching), objective)
            options = replace(options, thorough=self._is_thorough(len(rows.X)))
            selection, objective = self._select(objective, options)
            with self._deadline.watched(firmly=False):
                self._keep(selection, objective, data)
        self.selection_ = data.described(self.selection_)

    def _select(self, objective: SelectionObjective, options: SelectionOptions) -> tuple[Selection, SelectionObjective]:
        if not isinstance(self.early_stopping, bool | np.bool_):
            raise InvalidArgument(f"early_stopping={self.early_stopping!r} must be True or False.")
        if not self.early_stopping:
            return select(objective, options, self._lead)
        if objective.criterion.moves_sites:
            raise InvalidArgument(
                "early_stopping=True looks for the smallest leave-one-out error along a search, and criterion='loo' "
                "minimises it already: use early_stopping=False, or criterion='ep-evidence'."
            )
        return select_stopped_left_out(objective, options, EPLeaveOneOut(), self._lead)

    def _is_thorough(self, n_rows: int) -> bool:
        """Return whether a second start is worth its time; never if another selection leads the way."""
        return self._lead is None and n_rows <= FEW_ROWS and not self._criterion().sampled

    def _likelihood(self) -> Likelihood:
        return LIKELIHOODS.resolve(self.likelihood)

    def _problem(self, rows: Rows) -> SelectionObjective:
        likelihood, criterion = self._likelihood(), self._criterion()
        if isinstance(self.kernel, str):
            scales = SCALES_BESIDE_C if likelihood.has_constant else Scales()
            started = started_in_full(self.kernel, rows.X, scales)
        else:
            started = started_as_given(self._kernel(), rows.X, pairwise=self._is_precomputed)
        prior = as_prior(self.prior, started.space, normal_lengths)
        C = slack_space("auto", started, rows.X, scale_invariant=False) if likelihood.has_constant else None
        machine = EP(likelihood, tol=search_tolerance(len(rows.X), criterion, led=self._lead is not None))
        return join(rows, started, machine, criterion, prior, C)

    def _unweighted(self, X: Array, y: Array) -> Rows:
        return labelled_rows(X, y, self.class_weight)

    def _keep(self, selection: Selection, objective: SelectionObjective, data: LabelledTraining) -> None:
        """Set the learned attributes."""
        points = objective.landmarks if isinstance(objective, LandmarkEvidence) else None
        # One of many, or of many rows: moments need not match to the last digit.
        led = self._lead is not None or points is not None
        machine = EP(self._likelihood(), tol=EP().tol if led else FINAL_TOL)
        fitted = objective.solved_by(machine, selection.theta, warm=led)
        state: EPState = fitted.state
        selection = in_own_units(selection, objective).with_remark(objective.criterion.remark(fitted))
        doubts = [solver_doubt(machine, state), objective.criterion.doubt(fitted)]
        self.selection_ = selection.with_doubts(doubts)
        self.n_iter_ = selection.n_evaluations
        self.log_marginal_likelihood_value_: float = log_evidence_of(objective.criterion, fitted)
        pairwise, kept = self._is_precomputed, np.flatnonzero(data.kept)
        component = posterior_component(
            objective.kernel_at(selection.theta),
            objective.X[:0] if pairwise else objective.X if points is None else points,
            state,
            Predictive(likelihood=machine.likelihood, constant=fitted.regularization),
            places=kept if pairwise else None,
        )
        head = LabelHead(classes=data.classes, weights=np.ones(1))
        self.model_ = self._record((component,), head)
        if pairwise:
            return
        at = objective.X if points is None else points
        self.feature_importances_ = relevances(self.kernel_, at, state.dual_coef, points)
        left_out = data.expanded(left_out_decisions(component, state, data.X, data.kept))
        component = replace(component, left_out=left_out)
        training = TrainingRows(
            numbers=np.arange(len(data.X)),
            targets=data.index,
            weights=np.where(data.kept, data.weights, 0.0),
            left_out=component.left_out_answers(),
        )
        self.model_ = self._record((component,), head, training)

    def decision_function(self, X: Any) -> Array:
        """Return decision values: the probits z = m / sqrt(1 + v) of the probabilities.

        They are log-odds if the likelihood is not the probit. The shape is (n,) for two classes (positive:
        ``classes_[1]``), else (n, n_classes).
        """
        self._require_inputs()
        z = self.model_.decisions(self._validated(X))
        return z[:, 0] if z.shape[1] == 1 else z

    def predict_proba(self, X: Any) -> Array:
        """Return class probabilities, integrated over the posterior of the latent function."""
        self._require_inputs()
        return self.model_.probabilities(self._validated(X))
