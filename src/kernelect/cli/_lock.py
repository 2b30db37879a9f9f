"""One run at a time writes a results file: the lock beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kernelect.studies import ResultsError

#: What a lock of ours holds, by which one that a killed run has left is known from a file of somebody else.
_OURS = b"kernelect study run\n"


@contextmanager
def only_writer(path: Path) -> Iterator[None]:
    """Hold the results file against a second run, which would do the same cells; a dead run holds nothing.

    A file that bears the name of the lock and is not ours is locked like one, and never written or deleted.
    """
    try:
        import fcntl
    except ImportError:  # elsewhere SQLite's own lock keeps the file whole, only work may be done twice
        yield
        return
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        yield  # the store says what is wrong
        return
    lock = path.with_name(path.name + ".lock")
    while True:
        file = _opened(lock)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(file)
            raise ResultsError(f"Another run is writing {path}: wait for it, or give another --out.") from error
        if _is_at(lock, file):
            break
        os.close(file)  # its run has ended and removed it in between
    try:
        yield
    finally:
        if os.fstat(file).st_size == len(_OURS) and os.pread(file, len(_OURS), 0) == _OURS and _is_at(lock, file):
            lock.unlink(missing_ok=True)
        os.close(file)


def _opened(lock: Path) -> int:
    """Return the lock opened: a new one with our words in it, or the file that is there, as it is."""
    try:
        file = os.open(lock, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o644)
        os.write(file, _OURS)
        return file
    except FileExistsError:
        pass
    except OSError as error:
        raise _unusable(lock, error) from error
    try:
        return os.open(lock, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:  # removed in between, or a link to nowhere
        if lock.is_symlink():
            raise ResultsError(f"{lock} is a link to nowhere: remove it, or give another --out.") from None
        return _opened(lock)
    except OSError as error:
        raise _unusable(lock, error) from error


def _unusable(lock: Path, error: OSError) -> ResultsError:
    return ResultsError(f"The lock {lock} cannot be opened ({error.strerror}): give another --out.")


def _is_at(lock: Path, file: int) -> bool:
    """Tell whether the open file is the one that has the name."""
    try:
        return os.path.samestat(os.fstat(file), lock.stat())
    except OSError:
        return False
