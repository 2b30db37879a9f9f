"""Least-squares machines on fewer landmarks: those that span the others best at the machines' own widths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from kernelect.estimators import LSSVC, LSSVR
from kernelect.exceptions import MissingCapability
from kernelect.explain.adapters import TableLike
from kernelect.export.recovered import KnownRows, groups_of
from kernelect.machines.lssvm.pivots import Pivots
from kernelect.mixture import KernelClassifier, KernelRegressor
from kernelect.typing import Array, Indices

LeastSquares = LSSVC | LSSVR


def estimator_of(model: Any) -> Any:
    """Return the estimator at the end of a model."""
    machine = model.pipeline if isinstance(model, TableLike) else model
    return machine[-1] if isinstance(machine, Pipeline) else machine


def least_squares_of(model: Any) -> list[LeastSquares]:
    """Return the least-squares machines of a model."""
    machine = estimator_of(model)
    if isinstance(machine, KernelClassifier | KernelRegressor):
        return [member.estimator for member in machine.members if isinstance(member.estimator, LeastSquares)]
    return [machine] if isinstance(machine, LeastSquares) else []


def landmarks_of(model: Any) -> int:
    """Return how many landmarks a model stands on, at most; 0 where one of its machines has all rows."""
    counts = [0 if machine.landmarks_ is None else len(machine.landmarks_) for machine in least_squares_of(model)]
    return 0 if 0 in counts else max(counts, default=0)


def check_inputs(machines: Sequence[LeastSquares]) -> None:
    """Raise where a machine knows kernel values alone, or comes from a file without what smaller models are made of."""
    if not all(hasattr(machine, "X_fit_") for machine in machines):
        raise MissingCapability("kernel='precomputed' has no vectors that could be left out: give a kernel of inputs.")
    if not all(machine.landmarks_ is None or hasattr(machine, "_sampled") for machine in machines):
        raise MissingCapability(
            "This model on landmarks was written by an earlier version, which did not keep what smaller models are "
            "made of: fit it again."
        )


def on_fewer(
    machines: Sequence[LeastSquares], most: int, known: KnownRows, generator: np.random.Generator
) -> list[LeastSquares]:
    """Return machines on at most so many landmarks, with the kernels and ridges that they have.

    What each says of rows left out is that of the rows that are ``known``. Machines on landmarks keep some of their
    own. Exact machines of the same rows share theirs, and are fitted again to all of these.
    """
    if all(machine.landmarks_ is not None for machine in machines):
        return [_on_own(machine, most, generator) for machine in machines]
    places = shared_landmarks(machines, most, generator)
    return [_refitted(machine, machine.X_fit_[places], known.targets, known.weights) for machine in machines]


def _on_own(machine: LeastSquares, most: int, generator: np.random.Generator) -> LeastSquares:
    if len(machine.X_fit_) <= most:
        return machine._as_sampled()
    Z, kernel = machine.X_fit_[machine._sampled.places], machine.kernel_
    if len(Z) <= most:
        return machine._among_landmarks(np.arange(len(Z)))
    return machine._among_landmarks(np.sort(Pivots(Z, kernel.cross, kernel.diagonal(Z), generator).first(most)))


def shared_landmarks(machines: Sequence[LeastSquares], most: int, generator: np.random.Generator) -> Indices:
    """Return the places of the rows that span the others best, at the first machine's widths.

    Where few rows span all others at these, as with a wide or linear kernel, the other machines add rows of theirs.
    """
    places: list[int] = []
    for machine in machines:
        X, kernel = machine.X_fit_, machine.kernel_
        found = Pivots(X, kernel.cross, kernel.diagonal(X), generator).first(most)
        places += [place for place in found.tolist() if place not in places][: most - len(places)]
        if len(places) == most:
            break
    return np.sort(np.array(places, dtype=np.intp))


def _refitted(machine: LeastSquares, landmarks: Array, targets: Any, weights: Array) -> LeastSquares:
    """Return the machine on landmarks, its kernel, ridge and groups as they were."""
    fresh = type(machine)(machine.kernel_, regularization=machine.regularization_, landmarks=landmarks, prior=None)
    return fresh.fit(machine.X_fit_, targets, weights, groups=groups_of(machine))
