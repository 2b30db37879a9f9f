"""From JSON and arrays to records, each value by the declared type of its field.

Nothing in a file names a type: a record's word is looked up in the table of kinds, and has to be one that its field
may hold.
"""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np

from kernelect.model.archive import WORD, Archive, Text
from kernelect.model.kinds import fields_of, kind_named, required_of

#: Numbers that JSON has no sign for.
_UNUSUAL = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}

#: What is written in the place of an array.
_ARRAYS = ("array", "cells", "lower", "pieces")

#: Records that several components may share.
_ALIKE = ("view", "warp", "indicators")

#: Bytes to which arrays may add up over all places that refer to them, beyond this many times the file.
_SHARED, _ALWAYS = 100, 2**26


class Reader:
    """Builds the records of one archive.

    Parameters
    ----------
    archive : Archive
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._made: dict[tuple[Any, ...], Any] = {}
        self._room = _ALWAYS + _SHARED * archive.size

    def record(self, value: Any, bases: tuple[type, ...], place: str) -> Any:
        """Return the record that a JSON object describes, of one of the classes ``bases``."""
        if not isinstance(value, dict) or WORD not in value:
            raise ValueError(f"{place} is no record")
        if value[WORD] in _ALIKE:
            return self._alike(value, bases, place)
        return self._made_of(value, bases, place)

    def _alike(self, value: Text, bases: tuple[type, ...], place: str) -> Any:
        """Return a view; components with equal ones share it, as they did when they were fitted."""
        key = ("record", json.dumps(value, sort_keys=True))
        if key not in self._made:
            self._made[key] = self._made_of(value, bases, place)
        found = self._made[key]
        if not isinstance(found, bases):
            raise ValueError(f"{place} is a {value[WORD]!r}, which does not belong there")
        return found

    def _made_of(self, value: Text, bases: tuple[type, ...], place: str) -> Any:
        cls = kind_named(value[WORD], bases).record
        if not issubclass(cls, bases):
            raise ValueError(f"{place} is a {str(value[WORD])[:60]!r}, which does not belong there")
        hints, given = fields_of(cls), value.keys() - {WORD}
        strange, absent = given - hints.keys(), required_of(cls) - given
        if strange or absent:
            name = str(min(strange or absent))[:60]
            raise ValueError(f"{place} has {'a' if strange else 'no'} {name!r}{', which is unknown' * bool(strange)}")
        return cls(**{name: self.value(value[name], hints[name], f"{place}.{name}") for name in given})

    def value(self, value: Any, hint: Any, place: str) -> Any:
        """Return a value of a declared type."""
        fitting = [arm for arm in _arms(hint) if _has_form(value, arm)]
        if fitting and all(isinstance(arm, type) for arm in fitting) and isinstance(value, dict) and WORD in value:
            return self.record(value, tuple(fitting), place)
        if fitting:
            return self._built(value, fitting[0], place)
        raise ValueError(f"{place} is {_form(value)}, which does not belong there")

    def _built(self, value: Any, hint: Any, place: str) -> Any:
        origin = get_origin(hint) or hint
        if origin is Any or origin is object:
            return self._any(value, place)
        if origin is float:
            return _UNUSUAL[value] if isinstance(value, str) else float(value)
        if origin is np.ndarray:
            return self._array(value, place)
        if origin in (tuple, list):
            return self._many(value, hint, place)
        if origin in (dict, Mapping):
            item = get_args(hint)[1] if get_args(hint) else Any
            return {key: self.value(each, item, f"{place}[{key[:20]!r}]") for key, each in value.items()}
        return value

    def _any(self, value: Any, place: str) -> Any:
        """Return a value of a field that may hold anything: plain values, arrays, tuples and records."""
        if isinstance(value, list):
            return tuple(self._any(each, place) for each in value)
        if isinstance(value, dict):
            return self.record(value, (object,), place) if WORD in value else self._array(value, place)
        return value

    def _many(self, value: Any, hint: Any, place: str) -> Any:
        if isinstance(value, dict):
            return self._pieces(value)
        items = get_args(hint) or (Any, Ellipsis)
        each = [items[0]] * len(value) if items[1:] in ((Ellipsis,), ()) else list(items)
        if len(each) != len(value):
            raise ValueError(f"{place} has {len(value)} values where {len(each)} are expected")
        found = [self.value(one, item, f"{place}[{n}]") for n, (one, item) in enumerate(zip(value, each, strict=True))]
        return found if (get_origin(hint) or hint) is list else tuple(found)

    def _array(self, value: Text, place: str) -> Any:
        if "cells" in value:
            cells = np.array([*self._cells(value["cells"], place), None], dtype=object)[:-1]
            return cells if "codes" not in value else self._counted(cells[self._codes(value["codes"], len(cells))])
        if "lower" in value:
            return self._shared(("lower", value["lower"], value.get("rows"), value.get("order")), self._lower)
        return self._counted(_native(self._archive.array(value.get("array"))))

    def _cells(self, cells: Any, place: str) -> list[Any]:
        if not isinstance(cells, list) or any(isinstance(each, dict | list) for each in cells):
            raise ValueError(f"{place} holds no plain cells")
        return cells

    def _codes(self, number: object, count: int) -> Any:
        codes = self._archive.array(number)
        if codes.ndim != 1 or codes.dtype.kind != "i" or (len(codes) and not 0 <= codes.min() <= codes.max() < count):
            raise ValueError("it refers to labels that it does not have")
        return codes

    def _pieces(self, value: Text) -> tuple[Any, ...]:
        found: tuple[Any, ...] = self._shared(("pieces", value["pieces"], value.get("lengths")), self._cut)
        return found

    def _shared(self, key: tuple[Any, ...], make: Any) -> Any:
        if any(isinstance(each, dict | list) for each in key):
            raise ValueError("it refers to an array in a way that no model does")
        if key not in self._made:
            self._made[key] = make(*key[1:])
        found = self._made[key]
        self._counted(*found if isinstance(found, tuple) else (found,))
        return found

    def _cut(self, number: object, lengths: object) -> tuple[Any, ...]:
        whole, sizes = _native(self._archive.array(number)), self._archive.array(lengths)
        if sizes.ndim != 1 or sizes.dtype.kind != "i" or (sizes < 0).any() or whole.shape != (sizes.sum(),):
            raise ValueError("it holds pieces that do not make up their array")
        return tuple(np.split(whole, np.cumsum(sizes)[:-1])) if len(sizes) else ()

    def _lower(self, number: object, rows: object, order: object) -> Any:
        packed = _native(self._archive.array(number))
        if type(rows) is not int or rows < 0 or packed.shape != (rows * (rows + 1) // 2,) or order not in (None, "F"):
            raise ValueError("it holds a triangle of another size than it says")
        out = np.zeros((rows, rows), order="F" if order else "C")
        out[np.tril_indices(rows)] = packed
        return out

    def _counted(self, *arrays: Any) -> Any:
        """Return an array after counting its bytes: many places may share one, and every one of them is work."""
        self._room -= sum(64 + array.nbytes for array in arrays)
        if self._room < 0:
            raise ValueError("it refers to its arrays more often than a model of its size does")
        return arrays[0] if arrays else None


def _native(array: Any) -> Any:
    return array.astype(array.dtype.newbyteorder("="), copy=False)


@cache
def _arms(hint: Any) -> tuple[Any, ...]:
    """Return the types that a declared type allows."""
    if get_origin(hint) in (Union, types.UnionType):
        return tuple(arm for each in get_args(hint) for arm in _arms(each))
    return (type(None) if hint is None else hint,)


def _has_form(value: Any, hint: Any) -> bool:
    """Tell whether a JSON value looks like one of a declared type."""
    origin = get_origin(hint) or hint
    if origin is Any or origin is object:
        return True
    if origin is Literal:
        return value in get_args(hint)
    if origin is float:
        return (isinstance(value, float | int) and not isinstance(value, bool)) or (
            isinstance(value, str) and value in _UNUSUAL
        )
    if origin is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if origin in (str, bool, type(None)):
        return isinstance(value, origin)
    if origin is np.ndarray:
        return isinstance(value, dict) and any(word in value for word in _ARRAYS[:3]) and WORD not in value
    if origin in (tuple, list):
        return isinstance(value, list) or (isinstance(value, dict) and "pieces" in value and _holds_arrays(hint))
    if origin in (dict, Mapping):
        return isinstance(value, dict)
    return isinstance(value, dict) and WORD in value and isinstance(origin, type)


def _holds_arrays(hint: Any) -> bool:
    return any((get_origin(each) or each) is np.ndarray for each in get_args(hint))


def _form(value: Any) -> str:
    if isinstance(value, dict):
        return "a record" if WORD in value else "an array"
    return {str: "text", bool: "true or false", type(None): "nothing", list: "a list"}.get(type(value), "a number")
