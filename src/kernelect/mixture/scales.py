"""On which scale a target is modelled, and where its spread is larger: both chosen by leave-one-out.

Least squares takes it that targets scatter alike around every prediction. Prices, durations and counts do not: they
are positive, skewed, and scatter more where they are larger. On the scale of their logarithm or square root they often
do. Leave-one-out tells: the likelihood of the targets themselves is that on the scale times its derivative (Box & Cox
1964), and the scale with the largest one is taken.

Notation: t the scale, f a prediction on it, r leave-one-out residuals on it, s(x) what residuals at x are like.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument, unknown_name
from kernelect.mixture.candidates import AS_IS, LSSVM, Candidate
from kernelect.mixture.members import Member, Task
from kernelect.numerics import NEVER, Deadline, hashed_order, spaced
from kernelect.registry import stored
from kernelect.typing import Array, Indices

#: What a target is modelled by, as sentences say it.
WORDS = {"log": "its logarithm", "log1p": "the logarithm of one more", "sqrt": "its square root"}

#: What a user may ask for.
TARGETS = ("auto", "identity", "log", "sqrt", "count")

#: Rows on which scales are tried, and a model of the spread is fitted.
_ROWS = 500

#: Fewer rows do not tell one scale from another.
_LEAST_ROWS = 30

#: Skewness of the targets below which no other scale is tried.
_SKEWED = 0.7

#: Nats by which another scale, or a spread that differs, has to explain the targets better.
_MARGIN = 5.0

#: A scale that explains the targets better is not taken where it predicts them worse by this factor: what comes back
#: from the logarithm of a prediction that is too large is far too large.
_WORSE = 1.05

#: Ratio of large to small spreads (95 % and 5 % quantile) below which intervals are of one width.
_MARKED = 1.5

#: What makes the variance of the square root of a count the same for all means (Anscombe 1948).
ANSCOMBE = 0.375

#: Predictions go no further beyond the targets than this share of their range.
BEYOND = 0.5

#: Residuals beyond these quantiles do not enter the mean on the scale of the targets.
_TRIMMED = (0.005, 0.995)

#: Residuals are taken no smaller than this share of their median where their logarithm is needed.
_FLOOR = 0.01

#: Share of the time that is left for each scale that is tried.
_TIME = 0.05

#: One machine that is fitted fast: one width for all inputs.
_QUICK = Candidate(view=AS_IS, kernel="ard", machine=LSSVM, tied=True)


@stored
@dataclass(frozen=True, kw_only=True)
class TargetScale:
    """A monotone function of the target, its inverse, and means on the target's own scale.

    Attributes
    ----------
    name : "identity", "log", "sqrt" or "log1p"
    low, high : float
        Between these lie predictions on the scale.
    factor, shift, extra : float
        The mean of the target at f is factor e^f, or (f + shift)^2 + extra: what residuals on the scale add to it.
    bounded : bool
        Whether the target cannot be negative.
    """

    name: str = "identity"
    low: float = 0.0
    high: float = 0.0
    factor: float = 1.0
    shift: float = 0.0
    extra: float = 0.0
    bounded: bool = False

    @classmethod
    def of(cls, name: str, y: Array, *, bounded: bool) -> TargetScale:
        """Return the scale for these targets."""
        if name == "identity":
            return cls(bounded=bounded)
        values = _FORWARD[name](y)
        room = BEYOND * float(values.max() - values.min())
        # Upwards as on the target's own scale: half the range of logarithms would be a factor of hundreds.
        most = _FORWARD[name](np.asarray(y.max() + BEYOND * (y.max() - y.min())))
        return cls(name=name, low=float(values.min()) - room, high=float(most), bounded=bounded)

    @property
    def is_identity(self) -> bool:
        """Whether targets are modelled as they are."""
        return self.name == "identity"

    def forward(self, y: Array) -> Array:
        """Return targets on the scale."""
        return _FORWARD[self.name](y)

    def backward(self, f: Array) -> Array:
        """Return the targets that have these values on the scale, such as the ends of an interval."""
        found = f if self.is_identity else _BACKWARD[self.name](np.clip(f, self.low, self.high))
        return np.maximum(found, 0.0) if self.bounded else found

    def mean(self, f: Array) -> Array:
        """Return the mean of targets whose predictions on the scale are ``f``."""
        if self.is_identity:
            return np.maximum(f, 0.0) if self.bounded else f
        f = np.clip(f, self.low, self.high)
        if self.name == "sqrt":
            found = np.maximum(f + self.shift, 0.0) ** 2 + self.extra - ANSCOMBE
        else:
            found = self.factor * np.exp(f) - (1.0 if self.name == "log1p" else 0.0)
        return np.maximum(found, 0.0) if self.bounded else found

    def deviation(self, f: Array, s: Array) -> Array:
        """Return the standard deviation of targets with the deviation ``s`` around ``f`` on the scale."""
        if self.is_identity:
            return s
        f = np.clip(f, self.low, self.high)
        if self.name == "sqrt":
            return np.sqrt(4.0 * np.maximum(f, 0.0) ** 2 * s**2 + 2.0 * s**4)
        s = np.minimum(s, self.high - self.low)
        return np.exp(f + 0.5 * s**2) * np.sqrt(np.expm1(s**2))

    def calibrated(self, residuals: Array, weights: Array) -> TargetScale:
        """Return the scale whose means hold for such residuals (Duan's smearing, without the farthest ones)."""
        if self.is_identity:
            return self
        r = np.clip(residuals, *np.quantile(residuals, _TRIMMED))
        mean = float(np.average(r, weights=weights))
        spread = float(np.average((r - mean) ** 2, weights=weights))
        return replace(self, factor=float(np.average(np.exp(r), weights=weights)), shift=mean, extra=spread)


def _shifted_root(y: Array) -> Array:
    return np.sqrt(y + ANSCOMBE)


_FORWARD: dict[str, Callable[[Array], Array]] = {
    "identity": lambda y: y,
    "log": np.log,
    "log1p": np.log1p,
    "sqrt": _shifted_root,
}

_BACKWARD: dict[str, Callable[[Array], Array]] = {
    "log": np.exp,
    "log1p": np.expm1,
    "sqrt": lambda f: np.maximum(f, 0.0) ** 2 - ANSCOMBE,
}

#: Logarithm of the derivative of each scale.
_LOG_SLOPE: dict[str, Callable[[Array], Array]] = {
    "identity": np.zeros_like,
    "log": lambda y: -np.log(y),
    "log1p": lambda y: -np.log1p(y),
    "sqrt": lambda y: -0.5 * np.log(4.0 * (y + ANSCOMBE)),
}


def choose_scale(target: object, task: Task, deadline: Deadline = NEVER) -> TargetScale:
    """Return the scale that a user asks for, or the one on which leave-one-out explains the targets best.

    Parameters
    ----------
    target : str
        One of :data:`TARGETS`.
    task : Task
        With the targets as they are.
    deadline : Deadline
        A tenth of the time that is left goes to the choice, none where it has passed.
    """
    if not isinstance(target, str) or target not in TARGETS:
        raise unknown_name("target", target, list(TARGETS))
    y = np.asarray(task.y, dtype=float)[task.weights > 0]
    names = _candidates(target, y)
    bounded = target == "count"
    if len(names) == 1 or deadline.passed:
        return TargetScale.of(names[0], y, bounded=bounded)
    part = _on_rows(task, _some_rows(task))
    found = {name: _tried(name, part, deadline.part(_TIME)) for name in names}
    usual = found[names[0]]
    best = max(found, key=lambda name: found[name].nats - (0.0 if name == names[0] else _MARGIN))
    if found[best].error > _WORSE * usual.error:
        best = names[0]
    return TargetScale.of(best, y, bounded=bounded)


def _candidates(target: str, y: Array) -> tuple[str, ...]:
    """Return the scales to try, the first being taken unless another one is clearly better."""
    if target == "count":
        _require(y.ndim == 1 and not np.any(y % 1) and y.min() >= 0.0, target, "whole numbers of at least 0")
        return ("sqrt", "log1p")
    if target != "auto":
        _require(target == "identity" or y.ndim == 1, target, "one target")
        _require(target != "log" or y.min() > 0.0, target, "positive numbers")
        _require(target != "sqrt" or y.min() >= 0.0, target, "numbers of at least 0")
        return (target,)
    skewed = y.ndim == 1 and len(y) >= _LEAST_ROWS and y.min() > 0.0 and _skewness(y) > _SKEWED
    return ("identity", "log") if skewed else ("identity",)


def _skewness(y: Array) -> float:
    """Return the third standardised moment of positive numbers, 0 where they are equal up to rounding."""
    shares = y / y.max()
    apart = shares - shares.mean()
    spread = float(np.sqrt(np.mean(apart**2)))
    return float(np.mean((apart / spread) ** 3)) if spread > 1e-13 else 0.0


def _require(fits: bool | np.bool_, target: str, what: str) -> None:
    if not fits:
        raise InvalidArgument(f"target={target!r} is for {what}: check y, or use target='auto'.")


def _some_rows(task: Task) -> Indices:
    """Return the numbers of some rows of positive weight, the same rows whatever their order is."""
    return spaced(hashed_order(np.asarray(task.y, dtype=float).reshape(len(task.y), -1), task.weights > 0), _ROWS)


def _on_rows(task: Task, rows: Indices) -> Task:
    """Return the task of some of its rows."""
    groups = None if task.groups is None else task.groups[rows]
    if groups is not None and len(np.unique(groups)) < 2:
        groups = None
    return replace(task, Z=task.Z[rows], y=task.y[rows], weights=task.weights[rows], groups=groups)


@dataclass(frozen=True, kw_only=True)
class _Tried:
    """How a scale did: likelihood of the targets in nats, and mean absolute error on their own scale."""

    nats: float
    error: float


def _tried(name: str, task: Task, deadline: Deadline) -> _Tried:
    """Return how well leave-one-out explains targets by normal residuals on a scale, and how well it predicts them."""
    y = np.asarray(task.y, dtype=float)
    values = _FORWARD[name](y)
    left_out = quickly(replace(task, y=values), deadline).left_out[:, 0]
    weights = task.weights / task.weights.mean()
    mean = max(float(np.average((values - left_out) ** 2, weights=weights)), np.finfo(float).tiny)
    scale = TargetScale.of(name, y, bounded=False)
    scale = scale if scale.is_identity else scale.calibrated(values - left_out, task.weights)
    return _Tried(
        nats=float(-0.5 * len(y) * np.log(mean) + np.sum(weights * _LOG_SLOPE[name](y))),
        error=float(np.average(np.abs(y - scale.mean(left_out)), weights=weights)),
    )


def quickly(task: Task, deadline: Deadline) -> Member:
    """Return a machine with one width, fitted to a task."""
    return task.fit(_QUICK, task.lead(_QUICK, np.zeros(0)), deadline)


@stored
@dataclass(frozen=True, kw_only=True)
class SpreadModel:
    """What residuals at a row are like: a machine of the logarithms of leave-one-out residuals.

    Attributes
    ----------
    estimator : LSSVR
        Of ln |r|, on inputs as they are.
    low, high : float
        Between these lie its predictions.
    usual : float
        Root mean square of s over the training rows, in whose unit spreads are given.
    """

    estimator: Any
    low: float
    high: float
    usual: float = 1.0

    def __call__(self, Z: Array) -> Array:
        """Return spreads (m,) in units of the usual one."""
        logs = np.asarray(self.estimator.predict(Z), dtype=float).reshape(len(Z))
        return np.exp(np.clip(logs, self.low, self.high)) / self.usual


def find_spread(task: Task, residuals: Array, deadline: Deadline = NEVER) -> tuple[SpreadModel, Array] | None:
    """Return a model of the spread where residuals differ in size by more than chance, None elsewhere.

    Beside it stands the spread (n,) at every row as the model says it without that row: with it,
    large residuals would be explained by themselves, and intervals made of them would be too short.

    Parameters
    ----------
    task : Task
        What the machines were fitted on.
    residuals : ndarray of shape (n,)
        Leave-one-out residuals on the scale of the targets' model.
    deadline : Deadline
    """
    kept = task.weights > 0
    size = float(np.median(np.abs(residuals[kept])))
    if kept.sum() < 2 * _LEAST_ROWS or not size > 0.0:
        return None
    logs = np.log(np.maximum(np.abs(residuals), _FLOOR * size))
    rows = _some_rows(task)
    member = quickly(_on_rows(replace(task, y=logs), rows), deadline)
    said, r = member.left_out[:, 0], residuals[rows]
    low, high = np.quantile(said, [0.02, 0.98])
    s = np.exp(np.clip(said, low, high))
    gain = -float(np.sum(np.log(s))) - 0.5 * len(r) * float(np.log(np.mean((r / s) ** 2) / np.mean(r**2)))
    if gain < _MARGIN or np.quantile(s, 0.95) < _MARKED * np.quantile(s, 0.05):
        return None
    model = SpreadModel(estimator=member.estimator, low=float(low), high=float(high))
    at_rows = model(task.Z)
    at_rows[rows] = s
    usual = float(np.sqrt(np.mean(at_rows[kept] ** 2)))
    return replace(model, usual=usual), at_rows / usual
