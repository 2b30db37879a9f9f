"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from uuid import uuid4

from kernelect.exceptions import InvalidArgument, UnwritableFile


def check_free(path: Path, force: bool) -> Path:
    """Return the file that would be written, or raise if it may not or cannot be.

    Only regular files are replaced, and only with ``force``: never a folder, a device, a pipe or a link
    that leads nowhere. A link to a regular file stays, and the file it leads to is replaced.

    Parameters
    ----------
    path : Path
    force : bool
        Whether a file of that name may be replaced.
    """
    try:
        found = Path(os.path.realpath(path)) if path.is_symlink() else path
        mode = _mode(found)
        folder = next(folder for folder in found.absolute().parents if folder.exists())
    except (OSError, ValueError) as error:  # a name that is too long, or holds a null character
        reason = getattr(error, "strerror", None) or error
        raise InvalidArgument(f"{_short(path)} cannot be written ({reason}): choose another --out.") from error
    if mode is None and path.is_symlink():
        raise InvalidArgument(
            f"{_short(path)} is a link to {_short(found)}, which does not exist: remove the link, or choose another "
            "--out."
        )
    if mode is not None:
        _check_kind(path, mode, force)
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise InvalidArgument(f"{_short(folder)} is not a folder that can be written to: choose another --out.")
    return found


def _mode(path: Path) -> int | None:
    """Return what kind of file there is, or None; ``exists`` would hide a name that cannot be."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def _check_kind(path: Path, mode: int, force: bool) -> None:
    if stat.S_ISDIR(mode):
        raise InvalidArgument(f"{_short(path)} is a folder: give the name of a file.")
    if not stat.S_ISREG(mode):
        raise InvalidArgument(
            f"{_short(path)} is a device or a pipe, which is never replaced: give the name of a regular file."
        )
    if not force:
        raise InvalidArgument(_taken(path))


def make_folder(path: Path) -> None:
    """Make a folder and those around it, or say in a sentence why not."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UnwritableFile(f"The folder {_short(path)} cannot be made ({reason}): choose another --out.") from error


def write_whole(path: Path, data: bytes, force: bool = False) -> None:
    """Write a file at once; see :func:`writing_whole`."""
    with writing_whole(path, force) as file:
        file.write(data)


@contextmanager
def writing_whole(path: Path, force: bool = False, *, private: bool = False) -> Iterator[IO[bytes]]:
    """Open a file beside its place and rename it at the end: a killed run leaves no half of it.

    The folder is made if it is not there. A file that is replaced keeps its permissions.

    Parameters
    ----------
    path : Path
    force : bool
        Whether a regular file of that name may be replaced.
    private : bool
        Whether only its owner may read a new file, as one that holds training rows.
    """
    place = check_free(path, force)
    make_folder(place.parent)
    before = _mode(place)
    part = place.with_name(f".{uuid4().hex}.part")  # short, so that it fits wherever the name itself does
    try:
        with part.open("xb") as file:
            if private or before is not None:  # before anything is in it
                part.chmod(stat.S_IMODE(before) if before is not None else stat.S_IRUSR | stat.S_IWUSR)
            yield file
            file.flush()
            os.fsync(file.fileno())
        _moved(part, place, path, force)
    except FileExistsError as error:
        raise InvalidArgument(_taken(path)) from error
    except OSError as error:  # a full disk
        raise UnwritableFile(
            f"{_short(path)} cannot be written ({error.strerror}): free some space or choose another --out."
        ) from error
    finally:
        part.unlink(missing_ok=True)


def _moved(part: Path, place: Path, path: Path, force: bool) -> None:
    """Give a finished file its name; without leave, none that someone else has given in the meantime."""
    if force:
        check_free(path, force)
        part.replace(place)
        return
    try:
        os.link(part, place)  # fails if there is such a file, which a rename would replace
    except (AttributeError, NotImplementedError, PermissionError, OSError) as error:
        if isinstance(error, FileExistsError) or os.path.lexists(place):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place)) from error
        part.replace(place)  # on a disk without links


def _taken(path: Path) -> str:
    return f"{_short(path)} is there already: overwrite it with --force, or choose another --out."


def _short(path: Path) -> str:
    """Return a path in quotes, without the middle of a very long one."""
    text = str(path)
    return repr(text if len(text) <= 200 else f"{text[:90]}...{text[-90:]}")
