"""scikit-learn's own estimator checks for the doors."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelect import KernelClassifier, KernelRegressor

WEIGHTS = (
    "selection and weights leave out a row of weight 2 as a whole, but of two equal rows one: other hyper-parameters "
    "and weights are selected"
)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [KernelClassifier("fast"), KernelRegressor("fast")],
    expected_failed_checks=lambda _: {"check_sample_weight_equivalence_on_dense_data": WEIGHTS},
)
def test_scikit_learn_compatibility(estimator, check):
    check(estimator)
