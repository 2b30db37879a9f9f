"""C99: one header."""

from __future__ import annotations

from typing import Any

from kernelect.export.c import to_c
from kernelect.export.targets import ExportOptions, ExportTarget


class CHeader(ExportTarget):
    """One header of C99, see :func:`kernelect.export.to_c`."""

    words = "C"
    file = "model.h"
    takes = ("single", "bits", "name")

    def write(self, model: Any, options: ExportOptions) -> bytes:
        real = "float" if options.single else "double"
        return to_c(model, real=real, name=options.name, bits=options.bits).encode()
