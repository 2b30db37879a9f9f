"""The archive around a model: a zip of JSON texts and NumPy arrays, whose sizes are checked before anything is read.

Members are texts (``model.json``, ``training.json`` and the sections of a table) and arrays (``arrays/0.npy``, ...).
No name, size or header of a member is trusted: an archive that no model has is refused in a sentence. The size, depth
and number of values of a text are limited before it is parsed.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from kernelect.exceptions import InvalidArgument, UnusableModel, reason_of

Text = dict[str, Any]

#: The key of a record's word: no field can have this name, which is a keyword of Python.
WORD = "is"

#: Bytes of a text; a table of 30 000 columns has about a third of it.
MOST_TEXT = 32 * 2**20

#: Values of a text: each takes up to 100 bytes as an object.
MOST_VALUES = 1_000_000

#: How deep lists and records may lie in each other.
MOST_DEPTH = 64

#: A string, or the rest of the text after one without an end (so that no text takes longer than its length).
_STRINGS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)

_OPEN, _CLOSE = b"[{", b"]}"


def parsed(data: bytes, name: str) -> Text:
    """Return the record that a JSON text holds, or say why it is none of a model."""
    reason = _excess(data)
    if reason:
        raise ValueError(f"its {name} {reason}")
    try:
        found = json.loads(data, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"its {name} is damaged") from error
    if not isinstance(found, dict):
        raise ValueError(f"its {name} is no record")
    return found


def written(value: Text, name: str) -> bytes:
    """Return a record as JSON, or say why a file cannot hold it: what would not be read again is not written."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    data = text.encode(errors="surrogatepass")
    reason = _excess(data)
    if reason:
        raise InvalidArgument(f"The model cannot be saved (its {name} {reason}): fit it on fewer columns.")
    return data


def _excess(data: bytes) -> str:
    """Return why a text is larger than a model's, a part of a sentence; nothing if it is not."""
    if len(data) > MOST_TEXT:
        return f"has {len(data)} bytes, more than a model's ({MOST_TEXT})"
    bare = _STRINGS.sub(b"", data)
    if sum(bare.count(sign) for sign in (b"[", b"{", b",", b":")) > MOST_VALUES:
        return f"holds more than {MOST_VALUES} values, which no model does"
    if _depth(bare) > MOST_DEPTH:
        return f"is nested deeper than {MOST_DEPTH} levels, which no model is"
    return ""


def _depth(bare: bytes) -> int:
    brackets = np.frombuffer(bare.translate(None, delete=_NO_BRACKETS), dtype=np.uint8)
    steps = np.where(np.isin(brackets, np.frombuffer(_OPEN, dtype=np.uint8)), 1, -1)
    return int(np.cumsum(steps).max(initial=0))


_NO_BRACKETS = bytes(sorted(set(range(256)) - set(_OPEN + _CLOSE)))


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no JSON")


#: What a model file is called by default.
FILE_NAME = "model.kernelect"

#: Bytes that a file and all its members may have; a model of 10 000 rows with a full matrix has about 1 GB.
MOST_BYTES = 4 * 2**30 - 2**20

#: Members of an archive, and bytes of their list.
MOST_MEMBERS, _MOST_LIST = 20_000, 2 * 2**20

#: How many times its size in the file a model may take when unpacked. Models have 1 to 30, zeros compressed have 1000.
MOST_RATIO = 60

#: Unpacked bytes that need no ratio: small files are mostly text, which packs well.
_SMALL = 4 * 2**20

#: Compression that zipfile unpacks in bounded steps; it unpacks the others in one.
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

_MEMBERS = re.compile(r"(model|training|table|report)\.json|arrays/(0|[1-9]\d{0,5})\.npy")

#: The record at the end of a zip archive without a comment: signature, numbers of members and bytes of their list.
_END, _END_OF_LARGE = struct.Struct("<4s4H2LH"), b"PK\x06\x07"

#: Types of arrays in a file: true or false, whole numbers, numbers and text.
KINDS = "biufU"


