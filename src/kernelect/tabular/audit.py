"""Which types a model file may ask for, and the search for others at every depth of its description.

skops describes each object by a node: the loader that builds it and the class it has. A file is
accepted where every node has a loader of this table with a class of that loader's list. skops itself
trusts far more (every estimator of scikit-learn, among them some that open files named in the data).
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from kernelect.exceptions import UnusableModel
from kernelect.model.kinds import KINDS
from kernelect.registry import stored_types
from kernelect.tabular.archive import Archive, check_array

#: The one class of scikit-learn in a model; it holds data, and neither opens files nor calls what it is given.
_SKLEARN = frozenset({"sklearn.pipeline.Pipeline"})

_NUMBERS = frozenset(f"numpy.{name}" for name in ("float64", "float32", "int64", "int32", "bool", "bool_", "str_"))

_PLAIN = frozenset(f"builtins.{name}" for name in ("str", "int", "float", "bool", "NoneType"))

#: Loader of skops -> classes it may build here, beside the registered ones where it builds objects.
_LOADERS: dict[str, frozenset[str]] = {
    "JsonNode": _PLAIN,
    "ListNode": frozenset({"builtins.list"}),
    "TupleNode": frozenset({"builtins.tuple"}),
    "DictNode": frozenset({"builtins.dict"}),
    "SliceNode": frozenset({"builtins.slice"}),
    "NdArrayNode": _NUMBERS | {"numpy.ndarray"},
    "DTypeNode": frozenset({"numpy.dtype"}),
    "TypeNode": _NUMBERS | _PLAIN,
    "ObjectNode": _SKLEARN,
}

#: Letters of a class name that a message quotes: a forged file may hold anything in its place.
_MOST_LETTERS = 80

#: Loaders whose class may also be one of ours: records and named tuples.
_OF_OURS = ("ObjectNode", "TupleNode")


def _ours() -> frozenset[str]:
    """Return the full names of our own classes that a model file may hold: registered ones, and records of models."""
    return frozenset(stored_types()) | {kind.home for kind in KINDS}


def trusted_types() -> frozenset[str]:
    """Return the full names of all classes that a model file may hold."""
    return _ours().union(*_LOADERS.values())


def strangers(description: Any) -> list[str]:
    """Return what a description asks for beyond a model's types: full names of classes, sorted."""
    ours = _ours()
    return sorted({name for node in _nodes(description) if (name := _stranger(node, ours)) is not None})


def check_types(archive: Archive) -> None:
    """Raise if a file asks for types that do not belong to a model."""
    found = [name[:_MOST_LETTERS] for name in strangers(archive.description)]
    if found:
        raise UnusableModel(
            f"{archive.name} asks for types that do not belong to a model and was refused: {', '.join(found[:5])}. "
            "A kernel or criterion of your own has to be registered (kernelect.register) before its models load."
        )


def check_arrays(archive: Archive) -> None:
    """Raise if a stored array is not what its own header says, before NumPy makes room for it."""
    with zipfile.ZipFile(io.BytesIO(archive.data)) as file:
        for member in archive.members:
            if member.endswith(".npy"):
                check_array(file, member)
    for node in _nodes(archive.description):
        named = node.get("file")
        if named is not None and (named not in archive.members or not str(named).endswith(".npy")):
            raise ValueError(f"the array {named} is missing")


def _nodes(entry: Any) -> Iterator[dict[str, Any]]:
    """Yield every node, wherever it stands; a loop and not a recursion, so that no depth is too deep."""
    waiting = [entry]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            if "__loader__" in found or "__class__" in found:
                yield found
            waiting.extend(found.values())
        elif isinstance(found, list):
            waiting.extend(found)


def _stranger(node: dict[str, Any], ours: frozenset[str]) -> str | None:
    """Return the name of a node's class where it is not allowed."""
    loader, name = node.get("__loader__"), f"{node.get('__module__')}.{node.get('__class__')}"
    allowed = _LOADERS.get(str(loader), frozenset())
    return None if name in allowed or (loader in _OF_OURS and name in ours) else name
