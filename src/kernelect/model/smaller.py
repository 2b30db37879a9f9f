"""What a file keeps of a posterior variance: directions that the data do not explain are left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import svd

from kernelect.model.component import Component
from kernelect.model.parts import KernelPart
from kernelect.model.posterior import PosteriorSpread
from kernelect.model.record import Model
from kernelect.numerics import factorize
from kernelect.typing import Array

#: Share of k(x, x) that a variance may change by.
NEGLIGIBLE = 1e-12


def for_file(model: Model) -> Model:
    """Return a model that takes less room and predicts the same, up to 1e-12 of a prior variance."""
    return replace(model, components=tuple(_smaller(component) for component in model.components))


def _smaller(component: Component) -> Component:
    spread = component.spread
    if not isinstance(spread, PosteriorSpread) or component.kernel_part.is_precomputed:
        return component
    part = component.kernel_part
    roots = tuple(_fewer_rows(root, part) for root in spread.roots)
    return replace(component, spread=replace(spread, roots=roots))


def _fewer_rows(root: Array, part: KernelPart) -> Array:
    """Return W (r, n) with fewer rows, where |W k(x)|^2 changes by at most 1e-12 of k(x, x).

    k(x) = C u for C C^T = K and some u with |u|^2 <= k(x, x), so directions of W C whose squared singular values are
    below 1e-12 can be left out, and smooth kernels have few others. A triangle of which more than half is needed stays
    as it is: it takes no more room.
    """
    n = root.shape[1]
    if root.shape[0] < n or n < 2:
        return root
    gram = part.kernel.gram(part.vectors)
    lower = np.tril(factorize(gram, 0.0).lower)
    left, singular, _ = svd(root @ lower, full_matrices=False, check_finite=False)
    kept = max(int(np.sum(singular**2 > NEGLIGIBLE)), 1)
    return np.asarray(left[:, :kept].T @ root, dtype=float) if 2 * kept < n else root
