"""Gaussian process regression whose targets may be limits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.utils import check_consistent_length

from kernelect.estimators._attributes import ReadsNumbers
from kernelect.estimators._bases import RegressorMixin
from kernelect.estimators._interval_base import IntervalNumbers
from kernelect.estimators._limits import are_limits, as_limits
from kernelect.estimators._targets import encode_groups
from kernelect.estimators._training import measured
from kernelect.model import TargetScale
from kernelect.selection import Rows
from kernelect.typing import Array


@dataclass(eq=False, repr=False, kw_only=True)
class GPR(RegressorMixin, ReadsNumbers, IntervalNumbers):
    """Gaussian process regressor that selects itself by its evidence and takes limits for numbers.

    A target may be a number, or known up to an interval: below a detection limit, above the end of a scale, between
    two numbers. The latent function has a Gaussian process prior, targets are its values plus normal noise, and
    expectation propagation gives the posterior. All kernel parameters and the noise maximise the evidence, with its
    analytic gradient. If all targets are numbers, this is Gaussian process regression.

    Up to 2000 rows a step costs O(n^3 + d n^2) for n rows and d inputs, one factorisation without limits and some ten
    with them. Beyond, m landmarks span the latent function: O(n m^2 + d n m).

    Parameters
    ----------
    kernel : str, Kernel or callable, default="ard"
        A name stands for amplitude * kernel + constant, all selected, as for :class:`GPC`. An object of
        :mod:`kernelect.kernels` is used exactly as given, on targets of mean 0 and variance 1.
    prior, search, landmarks, n_restarts, max_iter, tol, time_limit, random_state, n_jobs, verbose
        As for :class:`GPC`.

    Attributes
    ----------
    kernel_ : Kernel
        With the selected parameters, in units of the targets' variance.
    noise_ : float
        Standard deviation of the noise.
    dual_coef_ : ndarray of shape (n_samples,), or (n_landmarks,)
    X_fit_ : ndarray of shape (n_samples, n_features)
        The rows that have coefficients: all, or the landmarks.
    landmarks_ : ndarray of shape (n_landmarks, n_features) or None
    loo_prediction_ : ndarray of shape (n_samples,)
        Leave-one-out predictions, from the cavities of expectation propagation.
    loo_log_likelihood_ : ndarray of shape (n_samples,)
        Log density of each number, or log probability of each interval, when its row is left out.
    feature_importances_ : ndarray of shape (n_features,)
    log_marginal_likelihood_value_ : float
        The logarithm of the evidence, without the prior.
    n_iter_ : int
    selection_ : Selection
        ``value`` is minus (1/n) ln evidence of the targets in units of their standard deviation.

    References
    ----------
    C. E. Rasmussen, C. K. I. Williams. Gaussian Processes for Machine Learning. MIT Press 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelect import GPR
    >>> X = np.linspace(0, 3, 60)[:, None]
    >>> y = np.exp(-X[:, 0]) + 0.02 * np.random.default_rng(0).normal(size=60)
    >>> written = [f"{value:.3f}" if value > 0.2 else "<0.2" for value in y]
    >>> model = GPR("rbf").fit(X, written)
    >>> bool(np.all(model.predict([[2.5], [3.0]]) < 0.2))
    True
    """

    landmarks: Any = "auto"
    tol: float = 1e-4

    @property
    def loo_prediction_(self) -> Array:
        """Leave-one-out predictions of the training rows."""
        return self._component.left_out_answers()[:, 0]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Select kernel and noise and find the posterior.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), pair of such, or array-like of shape (n_samples, 2)
            Numbers; or lower and upper limits, which are equal for a number and infinite if they are not known; or
            texts such as ``"0.7"``, ``"<0.5"`` and ``">100"``.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows: its log-likelihood is multiplied by w.
        groups : array-like of shape (n_samples,), optional
            Rows with the same label leave out together in ``loo_prediction_`` and ``loo_log_likelihood_``.
        """
        return self._fit_anew(X, y, sample_weight, groups)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        limits = as_limits(y) if are_limits(y) else None
        if limits is not None:
            check_consistent_length(X, limits)
        one = y if limits is None else np.where(np.isfinite(limits[:, 0]), limits[:, 0], limits[:, 1])
        one = one if limits is None else np.where(np.isfinite(one), one, 0.0)
        data = measured(self, X, one, sample_weight, several=False, counts=True)
        targets = np.repeat(data.targets, 2, axis=1) if limits is None else limits
        data = replace(data, targets=targets, groups=encode_groups(groups, data.kept))
        self._fit_limits(data, TargetScale())

    def _unweighted(self, X: Array, y: Any) -> Rows:
        limits = as_limits(y) if are_limits(y) else np.column_stack([y, y]).astype(float)
        return self._unweighted_limits(X, limits)
