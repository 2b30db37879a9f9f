"""Mixtures of Gaussian scales against the kernels they stand for."""

import numpy as np
import pytest

from kernelect.explain.scales import TOLERANCE, matern_mixture, rational_quadratic_mixture
from kernelect.kernels import Matern

DISTANCES = np.concatenate([[0.0], np.geomspace(1e-9, 1e3, 700)])


@pytest.mark.parametrize("nu", [1.5, 2.5])
def test_matern(nu):
    mixture = matern_mixture(nu)
    kernel = Matern(nu, 1.0).cross(np.zeros((1, 1)), np.sqrt(DISTANCES)[:, None])[0]
    assert np.abs(mixture(DISTANCES) - kernel).max() <= mixture.error < TOLERANCE
    assert mixture(np.zeros(1))[0] == pytest.approx(1.0, abs=1e-15)
    assert len(mixture.weights) < 85


@pytest.mark.parametrize("alpha", [0.1, 0.5, 1.0, 3.0, 50.0])
def test_rational_quadratic(alpha):
    mixture = rational_quadratic_mixture(alpha, 1e3)
    kernel = (1.0 + DISTANCES / alpha) ** -alpha
    assert np.abs(mixture(DISTANCES) - kernel).max() <= 1.1 * mixture.error
    assert mixture.error < TOLERANCE
    assert len(mixture.weights) < 130


def test_rows_far_beyond_the_training_rows_are_covered():
    # The reach is that of the training rows; a new row may lie a thousand times as far away.
    mixture = rational_quadratic_mixture(0.3, 10.0)
    far = np.array([1e4, 1e5])
    np.testing.assert_allclose(mixture(far), (1.0 + far / 0.3) ** -0.3, atol=1e-6)
