"""JavaScript: one constant."""

from __future__ import annotations

from typing import Any

from kernelect.export.javascript import to_javascript
from kernelect.export.targets import ExportOptions, ExportTarget


class JavaScriptConstant(ExportTarget):
    """One constant without dependencies, in double precision; see :func:`kernelect.export.to_javascript`."""

    words = "JavaScript"
    file = "model.js"
    takes = ("name",)

    def write(self, model: Any, options: ExportOptions) -> bytes:
        return to_javascript(model, name=options.name).encode()
