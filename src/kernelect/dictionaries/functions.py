"""Dictionaries of plain functions: bias, inputs, monomials, Fourier series, callables, columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from kernelect.dictionaries.base import Dictionary, InputScale, ListedCandidates, check_count
from kernelect.exceptions import InvalidArgument
from kernelect.typing import Array, Indices

#: A polynomial dictionary larger than this is surely a mistake.
_MOST_MONOMIALS = 20_000


@dataclass(frozen=True, eq=False)
class Monomials(ListedCandidates):
    """Products of standardised inputs: row p of ``powers`` gives the exponents of function p."""

    scale: InputScale
    powers: tuple[tuple[int, ...], ...]  # the inputs that are multiplied, () for the constant 1

    listed = "powers"

    def evaluate(self, X: Array) -> Array:
        Z = self.scale(X)
        out = np.ones((len(X), len(self)))
        for column, inputs in zip(out.T, self.powers, strict=True):
            for j in inputs:
                column *= Z[:, j]
        return out

    def describe(self) -> list[str]:
        return [_monomial(inputs) for inputs in self.powers]


def _monomial(inputs: tuple[int, ...]) -> str:
    """Return the phrase for a product of inputs, such as ``x0^2 x3``."""
    counts = [(j, inputs.count(j)) for j in sorted(set(inputs))]
    return " ".join(f"x{j}" if power == 1 else f"x{j}^{power}" for j, power in counts) or "1"


@dataclass(frozen=True)
class Bias(Dictionary):
    """The constant function 1."""

    def build(self, X: Array) -> Monomials:
        return Monomials(InputScale.of(X), ((),))


@dataclass(frozen=True)
class LinearTerms(Dictionary):
    """The inputs themselves, standardised."""

    def build(self, X: Array) -> Monomials:
        return Monomials(InputScale.of(X), tuple((j,) for j in range(X.shape[1])))


@dataclass(frozen=True)
class PolynomialTerms(Dictionary):
    """All products of up to ``degree`` standardised inputs, without the constant.

    Parameters
    ----------
    degree : int, default=2
    """

    degree: int = 2

    def build(self, X: Array) -> Monomials:
        degree, d = check_count("degree", self.degree, 1), X.shape[1]
        count = comb(d + degree, degree) - 1
        if count > _MOST_MONOMIALS:
            raise InvalidArgument(
                f"degree={degree} gives {count} products of {d} inputs, more than {_MOST_MONOMIALS}: "
                "lower the degree or choose inputs."
            )
        powers = [inputs for order in range(1, degree + 1) for inputs in combinations_with_replacement(range(d), order)]
        return Monomials(InputScale.of(X), tuple(powers))


@dataclass(frozen=True, eq=False)
class Harmonics(ListedCandidates):
    """cos and sin of multiples of each input's phase; a function is (input, order, is_sine)."""

    lower: Array
    period: Array
    waves: tuple[tuple[int, int, bool], ...]

    listed = "waves"

    def evaluate(self, X: Array) -> Array:
        phase = 2.0 * np.pi * (X - self.lower) / self.period
        out = np.empty((len(X), len(self)))
        for column, (j, order, is_sine) in zip(out.T, self.waves, strict=True):
            column[:] = np.sin(order * phase[:, j]) if is_sine else np.cos(order * phase[:, j])
        return out

    def describe(self) -> list[str]:
        return [
            f"{'sin' if is_sine else 'cos'}(2 pi {order} (x{j} - {self.lower[j]:.4g}) / {self.period[j]:.4g})"
            for j, order, is_sine in self.waves
        ]


@dataclass(frozen=True)
class Fourier(Dictionary):
    """Cosines and sines of each input up to ``order`` waves in one period.

    Parameters
    ----------
    order : int, default=5
    period : float or None
        The same for all inputs. None means twice each input's range, which also suits functions
        that are not periodic.
    """

    order: int = 5
    period: float | None = None

    def build(self, X: Array) -> Harmonics:
        order = check_count("order", self.order, 1)
        if self.period is not None and not (np.isfinite(self.period) and self.period > 0):
            raise InvalidArgument(f"period={self.period!r} must be a positive number, or None.")
        spread = X.max(axis=0) - X.min(axis=0)
        own = np.where(spread > 0, 2.0 * spread, 1.0)
        period = own if self.period is None else np.full(X.shape[1], float(self.period))
        waves = [(j, h, s) for j in range(X.shape[1]) for h in range(1, order + 1) for s in (False, True)]
        return Harmonics(X.min(axis=0), period, tuple(waves))


