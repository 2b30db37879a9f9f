"""The command line: one module a command, imported when it is used."""

from __future__ import annotations

import sys

from kernelect.exceptions import MissingExtra
from kernelect.extras import load_extra


def main() -> None:
    """Run the command line, or say how to get it."""
    try:
        load_extra("click", caller="The command line", extra="cli")
    except MissingExtra as error:
        sys.exit(str(error))
    from kernelect.cli.commands import kernelect

    kernelect(prog_name="kernelect")
