"""One cell of a study, run anywhere: in this process, a joblib worker or a Dask worker.

A cell never raises for what happens inside it: a failure or a passed time limit becomes a result with
a message.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from kernelect.extras import versions_of
from kernelect.studies.build import named
from kernelect.studies.definition import Method
from kernelect.studies.splits import Problem

DONE, FAILED, TIMED_OUT = "done", "failed", "timed out"


class Key(NamedTuple):
    """What identifies a cell."""

    dataset: str
    method: str
    split: int

    def __str__(self) -> str:
        return f"{self.dataset}, {self.method}, split {self.split}"


@dataclass(frozen=True, kw_only=True)
class Task:
    """Everything a worker needs to run a cell."""

    key: Key
    method: Method
    problem: Problem
    needed: Mapping[str, Any] | None
    seed: int
    time_limit: float | None
    threads: int


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of a cell, and where and how long it ran."""

    key: Key
    state: str
    message: str
    figures: Mapping[str, Any]
    seconds: float
    seed: int
    environment: Mapping[str, Any]
    ended: float | None = None  # seconds since 1970, once it is in a file

    @property
    def done(self) -> bool:
        """Whether there is a result to count."""
        return self.state == DONE


class TimeLimitReached(BaseException):
    """Raised inside a cell by its clock; no ``except Exception`` on the way catches it."""


def run_cell(task: Task) -> Outcome:
    """Run one cell and return its outcome."""
    state, message, began = DONE, "", time.perf_counter()
    figures: Mapping[str, Any] = {}
    try:
        with threadpool_limits(task.threads), warnings.catch_warnings(), _clock(task.time_limit):
            warnings.simplefilter("ignore")  # what a fit warns of is in its status, which is kept
            runner = named(task.method.runner)
            found = runner(task.problem, task.method, task.needed, task.seed)
            figures = _plain({"split_kind": task.problem.kind, **found})
    except TimeLimitReached:
        state, message = TIMED_OUT, f"stopped at the time limit of {task.time_limit:g} s"
    except (Exception, SystemExit) as error:  # a cell that calls sys.exit ends itself, not the run
        state, message = FAILED, f"{type(error).__name__}: {error}"
    seconds = time.perf_counter() - began
    return Outcome(
        key=task.key,
        state=state,
        message=message,
        figures=figures,
        seconds=seconds,
        seed=task.seed,
        environment=environment(task.threads),
    )


def _plain(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return figures as they come back from the file: NumPy's numbers and arrays as Python's."""
    plain: dict[str, Any] = json.loads(json.dumps(figures, default=lambda value: value.tolist()))
    return plain


def lost(task: Task, message: str) -> Outcome:
    """Return the outcome of a cell whose worker died."""
    return Outcome(
        key=task.key,
        state=FAILED,
        message=message,
        figures={},
        seconds=0.0,
        seed=task.seed,
        environment=environment(task.threads),
    )


@contextmanager
def _clock(seconds: float | None) -> Iterator[None]:
    """Raise :class:`TimeLimitReached` in this thread once ``seconds`` have passed.

    An asynchronous exception and not an alarm: cells also run in threads of a Dask worker, which get no signals.
    It lands between two bytecodes, so a single long LAPACK call is finished first.
    """
    if seconds is None:
        yield
        return
    thread, lock, over = threading.get_ident(), threading.Lock(), False

    def ring() -> None:
        with lock:
            if not over:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TimeLimitReached))

    timer = threading.Timer(seconds, ring)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        with lock:
            over = True
        timer.cancel()


def environment(threads: int) -> dict[str, Any]:
    """Return the versions and the machine, which are stored with every cell."""
    packages = ("kernelect", "numpy", "scipy", "scikit-learn", "joblib", "distributed", "catboost", "lightgbm", "xrfm")
    return {
        "python": platform.python_version(),
        "packages": versions_of(*packages),
        "commit": _commit(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "host": platform.node(),
        "cores": os.cpu_count(),
        "threads": threads,
        "byteorder": sys.byteorder,
    }


@cache
def _commit() -> str:
    """Return the commit of the checkout that this runs from; of an installed package nothing."""
    root = Path(__file__).parents[3]
    if not ((root / ".git").exists() and (root / "pyproject.toml").exists()):
        return ""
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
