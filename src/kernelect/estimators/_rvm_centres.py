"""Where the candidate functions of a relevance vector machine are centred: what ``landmarks=`` stands for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from kernelect.dictionaries import DictionaryDesign
from kernelect.exceptions import InvalidArgument
from kernelect.kernels import Kernel
from kernelect.machines import RVM
from kernelect.selection import Centres, Drawing, RelevanceObjective
from kernelect.selection.landmarks import LandmarkRequest, as_request
from kernelect.typing import Array, Indices

#: Rows up to which ``"auto"`` has a candidate function at every row, and how many landmarks it draws beyond. Fewer cost
#: accuracy: at 2000 rows of Friedman's function 600 have a mean squared error 2 % larger than all rows, 1000 have 1 %.
EVERY_ROW, LANDMARKS = 2000, 1000

#: n x n arrays that a fit with a function at every row holds at its peak.
_SQUARES = 6.0


def centre_request(landmarks: Any, n_rows: int, n_inputs: int) -> LandmarkRequest | None:
    """Return what the argument asks for, None for a candidate function at every row."""
    if isinstance(landmarks, str) and landmarks == "auto":
        return None if n_rows <= EVERY_ROW else LandmarkRequest(first=LANDMARKS, most=LANDMARKS)
    return as_request(landmarks, n_rows, n_inputs)


def no_centres(landmarks: Any, *, precomputed: bool) -> InvalidArgument:
    """Return what to report if candidate functions have no centres among the inputs."""
    has = "kernel='precomputed' takes kernel values" if precomputed else "dictionary= has functions of its own"
    return InvalidArgument(
        f"landmarks={landmarks!r} asks for centres of a kernel of the inputs, and {has}: leave landmarks at "
        "'auto', or give the inputs and another kernel."
    )


def centred(
    objective: RelevanceObjective, request: LandmarkRequest | None, X: Array, rows: Indices, seed: Callable[[], int]
) -> RelevanceObjective:
    """Return the objective with its candidate functions; ``rows`` are those of ``X`` that are fitted."""
    if request is None:
        return objective
    assert isinstance(objective.machine, RVM)
    objective = replace(objective, machine=replace(objective.machine, most_functions=request.first))
    if request.points is not None:
        return objective.centred_on(given_centres(request.points, X, rows))
    return replace(objective, drawing=Drawing(count=request.first, seed=seed()))


def given_centres(points: Array, X: Array, rows: Indices) -> Centres:
    """Return landmarks that are given, in the order of ``rows``, the rows of ``X`` that are fitted.

    One that is no row of ``X`` is refused: a relevance vector is a training row.
    """
    first = {row.tobytes(): number for number, row in reversed(list(enumerate(X + 0.0)))}
    numbers = np.array([first.get(point.tobytes(), -1) for point in points + 0.0], dtype=np.intp)
    if np.any(numbers < 0):
        raise InvalidArgument(
            f"landmarks has a row {int(np.argmin(numbers))} that X does not have: give rows of X, a number of them, "
            "or dictionary=kernelect.dictionaries.KernelFunctions(centres=...) for centres of your own."
        )
    place = np.full(len(X), -1, dtype=np.intp)
    place[rows] = np.arange(len(rows))
    chosen = np.unique(numbers)
    chosen = chosen[np.argsort(place[chosen], kind="stable")]
    return Centres(points=X[chosen], rows=place[chosen])


def row_numbers(objective: RelevanceObjective, X: Array, rows: Indices) -> Indices:
    """Return the row of ``X`` of every candidate function, where those that are fitted are ``rows``."""
    if objective.centres is None:
        return rows
    # A landmark that was given may be a row of weight 0, or one that there is no time for.
    fitted = objective.centres.rows >= 0
    numbers = np.empty(len(fitted), dtype=np.intp)
    numbers[fitted] = rows[objective.centres.rows[fitted]]
    numbers[~fitted] = origins_of(X, objective.centres.points[~fitted])
    return numbers


def origins_of(X: Array, rows: Array) -> Indices:
    """Return the first place of every one of ``rows`` in ``X``."""
    return np.array([np.flatnonzero((row == X).all(axis=1))[0] for row in rows], dtype=np.intp)


def squares_of(kernel: Kernel, X: Array, request: LandmarkRequest | None) -> float:
    """Return how many n x n arrays a fit needs: fewer if there are fewer functions than rows."""
    if isinstance(kernel, DictionaryDesign):
        return _SQUARES * len(kernel.dictionary.build(X)) / len(X)
    return _SQUARES if request is None else _SQUARES * min(request.first / len(X), 1.0)
