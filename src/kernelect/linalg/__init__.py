"""Cholesky factors with one jitter policy, symmetric products, blocks and memory."""

from kernelect.linalg.blocks import row_blocks, symmetrize_from_lower
from kernelect.linalg.cholesky import (
    CholeskyFactor,
    factorize,
    factorize_overwriting,
    mean_diagonal,
    not_positive_definite,
)
from kernelect.linalg.memory import require_memory
from kernelect.linalg.products import matrix_vector, outer_gram, product
from kernelect.linalg.threads import blas_threads_for
from kernelect.linalg.triangular import InverseFactor, triangular_inverse

__all__ = [
    "CholeskyFactor",
    "InverseFactor",
    "blas_threads_for",
    "factorize",
    "factorize_overwriting",
    "matrix_vector",
    "mean_diagonal",
    "not_positive_definite",
    "outer_gram",
    "product",
    "require_memory",
    "row_blocks",
    "symmetrize_from_lower",
    "triangular_inverse",
]
