"""Exact Shapley values of an expansion: the sum of those of its summands.

Notation: m rows, n vectors (or functions) of a summand, P players, of whom G matter to the summand,
k outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from kernelect.explain.nonnegative import Nodes, weighted_sums
from kernelect.explain.quadrature import Products
from kernelect.explain.summands import Summand
from kernelect.typing import Array, Indices

#: Numbers that the factors of a block of rows may take.
_NUMBERS = 4_000_000

#: Factors of background rows that are kept, rather than computed for every block of rows: 160 MB.
KEPT = 20_000_000

#: Factors of background rows that all explained rows meet before the next ones.
_GAMES = 200_000

#: Numbers that are averaged over the background at once: a cache's size.
_CACHED = 30_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """A summand with the players that matter to it, and what stands in for those that are absent.

    Attributes
    ----------
    summand : Summand
    players : ndarray of shape (G,)
    inputs : list of ndarray
        The inputs of each of them that matter.
    order : int
    kept : ndarray of shape (n_games, G, size, n) or None
        Factors of absent players: one game for the product of marginals, one per background row for
        interventional values; None if they are too many to be kept.
    whole_rows : ndarray of shape (n_games, d) or None
        The background rows that they are made of if they are not kept.
    """

    summand: Summand
    players: Indices
    inputs: list[Indices]
    order: int
    kept: Array | None = None
    whole_rows: Array | None = None

    @classmethod
    def of(cls, summand: Summand, owners: Indices, background: Array | None, absent: str, keep: int = KEPT) -> Prepared:
        """Return a summand made ready for any number of rows; up to ``keep`` numbers are kept for them."""
        active = np.flatnonzero(summand.active)
        players = np.unique(owners[active])
        inputs = [active[owners[active] == player] for player in players]
        prepared = cls(summand=summand, players=players, inputs=inputs, order=summand.order(owners))
        if absent == "neutral" or background is None:
            return prepared._with([summand.neutral(own) for own in inputs])
        if absent == "marginals":
            return prepared._with([prepared._mean_factor(own, background) for own in inputs])
        prepared = replace(prepared, whole_rows=background)
        if len(background) * prepared._per_row > keep:
            return prepared
        return replace(prepared, kept=np.concatenate(list(prepared.stand_ins())), whole_rows=None)

    def _with(self, factors: list[Array]) -> Prepared:
        shape = (1, len(self.players), self.summand.series.size, len(self.summand.coefficients))
        return replace(self, kept=np.array(factors).reshape(shape))

    @property
    def n_games(self) -> int:
        """Number of games that are averaged."""
        rows = self.kept if self.whole_rows is None else self.whole_rows
        assert rows is not None
        return len(rows)

    def stand_ins(self) -> Iterator[Array]:
        """Yield blocks of the factors of absent players, (b, G, size, n)."""
        if self.kept is not None:
            yield self.kept
        elif self.whole_rows is not None:
            for block in self._row_blocks(self.whole_rows):
                yield np.ascontiguousarray(np.moveaxis(self.factors(self.whole_rows[block]), 2, 0))

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
        total = np.zeros(coefficients.shape[1])
        for absent in self.stand_ins():
            flat = np.moveaxis(absent, 0, 2)
            products = Products(series=self.summand.series, present=flat, absent=flat, order=0).nobody()
            total += np.einsum("s,sbn->n", readout, products) @ coefficients
        return total / self.n_games

    def add_values(self, rows: Array, out: Array) -> None:
        """Add the Shapley values of rows to ``out`` (m, P, k)."""
        if not len(self.players):
            return
        nodes = Nodes.of(self.order)
        for block in self._row_blocks(rows):
            present = self.factors(rows[block])
            for absent in self.stand_ins():
                plain = self.summand.series.size == 1 and min(present.min(initial=0.0), absent.min(initial=0.0)) >= 0.0
                found = self._nonnegative(present, absent, nodes) if plain else self._any(present, absent)
                out[block, self.players] += found / self.n_games

    def _nonnegative(self, present: Array, absent: Array, nodes: Nodes) -> Array:
        """Return the values of rows (m, G, k), summed over games, if no factor is negative."""
        coefficients, stand_ins = self.summand.readout[0] * self.summand.coefficients, absent[:, :, 0]
        rows = np.ascontiguousarray(present[:, 0].transpose(1, 0, 2))
        whole = np.multiply.reduce(rows, axis=1)  # (m, n)
        if len(stand_ins) == 1:
            totals = whole - np.multiply.reduce(stand_ins, axis=1)
            return weighted_sums(rows, np.broadcast_to(stand_ins, rows.shape), coefficients, nodes, totals)
        out = np.zeros((*rows.shape[:2], coefficients.shape[1]))
        step = max(1, _GAMES // max(1, stand_ins[0].size))
        for first in range(0, len(stand_ins), step):  # of all rows while the factors are in the cache
            games = stand_ins[first : first + step]
            nobody = np.multiply.reduce(games, axis=1)
            for place, row in enumerate(rows):
                shown = np.broadcast_to(row, games.shape)
                out[place] += weighted_sums(shown, games, coefficients, nodes, whole[place] - nobody).sum(axis=0)
        return out

    def _any(self, present: Array, absent: Array) -> Array:
        """Return the values of rows (m, G, k), summed over games."""
        readout, coefficients = self.summand.readout, self.summand.coefficients
        m, n = present.shape[2:]
        total = np.zeros((m, len(self.players), coefficients.shape[1]))
        for q in absent:
            phi = np.einsum("s,gsm->gm", readout, self._products(present, q).shapley())
            values = phi.reshape(-1, n) @ coefficients
            total += values.reshape(len(self.players), m, -1).transpose(1, 0, 2)
        return total

    def add_interactions(self, rows: Array, out: Array) -> None:
        """Add the interactions of pairs j < k of players to ``out`` (m, P, P, k)."""
        if self.order < 2:
            return
        readout, coefficients = self.summand.readout, self.summand.coefficients
        pairs = np.ix_(self.players, self.players)
        for row, values in zip(rows, out, strict=True):
            present = self.factors(row[None])
            for q in (game for absent in self.stand_ins() for game in absent):
                for block, found in self._products(present, q).interactions():
                    counted = np.einsum("s,jksm->jkm", readout, found)
                    values[pairs] += counted @ coefficients[block] / self.n_games

    def _products(self, present: Array, absent: Array) -> Products:
        flat = (*present.shape[:2], -1)
        stand_ins = np.broadcast_to(absent[:, :, None, :], present.shape)
        return Products(
            series=self.summand.series, present=present.reshape(flat), absent=stand_ins.reshape(flat), order=self.order
        )

    @property
    def _per_row(self) -> int:
        """Numbers that one row's factors take."""
        return max(1, len(self.players) * self.summand.series.size * len(self.summand.coefficients))

    def _row_blocks(self, rows: Array) -> Iterator[slice]:
        step = max(1, _NUMBERS // self._per_row)
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
