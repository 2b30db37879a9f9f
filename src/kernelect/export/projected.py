"""Models on landmarks with fewer of them, for predictions alone.

A machine on landmarks does not keep its training rows, so it cannot be fitted again on fewer. What it says can still be
written with fewer: of its landmarks z_i some are chosen that span the others best, and their coefficients and the
intercept are those that come nearest, by least squares, to what the machine says at all of its landmarks.
Leave-one-out, standard deviations and intervals stay those of the machine as it was fitted.
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
    design = np.column_stack([kernel.cross(Z[places], Z).T, np.ones(len(Z))])
    solution = lstsq(design, machine._decide(Z), cond=_ROUNDING, lapack_driver="gelsy")[0]
    small = copy(machine)
    small.X_fit_ = small.landmarks_ = np.ascontiguousarray(Z[places])
    small._rows = machine._rows[places]
    single = np.ndim(machine.dual_coef_) == 1
    small.dual_coef_ = solution[:-1, 0] if single else solution[:-1]
    small.intercept_ = float(solution[-1, 0]) if single else solution[-1]
    return small
