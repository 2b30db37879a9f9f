"""Estimates the peak memory of a fit before allocating it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from kernelect.exceptions import NotEnoughMemory

#: Files of a control group: its limit, what it uses, and which part of that is cache that gives way. Version 2, then 1.
_CONTROLLED = (
    ("", "memory.max", "memory.current", "inactive_file"),
    ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)

#: Addresses that BLAS takes at its first products: two libraries have buffers of 32 MiB each.
_BUFFERS = 2.0**27


def available_bytes(root: Path = Path("/")) -> float:
    """Return the memory that this process may still take without swapping (infinite if unknown).

    It is the least of what the machine has free, of the address space that a limit leaves (``ulimit -v``), and of what
    the control groups of a container or a batch system leave, version 1 or 2. ``root`` is where ``proc`` and ``sys``
    are.
    """
    return min(_of_machine(root), _of_address_space(root), *_of_control_groups(root))


def _of_machine(root: Path) -> float:
    try:
        free = _entries(root / "proc/meminfo").get("MemAvailable:")
        return free * 1024.0 if free is not None else float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (OSError, ValueError, AttributeError):
        return float("inf")


def _of_address_space(root: Path) -> float:
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return float("inf")
        return max(limit - 1024.0 * _entries(root / "proc/self/status").get("VmSize:", 0.0), 0.0)
    except (ImportError, OSError, ValueError):  # Windows has no such limits
        return float("inf")


def take_buffers() -> None:
    """Let BLAS take its buffers while there is room, if addresses are limited.

    Without room OpenBLAS asks for them again for ever, and answers to no signal but a kill.
    """
    if _BUFFERS <= _of_address_space(Path("/")) < float("inf"):
        from scipy.linalg.blas import dgemm

        square = np.ones((200, 200), order="F")
        square @ square
        dgemm(1.0, square, square)


def _of_control_groups(root: Path) -> Iterator[float]:
    """Yield what every control group leaves that this process is in, and each of those around it."""
    yield float("inf")
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        controllers, _, path = line.partition(":")[2].partition(":")
        for controller, *files in _CONTROLLED:
            if controller not in controllers.split(","):
                continue
            top = root / "sys/fs/cgroup" / controller
            here = top / path.lstrip("/")
            # A container may see its own group as the top, whatever its path is called outside.
            for folder in (here, *here.parents[: len(here.relative_to(top).parts)]):
                yield _left_in(folder, *files)


def _left_in(folder: Path, limit: str, used: str, cache: str) -> float:
    try:
        most = float((folder / limit).read_text(encoding="ascii"))  # "max" is no number
        now = float((folder / used).read_text(encoding="ascii"))
        return max(most - now + _entries(folder / "memory.stat").get(cache, 0.0), 0.0)
    except (OSError, ValueError):
        return float("inf")


def _entries(path: Path) -> dict[str, float]:
    """Return the numbers of a file with a name and a number on every line; none if there is no such file."""
    if not path.is_file():
        return {}
    words = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return {each[0]: float(each[1]) for each in words if len(each) > 1 and each[1].isdigit()}


def require_memory(
    n_rows: int, squares: float = 6.0, instead: Callable[[], str] = lambda: "Fit a random subset of the rows"
) -> None:
    """Raise :class:`NotEnoughMemory` if ``squares`` n x n arrays would not fit; ``instead`` says what to do then."""
    needed, free = squares * 8.0 * n_rows**2, available_bytes()
    if needed > free:
        rows = int((free / (8.0 * squares)) ** 0.5)
        raise NotEnoughMemory(
            f"Fitting {n_rows} rows needs about {needed / 2**30:.1f} GiB, {free / 2**30:.1f} GiB are free: "
            f"about {rows} rows would fit. {instead()}, or use a machine with more memory."
        )


take_buffers()
