"""Estimates the peak memory of a fit before allocating it."""

from __future__ import annotations

import os

from kernelect.exceptions import NotEnoughMemory


def available_bytes() -> float:
    """Return the memory that is available without swapping (infinite if unknown)."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return float(line.split()[1]) * 1024
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (OSError, ValueError, AttributeError):
        return float("inf")


def require_memory(n_rows: int, squares: float = 6.0, instead: str = "Fit a random subset of the rows") -> None:
    """Raise :class:`NotEnoughMemory` if ``squares`` n x n arrays would not fit; ``instead`` tells what to do then."""
    needed, free = squares * 8.0 * n_rows**2, available_bytes()
    if needed > free:
        rows = int((free / (8.0 * squares)) ** 0.5)
        raise NotEnoughMemory(
            f"Fitting {n_rows} rows needs about {needed / 2**30:.1f} GiB, {free / 2**30:.1f} GiB are free: "
            f"about {rows} rows would fit. {instead}, or use a machine with more memory."
        )
