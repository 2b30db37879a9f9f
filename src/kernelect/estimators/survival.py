"""Times until an event, some of which was not seen, by Gaussian processes.

Notation: t the logarithm of a time, N(mu, v) the latent function at a row, s^2 the variance of the noise. The survival
function is S(time) = P(t > ln time) = Phi((mu - ln time)/sqrt(v + s^2)).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from scipy.special import ndtr
from sklearn.utils import check_consistent_length

from kernelect.estimators._interval_base import IntervalNumbers
from kernelect.estimators._limits import as_survival, log_limits
from kernelect.estimators._training import measured
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.model import TargetScale
from kernelect.numerics import concordance
from kernelect.selection import Rows
from kernelect.typing import Array

#: Logarithms of times that a number holds.
_LARGEST = 700.0


class KernelSurvival(IntervalNumbers):
    """Survival times by a Gaussian process that selects itself.

    The logarithm of the time is a latent function plus normal noise. A row with an event knows it; of a row without,
    it is known to be later. Expectation propagation takes both, so that rows without an event count for what they say.
    All kernel parameters and the noise maximise the evidence, with its analytic gradient.

    A step costs O(n^3 + d n^2) for n rows and d inputs, some ten Cholesky factorisations.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="ard"
        A name stands for amplitude * kernel + constant, all selected, as for :class:`GPC`. An object of
        :mod:`kernelect.kernels` is used exactly as given, on logarithms of times in units of their variance.
    prior, search, n_restarts, max_iter, tol, time_limit, random_state, n_jobs, verbose
        As for :class:`GPC`.

    Attributes
    ----------
    kernel_ : Kernel
        With the selected parameters, in units of the variance of the logarithms.
    noise_ : float
        Standard deviation of the noise of the logarithm.
    unique_times_ : ndarray
        The times of events, sorted.
    dual_coef_ : ndarray of shape (n_samples,)
    X_fit_ : ndarray of shape (n_samples, n_features)
    loo_prediction_ : ndarray of shape (n_samples,)
        Leave-one-out risks, from the cavities of expectation propagation.
    loo_score_, loo_score_error_ : float
        Concordance of the leave-one-out risks, and its standard error.
    loo_log_likelihood_ : ndarray of shape (n_samples,)
        When its row is left out: log density of the logarithm of the time of each event, log probability of being
        later for the others.
    feature_importances_ : ndarray of shape (n_features,)
    log_marginal_likelihood_value_ : float
        The logarithm of the evidence of the logarithms of times, without the prior.
    n_iter_ : int
    selection_ : Selection

    Examples
    --------
    >>> import numpy as np
    >>> from kernelect import KernelSurvival
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 2))
    >>> time, end = np.exp(X[:, 0] + 0.3 * rng.normal(size=80)), rng.uniform(0.5, 4.0, size=80)
    >>> model = KernelSurvival("rbf").fit(X, np.minimum(time, end), event=time <= end)
    >>> model.predict_survival_function(X[:2], [0.5, 1.0, 2.0]).shape
    (2, 3)
    >>> bool(model.loo_score_ > 0.8)
    True
    """

    unique_times_: Array
    loo_score_: float
    loo_score_error_: float

    def __init__(
        self,
        kernel: Any = "ard",
        *,
        prior: Any = "auto",
        search: Any = "lbfgs",
        n_restarts: int = 0,
        max_iter: int = 200,
        tol: float = 1e-4,
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: Any = 0,
    ) -> None:
        self.kernel = kernel
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
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        return tags

    @property
    def loo_prediction_(self) -> Array:
        """Leave-one-out risks of the training rows."""
        return -self._component.left_out_answers()[:, 0]

    def fit(self, X: Any, y: Any, event: Any = None, sample_weight: Any = None) -> Self:
        """Select kernel and noise and find the posterior.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : structured array of shape (n_samples,), or array-like of times
            As in scikit-survival: a field of truth values, whether there was an event, and a field of times. Or the
            times alone. A time of 0 is one below the earliest positive time.
        event : array-like of bool of shape (n_samples,), optional
            Whether each time is that of an event; all are unless given.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows: its log-likelihood is multiplied by w.
        """
        return self._fit_anew(X, y, event, sample_weight)

    def _fit(self, X: Any, y: Any, event: Any, sample_weight: Any) -> None:  # type: ignore[override]
        time, seen = as_survival(y, event)
        check_consistent_length(X, time)
        data = measured(self, X, time, sample_weight, several=False, counts=True)
        if not seen[data.kept].any():
            raise InvalidArgument("sample_weight leaves no row with an event: give one of them a positive weight.")
        scale = TargetScale(name="log", low=-_LARGEST, high=_LARGEST)
        self._fit_limits(replace(data, targets=log_limits(time, seen)), scale)
        self.unique_times_ = np.unique(time[seen])
        self.loo_score_, self.loo_score_error_ = concordance(time, seen, self.loo_prediction_)

    def _unweighted(self, X: Array, y: Any) -> Rows:
        if np.asarray(y).dtype.names is None:
            raise MissingCapability("y holds times without events: give a structured array of event and time.")
        return self._unweighted_limits(X, log_limits(*as_survival(y, None)))

    def predict(self, X: Any) -> Array:
        """Return risks: minus the expected logarithm of the time, larger for rows whose event comes earlier."""
        return -self.model_.on_scale(self._validated(X))[0][:, 0]

    def predict_median(self, X: Any) -> Array:
        """Return the times before which the event comes with probability 1/2."""
        return self.model_.predictions(self._validated(X))

    def predict_survival_function(self, X: Any, times: Any = None) -> Array:
        """Return the probabilities (n_samples, n_times) that the event comes later than each of the times.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        times : array-like of shape (n_times,), optional
            ``unique_times_`` unless given.
        """
        at = np.atleast_1d(np.asarray(self.unique_times_ if times is None else times, dtype=float))
        if at.ndim != 1 or not np.all(at >= 0.0):
            raise InvalidArgument(f"times={times!r} must be a list of numbers of at least 0.")
        mean, deviation = self.model_.on_scale(self._validated(X))
        with np.errstate(divide="ignore"):  # at time 0 all are alive
            return np.asarray(ndtr((mean - np.log(at)) / deviation), dtype=float)

    def score(self, X: Any, y: Any, event: Any = None) -> float:
        """Return Harrell's concordance of the risks: the share of pairs of rows in the right order.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y, event
            As in :meth:`fit`.
        """
        return concordance(*as_survival(y, event), self.predict(X))[0]
