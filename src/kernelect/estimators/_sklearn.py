"""The one place that touches scikit-learn's less public helpers and version differences."""

from typing import Any

from sklearn.utils.validation import _check_sample_weight as check_sample_weight
from sklearn.utils.validation import validate_data as _validate_data

from kernelect.inputs.frame import check_names

__all__ = ["check_sample_weight", "validate_data"]


def validate_data(estimator: Any, X: Any, *args: Any, **options: Any) -> Any:
    """Return what scikit-learn's function returns; names that occur twice are refused in words of our own."""
    check_names(X)
    return _validate_data(estimator, X, *args, **options)
