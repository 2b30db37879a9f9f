"""On which scale a target is modelled, and where its spread is larger: both chosen by leave-one-out.

Least squares assumes that targets scatter alike around every prediction. Prices, durations and counts do not: they
are positive, skewed, and scatter more where they are larger. On the scale of their logarithm or square root they often
do. Leave-one-out tells: the likelihood of the targets themselves is that on the scale times its derivative (Box & Cox
1964), and the scale with the largest one is taken.

Notation: t the scale, f a prediction on it, r leave-one-out residuals on it, s(x) what residuals at x are like.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize_scalar

from kernelect.exceptions import InvalidArgument, unknown_name
from kernelect.mixture.base import LIMITS, Member, MixtureTask
from kernelect.mixture.gaussian_processes import GaussianProcess
from kernelect.mixture.kernel_machines import KernelMachine
from kernelect.mixture.partly import hidden_sides, known, log_likelihood, noise_around, stand_ins
from kernelect.model import NoiseModel, NumberHead
from kernelect.model.scales import ANSCOMBE, TargetScale
from kernelect.numerics import NEVER, Deadline, hashed_order, spaced
from kernelect.typing import Array, Indices

#: What a target is modelled by, as sentences write it.
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

#: A scale that explains the targets better is not taken if it predicts them worse by this factor: what comes back
#: from the logarithm of a prediction that is too large is far too large.
_WORSE = 1.05

#: Nor if its mean absolute and root mean squared error are larger by this factor in their product. Few large errors
#: decide the latter: by itself it would refuse true logarithms with much noise.
_BOTH_WORSE = 1.25

#: Ratio of large to small spreads (95 % and 5 % quantile) below which intervals are of one width.
_MARKED = 1.5

#: Residuals are taken no smaller than this share of their median if their logarithm is needed.
_FLOOR = 0.01

#: Share of the time that is left for each scale that is tried.
_TIME = 0.05

#: Share of the numbers that are hidden at most to see how well a model goes on below a limit; deviation of a normal
#: prior of the logarithm of the factor by which it is less sure there; the largest factor, and the least that counts.
_MOST_HIDDEN, _USUAL_UNSEEN, _MOST_UNSEEN, _MARKED_UNSEEN = 0.5, 0.5, 10.0, 1.01

#: One machine that is fitted fast: one width for all inputs. Limits need one that takes them for what they say.
_QUICK = KernelMachine(tied=True)
_QUICK_OF_LIMITS = GaussianProcess(tied=True, where=(LIMITS,))


#: Logarithm of the derivative of each scale.
_LOG_SLOPE: dict[str, Callable[[Array], Array]] = {
    "identity": np.zeros_like,
    "log": lambda y: -np.log(y),
    "log1p": lambda y: -np.log1p(y),
    "sqrt": lambda y: -0.5 * np.log(4.0 * (y + ANSCOMBE)),
}


def choose_scale(target: object, task: MixtureTask, deadline: Deadline = NEVER) -> TargetScale:
    """Return the scale that a user asks for, or the one on which leave-one-out explains the targets best.

    Parameters
    ----------
    target : str
        One of :data:`TARGETS`.
    task : MixtureTask
        With the targets as they are.
    deadline : Deadline
        A tenth of the time that is left goes to the choice, none if it has passed.
    """
    if not isinstance(target, str) or target not in TARGETS:
        raise unknown_name("target", target, list(TARGETS))
    y = np.asarray(task.y, dtype=float)[task.weights > 0]
    names = _candidates(target, y)
    bounded = target == "count"
    if len(names) == 1 or deadline.passed:
        return TargetScale.of(names[0], y, bounded=bounded)
    part = task.on_rows(_some_rows(task))
    found = {name: _tried(name, part, deadline.part(_TIME)) for name in names}
    usual = found[names[0]]
    best = max(found, key=lambda name: found[name].nats - (0.0 if name == names[0] else _MARGIN))
    if found[best].is_worse(usual):
        best = names[0]
    return TargetScale.of(best, y, bounded=bounded)


def choose_scale_of_limits(target: object, task: MixtureTask, deadline: Deadline = NEVER) -> TargetScale:
    """Return the scale of targets that are limits in part; arguments as in :func:`choose_scale`.

    What limits say is counted by its probability. Limits in the place of numbers would pile up at one end, which looks
    like skewness: logarithms were then taken of targets without any, and intervals held 57 % of the rows where they
    should hold 90 %.
    """
    if not isinstance(target, str) or target not in TARGETS:
        raise unknown_name("target", target, list(TARGETS))
    y = stand_ins(task.y)[task.weights > 0]
    names, bounded, hidden = _candidates(target, y), target == "count", hidden_sides(task.y[task.weights > 0])
    if len(names) == 1 or deadline.passed:
        return TargetScale.of(names[0], y, bounded=bounded, hidden=hidden)
    part = task.on_rows(_some_rows(task))
    nats = {name: _nats_of_limits(name, part, deadline.part(_TIME)) for name in names}
    best = max(nats, key=lambda name: nats[name] - (0.0 if name == names[0] else _MARGIN))
    return TargetScale.of(best, y, bounded=bounded, hidden=hidden)


def _nats_of_limits(name: str, part: MixtureTask, deadline: Deadline) -> float:
    """Return the log-likelihood of what is known of rows left out, by a machine that works on a scale."""
    scale, limits = TargetScale.of(name, stand_ins(part.y), bounded=False), part.y.copy()
    finite, number = np.isfinite(limits), limits[:, 0] == limits[:, 1]
    limits[finite] = scale.forward(limits[finite])
    member = _QUICK_OF_LIMITS.fit(replace(part, y=limits, deadline=deadline))
    nats = log_likelihood(limits, known(member.component))
    nats[number] += _LOG_SLOPE[name](part.y[number, 0])
    return float(part.weights @ nats)


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
    """Return the third standardised moment of positive numbers, 0 if they are equal up to rounding."""
    shares = y / y.max()
    apart = shares - shares.mean()
    spread = float(np.sqrt(np.mean(apart**2)))
    return float(np.mean((apart / spread) ** 3)) if spread > 1e-13 else 0.0


def _require(fits: bool | np.bool_, target: str, what: str) -> None:
    if not fits:
        raise InvalidArgument(f"target={target!r} is for {what}: check y, or use target='auto'.")


def _some_rows(task: MixtureTask) -> Indices:
    """Return the numbers of some rows of positive weight, the same rows whatever their order is."""
    return spaced(hashed_order(np.asarray(task.y, dtype=float).reshape(len(task.y), -1), task.weights > 0), _ROWS)


@dataclass(frozen=True, kw_only=True)
class _Tried:
    """How a scale did: likelihood of the targets in nats, mean absolute and root mean squared error in their unit."""

    nats: float
    error: float
    root_square: float

    def is_worse(self, usual: _Tried) -> bool:
        """Return whether it predicts worse than the usual scale: on the whole, or by few errors that are far larger."""
        whole, squares = self.error / usual.error, self.root_square / usual.root_square
        return whole > _WORSE or whole * squares > _BOTH_WORSE


def _tried(name: str, task: MixtureTask, deadline: Deadline) -> _Tried:
    """Return how well leave-one-out explains targets by normal residuals on a scale, and how well it predicts them."""
    y = np.asarray(task.y, dtype=float)
    values = TargetScale(name=name).forward(y)
    left_out = quickly(replace(task, y=values), deadline).left_out[:, 0]
    weights = task.weights / task.weights.mean()
    tiny = np.finfo(float).tiny
    mean = max(float(np.average((values - left_out) ** 2, weights=weights)), tiny)
    scale = TargetScale.of(name, y, bounded=False)
    scale = scale if scale.is_identity else scale.calibrated(values - left_out, task.weights)
    residuals = y - scale.mean(left_out)
    return _Tried(
        nats=float(-0.5 * len(y) * np.log(mean) + np.sum(weights * _LOG_SLOPE[name](y))),
        error=max(float(np.average(np.abs(residuals), weights=weights)), tiny),
        root_square=max(float(np.sqrt(np.average(residuals**2, weights=weights))), tiny),
    )


def quickly(task: MixtureTask, deadline: Deadline) -> Member:
    """Return a machine with one width, fitted to a task."""
    return _QUICK.fit(replace(task, deadline=deadline))


def find_spread(task: MixtureTask, residuals: Array, deadline: Deadline = NEVER) -> NoiseModel | None:
    """Return a model of the spread if residuals differ in size by more than chance, None elsewhere.

    Its ``rows`` are the spread at every row as the model predicts it without that row: with it,
    large residuals would be explained by themselves, and intervals made of them would be too short.

    Parameters
    ----------
    task : MixtureTask
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
    member = quickly(replace(task, y=logs).on_rows(rows), deadline)
    said, r = member.left_out[:, 0], residuals[rows]
    low, high = np.quantile(said, [0.02, 0.98])
    s = np.exp(np.clip(said, low, high))
    gain = -float(np.sum(np.log(s))) - 0.5 * len(r) * float(np.log(np.mean((r / s) ** 2) / np.mean(r**2)))
    if gain < _MARGIN or np.quantile(s, 0.95) < _MARKED * np.quantile(s, 0.05):
        return None
    model = NoiseModel(component=member.component.lean(), low=float(low), high=float(high))
    at_rows = model(task.Z)
    at_rows[rows, 0] = s
    usual = float(np.sqrt(np.mean(at_rows[kept] ** 2)))
    return replace(model, usual=usual, rows=at_rows / usual)


