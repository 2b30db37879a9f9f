"""Kernel machines that select themselves.

Public names are loaded when they are first used, so that ``import kernelect`` and the
command line's help stay quick.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_MODULES = (
    "criteria",
    "datasets",
    "dictionaries",
    "explain",
    "facts",
    "kernels",
    "plots",
    "priors",
    "report",
    "search",
    "subsets",
    "tabular",
)
_ESTIMATORS = ("GPC", "LSSVC", "LSSVR", "RVC", "RVR", "SVC", "BasisSearchRegressor")

__all__ = [*_ESTIMATORS, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _ESTIMATORS:
        return getattr(import_module("kernelect.estimators"), name)
    if name in _MODULES:
        return import_module(f"kernelect.{name}")
    raise AttributeError(f"module 'kernelect' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
