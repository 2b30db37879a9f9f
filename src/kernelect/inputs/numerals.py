"""Numbers as people write them: ``3.380,34``, ``1 234.5``, ``9%``, ``€ 12``, ``(15)``, ``<0,5``, ``12 kg``.

A single cell does not tell whether ``1.234`` is a little more than one or more than a thousand. The
column usually does; if not, the rest of the table may. See :func:`decimal_sign`. Times are numbers of hours: durations
(``1h 40m``, ``2 days``) and times of day (``13:45``, ``1:45 PM``), which lie on a circle: 23:59 is near 00:01.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from kernelect.typing import Array

POINT, COMMA = ".", ","

_MONEY = r"(?:[$€£¥₹₽₩₺]|US\$|EUR|USD|GBP|CHF|JPY|SEK|NOK|DKK|PLN)"
_SPACES = " \N{NO-BREAK SPACE}\N{THIN SPACE}\N{NARROW NO-BREAK SPACE}"
_APOSTROPHES = "'\N{RIGHT SINGLE QUOTATION MARK}"

#: One number with all that may stand around it; ``body`` has digits, separators and spaces.
_CELL = re.compile(
    rf"""\s*(?P<limit>[<>≤≥~≈]=?)?\s*(?P<open>\()?\s*
    (?P<sign>[+\-\N{{MINUS SIGN}}])?\s*(?:{_MONEY})?\s*(?P<inner>[+\-\N{{MINUS SIGN}}])?
    (?P<body>\d[\d.,{_APOSTROPHES}{_SPACES}]*|[.,]\d+)(?P<power>[eE][+-]?\d+)?
    \s*(?P<unit>[%‰]|{_MONEY})?\s*(?P<close>\))?\s*""",
    re.VERBOSE,
)


def _body(group: str, sign: str) -> re.Pattern[str]:
    """Return the form of a number whose thousands may be set apart, by one and the same character."""
    apart = f"[{re.escape(group)}{_SPACES}{_APOSTROPHES}]"
    whole = rf"(?:\d{{1,3}}(?P<apart>{apart})\d{{3}}(?:(?P=apart)\d{{3}})*|\d*)"
    return re.compile(rf"(?P<whole>{whole})(?:{re.escape(sign)}(?P<rest>\d*))?")


_BODIES = {POINT: _body(COMMA, POINT), COMMA: _body(POINT, COMMA)}

#: What proves a sign: two different separators in one number, the same one twice, or other than three digits behind.
_PROVES_COMMA = re.compile(r"\d\.\d{3},\d|\d\.\d{3}\.\d{3}|^[^.,]*,\d{1,2}(?!\d)[^.,]*$|^[^.,]*,\d{4,}[^.,]*$|^0,\d+$")
_PROVES_POINT = re.compile(r"\d,\d{3}\.\d|\d,\d{3},\d{3}|^[^.,]*\.\d{1,2}(?!\d)[^.,]*$|^[^.,]*\.\d{4,}[^.,]*$|^0\.\d+$")

#: A number with a unit behind it: letters and signs, a word or two, as in kg, m², mg/dL, km/h, sq ft.
_WITH_UNIT = re.compile(r"(?P<number>.*?\d[.,]?)\s*(?P<unit>[^\W\d_][\w²³/·^-]{0,9}(?: [^\W\d_]{1,6})?|°[CFK]?)\s*")

#: Letters of a cell beyond which it is a sentence.
_MOST_LETTERS = 40

#: Words for a cell without a number, which say nothing against the other cells being numbers.
_NOTHING = frozenset(("", ".", "-", "--", "---", "\N{EN DASH}", "\N{EM DASH}", "n.a.", "n/a", "na", "k.a.", "n.d."))

#: Words for the same, which can also be a category: there have to be as many numbers.
_UNKNOWN = frozenset(
    [
        "unknown",
        "missing",
        "not known",
        "not available",
        "not measured",
        "no data",
        "unbekannt",
        "fehlt",
        "keine angabe",
    ]
)

#: What a spreadsheet writes if it could not calculate.
_ERRORS = frozenset(("#div/0!", "#value!", "#wert!", "#ref!", "#num!", "#name?", "#bezug!", "#zahl!", "#n/a", "#nv"))


@dataclass(frozen=True, kw_only=True)
class Numerals:
    """The texts of a column, read as numbers.

    Attributes
    ----------
    values : ndarray of float
        NaN if a text is not a number.
    limits : tuple of str
        Texts such as ``<0.5``, read as the limit itself.
    dressed : tuple of str
        Texts with a unit or currency (``9%``, ``12 kg``), read without it.
    """

    values: Array
    limits: tuple[str, ...]
    dressed: tuple[str, ...]


def read_numerals(texts: Iterable[str | None], decimal: str = POINT, unit: str = "") -> Numerals:
    """Return texts as numbers, with ``decimal`` if a text leaves the sign open; ``unit`` may follow them."""
    texts = list(texts)
    known: dict[str | None, float] = {None: np.nan}
    limits, dressed = [], []
    for text in texts:
        if text not in known and text is not None:
            if unit in (CLOCK, DURATION):
                known[text] = hours_of(text)
                dressed += [text] if not np.isnan(known[text]) else []
                continue
            bare = _without_unit(text, unit)
            known[text], found = _read(bare, decimal)
            limits += [text] if found and found["limit"] else []
            worn = found and (found["unit"] or bare != text or (not found["limit"] and _is_dressed(found)))
            dressed += [text] if worn else []
    return Numerals(
        values=np.array([known[text] for text in texts], dtype=float), limits=tuple(limits), dressed=tuple(dressed)
    )


def shared_unit(texts: Iterable[str], share: float) -> str:
    """Return the unit that at least ``share`` of the numbers have, DURATION or CLOCK for times, else an empty string.

    The other numbers may not have another unit: ``12 kg`` and ``26 lb`` do not belong in one column.
    """
    texts, counts = list(texts), dict[str, int]()
    for text in texts:
        found = None if stands_for_nothing(text) else _unit_of(text)
        if found is not None:
            counts[found] = counts.get(found, 0) + 1
    units, times = [unit for unit in counts if unit], [text for text in texts if not stands_for_nothing(text)]
    covered = len(units) == 1 and counts[units[0]] >= share * sum(counts.values())
    if covered and sum(counts.values()) == len(times):
        return units[0]
    if are_durations(times, share):  # 2h among 1h 40m is a time too
        return CLOCK if are_clocks(times) else DURATION
    return units[0] if covered else ""


def stands_for_nothing(text: str) -> bool:
    """Return whether a text among numbers is a way to write "no value"."""
    return text.strip().lower() in _NOTHING | _ERRORS | _UNKNOWN


def means_unknown(text: str) -> bool:
    """Return whether a text is such a way, or a category."""
    return text.strip().lower() in _UNKNOWN


def decimal_sign(texts: Iterable[str | None], unit: str = "") -> str | None:
    """Return the decimal sign that a column proves, None if it leaves it open; ``unit`` may follow numbers.

    ``0,5`` and ``1.234,5`` prove the comma, ``0.5`` the point; ``1.234`` and ``1,234`` prove neither.
    """
    votes = {POINT: 0, COMMA: 0}
    for text in dict.fromkeys(texts):
        found = _CELL.fullmatch(_without_unit(text, unit)) if text and (COMMA in text or POINT in text) else None
        if found:
            bare = found["body"].strip()
            votes[COMMA] += bool(_PROVES_COMMA.search(bare))
            votes[POINT] += bool(_PROVES_POINT.search(bare))
    return None if votes[POINT] == votes[COMMA] else max(votes, key=lambda sign: votes[sign])


def _unit_of(text: str) -> str | None:
    """Return the unit behind a number, "" if there is none, None if the text is no number even without it."""
    if _CELL.fullmatch(text):
        return ""
    found = _WITH_UNIT.fullmatch(text) if len(text) <= _MOST_LETTERS else None
    if found is None or not _CELL.fullmatch(found["number"]):
        return None
    plural = len(found["unit"]) > 3 and found["unit"].endswith("s")
    return found["unit"][:-1] if plural else found["unit"]


def _without_unit(text: str, unit: str) -> str:
    bare = text.rstrip()
    worn = next((each for each in (unit, f"{unit}s") if unit and bare.endswith(each)), "")
    return bare.removesuffix(worn) if worn else text


def _read(text: str, decimal: str) -> tuple[float, re.Match[str] | None]:
    found = _CELL.fullmatch(text)
    if found is None or bool(found["open"]) != bool(found["close"]):
        return np.nan, None
    body = found["body"].strip()
    value = _value(body, decimal, found["power"] or "")
    if np.isnan(value):  # a single cell written otherwise, such as 0.5 among commas
        value = _value(body, COMMA if decimal == POINT else POINT, found["power"] or "")
    signs = [found["sign"], found["inner"], "-" if found["open"] else None]
    negative = sum(sign not in (None, "+") for sign in signs) % 2
    return (-value if negative else value), found


def _value(body: str, decimal: str, power: str) -> float:
    found = _BODIES[decimal].fullmatch(body)
    if found is None:
        return np.nan
    whole, rest = re.sub(r"\D", "", found["whole"]), found["rest"] or ""
    return float(f"{whole or '0'}.{rest or '0'}{power}") if whole or rest else np.nan


def _is_dressed(found: re.Match[str]) -> bool:
    return re.search(_MONEY, found[0][: found.start("body") - found.start()]) is not None


#: What is written as the unit of a column of durations.
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
