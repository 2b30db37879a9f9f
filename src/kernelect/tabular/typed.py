"""Whether the fields of a record have the types they are declared with."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from numbers import Integral, Real
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

from kernelect.exceptions import UnusableModel


def check_fields(place: str, record: Any) -> None:
    """Raise where a field of a dataclass is absent or has another type than its annotation says."""
    for name, hint in _hints(type(record)).items():
        if not hasattr(record, name):
            raise UnusableModel(f"{place} has no {name!r}")
        value = getattr(record, name)
        if not _fits(value, hint):
            raise UnusableModel(f"{place}.{name} is a {type(value).__name__} where {_words(hint)} is expected")


@cache
def _hints(kind: type) -> dict[str, Any]:
    try:
        known = get_type_hints(kind)
    except (NameError, TypeError):  # annotations that only a type checker can resolve
        return {field.name: Any for field in fields(kind)}
    return {field.name: known[field.name] for field in fields(kind)}


def _fits(value: Any, hint: Any) -> bool:
    """Tell whether a value has a declared type; what cannot be told counts as fitting."""
    origin = get_origin(hint)
    if hint is Any:
        return True
    if origin in (Union, types.UnionType):
        return any(_fits(value, each) for each in get_args(hint))
    if hint is None or hint is type(None):
        return value is None
    if origin is tuple:
        return isinstance(value, tuple) and _items_fit(value, get_args(hint))
    if is_typeddict(hint):
        return isinstance(value, dict) and _entries_fit(value, hint)
    if origin is list:
        return isinstance(value, list) and all(_fits(each, get_args(hint)[0]) for each in value)
    if origin in (dict, Mapping):
        key, item = get_args(hint)
        return isinstance(value, Mapping) and all(_fits(k, key) and _fits(v, item) for k, v in value.items())
    plain = origin or hint
    if plain is float:
        return isinstance(value, Real) and not isinstance(value, bool)
    if plain is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    return not isinstance(plain, type) or isinstance(value, plain)


def _items_fit(value: tuple[Any, ...], hints: tuple[Any, ...]) -> bool:
    if len(hints) == 2 and hints[1] is Ellipsis:
        return all(_fits(each, hints[0]) for each in value)
    return len(value) == len(hints) and all(map(_fits, value, hints))


def _entries_fit(value: dict[str, Any], hint: Any) -> bool:
    """Tell whether a dict has the keys of a typed one, and under each what belongs there."""
    known = get_type_hints(hint)
    return hint.__required_keys__ <= set(value) <= set(known) and all(
        _fits(each, known[key]) for key, each in value.items()
    )


def _words(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint).replace("typing.", "")
