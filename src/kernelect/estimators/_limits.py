"""Targets known up to an interval, as ``fit`` is given them: limits, texts such as ``"<0.5"``, times and events."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from sklearn.utils import check_array

from kernelect.exceptions import InvalidArgument
from kernelect.typing import Array, Mask

#: A number behind the sign of a limit.
_LIMIT = re.compile(r"\s*([<>≤≥])?=?\s*(.+)")

_SIGNS = ("<", ">", "≤", "≥")


def are_limits(y: Any) -> bool:
    """Return whether targets are limits: a pair of columns, a table of two, or text."""
    if isinstance(y, tuple) and len(y) == 2 and all(np.ndim(each) == 1 for each in y):
        return True
    values = np.asarray(y)
    if values.ndim != 1:
        return values.ndim == 2 and values.shape[1] == 2
    return values.dtype.kind == "U" or (values.dtype.kind == "O" and any(isinstance(each, str) for each in values))


def refuse_limits(y: Any, name: str) -> None:
    """Raise if targets are limits, which a machine of this name cannot use."""
    if not are_limits(y):
        return
    values = np.asarray(y)
    if values.ndim == 2:
        shown = "inf" if values.dtype.kind == "f" and np.isinf(values).any() else ""
    else:
        shown = next((repr(str(each)) for each in values if str(each).strip()[:1] in _SIGNS), "")
    if shown:
        raise InvalidArgument(
            f"y holds limits such as {shown}, and {name} needs a number for every row: use GPR or KernelRegressor, "
            "which take limits for what they say."
        )


def known_limits(y: Any) -> Array | None:
    """Return the limits (n, 2) of a pair or of texts, checked; None for numbers: two columns are two targets."""
    if not are_limits(y):
        return None
    if isinstance(y, tuple) or np.ndim(y) == 1:
        return as_limits(y)
    values = np.asarray(y)
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise InvalidArgument("y has two columns with infinite numbers: give limits as a pair, (y[:, 0], y[:, 1]).")
    return None


def as_limits(y: Any) -> Array:
    """Return lower and upper limits (n, 2), checked.

    Parameters
    ----------
    y : pair of arrays, array of shape (n, 2), or texts
    """
    if isinstance(y, tuple):
        y = _pair(*y)
    values = np.asarray(y)
    found = np.array([_of_text(each) for each in values]) if values.ndim == 1 else values.astype(float)
    _check(found)
    return found


def _pair(lower: Any, upper: Any) -> Array:
    if len(lower) != len(upper):
        raise InvalidArgument(
            f"y is a pair of {len(lower)} lower and {len(upper)} upper limits: give one of each for every row, with "
            "-inf or inf if a limit is not known."
        )
    return np.column_stack([np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)])


def _of_text(cell: Any) -> tuple[float, float]:
    found, sign, number = _LIMIT.fullmatch(str(cell)), None, np.nan
    if found is not None:
        sign, number = found[1], _number_of(found[2])
    if np.isnan(number):
        raise InvalidArgument(
            f"y holds {str(cell)!r}, which is no number or limit: write such as 0.5, '<0.5' or '>100'."
        )
    return (-np.inf if sign in ("<", "≤") else number), (np.inf if sign in (">", "≥") else number)


def _number_of(text: str) -> float:
    """Return the number that a text is, NaN if it is none."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _check(limits: Array) -> None:
    if np.isnan(limits).any():
        raise InvalidArgument("y holds NaN: give -inf or inf if a limit is not known, and leave out empty rows.")
    wrong = np.flatnonzero(limits[:, 0] > limits[:, 1])
    if len(wrong):
        lower, upper = limits[wrong[0]]
        raise InvalidArgument(f"y has the lower limit {lower:g} above the upper one, {upper:g}, in row {wrong[0]}.")
    if np.any(np.isinf(limits[:, 0]) & (limits[:, 0] == limits[:, 1])):
        raise InvalidArgument("y holds infinite numbers: a limit that is not known is -inf below, and inf above.")
    for known, other, side in ((0, 1, "above"), (1, 0, "below")):
        if np.isinf(limits[:, other]).all():
            raise InvalidArgument(
                f"y says of all {np.isfinite(limits[:, known]).sum()} rows with a limit that they lie {side} it, and "
                "nothing of how far: give at least one number, or a limit on the other side."
            )


def as_survival(y: Any, event: Any) -> tuple[Array, Mask]:
    """Return times (n,) and whether each is that of an event, checked.

    Parameters
    ----------
    y : structured array of event and time, or array of times
    event : array-like of bool, or None
        None if the array is structured, or all times are those of events.
    """
    values = np.asarray(y)
    if values.dtype.names is not None:
        values, event = _fields(values, event)
    if values.ndim != 1:
        raise InvalidArgument(
            f"y has shape {values.shape}, and should be a structured array of event and time, or times with event=."
        )
    try:
        time = check_array(values, dtype=float, ensure_2d=False, ensure_all_finite=False, input_name="y")
    except (TypeError, ValueError) as error:
        raise InvalidArgument(f"y holds something that is no time ({error}): give numbers.") from error
    seen = np.ones(len(time), dtype=bool) if event is None else _truths(event, len(time))
    if not np.isfinite(time).all():
        raise InvalidArgument("y holds times that are missing or infinite: leave these rows out.")
    if np.any(time < 0.0):
        raise InvalidArgument(f"y holds the negative time {time.min():g}: times count from the beginning of each row.")
    if not seen.any():
        raise InvalidArgument(
            f"event is false in all {len(time)} rows: without an event nothing tells when one comes. Give rows with "
            "an event, or check whether event is the wrong way round."
        )
    if not np.any(time[seen] > 0.0):
        raise InvalidArgument("y has no event at a time above 0: give times in a finer unit, so that they differ.")
    return time, seen


def _fields(y: Any, event: Any) -> tuple[Any, Any]:
    """Return times and events of a structured array: events are its field of truth values."""
    names = y.dtype.names
    truths = [name for name in names if y.dtype[name].kind == "b"]
    if event is not None or len(names) != 2 or len(truths) != 1:
        raise InvalidArgument(
            f"y has the fields {', '.join(names)}: a structured array has two, a truth value (whether there was an "
            "event) and a time, and takes the place of event=."
        )
    return y[names[1 - names.index(truths[0])]], y[truths[0]]


def _truths(event: Any, n_rows: int) -> Mask:
    values = np.asarray(event)
    if values.shape != (n_rows,):
        raise InvalidArgument(f"event has shape {values.shape}, and y has {n_rows} rows: give one of each per row.")
    if values.dtype.kind == "b":
        return values
    different = [each for each in values.tolist() if each not in (0, 1)]
    if different:
        raise InvalidArgument(f"event holds {different[0]!r}: it must be true or 1 if the event was seen, else 0.")
    return values.astype(bool)


def time_limits(time: Array, event: Mask) -> Array:
    """Return what is known of times, (n, 2).

    A time of 0 is one below the shortest unit of the times: an event there came before the earliest positive time, and
    a row that left then says nothing.
    """
    least = time[time > 0.0].min()
    return np.column_stack([time, np.where(event, np.where(time > 0.0, time, least), np.inf)])
