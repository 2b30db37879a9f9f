"""The machines by name; each criterion declares by these names which machines it can judge."""

from __future__ import annotations

from typing import Any

from kernelect.machines.base import Machine
from kernelect.machines.ep.machine import EP
from kernelect.machines.lssvm.full import LSSVM
from kernelect.machines.rvm import RVM
from kernelect.machines.svm.machine import SVM
from kernelect.registry import Registry

MACHINES: Registry[Machine[Any]] = Registry("machine", Machine)  # type: ignore[type-abstract]

for _cls in (LSSVM, SVM, EP, RVM):
    MACHINES.register(_cls, _cls.name)
