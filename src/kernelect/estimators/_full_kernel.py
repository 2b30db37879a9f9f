"""What a kernel's name stands for in machines without an intercept: amplitude * kernel + offset, all selected.

A latent function needs an amplitude and, in the place of an intercept, a constant: without the
latter, problems whose classes differ in spread are got wrong several times as often. Amplitude
and offset are the names of the two constants, so that a status can speak of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.kernels import Constant, Kernel, Precomputed, as_kernel
from kernelect.kernels.parametric import SCALE_RANGE
from kernelect.kernels.scale import median_width
from kernelect.parameters import ParameterSpace
from kernelect.typing import Array

#: Logarithm of the median scaled squared distance between which starts are kept: far above 0 the
#: Gram matrix is a multiple of the identity, far below it is constant, and every criterion is flat.
_SETTLED = (-2.0, 1.0)


@dataclass(frozen=True)
class StartedKernel:
    """A kernel with numbers for all parameters, and the space of those parameters."""

    kernel: Kernel
    space: ParameterSpace
    full: bool  # whether amplitude and offset were added


@dataclass(frozen=True)
class Scales:
    """Start, lower and upper bound of the amplitude (times the mean of k(x, x)) and of the offset."""

    amplitude: tuple[float, float, float] = (1.0, np.exp(-SCALE_RANGE), np.exp(SCALE_RANGE))
    offset: tuple[float, float, float] = (1.0, np.exp(-SCALE_RANGE), np.exp(SCALE_RANGE))


def started_kernel(kernel: object, X: Array, scales: Scales) -> StartedKernel:
    """Return the kernel at the data's scale: a name in full form, an object exactly as given.

    A polynomial kernel has an amplitude already, its ``gamma`` and ``coef0``.
    """
    if not isinstance(kernel, str):
        given = as_kernel(kernel)
        return StartedKernel(given.start(X), given.space(X), False)
    base = as_kernel(kernel)
    scaled = kernel != "polynomial"
    full = Constant("auto") * base + Constant("auto") if scaled else base + Constant("auto")
    space = full.space(X)
    if scaled:
        size = _mean_diagonal(kernel, base, X)
        space = _with_scalar(space, 0, "amplitude", scales.amplitude, size)
    space = _with_scalar(space, len(space) - 1, "offset", scales.offset)
    return StartedKernel(full.start(X).with_theta(space.start), space, True)


def _mean_diagonal(name: str, base: Kernel, X: Array) -> float:
    """Return the mean of k(x, x), 1 where it is 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        diagonal = np.diagonal(X) if isinstance(base, Precomputed) else base.start(X).diagonal(X)
        size = float(np.mean(diagonal))
    if not np.isfinite(size):
        raise InvalidArgument(
            f"kernel={name!r} overflows on these inputs: check them for extreme values and scale them."
        )
    return size if size > 0 else 1.0


def _with_scalar(
    space: ParameterSpace, index: int, name: str, numbers: tuple[float, float, float], unit: float = 1.0
) -> ParameterSpace:
    """Return the space with another name, start and bounds of one entry, which is measured in 1 / ``unit``."""
    start, lower, upper, reference = (
        space.start.copy(),
        space.lower.copy(),
        space.upper.copy(),
        space.reference.copy(),
    )
    start[index], lower[index], upper[index] = np.log(numbers) - np.log(unit)
    reference[index] = -np.log(unit)
    names = tuple(name if i == index else old for i, old in enumerate(space.names))
    return replace(space, names=names, start=start, lower=lower, upper=upper, reference=reference)


def settle_widths(X: Array, space: ParameterSpace, theta: Array) -> Array:
    """Return ``theta`` with the widths of each kernel scaled so that it starts on no plateau."""
    theta = theta.copy()
    for group in space.widths:
        group = group[space.free[group]]
        if not len(group):
            continue
        gamma = np.exp(theta[group])
        scaled = X * np.sqrt(gamma) if len(gamma) == X.shape[1] or len(gamma) == 1 else X
        distance = -float(np.log(median_width(scaled)))
        theta[group] += np.clip(distance, *_SETTLED) - distance
    return theta
