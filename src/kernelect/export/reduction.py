"""The record of a model with fewer vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelect.model import Model
from kernelect.typing import Array

#: What is reported of relevance vector machines whose leave-one-out is not known.
EVIDENCE = "ln evidence"


@dataclass(frozen=True, eq=False, kw_only=True)
class Reduction:
    """A model with fewer vectors, and what that costs.

    Attributes
    ----------
    model : estimator, Pipeline or TableModel
        Of the same kind as the one that was given.
    vectors_before, vectors : int
    score : "log-loss", "unexplained variance" or "ln evidence"
        The first two are measured by leave-one-out. How far the ln evidence falls is reported of a relevance vector
        machine that was reduced before, or comes from a file that was written before its leave-one-out was kept.
    loss_before, loss : float
    standard_error : float
        Of the difference of both; 0 if there is no leave-one-out.
    remarks : tuple of str
    """

    model: Any
    vectors_before: int
    vectors: int
    score: str
    loss_before: float = 0.0
    loss: float = 0.0
    standard_error: float = 0.0
    remarks: tuple[str, ...] = ()

    def in_words(self) -> str:
        """Return the sentence on what the reduction costs."""
        if self.vectors == self.vectors_before:
            return f"The model has {self.vectors} vectors, and all of them are kept."
        if self.score == EVIDENCE:
            return (
                f"{self.vectors} of {self.vectors_before} vectors are kept: the ln evidence changes by "
                f"{-self.loss:+.3g} (differences of about 1 are noise; differences of 10 or more are clear)."
            )
        rise = self.loss - self.loss_before
        return (
            f"{self.vectors} of {self.vectors_before} vectors are kept: the leave-one-out {self.score} is "
            f"{self.loss:#.4g} instead of {self.loss_before:#.4g} ({'smaller' if rise < 0.0 else 'larger'} by "
            f"{abs(rise):.2g}, standard error {self.standard_error:.2g})."
        )


def loss_name(model: Model) -> str:
    """Return the name of the loss of rows left out."""
    return "log-loss" if model.is_classifier else "unexplained variance"


def compared(model: Model, vectors_before: int, vectors: int, before: Array, after: Array) -> Reduction:
    """Return the record of a smaller model, with the losses of the same rows left out of both models."""
    difference = after - before
    return Reduction(
        model=model,
        vectors_before=vectors_before,
        vectors=vectors,
        score=loss_name(model),
        loss_before=float(before.mean()),
        loss=float(after.mean()),
        standard_error=float(difference.std() / np.sqrt(len(difference))),
    )