def with_unseen(head: NumberHead, task: MixtureTask, deadline: Deadline = NEVER) -> NumberHead:
    """Return the head with deviations that are larger where no number was seen.

    Nothing tells how a target goes on below a limit, but numbers tell how well this kind of model finds out: as large
    a share of them as is hidden is hidden too, and a machine that is fitted to what is left says what it expects there.
    The factor is the most likely one for the numbers, under a prior that it is 1.

    Parameters
    ----------
    head : NumberHead
    task : MixtureTask
        With limits on the scale.
    deadline : Deadline
    """
    part = task.on_rows(_some_rows(task))
    y, numbers, deadline = part.y, part.y[part.y[:, 0] == part.y[:, 1], 0], deadline.part(_TIME)
    sides = hidden_sides(y)
    if len(numbers) < _LEAST_ROWS or not sides.any() or deadline.passed:
        return head
    hidden = np.where(sides, np.mean(np.isinf(y) & np.isfinite(y[:, ::-1]), axis=0), 0.0)
    hidden *= min(1.0, _MOST_HIDDEN / hidden.sum())
    low, high = np.quantile(numbers, [hidden[0], 1.0 - hidden[1]])
    again = np.column_stack([np.where(y[:, 1] < low, -np.inf, y[:, 0]), np.where(y[:, 0] > high, np.inf, y[:, 1])])
    again = np.column_stack([np.minimum(again[:, 0], high), np.maximum(again[:, 1], low)])
    said = known(_QUICK_OF_LIMITS.fit(replace(part, y=again, deadline=deadline)).component)
    shift, factor, _ = noise_around(again, said, part.weights, skewed=False)
    mean, deviation = said[:, 0] + shift, factor * said[:, 1]
    hidden_below, hidden_above = sides

    def among(low: float, high: float, unseen: float) -> NumberHead:
        return replace(
            head, seen_from=low if hidden_below else None, seen_to=high if hidden_above else None, unseen=unseen
        )

    def loss(place: float) -> float:
        wider = among(float(low), float(high), float(np.exp(place))).widened(mean, deviation)
        likelihood = part.weights @ log_likelihood(y, np.column_stack([mean, wider]))
        return 0.5 * (place / _USUAL_UNSEEN) ** 2 - float(likelihood)

    unseen = float(np.exp(minimize_scalar(loss, bounds=(0.0, np.log(_MOST_UNSEEN)), method="bounded").x))
    return head if unseen < _MARKED_UNSEEN else among(float(numbers.min()), float(numbers.max()), unseen)
