"""Packages whose names are imported when they are first used, so that a part does not bring all of its siblings.

The stub ``__init__.pyi`` of such a package lists its public names and the modules that hold them, once for type
checkers and for the package itself.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def offered(package: str) -> tuple[Callable[[str], Any], list[str]]:
    """Return the ``__getattr__`` and the ``__all__`` of a package, from its stub.

    Parameters
    ----------
    package : str
        Its ``__name__``.

    Examples
    --------
    >>> load, names = offered("kernelect.kernels")
    >>> load("RBF").__name__
    'RBF'
    """
    module = sys.modules.get(package) or import_module(package)
    assert module.__file__ is not None
    stub = ast.parse(Path(module.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    lines = [line for line in stub.body if isinstance(line, ast.ImportFrom)]
    homes = {alias.name: str(line.module) for line in lines for alias in line.names}

    def found(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(module, name, value)
        return value

    return found, sorted(homes)
