"""Kernel values that were given, as columns of the inputs: what a part says of them is a sum over these columns."""

from __future__ import annotations

from kernelect.dictionaries.functions import DesignColumns
from kernelect.exceptions import MissingCapability
from kernelect.kernels import Constant, Kernel, Precomputed, Product, Sum
from kernelect.model import FunctionPart, KernelPart
from kernelect.typing import Array


def columns_of_values(part: KernelPart) -> tuple[FunctionPart, Array]:
    """Return a part of precomputed kernel values as a sum over columns of the inputs, and a constant (k,)."""
    assert part.places is not None
    slope, offset = _affine(part.kernel)
    columns = FunctionPart(functions=DesignColumns(part.places), coefficients=slope * part.coefficients)
    return columns, offset * part.coefficients.sum(axis=0)


def _affine(kernel: Kernel) -> tuple[float, float]:
    """Return slope and offset of a kernel as a function of precomputed values."""
    if isinstance(kernel, Precomputed):
        return 1.0, 0.0
    if isinstance(kernel, Constant):
        return 0.0, float(kernel.constant)
    if isinstance(kernel, Sum):
        pairs = [_affine(part) for part in kernel.parts]
        return sum(slope for slope, _ in pairs), sum(offset for _, offset in pairs)
    if isinstance(kernel, Product) and sum(map(_has_values, kernel.parts)) == 1:
        factors = sorted((_affine(part) for part in kernel.parts), key=lambda pair: pair[0] == 0.0)
        slope, offset = factors[0]
        for _, constant in factors[1:]:
            slope, offset = slope * constant, offset * constant
        return slope, offset
    raise MissingCapability(
        f"{kernel!r} is not a linear function of the precomputed kernel values, so it cannot be explained: use a "
        "kernel of the inputs, such as 'ard'."
    )


def _has_values(kernel: Kernel) -> bool:
    if isinstance(kernel, Sum | Product):
        return any(_has_values(part) for part in kernel.parts)
    return isinstance(kernel, Precomputed)
