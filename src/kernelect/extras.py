"""Packages that not every user has: one door for all of them."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from kernelect.exceptions import MissingExtra


def versions_of(*packages: str) -> dict[str, str]:
    """Return the versions of the packages that are installed."""
    found = {}
    for package in packages:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def load_extra(module: str, *, caller: str, extra: str) -> Any:
    """Return an optional module, or say who needs it and how to install it.

    Parameters
    ----------
    module : str
        Such as ``"matplotlib.pyplot"``.
    caller : str
        What needs it, in the words that begin the message.
    extra : str
        Extra of this package that installs it.
    """
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ImportError as error:
        if (error.name or "").partition(".")[0] != package:  # it is there, and something that it needs is not
            raise
        raise MissingExtra(f"{caller} needs {package}: install it with pip install 'kernelect[{extra}]'.") from error
