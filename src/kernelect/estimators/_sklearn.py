"""The one place that touches scikit-learn's less public helpers and version differences."""

from typing import Any

from scipy.sparse import issparse
from sklearn.utils.validation import _check_sample_weight as check_sample_weight
from sklearn.utils.validation import validate_data as _validate_data

from kernelect.inputs.frame import check_names, unmasked
from kernelect.numerics import SparseRows, dense_rows

__all__ = ["check_sample_weight", "validate_data"]


def validate_data(estimator: Any, X: Any, *args: Any, in_blocks: bool = False, **options: Any) -> Any:
    """Return what scikit-learn's function returns; names that occur twice are refused, and masked cells are missing.

    A sparse matrix becomes an array if there is memory for it. With ``in_blocks`` it becomes :class:`SparseRows`, for
    callers that read rows in blocks.
    """
    check_names(X)
    X = unmasked(X)
    if not issparse(X) or options.get("skip_check_array"):
        return _validate_data(estimator, X, *args, **options)
    found = _validate_data(estimator, X, *args, accept_sparse="csr", **options)
    rows, *rest = found if isinstance(found, tuple) else (found,)
    rows = SparseRows(rows) if in_blocks else dense_rows(rows)
    return (rows, *rest) if rest else rows
