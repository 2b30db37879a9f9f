"""Which parts there are, as the library itself declares them.

A kind with a registry is asked there; of the others every concrete class in the package counts.
"""

import importlib
import inspect
import pkgutil

import kernelect
from kernelect.registry import REGISTRIES

#: Modules that the numerics do not need, and whose import does something or asks for an extra.
_ASIDE = ("kernelect.cli", "kernelect.__main__", "kernelect.plots", "kernelect.report", "kernelect.studies")


def import_everything():
    for found in pkgutil.walk_packages(kernelect.__path__, "kernelect."):
        if not found.name.startswith(_ASIDE):
            importlib.import_module(found.name)


def declared_classes(kind, base):
    """Return the classes of one kind: the registry's, or where there is none all concrete ones."""
    import_everything()
    if kind in REGISTRIES:
        return sorted({entry.cls for entry in REGISTRIES[kind]}, key=lambda cls: cls.__name__)
    return sorted(set(_concrete(base)), key=lambda cls: cls.__name__)


def _concrete(base):
    for cls in base.__subclasses__():
        yield from _concrete(cls)
        if cls.__module__.startswith("kernelect.") and not inspect.isabstract(cls):
            yield cls


def without_instance(kind, base, instances, aside=()):
    """Return the names of declared classes of which ``instances`` holds none."""
    there = {type(instance) for instance in instances} | set(aside)
    return [cls.__name__ for cls in declared_classes(kind, base) if cls not in there]


def add_a_line(kind, missing, where):
    """Return what a failing test says: what to add, and where."""
    return (
        f"no {kind} in {where} is a {' nor a '.join(missing)}: add one line for each to {where} in "
        "tests/contracts/parts.py, and it inherits every law."
    )
