"""The posterior of a Gaussian process: its variance at new rows, and their covariances.

Notation: V (m, d) new inputs, n training rows, k outputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kernelect.model.parts import KernelPart, blocks
from kernelect.model.spreads import LatentSpread
from kernelect.numerics import root_product
from kernelect.typing import Array

if TYPE_CHECKING:
    from kernelect.model.component import Component

#: Less than this share of the prior variance is never left: rounding may take a little more away than there is.
_LEAST_SHARE = 1e-12


@dataclass(frozen=True, eq=False, kw_only=True)
class PosteriorSpread(LatentSpread):
    """A Gaussian process: k(x, x) less what the data explain.

    Attributes
    ----------
    roots : tuple of ndarray of shape (r, n)
        Of each output: W, so that |W k(x)|^2 is the variance that the data explain.
    usual : ndarray of shape (k,)
        Mean posterior variance over the training rows.
    unit : float
        The unit of the targets, whose square the variance of the kernel is measured in; 1 for labels.
    noise : float
        Standard deviation of the noise, in the targets' own unit; 0 for labels.
    """

    roots: tuple[Array, ...]
    usual: Array
    unit: float = 1.0
    noise: float = 0.0

    def latent(self, component: Component, V: Array) -> tuple[Array, Array]:
        part = component.kernel_part
        found = [self._block(part, block) for block in blocks(V, len(part.coefficients))]
        mean, variance = (np.concatenate(each) for each in zip(*found, strict=True))
        return component.constant + mean, self.unit**2 * variance

    def deviation(self, component: Component, V: Array) -> Array:
        return np.sqrt(self.latent(component, V)[1] + self.noise**2)

    def covariance(self, component: Component, V: Array) -> Array:
        part = component.kernel_part
        cross, prior = part.cross(V), part.kernel.gram(V)
        halves = [root_product(W, cross) for W in self.roots]
        latent = np.stack([prior - half.T @ half for half in halves], axis=-1)
        return np.asarray(self.unit**2 * latent + self.noise**2 * np.eye(len(V))[..., None], dtype=float)

    def _block(self, part: KernelPart, V: Array) -> tuple[Array, Array]:
        cross, prior = part.cross(V), part.kernel.diagonal(V)[:, None]
        halves = (root_product(W, cross) for W in self.roots)
        explained = np.column_stack([np.einsum("ij,ij->j", half, half) for half in halves])
        return cross.T @ part.coefficients, np.maximum(prior - explained, _LEAST_SHARE * prior)
