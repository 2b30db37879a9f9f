"""The range around a prediction that a page shows, and the survival function that it belongs to.

What the range holds, and how far it is from what Python says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelect.export.evaluate import coded_rows, evaluate
from kernelect.export.program import Program
from kernelect.facts.carried import Carried
from kernelect.facts.estimates import COVERAGE, Assessment
from kernelect.facts.numbers import number, percent, trimmed
from kernelect.facts.page_record import BandFacts, CurveFacts
from kernelect.facts.sources import rows_at, some_rows
from kernelect.model import TimeScale
from kernelect.model.subject import subject_of
from kernelect.numerics import skewed_quantile, skewed_tail
from kernelect.typing import Array

#: Rows on which the page's ranges are compared with those of Python.
_ROWS = 200

#: Times at which a page draws survival, and deviations from the median between which it knows their law.
_TIMES, _REACH, _STEPS = 60, 8.0, 161

#: Share of a range's width below which its ends are the same.
_SAME = 1e-9


def describe_band(model: Any, carried: Carried, X: Any, cells: Any, assessment: Assessment) -> BandFacts | None:
    """Return what the range around a prediction holds; None for classes, and where it has no ends.

    Parameters
    ----------
    model : estimator, Pipeline or TableModel
        The fitted one.
    carried : Carried
    X, cells : DataFrame or array, ndarray of shape (n, n_columns)
        The rows that it was fitted on, and their cells as the script takes them.
    assessment : Assessment
    """
    if carried.program.ends is None:
        return None
    source, places = assessment.best_source, some_rows(len(X), _ROWS)
    held = None if source is None else source.held()
    exact, shown = _python_ends(model, rows_at(X, places)), ends_at(carried.program, cells[places])
    return BandFacts(
        share=percent(COVERAGE, 0),
        held="" if held is None else percent(held, 0),
        source="" if source is None else source.name,
        apart=_apart(exact, shown, is_whole=carried.model is model),
    )


def ends_at(program: Program, cells: Any) -> Array:
    """Return the ends (m, 2) of the ranges around the predictions of rows, as the script will."""
    assert program.ends is not None
    return np.asarray(evaluate(program.with_outputs([program.ends]), coded_rows(program, cells))[-1], dtype=float)


def _python_ends(model: Any, rows: Any) -> Array | None:
    """Return the ends (m, 2) that ``predict_interval`` gives; None if it is a formula that the page has too."""
    subject = subject_of(model)
    if subject.model.jackknife is None:
        return None
    return np.column_stack(subject.model.intervals(subject.inputs(rows), COVERAGE))


def _apart(exact: Array | None, shown: Array, *, is_whole: bool) -> str:
    """Return the sentence that tells how far apart both are; empty if they are the same."""
    if exact is None:
        return ""
    width = exact[:, 1] - exact[:, 0]
    off = np.abs(exact - shown).max(axis=1) / np.where(width > 0.0, width, 1.0)
    if off.max() <= _SAME:
        return ""
    mean, most = (number(100.0 * float(share), 2) for share in (off.mean(), off.max()))
    has = "models" if is_whole else "the whole model, and models"
    return (
        f"kernelect predict --interval is more exact: it uses {has} that each lack one row, for which a page has no "
        f"room. Its ends differ from these by {mean} % of the width on average and {most} % at most "
        f"({len(off)} rows)."
    )


def describe_curve(carried: Carried, row: Any, assessment: Assessment) -> CurveFacts | None:
    """Return how a page draws survival functions up to the last event; None if no times until an event are predicted.

    Parameters
    ----------
    carried : Carried
    row : DataFrame or array of one row
        The first one that is shown.
    assessment : Assessment
        It knows the times of events.
    """
    subject, source = subject_of(carried.model), assessment.times_source or assessment.baseline
    if not subject.model.is_of_times or carried.program.ends is None or source.event is None:
        return None
    head = subject.model.numbers
    assert isinstance(head.scale, TimeScale)
    last = float(np.asarray(source.y_true, dtype=float)[source.event].max())
    times, at = np.linspace(0.0, last, _TIMES + 1)[1:], np.linspace(-_REACH, _REACH, _STEPS)
    low, high = (skewed_quantile(p, head.skew) for p in (0.5 - 0.5 * COVERAGE, 0.5 + 0.5 * COVERAGE))
    return CurveFacts(
        times=times.tolist(),
        scores=head.scale.forward(times).tolist(),
        knots=head.scale.knots.tolist(),
        heights=head.scale.heights.tolist(),
        low=low,
        high=high,
        at=at.tolist(),
        later=skewed_tail(at, head.skew).tolist(),
        start=subject.model.survival(subject.inputs(row), times)[0].tolist(),
        last=trimmed(last, 4),
    )
