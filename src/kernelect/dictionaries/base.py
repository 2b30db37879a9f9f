"""The contract of a dictionary: where candidate functions come from.

A :class:`Dictionary` is a recipe that holds parameters only. ``build(X)`` turns it into
:class:`Candidates`: M definite functions of a row, which can be evaluated at any rows, cut down to
a few of them, and described. Searches use nothing else, so they work with every dictionary.

Notation: n rows, d inputs, M candidate functions, D (n, M) the design matrix they give.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.kernels import Kernel
from kernelect.kernels.scale import input_scales
from kernelect.typing import Array, Indices


class Candidates(ABC):
    """M functions of a row."""

    @abstractmethod
    def __len__(self) -> int:
        """Return M."""

    @abstractmethod
    def evaluate(self, X: Array) -> Array:
        """Return the (n, M) values at the rows of ``X``."""

    @abstractmethod
    def take(self, chosen: Indices) -> Self:
        """Return the candidates with these indices only, which keeps a fitted model small."""

    @abstractmethod
    def describe(self) -> list[str]:
        """Return a readable phrase for each function."""

    def pullback(self, X: Array, weights: Array) -> Array:
        """Return the derivative of ``sum(weights * evaluate(X))`` in the log-parameters of its kernels.

        The array is empty for functions that are not made of kernels.
        """
        return np.zeros(0)


class ListedCandidates(Candidates):
    """Functions that one field lists, an entry each."""

    #: The name of that field.
    listed: ClassVar[str]

    def __len__(self) -> int:
        return len(getattr(self, self.listed))

    def take(self, chosen: Indices) -> Self:
        entries = getattr(self, self.listed)
        kept = entries[chosen] if isinstance(entries, np.ndarray) else tuple(entries[i] for i in chosen)
        return replace(self, **{self.listed: kept})  # type: ignore[type-var]


class Dictionary(ABC):
    """A recipe for candidate functions; ``+`` joins two of them."""

    @abstractmethod
    def build(self, X: Array) -> Candidates:
        """Return the candidates for training rows ``X``."""

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """Its kernels; their ``"auto"`` widths have to be found before ``build``."""
        return ()

    def with_kernels(self, kernels: tuple[Kernel, ...]) -> Dictionary:
        """Return the dictionary with other kernels, in the order of ``kernels``."""
        return self

    def __add__(self, other: object) -> Dictionary:
        from kernelect.dictionaries.registry import as_dictionary
        from kernelect.dictionaries.union import Union

        return Union.of(self, as_dictionary(other))


@dataclass(frozen=True, eq=False, kw_only=True)
class InputScale:
    """Centre and spread of the inputs, which make functions of the inputs independent of units.

    A constant input gets spread 1 and becomes a null column, which the search drops.
    """

    centre: Array
    spread: Array

    @classmethod
    def of(cls, X: Array) -> InputScale:
        """Return mean and standard deviation of each input over the distinct rows.

        Only distinct rows count, so that a row given twice is the same as a row of weight 2.
        """
        X = np.unique(X, axis=0)
        spread = input_scales(X)
        # A constant is centred on itself: its mean may differ from it by a rounding, which spread 1 leaves as it is.
        return cls(centre=np.where(spread > 0.0, X.mean(axis=0), X[0]), spread=np.where(spread > 0.0, spread, 1.0))

    def __call__(self, X: Array) -> Array:
        return np.asarray((X - self.centre) / self.spread, dtype=float)


def check_count(name: str, value: object, least: int) -> int:
    """Return a whole number of at least ``least``; raise for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InvalidArgument(f"{name}={value!r} must be a whole number of at least {least}.")
    return int(value)


def evaluated(candidates: Candidates, X: Array) -> Array:
    """Return the design matrix at rows ``X``, after checking that it holds numbers."""
    block = np.ascontiguousarray(candidates.evaluate(X), dtype=float)
    if not np.all(np.isfinite(block)):
        column = int(np.flatnonzero(~np.isfinite(block).all(axis=0))[0])
        raise InvalidArgument(
            f"The dictionary's function {candidates.describe()[column]!r} is NaN or infinite at some rows: "
            "leave it out, or scale the inputs."
        )
    return block
