"""The fields of records and their declared types."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from typing import Any, NamedTuple, get_type_hints


class _Declared(NamedTuple):
    hints: dict[str, Any]
    required: frozenset[str]


_KNOWN: dict[type[Any], _Declared] = {}


def fields_of(cls: type[Any]) -> dict[str, Any]:
    """Return the declared type of every field that makes a record."""
    return _declared(cls).hints


def required_of(cls: type[Any]) -> frozenset[str]:
    """Return the fields without a value of their own."""
    return _declared(cls).required


def _declared(cls: type[Any]) -> _Declared:
    if cls not in _KNOWN:
        _KNOWN[cls] = _found(cls)
    return _KNOWN[cls]


def _found(cls: type[Any]) -> _Declared:
    if not is_dataclass(cls):
        return _Declared({}, frozenset())
    try:
        hints = get_type_hints(cls)
    except (NameError, TypeError):  # annotations that only a type checker can resolve
        hints = {}
    own = [field for field in fields(cls) if field.init]
    required = [field.name for field in own if field.default is MISSING and field.default_factory is MISSING]
    return _Declared({field.name: hints.get(field.name, Any) for field in own}, frozenset(required))
