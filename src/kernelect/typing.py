"""Aliases and words shared by every part."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]

Auto = Literal["auto"]

#: What is learned. Machines tell grades from other classes, and times of events from other numbers.
CLASSIFICATION, REGRESSION, ORDERED, SURVIVAL = "classification", "regression", "ordered classification", "survival"

#: theta -> (value, gradient); the gradient is ``None`` if a criterion has no derivative.
Objective = Callable[[Array], tuple[float, Array | None]]

#: Called with an :class:`kernelect.results.Evaluation` once per evaluation of an objective.
Observer = Callable[[Any], None]
