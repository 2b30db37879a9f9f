"""From a record to JSON and arrays.

A record is ``{"is": word, field: value, ...}``, an array ``{"array": number}``; see the page of the format.
"""

from __future__ import annotations

import math
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.model.archive import WORD, Text
from kernelect.model.kinds import fields_of, kind_of

#: Rows from which a triangle is written without the zeros above it.
_TRIANGLE = 16

#: Cells that an array of objects may hold.
_CELLS = (str, int, float, bool, type(None))


class Writer:
    """Turns records into JSON, and collects their arrays, each once."""

    def __init__(self) -> None:
        self.arrays: list[Any] = []
        self._numbers: dict[Any, Text] = {}
        self._kept: list[Any] = []  # so that no array of another record gets the address of one that is gone

    def record(self, record: Any) -> Text:
        """Return a record with its word and its fields; those that have the value they have anyway are left out."""
        cls = type(record)
        found: Text = {WORD: kind_of(record).word}
        if not is_dataclass(record):
            if vars(record):
                raise InvalidArgument(
                    f"{cls.__name__} cannot be written to a model file: make it a dataclass, whose fields are its data."
                )
            return found
        usual = {field.name: field.default for field in fields(record)}
        for name in fields_of(cls):
            value = getattr(record, name)
            if usual[name] is MISSING or value is not usual[name]:
                found[name] = self.value(value, f"{cls.__name__}.{name}")
        return found

    def value(self, value: Any, place: str) -> Any:
        """Return a value as JSON has it."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else repr(value)
        if isinstance(value, np.ndarray):
            return self._array(value, place)
        if isinstance(value, tuple | list):
            return self._many(tuple(value), place)
        if isinstance(value, dict):
            return {str(key): self.value(each, place) for key, each in value.items()}
        if callable(value) and not is_dataclass(value):
            raise InvalidArgument(
                f"{place} is a function, which a model file cannot hold: use a kernel or dictionary of kernelect, or "
                "keep the estimator with pickle."
            )
        return self.record(value)

    def _many(self, values: tuple[Any, ...], place: str) -> Any:
        flat = all(isinstance(each, np.ndarray) and each.ndim == 1 and each.dtype == float for each in values)
        if len(values) < 2 or not flat:
            return [self.value(each, place) for each in values]
        key = tuple(map(id, values))
        if key not in self._numbers:  # many short arrays are one
            lengths = np.array([len(each) for each in values], dtype=np.int64)
            self._kept.append(values)
            self._numbers[key] = {"pieces": self._add(np.concatenate(values)), "lengths": self._add(lengths)}
        return self._numbers[key]

    def _array(self, array: Any, place: str) -> Text:
        if id(array) not in self._numbers:
            self._kept.append(array)
            self._numbers[id(array)] = self._written(array, place)
        return self._numbers[id(array)]

    def _written(self, array: Any, place: str) -> Text:
        if array.dtype.kind == "O":
            cells = [each.item() if isinstance(each, np.generic) else each for each in array.ravel()]
            if array.ndim != 1 or not all(isinstance(each, _CELLS) for each in cells):
                raise InvalidArgument(f"{place} holds objects that are neither text nor numbers: give plain labels.")
            return self._coded(cells, place)
        if _is_lower(array):
            packed = array[np.tril_indices(len(array))]
            order = {"order": "F"} if array.flags.f_contiguous else {}
            return {"lower": self._add(packed), "rows": len(array), **order}
        return {"array": self._add(array)}

    def _coded(self, cells: list[Any], place: str) -> Text:
        """Return labels as the different ones and, for many rows, the place of each row's among them."""
        places = {each: code for code, each in enumerate(dict.fromkeys((type(cell), cell) for cell in cells))}
        if len(places) == len(cells):
            return {"cells": [self.value(each, place) for each in cells]}
        codes = np.array([places[type(cell), cell] for cell in cells], dtype=np.int64)
        return {"cells": [self.value(cell, place) for _, cell in places], "codes": self._add(codes)}

    def _add(self, array: Any) -> int:
        plain = array.astype(array.dtype.newbyteorder("<"), copy=False)
        if plain.dtype.kind in "iu":
            plain = plain.astype("<i8")
        self.arrays.append(plain)
        return len(self.arrays) - 1


def _is_lower(array: Any) -> bool:
    square = array.ndim == 2 and array.shape[0] == array.shape[1] >= _TRIANGLE and array.dtype == np.float64
    return bool(square and not array[0, 1:].any() and not array[np.triu_indices(len(array), 1)].any())
