"""Times as people write them, in hours: durations (``1h 40m``, ``2 days``) and times of day (``13:45``, ``1:45 PM``).

Times of day lie on a circle: 23:59 is near 00:01.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

#: What is written as the unit of a column of such times.
DURATION = "duration in hours"

#: The same for times of day.
CLOCK = "time of day in hours"

#: Hours of a day. Times of day that do not tell its halves apart spread over more than one of them.
DAY = 24.0

_HOURS = {"d": 24.0, "h": 1.0, "m": 1.0 / 60.0, "s": 1.0 / 3600.0}

_NUMBER = r"(\d+(?:\.\d+)?)"
_PARTED = re.compile(
    rf"(?:{_NUMBER}\s*(?:d|days?))?[\s,]*(?:{_NUMBER}\s*(?:h|hrs?|hours?))?[\s,]*"
    rf"(?:{_NUMBER}\s*(?:m|mins?|minutes?))?[\s,]*(?:{_NUMBER}\s*(?:s|secs?|seconds?))?\.?",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(\d{1,3}):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?\s*([AaPp]\.?[Mm]\.?)?")


def hours_of(text: str) -> float:
    """Return a duration or a time of day in hours, NaN if a text is neither.

    >>> hours_of("1h 30m"), hours_of("13:45"), hours_of("1:45 PM"), hours_of("soon")
    (1.5, 13.75, 13.75, nan)
    """
    clock = _CLOCK.fullmatch(text.strip())
    if clock is not None:
        hour = float(clock[1])
        if clock[4]:
            hour = hour % 12.0 + (12.0 if clock[4].lower().startswith("p") else 0.0)
        return hour + float(clock[2]) / 60.0 + float(clock[3] or 0.0) / 3600.0
    parts = _PARTED.fullmatch(text.strip())
    if parts is None or not any(parts.groups()):
        return np.nan
    return sum(float(part) * size for part, size in zip(parts.groups(), _HOURS.values(), strict=True) if part)


def are_clocks(texts: Sequence[str]) -> bool:
    """Return whether times are those of a day: with a mark of its half, or spread over more than half of it."""
    hours = [hours_of(text) for text in texts if _CLOCK.fullmatch(text.strip())]
    if not hours or max(hours) >= DAY:
        return False
    marked = any(text.strip()[-2:].lower() in ("am", "pm", "m.") for text in texts)
    return marked or max(hours) - min(hours) > DAY / 2.0


def are_durations(texts: Sequence[str], share: float) -> bool:
    """Return whether at least ``share`` of the texts are such times."""
    return bool(texts) and sum(not np.isnan(hours_of(text)) for text in texts) >= share * len(texts)
