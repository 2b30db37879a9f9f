"""RVC and RVR: scikit-learn's checks, what they select, and difficult data."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelect import RVC, RVR


@parametrize_with_checks([RVC(), RVR()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
