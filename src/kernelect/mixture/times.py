"""On which scale times until an event are modelled.

Kaplan and Meier's estimate for all rows gives every time its normal score; between a few quantiles of the events the
scale is linear in the logarithm of the time. So noise is about normal, whatever the law of the times is, and the scale
is that of logarithms if events are few. As in Cox regression, nothing else depends on how times are measured.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import ndtri

from kernelect.exceptions import InvalidArgument
from kernelect.model import NumberHead, TimeScale
from kernelect.typing import Array, Mask

#: Events for each knot, the fewest knots and the most.
_EVENTS, _FEWEST, _MOST = 10, 2, 9

#: Knots are at least this far apart, in logarithms of times and in normal scores.
_APART = 1e-3

#: Slopes differ from that of the whole scale by this factor at most: many events at one time say little of the next.
_STEEPEST = 8.0


def time_scale(time: Array, event: Mask, weights: Array) -> TimeScale:
    """Return the scale of times (n,), which are positive if there was an event."""
    moments = np.unique(time[event & (time > 0.0)])
    deaths = np.array([weights[event & (time == each)].sum() for each in moments])
    there = np.array([weights[time >= each].sum() for each in moments])
    alive = np.cumprod(1.0 - deaths / np.maximum(there, deaths))
    middle = 0.5 * (np.append(1.0, alive[:-1]) + alive)
    least = 0.5 / len(time)
    logs, scores = np.log(moments), -ndtri(np.clip(middle, least, 1.0 - least))
    count = int(np.clip(event.sum() // _EVENTS, _FEWEST, _MOST))
    chosen = [0]
    for place in np.unique(np.linspace(0, len(moments) - 1, count).astype(int))[1:]:
        if min(logs[place] - logs[chosen[-1]], scores[place] - scores[chosen[-1]]) > _APART:
            chosen.append(int(place))
    if len(chosen) < _FEWEST:
        return TimeScale(knots=logs[0] + np.array([0.0, 1.0]), heights=np.array([0.0, 1.0]))
    knots, rises = logs[chosen], np.diff(scores[chosen])
    whole = rises.sum() / (knots[-1] - knots[0])
    slopes = np.clip(rises / np.diff(knots), whole / _STEEPEST, whole * _STEEPEST)
    return TimeScale(knots=knots, heights=scores[0] + np.append(0.0, np.cumsum(slopes * np.diff(knots))))


def checked_times(times: Any) -> Array:
    """Return times (n_times,) at which survival is asked for."""
    at = np.atleast_1d(np.asarray(times, dtype=float))
    if at.ndim != 1 or not np.all(at >= 0.0):
        raise InvalidArgument(f"times={times!r} must be a list of numbers of at least 0.")
    return at


@dataclass(frozen=True, eq=False, kw_only=True)
class SurvivalFunction:
    """The probability that the event of one row comes later than a time; called with one time or with several.

    Attributes
    ----------
    x, y : ndarray of shape (n_times,)
        Times of the events that the model has seen, and the probabilities there.
    head, mean, deviation
        The model's scale of times, and the row's place on it.
    """

    x: Array
    head: NumberHead = field(repr=False)
    mean: Array = field(repr=False)  # (1,), on the scale of the times, as the deviation
    deviation: Array = field(repr=False)

    @property
    def y(self) -> Array:
        """The probabilities at ``x``."""
        return self._at(self.x)

    def __call__(self, times: Any) -> Any:
        """Return a probability for each time, as a number if there is one."""
        found = self._at(checked_times(times))
        return float(found[0]) if np.ndim(times) == 0 else found

    def _at(self, times: Array) -> Array:
        found: Array = self.head.survival(self.mean[None], self.deviation[None], self.head.scale.forward(times))[0]
        return found
