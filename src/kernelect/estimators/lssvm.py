"""Least-squares support vector machines that tune themselves by exact leave-one-out.

Notation as in machines/lssvm.py: alpha dual coefficients, b intercept, mu ridge,
P the bordered inverse, c = diag P, r leave-one-out residuals.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from kernelect.criteria import PRESS
from kernelect.criteria.calibration import fit_temperature, probabilities
from kernelect.estimators._base import SelfSelecting, relevances
from kernelect.estimators._sklearn import check_sample_weight, validate_data
from kernelect.estimators._targets import class_weights, decide_class, encode_labels
from kernelect.exceptions import InvalidArgument, unknown_name
from kernelect.kernels import Kernel
from kernelect.linalg import blas_threads_for, mean_diagonal, require_memory
from kernelect.machines import LSSVM, LSSVMState, RidgePath
from kernelect.parameters import ParameterSpace, check_positive
from kernelect.priors import as_prior
from kernelect.selection import SelectionObjective, polished, select
from kernelect.typing import Array, Indices, Mask

#: Bounds of the ridge, relative to the mean of k(x, x).
_RIDGE_BOUNDS = (1e-9, 1e4)

#: Rows used to find the first ridge at the start kernel.
_START_ROWS = 600


class _LSSVMBase(SelfSelecting):
    """Selection, solution and decision values of both LS-SVM estimators."""

    def _fit_machine(self, X: Array, targets: Array, weights: Array, labels: Indices | None = None) -> None:
        """Select, solve and set the fitted attributes; ``targets`` is (n, k).

        ``labels`` (class indices) are given where ridge and width shall be polished.
        """
        if not isinstance(self.criterion, PRESS) and self.criterion != "press":
            raise unknown_name("criterion", self.criterion, ["press"])
        self._more_checks(X)
        require_memory(len(X))
        kept = weights > 0
        if kept.sum() < 2:
            raise InvalidArgument(
                f"sample_weight leaves {kept.sum()} row(s) of positive weight: at least 2 are needed."
            )
        rows = X[np.ix_(kept, kept)] if self._is_precomputed else X[kept]
        objective = self._objective(rows, targets[kept], weights[kept])
        options = self._options()
        options.search.check(objective.criterion.has_gradient, objective.criterion.name)
        with blas_threads_for(len(rows)):
            selection, objective = select(objective, options)
            if labels is not None:
                selection = polished(selection, objective, labels[kept], options.observe)
            self._keep(objective, selection.theta, kept)
        self.selection_ = selection
        self.n_iter_ = selection.n_evaluations
        self._loo = self._leave_one_out(X, targets, kept)
        self._warn_if_doubtful(selection)

    def _objective(self, X: Array, targets: Array, weights: Array) -> SelectionObjective:
        kernel = self._kernel()
        started = kernel.start(X)
        space = kernel.space(X)
        prior = as_prior(self.prior, space)
        ridge = self._ridge_space(started, X, targets, weights)
        joined = ParameterSpace.joined([space, ridge])
        return SelectionObjective(X, targets, weights, started, joined, LSSVM(), PRESS(), prior)

    def _ridge_space(self, kernel: Kernel, X: Array, targets: Array, weights: Array) -> ParameterSpace:
        """Return the ridge's start (best at the start kernel) and bounds, or its fixed value."""
        ridge = check_positive("regularization", self.regularization)
        if not isinstance(ridge, str):
            return ParameterSpace.single("regularization", float(np.log(ridge)), free=False)
        rows = slice(None) if self._is_precomputed else _spread_rows(X, _START_ROWS)
        with np.errstate(over="ignore", invalid="ignore"):  # mean_diagonal says it better
            gram = kernel.gram(X[rows])
        scale = abs(mean_diagonal(gram)) or 1.0
        lower, upper = (bound * scale for bound in _RIDGE_BOUNDS)
        start = np.log(RidgePath(gram, targets[rows], weights[rows]).best_ridge(lower * 10, upper / 10))
        return ParameterSpace.single(
            "regularization", float(start), below=float(start - np.log(lower)), above=float(np.log(upper) - start)
        )

    def _keep(self, objective: SelectionObjective, theta: Array, kept: Mask) -> None:
        """Set the fitted attributes at ``theta``."""
        fitted = objective.solved(theta)
        state: LSSVMState = fitted.state
        single = objective.targets.shape[1] == 1
        self.kernel_ = objective.kernel_at(theta)
        self.regularization_ = fitted.regularization
        self.dual_coef_ = state.dual_coef[:, 0] if single else state.dual_coef
        self.intercept_ = float(state.intercept[0]) if single else state.intercept
        self._rows = np.flatnonzero(kept)
        self._weights = objective.weights
        self._residuals = PRESS().value(fitted).pointwise  # (n, k)
        if not self._is_precomputed:
            self.X_fit_ = objective.X
            self.feature_importances_ = relevances(self.kernel_, objective.X, state.dual_coef)
        else:
            self._gram = objective.X

    def _leave_one_out(self, X: Array, targets: Array, kept: Mask) -> Array:
        """Return leave-one-out decision values (n, k); a row of weight 0 was left out all along."""
        values = np.empty_like(targets)
        values[kept] = targets[kept] - self._residuals
        if not kept.all():
            values[~kept] = self._decide(X[~kept])
        return values

    def _decide(self, X: Array) -> Array:
        """Return decision values (m, k)."""
        coefficients = self.dual_coef_.reshape(len(self._rows), -1)
        return np.asarray(self._cross(X).T @ coefficients + self.intercept_, dtype=float)

    def _cross(self, X: Array) -> Array:
        """Return kernel values between the training rows and ``X``, (n, m)."""
        if self._is_precomputed:
            return X[:, self._rows].T
        return self.kernel_.cross(self.X_fit_, X)

    def _validated(self, X: Any) -> Array:
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, reset=False, dtype=np.float64), dtype=float)


