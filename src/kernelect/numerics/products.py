"""Matrix products through SciPy's BLAS.

The wheels of NumPy and SciPy each carry a BLAS with its own pool of threads. After a call the
threads of a pool spin for a while, so code that alternates between the two pools (``@`` and LAPACK)
makes them fight for the same cores: a product that takes 0.5 ms was measured at 8 ms. Large
products next to factorisations therefore go through the pool that factorises.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import blas

from kernelect.numerics.blocks import symmetrize_from_lower
from kernelect.typing import Array


def product(left: Array, right: Array, out: Array | None = None) -> Array:
    """Return ``left @ right`` in C order, written into ``out`` (C-contiguous) if given."""
    if right.shape[1] == 1 and out is None and left.size:
        return matrix_vector(left, right[:, 0])[:, None]
    # (left right)^T = right^T left^T: computed in Fortran order, the result is a C-ordered view.
    b, trans_b = _operand(right.T)
    a, trans_a = _operand(left.T)
    if out is None:
        return np.asarray(blas.dgemm(1.0, b, a, trans_a=trans_b, trans_b=trans_a).T, dtype=float)
    blas.dgemm(1.0, b, a, beta=0.0, c=out.T, overwrite_c=1, trans_a=trans_b, trans_b=trans_a)
    return out


def matrix_vector(matrix: Array, vector: Array) -> Array:
    """Return ``matrix @ vector``; a product with one column takes two to three times as long."""
    a, trans = _operand(matrix)
    return np.asarray(blas.dgemv(1.0, a, vector, trans=trans), dtype=float)


def outer_gram(matrix: Array) -> Array:
    """Return ``matrix @ matrix.T``, at half the cost of a product."""
    a, trans = _operand(matrix)
    return symmetrize_from_lower(np.asarray(blas.dsyrk(1.0, a, trans=trans, lower=1), dtype=float))


def _operand(matrix: Array) -> tuple[Array, int]:
    """Return a Fortran-contiguous array and whether it stands for its transpose."""
    if matrix.flags.f_contiguous:
        return matrix, 0
    return (matrix.T, 1) if matrix.flags.c_contiguous else (np.asfortranarray(matrix), 0)
