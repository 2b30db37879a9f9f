"""Aliases shared by every part."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]

Auto = Literal["auto"]

#: theta -> (value, gradient); the gradient is ``None`` where a criterion has no derivative.
Objective = Callable[[Array], tuple[float, Array | None]]

#: Called with an :class:`kernelect.results.Evaluation` once per evaluation of an objective.
Observer = Callable[[Any], None]