class LSSVC(ClassifierMixin, _LSSVMBase):
    """Least-squares support vector classifier that selects its kernel and ridge in ``fit``.

    Minimises the exact leave-one-out error (PRESS) over the ridge and all kernel parameters
    by its analytic gradient, with a prior that keeps many kernel parameters from over-fitting
    the selection. No grid, no folds: one factorisation serves all classes, and a step costs
    about six Cholesky factorisations however many inputs there are.

    Parameters
    ----------
    kernel : str or Kernel, default="ard"
        ``"ard"``, ``"rbf"``, ``"matern32"``, ``"matern52"`` (also with ``"-ard"``),
        ``"linear"``, ``"polynomial"``, ``"precomputed"``, an object of
        :mod:`kernelect.kernels` (used exactly as given) or one of
        ``sklearn.gaussian_process.kernels``.
    regularization : "auto" or float, default="auto"
        The ridge mu of Cawley & Talbot (2007): K + mu I is solved.
    criterion : "press"
    prior : "auto", "shrinkage", "gaussian", "laplace", "curvature", "evidence" or None
        Prior over the widths. ``"auto"`` is shrinkage for elliptical kernels, none otherwise.
    search : "lbfgs", "scg" or "nelder-mead", default="lbfgs"
    n_restarts : int, default=0
        Further searches from scattered starts, of which the best is kept.
    max_iter : int, default=200
        Iterations of each search.
    tol : float, default=1e-5
        Relative decrease of the criterion at which a search has converged.
    time_limit : float, optional
        Seconds after which the best point so far is taken, with one warning.
    polish : "auto" or bool, default="auto"
        Choose ridge and overall width once more, at the end, by the leave-one-out log-loss of
        the calibrated probabilities in the place of squares; measured on the papers' data, this
        lowers the error (docs/results/lssvm.md). ``"auto"`` does so with ``prior="auto"``: a
        prior given by name, or None, keeps to the criterion alone, as the papers do.
    class_weight : dict, "balanced" or None
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
    regularization_ : float
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
    intercept_ : float or ndarray of shape (n_classes,)
    X_fit_ : ndarray of shape (n_samples, n_features)
    loo_decision_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Exact leave-one-out decision values: what each row gets from all the others.
    feature_importances_ : ndarray of shape (n_features,)
        Relevance of each input, summing to 1.
    selection_ : Selection
        Value, status sentence and trace of the selection.
    n_iter_ : int
        Evaluations of the criterion.

    References
    ----------
    G. C. Cawley, N. L. C. Talbot. Preventing over-fitting during model selection via Bayesian
    regularisation of the hyper-parameters. JMLR 8 (2007) 841-861.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelect import LSSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LSSVC(kernel="rbf").fit(X, y)
    >>> bool((model.loo_decision_.argmax(axis=1) == y).mean() > 0.95)
    True
    """

    def __init__(
        self,
        kernel: Any = "ard",
        *,
        regularization: Any = "auto",
        criterion: Any = "press",
        prior: Any = "auto",
        search: Any = "lbfgs",
        n_restarts: int = 0,
        max_iter: int = 200,
        tol: float = 1e-5,
        time_limit: float | None = None,
        polish: Any = "auto",
        class_weight: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: Any = 0,
    ) -> None:
        self.kernel = kernel
        self.regularization = regularization
        self.criterion = criterion
        self.prior = prior
        self.search = search
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.polish = polish
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
        """
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        self.classes_, index, targets = encode_labels(y)
        weights = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        weights = weights * class_weights(self.class_weight, self.classes_, index)
        self._fit_machine(X, targets, weights, index if self._polishes() else None)
        self.loo_decision_ = self._loo[:, 0] if len(self.classes_) == 2 else self._loo
        self._inverse_temperature = fit_temperature(self.loo_decision_, index, weights)
        return self

    def _polishes(self) -> bool:
        if self.polish not in ("auto", True, False):
            raise InvalidArgument(f"polish={self.polish!r} is not possible: give 'auto', True or False.")
        return bool(self.prior == "auto") if self.polish == "auto" else bool(self.polish)

    def decision_function(self, X: Any) -> Array:
        """Return decision values, (n,) for two classes (positive: ``classes_[1]``), else (n, n_classes)."""
        values = self._decide(self._validated(X))
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> Array:
        """Return the class with the largest decision value, which is also the most probable one."""
        decision = self.decision_function(X)
        return self.classes_[decide_class(decision)]

    def predict_proba(self, X: Any) -> Array:
        """Return class probabilities, calibrated on the exact leave-one-out decision values."""
        return probabilities(self.decision_function(X), self._inverse_temperature)


class LSSVR(RegressorMixin, _LSSVMBase):
    """Least-squares support vector regressor (kernel ridge with intercept) that selects itself.

    As :class:`LSSVC`, for one or several real targets, which share kernel and ridge. Standard
    deviations and intervals come from the closed-form leave-one-out, without refits.

    Parameters
    ----------
    kernel, regularization, criterion, prior, search, n_restarts, max_iter, tol, time_limit, \
