"""scikit-learn's own estimator checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelect import LSSVC, LSSVR
from kernelect.kernels import RBF


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([LSSVC(RBF(0.1), regularization=1.0), LSSVR(RBF(0.1), regularization=1.0)])
def test_scikit_learn_compatibility(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([LSSVC(), LSSVR()])
def test_scikit_learn_compatibility_of_a_search(estimator, check):
    check(estimator)
