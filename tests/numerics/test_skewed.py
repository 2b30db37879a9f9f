"""Skewed noise against numerical integrals, its named laws, and the normal one in between."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from kernelect.numerics import (
    skewed_log_density,
    skewed_log_tail,
    skewed_median,
    skewed_quantile,
    skewed_tail,
)

Z = np.array([-6.0, -1.5, 0.0, 0.4, 2.5])


@pytest.mark.parametrize("q", [-1.7, -0.4, 0.0, 0.1, 1.0, 2.0])
def test_tails_are_integrals_of_the_density(q):
    whole = quad(lambda t: float(np.exp(skewed_log_density(np.array(t), q))), -60.0, 60.0, points=[0.0], limit=400)[0]
    assert whole == pytest.approx(1.0, abs=1e-6)
    found = [
        quad(lambda t: float(np.exp(skewed_log_density(np.array(t), q))), z, z + 80.0, points=[z + 1.0], limit=400)[0]
        for z in Z
    ]
    np.testing.assert_allclose(skewed_tail(Z, q), found, atol=1e-6)
    np.testing.assert_allclose(np.exp(skewed_log_tail(Z, q)), skewed_tail(Z, q), rtol=1e-9)
    for p in (0.05, 0.5, 0.9):
        assert skewed_tail(np.array(skewed_quantile(p, q)), q) == pytest.approx(1.0 - p, abs=1e-9)
    assert skewed_quantile(0.5, q) == pytest.approx(0.0, abs=1e-9)


def test_named_laws():
    np.testing.assert_allclose(skewed_tail(Z, 1.0), np.exp(-np.exp(Z + skewed_median(1.0))), rtol=1e-9)  # Weibull
    np.testing.assert_allclose(skewed_tail(Z, -1.0), -np.expm1(-np.exp(-(Z + skewed_median(-1.0)))), rtol=1e-9)
    np.testing.assert_allclose(skewed_tail(Z, 0.0), norm.sf(Z), rtol=1e-12)
    np.testing.assert_allclose(skewed_tail(Z, 0.0201), norm.sf(Z), atol=5e-3)
