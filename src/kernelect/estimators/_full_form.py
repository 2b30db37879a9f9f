"""What a kernel's name stands for in machines without an intercept of their own.

A Gaussian process prior needs an amplitude and, in the place of an intercept, a constant:
without the latter, problems whose classes differ in spread are got wrong several times as often.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kernelect.kernels import Constant, Kernel, Precomputed, as_kernel
from kernelect.parameters import ParameterSpace
from kernelect.typing import Array


def full_form(kernel: object, X: Array) -> tuple[Kernel, ParameterSpace]:
    """Return the kernel with values to start from, and its parameters.

    A name stands for amplitude * kernel + constant, all ``"auto"``, with an amplitude at which
    the kernel's diagonal is 1 on average; an object is used exactly as given. A polynomial
    kernel has an amplitude already, its ``gamma``.
    """
    if not isinstance(kernel, str):
        given = as_kernel(kernel)
        return given.start(X), given.space(X)
    base = as_kernel(kernel)
    full = base + Constant() if kernel == "polynomial" else Constant() * base + Constant()
    space = full.space(X)
    size = float(np.mean(np.diagonal(X) if isinstance(base, Precomputed) else base.start(X).diagonal(X)))
    shift = np.zeros(len(space))
    shift[space.amplitudes] = -np.log(size) if size > 0 else 0.0
    space = replace(space, start=space.start + shift, lower=space.lower + shift, upper=space.upper + shift)
    return full.start(X).with_theta(space.start), space
