"""Objects written as data: ``{call = "kernelect.LSSVC", kernel = "rbf", prior = {none = true}}``."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from kernelect.exceptions import InvalidArgument


def build(entry: Any) -> Any:
    """Return the object that an entry describes, building its parts first.

    A table with ``call`` is called with its other keys (``args`` gives positional ones),
    ``{none = true}`` is None, and any other entry is returned as it is.
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
    if not isinstance(args, list):
        raise InvalidArgument(f"args = {args!r} of call = {entry['call']!r} must be a list.")
    function = named(entry["call"])
    try:
        return function(*args, **parts)
    except (Exception, SystemExit) as error:  # a definition's code may do anything
        raise InvalidArgument(
            f"call = {entry['call']!r} cannot be called with {[*args, parts] if args else parts} ({_reason(error)}): "
            "check the arguments of the definition."
        ) from error


def named(path: Any) -> Any:
    """Return the object at ``"package.module.name"`` or ``"package.module:name"``."""
    if not isinstance(path, str):
        raise InvalidArgument(f"{path!r} must be text of the form package.module.name.")
    module, _, name = path.replace(":", ".").rpartition(".")
    try:
        return getattr(import_module(module), name)
    except (Exception, SystemExit) as error:  # importing runs the module
        raise InvalidArgument(f"{path!r} was not found ({_reason(error)}): give package.module.name.") from error


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": .")
