"""The one door for numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_array, check_consistent_length

from kernelect.estimators import encode_groups, require_size
from kernelect.estimators._jackknife import check_coverage, jackknife_ends, jackknife_reach
from kernelect.exceptions import InvalidArgument
from kernelect.mixture._door import Door
from kernelect.mixture.members import Member, Task
from kernelect.mixture.scales import BEYOND, SpreadModel, TargetScale, choose_scale, find_spread
from kernelect.mixture.weights import residual_weights
from kernelect.numerics import Deadline
from kernelect.typing import Array

#: New rows whose intervals are found at a time.
_BLOCK = 500

#: What an end of an interval of counts may lie beyond a whole number: rounding is no further count.
WHOLE = 1e-9


class KernelRegressor(RegressorMixin, Door):
    """A regressor for tables as they come: several kernel machines, mixed by exact leave-one-out.

    Works like :class:`KernelClassifier`, for one or several real targets.

    Parameters
    ----------
    effort : "fast", "balanced" or "best", default="balanced"
        As for :class:`KernelClassifier`.
    target : "auto", "identity", "log", "sqrt" or "count", default="auto"
        Scale on which the target is modelled. ``"auto"`` takes the logarithm of a positive, skewed target if that
        explains it better by five nats or more in leave-one-out. ``"count"`` is for whole numbers from 0: it takes
        their square root or the logarithm of one more, whichever explains them better. Predictions are means on the
        target's own scale, and intervals never leave its range.

        On any scale, no candidate predicts further beyond the targets seen than half their range, because one wild
        row of inputs would send some kernels far away. Explanations describe what candidates predict before that
        limit.
    columns, time_limit, random_state, n_jobs, verbose
        As for :class:`KernelClassifier`.

    Attributes
    ----------
    candidates_ : Candidates
        View, kernel, machine, leave-one-out squared error over the target's variance with standard
        error, weight, seconds and status of every candidate.
    loo_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Leave-one-out predictions of the mixture.
    target_scale_ : TargetScale
        The scale that was chosen, by ``name``.
    feature_importances_ : ndarray of shape (n_features,)
        How much each column matters, summing to 1.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from kernelect import KernelRegressor
    >>> X, y = make_friedman1(150, noise=1.0, random_state=0)
    >>> model = KernelRegressor(effort="fast").fit(X, y)
    >>> lower, upper = model.predict_interval(X, coverage=0.9)
    >>> bool((lower < upper).all())
    True
    """

    _labels = False

    loo_prediction_: Array
    target_scale_: TargetScale
    _single: bool
    _limits: Array  # (2, k) lowest and highest value on the scale that a member may say
    _spread: Array
    _left_out: Array
    _noise: SpreadModel | None = None
    _noise_rows: Array | None = None  # (n, 1) the spread at the training rows, where each is left out

    def __init__(
        self,
        effort: str = "balanced",
        *,
        columns: Any = None,
        target: str = "auto",
        time_limit: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: Any = 0,
    ) -> None:
        self.effort = effort
        self.columns = columns
        self.target = target
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the candidates and weigh them.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), optional
        groups : array-like of shape (n_samples,), optional
            Rows with the same label, such as the visits of one patient, are left out together: in every selection,
            ``loo_prediction_``, the weights of candidates and intervals.
        """
        return self._fit_anew(X, y, sample_weight, groups)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        frame = self._frame(X, reset=True)
        if y is None:
            raise InvalidArgument("requires y to be passed, but the target y is None: give one number per row.")
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        check_consistent_length(frame.columns[0], y)
        require_size(y)
        self._single = y.ndim == 1
        weights = self._sample_weight(sample_weight, frame)
        self._fit_mixture(frame, y, weights, encode_groups(groups, weights > 0))

    def _on_scale(self, task: Task, deadline: Deadline) -> Task:
        self.target_scale_ = choose_scale(self.target, task, deadline)
        kept, y = task.weights > 0, np.array(task.y)
        y[~kept] = y[kept][0]  # the scale may have no value for what stands there
        return replace(task, y=self.target_scale_.forward(y))

    def _limited(self, members: list[Member], task: Task) -> list[Member]:
        seen = task.y.reshape(len(task.y), -1)[task.weights > 0]
        low, high = seen.min(axis=0), seen.max(axis=0)
        self._limits = np.array([low - BEYOND * (high - low), high + BEYOND * (high - low)])
        return [replace(member, left_out=self._within(member.left_out)) for member in members]

    def _within(self, values: Array) -> Array:
        return np.clip(values, *self._limits)

    def _learn(self, task: Task, deadline: Deadline) -> None:
        self._learn_left_out(task.y, task.weights)
        self._noise = self._noise_rows = None
        if self._single and not deadline.passed:
            found = find_spread(task, task.y - self._left_out[:, 0], deadline)
            if found is not None:
                self._follow_noise(task, *found)

    def _learn_left_out(self, targets: Array, weights: Array) -> None:
        """Set leave-one-out predictions and what they say of scale and spread; targets are on the scale."""
        kept = weights > 0
        self._left_out = self._mixed([member.left_out for member in self._members])
        if not self.target_scale_.is_identity:
            residuals = (targets - self._left_out[:, 0])[kept]
            self.target_scale_ = self.target_scale_.calibrated(residuals, weights[kept])
        self.loo_prediction_ = self._shaped(self.target_scale_.mean(self._left_out))
        self._spread = self._calibrated_spread(targets, weights)

    def _follow_noise(self, task: Task, noise: SpreadModel, at_rows: Array) -> None:
        """Keep the spread at the rows that intervals are made of, and deviations that are right with it."""
        kept = task.weights > 0
        exact = [member for member in self._members if len(member.estimator._jackknife_residuals) == kept.sum()]
        if len(exact) < len(self._members):  # machines on landmarks, whose intervals are made of other rows
            return
        self._noise, self._noise_rows = noise, at_rows[:, None]
        self._spread_in_units((task.y - self._left_out[:, 0])[kept], at_rows[kept])

    def _spread_in_units(self, residuals: Array, noise: Array) -> None:
        """Let deviations be in units of the spread ``noise`` (n,) at rows which have these residuals (n,)."""
        ratio, plain = (residuals / noise) ** 2, residuals**2
        self._spread = self._spread * np.sqrt(ratio.mean() / plain.mean())

    def _weigh(self, y: Any, weights: Array) -> Array:
        targets, kept = y.reshape(len(y), -1), weights > 0
        scale = targets[kept].std(axis=0)
        scale[scale == 0.0] = 1.0
        residuals = np.stack([(targets - member.left_out) / scale for member in self._members], axis=-1)
        return residual_weights(residuals[kept], weights[kept], self._fitted_parameters())

    def _scores(self, left_out: Array, y: Any) -> Array:
        targets = y.reshape(len(y), -1)
        variance = targets.var(axis=0)
        return np.mean((targets - left_out) ** 2 / np.where(variance > 0, variance, 1.0), axis=1)

    def _left_out_of(self, y: Any) -> tuple[Array, Any]:
        return self._left_out, self.target_scale_.forward(y)

    def _values(self, member: Member, V: Array) -> Array:
        said = np.asarray(member.estimator.predict(V), dtype=float).reshape(len(V), -1)
        return self._within(said)

    @property
    def spread_differs(self) -> bool:
        """Whether deviations and intervals follow a spread that differs between rows."""
        return self._noise is not None

    def spread_range(self) -> float:
        """Return the ratio of the spread at its 95th percentile to that at its fifth."""
        low, high = (1.0, 1.0) if self._noise is None else np.quantile(self._noise_behind(), [0.05, 0.95])
        return float(high / low)

    def _shaped(self, values: Array) -> Array:
        """Return (m, k) values as ``y`` was given."""
        return values[:, 0] if self._single else values

    def predict(self, X: Any, return_std: bool = False) -> Array | tuple[Array, Array]:
        """Return predictions; with ``return_std``, also return the standard deviation of a new observation.

        The variance adds up the candidates' own variance and their disagreement. It is scaled so that the mixture's
        leave-one-out residuals have the variance it claims, and it is larger where these residuals are larger.
        """
        Z = self._coded(X)
        said = self._said(self._values, Z)
        mean = self._mixed(said)
        if not return_std:
            return self._shaped(self.target_scale_.mean(mean))
        # As predictions do, deviations stay within limits: off a grid of equal rows some kernels know nothing at all.
        most = 0.5 * (self._limits[1] - self._limits[0])
        within = [np.minimum(deviation, most) ** 2 for deviation in self._said(_deviation, Z)]
        variance = self._mixed([v + (value - mean) ** 2 for v, value in zip(within, said, strict=True)])
        deviation = self._spread * np.sqrt(variance)
        if self._noise is not None:
            deviation = deviation * self._noise(Z)[:, None]
        return self._shaped(self.target_scale_.mean(mean)), self._shaped(self.target_scale_.deviation(mean, deviation))

    def _calibrated_spread(self, y: Array, weights: Array) -> Array:
        """Return the factor (k,) by which deviations are scaled."""
        targets = y.reshape(len(y), -1)
        mean = self._left_out.reshape(targets.shape)
        kept = weights > 0
        variance = self._mixed(
            [m.estimator._left_out_variance() + (m.left_out - mean)[kept] ** 2 for m in self._members]
        )
        ratio = (targets - mean)[kept] ** 2 / np.maximum(variance, np.finfo(float).tiny)
        return np.sqrt(np.average(ratio, axis=0, weights=weights[kept]))

    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[Array, Array]:
        """Return lower and upper ends of prediction intervals by jackknife+ of the mixture, without refits.

        Parameters
        ----------
        X : array-like or DataFrame of shape (m, n_features)
        coverage : float in (0, 1)

        Returns
        -------
        lower, upper : ndarray of the shape of ``predict(X)``
        """
        check_coverage(coverage)
        Z = self._coded(X)
        residuals, blocks = self._interval_residuals(), []
        for first in range(0, len(Z), _BLOCK):  # of what n machines say of each row
            rows = Z[first : first + _BLOCK]
            without = self._said(lambda m, V: self._within(m.estimator._predicted_without(V)), rows)
            times = None if self._noise is None else self._noise(rows)[:, None]
            blocks.append(jackknife_ends(self._mixed(without), residuals, coverage, times))
        return self._on_target(*(np.concatenate(ends) for ends in zip(*blocks, strict=True)))

    def _interval_residuals(self) -> Array:
        """Return leave-one-out residuals (n, k) of the rows that intervals are made of, in units of the spread."""
        residuals = self._mixed([member.estimator._jackknife_residuals for member in self._members])
        return residuals if self._noise is None else residuals / self._noise_behind()

    def _noise_behind(self) -> Array:
        """Return the spread (n, 1) at the rows that intervals are made of."""
        assert self._noise_rows is not None
        return self._noise_rows[self._members[0].estimator._jackknife_rows]

    def _on_target(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        """Return ends of intervals (m, k) on the target's own scale, as ``y`` was given."""
        lower, upper = self.target_scale_.backward(lower), self.target_scale_.backward(upper)
        if self.target_scale_.bounded:  # counts are whole
            lower, upper = np.floor(lower + WHOLE), np.ceil(upper - WHOLE)
        return self._shaped(lower), self._shaped(upper)

    def _reach(self, coverage: float) -> Array:
        """Return how far (k,) from what is said of rows left out such a share of them lies, in units of the spread."""
        return jackknife_reach(self._interval_residuals(), coverage)

    def _left_out_ends(self, coverage: float) -> tuple[Array, Array]:
        """Return lower and upper ends around what is said of the training rows where they are left out."""
        reach = np.tile(self._reach(coverage), (len(self._left_out), 1))
        if self._noise is not None:
            reach[self._members[0].estimator._jackknife_rows] *= self._noise_behind()  # of rows of positive weight
        return self._on_target(self._left_out - reach, self._left_out + reach)


def _deviation(member: Member, V: Array) -> Array:
    _, deviation = member.estimator.predict(V, return_std=True)
    return np.asarray(deviation, dtype=float).reshape(len(V), -1)
