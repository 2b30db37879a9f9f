"""The kinds of records that a model file holds: the word of each, its class, and the shapes of its arrays.

A file holds words of the table ``kinds.json`` and nothing that names a type. Fields and their types are those of the
dataclass; the table adds the word, and the axes of arrays by letter. Equal letters are equal lengths, a dot is any
length, a digit that length, and two dots are any further axes. Arrays hold finite numbers unless their text begins with
"places", "truths", "labels" or "targets"; "below d" and "from -1" are the limits of places, and "any" allows numbers
that are not finite. Letters that a record hands on to those in it (:mod:`kernelect.model.checks`): z inputs of the
model, d inputs in the component's view, k outputs, v functions of the component's first part.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from importlib import import_module
from inspect import get_annotations
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, get_type_hints

import numpy as np

from kernelect.exceptions import InvalidArgument, UnusableModel
from kernelect.registry import REGISTRIES

#: Letter -> length.
Lengths = Mapping[str, int]

#: Type of array -> its letters in NumPy, and the word of messages.
_TYPES = {
    "numbers": ("f", "numbers"),
    "places": ("i", "whole numbers"),
    "truths": ("b", "true or false"),
    "labels": ("biufUO", "labels"),
    "targets": ("if", "numbers or places"),
}

#: The text of axes: type, letters, limits of places, whether numbers may be infinite.
_TEXT = re.compile(rf"(?:({'|'.join(_TYPES)}) )?([\w.](?: (?:\w|\.\.?))*?)(?: below (\w))?(?: from (-1))?( any)?")


@dataclass(frozen=True, kw_only=True)
class Axes:
    """An array: equal letters are equal lengths, and a dot is any length.

    Attributes
    ----------
    letters : str
        Such as ``"n d"``; a digit is that length, and two dots at the end are any further axes.
    of : "numbers", "places", "truths", "labels" or "targets"
    below : str
        The letter (or ``"."``) whose length places stay below.
    least : int
        The smallest place; -1 if it stands for none.
    finite : bool
        Whether all numbers have to be finite.
    """

    letters: str
    of: str = "numbers"
    below: str = "."
    least: int = 0
    finite: bool = True

    @classmethod
    def parsed(cls, text: str) -> Axes:
        """Return the axes that a text describes, such as ``"p k"``, ``"places q below m from -1"`` or ``"n . any"``."""
        found = _TEXT.fullmatch(text)
        assert found is not None, text
        of, letters, below, least, infinite = found.groups()
        return cls(letters=letters, of=of or "numbers", below=below or ".", least=int(least or 0), finite=not infinite)

    def check(self, place: str, array: Any, lengths: MutableMapping[str, int]) -> None:
        """Raise if an array is not of this type and these lengths; letters that are new get its lengths."""
        kinds, word = _TYPES[self.of]
        if not isinstance(array, np.ndarray) or array.dtype.kind not in kinds or array.dtype.itemsize == 0:
            raise ValueError(f"{place} is no array of {word}")
        if self.of in ("numbers", "places", "targets") and array.dtype.itemsize != 8:
            raise ValueError(f"{place} has the type {array.dtype} where numbers of 8 bytes are expected")
        if not self._fit(array.shape, lengths):
            raise ValueError(f"{place} has the shape {array.shape} where ({self._words(lengths)}) is expected")

    def _fit(self, shape: tuple[int, ...], lengths: MutableMapping[str, int]) -> bool:
        letters = self.letters.split()
        if letters[-1] == "..":
            letters, shape = letters[:-1], shape[: len(letters) - 1]
        if len(letters) != len(shape):
            return False
        for letter, length in zip(letters, shape, strict=True):
            wanted = (
                int(letter) if letter.isdigit() else length if letter == "." else lengths.setdefault(letter, length)
            )
            if wanted != length:
                return False
        return True

    def _words(self, lengths: Lengths) -> str:
        return ", ".join(str(lengths.get(letter, letter)) for letter in self.letters.split())

    def check_values(self, place: str, array: Any, lengths: Lengths) -> None:
        """Raise if numbers are not finite, or places not below their length."""
        if self.of == "numbers" and self.finite and not np.isfinite(array).all():
            raise ValueError(f"{place} holds numbers that are not finite")
        if self.of == "places" and array.size:
            low, high = int(array.min()), int(array.max())
            most = lengths.get(self.below)
            if low < self.least or (most is not None and high >= most):
                raise ValueError(f"{place} holds the place {low if low < self.least else high}, which there is not")


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of record.

    Attributes
    ----------
    word : str
        As files have it.
    home : str
        Module and class, imported when a file holds the word.
    arrays : mapping of str to Axes
        The axes of each field that is an array, or a tuple of arrays.
    own : type or None
        The class of a registered part of one's own, which need not be found by its name.
    """

    word: str
    home: str
    arrays: Mapping[str, Axes] = field(default_factory=lambda: MappingProxyType({}))
    own: type[Any] | None = None

    @property
    def record(self) -> type[Any]:
        """The class of the record."""
        if self.own is not None:
            return self.own
        module, _, name = self.home.rpartition(".")
        found = getattr(import_module(module), name)
        assert isinstance(found, type)
        return found


