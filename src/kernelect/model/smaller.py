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
    part, roots = component.kernel_part, []
    for root in spread.roots:
        fewer = fewer_rows(root, part)
        roots.append(fewer if 2 * len(fewer) < root.shape[1] else root)  # a triangle takes no more room than its half
    return replace(component, spread=replace(spread, roots=tuple(roots)))


def fewer_rows(root: Array, part: KernelPart, negligible: float = NEGLIGIBLE) -> Array:
    """Return W (r, n) with fewer rows, where |W k(x)|^2 changes by at most ``negligible`` times k(x, x).

    k(x) = C u for C C^T = K and some u with |u|^2 <= k(x, x), so directions of W C whose squared singular values are
    below that can be left out, and smooth kernels have few others. What has fewer rows than columns stays as it is.
    """
    n = root.shape[1]
    if root.shape[0] < n or n < 2:
        return root
    gram = part.kernel.gram(part.vectors)
    lower = np.tril(factorize(gram, 0.0).lower)
    left, singular, _ = svd(root @ lower, full_matrices=False, check_finite=False)
    kept = max(int(np.sum(singular**2 > negligible)), 1)
    return np.asarray(left[:, :kept].T @ root, dtype=float)
