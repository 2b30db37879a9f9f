"""A least-squares machine that was solved, on all rows or on landmarks, as the parts of a model.

Notation as in machines/lssvm/full.py: mu ridge, P the bordered inverse, c = diag P, r leave-one-out residuals.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernelect.estimators._elsewhere import GivenRows
from kernelect.estimators._training import Training
from kernelect.kernels import Precomputed
from kernelect.machines import LSSVMState
from kernelect.machines.lssvm.pivots import Pivots
from kernelect.machines.lssvm.sampled import SampledRows
from kernelect.machines.lssvm.spread import LandmarkSpread, left_out_precision
from kernelect.model import ExactJackknife, KernelPart, LandmarkJackknife, TrainingRows
from kernelect.numerics import taken
from kernelect.selection import LeastSquaresObjective, rows_left_out, squared_scale
from kernelect.selection.landmarks import GroupedTable, LandmarkFit, RowTable, interval_rows, kept_rows
from kernelect.typing import Array, Indices

#: Size of coefficients, for targets of about 1, beyond which the rounding of sums that cancel shows in predictions.
_CANCELLING = 1e5


@dataclass(frozen=True, kw_only=True)
class Solved:
    """A solved machine, everything in the unit of the targets as they were given.

    Attributes
    ----------
    part : KernelPart
    constant : ndarray of shape (k,)
    ridge : float
    training : TrainingRows
        ``targets`` (n, k) as the machine has them, ``left_out`` (n, k) decision values or predictions.
    spread : ExactJackknife, LandmarkJackknife or None
    sampled : SampledRows or None
    """

    part: KernelPart
    constant: Array
    ridge: float
    training: TrainingRows
    spread: ExactJackknife | LandmarkJackknife | None
    sampled: SampledRows | None = None

    @classmethod
    def exactly(
        cls, objective: LeastSquaresObjective, theta: Array, data: Training, unit: float, *, spread: bool
    ) -> Solved:
        """Return the machine on all rows at ``theta``; without ``spread`` only what labels need of it."""
        fitted, kernel, kept = objective.solved(theta), objective.kernel_at(theta), np.flatnonzero(data.kept)
        state: LSSVMState = fitted.state
        pairwise = isinstance(kernel, Precomputed)
        groups = objective.criterion.groups
        remembered = None if spread else objective.remembered_residuals(theta)
        precision, residuals = rows_left_out(state, groups) if remembered is None else (None, remembered)
        part = KernelPart(
            kernel=kernel,
            vectors=objective.X[:0] if pairwise else objective.X,
            coefficients=unit * (state.dual_coef if pairwise else _without_cancelling(objective.X, state.dual_coef)),
            places=kept if pairwise else None,
            representative=True,
        )
        constant = unit * state.intercept
        known = ExactJackknife(
            rows=kept,
            residuals=unit * residuals,
            weights=objective.weights,
            ridge=fitted.regularization,
            precision=precision if spread else None,
            scale=None
            if precision is None or not spread
            else unit * _root_scale(residuals, precision, objective.weights),
            groups=None if data.groups is None else data.groups[kept],
            gram=objective.X if pairwise else None,
        )
        loo = unit * data.targets
        if len(kept) < len(loo):  # a row of weight 0 was left out all along
            rest = ~data.kept
            loo[rest] = part.values(data.X[rest]) + constant
        loo[kept] = unit * (data.targets[kept] - residuals)
        training = TrainingRows(
            numbers=np.arange(len(loo)),
            targets=unit * data.targets,
            weights=np.where(data.kept, data.weights, 0.0),
            left_out=loo,
            groups=data.groups,
        )
        return cls(part=part, constant=constant, ridge=fitted.regularization, training=training, spread=known)

    @classmethod
    def on_landmarks(
        cls, fit: LandmarkFit, table: RowTable, unit: float, order: Indices | None, *, spread: bool, fewer: int | None
    ) -> Solved:
        """Return the machine on landmarks; ``order`` is that of the rows in the table, if it is not the given one."""
        state, points = fit.left_out.state, fit.landmarks.points
        known = _landmark_jackknife(fit, table) if spread else None
        sampled = kept_rows(fit, table)
        if fewer is not None and len(points) > fewer:  # sums of all landmarks would be most of the model
            pivots = Pivots(points, fit.kernel.cross, fit.kernel.diagonal(points), np.random.default_rng(0))
            sampled = sampled.thinned(np.sort(pivots.first(fewer)))
        loo = np.asarray(table.kept_targets - fit.left_out.residuals, dtype=float)
        kept = np.arange(len(loo)) if table.kept is None else table.kept
        training = TrainingRows(
            numbers=kept,
            targets=unit * table.kept_targets,
            weights=table.kept_weights,
            left_out=unit * loo,
            groups=table.groups if isinstance(table, GroupedTable) else None,
        )
        if order is not None:
            sampled, training = sampled.renumbered(order), _as_given(training, order)
            known = None if known is None else _jackknife_as_given(known, table, order)
        return cls(
            part=KernelPart(
                kernel=fit.kernel, vectors=points, coefficients=unit * state.dual_coef, representative=True
            ),
            constant=unit * np.atleast_1d(state.intercept),
            ridge=state.regularization,
            training=training,
            spread=None if known is None else replace(known, spread=known.spread.times(unit)),
            sampled=sampled.times(unit),
        )

    def expanded(self, data: GivenRows) -> Solved:
        """Return the machine with what it says of rows left out for copies of rows, too."""
        return replace(self, training=replace(self.training, left_out=data.expanded(self.training.left_out)))


def _as_given(training: TrainingRows, order: Indices) -> TrainingRows:
    """Return rows in the order in which they were given."""
    numbered = replace(training, numbers=np.arange(len(order)))
    return taken(numbered, np.argsort(order, kind="stable"), "targets", "weights", "left_out", "groups")


def _without_cancelling(vectors: Array, coefficients: Array) -> Array:
    """Return coefficients, the mean for equal vectors if they are so large that they would cancel in predictions.

    Equal rows with different targets and a small ridge have coefficients of the size 1 / ridge and opposite signs. They
    are added up here, exactly; added up in predictions, they would bring the rounding of each product along.
    """
    if np.abs(coefficients).max(initial=0.0) <= _CANCELLING:
        return coefficients
    which = np.unique(vectors, axis=0, return_inverse=True)[1].reshape(-1)
    sums = np.zeros((which.max() + 1, coefficients.shape[1]))
    np.add.at(sums, which, coefficients)
    return (sums / np.bincount(which)[:, None])[which]


def _landmark_jackknife(fit: LandmarkFit, table: RowTable) -> LandmarkJackknife:
    out, places = fit.left_out, table.figures()
    counted = np.flatnonzero(table.kept_weights > 0.0)
    precision, unspanned = np.zeros(len(table.kept_weights)), fit.landmarks.unspanned_without_own(table.kept)
    precision[counted] = left_out_precision(
        out.state, unspanned[counted], out.room[counted], table.kept_weights[counted]
    )
    part, groups = interval_rows(fit, table)
    rows = part if table.kept is None else table.kept[part]
    spread = LandmarkSpread(
        state=out.state,
        epsilon=fit.landmarks.frame.epsilon,
        noise=out.state.regularization / float(np.median(table.kept_weights[places])),
        inputs=table.rows(rows).X,
        residuals=out.residuals[part],
        weights=table.kept_weights[part],
        precision=precision[counted],
        scale=squared_scale(out.residuals[places], precision[places], table.kept_weights[places]),
        groups=groups,
    )
    return LandmarkJackknife(rows=rows, spread=spread)


def _jackknife_as_given(known: LandmarkJackknife, table: RowTable, order: Indices) -> LandmarkJackknife:
    counted = np.flatnonzero(table.kept_weights > 0.0)
    precision = known.spread.precision[np.argsort(order[counted], kind="stable")]
    return LandmarkJackknife(rows=order[known.rows], spread=replace(known.spread, precision=precision))


def _root_scale(residuals: Array, precision: Array, weights: Array) -> Array:
    """Return the root (k,) of the scale that makes variances of rows left out, scale / c_i, fit their residuals."""
    unit = np.abs(residuals).max(axis=0)
    unit = np.where(unit > 0.0, unit, 1.0)  # squares of tiny residuals vanish
    return np.asarray(unit * np.sqrt(squared_scale(residuals / unit, precision, weights)), dtype=float)
