"""scikit-learn's own estimator checks for the doors."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelect import KernelClassifier, KernelOrdinal, KernelRegressor, KernelSurvival
from kernelect.mixture.gaussian_processes import GaussianProcess
from kernelect.mixture.kernel_machines import KernelMachine

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
]

FEW = [KernelMachine(tied=True), KernelMachine(kernel="linear")]


WITHOUT_ORDER = {
    "check_classifiers_classes": "texts of more than two classes have no order unless order= gives one",
}
ONE = [GaussianProcess(tied=True)]


@parametrize_with_checks(
    [KernelClassifier(FEW), KernelRegressor(FEW), KernelSurvival(ONE), KernelOrdinal(ONE)],
    expected_failed_checks=lambda estimator: WITHOUT_ORDER if isinstance(estimator, KernelOrdinal) else {},
)
def test_scikit_learn_compatibility(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([KernelClassifier("fast"), KernelRegressor("fast")])
def test_scikit_learn_compatibility_of_an_effort(estimator, check):
    check(estimator)