@dataclass(frozen=True, eq=False)
class CallableColumns(ListedCandidates):
    """Columns that the user's callables return; a function is (callable, its column)."""

    functions: tuple[Callable[[Array], Array], ...]
    names: tuple[str, ...]
    columns: tuple[tuple[int, int], ...]
    widths: tuple[int, ...]  # columns each callable returned for the training rows

    listed = "columns"

    def evaluate(self, X: Array) -> Array:
        used = sorted({number for number, _ in self.columns})
        values = {number: called(self.functions[number], self.names[number], X) for number in used}
        for number in used:
            if values[number].shape[1] != self.widths[number]:
                raise InvalidArgument(
                    f"The dictionary's function {self.names[number]!r} returned {values[number].shape[1]} columns, "
                    f"but {self.widths[number]} for the training rows: it has to return the same number every time."
                )
        return np.column_stack([values[number][:, column] for number, column in self.columns])

    def describe(self) -> list[str]:
        return [
            self.names[number] if self.widths[number] == 1 else f"{self.names[number]}[{column}]"
            for number, column in self.columns
        ]


def called(function: Callable[[Array], Array], name: str, X: Array) -> Array:
    """Return the (n, p) values of a user's function, with its shape checked."""
    values = np.asarray(function(X), dtype=float)
    shape = values.shape
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or len(values) != len(X):
        raise InvalidArgument(
            f"The dictionary's function {name!r} returned an array of shape {shape} "
            f"for {len(X)} rows: it has to return shape (n_rows,) or (n_rows, n_columns)."
        )
    return values


@dataclass(frozen=True)
class Functions(Dictionary):
    """The user's own functions: each takes X (n, d) and returns (n,) or (n, p) values.

    Parameters
    ----------
    functions : sequence of callables
    names : sequence of str, optional
        Names for ``basis_``; by default the names of the callables.

    Examples
    --------
    >>> import numpy as np
    >>> built = Functions([np.sin, lambda X: X[:, 0] * X[:, 1]], names=["sine", "product"]).build(np.ones((3, 2)))
    >>> built.describe()
    ['sine[0]', 'sine[1]', 'product']
    """

    functions: Sequence[Callable[[Array], Array]]
    names: Sequence[str] | None = None

    def build(self, X: Array) -> CallableColumns:
        functions = tuple(self.functions)
        for function in functions:
            if not callable(function):
                raise InvalidArgument(f"functions holds {function!r}, which cannot be called: give functions of X.")
        names = tuple(self.names or (getattr(f, "__name__", f"function {i}") for i, f in enumerate(functions)))
        if len(names) != len(functions):
            raise InvalidArgument(
                f"names has {len(names)} entries for {len(functions)} functions: give one name per function."
            )
        rows = X[: min(len(X), 8)]
        widths = tuple(called(f, name, rows).shape[1] for f, name in zip(functions, names, strict=True))
        columns = tuple((number, column) for number, width in enumerate(widths) for column in range(width))
        return CallableColumns(functions, names, columns, widths)


@dataclass(frozen=True, eq=False)
class DesignColumns(ListedCandidates):
    """Columns of X, unchanged."""

    columns: Indices

    listed = "columns"

    def evaluate(self, X: Array) -> Array:
        return np.ascontiguousarray(X[:, self.columns])

    def describe(self) -> list[str]:
        return [f"column {j}" for j in self.columns]


@dataclass(frozen=True)
class DesignMatrix(Dictionary):
    """X is the design matrix itself: every column is a candidate, as it stands."""

    def build(self, X: Array) -> DesignColumns:
        return DesignColumns(np.arange(X.shape[1]))
