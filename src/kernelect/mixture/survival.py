"""The one door for times until an event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.utils import check_consistent_length

from kernelect.estimators import as_survival, encode_groups, time_limits
from kernelect.exceptions import InvalidArgument
from kernelect.inputs import Wishes
from kernelect.inputs.frame import is_dask
from kernelect.mixture._door import Door
from kernelect.mixture.base import TIMES, MixtureTask
from kernelect.mixture.partly import bounds, known, log_likelihood, partly_head, partly_shares, shifted
from kernelect.mixture.rows import MixtureRows, checked_weights, rows_in_memory
from kernelect.mixture.times import SurvivalFunction, checked_times, time_scale
from kernelect.model import Component, NumberHead, TimeScale
from kernelect.numerics import Deadline, concordance
from kernelect.typing import Array


class KernelSurvival(Door):
    """Survival times for tables as they come: several machines, mixed by leave-one-out.

    Of a row with an event the time is known; of a row without, that it is later. All members take both, so that rows
    without an event count for what they say. Times are modelled on a scale on which those of all rows together are
    about normal (a bent logarithm). Members are Gaussian processes with several kernels, by expectation propagation,
    and a survival forest. Each is weighted by what it says of the times of rows left out: in closed form, or by trees
    that have not seen them. Around the mixture, noise may lean to one side, as that of Weibull times does.

    A step of a Gaussian process costs O(n^3 + d n^2) for n rows and d inputs; beyond 2000 rows, landmarks span it. With
    groups and more than 1000 rows it is fitted to 1000 of them, spread evenly, and judged on all. The forest takes up
    to 20 000 rows.

    Parameters
    ----------
    effort : "fast", "balanced", "best" or a list of candidates, default="balanced"
        How many candidates there are: three, six or eight.
    columns, time_limit, random_state, n_jobs, verbose
        As for :class:`KernelClassifier`.

    Attributes
    ----------
    candidates_ : CandidateTable
        View, kernel, machine, minus the log-likelihood of rows left out on the scale of the times, weight, seconds and
        status of every candidate.
    unique_times_ : ndarray
        The times of events, sorted.
    loo_prediction_ : ndarray of shape (n_samples,)
        Leave-one-out risks.
    loo_score_, loo_score_error_ : float
        Concordance of the leave-one-out risks, and its standard error.
    loo_log_likelihood_ : ndarray of shape (n_samples,)
        When its row is left out: log density of the logarithm of the time of each event, log probability of being
        later for the others.
    feature_importances_ : ndarray of shape (n_features,)
        How much each column matters, summing to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelect import KernelSurvival
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 2))
    >>> time, end = np.exp(X[:, 0] + 0.3 * rng.normal(size=80)), rng.uniform(0.5, 4.0, size=80)
    >>> model = KernelSurvival("fast").fit(X, np.minimum(time, end), event=time <= end)
    >>> model.predict_survival_function(X[:2], [0.5, 1.0, 2.0]).shape
    (2, 3)
    >>> bool(model.loo_score_ > 0.8)
    True
    """

    _labels = False
    _partly = TIMES
    loss_name = "minus log-likelihood"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        return tags

    @property
    def loo_prediction_(self) -> Array:
        """Leave-one-out risks of the training rows."""
        return -self._training.left_out[:, 0]

    @property
    def loo_log_likelihood_(self) -> Array:
        """Log-likelihoods of the training rows when they are left out."""
        training, head = self._training, self.model_.numbers
        limits: Array = training.targets  # type: ignore[assignment]
        found, event = log_likelihood(limits, self._training.left_out, head.skew), limits[:, 0] == limits[:, 1]
        assert isinstance(head.scale, TimeScale)
        times = head.scale.backward(limits[event, 0])
        found[event] += head.scale.log_slope(times) + np.log(times)
        return found

    def loo_survival(self, times: Any) -> Array:
        """Return survival functions (n_samples, n_times) of the training rows, each without its own row.

        Parameters
        ----------
        times : array-like of shape (n_times,)
        """
        head, at = self.model_.numbers, np.atleast_1d(np.asarray(times, dtype=float))
        left_out = self._training.left_out
        return head.survival(left_out[:, :1], left_out[:, 1:], head.scale.forward(at))

    def fit(self, X: Any, y: Any, event: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the candidates and weight them.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
        y : structured array of shape (n_samples,), or array-like of times
            As in scikit-survival: a field of truth values, whether there was an event, and a field of times. Or the
            times alone. A time of 0 is one below the earliest positive time.
        event : array-like of bool of shape (n_samples,), optional
            Whether each time is that of an event; all are unless given.
        sample_weight : array-like of shape (n_samples,), optional
        groups : array-like of shape (n_samples,), optional
            Rows with the same label, such as the eyes of one patient, are left out together.
        """
        return self._fit_anew(X, y, event, sample_weight, groups)

    def _fit(self, X: Any, y: Any, event: Any, sample_weight: Any, groups: Any = None) -> None:  # type: ignore[override]
        if is_dask(X):
            raise InvalidArgument("X is a Dask collection, and KernelSurvival takes rows in memory: give X.compute().")
        if y is None:
            raise InvalidArgument("requires y to be passed, but the target y is None: give one time per row.")
        time, seen = as_survival(y, event)
        self._fit_mixture(self._rows(X, (time, seen), sample_weight, groups, Wishes(kinds=self._kinds())))
        self.unique_times_ = np.unique(time[seen])
        self.loo_score_, self.loo_score_error_ = concordance(time, seen, self.loo_prediction_)

    def _rows(self, X: Any, y: Any, sample_weight: Any, groups: Any, wishes: Wishes) -> MixtureRows:
        frame, (time, seen) = self._frame(X, reset=True), y
        check_consistent_length(frame.columns[0], time)
        weights = checked_weights(sample_weight, len(frame))
        if not np.any(seen & (time > 0.0) & (weights > 0.0)):
            raise InvalidArgument("sample_weight leaves no row with an event: give one of them a positive weight.")
        return rows_in_memory(frame, time_limits(time, seen), weights, encode_groups(groups, weights > 0), wishes)

    def _on_scale(self, task: MixtureTask, deadline: Deadline) -> MixtureTask:
        limits, kept = task.y, task.weights > 0
        time = np.where(np.isfinite(limits[:, 1]), limits[:, 1], limits[:, 0])
        event = limits[:, 0] == limits[:, 1]
        scale = time_scale(time[kept], event[kept], task.weights[kept])
        y = scale.forward(limits)
        seen = y[kept & (time > 0.0)]
        return replace(task, y=y, scale=scale, limits=bounds(seen[np.isfinite(seen)]))

    def _head(self, task: MixtureTask, deadline: Deadline) -> tuple[NumberHead, Array]:
        components = [member.component for member in self._members]
        head = NumberHead(weights=np.ones(1), scale=task.scale, limits=task.limits)
        head, shift, left_out = partly_head(components, task.y, task.weights, head, skewed=True)
        self._members = tuple(shifted(member, shift) for member in self._members)
        return head, left_out

    def _shares(self, components: Sequence[Component], task: MixtureTask) -> Array:
        return partly_shares(components, task.y, task.weights)

    def _said(self, component: Component) -> Array:
        return known(component)

    def _scores(self, left_out: Array, y: Any) -> Array:
        return -log_likelihood(y, left_out)

    def _targets_of(self, y: Any) -> Any:
        assert self.model_.training is not None
        return self.model_.training.targets

    def _values(self, answers: Array) -> Array:
        return self.model_.numbers.within(answers)

    def predict(self, X: Any) -> Array:
        """Return risks: minus the median on the scale of the times, larger for rows whose event comes earlier."""
        return -self._median(self._validated(X))

    def _median(self, Z: Array) -> Array:
        return self.model_.numbers.on_scale(self.model_.answers(Z))[:, 0]

    def predict_median(self, X: Any) -> Array:
        """Return the times before which the event comes with probability 1/2."""
        return self.model_.predictions(self._validated(X))

    def predict_survival_function(self, X: Any, times: Any = None, return_array: bool = False) -> Array:
        """Return the probabilities that the event comes later than each of the times.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
        times : array-like of shape (n_times,), optional
        return_array : bool, default=False
            Whether to use ``unique_times_`` if no times are given, as in scikit-survival.

        Returns
        -------
        ndarray of shape (n_samples, n_times), or of functions
            Without times, a :class:`SurvivalFunction` for each row.
        """
        Z = self._validated(X)
        if times is None and not return_array:
            curve = partial(SurvivalFunction, x=self.unique_times_, head=self.model_.numbers)
            rows = zip(*self.model_.on_scale(Z), strict=True)
            curves: Any = [curve(mean=mean, deviation=deviation) for mean, deviation in rows]
            return np.array(curves, dtype=object)
        return self.model_.survival(Z, checked_times(self.unique_times_ if times is None else times))

    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[Array, Array]:
        """Return lower and upper ends of intervals in which the event comes with the probability ``coverage``."""
        return self.model_.intervals(self._validated(X), coverage)

    def score(self, X: Any, y: Any, event: Any = None) -> float:
        """Return Harrell's concordance of the risks: the share of pairs of rows in the right order.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
        y, event
            As in :meth:`fit`.
        """
        return concordance(*as_survival(y, event), self.predict(X))[0]
