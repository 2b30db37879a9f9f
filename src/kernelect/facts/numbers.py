"""How numbers are written, everywhere: terminal, JSON, HTML and the tables of studies.

A value with a standard error is rounded where the error has its second digit: what follows is noise. Negative numbers
have a minus sign, which is as wide as a plus, and no line ends behind it as it may behind a hyphen.

>>> with_error(0.37642, 0.01934)
'0.376 ± 0.019'
>>> score_words("error", 0.37642, 0.04934)
'37.6 ± 4.9 %'
>>> number(-0.5) == "\N{MINUS SIGN}0.500"
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

#: Shown if there is no number.
NOT_KNOWN = "\N{EN DASH}"

#: Between groups of three digits.
_GROUP = "\N{NARROW NO-BREAK SPACE}"

_MINUS = "\N{MINUS SIGN}"

#: A column whose numbers all lie between these, with whole ends, holds years, or numbers that read as well without
#: spaces. Columns that are left out as years have a narrower range: here a slip costs nothing.
EARLIEST_YEAR, LATEST_YEAR = 1000.0, 2999.0

#: Scores of which more is better; all others are losses.
LARGER_IS_BETTER = ("AUC", "R²", "accuracy", "F1", "average precision", "concordance", "concordance (Uno)")

#: Scores that are shares of the rows, written in per cent.
_SHARES = ("error", "accuracy")

#: What is written with a power of ten: smaller and larger than these.
_LEAST, _LARGEST = 1e-4, 1e9

#: Decimals at most.
_MOST_DECIMALS = 12

#: Digits of a double.
_MOST_DIGITS = 17

#: Share of a value below which its standard error is not worth a dozen digits.
_NEGLIGIBLE = 1e-6


def number(value: float | None, digits: int = 3) -> str:
    """Return a number with so many significant digits."""
    if value is None or not math.isfinite(value):
        return NOT_KNOWN
    if value != 0.0 and not _LEAST <= abs(value) < _LARGEST:
        return f"{value:.{digits - 1}e}".replace("-", _MINUS, int(value < 0.0))  # a power stays as it is typed
    return fixed(value, digits - 1 - math.floor(math.log10(abs(value))) if value else 0)


def are_years(low: float | str | None, high: float | str | None) -> bool:
    """Tell by its ends whether a column of numbers holds years: 1 987 is no way to write one."""
    ends = [end for end in (low, high) if isinstance(end, int | float)]
    return len(ends) == 2 and all(EARLIEST_YEAR <= end <= LATEST_YEAR and end == round(end) for end in ends)


def trimmed(value: float | None, digits: int = 6, *, years: bool = False) -> str:
    """Return a number that stands in a table as it would be typed: no zeros behind what matters, no spaces in years."""
    words = number(value, digits).replace(_GROUP, "" if years else _GROUP)
    return words.rstrip("0").rstrip(".") if "." in words and "e" not in words else words


def fixed(value: float, decimals: int, *, sign: bool = False) -> str:
    """Return a number with so many decimals, thousands set apart; ``sign`` writes a plus too."""
    words = f"{value:{'+' if sign else ''},.{max(decimals, 0)}f}"
    return words.replace(",", _GROUP).replace("-", _MINUS)


def alike(values: Iterable[float], digits: int = 3, *, sign: bool = False) -> list[str]:
    """Return numbers that are read beside each other: with the decimals that the largest of them has.

    >>> alike([3.6472, 0.4213, -0.0043])
    ['3.65', '0.42', '0.00']
    """
    found = list(values)
    largest = max(map(abs, found), default=0.0)
    if not _LEAST <= largest < _LARGEST:
        return [("+" if sign and value > 0.0 else "") + number(value, digits) for value in found]
    decimals = max(digits - 1 - math.floor(math.log10(largest)), 0)
    return [fixed(round(value, decimals) + 0.0, decimals, sign=sign) for value in found]  # no -0


def apart(one: float, other: float, digits: int = 3, write: Callable[[float, int], str] = number) -> tuple[str, str]:
    """Return two numbers with so many significant digits, or as many more as show that they differ.

    >>> [words.replace(_GROUP, " ") for words in apart(5740.1, 5739.86)]
    ['5 740.1', '5 739.9']
    """
    pairs = ((write(one, count), write(other, count)) for count in range(digits, _MOST_DIGITS + 1))
    return next((pair for pair in pairs if pair[0] != pair[1]), (write(one, digits), write(other, digits)))


def with_error(
    value: float, error: float | None, *, unit: str = "", decimals: int | None = None, sign: bool = False
) -> str:
    """Return a value and its standard error, or the value alone where the error is not known.

    Parameters
    ----------
    value, error : float
    unit : str
        Written behind both.
    decimals : int, optional
        Of both; by default what the error leaves certain.
    sign : bool
        Whether a positive value gets a plus, as a difference does.
    """
    if error is None or not math.isfinite(error) or (decimals is None and error <= _NEGLIGIBLE * abs(value)):
        return (number(value) if decimals is None else fixed(value, decimals, sign=sign)) + unit
    if decimals is None and max(abs(value), error) < _LEAST:
        return f"{number(value)} ± {number(error, 2)}{unit}"
    places = _certain(error) if decimals is None else decimals
    value, error = (round(part, places) for part in (value, error))  # places below 0 are tens, hundreds, ...
    return f"{fixed(value, places, sign=sign)} ± {fixed(error, places)}{unit}"


def as_printed(value: float, error: float | None = None) -> str:
    """Return a value, with its standard error if there is one, as a paper prints them: no digit is added."""
    return trimmed(value) if error is None else f"{trimmed(value)} ± {trimmed(error)}"


def _certain(error: float) -> int:
    return min(1 - math.floor(math.log10(error)), _MOST_DECIMALS)


def score_words(name: str, value: float, error: float | None = None) -> str:
    """Return a score with its standard error in its unit: shares of the rows in per cent."""
    if name not in _SHARES:
        return with_error(value, error)
    return with_error(100.0 * value, None if error is None else 100.0 * error, unit=" %")


def figure_parts(words: str) -> dict[str, str]:
    """Return value, error and unit of a figure in words, to set them in different sizes; empty if there is none."""
    bare = words.removesuffix(" %")
    value, _, error = bare.partition(" ± ")
    return {"value": value, "error": error, "unit": "%" if bare != words else ""}


def percent(share: float, decimals: int = 1) -> str:
    """Return a share in per cent."""
    return f"{100.0 * share:.{decimals}f} %"


def duration(seconds: float) -> str:
    """Return a time such as 0.4 s or 3 min 20 s."""
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def was(count: int) -> str:
    """Return the verb that follows a count."""
    return "was" if count == 1 else "were"


def counted(count: int, what: str) -> str:
    """Return a count with its noun, in the plural if there is not exactly one."""
    return f"{fixed(count, 0)} {what}" + ("" if count == 1 else "s")
