"""Cholesky factors with one jitter policy, symmetric products, blocks, memory and the deadline of a fit."""

from typing import TYPE_CHECKING

from kernelect.lazy import lazily

if TYPE_CHECKING:
    from kernelect.numerics.block_sums import BRANCHES, over_blocks, sum_over_blocks, tree_sum
    from kernelect.numerics.blocks import row_blocks, symmetrize_from_lower
    from kernelect.numerics.cholesky import (
        CholeskyFactor,
        factorize,
        factorize_overwriting,
        mean_diagonal,
        not_positive_definite,
    )
    from kernelect.numerics.copies import beyond_chance, copied_rows, equal_points
    from kernelect.numerics.deadline import NEVER, Deadline, check_time, time_is_up, watched_deadline
    from kernelect.numerics.memory import available_bytes, require_memory
    from kernelect.numerics.ordering import canonical_classes, canonical_columns, canonical_order
    from kernelect.numerics.products import matrix_vector, outer_gram, product
    from kernelect.numerics.sampling import hashed_order, row_hashes, sampled_rows, spaced, stratified
    from kernelect.numerics.threads import best_blas_threads, blas_threads_beside_blocks, single_blas_thread
    from kernelect.numerics.ties import binary_unit, exact_mean, first_of_best, nearest_power_of_two
    from kernelect.numerics.triangular import InverseFactor, triangular_inverse
    from kernelect.numerics.unlocked import apply_lower, block_gram, subtract_product, times_block

__all__ = [
    "BRANCHES",
    "NEVER",
    "CholeskyFactor",
    "Deadline",
    "InverseFactor",
    "apply_lower",
    "available_bytes",
    "best_blas_threads",
    "beyond_chance",
    "binary_unit",
    "blas_threads_beside_blocks",
    "block_gram",
    "canonical_classes",
    "canonical_columns",
    "canonical_order",
    "check_time",
    "copied_rows",
    "equal_points",
    "exact_mean",
    "factorize",
    "factorize_overwriting",
    "first_of_best",
    "hashed_order",
    "matrix_vector",
    "mean_diagonal",
    "nearest_power_of_two",
    "not_positive_definite",
    "outer_gram",
    "over_blocks",
    "product",
    "require_memory",
    "row_blocks",
    "row_hashes",
    "sampled_rows",
    "single_blas_thread",
    "spaced",
    "stratified",
    "subtract_product",
    "sum_over_blocks",
    "symmetrize_from_lower",
    "time_is_up",
    "times_block",
    "tree_sum",
    "triangular_inverse",
    "watched_deadline",
]

if not TYPE_CHECKING:  # so that type checkers report unknown names
    __getattr__ = lazily(
        __name__,
        {
            "block_sums": ["BRANCHES", "over_blocks", "sum_over_blocks", "tree_sum"],
            "blocks": ["row_blocks", "symmetrize_from_lower"],
            "cholesky": [
                "CholeskyFactor",
                "factorize",
                "factorize_overwriting",
                "mean_diagonal",
                "not_positive_definite",
            ],
            "copies": ["beyond_chance", "copied_rows", "equal_points"],
            "deadline": ["NEVER", "Deadline", "check_time", "time_is_up", "watched_deadline"],
            "memory": ["available_bytes", "require_memory"],
            "ordering": ["canonical_classes", "canonical_columns", "canonical_order"],
            "products": ["matrix_vector", "outer_gram", "product"],
            "sampling": ["hashed_order", "row_hashes", "sampled_rows", "spaced", "stratified"],
            "threads": ["best_blas_threads", "blas_threads_beside_blocks", "single_blas_thread"],
            "ties": ["binary_unit", "exact_mean", "first_of_best", "nearest_power_of_two"],
            "triangular": ["InverseFactor", "triangular_inverse"],
            "unlocked": ["apply_lower", "block_gram", "subtract_product", "times_block"],
        },
    )
