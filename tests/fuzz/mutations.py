"""Bytes that were a file once: the changes a bad disk, a bad network or a bad mind makes."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import numpy as np

#: Bytes at which parsers stumble.
INTERESTING = (
    b"\x00",
    b"\xff\xff\xff\xff",
    b"\x7f\xff\xff\xff",
    b'"',
    b"\r",
    b"\n",
    b",",
    b"\x80",
    b"PAR1",
    b"{" * 50,
    b"9" * 400,
)


def mutated(data: bytes, seed: int, changes: int) -> bytes:
    """Return the bytes with some changes: bits, spans taken out, doubled or moved, odd bytes, an end cut off."""
    generator = np.random.default_rng(seed)
    out = bytearray(data)
    for _ in range(changes):
        if not out:
            break
        at = int(generator.integers(len(out)))
        span = int(generator.integers(1, max(2, min(len(out) // 4, 200))))
        kind = int(generator.integers(7))
        if kind == 0:
            out[at] ^= 1 << int(generator.integers(8))
        elif kind == 1:
            del out[at : at + span]
        elif kind == 2:
            out[at:at] = out[at : at + span]
        elif kind == 3:
            out[at:at] = INTERESTING[int(generator.integers(len(INTERESTING)))]
        elif kind == 4:
            del out[at:]
        elif kind == 5:
            out[at : at + span] = bytes(generator.integers(256, size=span, dtype=np.uint8))
        else:
            piece = out[at : at + span]
            del out[at : at + span]
            place = int(generator.integers(len(out) + 1))
            out[place:place] = piece
    return bytes(out)


def reforged(data: bytes, seed: int, changes: int) -> bytes:
    """Return an archive whose description or arrays were changed with care: every checksum is right."""
    generator = np.random.default_rng(seed)
    members = members_of(data)
    for _ in range(changes):
        if generator.random() < 0.5 or not any(name.endswith(".npy") for name in members):
            _change_description(members, generator)
        else:
            _change_array(members, generator)
    return archive_of(members)


def members_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def archive_of(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)  # without the time of day
    return file.getvalue()


#: What a value of the description may be turned into.
_VALUES: tuple[Any, ...] = (
    None, -1, 0, 10**30, "", "x" * 300, [], {}, True, float("1e308"), "os", "system", "builtins", "eval", "../../x",
    "nan", "-inf", {"array": 0}, {"array": 10**9}, {"cells": [[]]}, {"lower": 0, "rows": 10**6}, {"pieces": 0},
    {"is": "view"}, {"is": "model"}, {"is": "rbf", "gamma": "auto"}, {"is": "os.system"}, "null",
    "kernelect.estimators.lssvm", "1", "NaN",
)  # fmt: skip


def _graph(value: Any, generator: np.random.Generator) -> Any:
    """Return a value within itself, side by side with itself, or in the place of a name for it."""
    kind, many = int(generator.integers(4)), int(generator.integers(2, 200))
    if kind == 0:
        return [value] * many if len(json.dumps(value)) * many < 10**6 else [value]
    if kind == 1:
        return {"__id__": many, "content": value}
    if kind == 2:
        return {"$ref": "#/model"}
    for _ in range(many):
        value = {"is": "on-columns", "columns": [0], "kernel": value}
    return value


def _change_description(members: dict[str, bytes], generator: np.random.Generator) -> None:
    texts = sorted(name for name in members if name.endswith(".json"))
    if not texts:
        return
    name = texts[int(generator.integers(len(texts)))]
    try:
        document = json.loads(members[name])
    except ValueError:
        return
    places = list(_places(document))
    if not places:
        return
    holder, key = places[int(generator.integers(len(places)))]
    action = int(generator.integers(5))
    if action == 4:
        holder[key] = _graph(holder[key], generator)
    elif action == 0 and isinstance(holder, dict):
        holder.pop(key)
    elif action == 1:
        other, there = places[int(generator.integers(len(places)))]
        holder[key] = json.loads(json.dumps(other[there])) if isinstance(other, dict | list) else None
    else:
        holder[key] = _VALUES[int(generator.integers(len(_VALUES)))]
    members[name] = json.dumps(document).encode()


def _places(document: Any) -> Any:
    """Yield every (holder, key) of a JSON document."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield document, key
            yield from _places(value)
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield document, index
            yield from _places(value)


def _change_array(members: dict[str, bytes], generator: np.random.Generator) -> None:
    names = sorted(name for name in members if name.endswith(".npy"))
    name = names[int(generator.integers(len(names)))]
    try:
        array = np.load(io.BytesIO(members[name]), allow_pickle=False)
    except Exception:  # an array of objects, or one that was changed before
        return
    number = array.astype(float) if array.dtype.kind in "fiub" else np.zeros(array.shape)
    changes = [
        lambda: np.full(array.shape, np.nan),
        lambda: number * 1e300,
        lambda: number[:-1] if array.ndim and len(array) else number,
        lambda: np.vstack([number, number]) if array.ndim == 2 else np.concatenate([number.ravel()] * 2),
        lambda: number.T,
        lambda: number.astype(np.int8),
        lambda: number.astype(complex),
        lambda: np.array(["text"] * max(array.size, 1)),
        lambda: np.zeros((0, 3)),
        lambda: -number,
        lambda: number.reshape(-1),
        lambda: np.where(np.arange(array.size).reshape(array.shape) == 0, np.inf, number),
    ]
    with np.errstate(all="ignore"):  # what one change left may be NaN to the next, which makes whole numbers of it
        array = changes[int(generator.integers(len(changes)))]()
    file = io.BytesIO()
    np.save(file, array)
    members[name] = file.getvalue()
