"""The part that adds up functions of a dictionary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.dictionaries.base import Candidates
from kernelect.model.parts import Part
from kernelect.typing import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class FunctionPart(Part):
    """sum_i coefficients_i functions_i(x), for functions of a dictionary."""

    functions: Candidates

    def design(self, V: Array) -> Array:
        return self.functions.evaluate(V) if len(self.functions) else np.zeros((len(V), 0))

    def values(self, V: Array) -> Array:
        return np.asarray(self.design(V) @ self.coefficients, dtype=float)
