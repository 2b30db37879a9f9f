"""Shapley values by sampling, for models without an exact form.

A round draws an order of the players and a background row, walks from that row to the explained one
player by player, and back in the opposite order: what each step adds is the player's share. Rounds are
independent, so the spread between them gives standard errors. For the product of marginals every
player's background cells come from a row of their own.
"""

from __future__ import annotations

import numpy as np

from kernelect.explain.expansion import Expansion
from kernelect.typing import Array, Indices, Mask

#: Rows that are handed to the model at once.
_ROWS = 20_000


def permutation_values(
    expansion: Expansion,
    inputs: list[Array],
    background: list[Array],
    *,
    marginals: bool,
    rounds: int,
    generator: np.random.Generator,
) -> tuple[Array, Array, Array]:
    """Return values (m, P, k), their standard errors, and the base value (k,).

    All rows share the orders and background rows of a round, and so one base value.
    """
    n_players, m = len(expansion.players), len(inputs[0])
    total = np.zeros((m, n_players, len(expansion.outputs)))
    squares = np.zeros_like(total)
    base = np.zeros(len(expansion.outputs))
    for _ in range(rounds):
        order = generator.permutation(n_players)
        start = _drawn(expansion, background, marginals, generator)
        there = _shares(expansion, inputs, start, order)
        back = _shares(expansion, inputs, start, order[::-1])
        share = 0.5 * (there + back)
        base += expansion.decide(start)[0]
        total += share
        squares += share**2
    mean = total / rounds
    spread = np.maximum(squares / rounds - mean**2, 0.0) / max(rounds - 1, 1)
    return mean, np.sqrt(spread), base / rounds


def _drawn(
    expansion: Expansion, background: list[Array], marginals: bool, generator: np.random.Generator
) -> list[Array]:
    """Return every part's inputs (1, d) of a background row; each player's of a row of its own for marginals."""
    size = len(expansion.players) if marginals else 1
    rows = np.broadcast_to(generator.integers(len(background[0]), size=size), len(expansion.players))
    return [
        block[rows[part.view.owners], np.arange(block.shape[1])][None]
        for part, block in zip(expansion.parts, background, strict=True)
    ]


def _shares(expansion: Expansion, inputs: list[Array], start: list[Array], order: Indices) -> Array:
    """Return what each player adds on the walk from ``start`` to the rows in this order, (m, P, k)."""
    m, n_players = len(inputs[0]), len(order)
    place = np.argsort(order)
    known = place[None, :] < np.arange(n_players + 1)[:, None]  # (P + 1, P): who is present after each step
    out = np.empty((m, n_players, len(expansion.outputs)))
    step = max(1, _ROWS // (n_players + 1))
    for first in range(0, m, step):
        block = slice(first, first + step)
        values = expansion.decide(
            [
                _mixed(x[block], b, known[:, part.view.owners])
                for part, x, b in zip(expansion.parts, inputs, start, strict=True)
            ]
        )
        walk = values.reshape(-1, n_players + 1, values.shape[1])
        out[block, order] = np.diff(walk, axis=1)
    return out


def _mixed(rows: Array, start: Array, known: Mask) -> Array:
    """Return all rows with all sets of known inputs, the others from ``start``: (m * sets, d)."""
    return np.where(known[None], rows[:, None, :], start[None]).reshape(-1, rows.shape[1])
