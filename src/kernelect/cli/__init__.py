"""The command line: one module a command, imported when it is used."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line, or say how to get it."""
    try:
        from kernelect.cli.commands import kernelect
    except ImportError as error:
        if (error.name or "").split(".")[0] != "click":
            raise
        sys.exit("The command line needs click: install all it needs with pip install 'kernelect[cli]'.")
    kernelect(prog_name="kernelect")
