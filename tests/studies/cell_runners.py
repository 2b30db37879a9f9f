"""Runners for tests: cells that fail, dawdle or kill their process."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np


def fails(problem, method, needed, seed):
    raise ValueError("broken on purpose")


def dawdles(problem, method, needed, seed):
    end = time.monotonic() + 60.0
    while time.monotonic() < end:
        time.sleep(0.005)
    return {"error": 0.0}


def dies_once(problem, method, needed, seed):
    """Kill the process the first time a cell with this seed runs, succeed the second time."""
    mark = Path(method.options["folder"]) / f"{seed}"
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"error": float(seed % 7)}


def always_dies(problem, method, needed, seed):
    os.kill(os.getpid(), signal.SIGKILL)


def slow(problem, method, needed, seed):
    """Take a moment, leave a line behind for every time it ran."""
    time.sleep(method.options.get("seconds", 0.1))
    with open(Path(method.options["folder"]) / "ran.txt", "a") as file:
        file.write(f"{seed}\n")
    return {"error": float(seed % 11)}


def doubles(problem, method, needed, seed):
    return {"error": 2.0 * needed["error"]}


def kills_first(problem, method, needed, seed):
    """The cell with the smallest number kills its process once, after a moment; the others take longer."""
    mark = Path(method.options["folder"]) / "killed"
    if seed == method.options["killer"] and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.2)
    return {"error": 1.0}


def gives_numpy(problem, method, needed, seed):
    return {"error": np.float64(1.5), "mistakes": np.int64(3), "theta": np.arange(2)}


def leaves(problem, method, needed, seed):
    sys.exit(0)
