"""Exact Shapley values of an expansion: the sum of those of its summands.

Notation: m rows, n vectors (or functions) of a summand, P players, of whom G matter to the summand,
k outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from kernelect.explain.quadrature import Products
from kernelect.explain.summands import Summand
from kernelect.typing import Array, Indices

#: Numbers that the factors of a block of rows may take.
_NUMBERS = 4_000_000

#: Numbers that are averaged over the background at once: a cache's size.
_CACHED = 30_000


@dataclass(frozen=True, eq=False)
class Prepared:
    """A summand with the players that matter to it, and what stands in for those that are absent.

    Attributes
    ----------
    summand : Summand
    players : ndarray of shape (G,)
    inputs : list of ndarray
        The inputs of each of them that matter.
    order : int
    absent : list of ndarray of shape (G, size, n)
        One for the product of marginals, one per background row for interventional values.
    """

    summand: Summand
    players: Indices
    inputs: list[Indices]
    order: int
    absent: list[Array]

    @classmethod
    def of(cls, summand: Summand, owners: Indices, background: Array | None, absent: str) -> Prepared:
        """Return a summand made ready for any number of rows."""
        active = np.flatnonzero(summand.active)
        players = np.unique(owners[active])
        inputs = [active[owners[active] == player] for player in players]
        prepared = cls(summand, players, inputs, summand.order(owners), [])
        prepared.absent.extend(prepared._stand_ins(background, absent))
        return prepared

    def _stand_ins(self, background: Array | None, absent: str) -> Iterator[Array]:
        shape = (len(self.players), self.summand.series.size, len(self.summand.coefficients))
        if absent == "neutral" or background is None:
            yield np.array([self.summand.neutral(inputs) for inputs in self.inputs]).reshape(shape)
        elif absent == "marginals":
            yield np.array([self._mean_factor(inputs, background) for inputs in self.inputs]).reshape(shape)
        else:
            for row in background:
                yield self.factors(row[None])[:, :, 0]

    def _mean_factor(self, inputs: Indices, background: Array) -> Array:
        """Return one player's factor averaged over the background rows, (size, n)."""
        values, counts = np.unique(background[:, inputs], axis=0, return_counts=True)
        size, n = self.summand.series.size, len(self.summand.coefficients)
        total, shares = np.zeros((size, n)), counts / len(background)
        step = max(1, _CACHED // (n * size))
        for first in range(0, len(values), step):
            total += shares[first : first + step] @ self._factor(inputs, values[first : first + step])
        return total

    def _factor(self, inputs: Indices, values: Array) -> Array:
        """Return the factor of a player at values (m, len(inputs)) of its inputs, (size, m, n)."""
        factors = [self.summand.factor(int(j), values[:, place]) for place, j in enumerate(inputs)]
        total = factors[0]
        for factor in factors[1:]:
            total = self.summand.series.multiply(total, factor)
        return total

    def factors(self, rows: Array) -> Array:
        """Return the factors of all players at rows, (G, size, m, n)."""
        shape = (len(self.players), self.summand.series.size, len(rows), len(self.summand.coefficients))
        out = np.empty(shape)
        for player, inputs in zip(out, self.inputs, strict=True):
            player[...] = self._factor(inputs, rows[:, inputs])
        return out

    def base(self) -> Array:
        """Return the sum with all players absent, (k,)."""
        readout, coefficients = self.summand.readout, self.summand.coefficients
        values = [
            readout @ Products(series=self.summand.series, present=q, absent=q, order=0).nobody() @ coefficients
            for q in self.absent
        ]
        return np.asarray(np.mean(values, axis=0), dtype=float)

    def add_values(self, rows: Array, out: Array) -> None:
        """Add the Shapley values of rows to ``out`` (m, P, k)."""
        if not len(self.players):
            return
        readout, coefficients = self.summand.readout, self.summand.coefficients
        for block in self._row_blocks(rows):
            present = self.factors(rows[block])
            m, n = present.shape[2:]
            for q in self.absent:
                phi = self._products(present, q).shapley()
                phi = np.einsum("s,gsm->gm", readout, phi) if len(readout) > 1 else readout[0] * phi[:, 0]
                values = phi.reshape(-1, n) @ coefficients / len(self.absent)
                out[block, self.players] += values.reshape(len(self.players), m, -1).transpose(1, 0, 2)

    def add_interactions(self, rows: Array, out: Array) -> None:
        """Add the interactions of pairs j < k of players to ``out`` (m, P, P, k)."""
        if self.order < 2:
            return
        readout, coefficients = self.summand.readout, self.summand.coefficients
        pairs = np.ix_(self.players, self.players)
        for row, values in zip(rows, out, strict=True):
            present = self.factors(row[None])
            for q in self.absent:
                for block, found in self._products(present, q).interactions():
                    counted = np.einsum("s,jksm->jkm", readout, found)
                    values[pairs] += counted @ coefficients[block] / len(self.absent)

    def _products(self, present: Array, absent: Array) -> Products:
        flat = (*present.shape[:2], -1)
        stand_ins = np.broadcast_to(absent[:, :, None, :], present.shape)
        return Products(
            series=self.summand.series, present=present.reshape(flat), absent=stand_ins.reshape(flat), order=self.order
        )

    def _row_blocks(self, rows: Array) -> Iterator[slice]:
        per_row = len(self.players) * self.summand.series.size * len(self.summand.coefficients)
        step = max(1, _NUMBERS // max(per_row, 1))
        return (slice(first, first + step) for first in range(0, len(rows), step))


def exact_values(parts: Iterable[tuple[Prepared, Array]], shape: tuple[int, int, int]) -> Array:
    """Return Shapley values (m, P, k) of prepared summands, each with its inputs of the rows."""
    out = np.zeros(shape)
    for prepared, rows in parts:
        prepared.add_values(rows, out)
    return out


def exact_interactions(parts: Iterable[tuple[Prepared, Array]], values: Array) -> Array:
    """Return interactions (m, P, P, k) in shap's convention: halves off the diagonal, rows that sum to the values."""
    m, n_players, k = values.shape
    upper = np.zeros((m, n_players, n_players, k))
    for prepared, rows in parts:
        prepared.add_interactions(rows, upper)
    out = 0.5 * (upper + upper.transpose(0, 2, 1, 3))
    diagonal = np.arange(n_players)
    out[:, diagonal, diagonal] = values - out.sum(axis=2)
    return out
