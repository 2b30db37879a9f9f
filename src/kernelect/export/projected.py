"""Models on landmarks with fewer of them.

A machine on landmarks does not keep its training rows, so it cannot be fitted again on fewer. LSSVR keeps the sums over
rows behind its intervals, and these give the machine on some of its landmarks, as all rows would. Of LSSVC the
coefficients and the intercept are those that come nearest, by least squares, to what it says at all of its landmarks.
In both the landmarks that stay are those that span the others best.
"""

from __future__ import annotations

from copy import copy
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import lstsq
from sklearn.pipeline import Pipeline

from kernelect.estimators import LSSVC, LSSVR
from kernelect.explain.adapters import TableLike
from kernelect.export.lighter import without_large_members
from kernelect.machines.lssvm.pivots import Pivots
from kernelect.mixture import KernelClassifier, KernelRegressor
from kernelect.typing import Array, Indices

#: Share of the largest singular value below which directions are rounding.
_ROUNDING = 1e-10


def landmarks_of(model: Any) -> int:
    """Return how many landmarks a model stands on, at most; 0 where one of its machines has all rows."""
    counts = [0 if machine.landmarks_ is None else len(machine.landmarks_) for machine in _machines(model)]
    return 0 if 0 in counts else max(counts, default=0)


def on_fewer_landmarks(model: Any, most: int, generator: np.random.Generator) -> tuple[Any, tuple[str, ...]]:
    """Return a model for predictions alone with at most so many landmarks in a machine, and remarks on it."""
    if isinstance(model, TableLike):
        found, remarks = on_fewer_landmarks(model.pipeline, most, generator)
        assert is_dataclass(model)
        return replace(model, pipeline=found), remarks
    if isinstance(model, Pipeline):
        found, remarks = on_fewer_landmarks(model[-1], most, generator)
        return Pipeline([*model.steps[:-1], (model.steps[-1][0], found)]), remarks
    if isinstance(model, LSSVC | LSSVR):
        return _projected(model, most, generator), ()
    kept = [member for member in model._members if isinstance(member.estimator, LSSVC | LSSVR)]
    found = without_large_members(model, kept)
    small = copy(found.model)
    small._members = tuple(
        replace(member, estimator=_projected(member.estimator, most, generator)) for member in found.model._members
    )
    return small, found.remarks


def _machines(model: Any) -> list[Any]:
    """Return the least-squares machines of a model."""
    machine = model.pipeline if isinstance(model, TableLike) else model
    machine = machine[-1] if isinstance(machine, Pipeline) else machine
    if isinstance(machine, KernelClassifier | KernelRegressor):
        return [member.estimator for member in machine._members if isinstance(member.estimator, LSSVC | LSSVR)]
    return [machine] if isinstance(machine, LSSVC | LSSVR) else []


def _projected(machine: LSSVC | LSSVR, most: int, generator: np.random.Generator) -> LSSVC | LSSVR:
    Z, kernel = machine.X_fit_, machine.kernel_
    if len(Z) <= most:
        return machine
    places = np.sort(Pivots(Z, kernel.cross, kernel.diagonal(Z), generator).first(most))
    small = copy(machine)
    small.X_fit_ = small.landmarks_ = np.ascontiguousarray(Z[places])
    small._rows = machine._rows[places]
    if isinstance(machine, LSSVR):
        small._spread = machine._spread.among(places, *interval_rows(machine))
        small._keep_solution(kernel, small._spread.state, small.X_fit_)
        return small
    design = np.column_stack([kernel.cross(Z[places], Z).T, np.ones(len(Z))])
    solution = lstsq(design, machine._decide(Z), cond=_ROUNDING, lapack_driver="gelsy")[0]
    single = np.ndim(machine.dual_coef_) == 1
    small.dual_coef_ = solution[:-1, 0] if single else solution[:-1]
    small.intercept_ = float(solution[-1, 0]) if single else solution[-1]
    return small


def interval_rows(machine: LSSVR) -> tuple[Array, Indices]:
    """Return kernel values (m, q) between landmarks and the rows behind intervals, and which landmarks those are."""
    same = machine._rows[:, None] == machine._interval_rows  # (m, q)
    return machine._cross(machine._spread.inputs), np.where(same.any(axis=0), same.argmax(axis=0), -1)


def moved_by(model: Any, small: Any) -> float:
    """Return how far answers move at the landmarks that a model had, as a root mean square.

    Probabilities as they are, numbers in units of the answers' deviation; of mixtures the mean over machines, each at
    its own landmarks, with their weights.
    """
    pairs = list(zip(_machines(model), _machines(small), strict=True))
    weights = small._weights if hasattr(small, "_members") else np.ones(1)
    return float(np.average([_moved(*pair) for pair in pairs], weights=weights))


def _moved(machine: LSSVC | LSSVR, small: LSSVC | LSSVR) -> float:
    Z = machine.X_fit_
    if isinstance(machine, LSSVC):
        return float(np.sqrt(np.mean((small.predict_proba(Z) - machine.predict_proba(Z)) ** 2)))
    before, after = machine._decide(Z), small._decide(Z)
    size = before.std(axis=0)
    return float(np.sqrt(np.mean(((after - before) / np.where(size > 0.0, size, 1.0)) ** 2)))
