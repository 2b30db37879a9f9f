"""The rational quadratic kernel: Gaussian kernels of many widths at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.kernels.parametric import Parameter
from kernelect.kernels.stationary import WIDTH, Stationary
from kernelect.typing import Array, Auto


@dataclass(frozen=True, eq=False)
class RationalQuadratic(Stationary):
    """Rational quadratic kernel (1 + D / alpha) ** -alpha, with tails heavier than the Gaussian's.

    It is a mixture of Gaussian kernels whose widths follow a Gamma distribution of shape
    ``alpha``; for large ``alpha`` it becomes exp(-D). scikit-learn's
    ``RationalQuadratic(length_scale=l, alpha=alpha)`` has ``gamma`` = 1/(2 l^2).

    Parameters
    ----------
    gamma : float, array of shape (n_features,) or "auto"
    elliptical : bool
        Whether there is one width per input; a ``gamma`` that is a number or an array decides this.
    alpha : float or "auto"
    """

    gamma: float | Array | Auto = "auto"
    elliptical: bool = False
    alpha: float | Auto = "auto"
    parameters = (WIDTH, Parameter("alpha", 1.0, "shape", below=3.0, above=6.0))

    def profile(self, D: Array) -> Array:
        return np.exp(-self.value("alpha") * self._log_base(D))

    def slope(self, D: Array) -> Array:
        return np.asarray(-np.exp(-(self.value("alpha") + 1.0) * self._log_base(D)), dtype=float)

    def shape_slope(self, name: str, D: Array) -> Array:
        # d/d log alpha of -alpha log(1 + D/alpha) is D / (1 + D/alpha) - alpha log(1 + D/alpha).
        alpha, log_base = self.value("alpha"), self._log_base(D)
        return np.asarray(np.exp(-alpha * log_base) * alpha * (-np.expm1(-log_base) - log_base), dtype=float)

    def _log_base(self, D: Array) -> Array:
        return np.log1p(D / self.value("alpha"))
