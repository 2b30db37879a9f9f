"""Gaussian process classification by expectation propagation.

Notation as in machines/ep/machine.py; m, v mean and variance of the latent function at a new row,
z = m / sqrt(1 + v), so that the probability of a label is Phi(z).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from scipy.special import log_ndtr, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from kernelect.criteria import EPEvidence
from kernelect.estimators._base import SelfSelecting
from kernelect.estimators._full_kernel import Scales, started_kernel
from kernelect.estimators._latent import (
    FINAL_TOL,
    SQUARES,
    SQUARES_PER_OUTPUT,
    ep_doubt,
    per_row,
    with_doubts,
    with_first_step,
)
from kernelect.estimators._relevance import relevances
from kernelect.estimators._sklearn import check_sample_weight, validate_data
from kernelect.estimators._targets import class_weights, decide_class, encode_labels, weighted_targets
from kernelect.exceptions import InvalidArgument, MissingCapability, unknown_name
from kernelect.machines import EP, EPState, Probit
from kernelect.numerics import blas_threads_for, require_memory
from kernelect.priors import LogNormal, as_prior
from kernelect.results import Selection
from kernelect.selection import SelectionObjective, select
from kernelect.typing import Array, Mask


class GPC(ClassifierMixin, SelfSelecting):
    """Gaussian process classifier that selects itself by its evidence.

    The latent function of each class has a Gaussian process prior, labels are its sign plus
    unit normal noise (probit), and expectation propagation gives the posterior. All kernel
    parameters maximise the evidence, with its analytic gradient. Probabilities are integrated
    over the posterior of the latent function, so they are less sure where there are no data.

    More than two classes are each told from the rest, with one kernel that maximises the sum
    of their log evidences; probabilities are those of the classes divided by their sum.

    Parameters
    ----------
    kernel : str or Kernel, default="ard"
        A name (``"ard"``, ``"rbf"``, ``"matern32"``, ``"matern52"``, also with ``"-ard"``,
        ``"linear"``, ``"polynomial"``, ``"precomputed"``) stands for amplitude * kernel +
        constant, all selected. An object of :mod:`kernelect.kernels` or of
        ``sklearn.gaussian_process.kernels`` is used exactly as given.
    likelihood : "probit"
    criterion : "ep-evidence"
    prior : "auto", "log-normal", "shrinkage", "gaussian", "laplace", "evidence" or None
        ``"auto"`` is a weak normal prior on the logarithms of amplitude and length scales for
        kernels with one width per input, none otherwise or where no width is selected.
    search : "lbfgs", "scg", "nelder-mead" or "gradient-ascent", default="lbfgs"
    n_restarts : int, default=0
        Further searches from scattered starts, of which the best is kept.
    max_iter : int, default=200
        Iterations of each search.
    tol : float, default=1e-4
        Relative decrease of the criterion at which a search has converged. The evidence often ends in a
        long flat ridge of growing amplitude: at 1e-4 it is within hundredths of a nat of its height.
    time_limit : float, optional
        Seconds after which the best point so far is taken, with one warning.
    class_weight : dict, "balanced" or None
        Multiplies ``sample_weight``.
    random_state : int, RandomState or None
        For the scattered starts.
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
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        The latent mean is the kernel values times these.
    X_fit_ : ndarray of shape (n_samples, n_features)
    feature_importances_ : ndarray of shape (n_features,)
        Relevance of each input, summing to 1.
    n_iter_ : int
        Evaluations of the criterion.
    selection_ : Selection
        ``value`` is minus (1/n) ln evidence, summed over outputs where there are more than two
        classes; with a prior, of the evidence times the prior.

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

    def __init__(
        self,
        kernel: Any = "ard",
        *,
        likelihood: Any = "probit",
        criterion: Any = "ep-evidence",
        prior: Any = "auto",
        search: Any = "lbfgs",
        n_restarts: int = 0,
        max_iter: int = 200,
        tol: float = 1e-4,
        time_limit: float | None = None,
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: Any = 0,
    ) -> None:
        self.kernel = kernel
        self.likelihood = likelihood
        self.criterion = criterion
        self.prior = prior
        self.search = search
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Select the kernel's parameters and find the posterior.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Kernel values between all rows where ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows: its log-likelihood is multiplied by w.
        """
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        self.classes_, index, targets = encode_labels(y)
        weights = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        weights = weights * class_weights(self.class_weight, self.classes_, index)
        kept = self._checked(X, targets, weights)
        rows = X[np.ix_(kept, kept)] if self._is_precomputed else X[kept]
        objective, options = self._objective(rows, targets[kept], weights[kept]), self._options()
        options = replace(options, search=with_first_step(options.search))
        options.search.check(objective.criterion.has_gradient, objective.criterion.name)
        with blas_threads_for(len(rows)):
            selection, objective = select(objective, options)
            self._keep(objective, selection, kept)
        self._warn_if_doubtful(self.selection_)
        return self

    def _checked(self, X: Array, targets: Array, weights: Array) -> Mask:
        """Check what selection takes for granted; return the rows of positive weight."""
        if not isinstance(self.criterion, EPEvidence) and self.criterion != "ep-evidence":
            raise unknown_name("criterion", self.criterion, ["ep-evidence"])
        if not isinstance(self.likelihood, Probit) and self.likelihood != "probit":
            raise unknown_name("likelihood", self.likelihood, ["probit"])
        self._check_precomputed(X)
        jobs = min(abs(self.n_jobs or 1), self.n_restarts + 1)
        squares = SQUARES + self._kernel().squares + SQUARES_PER_OUTPUT * targets.shape[1]
        require_memory(len(X), squares * jobs)
        kept = weights > 0
        if kept.sum() < 2:
            raise InvalidArgument(
                f"sample_weight leaves {kept.sum()} row(s) of positive weight: at least 2 are needed."
            )
        return np.asarray(kept)

    def _objective(self, X: Array, targets: Array, weights: Array) -> SelectionObjective:
        started = started_kernel(self.kernel, X, Scales())
        kernel, space = started.kernel, started.space
        settled = isinstance(self.prior, str) and self.prior == "auto" and not space.free[space.all_widths].any()
        prior = None if settled else as_prior(self.prior, space, auto=LogNormal)
        return SelectionObjective(X, targets, weights, kernel, space, EP(Probit()), EPEvidence(), prior)

    def _objective_on(self, X: Array, y: Array) -> SelectionObjective:
        return self._objective(X, *weighted_targets(y, self.class_weight))

    def _keep(self, objective: SelectionObjective, selection: Selection, kept: Mask) -> None:
        """Set the fitted attributes."""
        state: EPState = replace(objective, machine=EP(Probit(), tol=FINAL_TOL)).solved(selection.theta).state
        for stale in ("X_fit_", "feature_importances_"):
            self.__dict__.pop(stale, None)
        self.kernel_ = objective.kernel_at(selection.theta)
        self.dual_coef_ = state.dual_coef[:, 0] if len(self.classes_) == 2 else state.dual_coef
        self.selection_ = with_doubts(per_row(selection, objective), [ep_doubt(state)])
        self.n_iter_ = selection.n_evaluations
        self._state = state
        self._rows = np.flatnonzero(kept)
        if not self._is_precomputed:
            self.X_fit_ = objective.X
            self.feature_importances_ = relevances(self.kernel_, objective.X, state.dual_coef)

    def latent_mean_and_variance(self, X: Any) -> tuple[Array, Array]:
        """Return mean and variance of the latent function.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        mean, variance : ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        mean, variance = self._latent(self._validated(X))
        return (mean[:, 0], variance[:, 0]) if len(self.classes_) == 2 else (mean, variance)

    def decision_function(self, X: Any) -> Array:
        """Return the probits z = m / sqrt(1 + v) of the probabilities.

        (n,) for two classes (positive: ``classes_[1]``), else (n, n_classes).
        """
        z = self._probits(self._validated(X))
        return z[:, 0] if len(self.classes_) == 2 else z

    def predict(self, X: Any) -> Array:
        """Return the most probable class."""
        X = self._validated(X)
        if len(self.classes_) == 2 or self._is_precomputed:  # the variance does not move the sign
            values = self._cross(X).T @ self._state.dual_coef
        else:
            values = self._probits(X)
        return self.classes_[decide_class(values[:, 0] if len(self.classes_) == 2 else values)]

    def predict_proba(self, X: Any) -> Array:
        """Return class probabilities, integrated over the posterior of the latent function."""
        z = self._probits(self._validated(X))
        logs = log_ndtr(np.column_stack([-z, z]) if len(self.classes_) == 2 else z)
        return np.asarray(softmax(logs, axis=1), dtype=float)

    def _probits(self, X: Array) -> Array:
        mean, variance = self._latent(X)
        return np.asarray(mean / np.sqrt(1.0 + variance), dtype=float)

    def _latent(self, X: Array) -> tuple[Array, Array]:
        """Return mean and variance (m, k) of the latent functions."""
        if self._is_precomputed:
            raise MissingCapability(
                "kernel='precomputed' does not tell k(x, x) of new rows, which probabilities need: "
                "use predict, or give a kernel instead."
            )
        return EP(Probit()).latent(self._state, self._cross(X), self.kernel_.diagonal(X))

    def _cross(self, X: Array) -> Array:
        """Return kernel values between the training rows and ``X``, (n, m)."""
        if self._is_precomputed:
            X = X[:, self._rows]
            return self.kernel_.cross(X, X)
        return self.kernel_.cross(self.X_fit_, X)

    def _validated(self, X: Any) -> Array:
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, reset=False, dtype=np.float64), dtype=float)
