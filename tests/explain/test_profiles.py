"""What a profile is found to be a sum of, against the profile itself."""

import numpy as np
import pytest

from kernelect.explain import profiles
from kernelect.explain.profiles import TOLERANCE, exponential_rate, gaussian_scales, power_series
from kernelect.kernels import ARD, RBF, Linear, Matern, Polynomial, RationalQuadratic
from speeds import slowly

DISTANCES = np.concatenate([[0.0], np.geomspace(1e-9, 1e3, 700)])

RADIAL = {
    "matern32": (Matern(1.5, 1.0).profile, 70),
    "matern52": (Matern(2.5, 1.0).profile, 55),
    "heavy tails": (RationalQuadratic(1.0, alpha=0.05).profile, 100),
    "rational quadratic": (RationalQuadratic(1.0, alpha=1.0).profile, 100),
    "nearly a Gaussian": (RationalQuadratic(1.0, alpha=1000.0).profile, 50),
    "rough": (lambda D: np.exp(-np.sqrt(D)), 200),
    "two Gaussians": (lambda D: 0.3 * np.exp(-D) + 0.7 * np.exp(-20.0 * D), 40),
    "twice as high": (lambda D: 2.0 / (1.0 + D), 100),
}


#: Their sums take seconds to find.
LONG = ("heavy tails", "nearly a Gaussian", "rough")


@pytest.mark.parametrize("name", [*(name for name in RADIAL if name not in LONG), *slowly(*LONG)])
def test_a_function_of_the_distance_is_a_sum_of_gaussians(name):
    profile, most = RADIAL[name]
    found = gaussian_scales(profile, 1e3)
    assert np.abs(found(DISTANCES) - profile(DISTANCES.copy())).max() <= 1.1 * found.error + 1e-15
    assert found.error < TOLERANCE * profile(np.zeros(1))[0]
    assert len(found.scales) < most
    assert np.abs(found.weights).sum() < 10.0


def test_rows_far_beyond_the_training_rows_are_covered():
    # The reach is that of the training rows; a new row may lie a thousand times as far away.
    found, far = gaussian_scales(RationalQuadratic(1.0, alpha=0.3).profile, 10.0), np.array([1e4, 1e5])
    np.testing.assert_allclose(found(far), (1.0 + far / 0.3) ** -0.3, atol=1e-12)


@pytest.mark.parametrize("profile", [RBF(0.3).profile, ARD([0.1]).profile, lambda D: 3.0 * np.exp(-D)])
def test_a_gaussian_is_one_gaussian(profile):
    found = gaussian_scales(profile, 1e3)
    np.testing.assert_allclose(found.scales, [1.0], rtol=1e-15)
    assert found.weights == profile(np.zeros(1))
    assert found.error == 0.0


@pytest.mark.parametrize("profile", [lambda D: np.maximum(1.0 - D, 0.0) ** 3, np.ones_like, lambda D: D])
def test_what_is_no_sum_of_gaussians_within_the_tolerance_is_none(profile):
    assert gaussian_scales(profile, 10.0) is None


def test_large_weights_are_no_answer(monkeypatch):
    """They cancel each other, and rounding grows with them: finer steps are tried instead."""
    profile = RADIAL["matern32"][0]
    assert len(gaussian_scales(profile, 1.0).scales) > 5
    monkeypatch.setattr(profiles, "_LARGEST_WEIGHTS", 0.5)
    profiles._sum_of_gaussians.cache_clear()
    assert gaussian_scales(profile, 1.0) is None
    profiles._sum_of_gaussians.cache_clear()


def test_powers():
    np.testing.assert_allclose(power_series(Polynomial(2, gamma=0.5, coef0=3.0).profile), [9.0, 3.0, 0.25])
    np.testing.assert_allclose(power_series(Linear().profile), [0.0, 1.0])
    assert power_series(np.exp) is None
    assert power_series(lambda T: 1.0) is None


def test_one_exponential():
    assert exponential_rate(lambda T: 2.0 * np.exp(T / 3.0)) == pytest.approx(1.0 / 3.0, rel=1e-14)
    assert exponential_rate(lambda D: np.exp(-D)) == -1.0
    assert exponential_rate(Matern(1.5, 1.0).profile) is None
    assert exponential_rate(Linear().profile) is None
    assert exponential_rate(np.ones_like) is None
