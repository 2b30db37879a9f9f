"""Survival times that were predicted for rows left out: what came of groups of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.facts.numbers import counted
from kernelect.numerics import kaplan_meier
from kernelect.typing import Array

#: Groups of equal size, the fewest rows of each, points of a curve, and times at which rows are counted.
_GROUPS, _LEAST_ROWS, _POINTS, _MARKS = ("expected early", "in between", "expected late"), 5, 100, 5


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
        if len(time) < _LEAST_ROWS * len(_GROUPS):
            return None
        parts = np.array_split(np.argsort(np.asarray(predicted), kind="stable"), len(_GROUPS))
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