def _kinds(text: str) -> tuple[Kind, ...]:
    found = []
    for word, entry in json.loads(text).items():
        home = f"kernelect.{entry.pop('class')}"
        arrays = MappingProxyType({name: Axes.parsed(axes) for name, axes in entry.items()})
        found.append(Kind(word=word, home=home, arrays=arrays))
    return tuple(found)


#: What files are made of.
KINDS = _kinds(Path(__file__).with_name("kinds.json").read_text(encoding="utf-8"))

#: Records around objects of Python, which no file can hold.
_NEVER = {
    "kernelect.model.parts.ForeignPart": "a machine of another library",
    "kernelect.kernels.translation.SklearnKernel": "a kernel of scikit-learn without a counterpart here",
    "kernelect.kernels.function.FunctionKernel": "a kernel that is a function of your own",
    "kernelect.dictionaries.functions.CallableColumns": "functions of your own",
}

_BY_WORD = {kind.word: kind for kind in KINDS}
_BY_HOME = {kind.home: kind for kind in KINDS}

#: Module and class of every kind, by the name of the class.
_HOMES = {kind.home.rpartition(".")[2]: kind.home for kind in KINDS}


def kind_named(word: object, bases: tuple[type, ...]) -> Kind:
    """Return the kind that a file means by a word, one of the library's or a registered part of one's own."""
    if isinstance(word, str) and word in _BY_WORD:
        return _BY_WORD[word]
    for registry in REGISTRIES.values():
        if any(issubclass(base, registry.base) or issubclass(registry.base, base) for base in bases):
            for entry in registry:
                if entry.name == word:
                    return _own(entry.cls, str(word))
    raise UnusableModel(
        f"The model holds a part named {str(word)[:60]!r}, which is not known here: import the module that registers "
        "it (kernelect.register) first, or fit the model again."
    )


def kind_of(record: object) -> Kind:
    """Return the kind of a record that is to be written."""
    cls = type(record)
    home = f"{cls.__module__}.{cls.__qualname__}"
    if home in _BY_HOME:
        return _BY_HOME[home]
    if home in _NEVER:
        raise InvalidArgument(
            f"The model has {_NEVER[home]}, which a model file cannot hold: keep the estimator with pickle or joblib."
        )
    for registry in REGISTRIES.values():
        for entry in registry:
            if entry.cls is cls and entry.name is not None and entry.name not in _BY_WORD:
                return _own(cls, entry.name)
    raise InvalidArgument(
        f"The model holds a {cls.__name__}, which a file cannot name: register the class under a name first "
        f"(kernelect.register({cls.__name__}, 'my-{cls.__name__.lower()}')), or keep the estimator with pickle."
    )


def _own(cls: type[Any], word: str) -> Kind:
    return Kind(word=word, home=f"{cls.__module__}.{cls.__qualname__}", own=cls)


def fields_of(cls: type[Any]) -> Mapping[str, Any]:
    """Return the declared type of every field that makes a record."""
    if cls not in _DECLARED:
        _DECLARED[cls] = _Declared(cls)
    return _DECLARED[cls]


def required_of(cls: type[Any]) -> frozenset[str]:
    """Return the fields without a value of their own."""
    return frozenset(one.name for one in _made_of(cls) if one.default is MISSING and one.default_factory is MISSING)


def _made_of(cls: type[Any]) -> list[Any]:
    return [one for one in fields(cls) if one.init] if is_dataclass(cls) else []


class _Declared(Mapping[str, Any]):
    """Names of fields and their types, each found when it is asked for."""

    def __init__(self, cls: type[Any]) -> None:
        self._cls, self._names, self._found = cls, [one.name for one in _made_of(cls)], dict[str, Any]()

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._found:
            home = next(base for base in self._cls.__mro__ if name in get_annotations(base))
            own = SimpleNamespace(__annotations__={name: get_annotations(home)[name]})
            try:
                found = get_type_hints(own, vars(sys.modules[home.__module__]), _Kinds())
            except (NameError, TypeError):  # annotations that only a type checker can resolve
                found = {}
            self._found[name] = found.get(name, Any)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class _Kinds(dict[str, Any]):
    """Classes of the kinds of records by their names, for modules that import them for type checkers alone."""

    def __missing__(self, name: str) -> Any:
        module, _, _ = _HOMES[name].rpartition(".")
        return getattr(import_module(module), name)


_DECLARED: dict[type[Any], _Declared] = {}
