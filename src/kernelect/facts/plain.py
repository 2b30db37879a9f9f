"""Records as plain lists and numbers that JSON can hold, and back."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


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


def record_from_plain(kind: type[T], plain: dict[str, Any]) -> T:
    """Return the dataclass again: lists become what its fields say, tuples or arrays."""
    return kind(**{field.name: _restored(plain[field.name], str(field.type)) for field in fields(kind)})  # type: ignore[arg-type]


def _restored(value: Any, kind: str) -> Any:
    if not isinstance(value, list):
        return value
    return tuple(value) if kind.startswith("tuple") else np.array(value, dtype=float)
