"""The learning curve: exact leave-one-out on nested parts of the rows, at the selected hyper-parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.estimators import LSSVC, LSSVR
from kernelect.exceptions import MissingCapability
from kernelect.export.recovered import losses_of, recovered
from kernelect.facts.sources import is_mixture, machine_of
from kernelect.mixture.members import left_out
from kernelect.typing import Array, Indices

#: Shares of the rows, how often each is drawn, the fewest rows of a part, and the most rows that are looked at.
_SHARES, _DRAWS, _FEWEST, _MOST = (0.125, 0.25, 0.5, 1.0), 2, 20, 800


@dataclass(frozen=True, kw_only=True)
class LearningCurve:
    """Leave-one-out loss against the number of rows.

    Attributes
    ----------
    rows, loss, standard_error : ndarray of shape (n_sizes,)
        Increasing; the standard error is that of the mean over rows left out.
    score : "log-loss" or "squared error"
        The latter in units of the targets' variance.
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
    def from_estimator(cls, estimator: Any, generator: np.random.Generator) -> LearningCurve:
        """Return the curve of a least-squares machine, or of the heaviest one in a mixture."""
        machine = _least_squares(estimator)
        targets, weights = recovered(machine)
        order = generator.permutation(len(machine.X_fit_))[:_MOST]
        sizes = sorted({round(share * len(order)) for share in _SHARES if share * len(order) >= _FEWEST})
        if len(sizes) < 2:
            raise MissingCapability(f"{len(order)} rows are too few for a learning curve: it needs {2 * _FEWEST}.")
        losses = [_losses(machine, targets, weights, order, size) for size in sizes]
        half, whole = losses[-2], losses[-1]
        change = half.mean(axis=0) - whole[0]  # of every row, where a part without some of the others was fitted
        return cls(
            rows=np.array(sizes, dtype=float),
            loss=np.array([float(np.nanmean(part)) for part in losses]),
            standard_error=np.array([_error(part) for part in losses]),
            score="log-loss" if hasattr(machine, "classes_") else "squared error",
            gain=float(np.mean(change)),
            gain_error=float(change.std() / np.sqrt(len(change))),
        )

    def in_words(self) -> str:
        """Return what more rows would bring."""
        if self.gain > 2.0 * self.gain_error:
            return "More rows would still help."
        return "More rows of the same kind would help little: from half of them to all, the change is within chance."


def _error(part: Array) -> float:
    rows = part[0] if len(part) == 1 else part.mean(axis=0)
    return float(rows.std() / np.sqrt(len(rows)))


def _least_squares(estimator: Any) -> LSSVC | LSSVR:
    machine = machine_of(estimator)
    if is_mixture(machine):
        members = [member.estimator for member in machine.by_weight()]
        machine = next((member for member in members if isinstance(member, LSSVC | LSSVR)), machine)
    if not isinstance(machine, LSSVC | LSSVR) or machine.landmarks_ is not None or not hasattr(machine, "X_fit_"):
        raise MissingCapability(
            f"{type(machine).__name__} has no learning curve in closed form: what has are LSSVC and LSSVR without "
            "landmarks, and mixtures of them."
        )
    return machine


def _losses(machine: LSSVC | LSSVR, targets: Any, weights: Array, order: Indices, size: int) -> Array:
    """Return the leave-one-out loss of rows in parts of one size, (n_draws, n): parts cover all rows evenly."""
    count = len(order)
    if size == count:
        return _part_losses(machine, targets, weights, order)[None]
    pieces = int(np.ceil(count / size))
    found = np.full((_DRAWS, count), np.nan)
    for draw in range(_DRAWS):
        shift = draw * max(1, size // _DRAWS)
        turned = np.roll(np.arange(count), -shift)
        for piece in range(pieces):
            places = turned[np.arange(piece * size, (piece + 1) * size) % count]
            found[draw, places] = _part_losses(machine, targets, weights, order[places])
    return found


def _part_losses(machine: LSSVC | LSSVR, targets: Any, weights: Array, rows: Indices) -> Array:
    """Return the loss of rows when each is left out of a machine of these rows alone."""
    if isinstance(machine, LSSVC) and len(np.unique(targets[rows])) < len(machine.classes_):
        raise MissingCapability("A part of the rows lacks a class, so there is no learning curve: it needs more rows.")
    fresh = type(machine)(machine.kernel_, regularization=machine.regularization_, landmarks=None, prior=None)
    fresh.fit(machine.X_fit_[rows], targets[rows], weights[rows])
    return losses_of(left_out(fresh), machine, targets, rows)
