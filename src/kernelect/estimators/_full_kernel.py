"""The full form that a kernel's name stands for: amplitude * kernel + offset, all selected.

Amplitude and offset are names here for the two constants, so that a status can speak of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kernelect.exceptions import InvalidArgument
from kernelect.kernels import Constant, Kernel, as_kernel
from kernelect.kernels.scale import median_width
from kernelect.parameters import ParameterSpace
from kernelect.typing import Array

#: Amplitude (times k(x, x)) and offset: start and bounds.
_AMPLITUDE = (1.0, 0.01, 3000.0)
_OFFSET = (0.2, 1e-4, 100.0)

#: Logarithm of the median scaled squared distance between which starts are kept: far above 0 the
#: Gram matrix is a multiple of the identity, far below it is constant, and every criterion is flat.
_SETTLED = (-2.0, 1.0)


@dataclass(frozen=True)
class StartedKernel:
    """A kernel with numbers for all parameters, and the space of those parameters."""

    kernel: Kernel
    space: ParameterSpace
    full: bool  # whether amplitude and offset were added


def started_kernel(kernel: object, X: Array) -> StartedKernel:
    """Return the kernel at the data's scale: a name in full form, an object exactly as given."""
    if not isinstance(kernel, str) or kernel == "precomputed":
        given = as_kernel(kernel)
        return StartedKernel(given.start(X), given.space(X), False)
    base = as_kernel(kernel)
    full = Constant("auto") * base + Constant("auto")
    with np.errstate(over="ignore", invalid="ignore"):
        size = float(np.mean(base.start(X).diagonal(X))) or 1.0
    if not np.isfinite(size):
        raise InvalidArgument(
            f"kernel={kernel!r} overflows on these inputs: check them for extreme values and scale them."
        )
    space = _with_scalar(full.space(X), 0, "amplitude", [value / size for value in _AMPLITUDE])
    space = _with_scalar(space, len(space) - 1, "offset", _OFFSET)
    return StartedKernel(full.start(X).with_theta(space.start), space, True)


def _with_scalar(
    space: ParameterSpace, index: int, name: str, numbers: list[float] | tuple[float, ...]
) -> ParameterSpace:
    """Return the space with another name, start and bounds of one entry."""
    start, lower, upper = space.start.copy(), space.lower.copy(), space.upper.copy()
    start[index], lower[index], upper[index] = np.log(numbers)
    names = tuple(name if i == index else old for i, old in enumerate(space.names))
    return replace(space, names=names, start=start, lower=lower, upper=upper)


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
