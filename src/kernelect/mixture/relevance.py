"""How much each column matters to a mixture."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kernelect.kernels.scale import spread_rows
from kernelect.mixture.base import Member
from kernelect.model import Model
from kernelect.model.heads import mixed
from kernelect.numerics import canonical_order
from kernelect.typing import Array, Indices

#: Predictions that the relevance of all columns together may cost, and of one column at least and at most: its root
#: mean square is then known to some seven per cent.
_RELEVANCE_ROWS, _FEWEST_ROWS, _MOST_ROWS = 6_000, 20, 120

#: Columns up to which each is tried by itself.
_MOST_COLUMNS = 300

#: Members that weigh less than this share of the mean weight have no say in the relevance.
_SAY = 0.7


def column_relevances(model: Model, members: Sequence[Member], values: Callable[[Array], Array], Z: Array) -> Array:
    """Return how much predictions change when a column takes the values of other rows; sums to 1.

    For a linear function this is its coefficient times the column's deviation, as for the single machines; it also
    holds for categories, which have no derivative, and for all inputs of a column together.

    Parameters
    ----------
    model : Model
        With a coding of columns.
    members : sequence of Member
        In the order of the model's components.
    values : callable
        From what a component answers (m, k) to the scale on which relevance is measured.
    Z : ndarray of shape (n, d)
        Coded rows.
    """
    assert model.coding is not None
    owners = model.coding.owners
    columns = np.unique(owners)
    if len(columns) > _MOST_COLUMNS:
        return _by_slopes(model, members, owners)
    count = int(np.clip(_RELEVANCE_ROWS // len(columns), _FEWEST_ROWS, _MOST_ROWS))
    rows = Z[spread_rows(Z, count)]
    rows = rows[canonical_order(rows)]  # which row lends its values to which is decided below
    others = rows[np.random.default_rng(0).permutation(len(rows))]
    here, strength = _said(model, values, rows), np.zeros(model.n_columns)
    for column in columns:
        moved = np.where(owners == column, others, rows)
        strength[column] = np.sqrt(0.5 * np.mean((_said(model, values, moved) - here) ** 2))
    total = strength.sum()
    return strength / total if total > 0 else np.full(model.n_columns, 1.0 / model.n_columns)


def _by_slopes(model: Model, members: Sequence[Member], owners: Indices) -> Array:
    """Return the members' own relevances, summed over the inputs of a column: no prediction per column."""
    even = np.full(len(owners), 1.0 / len(owners))
    by_input = mixed(model.head.weights, [even if each.importances is None else each.importances for each in members])
    return np.asarray(np.bincount(owners, by_input, minlength=model.n_columns), dtype=float)


def _said(model: Model, values: Callable[[Array], Array], Z: Array) -> Array:
    """Return the mixture's values on the scale of relevance, by the members that matter."""
    weights = model.head.weights
    heavy = [(c, w) for c, w in zip(model.components, weights, strict=True) if w >= _SAY / len(weights)]
    return np.asarray(np.sum([w * values(c.answers(c.view(Z))) for c, w in heavy], axis=0), dtype=float)
