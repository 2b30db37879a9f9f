"""Times until an event that is not always seen, and probabilities by chance of several tests.

Notation: a pair of rows can be compared if the earlier time is that of an event. Of two equal times, one of an event
and one not, the event is the earlier one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.numerics.products import row_blocks
from kernelect.typing import Array, Mask


def concordance(time: Array, event: Mask, risk: Array, weights: Array | None = None) -> tuple[float, float]:
    """Return Harrell's concordance and its standard error.

    The share of comparable pairs whose earlier row has the larger risk; equal risks count half. The error is that of
    the jackknife, to first order. Costs O(n^2).

    With weights 1/G(t)^2, G(t) the probability of being watched until just before t, it is that of Uno et al. (2011).

    Parameters
    ----------
    time : ndarray of shape (n,)
    event : ndarray of bool of shape (n,)
    risk : ndarray of shape (n,)
        Larger for rows that are expected earlier.
    weights : ndarray of shape (n,), optional
        A pair counts with the weight of its earlier row, 1 unless given.
    """
    right, pairs = np.zeros(len(time)), np.zeros(len(time))
    weights = np.ones(len(time)) if weights is None else weights
    events = np.flatnonzero(event & (weights > 0.0))
    for block in row_blocks(len(events), len(time)):
        rows = events[block]
        later = weights[rows, None] * ((time > time[rows, None]) | ((time == time[rows, None]) & ~event))
        order = 0.5 * (1.0 + np.sign(risk[rows, None] - risk)) * later
        right += order.sum(axis=0)
        pairs += later.sum(axis=0)
        right[rows] += order.sum(axis=1)
        pairs[rows] += later.sum(axis=1)
    total = 0.5 * pairs.sum()
    if total == 0.0:
        raise InvalidArgument("No two of these times can be ordered: an event has to come before another row's time.")
    found = float(0.5 * right.sum() / total)
    return found, float(np.sqrt(np.sum((right - found * pairs) ** 2)) / total)


def kaplan_meier(time: Array, event: Mask, at: Array) -> tuple[Array, Array, Array]:
    """Return the share of rows without an event until each of the times, its standard error, and the rows at risk.

    The estimate of Kaplan and Meier (1958) with Greenwood's error: prod (1 - d/n) and S sqrt(sum d / (n (n - d))) over
    the times of events, of which each has d events among n rows that are still there. A row at risk at a time has its
    own time then or later.

    Parameters
    ----------
    time : ndarray of shape (n,)
    event : ndarray of bool of shape (n,)
    at : ndarray of shape (n_times,)
    """
    moments, deaths = np.unique(time[event], return_counts=True)
    there = len(time) - np.searchsorted(np.sort(time), moments)
    alive = np.append(1.0, np.cumprod(1.0 - deaths / there))
    with np.errstate(divide="ignore", invalid="ignore"):  # the last rows may all have their event at once
        sums = np.append(0.0, np.cumsum(deaths / (there * (there - deaths))))
        error = np.where(alive > 0.0, alive * np.sqrt(sums), 0.0)
    place = np.searchsorted(moments, at, side="right")
    at_risk = len(time) - np.searchsorted(np.sort(time), at)
    return alive[place], error[place], at_risk.astype(float)


def watched_share(time: Array, event: Mask, at: Array, *, before: bool = False) -> Array:
    """Return the probability that a row without an event is still watched at each of the times, or just before it.

    Kaplan and Meier's estimate for the times at which watching ends; a row whose event comes at such a time is no
    longer among those that could be lost then.

    Parameters
    ----------
    time : ndarray of shape (n,)
    event : ndarray of bool of shape (n,)
    at : ndarray of any shape
    before : bool
    """
    ends, lost = np.unique(time[~event], return_counts=True)
    there = len(time) - np.searchsorted(np.sort(time), ends)
    events = np.sort(time[event])
    there = there - (np.searchsorted(events, ends, side="right") - np.searchsorted(events, ends))
    share = np.append(1.0, np.cumprod(1.0 - lost / there))
    return share[np.searchsorted(ends, at, side="left" if before else "right")]


def brier_of_times(time: Array, event: Mask, survival: Array, at: Array) -> Array:
    """Return squared errors (n, n_times) of survival functions, whose means are Brier scores at the times.

    With G the share still watched: S(s)^2 / G(t-) for a row whose event came until s, (1 - S(s))^2 / G(s) for one that
    was still there, 0 for one that was lost before (Graf et al. 1999).

    Parameters
    ----------
    time : ndarray of shape (n,)
    event : ndarray of bool of shape (n,)
    survival : ndarray of shape (n, n_times)
    at : ndarray of shape (n_times,)
    """
    gone = (time[:, None] <= at) & event[:, None]
    there = time[:, None] > at
    own, watched = watched_share(time, event, time, before=True), watched_share(time, event, at)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(gone, survival**2 / own[:, None], 0.0)
        return np.where(there, (1.0 - survival) ** 2 / watched, found)


def holm(p_values: Sequence[float]) -> Array:
    """Return p-values corrected for their number so that they hold for all tests together (Holm 1979)."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    raised = np.maximum.accumulate(p[order] * (len(p) - np.arange(len(p))))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(raised, 1.0)
    return corrected
