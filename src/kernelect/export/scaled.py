"""A row and the vectors of a model in the vectors' own units.

Rows are centred and scaled in double, by the middle and the reach of the vectors, before anything else: then
inputs with large offsets or unusual units lose nothing in single precision. Kernels of the same vectors share
these numbers, however different their widths are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelect.export.bounds import within
from kernelect.export.graph import Node, narrowed, reshaped
from kernelect.kernels.scale import typical_row
from kernelect.typing import Array

#: Inputs stop growing here, in units of the vectors' reach, in double and in single precision: squares are finite.
LARGEST_INPUT = (1e120, 1e15)


@dataclass(frozen=True, eq=False, kw_only=True)
class Scaled:
    """Inputs of a row and of the vectors in the vectors' own units.

    Attributes
    ----------
    row : Node of shape (d,)
    vectors : ndarray of shape (n, d)
    unit : ndarray of shape (d,)
    """

    row: Node
    vectors: Array
    unit: Array

    @classmethod
    def of(
        cls,
        x: Node,
        vectors: Array,
        centre: Array | None = None,
        largest: tuple[float, float] = LARGEST_INPUT,
        widths: Array | None = None,
    ) -> Scaled:
        """Return inputs in units of the vectors' reach, from their typical row or another point.

        If all vectors agree in an input they have no reach: its unit is then the distance in which a kernel
        of these widths falls.
        """
        centre = typical_row(vectors) if centre is None else centre
        unit = units(vectors, centre, 1.0 if widths is None else 1.0 / np.sqrt(widths))
        row = within((x - centre) / unit, *largest)
        return cls(row=narrowed(row), vectors=(vectors - centre) / unit, unit=unit)

    def differences(self) -> Node:
        """Return x - z, (n, d)."""
        return reshaped(self.row, (1, *self.row.shape)) - self.vectors


def units(vectors: Array, centre: Array, otherwise: Array | float = 1.0) -> Array:
    """Return the reach of the vectors by input, up to powers of 2: dividing by them rounds nothing.

    ``otherwise`` is the unit of inputs in which the vectors have no reach.
    """
    reach = np.abs(vectors - centre).max(axis=0)
    return np.asarray(2.0 ** np.ceil(np.log2(np.where(reach > 0.0, reach, otherwise))), dtype=float)
