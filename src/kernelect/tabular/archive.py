"""The archive around a model: its sizes and its header are checked before anything in it is read."""

from __future__ import annotations

import io
import json
import stat
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kernelect.exceptions import UnusableModel

#: Member of the archive that is read before anything else.
HEADER = "kernelect.json"

#: Member in which skops describes the objects.
DESCRIPTION = "schema.json"

#: Bytes that a file, one member and all members may have; a model of 10 000 rows with a full matrix has about 1 GB.
MOST_BYTES = 4 * 2**30

#: Bytes of the description: 30 000 columns need about half of it. It is the one member that becomes Python objects.
MOST_DESCRIPTION = 48 * 2**20

#: How many times its size in the file a model may take when unpacked. Models have 1 to 30, zeros compressed have 1000.
#: ``save_model`` does not compress a model that comes near it.
MOST_RATIO = 60

#: Unpacked bytes that need no ratio: small files are mostly description, which packs well.
_SMALL = 4 * 2**20

#: Compression that zipfile unpacks in bounded steps; it unpacks the others in one.
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True)
class Archive:
    """The bytes of a model file, its header and its description, none of which has been trusted yet."""

    name: str
    data: bytes
    header: dict[str, Any]
    description: Any
    members: frozenset[str]


def read_archive(path: Path) -> Archive:
    """Return a model file whose sizes have been checked, or say what the file is instead."""
    data, name = _bytes_of(path), path.name
    if data[:1] == b"\x80":
        raise UnusableModel(f"{name} is a pickle, which could run any code: it is never loaded. Fit the model again.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            check_sizes(archive, len(data), name)
            header = json.loads(archive.read(HEADER))
            return Archive(name, data, dict(header), _description(archive, name), frozenset(archive.namelist()))
    except UnusableModel:
        raise
    except Exception as error:  # no archive, no header, or a forged one
        raise UnusableModel(
            f"{name} is not a model saved by kernelect fit: give the model.skops that kernelect fit wrote."
        ) from error


def unpacked_ratio(data: bytes) -> float:
    """Return how many times its size an archive takes when unpacked."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return sum(member.file_size for member in archive.infolist()) / len(data)


def check_sizes(archive: zipfile.ZipFile, packed: int, name: str) -> None:
    """Raise where the sizes or the packing that an archive declares are not those of a model.

    zipfile never unpacks more of a member than was declared, so what is declared is what is read.
    """
    members = archive.infolist()
    if len({member.filename for member in members}) < len(members):
        raise UnusableModel(f"{name} holds a member twice, which no model does: fit the model again.")
    if any(member.compress_type not in _PACKED for member in members):
        raise UnusableModel(f"{name} is packed in a way that no model is: fit the model again.")
    size = sum(member.file_size for member in members)
    most = min(MOST_BYTES, max(_SMALL, MOST_RATIO * packed))
    if size > most:
        raise UnusableModel(
            f"{name} would unpack from {_megabytes(packed)} to {_megabytes(size)}, more than a model of its size does "
            f"({_megabytes(most)}), and was refused: fit the model again."
        )


def check_array(archive: zipfile.ZipFile, member: str) -> None:
    """Raise where a stored array declares more or fewer bytes than it has, or holds objects."""
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
        shape, _, dtype = read(file)
        size = archive.getinfo(member).file_size - file.tell()
    if dtype.kind not in "biufUS" or dtype.names is not None:
        raise ValueError(f"the array {member} has the type {dtype}")
    if any(length < 0 for length in shape) or dtype.itemsize * int(np.prod(shape, dtype=object)) != size:
        raise ValueError(f"the array {member} has {size} bytes and the shape {shape}")


def _bytes_of(path: Path) -> bytes:
    try:
        facts = path.stat()
        if stat.S_ISDIR(facts.st_mode):
            raise UnusableModel(f"{str(path)!r} is a folder: give the model.skops inside it.")
        if not stat.S_ISREG(facts.st_mode):
            raise UnusableModel(f"{str(path)!r} is not a regular file: save the model to a file first.")
        if facts.st_size > MOST_BYTES:
            raise UnusableModel(
                f"{path.name} has {_megabytes(facts.st_size)}, more than a model may have ({_megabytes(MOST_BYTES)})."
            )
        return path.read_bytes()
    except UnusableModel:
        raise
    except FileNotFoundError as error:
        raise UnusableModel(f"There is no model file {str(path)!r}: check the name and the folder.") from error
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or error
        raise UnusableModel(
            f"The model file {str(path)!r} cannot be read ({reason}): check the name and its permissions."
        ) from error


def _description(archive: zipfile.ZipFile, name: str) -> Any:
    size = archive.getinfo(DESCRIPTION).file_size
    if size > MOST_DESCRIPTION:
        raise UnusableModel(
            f"{name} describes its parts in {_megabytes(size)}, more than a model does "
            f"({_megabytes(MOST_DESCRIPTION)}), and was refused: fit the model again."
        )
    try:
        return json.loads(archive.read(DESCRIPTION))
    except (ValueError, RecursionError, zipfile.BadZipFile) as error:
        raise UnusableModel(f"{name} is damaged (its description cannot be read): fit the model again.") from error


def _megabytes(size: int) -> str:
    return f"{float(f'{size / 2**20:.3g}'):,g} MB"
