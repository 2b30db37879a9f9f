"""Whether the fields of a record have the types they are declared with."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields
from numbers import Integral, Real
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict


def hints_of(kind: type[Any]) -> dict[str, Any]:
    """Return the declared types of a dataclass's fields."""
    try:
        known = get_type_hints(kind)
    except (NameError, TypeError):  # annotations that only a type checker can resolve
        return {field.name: Any for field in fields(kind)}
    return {field.name: known[field.name] for field in fields(kind)}


def fits(value: Any, hint: Any) -> bool:
    """Return whether a value has a declared type; what cannot be known counts as fitting."""
    origin = get_origin(hint)
    if hint is Any:
        return True
    if origin in (Union, types.UnionType):
        return any(fits(value, each) for each in get_args(hint))
    if hint is None or hint is type(None):
        return value is None
    if origin is tuple:
        return isinstance(value, tuple) and _items_fit(value, get_args(hint))
    if is_typeddict(hint):
        return isinstance(value, dict) and _entries_fit(value, hint)
    if origin is list:
        return isinstance(value, list) and all(fits(each, get_args(hint)[0]) for each in value)
    if origin in (dict, Mapping):
        key, item = get_args(hint)
        return isinstance(value, Mapping) and all(fits(k, key) and fits(v, item) for k, v in value.items())
    plain = origin or hint
    if plain is float:
        return isinstance(value, Real) and not isinstance(value, bool)
    if plain is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    return not isinstance(plain, type) or isinstance(value, plain)


def _items_fit(value: tuple[Any, ...], hints: tuple[Any, ...]) -> bool:
    if len(hints) == 2 and hints[1] is Ellipsis:
        return all(fits(each, hints[0]) for each in value)
    return len(value) == len(hints) and all(map(fits, value, hints))


def _entries_fit(value: dict[str, Any], hint: Any) -> bool:
    """Return whether a dict has the keys of a typed one, and under each what belongs there."""
    known = get_type_hints(hint)
    return hint.__required_keys__ <= set(value) <= set(known) and all(
        fits(each, known[key]) for key, each in value.items()
    )


_WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false", type(None): "nothing"}


def in_words(hint: Any) -> str:
    """Return what a declared type asks for, as a message writes it."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return " or ".join(in_words(part) for part in parts if part is not type(None))
    if origin is tuple and parts[1:] == (Ellipsis,):
        return f"a list of which each is {in_words(parts[0])}"
    if origin in (dict, Mapping):
        return "a table" if parts[1] is Any else f"a table of which each is {in_words(parts[1])}"
    return _WORDS.get(hint, getattr(hint, "__name__", str(hint)))
