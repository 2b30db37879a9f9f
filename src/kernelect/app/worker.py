"""``python -m kernelect.app.worker fit ...`` runs a command that ends when the server which started it does."""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading
import time

#: Seconds that a command has to clean up once its server is gone.
_GRACE = 1.0

#: Commands that write reports.
_WRITE_REPORTS = ("fit", "report")


def run_command() -> None:
    """Run the command in the arguments."""
    threading.Thread(target=_end_with_server, daemon=True).start()
    if sys.argv[1] in _WRITE_REPORTS:
        _speak_of_controls()
    runpy.run_module("kernelect", run_name="__main__", alter_sys=True)


def _speak_of_controls() -> None:
    """Let reports call options what the page calls them."""
    from kernelect.app.wording import facts_in_page_words
    from kernelect.report.page import WORDS

    WORDS.set(facts_in_page_words)


def _end_with_server() -> None:
    """Wait until standard input ends, as it does however the server ends, and end this process."""
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_GRACE)
    os._exit(1)


if __name__ == "__main__":
    run_command()
