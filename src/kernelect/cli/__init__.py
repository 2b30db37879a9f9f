"""The command line: one module a command, imported when it is used."""

from __future__ import annotations

import gc
import os
import sys
import time

from kernelect.exceptions import MissingExtra
from kernelect.extras import load_extra

#: New objects after which Python looks for garbage.
_OBJECTS = 50_000


def main() -> None:
    """Run the command line, or say how to get it."""
    began = time.monotonic()  # time limits count the seconds of imports too
    # Imports make some hundred thousand objects that stay: to look for garbage among them takes a tenth of their time.
    gc.set_threshold(_OBJECTS, *gc.get_threshold()[1:])
    try:
        load_extra("click", caller="The command line", extra="cli")
    except MissingExtra as error:
        sys.exit(str(error))
    from kernelect.cli._signals import exit_code, heed_termination
    from kernelect.cli._terminal import forgive_encodings

    try:
        forgive_encodings()
        heed_termination()
        from kernelect.cli.commands import kernelect

        kernelect(prog_name="kernelect", obj=began)
    except KeyboardInterrupt as error:  # before click is there to hear it
        sys.exit(exit_code(error))
    finally:
        _flush()


def _flush() -> None:
    """Write what is left; output that cannot be written has had its sentence, and Python would add its own."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            with open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), stream.fileno())
