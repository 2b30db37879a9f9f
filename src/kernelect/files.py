"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from kernelect.exceptions import InvalidArgument, UnwritableFile


def check_free(path: Path, force: bool) -> None:
    """Raise where a file would be overwritten without leave, or cannot be written at all."""
    if path.is_dir():
        raise InvalidArgument(f"{str(path)!r} is a folder: give the name of a file.")
    if path.exists() and not force:
        raise InvalidArgument(f"{str(path)!r} is there already: overwrite it with --force, or choose another --out.")
    folder = next(folder for folder in path.absolute().parents if folder.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise InvalidArgument(f"{str(folder)!r} is no folder that can be written to: choose another --out.")


def write_whole(path: Path, data: bytes, force: bool = False) -> None:
    """Write a file beside its place, then rename it: a killed run leaves no half of it.

    The folder is made if it is not there.

    Parameters
    ----------
    path : Path
    data : bytes
    force : bool
        Whether a file of that name may be replaced.
    """
    check_free(path, force)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:  # a full disk
        raise UnwritableFile(f"{str(path)!r} cannot be written ({error.strerror}).") from error
    finally:
        part.unlink(missing_ok=True)
