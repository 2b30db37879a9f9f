"""The meaning of the argument ``landmarks=``."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.typing import Array

#: Rows up to which ``"auto"`` is the exact machine: there it takes no longer, and nothing is left out.
EXACT_ROWS = 2000

#: Landmarks that ``"auto"`` begins with, and the most it takes.
FIRST, MOST = 500, 2000

#: Rows times squared landmarks beyond which ``"auto"`` does not go: about a minute of one processor.
MOST_WORK = 1.5e12


@dataclass(frozen=True, kw_only=True)
class LandmarkRequest:
    """How many landmarks, or which.

    Attributes
    ----------
    first : int
        Landmarks to begin with.
    most : int
        Landmarks up to which they are doubled as long as leave-one-out improves; ``first`` if their number is given.
    points : ndarray of shape (m, d) or None
        The landmarks themselves, if they are given.
    """

    first: int
    most: int
    points: Array | None = None

    @property
    def automatic(self) -> bool:
        """Whether their number is to be found."""
        return self.most > self.first


def as_request(landmarks: object, n_rows: int, n_inputs: int) -> LandmarkRequest | None:
    """Return what the argument asks for, None for the exact machine.

    Parameters
    ----------
    landmarks : "auto", None, int or array of shape (m, n_inputs)
    n_rows : int
        Rows of positive weight.
    n_inputs : int
    """
    if landmarks is None:
        return None
    if isinstance(landmarks, str):
        if landmarks != "auto":
            raise _impossible(landmarks)
        return None if n_rows <= EXACT_ROWS else _automatic(n_rows)
    if isinstance(landmarks, Integral) and not isinstance(landmarks, bool):
        if landmarks < 1:
            raise _impossible(landmarks)
        return LandmarkRequest(first=int(landmarks), most=int(landmarks))
    return _given(landmarks, n_inputs)


def _automatic(n_rows: int) -> LandmarkRequest:
    work = int(np.sqrt(MOST_WORK / n_rows))
    most = FIRST
    while 2 * most <= min(MOST, work, n_rows // 2):
        most *= 2
    return LandmarkRequest(first=FIRST, most=most)


def _given(landmarks: object, n_inputs: int) -> LandmarkRequest:
    try:
        points = np.array(landmarks, dtype=float)
    except (TypeError, ValueError):
        raise _impossible(landmarks) from None
    if points.ndim != 2 or not len(points):
        raise _impossible(landmarks)
    if points.shape[1] != n_inputs:
        raise InvalidArgument(
            f"landmarks has {points.shape[1]} columns and X has {n_inputs}: give rows with the same inputs as X."
        )
    if not np.all(np.isfinite(points)):
        raise InvalidArgument("landmarks holds NaN or infinite values: give rows of finite numbers.")
    return LandmarkRequest(first=len(points), most=len(points), points=points)


def _impossible(landmarks: Any) -> InvalidArgument:
    shown = f"an array of shape {landmarks.shape}" if isinstance(landmarks, np.ndarray) else repr(landmarks)
    return InvalidArgument(
        f"landmarks={shown} must be 'auto', None for the exact machine, a whole number of at least 1, "
        "or an array with one landmark per row."
    )
