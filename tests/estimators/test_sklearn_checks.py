"""scikit-learn's own estimator checks."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from kernelect import LSSVC, LSSVR
from kernelect.kernels import RBF

SELECTION = (
    "selection leaves out a row of weight 2 as a whole, but of two equal rows one: the criteria differ, so other "
    "hyper-parameters are selected"
)
CALIBRATION = (
    "with fixed hyper-parameters decisions agree, but probabilities are calibrated on leave-one-out decisions, which "
    "leave out a row of weight 2 as a whole, but of two equal rows one"
)


def expected_failures(estimator):
    if estimator.regularization == "auto":
        return {"check_sample_weight_equivalence_on_dense_data": SELECTION}
    if isinstance(estimator, LSSVC):
        return {"check_sample_weight_equivalence_on_dense_data": CALIBRATION}
    return {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        LSSVC(),
        LSSVR(),
        LSSVC(RBF(0.1), regularization=1.0),
        LSSVR(RBF(0.1), regularization=1.0),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_compatibility(estimator, check):
    check(estimator)
