"""Numbers that are not measurements: codes for missing cells, and codes for categories."""

from __future__ import annotations

import numpy as np

from kernelect.typing import Array, Indices

#: What people write where a number is missing: nines, or a few sixes, sevens or eights, as surveys have for "refused".
#: Other numbers far away are more often true. A negative one is the smallest number of its column, a positive one the
#: largest.
_OTHER_DIGITS = (666.0, 777.0, 888.0, 7777.0, 8888.0)
_CODES = {
    0: (-9.0, -99.0, -999.0, -9999.0, -99999.0, -999999.0),
    -1: (99.0, 999.0, 9999.0, 99999.0, 999999.0, 9999999.0, 99999999.0, *_OTHER_DIGITS),
}

#: Rows with a code from which it is no accident.
_LEAST_ROWS = 2

#: Ranges of the other numbers by which a positive code has to lie beyond them, one without nines farther, and -9 below
#: them; longer negative ones have to be the only negative number.
_FAR, _FARTHER, _BELOW = 2.0, 10.0, 0.5

_DIGIT = 9.0

#: Different whole numbers, and the largest of them, up to which a column may be a list of codes.
_MOST_CODES, _LARGEST_CODE = 12, 20

#: The same where the name of the column says that its values have no order.
_MOST_NAMED_CODES, _LARGEST_NAMED_CODE = 60, 999


def missing_codes(found: Array, counts: Indices) -> tuple[float, ...]:
    """Return the sorted codes for missing cells among the distinct numbers of a column, and how often each occurs.

    A code repeats one digit, most often a nine, occurs more than once, and lies apart from all other numbers of the
    column: below numbers that are never negative, or beyond them by twice their range (ten times without nines).
    """
    codes: list[float] = []
    while len(found) > 2:
        for place in (0, -1):
            others = found[1:] if place == 0 else found[:-1]
            if found[place] in _CODES[place] and counts[place] >= _LEAST_ROWS and _is_far(found[place], others):
                codes.append(float(found[place]))
                found, counts = others, counts[1:] if place == 0 else counts[:-1]
                break
        else:
            break
    return tuple(codes)


def _is_far(code: float, others: Array) -> bool:
    low, high = others[0], others[-1]
    if code < 0.0:
        return bool(low >= 0.0 and (code < -_DIGIT or low - code >= _BELOW * (high - low)))
    far = _FARTHER if code in _OTHER_DIGITS else _FAR
    return bool(code - high >= far * (high - low) and high > 0.0)


def may_be_categories(found: Array) -> bool:
    """Return whether distinct numbers may be codes, such as 1, 2, 3 for ``race``: few small whole ones, over two."""
    if not 3 <= len(found) <= _MOST_CODES or np.any(found % 1):
        return False
    return bool(found[0] in (0.0, 1.0) and found[-1] <= _LARGEST_CODE)


def may_be_named_codes(found: Array) -> bool:
    """Return whether distinct numbers may be codes if the name suggests so: whole ones of at most three digits."""
    if not 3 <= len(found) <= _MOST_NAMED_CODES or np.any(found % 1):
        return False
    return bool(found[0] >= 0.0 and found[-1] <= _LARGEST_NAMED_CODE)
