"""Mixtures on landmarks, which cannot go to fewer vectors, without the members that grow with the rows."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from kernelect.estimators import GPC
from kernelect.export.reduction import Reduction
from kernelect.mixture import KernelClassifier, KernelRegressor
from kernelect.mixture.candidates import BOOSTING, FOREST
from kernelect.mixture.members import Member
from kernelect.typing import Array

_TREES = {FOREST: "the forest", BOOSTING: "the boosted trees"}


def landmarks_in(members: Sequence[Member]) -> float:
    """Return how many landmarks least-squares members stand on, at most; infinity where one has all rows."""
    counts = [np.inf if m.estimator.landmarks_ is None else len(m.estimator.landmarks_) for m in members]
    return max(counts, default=np.inf)


def unchanged(model: Any, count: int, *remarks: str) -> Reduction:
    """Return a model on so many landmarks as it is."""
    score = "log-loss" if hasattr(model, "classes_") else "unexplained variance"
    return Reduction(
        model=model,
        vectors_before=count,
        vectors=count,
        score=score,
        loss_before=np.nan,
        loss=np.nan,
        standard_error=np.nan,
        remarks=remarks,
    )


def without_large_members(door: KernelClassifier | KernelRegressor, members: Sequence[Member]) -> Reduction:
    """Return a mixture of the given members alone, in the proportions that they have."""
    count, kept = int(landmarks_in(members)), [id(member) for member in members]
    dropped = [member for member in door._members if id(member) not in kept]
    if not dropped:
        return unchanged(door, count)
    weights = door._weights[[id(member) in kept for member in door._members]]
    total = float(weights.sum())
    small = copy(door)
    small._members = tuple(members)
    small._weights = weights / total if total > 0.0 else np.full(len(members), 1.0 / len(members))
    _keep_left_out(small)
    moved = _left_out(small) - _left_out(door)
    remark = (
        f"Left out to save room: {in_words(dropped)}, with {100.0 * (1.0 - total):.0f} "
        f"% of the weight. That moves the leave-one-out {_what(door)} by {np.sqrt(np.mean(moved**2)):.2g} (root mean "
        "square)."
    )
    return unchanged(small, count, remark)


def _left_out(door: KernelClassifier | KernelRegressor) -> Array:
    """Return what a mixture says of rows left out."""
    pooled = door._mixed([member.left_out for member in door._members])
    if isinstance(door, KernelClassifier):
        return door._sharpened(pooled)
    return np.asarray(door._shaped(door.target_scale_.mean(pooled)), dtype=float)


def _keep_left_out(door: KernelClassifier | KernelRegressor) -> None:
    """Set what a mixture says of rows left out, for members that have changed."""
    if isinstance(door, KernelClassifier):
        door.loo_proba_ = _left_out(door)
        return
    door.loo_prediction_ = _left_out(door)
    door._left_out = door._mixed([member.left_out for member in door._members])


def _what(door: KernelClassifier | KernelRegressor) -> str:
    return "probabilities" if isinstance(door, KernelClassifier) else "predictions"


def in_words(members: Sequence[Member]) -> str:
    """Return what members are that are no least-squares machines."""
    count = sum(isinstance(member.estimator, GPC) for member in members)
    words = [] if not count else ["a Gaussian process" if count == 1 else f"{count} Gaussian processes"]
    words += [name for machine, name in _TREES.items() if any(m.candidate.machine == machine for m in members)]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
