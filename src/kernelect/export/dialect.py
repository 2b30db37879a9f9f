"""What loops need to know of a language with the syntax of C."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from kernelect.typing import Array, Indices


class Dialect(ABC):
    """What differs between languages."""

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
