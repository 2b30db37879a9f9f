"""Numbers as people read them, and records as plain lists."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np

#: Scores of which more is better; all others are losses.
LARGER_IS_BETTER = ("AUC", "R2", "accuracy")

#: Stands where there is no number.
NOT_KNOWN = "\N{EN DASH}"

#: Scores that are shares of the rows, shown in per cent.
_SHARES = ("error", "accuracy")


def shown(value: float | None, digits: int = 3) -> str:
    """Return a number with so many significant digits, without needless zeros."""
    if value is None or not math.isfinite(value):
        return NOT_KNOWN
    if value == 0.0 or 1e-4 <= abs(value) < 1e6:
        decimals = digits - 1 - math.floor(math.log10(abs(value))) if value else 0
        return f"{value:,.{max(decimals, 0)}f}".replace(",", "\N{THIN SPACE}")
    return f"{value:.{digits - 1}e}"


def shown_score(name: str, value: float, error: float | None = None) -> str:
    """Return a score with its standard error, rounded to what the error leaves certain."""
    unit, scale = (" %", 100.0) if name in _SHARES else ("", 1.0)
    value, error = scale * value, None if error is None else scale * error
    if error is None or not math.isfinite(error) or error <= 0.0:
        return f"{shown(value)}{unit}"
    decimals = min(max(1 - math.floor(math.log10(error)) - (error >= 3.0), 0), 6)
    return f"{value:,.{decimals}f}{unit} ± {error:.{decimals}f}".replace(",", "\N{THIN SPACE}")


def seconds_in_words(seconds: float) -> str:
    """Return a duration such as 0.4 s or 3 min 20 s."""
    if seconds < 60.0:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"


def as_plain(value: Any) -> Any:
    """Return something JSON can hold: arrays as lists, six digits, None for what is not finite."""
    if isinstance(value, np.ndarray):
        return as_plain(value.tolist())
    if isinstance(value, np.generic):
        return as_plain(value.item())
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [as_plain(entry) for entry in value]
    if isinstance(value, dict):
        return {str(key): as_plain(entry) for key, entry in value.items()}
    return value


def record_as_plain(record: Any) -> dict[str, Any]:
    """Return the fields of a dataclass as JSON can hold them."""
    return {field.name: as_plain(getattr(record, field.name)) for field in fields(record)}


def record_from_plain(kind: type, plain: dict[str, Any]) -> Any:
    """Return the dataclass again: lists become what its fields say, tuples or arrays."""
    return kind(**{field.name: _restored(plain[field.name], str(field.type)) for field in fields(kind)})


def _restored(value: Any, kind: str) -> Any:
    if not isinstance(value, list):
        return value
    return tuple(value) if kind.startswith("tuple") else np.array(value, dtype=float)
