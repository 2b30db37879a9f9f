"""scikit-learn's own estimator checks for the doors."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelect import KernelClassifier, KernelRegressor
from kernelect.mixture.kernel_machines import KernelMachine

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
]

FEW = [KernelMachine(tied=True), KernelMachine(kernel="linear")]


@parametrize_with_checks([KernelClassifier(FEW), KernelRegressor(FEW)])
def test_scikit_learn_compatibility(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([KernelClassifier("fast"), KernelRegressor("fast")])
def test_scikit_learn_compatibility_of_an_effort(estimator, check):
    check(estimator)
