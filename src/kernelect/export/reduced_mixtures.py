"""Mixtures with fewer vectors: least-squares machines alone, weighed again by what they say of rows left out."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

import numpy as np

from kernelect.criteria.calibration import fit_temperature, probabilities
from kernelect.estimators import GPC, LSSVC, LSSVR
from kernelect.export.fewer import check_inputs, landmarks_of, on_fewer
from kernelect.export.recovered import KnownRows, known_rows
from kernelect.export.reduction import Reduction, compared
from kernelect.mixture import KernelClassifier, KernelRegressor
from kernelect.mixture.candidates import BOOSTING, FOREST
from kernelect.mixture.classifier import LEAST
from kernelect.mixture.members import Member, left_out
from kernelect.typing import Array

Door = KernelClassifier | KernelRegressor

#: What is said of coefficients that the log-loss found.
_ON_LEAST_SQUARES = (
    "In the whole model the log-loss refitted coefficients; in a smaller one they are those of least squares, which is "
    "part of the difference."
)

_TREES = {FOREST: "the forest", BOOSTING: "the boosted trees"}


def reduced_mixture(door: Door, most: int, generator: np.random.Generator) -> Reduction:
    """Return a mixture of the least-squares machines alone, on at most so many vectors each.

    A mixture on landmarks loses its trees even if it keeps all landmarks: they grow with the rows.
    """
    kept = [isinstance(member.estimator, LSSVC | LSSVR) for member in door.members]
    members = [member for member, stays in zip(door.members, kept, strict=True) if stays]
    machines = [member.estimator for member in members]
    check_inputs(machines)
    known = known_rows(machines[0])  # a classifier's members have the numbers of classes for labels
    count = landmarks_of(door) or len(machines[0].X_fit_)
    before = door._scores(_left_out(door)[known.rows], known.targets)
    if most >= count and (all(kept) or not landmarks_of(door)):
        return compared(door, count, count, before, before)
    smaller = on_fewer(machines, most, known, generator)
    said = [door._within(left_out(machine)) for machine in smaller]
    pairs = zip(members, smaller, said, strict=True)
    small = _mixed_again(door, [replace(m, estimator=each, left_out=values) for m, each, values in pairs], known)
    after = door._scores(_left_out(small), known.targets)
    if isinstance(small, KernelRegressor) and small._noise_rows is not None and not landmarks_of(door):
        small._noise_rows = small._noise_rows[known.numbers]  # the rows that the machines were fitted to again
    found = compared(small, count, landmarks_of(small), before, after)
    remarks = [] if all(kept) else [_on_dropped(door, kept, known, found)]
    if sum(map(_is_refitted, machines)) > sum(map(_is_refitted, smaller)):
        remarks.append(_ON_LEAST_SQUARES)
    return replace(found, remarks=tuple(remarks))


def _is_refitted(machine: LSSVC | LSSVR) -> bool:
    return isinstance(machine, LSSVC) and machine._refitted


def _mixed_again(door: Door, members: Sequence[Member], known: KnownRows) -> Door:
    """Return a mixture of these members, which speak of the rows that are known, with weights of their own."""
    small = copy(door)
    small._members = tuple(members)
    small._weights = small._weigh(known.targets, known.weights)
    _recalibrate(small, known)
    return small


def _on_dropped(door: Door, kept: Sequence[bool], known: KnownRows, found: Reduction) -> str:
    """Return what leaving members out costs by itself, in a sentence."""
    dropped = [member for member, stays in zip(door.members, kept, strict=True) if not stays]
    share = 1.0 - float(np.sum(door._weights[np.array(kept)]))
    rest = [replace(m, left_out=m.left_out[known.rows]) for m, stays in zip(door.members, kept, strict=True) if stays]
    loss = float(door._scores(_left_out(_mixed_again(door, rest, known)), known.targets).mean())
    return (
        f"Left out to save room: {_in_words(dropped)}, with {100.0 * share:.0f} % of the "
        f"weight. That alone moves the leave-one-out {found.score} from {found.loss_before:#.4g} to {loss:#.4g}."
    )


def _left_out(door: Door) -> Array:
    """Return what a mixture says of rows left out, (n, k)."""
    return door.loo_proba_ if isinstance(door, KernelClassifier) else door._left_out


def _recalibrate(door: Door, known: KnownRows) -> None:
    """Set what a mixture learns of rows left out, for members that have changed."""
    targets, weights = known.targets, known.weights
    if isinstance(door, KernelClassifier):
        pooled = door._mixed([member.left_out for member in door._members])
        logs = np.log(np.maximum(pooled, LEAST))
        door._sharpness = fit_temperature(logs, targets, weights)
        door.loo_proba_ = probabilities(logs, door._sharpness)
        return
    door._learn_left_out(targets, weights)
    if door._noise_rows is not None:
        door._spread_in_units(targets - door._left_out[:, 0], door._noise_rows[known.numbers, 0])


def _in_words(members: Sequence[Member]) -> str:
    """Return what members are that are no least-squares machines."""
    count = sum(isinstance(member.estimator, GPC) for member in members)
    words = [] if not count else ["a Gaussian process" if count == 1 else f"{count} Gaussian processes"]
    words += [name for machine, name in _TREES.items() if any(m.candidate.machine == machine for m in members)]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