class Archive:
    """An opened model file whose list of members has been checked; members are read when they are asked for.

    Parameters
    ----------
    file : file object
    name : str
        For messages.
    """

    def __init__(self, file: IO[bytes], name: str) -> None:
        self.name = name
        self.size = os.fstat(file.fileno()).st_size
        _check_end(file, self.size)
        self._zip = zipfile.ZipFile(file)
        _check_members(self._zip.infolist(), self.size)
        self._arrays: dict[int, Any] = {}

    def __contains__(self, member: str) -> bool:
        return member in self._zip.NameToInfo

    def text(self, member: str) -> Text:
        """Return the JSON of a member, whose size and depth are limited."""
        if member not in self:
            raise ValueError(f"it has no {member}")
        size = self._zip.getinfo(member).file_size
        if size > MOST_TEXT:
            raise ValueError(f"its {member} has {size} bytes, more than a model's ({MOST_TEXT})")
        return parsed(self._zip.read(member), member)

    def check_names(self) -> None:
        """Raise if a member is neither a text nor an array of a model."""
        for name in self._zip.namelist():
            if not _MEMBERS.fullmatch(name):
                raise ValueError(f"it holds {name[:80]!r}, which no model does")

    def array(self, number: object) -> Any:
        """Return an array, the same object each time that its number is given."""
        if type(number) is not int or f"arrays/{number}.npy" not in self:
            raise ValueError(f"it refers to the array {str(number)[:20]}, which it does not have")
        if number not in self._arrays:
            self._arrays[number] = self._loaded(f"arrays/{number}.npy")
        return self._arrays[number]

    def _loaded(self, member: str) -> Any:
        """Return an array after comparing what its header claims with its bytes."""
        with self._zip.open(member) as file:
            if np.lib.format.read_magic(file) != (1, 0):  # NumPy writes later ones only for long headers
                raise ValueError(f"{member} has a header that no model has")
            shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(file)
            size = self._zip.getinfo(member).file_size - file.tell()
            if dtype.kind not in KINDS or dtype.names is not None or dtype != dtype.newbyteorder("<"):
                raise ValueError(f"{member} has the type {str(dtype)[:40]}")
            if any(length < 0 for length in shape) or dtype.itemsize * math.prod(shape) != size:
                raise ValueError(f"{member} has {size} bytes and the shape {str(shape)[:80]}")
            values = np.frombuffer(bytearray(file.read()), dtype=dtype)
        return values.reshape(shape, order="F" if fortran_order else "C")


@contextmanager
def opened(path: str | Path) -> Iterator[Archive]:
    """Open a model file; whatever is wrong with it ends in one sentence of :class:`UnusableModel`."""
    path = Path(path)
    try:
        # Not blocking: the name may be that of a pipe.
        file = os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb")
    except FileNotFoundError as error:
        raise UnusableModel(f"There is no model file {str(path)!r}: check the name and the folder.") from error
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        if os.path.isdir(path):  # no name is too long for it
            raise UnusableModel(f"{str(path)!r} is a folder: give the {FILE_NAME} inside it.") from error
        reason = getattr(error, "strerror", None) or error
        raise UnusableModel(
            f"The model file {str(path)!r} cannot be read ({reason}): check the name and its permissions."
        ) from error
    with file:
        _check_kind(file, path)
        try:
            yield Archive(file, path.name)
        except UnusableModel:
            raise
        except Exception as error:  # a damaged or forged file may fail anywhere
            raise UnusableModel(f"{path.name} cannot be loaded ({reason_of(error)}): fit the model again.") from error


def _check_kind(file: IO[bytes], path: Path) -> None:
    facts = os.fstat(file.fileno())
    if not stat.S_ISREG(facts.st_mode):
        what = "a folder: give the model file inside it" if stat.S_ISDIR(facts.st_mode) else "not a regular file"
        raise UnusableModel(f"{str(path)!r} is {what}.")
    if facts.st_size > MOST_BYTES:
        raise UnusableModel(
            f"{path.name} has {megabytes(facts.st_size)}, more than a model may have ({megabytes(MOST_BYTES)})."
        )
    start = file.read(4)
    file.seek(0)
    if start[:1] == b"\x80":
        raise UnusableModel(
            f"{path.name} is a pickle, which could run any code: it is never loaded. Save the model with model.save."
        )
    if start != b"PK\x03\x04":
        raise UnusableModel(f"{path.name} is not a model file: give the {FILE_NAME} that kernelect wrote.")


def _check_end(file: IO[bytes], size: int) -> None:
    """Raise if the list of members is longer than a model's, before zipfile reads it."""
    room = _END.size + 20
    file.seek(max(size - room, 0))
    end = file.read(room)
    if len(end) < _END.size:
        raise ValueError("it is damaged")
    signature, _, _, _, count, length, _, comment = _END.unpack(end[-_END.size :])
    if signature != b"PK\x05\x06" or comment or end.startswith(_END_OF_LARGE):
        raise ValueError("it is damaged, or no archive that a model is")
    if count > MOST_MEMBERS or length > _MOST_LIST:
        raise ValueError(f"it has {count} members, more than a model may have ({MOST_MEMBERS})")


def _check_members(members: list[zipfile.ZipInfo], packed: int) -> None:
    """Raise if the sizes or the packing that an archive declares are not those of a model."""
    if len({member.filename for member in members}) < len(members):
        raise ValueError("it holds a member twice, which no model does")
    if any(member.compress_type not in _PACKED or member.flag_bits & 1 for member in members):
        raise ValueError("it is packed in a way that no model is")
    size, most = sum(member.file_size for member in members), min(MOST_BYTES, max(_SMALL, MOST_RATIO * packed))
    if size > most:
        raise ValueError(
            f"it would unpack from {megabytes(packed)} to {megabytes(size)}, more than a model of its size does "
            f"({megabytes(most)})"
        )


def megabytes(size: float) -> str:
    """Return a number of bytes in words."""
    return f"{float(f'{size / 2**20:.3g}'):,g} MB"
