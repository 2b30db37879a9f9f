"""Survival times that were predicted for rows left out: how good they are, and what came of groups of the rows.

Notation: S_i(t) the probability with which the event of row i was said to come after t, G(t) the share of rows that
are still watched at t.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.facts.numbers import counted
from kernelect.facts.scores import RowLoss, Score
from kernelect.facts.stakes import CALIBRATION, CONCORDANCE, INTEGRATED_BRIER, UNO
from kernelect.numerics import brier_of_times, concordance, kaplan_meier, watched_share
from kernelect.typing import Array, Indices, Mask

#: Groups of equal size, the fewest rows of each, points of a curve, and times at which rows are counted.
_GROUPS, _LEAST_ROWS, _POINTS, _MARKS = ("expected early", "in between", "expected late"), 5, 100, 5

#: Times between which Brier scores are averaged, as quantiles of the times of events, and how many there are.
_ENDS, _STEPS = (0.1, 0.8), 20

#: Quantiles of the times of events at which survival is compared with what came of it; the second is the median.
_QUARTERS = (0.25, 0.5, 0.75)


@dataclass(frozen=True, eq=False, kw_only=True)
class Horizon:
    """The times at which survival functions are judged, and the rows that tell who is still watched then.

    Attributes
    ----------
    time : ndarray of shape (n,)
    event : ndarray of bool of shape (n,)
    grid : ndarray of shape (n_steps,)
        From the tenth to the eightieth percentile of the times of events.
    quarters : ndarray of shape (3,)
        Their quartiles.
    """

    time: Array
    event: Mask
    grid: Array
    quarters: Array

    @classmethod
    def of(cls, time: Any, event: Any) -> Horizon:
        """Return the horizon of rows."""
        time, event = np.asarray(time, dtype=float), np.asarray(event, dtype=bool)
        seen = time[event] if event.any() else time
        low, high = np.quantile(seen, _ENDS)
        quarters = np.quantile(seen, _QUARTERS, method="inverted_cdf")
        return cls(time=time, event=event, grid=np.linspace(low, high, _STEPS), quarters=quarters)

    def on(self, places: Indices) -> Horizon:
        """Return the horizon of some of the rows, with the same times."""
        return replace(self, time=self.time[places], event=self.event[places])

    @property
    def times(self) -> Array:
        """All times at which survival is asked for: grid, then quarters."""
        return np.append(self.grid, self.quarters)

    def of_quarters(self, survival: Array) -> Array:
        """Return survival at the quarters, of survival at all times."""
        return survival[:, len(self.grid) :]

    def ranks(self, rows: Indices, predicted: Array) -> list[Score]:
        """Return how well predicted times order some of the rows, by Harrell and by Uno; nothing without a pair."""
        time, event, risk = self.time[rows], self.event[rows], -np.asarray(predicted, dtype=float)
        watched = watched_share(self.time, self.event, time, before=True)
        weights = np.where(event & (time <= self.grid[-1]), 1.0 / np.where(event, watched, 1.0) ** 2, 0.0)
        out = []
        for name, own in ((CONCORDANCE, None), (UNO, weights)):
            try:
                out.append(Score(name, *concordance(time, event, risk, own)))
            except InvalidArgument:
                continue
        return out

    def brier(self, rows: Indices, survival: Array) -> RowLoss:
        """Return the Brier score of some of the rows, averaged over the grid."""
        whole = np.full((len(self.time), len(self.grid)), np.nan)
        whole[rows] = survival[:, : len(self.grid)]
        squares = brier_of_times(self.time, self.event, whole, self.grid)[rows]
        length = self.grid[-1] - self.grid[0]
        mean = np.trapezoid(squares, self.grid, axis=1) / length if length > 0.0 else squares[:, 0]
        return RowLoss(name=INTEGRATED_BRIER, losses=mean)


def calibration_score(time: Array, event: Mask, said: Array, at: float) -> Score | None:
    """Return how far the mean of S_i(t) is from Kaplan and Meier's estimate, on average over thirds of the rows.

    Thirds by S_i(t). The error is that of a mean of three independent distances.
    """
    parts = _thirds(said)
    if parts is None:
        return None
    found = [kaplan_meier(time[rows], event[rows], np.array([at])) for rows in parts]
    gaps = [abs(float(said[rows].mean() - alive[0])) for rows, (alive, _, _) in zip(parts, found, strict=True)]
    error = float(np.sqrt(sum(float(each[1][0]) ** 2 for each in found))) / len(parts)
    return Score(CALIBRATION, float(np.mean(gaps)), error)


def _thirds(values: Array) -> list[Indices] | None:
    """Return the rows of the lowest third of values, of the middle and of the highest; None for too few rows."""
    if len(values) < _LEAST_ROWS * len(_GROUPS):
        return None
    return np.array_split(np.argsort(np.asarray(values), kind="stable"), len(_GROUPS))


@dataclass(frozen=True, kw_only=True)
class SurvivalCalibration:
    """What was said of survival at a few times, beside what came of it, in thirds of the rows.

    Attributes
    ----------
    times : tuple of float
    said, alive, error : ndarray of shape (n_times, n_groups)
        Mean of what was said, Kaplan and Meier's estimate, and its standard error.
    """

    times: tuple[float, ...]
    said: Array
    alive: Array
    error: Array

    @classmethod
    def of(cls, time: Any, event: Any, survival: Array, times: Array) -> SurvivalCalibration | None:
        """Return the record of survival (n, n_times) at the times; None for too few rows."""
        time, event = np.asarray(time, dtype=float), np.asarray(event, dtype=bool)
        said, alive, error = [], [], []
        for at, values in zip(times, survival.T, strict=True):
            parts = _thirds(values)
            if parts is None:
                return None
            found = [kaplan_meier(time[rows], event[rows], np.array([at])) for rows in parts]
            said.append([float(values[rows].mean()) for rows in parts])
            alive.append([float(each[0][0]) for each in found])
            error.append([float(each[1][0]) for each in found])
        moments = tuple(float(at) for at in times)
        return cls(times=moments, said=np.array(said), alive=np.array(alive), error=np.array(error))


@dataclass(frozen=True, kw_only=True)
class SurvivalCurves:
    """The share of rows without an event in groups of rows, over time.

    Attributes
    ----------
    groups : tuple of str
        The first is expected earliest.
    time : ndarray of shape (n_times,)
    alive, error : ndarray of shape (n_groups, n_times)
        Shares by Kaplan and Meier, and their standard errors.
    marks : ndarray of shape (n_marks,)
    at_risk : ndarray of shape (n_groups, n_marks)
        Rows that are still there.
    """

    groups: tuple[str, ...]
    time: Array
    alive: Array
    error: Array
    marks: Array
    at_risk: Array

    @classmethod
    def of(cls, time: Any, event: Any, predicted: Any) -> SurvivalCurves | None:
        """Return the curves of thirds of the rows by predicted time, up to the last event; None for too few rows."""
        time, event = np.asarray(time, dtype=float), np.asarray(event, dtype=bool)
        parts = _thirds(predicted)
        if parts is None:
            return None
        last = float(time[event].max())
        at, marks = np.linspace(0.0, last, _POINTS), np.linspace(0.0, last, _MARKS)
        curves = [kaplan_meier(time[rows], event[rows], at) for rows in parts]
        return cls(
            groups=tuple(f"{name} ({counted(len(rows), 'row')})" for name, rows in zip(_GROUPS, parts, strict=True)),
            time=at,
            alive=np.array([curve[0] for curve in curves]),
            error=np.array([curve[1] for curve in curves]),
            marks=marks,
            at_risk=np.array([kaplan_meier(time[rows], event[rows], marks)[2] for rows in parts]),
        )
