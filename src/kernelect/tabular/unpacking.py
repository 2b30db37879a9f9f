"""Compressed files: gzip, bzip2, xz, zstandard if Python has it, and zip archives of one file."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from kernelect.exceptions import UnusableTable, reason_of

#: Bytes that a compressed table may become: a small file can unpack to more than the memory holds.
MOST_BYTES = 8 * 2**30

#: How many times its size in the file a table may take when unpacked; text has 3 to 30, zeros alone have 1000.
MOST_RATIO = 300

#: Unpacked bytes that need no ratio.
_SMALL = 2**28

#: What a damaged or locked archive fails with.
_DAMAGED = (
    *(OSError, EOFError, ValueError, RuntimeError, NotImplementedError),
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError),
)


def _gzip(file: IO[bytes]) -> Any:
    return gzip.GzipFile(fileobj=file)


def _zstandard(file: IO[bytes]) -> Any:
    """Return the opened file: from Python 3.14 on, the standard library has it."""
    try:
        return import_module("compression.zstd").open(file)
    except ImportError as error:
        raise ValueError("this needs Python 3.14 or later") from error


_OPENERS: dict[str, Callable[[IO[bytes]], Any]] = {
    "gzip": _gzip,
    "bzip2": bz2.BZ2File,
    "xz": lzma.LZMAFile,
    "zstandard": _zstandard,
}


def unpacked(data: bytes, source: str, how: str) -> tuple[bytes, str]:
    """Return what a file that is compressed in this way holds, and the name that tells its format."""
    if how == "zip":
        return _from_zip(data, source)
    return _read(partial(_OPENERS[how], io.BytesIO(data)), len(data), source, how), str(Path(source).with_suffix(""))


def is_spreadsheet(data: bytes) -> bool:
    """Return whether a file is an Excel workbook, which is a zip archive with certain members."""
    if not data.startswith(b"PK\x03\x04"):
        return False
    try:
        return any(name.startswith("xl/") for name in zipfile.ZipFile(io.BytesIO(data)).namelist())
    except zipfile.BadZipFile:
        return False


def most_unpacked(packed: int, most: int = MOST_BYTES) -> int:
    """Return how many bytes a file of ``packed`` bytes may unpack to, never more than ``most``."""
    return min(most, max(_SMALL, MOST_RATIO * packed))


def _from_zip(data: bytes, source: str) -> tuple[bytes, str]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except zipfile.BadZipFile as error:
        raise UnusableTable(f"{source} is a damaged zip archive: copy it again, or unpack it first.") from error
    files = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX/")]
    if len(files) != 1:
        raise UnusableTable(f"{source} is a zip archive of {len(files)} files: unpack it, and give the one table.")
    return _read(lambda: archive.open(files[0]), len(data), source, "zip"), Path(files[0]).name


def _read(opened: Callable[[], Any], packed: int, source: str, name: str) -> bytes:
    most = most_unpacked(packed)
    try:
        with opened() as file:
            found: bytes = file.read(most + 1)
    except _DAMAGED as error:
        raise UnusableTable(
            f"{source} cannot be unpacked as {name} ({reason_of(error)}): copy it again, or unpack it first."
        ) from error
    if len(found) > most:
        raise UnusableTable(
            f"{source} unpacks to more than {most // 2**20} MB, {most // packed} times its size: unpack it first, or "
            "keep fewer rows or columns."
        )
    return found
