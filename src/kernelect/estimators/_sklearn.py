"""The one place that touches scikit-learn's less public helpers and version differences."""

from sklearn.utils.validation import _check_sample_weight as check_sample_weight
from sklearn.utils.validation import validate_data

__all__ = ["check_sample_weight", "validate_data"]
