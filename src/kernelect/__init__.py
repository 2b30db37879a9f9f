"""Kernel machines that select themselves.

Public names are loaded when they are first used, so that ``import kernelect`` and the
command line's help stay quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernelect import (
        criteria,
        datasets,
        dictionaries,
        explain,
        export,
        facts,
        kernels,
        machines,
        model,
        plots,
        priors,
        report,
        search,
        subsets,
        tabular,
    )
    from kernelect.estimators import (
        GPC,
        GPR,
        LSSVC,
        LSSVR,
        RVC,
        RVR,
        SVC,
        BasisSearchRegressor,
        OrdinalGPC,
    )
    from kernelect.mixture import KernelClassifier, KernelOrdinal, KernelRegressor, KernelSurvival
    from kernelect.model.file import load
    from kernelect.registry import register

__version__ = "0.1.0"

__all__ = [
    "GPC",
    "GPR",
    "LSSVC",
    "LSSVR",
    "RVC",
    "RVR",
    "SVC",
    "BasisSearchRegressor",
    "KernelClassifier",
    "KernelOrdinal",
    "KernelRegressor",
    "KernelSurvival",
    "OrdinalGPC",
    "criteria",
    "datasets",
    "dictionaries",
    "explain",
    "export",
    "facts",
    "kernels",
    "load",
    "machines",
    "model",
    "plots",
    "priors",
    "register",
    "report",
    "search",
    "subsets",
    "tabular",
]


if not TYPE_CHECKING:  # a type checker shall know an unknown name for one

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module 'kernelect' has no attribute {name!r}")
        if name in ("load", "register"):
            found = getattr(import_module("kernelect.model.file" if name == "load" else "kernelect.registry"), name)
        elif name.islower():
            found = import_module(f"kernelect.{name}")
        else:
            room = "mixture" if name.startswith("Kernel") else "estimators"
            found = getattr(import_module(f"kernelect.{room}"), name)
        globals()[name] = found  # so that the next time nothing is looked for
        return found


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
