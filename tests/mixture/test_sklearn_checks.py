"""scikit-learn's own estimator checks for the doors."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelect import KernelClassifier, KernelRegressor

ORDER = "rows in another order move the optimum of the widths by 3e-7, and the check asks for 1e-7"


def expected_failures(estimator):
    labels = isinstance(estimator, KernelClassifier)
    return {"check_sample_weight_equivalence_on_dense_data": ORDER} if labels else {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [KernelClassifier("fast"), KernelRegressor("fast")],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_compatibility(estimator, check):
    check(estimator)
