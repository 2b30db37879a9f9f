"""Writing the archive of a model."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import IO

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.model.archive import MOST_BYTES, MOST_MEMBERS, MOST_RATIO, megabytes
from kernelect.typing import Array

#: A member is packed if its first bytes become smaller than this share; random digits have 0.95.
_WORTH, _FIRST = 0.8, 2**16

#: Of the same time for every file, so that equal models are equal files.
_TIME = (1980, 1, 1, 0, 0, 0)


def write_members(file: IO[bytes], members: dict[str, bytes], arrays: list[Array]) -> None:
    """Write texts, and arrays under their numbers; what packs well is packed, unless the whole looks like a bomb."""
    _check_room(members, arrays)
    if not _write(file, members, arrays, pack=True):
        file.seek(0)
        file.truncate()
        _write(file, members, arrays, pack=False)


def _check_room(texts: dict[str, bytes], arrays: list[Array]) -> None:
    size = sum(array.nbytes for array in arrays)
    if size > MOST_BYTES or len(arrays) + len(texts) > MOST_MEMBERS:
        raise InvalidArgument(
            f"The model has {len(arrays)} arrays of {megabytes(size)}, more than a file may have "
            f"({MOST_MEMBERS} arrays, {megabytes(MOST_BYTES)}): fit it on fewer rows, or with landmarks."
        )


def _write(file: IO[bytes], texts: dict[str, bytes], arrays: list[Array], *, pack: bool) -> bool:
    """Write all members, and return whether the archive is one that is read again."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in texts.items():
            _add(archive, name, data, pack)
        for number, array in enumerate(arrays):
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
            _add(archive, f"arrays/{number}.npy", buffer.getbuffer(), pack)
        unpacked = sum(member.file_size for member in archive.infolist())
    return not pack or unpacked <= MOST_RATIO / 2 * file.tell()


def _add(archive: zipfile.ZipFile, name: str, data: bytes | memoryview, pack: bool) -> None:
    first = bytes(data[:_FIRST])
    worth = pack and len(zlib.compress(first, 1)) < _WORTH * len(first)
    member = zipfile.ZipInfo(name, _TIME)
    member.compress_type = zipfile.ZIP_DEFLATED if worth else zipfile.ZIP_STORED
    member.external_attr = 0o600 << 16
    archive.writestr(member, data, compresslevel=6)
