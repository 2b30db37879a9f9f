"""How good a model is, by figures that the selection did not optimise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Score:
    """One figure with its uncertainty."""

    name: str
    value: float
    standard_error: float | None


@dataclass(frozen=True)
class Estimate:
    """How good the model is, estimated in one way.

    Attributes
    ----------
    name : str
        Such as ``"leave-one-out"``, ``"5 outer folds x 1"`` or ``"always the mean"``.
    scores : tuple of Score
    y_true, prediction : ndarray of shape (n,), or None
        Labels or values.
    probability : ndarray of shape (n, n_classes), or None
        Columns in the order of the assessment's classes.
    """

    name: str
    scores: tuple[Score, ...]
    y_true: np.ndarray | None
    prediction: np.ndarray | None
    probability: np.ndarray | None


@dataclass(frozen=True)
class Assessment:
    """All estimates of one fitted pipeline; ``classes`` is None for regression."""

    classes: tuple[Any, ...] | None
    leave_one_out: Estimate | None
    outer_folds: Estimate | None
    baseline: Estimate
