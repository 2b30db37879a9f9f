"""Compressed files: gzip, bzip2, xz, zstandard where Python has it, and zip archives of one file."""

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

from kernelect.exceptions import UnusableTable
from kernelect.tabular.excel import is_spreadsheet

#: Bytes that a compressed table may become: a small file can unpack to more than the memory holds.
MOST_BYTES = 8 * 2**30

_ZIP = b"PK\x03\x04"


def _gzip(file: IO[bytes]) -> Any:
    return gzip.GzipFile(fileobj=file)


def _zstandard(file: IO[bytes]) -> Any:
    """Return the opened file: from Python 3.14 on, the standard library has it."""
    try:
        return import_module("compression.zstd").open(file)
    except ImportError as error:
        raise ValueError("this needs Python 3.14 or later") from error


#: First bytes -> what a compression is called, and what opens it.
_OPENERS: dict[bytes, tuple[str, Callable[[IO[bytes]], Any]]] = {
    b"\x1f\x8b": ("gzip", _gzip),
    b"BZh": ("bzip2", bz2.BZ2File),
    b"\xfd7zXZ\x00": ("xz", lzma.LZMAFile),
    b"\x28\xb5\x2f\xfd": ("zstandard", _zstandard),
}


def unpacked(data: bytes, source: str) -> tuple[bytes, str]:
    """Return what a compressed file holds, and the name that tells its format; other files as they are."""
    if data.startswith(_ZIP) and not is_spreadsheet(data):
        return _from_zip(data, source)
    for magic, (name, opener) in _OPENERS.items():
        if data.startswith(magic):
            opened = partial(opener, io.BytesIO(data))
            return _read(opened, source, name), str(Path(source).with_suffix(""))
    return data, source


def _from_zip(data: bytes, source: str) -> tuple[bytes, str]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except zipfile.BadZipFile as error:
        raise UnusableTable(f"{source} is a damaged zip archive: copy it again, or unpack it first.") from error
    files = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX/")]
    if len(files) != 1:
        raise UnusableTable(f"{source} is a zip archive of {len(files)} files: unpack it, and give the one table.")
    return _read(lambda: archive.open(files[0]), source, "zip"), Path(files[0]).name


def _read(opened: Callable[[], Any], source: str, name: str) -> bytes:
    try:
        with opened() as file:
            found: bytes = file.read(MOST_BYTES + 1)
    except (OSError, EOFError, ValueError, RuntimeError, NotImplementedError, zlib.error, lzma.LZMAError) as error:
        raise UnusableTable(
            f"{source} cannot be unpacked as {name} ({error}): copy it again, or unpack it first."
        ) from error
    if len(found) > MOST_BYTES:
        raise UnusableTable(f"{source} unpacks to more than {MOST_BYTES // 2**30} GB: keep fewer rows or columns.")
    return found
