"""scikit-learn's own estimator checks for the doors."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelect import KernelClassifier, KernelRegressor


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([KernelClassifier("fast"), KernelRegressor("fast")])
def test_scikit_learn_compatibility(estimator, check):
    check(estimator)
