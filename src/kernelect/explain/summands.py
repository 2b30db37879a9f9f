"""Sums of products over inputs, as the quadrature takes them: f(x) = sum_i c_i prod_j factor_ij(x_j).

A kernel expansion gives one summand per term of its kernel, functions of a dictionary one per kind
of function.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from kernelect.dictionaries import Candidates
from kernelect.dictionaries.functions import DesignColumns, Harmonics, Monomials
from kernelect.dictionaries.kernel_functions import CentredKernels
from kernelect.dictionaries.union import JoinedCandidates
from kernelect.exceptions import MissingCapability
from kernelect.explain.series import Series
from kernelect.explain.terms import Term, product_terms
from kernelect.kernels import Kernel
from kernelect.typing import Array, Indices, Mask


class Summand(ABC):
    """n products over inputs with their coefficients.

    Attributes
    ----------
    coefficients : ndarray of shape (n, n_outputs)
    """

    coefficients: Array

    @property
    def series(self) -> Series:
        """The numbers that the factors are: plain ones by default."""
        return Series()

    @property
    def readout(self) -> Array:
        """What each coefficient of the product counts, (size,)."""
        return np.ones(1)

    @property
    @abstractmethod
    def active(self) -> Mask:
        """The inputs on which the products depend."""

    @abstractmethod
    def order(self, owners: Indices) -> int:
        """Return the most players on which one product depends jointly; ``owners`` is every input's player."""

    @abstractmethod
    def factor(self, j: int, x: Array) -> Array:
        """Return the factor of input j at values ``x`` (m,), shape (size, m, n)."""

    def neutral(self, inputs: Indices) -> Array:
        """Return what stands for inputs that do not enter at all, (size, n): 1, a kernel of the other inputs."""
        return self.series.one((len(self.coefficients),))


@dataclass(frozen=True, eq=False, kw_only=True)
class KernelSummand(Summand):
    """One term of a kernel between rows and vectors."""

    term: Term
    vectors: Array
    coefficients: Array

    @property
    def series(self) -> Series:
        return self.term.series

    @property
    def readout(self) -> Array:
        return self.term.readout

    @property
    def active(self) -> Mask:
        return self.term.active(self.vectors.shape[1])

    def order(self, owners: Indices) -> int:
        return self.term.order(len(np.unique(owners[self.active])))

    def factor(self, j: int, x: Array) -> Array:
        return self.term.factor(j, x, self.vectors[:, j])


@dataclass(frozen=True, eq=False, kw_only=True)
class MonomialSummand(Summand):
    """Products of powers of standardised inputs."""

    centre: Array
    spread: Array
    powers: Array  # (n, d)
    coefficients: Array

    @property
    def active(self) -> Mask:
        return np.asarray(self.powers.any(axis=0))

    def order(self, owners: Indices) -> int:
        return max((len(np.unique(owners[row > 0])) for row in self.powers), default=0)

    def neutral(self, inputs: Indices) -> Array:
        """A product with an input that does not enter is left out."""
        return np.asarray(~self.powers[:, inputs].any(axis=1), dtype=float)[None]

    def factor(self, j: int, x: Array) -> Array:
        standardised = (x - self.centre[j]) / self.spread[j]
        return np.power.outer(standardised, self.powers[:, j])[None]


@dataclass(frozen=True, eq=False)
class WaveSummand(Summand):
    """Cosines and sines, of one input each."""

    waves: Harmonics
    coefficients: Array

    @property
    def active(self) -> Mask:
        return np.isin(np.arange(len(self.waves.lower)), [j for j, _, _ in self.waves.waves])

    def order(self, owners: Indices) -> int:
        return 1

    def neutral(self, inputs: Indices) -> Array:
        """A wave of an input that does not enter is left out."""
        return np.asarray(~self._of(inputs), dtype=float)[None]

    def factor(self, j: int, x: Array) -> Array:
        rows = np.zeros((len(x), len(self.waves.lower)))
        rows[:, j] = x
        return np.where(self._of(np.array([j])), self.waves.evaluate(rows), 1.0)[None]

    def _of(self, inputs: Indices) -> Mask:
        return np.isin([j for j, _, _ in self.waves.waves], inputs)


@dataclass(frozen=True, eq=False, kw_only=True)
class BoxSummand(Summand):
    """Boxes: 1 if lower < x <= upper in every input, else 0."""

    lower: Array  # (n, d)
    upper: Array
    coefficients: Array

    @property
    def active(self) -> Mask:
        return np.asarray((np.isfinite(self.lower) | np.isfinite(self.upper)).any(axis=0))

    def order(self, owners: Indices) -> int:
        cut = np.isfinite(self.lower) | np.isfinite(self.upper)
        players = np.unique(owners)  # none if the trees were given no column
        by_player = np.array([cut[:, owners == player].any(axis=1) for player in players], dtype=int)
        return int(by_player.reshape(len(players), len(cut)).sum(axis=0).max(initial=0))

    def factor(self, j: int, x: Array) -> Array:
        inside = (x[:, None] > self.lower[:, j]) & (x[:, None] <= self.upper[:, j])
        return np.asarray(inside, dtype=float)[None]


def kernel_summands(kernel: Kernel, vectors: Array, coefficients: Array) -> list[Summand]:
    """Return the summands of a kernel expansion, or an error if the kernel has no exact form."""
    spans = np.ptp(vectors, axis=0) if len(vectors) else np.zeros(vectors.shape[1])
    terms = product_terms(kernel, spans)
    return [KernelSummand(term=term, vectors=vectors, coefficients=coefficients) for term in terms]


@singledispatch
def function_summands(functions: Any, n_inputs: int, coefficients: Array) -> list[Summand]:
    """Return the summands of a dictionary's functions, or an error if they have no exact form."""
    raise MissingCapability(
        f"{type(functions).__name__} are not products over inputs, so their Shapley values have no exact form: "
        "use method='permutation', which estimates them and gives their standard errors."
    )


@function_summands.register
def _(functions: CentredKernels, n_inputs: int, coefficients: Array) -> list[Summand]:
    return kernel_summands(functions.kernel, functions.centres, coefficients)


@function_summands.register
def _(functions: Monomials, n_inputs: int, coefficients: Array) -> list[Summand]:
    powers = np.array([np.bincount(inputs, minlength=n_inputs) for inputs in _as_indices(functions)], dtype=float)
    return [
        MonomialSummand(
            centre=functions.scale.centre, spread=functions.scale.spread, powers=powers, coefficients=coefficients
        )
    ]


def _as_indices(functions: Monomials) -> list[Indices]:
    return [np.array(inputs, dtype=np.intp) for inputs in functions.powers]


@function_summands.register
def _(functions: DesignColumns, n_inputs: int, coefficients: Array) -> list[Summand]:
    powers = np.zeros((len(functions), n_inputs))
    powers[np.arange(len(functions)), functions.columns] = 1.0
    return [
        MonomialSummand(centre=np.zeros(n_inputs), spread=np.ones(n_inputs), powers=powers, coefficients=coefficients)
    ]


@function_summands.register
def _(functions: Harmonics, n_inputs: int, coefficients: Array) -> list[Summand]:
    return [WaveSummand(functions, coefficients)]


@function_summands.register
def _(functions: JoinedCandidates, n_inputs: int, coefficients: Array) -> list[Summand]:
    blocks = np.split(coefficients, np.cumsum([len(part) for part in functions.parts])[:-1])
    pairs: list[tuple[Candidates, Array]] = list(zip(functions.parts, blocks, strict=True))
    return [summand for part, block in pairs for summand in function_summands(part, n_inputs, block)]
