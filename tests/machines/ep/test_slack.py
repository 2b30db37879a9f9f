"""kappa(C) against its definition."""

import numpy as np
import pytest

from kernelect.machines.ep.slack import log_kappa
from oracles import svm as slow


@pytest.mark.parametrize("slack", ["linear", "quadratic"])
@pytest.mark.parametrize("C", [0.01, 0.5, 0.999, 1.0, 1.001, 1.2, 2.0, 5.0, 50.0])
def test_kappa_is_the_largest_factor_of_a_likelihood(slack, C):
    value, _ = log_kappa(C, quadratic=slack == "quadratic")
    assert np.exp(value) == pytest.approx(slow.kappa(C, slack), rel=1e-9)


def test_kappa_of_quadratic_slack_takes_the_maximum_where_zero_is_a_minimum():
    assert np.exp(log_kappa(2.0, quadratic=True)[0]) == pytest.approx(0.981, abs=5e-4)
    assert np.exp(log_kappa(5.0, quadratic=True)[0]) == pytest.approx(0.99995, abs=5e-6)
    assert np.exp(log_kappa(0.5, quadratic=True)[0]) == pytest.approx(np.exp(0.25) / 2)


@pytest.mark.parametrize("quadratic", [False, True])
@pytest.mark.parametrize("C", [0.3, 0.99, 1.05, 1.5, 20.0])
def test_derivative_of_log_kappa(quadratic, C):
    _, slope = log_kappa(C, quadratic=quadratic)
    ahead, behind = (log_kappa(C + h, quadratic=quadratic)[0] for h in (1e-6, -1e-6))
    assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-4, abs=1e-9)
