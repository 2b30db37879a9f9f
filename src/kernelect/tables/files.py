"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from kernelect.exceptions import InvalidArgument


def check_free(path: Path, force: bool) -> None:
    """Raise where a file would be overwritten without leave, or cannot be written at all."""
    if path.is_dir():
        raise InvalidArgument(f"{str(path)!r} is a folder: give the name of a file.")
    if path.exists() and not force:
        raise InvalidArgument(f"{str(path)!r} is there already: overwrite it with --force, or choose another --out.")
    folder = path.parent
    if folder.exists() and not os.access(folder, os.W_OK):
        raise InvalidArgument(f"The folder {str(folder)!r} cannot be written to: choose another --out.")


def write_whole(path: Path, data: bytes, force: bool = False) -> None:
    """Write a file beside its place, then rename it: a killed run leaves no half of it.

    Parameters
    ----------
    path : Path
    data : bytes
    force : bool
        Whether a file of that name may be replaced.
    """
    check_free(path, force)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
