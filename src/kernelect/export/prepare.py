"""What every export begins with: the model made smaller if that is asked for, as a program, compared with Python."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kernelect.exceptions import MissingCapability
from kernelect.export.models import program_of
from kernelect.export.program import Program
from kernelect.export.reduce import reduce
from kernelect.export.rows import checked_rows
from kernelect.typing import Array


def prepared(
    model: Any,
    rows: Any = None,
    max_vectors: int | None = None,
    max_numbers: int = 2_000_000,
    interval: float | None = None,
) -> tuple[Program, Array]:
    """Return the program of a model, and the coded rows at which it was compared with the model.

    Parameters
    ----------
    model : estimator, Pipeline or TableModel
    rows : DataFrame or array, or None
        Rows to compare at; made up if None.
    max_vectors : int or None
        Vectors that a model is reduced to first.
    max_numbers : int
        A model with more numbers is refused.
    interval : float in (0, 1), optional
        Coverage of an interval around the predicted number.
    """
    remarks: tuple[str, ...] = ()
    if max_vectors is not None:
        found = reduce(model, max_vectors)
        model, remarks = found.model, (found.in_words(), *found.remarks)
    program = replace(program_of(model, interval), remarks=remarks)
    count = program.count()
    if count > max_numbers:
        raise MissingCapability(
            f"The model holds {count} numbers, more than max_numbers={max_numbers}: reduce it with max_vectors=200 "
            "(least squares and mixtures; Gaussian processes and trees in these are then left out), or raise "
            "max_numbers."
        )
    return program, checked_rows(model, program, rows)
