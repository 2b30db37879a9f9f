"""Dates as people write them, one form per column: ``2024-12-31``, ``31.12.1995``, ``12/31/95``, ``31 Dec 1995``.

Forms are written as for :func:`datetime.datetime.strptime`. A time of day may follow any of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import cache

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.typing import Array

ISO = "%Y-%m-%d"

#: Forms that are looked for. If two read a column equally well, the earlier one is taken.
FORMS = (
    ISO,
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d.%m.%Y",
    "%d.%m.%y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%m/%d/%y",
    "%d/%m/%y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d-%b-%Y",
    "%d-%b-%y",
    "%d %b %Y",
    "%d. %b %Y",
    "%b %d, %Y",
    "%b %d %Y",
    "%Y-%m",
    "%Y%m%d",
)

_MONTHS = {
    name: month
    for month, names in enumerate(
        ("jan", "feb", "mar mär", "apr", "may mai", "jun", "jul", "aug", "sep", "oct okt", "nov", "dec dez"), start=1
    )
    for name in names.split()
}

_PARTS = {
    "%Y": r"(?P<Y>\d{4})",
    "%y": r"(?P<y>\d{2})",
    "%m": r"(?P<m>\d{1,2})",
    "%d": r"(?P<d>\d{1,2})",
    "%b": r"(?P<b>[A-Za-zä]{3})[a-zäA-Z]*\.?",
}

_TIME = (
    r"(?:[T ,]+(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2}(?:[.,]\d+)?))?\s*(?P<p>[AaPp][Mm])?"
    r"\s*(?P<zone>Z|UTC|[+-]\d{2}:?\d{2})?)?"
)

#: The first two-digit year that belongs to the last century, as in POSIX.
_PIVOT = 69

#: Texts that are tried in every form: a long column of words need not be.
_TRIED = 50

#: Two forms that read the same texts if no day is beyond the twelfth.
_AMBIGUOUS = {"%m/%d/%Y": "%d/%m/%Y", "%m/%d/%y": "%d/%m/%y", "%d-%m-%Y": "%m-%d-%Y"}


def find_form(texts: Sequence[str], share: float) -> tuple[str, bool] | None:
    """Return the form in which at least ``share`` of the texts are dates, and whether another form also fits.

    Parameters
    ----------
    texts : sequence of str
    share : float
    """
    likely = [form for form in FORMS if any(_pattern(form).fullmatch(text.strip()) for text in texts[:_TRIED])]
    counts = {form: int((~np.isnan(days_of(texts, form))).sum()) for form in likely}
    if not counts:
        return None
    best = max(counts, key=lambda form: counts[form])  # the first of the best
    if counts[best] < max(share * len(texts), 1):
        return None
    return best, counts.get(_AMBIGUOUS.get(best, ""), -1) == counts[best]


def days_of(texts: Iterable[str | None], form: str) -> Array:
    """Return days since 1970, NaN if a text is not a date of this form."""
    texts = list(texts)
    known: dict[str | None, float] = {None: np.nan}
    for text in texts:
        if text not in known and text is not None:
            known[text] = _day(text.strip(), form)
    return np.array([known[text] for text in texts], dtype=float)


def read_days(texts: Iterable[str | None], form: str) -> Array:
    """Return days since 1970 of dates in a form or, as that has one meaning only, in ISO form; NaN for all others."""
    texts = list(texts)
    days = days_of(texts, form)
    return days if form == ISO or not np.isnan(days).any() else np.where(np.isnan(days), days_of(texts, ISO), days)


def check_form(form: str) -> str:
    """Return the form of a date, or raise an error that shows how to write one."""
    if not re.search("%[YyGcxsj]", form):
        raise InvalidArgument(f"The form of a date {form!r} has no year: write it as in %d.%m.%Y or %Y-%m-%d.")
    try:
        datetime(2024, 12, 31).strptime(datetime(2024, 12, 31).strftime(form), form)
    except ValueError as error:
        raise InvalidArgument(
            f"The form of a date {form!r} cannot be used ({error}): write it as in %d.%m.%Y or %Y-%m-%d."
        ) from error
    return form


def _day(text: str, form: str) -> float:
    if form not in FORMS:
        return _by_strptime(text, form)
    found = _pattern(form).fullmatch(text)
    if found is None:
        return np.nan
    parts = found.groupdict()
    month = _MONTHS.get(parts["b"].lower(), 0) if "b" in parts else int(parts["m"])
    try:
        first = np.datetime64(f"{_year(parts):04d}-{month:02d}-{int(parts.get('d') or 1):02d}", "D")
    except ValueError:
        return np.nan
    return float(first.astype(int)) + _of_a_day(parts)


def _year(parts: dict[str, str]) -> int:
    if "Y" in parts:
        return int(parts["Y"])
    short = int(parts["y"])
    return short + (1900 if short >= _PIVOT else 2000)


def _of_a_day(parts: dict[str, str]) -> float:
    """Return the time of day as a share of it; NaN if there is no such time."""
    if parts["H"] is None:
        return 0.0
    hour, minute, second = int(parts["H"]), int(parts["M"]), float((parts["S"] or "0").replace(",", "."))
    if parts["p"]:
        hour = hour % 12 + (12 if parts["p"].lower() == "pm" else 0)
    if hour > 24 or minute > 59 or second > 60:
        return np.nan
    return (hour * 3600 + minute * 60 + second - _offset(parts["zone"])) / 86400


def _offset(zone: str | None) -> int:
    """Return the seconds by which a zone is ahead of UTC."""
    if zone is None or zone in ("Z", "UTC"):
        return 0
    return (1 if zone[0] == "+" else -1) * (int(zone[1:3]) * 3600 + int(zone[-2:]) * 60)


def _by_strptime(text: str, form: str) -> float:
    try:
        moment = datetime.strptime(text, form)
    except ValueError:
        return np.nan
    return (moment.replace(tzinfo=None) - (moment.utcoffset() or timedelta()) - datetime(1970, 1, 1)) / timedelta(1)


@cache
def _pattern(form: str) -> re.Pattern[str]:
    """Return the pattern of a form from the list, with an optional time of day."""
    pieces = re.split(r"(%[A-Za-z])", form)
    return re.compile("".join(_PARTS.get(piece) or re.escape(piece) for piece in pieces) + _TIME)
