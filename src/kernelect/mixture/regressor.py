"""The one door for numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.utils import check_array, check_consistent_length

from kernelect.estimators import ReadsNumbers, RegressorMixin, encode_groups, known_limits, lazily, require_size
from kernelect.exceptions import InvalidArgument
from kernelect.inputs import Wishes
from kernelect.mixture._door import Door
from kernelect.mixture.base import LIMITS, MixtureTask
from kernelect.mixture.folds import folds_of
from kernelect.mixture.heads import limits_of, number_head, number_shares, with_deviations
from kernelect.mixture.partly import (
    bounds,
    known,
    log_likelihood,
    partly_head,
    partly_shares,
    stand_ins,
)
from kernelect.mixture.rows import MixtureRows, checked_weights, rows_in_memory
from kernelect.mixture.scales import choose_scale, choose_scale_of_limits, find_spread, with_unseen
from kernelect.model import Component, Jackknife, LatentSpread, NumberHead, TargetScale
from kernelect.model.scales import BEYOND
from kernelect.numerics import Deadline
from kernelect.typing import Array


@dataclass(eq=False, repr=False, kw_only=True)
class KernelRegressor(RegressorMixin, ReadsNumbers, Door):
    """A regressor for tables as they come: several kernel machines, mixed by exact leave-one-out.

    Works like :class:`KernelClassifier`, for one or several real targets.

    Parameters
    ----------
    effort : "fast", "balanced", "best" or a list of candidates, default="balanced"
        As for :class:`KernelClassifier`.
    target : "auto", "identity", "log", "sqrt" or "count", default="auto"
        Scale on which the target is modelled. ``"auto"`` takes the logarithm of a positive, skewed target if that
        explains it better by five nats or more in leave-one-out. ``"count"`` is for whole numbers from 0: it takes
        their square root or the logarithm of one more, whichever explains them better. Predictions are means on the
        target's own scale, and intervals never leave its range.

        On any scale, no candidate predicts further beyond the targets seen than half their range, because one wild
        row of inputs would send some kernels far away. There is one exception: on the target's own scale, if a
        straight line predicts rows left out well and the mixture not much better, predictions follow the line
        beyond that limit. Explanations describe what candidates predict before that limit.
    columns, time_limit, random_state, n_jobs, verbose
        As for :class:`KernelClassifier`.

    Attributes
    ----------
    candidates_ : CandidateTable
        View, kernel, machine, leave-one-out squared error over the target's variance with standard
        error, weight, seconds and status of every candidate.
    loo_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_targets)
        Leave-one-out predictions of the mixture.
    target_scale_ : TargetScale
        The scale that was chosen, by ``name``.
    loo_rows_ : ndarray or None
        Numbers of the rows that ``loo_prediction_`` covers, if a Dask collection has more than 100 000 rows; None if it
        covers all.
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

    target: str = "auto"

    _labels = False

    @property
    def loss_name(self) -> str:  # type: ignore[override]
        """What the score of candidates is called."""
        return "minus log-likelihood" if self._partly else "unexplained variance"

    @property
    def loo_prediction_(self) -> Array:
        """Leave-one-out predictions of the training rows."""
        head = self.model_.numbers
        outputs = len(self.model_.components[0].constant)  # deviations stand beside what is known in part
        return head.shaped(head.scale.mean(self._training.left_out[:, :outputs]))

    @property
    def target_scale_(self) -> TargetScale:
        """The scale that was chosen, by ``name``."""
        return self.model_.numbers.scale

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Fit the candidates and weight them.

        Parameters
        ----------
        X : array-like, DataFrame or Dask collection of shape (n_samples, n_features)
            The rows of a Dask array or DataFrame stay where they are (docs/guide/large.md).
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Or one target that is known in part: a pair of arrays, lower and upper limits (equal for a number, infinite
            if a limit is not known), or texts such as ``"0.7"``, ``"<0.5"`` and ``">100"``. Gaussian processes then
            take limits for what they say. Other candidates get what the first of them expects of such a row.
        sample_weight : array-like of shape (n_samples,), optional
        groups : array-like of shape (n_samples,), optional
            Rows with the same label, such as the visits of one patient, are left out together: in every selection,
            ``loo_prediction_``, the weights of candidates and intervals.
        """
        return self._fit_anew(X, y, sample_weight, groups)

    def _rows(self, X: Any, y: Any, sample_weight: Any, groups: Any, wishes: Wishes) -> MixtureRows:
        frame = self._frame(X, reset=True)
        if y is None:
            raise InvalidArgument("requires y to be passed, but the target y is None: give one number per row.")
        weights, limits = checked_weights(sample_weight, len(frame)), known_limits(y)
        groups = encode_groups(groups, weights > 0)
        if limits is not None and not np.array_equal(limits[:, 0], limits[:, 1]):
            check_consistent_length(frame.columns[0], limits)
            require_size(stand_ins(limits)[:, None])
            self._partly = LIMITS
            return rows_in_memory(frame, limits, weights, groups, wishes)
        y = check_array(y if limits is None else limits[:, 0], ensure_2d=False, dtype=np.float64, input_name="y")
        check_consistent_length(frame.columns[0], y)
        require_size(y)
        return rows_in_memory(frame, y, weights, groups, wishes)

    def _on_scale(self, task: MixtureTask, deadline: Deadline) -> MixtureTask:
        if task.partly:
            finite = np.isfinite(task.y)
            scale = choose_scale_of_limits(self.target, task, deadline)
            y = task.y.copy()
            y[finite] = scale.forward(task.y[finite])
            return replace(task, y=y, scale=scale, limits=bounds(y[finite & (task.weights > 0)[:, None]]))
        scale = choose_scale(self.target, task, deadline)
        kept, y = task.weights > 0, np.array(task.y)
        y[~kept] = y[kept][0]  # the scale may have no value for what stands there
        y = scale.forward(y)
        return replace(task, y=y, scale=scale, limits=limits_of(y.reshape(len(y), -1)[kept], BEYOND))

    def _head(self, task: MixtureTask, deadline: Deadline) -> tuple[NumberHead, Array]:
        components = [member.component for member in self._members]
        if task.partly:
            head = NumberHead(weights=np.ones(1), scale=task.scale, limits=task.limits)
            own = [isinstance(component.spread, LatentSpread) for component in components]
            head, _, left_out = partly_head(components, task.y, task.weights, head, skewed=False, own=own)
            size = np.average(left_out[:, 1] ** 2, weights=task.weights)
            head = with_unseen(replace(head, scale=task.scale.spreading(float(size))), task, deadline)
            left_out[:, 1:] = head.widened(left_out[:, :1], left_out[:, 1:])
            return head, left_out
        targets = task.y.reshape(len(task.y), -1)
        single, kept = task.y.ndim == 1, task.weights > 0
        assert task.limits is not None
        options: dict[str, Any] = {"scale": task.scale, "limits": task.limits, "single": single}
        head, left_out = number_head(components, targets, task.weights, **options, folds=folds_of(task, self._origin))
        if not single or deadline.passed:
            return head, left_out
        residuals = targets - left_out
        noise = find_spread(task, residuals[:, 0], deadline)
        # Intervals of machines on landmarks are made of other rows.
        exact = all(isinstance(c.spread, Jackknife) and len(c.spread.rows) == kept.sum() for c in components)
        exact = exact and noise is not None
        return (with_deviations(head, components, targets, left_out, task.weights, noise) if exact else head), left_out

    def _shares(self, components: Sequence[Component], task: MixtureTask) -> Array:
        if self._partly:
            return partly_shares(components, task.y, task.weights)
        return number_shares(components, task.y.reshape(len(task.y), -1), task.weights)

    def _said(self, component: Component) -> Array:
        return known(component) if self._partly else super()._said(component)

    def _scores(self, left_out: Array, y: Any) -> Array:
        if self._partly:
            return -log_likelihood(y, left_out)
        targets = y.reshape(len(y), -1)
        variance = targets.var(axis=0)
        return np.mean((targets - left_out) ** 2 / np.where(variance > 0, variance, 1.0), axis=1)

    def _loss_in_words(self, loss: float) -> str:
        return super()._loss_in_words(loss) if self._partly else f"R² {1.0 - loss:.3f}"

    def _targets_of(self, y: Any) -> Any:
        if self._partly:
            assert self.model_.training is not None
            return self.model_.training.targets
        return self.target_scale_.forward(y)

    def _values(self, answers: Array) -> Array:
        return self.model_.numbers.within(answers)

    @property
    def spread_differs(self) -> bool:
        """Whether deviations and intervals follow a spread that differs between rows."""
        return self.model_.numbers.noise is not None

    def spread_range(self) -> float:
        """Return the ratio of the spread at its 95th percentile to that at its fifth."""
        low, high = np.quantile(self.model_.noise_behind(), [0.05, 0.95]) if self.spread_differs else (1.0, 1.0)
        return float(high / low)

    @lazily("numbers", pair_if="return_std")
    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Array | tuple[Array, Array]:
        """Return predictions; with ``return_std``, also return the standard deviation of a new observation.

        The variance adds up the candidates' own variance and their disagreement. It is scaled so that the mixture's
        leave-one-out residuals have the variance it claims, and it is larger where these residuals are larger. A
        mixture has no covariances.
        """
        return super().predict(X, return_std, return_cov)

    @lazily("numbers", pair=True)
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
        return self.model_.intervals(self._validated(X), coverage)
