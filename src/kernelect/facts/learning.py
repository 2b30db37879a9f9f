"""The learning curve: exact leave-one-out on nested parts of the rows, at the selected hyper-parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.exceptions import MissingCapability
from kernelect.export.fewer import KnownRows, known_rows, losses_of, refit
from kernelect.facts.numbers import counted, fixed, with_error
from kernelect.facts.record import LearningFacts
from kernelect.model import Component, ExactJackknife, LabelHead, Model
from kernelect.model.subject import subject_of
from kernelect.typing import Array, Indices

#: Shares of the rows, how often each is drawn, the fewest rows of a part, and the most rows that are looked at.
_SHARES, _DRAWS, _FEWEST, _MOST = (0.125, 0.25, 0.5, 1.0), 2, 20, 800

#: Rows or groups that a part has at least.
_FEWEST_UNITS = 2


@dataclass(frozen=True, kw_only=True)
class LearningCurve:
    """Leave-one-out loss against the number of rows.

    Attributes
    ----------
    rows, loss, standard_error : ndarray of shape (n_sizes,)
        Increasing; the standard error is that of the mean over rows left out.
    score : "log-loss" or "unexplained variance"
    gain, gain_error : float
        By how much the loss fell from half of the rows to all of them, and the standard error of that.
    """

    rows: Array
    loss: Array
    standard_error: Array
    score: str
    gain: float
    gain_error: float

    @classmethod
    def from_estimator(cls, estimator: Any, random_state: int = 0) -> LearningCurve:
        """Return the curve of a least-squares machine, or of the heaviest one in a mixture.

        Parts of a machine that was fitted with groups are made of whole groups, and leave whole ones out.
        """
        subject = subject_of(estimator)
        material = _Material(_least_squares(subject.model, subject.title), known_rows(subject.model), subject.model)
        units = _units(material, np.random.default_rng(random_state))
        count = sum(map(len, units))
        sizes = sorted({round(share * len(units)) for share in _SHARES if share * count >= _FEWEST})
        sizes = [size for size in sizes if size >= _FEWEST_UNITS]
        if len(sizes) < 2:
            raise MissingCapability(f"{count} rows are too few for a learning curve: it needs {2 * _FEWEST}.")
        losses = [_losses(material, units, size) for size in sizes]
        change = losses[-2] - losses[-1]  # of every row, where a part without some of the others was fitted
        return cls(
            rows=np.array([round(size * count / len(units)) for size in sizes], dtype=float),
            loss=np.array([float(np.mean(part)) for part in losses]),
            standard_error=np.array([_error(part, units) for part in losses]),
            score="log-loss" if subject.model.is_classifier else "unexplained variance",
            gain=float(np.mean(change)),
            gain_error=_error(change, units),
        )

    @property
    def helps(self) -> bool:
        """Whether the last rows helped beyond chance."""
        return self.gain > 2.0 * self.gain_error

    def describe(self) -> LearningFacts:
        """Return what more rows would bring, as plain facts."""
        return LearningFacts(
            rows=int(self.rows[-1]),
            gain=self.gain,
            standard_error=self.gain_error,
            helps=self.helps,
            sentence=self.in_words(),
        )

    def in_words(self) -> str:
        """Return what more rows would bring."""
        way = "fell" if self.gain > 0.0 else "rose"
        change = (
            f"from {counted(int(self.rows[-2]), 'row')} to {fixed(self.rows[-1], 0)}, the {self.score} of rows left "
            f"out {way} by {with_error(abs(self.gain), self.gain_error)}"
        )
        if self.helps:
            return f"More rows would still help: {change}."
        chance = ", which is within chance" if -self.gain <= 2.0 * self.gain_error else ""
        return f"More rows of the same kind would help little: {change}{chance}."


@dataclass(frozen=True)
class _Material:
    """A machine, what it was fitted on, and the model that it is a component of."""

    machine: Component
    known: KnownRows
    model: Model


def _units(material: _Material, generator: np.random.Generator) -> list[Indices]:
    """Return rows that are drawn together, in random order: single rows or groups, the first of them if too many."""
    known = material.known
    groups = np.arange(len(known.weights)) if known.groups is None else known.groups
    order = np.argsort(groups, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    units = [parts[place] for place in generator.permutation(len(parts))]
    return units[: max(_FEWEST_UNITS, int(np.searchsorted(np.cumsum([len(unit) for unit in units]), _MOST, "right")))]


def _error(part: Array, units: list[Indices]) -> float:
    """Return the standard error of the mean of rows, of which those of a unit depend on each other."""
    ends = np.cumsum([len(unit) for unit in units])
    sums = np.add.reduceat(part - part.mean(), np.concatenate([[0], ends[:-1]]))
    return float(np.sqrt(np.sum(sums**2)) / len(part))


def _least_squares(model: Model, title: str) -> Component:
    """Return the heaviest exact least-squares component of a model."""
    order = np.argsort(-model.head.weights, kind="stable")
    for component in (model.components[place] for place in order):
        if isinstance(component.spread, ExactJackknife) and not component.kernel_part.is_precomputed:
            return component
    raise MissingCapability(
        f"{title} has no learning curve in closed form: use LSSVC or LSSVR without landmarks, or a mixture of them."
    )


def _losses(material: _Material, units: list[Indices], size: int) -> Array:
    """Return the mean leave-one-out loss of rows in parts of so many units: parts cover all rows evenly.

    Rows have the order in which they stand in the units.
    """
    count = len(units)
    place = np.empty(len(material.known.weights), dtype=np.intp)
    place[np.concatenate(units)] = np.arange(sum(map(len, units)))
    draws = 1 if size == count else _DRAWS
    found = np.full((draws, sum(map(len, units))), np.nan)
    for draw in range(draws):
        turned = np.roll(np.arange(count), -draw * max(1, size // _DRAWS))
        for piece in range(int(np.ceil(count / size))):
            chosen = turned[np.arange(piece * size, (piece + 1) * size) % count]
            rows = np.concatenate([units[unit] for unit in chosen])
            found[draw, place[rows]] = _part_losses(material, rows)
    return np.asarray(found.mean(axis=0))


def _part_losses(material: _Material, rows: Indices) -> Array:
    """Return the loss of rows when each, or each group, is left out of a machine of these rows alone."""
    known, head, labels = material.known, material.model.head, material.model.is_classifier
    if labels and len(np.unique(known.targets[rows])) < len(np.unique(known.targets)):
        raise MissingCapability("A part of the rows lacks a class, so there is no learning curve: it needs more rows.")
    (fresh,) = refit(material.machine, known, landmarks=None, rows=rows).model_.components
    left_out = fresh.left_out_answers()
    within = left_out if isinstance(head, LabelHead) else head.within(left_out)
    return losses_of(within, known.targets, labels, rows)
