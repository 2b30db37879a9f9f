"""Least-squares support vector machines that tune themselves by exact leave-one-out.

Notation as in machines/lssvm/full.py: alpha dual coefficients, b intercept, mu ridge,
P the bordered inverse, c = diag P, r leave-one-out residuals.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from kernelect.criteria.calibration import fit_temperature, probabilities
from kernelect.estimators._lssvm_base import LSSVMBase
from kernelect.estimators._sklearn import check_sample_weight, validate_data
from kernelect.estimators._targets import class_weights, decide_class, encode_labels, weighted_targets
from kernelect.exceptions import InvalidArgument
from kernelect.kernels import Precomputed
from kernelect.machines import LSSVM, LSSVMState
from kernelect.selection import SelectionObjective
from kernelect.typing import Array


class LSSVC(ClassifierMixin, LSSVMBase):
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
        lowers the error (docs/results/cawley2007.md). ``"auto"`` does so with ``prior="auto"``: a
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
        loo = self._fit_machine(X, targets, weights, index if self._polishes() else None)
        self.loo_decision_ = loo[:, 0] if len(self.classes_) == 2 else loo
        self._inverse_temperature = fit_temperature(self.loo_decision_, index, weights)
        return self

    def _targets(self, y: Array) -> tuple[Array, Array]:
        return weighted_targets(y, self.class_weight)

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


class LSSVR(RegressorMixin, LSSVMBase):
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
        self.loo_prediction_ = self._shaped(self._fit_machine(X, y.reshape(len(y), -1), weights))
        return self

    def _targets(self, y: Array) -> tuple[Array, Array]:
        return y.astype(float).reshape(len(y), -1), np.ones(len(y))

    def _keep_leave_one_out(self, objective: SelectionObjective, diagonal: Array, residuals: Array) -> None:
        self._weights, self._diagonal, self._residuals = objective.weights, diagonal, residuals
        if isinstance(self.kernel_, Precomputed):
            self._gram = objective.X

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
        prior = self.kernel_.diagonal(X)
        state, cross = self._resolved(), self._cross(X)
        # Leave-one-out variances are scale / c_i: the scale that makes r_i^2 c_i one on average.
        scale = np.average(self._residuals**2 * self._diagonal[:, None], axis=0, weights=self._weights)
        half = state.factor.half_solve(cross)
        bias = (1.0 - state.ones_solution @ cross) ** 2 / state.ones_total
        variance = prior + self.regularization_ - np.einsum("ij,ij->j", half, half) + bias
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
        if not isinstance(coverage, Real) or not 0.0 < coverage < 1.0:
            raise InvalidArgument(f"coverage={coverage!r} is not possible: give a number between 0 and 1, such as 0.9.")
        X = self._validated(X)
        state = self._resolved()
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
            ends = _order_statistic(left_out + spread, rank), -_order_statistic(spread - left_out, rank)
            upper[:, k], lower[:, k] = np.maximum(*ends), np.minimum(*ends)  # at small coverage they may cross
        return self._shaped(lower), self._shaped(upper)

    def _resolved(self) -> LSSVMState:
        """Return the machine factorised again: a factor is not kept, so that models stay small."""
        gram = self._gram if isinstance(self.kernel_, Precomputed) else self.kernel_.gram(self.X_fit_)
        return LSSVM().fit(gram, np.zeros((len(gram), 1)), self.regularization_, self._weights)


def _order_statistic(values: Array, rank: int) -> Array:
    """Return the ``rank``-th smallest of each column, infinite beyond the last."""
    if rank > len(values):
        return np.full(values.shape[1], np.inf)
    return np.asarray(np.partition(values, rank - 1, axis=0)[rank - 1], dtype=float)
