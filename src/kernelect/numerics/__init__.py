"""Cholesky factors with one jitter policy, symmetric products, blocks, memory and the deadline of a fit."""

from kernelect.numerics.blocks import row_blocks, symmetrize_from_lower
from kernelect.numerics.cholesky import (
    CholeskyFactor,
    factorize,
    factorize_overwriting,
    mean_diagonal,
    not_positive_definite,
)
from kernelect.numerics.deadline import NEVER, Deadline
from kernelect.numerics.memory import require_memory
from kernelect.numerics.ordering import canonical_order
from kernelect.numerics.products import matrix_vector, outer_gram, product
from kernelect.numerics.threads import blas_threads_for
from kernelect.numerics.ties import exact_mean, first_of_best
from kernelect.numerics.triangular import InverseFactor, triangular_inverse

__all__ = [
    "NEVER",
    "CholeskyFactor",
    "Deadline",
    "InverseFactor",
    "blas_threads_for",
    "canonical_order",
    "exact_mean",
    "factorize",
    "factorize_overwriting",
    "first_of_best",
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
