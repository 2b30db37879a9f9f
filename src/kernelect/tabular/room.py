"""Whether a table that is read as a whole fits into memory."""

from __future__ import annotations

import os
from pathlib import Path

from kernelect.exceptions import NotEnoughMemory
from kernelect.numerics import available_bytes

#: Memory that a table read as a whole takes, over what Parquet says its cells take, and the share of what is free.
_SWELL, _SHARE = 4.0, 0.8


def require_room(path: str) -> None:
    """Raise where a Parquet file, or another of known size, would not fit into memory when read as a whole."""
    if not os.path.isfile(path):  # no name is too long for it
        return
    needed, free = _SWELL * _bytes_of(path), available_bytes()
    if needed > _SHARE * free:
        raise NotEnoughMemory(
            f"{path!r} needs about {needed / 2**30:.1f} GiB when it is read as a whole, {free / 2**30:.1f} GiB are "
            "free: read it piece by piece with --engine local."
        )


def _bytes_of(path: str) -> int:
    """Return the bytes of a file's cells."""
    if Path(path).suffix.lower() not in (".parquet", ".pq"):
        return Path(path).stat().st_size
    from kernelect.tabular.parquet import opened_parquet

    with opened_parquet(path) as file:
        return sum(file.metadata.row_group(k).total_byte_size for k in range(file.metadata.num_row_groups))
