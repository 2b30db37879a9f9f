"""Objects written as data: ``{call = "kernelect.LSSVC", kernel = "rbf", prior = {none = true}}``."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from kernelect.exceptions import InvalidArgument


def build(entry: Any) -> Any:
    """Return what an entry describes, parts first.

    A table with ``call`` is called with its other keys (``args`` gives positional ones),
    ``{none = true}`` is None, and any other entry stands for itself.
    """
    if isinstance(entry, list | tuple):
        return [build(part) for part in entry]
    if not isinstance(entry, Mapping):
        return entry
    if entry == {"none": True}:
        return None
    parts = {key: build(value) for key, value in entry.items() if key != "call"}
    if "call" not in entry:
        return parts
    args = parts.pop("args", [])
    try:
        return named(entry["call"])(*args, **parts)
    except TypeError as error:
        raise InvalidArgument(f"call = {entry['call']!r} cannot be called with {parts}: {error}.") from error


def named(path: str) -> Any:
    """Return the object at ``"package.module.name"`` or ``"package.module:name"``."""
    module, _, name = path.replace(":", ".").rpartition(".")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidArgument(f"{path!r} was not found ({error}): give package.module.name.") from error
