"""Which parts there are, as the library's registries declare them."""

import importlib
import pkgutil

import kernelect
from kernelect.registry import REGISTRIES

#: Modules that the numerics do not need, and whose import does something or asks for an extra.
_ASIDE = ("kernelect.cli", "kernelect.__main__", "kernelect.plots", "kernelect.report", "kernelect.studies")


def declared_classes(kind):
    """Return the classes of one kind, whichever module declares them."""
    for found in pkgutil.walk_packages(kernelect.__path__, "kernelect."):
        if not found.name.startswith(_ASIDE):
            importlib.import_module(found.name)
    return sorted({entry.cls for entry in REGISTRIES[kind]}, key=lambda cls: cls.__name__)


def require_instances(kind, instances, where, aside=(), file="tests/contracts/parts.py"):
    """Fail where a declared class has no instance, and say what to add."""
    there = {type(instance) for instance in instances} | set(aside)
    missing = [cls.__name__ for cls in declared_classes(kind) if cls not in there]
    assert not missing, (
        f"the laws know no {' and no '.join(missing)}: add one line for each to {where} in {file}, "
        f"and the {kind} inherits every law."
    )
