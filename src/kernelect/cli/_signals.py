"""What ends a command before its end: Ctrl-C, and a request of the system to terminate."""

from __future__ import annotations

import signal
import threading
from types import FrameType

#: Exit codes by the custom of shells, 128 and the number of the signal.
INTERRUPTED, TERMINATED = 130, 143


class Terminated(KeyboardInterrupt):
    """The process was asked to end (SIGTERM): it ends as by Ctrl-C, with its worker processes and parts of files."""


def heed_termination() -> None:
    """Raise on SIGTERM, unless whoever started the program has other plans for it."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminate)


def _terminate(*_: int | FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one would end the cleaning up
    raise Terminated


def exit_code(error: KeyboardInterrupt) -> int:
    """Return how a command ends that was stopped."""
    return TERMINATED if isinstance(error, Terminated) else INTERRUPTED
