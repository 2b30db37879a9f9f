"""What loops need to know of a language with the syntax of C."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from kernelect.typing import Array, Indices

#: Letters in a line of a table.
_WIDTH = 100


def source_pieces(file: str) -> dict[str, str]:
    """Return the pieces of a source file in this folder, each of which stands below a line ``//: name``."""
    text = (files("kernelect.export") / file).read_text(encoding="utf-8")
    _, *found = re.split(r"^//: (\w+)\n", text, flags=re.MULTILINE)
    return {name: piece.strip("\n") for name, piece in zip(found[::2], found[1::2], strict=True)}


@dataclass(kw_only=True)
class Dialect(ABC):
    """What differs between languages.

    Attributes
    ----------
    tables : list of str
        Declarations of the tables that were asked for, each once.
    helpers : dict of str to str
        Functions that were called, by name.
    """

    tables: list[str] = field(default_factory=list)
    helpers: dict[str, str] = field(default_factory=dict)
    _known: dict[tuple[str, bytes], str] = field(default_factory=dict)

    def table(self, kind: str, values: Array | Indices, texts: Sequence[str]) -> str:
        """Return the name of a table of numbers of some kind, which is written down once."""
        key = (kind, values.tobytes())
        if key not in self._known:
            self._known[key] = self.table_name(len(self._known))
            self.tables.append(self.declared(kind, self._known[key], texts))
        return self._known[key]

    @abstractmethod
    def table_name(self, number: int) -> str:
        """Return what the table with this number is called."""

    @abstractmethod
    def declared(self, kind: str, name: str, texts: Sequence[str]) -> str:
        """Return the declaration of a table with these entries."""

    @abstractmethod
    def number(self, value: float, wide: bool) -> str:
        """Return a number; ``wide`` is double whatever the export's precision."""

    @abstractmethod
    def call(self, op: str, args: Sequence[str], wide: bool) -> str:
        """Return the call of a function of numbers."""

    @abstractmethod
    def is_missing(self, value: str) -> str:
        """Return the test whether a number is NaN."""

    @abstractmethod
    def narrow(self, value: str) -> str:
        """Return a double in the export's precision."""

    @abstractmethod
    def loop(self, index: str, count: int) -> str:
        """Return the head of a loop."""

    @abstractmethod
    def vector(self, name: str, size: int, wide: bool) -> str:
        """Return the declaration of an array whose elements are set later."""

    @abstractmethod
    def scalar(self, name: str, value: str, wide: bool, *, changes: bool = False) -> str:
        """Return the declaration of a number."""

    @abstractmethod
    def whole(self, name: str, value: str) -> str:
        """Return the declaration of a whole number that changes."""

    @abstractmethod
    def numbers(self, values: Array, wide: bool, bits: int | None = None) -> str:
        """Return the name of a table of numbers, flat, which is written down once; whole ones of so many bits."""

    @abstractmethod
    def places(self, values: Indices) -> str:
        """Return the name of a table of whole numbers."""

    @abstractmethod
    def cell(self, position: str) -> str:
        """Return a cell of the row as a double."""

    @abstractmethod
    def code(self, name: str, position: int, n_levels: int) -> str:
        """Return the declaration of a cell's row in lookup tables: of its level, a missing cell, any other level."""


def wrapped(texts: Sequence[str]) -> str:
    """Return entries of a table in lines of bounded width."""
    lines, line = [], "  "
    for place, text in enumerate(texts):
        piece = text + ("," if place < len(texts) - 1 else "")
        if len(line) + len(piece) > _WIDTH and line.strip():
            lines.append(line.rstrip())
            line = "  "
        line += piece + " "
    return "\n".join([*lines, line.rstrip()])
