"""What the arrays of a record have to be: their type, and their axes by letter."""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any

import numpy as np

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
