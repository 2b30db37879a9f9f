"""Unions of dictionaries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from kernelect.dictionaries.base import Candidates, Dictionary
from kernelect.kernels import Kernel
from kernelect.typing import Array, Indices


@dataclass(frozen=True, eq=False)
class JoinedCandidates(Candidates):
    """Candidates of several parts, one after the other."""

    parts: tuple[Candidates, ...]

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    def evaluate(self, X: Array) -> Array:
        if not self.parts:
            return np.empty((len(X), 0))
        return np.concatenate([part.evaluate(X) for part in self.parts], axis=1)

    def take(self, chosen: Indices) -> Self:
        """Return the chosen functions; ``chosen`` must be sorted, so that parts stay together."""
        first, parts = 0, []
        for part in self.parts:
            inside = chosen[(chosen >= first) & (chosen < first + len(part))] - first
            if len(inside):
                parts.append(part.take(inside))
            first += len(part)
        return replace(self, parts=tuple(parts))

    def pullback(self, X: Array, weights: Array) -> Array:
        ends = np.cumsum([len(part) for part in self.parts])[:-1]
        blocks = np.split(weights, ends, axis=1)
        pulled = [part.pullback(X, block) for part, block in zip(self.parts, blocks, strict=True)]
        return np.concatenate([np.zeros(0), *pulled])

    def describe(self) -> list[str]:
        return [phrase for part in self.parts for phrase in part.describe()]


@dataclass(frozen=True)
class Union(Dictionary):
    """All candidates of several dictionaries; ``LinearTerms() + KernelFunctions()`` makes one."""

    parts: tuple[Dictionary, ...]

    @classmethod
    def of(cls, *parts: Dictionary) -> Union:
        """Join dictionaries; unions among them are flattened."""
        flat = [inner for part in parts for inner in (part.parts if isinstance(part, Union) else (part,))]
        return cls(tuple(flat))

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        return tuple(kernel for part in self.parts for kernel in part.kernels)

    def with_kernels(self, kernels: tuple[Kernel, ...]) -> Union:
        remaining, parts = list(kernels), []
        for part in self.parts:
            count = len(part.kernels)
            parts.append(part.with_kernels(tuple(remaining[:count])) if count else part)
            remaining = remaining[count:]
        return Union(tuple(parts))

    def build(self, X: Array) -> JoinedCandidates:
        return JoinedCandidates(tuple(part.build(X) for part in self.parts))