random_state, n_jobs, verbose
        As for :class:`LSSVC`.

    Attributes
    ----------
    kernel_ : Kernel
    regularization_ : float
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
    intercept_ : float or ndarray of shape (n_targets,)
    X_fit_ : ndarray of shape (n_samples, n_features)
    loo_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Exact leave-one-out predictions.
    feature_importances_ : ndarray of shape (n_features,)
    selection_ : Selection
    n_iter_ : int

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from kernelect import LSSVR
    >>> X, y = make_friedman1(200, noise=1.0, random_state=0)
    >>> model = LSSVR().fit(X, y)
    >>> lower, upper = model.predict_interval(X, coverage=0.9)
    >>> bool((lower < upper).all())
    True
    """

    def __init__(
        self,
        kernel: Any = "ard",
        *,
        regularization: Any = "auto",
        criterion: Any = "press",
        prior: Any = "auto",
        search: Any = "lbfgs",
        n_restarts: int = 0,
        max_iter: int = 200,
        tol: float = 1e-5,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: Any = 0,
    ) -> None:
        self.kernel = kernel
        self.regularization = regularization
        self.criterion = criterion
        self.prior = prior
        self.search = search
        self.n_restarts = n_restarts
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Select the hyper-parameters and fit the machine.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Kernel values between all rows where ``kernel="precomputed"``.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), optional
        """
        X, y = validate_data(self, X, y, dtype=np.float64, multi_output=True, y_numeric=True, ensure_min_samples=2)
        y = np.asarray(y, dtype=float)
        weights = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self._single = y.ndim == 1
        self._fit_machine(X, y.reshape(len(y), -1), weights)
        self.loo_prediction_ = self._shaped(self._loo)
        return self

    def _shaped(self, values: Array) -> Array:
        """Return (m, k) values as ``y`` was given."""
        return values[:, 0] if self._single else values

    def predict(self, X: Any, return_std: bool = False) -> Array | tuple[Array, Array]:
        """Return predictions, with ``return_std`` also the standard deviation of a new observation.

        The deviation is that of the Gaussian process with the same mean, whose scale is set so
        that the leave-one-out residuals have the variance it claims. It costs one Cholesky.
        """
        X = self._validated(X)
        mean = self._shaped(self._decide(X))
        return (mean, self._shaped(self._deviation(X))) if return_std else mean

    def _deviation(self, X: Array) -> Array:
        state, c = self._resolved()
        cross = self._cross(X)
        # Leave-one-out variances are scale / c_i: the scale that makes r_i^2 c_i one on average.
        scale = np.average(self._residuals**2 * c[:, None], axis=0, weights=self._weights)
        half = state.factor.half_solve(cross)
        bias = (1.0 - state.ones_solution @ cross) ** 2 / state.ones_total
        variance = self.kernel_.diagonal(X) + self.regularization_ - np.einsum("ij,ij->j", half, half) + bias
        return np.sqrt(np.outer(np.maximum(variance, self.regularization_), scale))

    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[Array, Array]:
        """Return lower and upper ends of prediction intervals by jackknife+.

        The leave-one-out predictions at a new row need no refit: with h = P k(x) (extended by
        the intercept) they are f(x) - r_i h_i(x). Over many data sets the intervals cover at
        least 2 * coverage - 1 of new observations, and in practice about ``coverage`` (Barber,
        Candes, Ramdas & Tibshirani 2021), as far as the selected kernel and ridge, which saw
        all rows, allow.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
        coverage : float in (0, 1)

        Returns
        -------
        lower, upper : ndarray of the shape of ``predict(X)``
        """
        if not isinstance(coverage, float) or not 0.0 < coverage < 1.0:
            raise InvalidArgument(f"coverage={coverage!r} is not possible: give a number between 0 and 1, such as 0.9.")
        X = self._validated(X)
        state, _ = self._resolved()
        cross, n = self._cross(X), len(self._rows)
        bordered = (
            LSSVM.bordered_solve(state, cross)
            + np.outer(state.ones_solution, np.ones(cross.shape[1])) / state.ones_total
        )
        mean = self._decide(X)
        lower, upper = np.empty_like(mean), np.empty_like(mean)
        rank = int(np.ceil(coverage * (n + 1)))  # of n + 1: beyond n the interval has no end
        for k in range(mean.shape[1]):
            r = self._residuals[:, k][:, None]
            left_out = mean[:, k] - r * bordered  # (n, m)
            spread = np.abs(r)
            upper[:, k] = _order_statistic(left_out + spread, rank)
            lower[:, k] = -_order_statistic(spread - left_out, rank)
        return self._shaped(lower), self._shaped(upper)

    def _resolved(self) -> tuple[LSSVMState, Array]:
        """Return the solved machine and c; not kept in the model, which stays small."""
        gram = self._gram if self._is_precomputed else self.kernel_.gram(self.X_fit_)
        targets = np.zeros((len(gram), 1))
        state = LSSVM().fit(gram, targets, self.regularization_, self._weights)
        return state, state.bordered_diagonal()


def _order_statistic(values: Array, rank: int) -> Array:
    """Return the ``rank``-th smallest of each column, infinite beyond the last."""
    if rank > len(values):
        return np.full(values.shape[1], np.inf)
    return np.asarray(np.partition(values, rank - 1, axis=0)[rank - 1], dtype=float)


def _spread_rows(X: Array, count: int) -> Any:
    """Return at most ``count`` row indices, the same set whatever the rows' order."""
    if len(X) <= count:
        return slice(None)
    return np.lexsort(X.T)[np.linspace(0, len(X) - 1, count).astype(int)]
