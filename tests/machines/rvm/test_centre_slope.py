"""The derivative of the evidence with movable centres, against central differences at modes that follow."""

from dataclasses import replace

import numpy as np
import pytest

from kernelect.kernels import ARD
from kernelect.kernels.centres import GaussianCentres
from kernelect.machines.rvm import CentreFit, Normal, centre_evidence, centre_slope
from kernelect.machines.rvm import centres as rvm_centres
from kernelect.machines.rvm.likelihoods import Bernoulli
from oracles.rvm import central_difference


@pytest.fixture(autouse=True)
def close_modes(monkeypatch):
    """Modes are close enough for differences of the evidence."""
    monkeypatch.setattr(rvm_centres, "_DECREMENT", 1e-18)


def fit_of(regression, constant=True, seed=5):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(25, 2)) * [1.0, 3.0]
    f = np.sin(X[:, 0]) + 0.2 * X[:, 1]
    noisy = f + 0.3 * generator.normal(size=25)
    weights = generator.uniform(0.5, 2.0, size=25)
    likelihood = (
        Normal(targets=noisy, sample_weight=weights, precision=8.0, count=weights.sum())
        if regression
        else Bernoulli(targets=np.where(noisy > 0, 1.0, -1.0), sample_weight=weights)
    )
    m = 3 + constant
    return CentreFit(
        weights=0.1 * generator.normal(size=m),
        alpha=generator.uniform(0.2, 0.6, size=m),
        constant=constant,
        origins=X[:3],
        moves=np.zeros((3, 2)),
        likelihood=likelihood,
        geometry=GaussianCentres.of(ARD([0.4, 0.1]), X),
    )


def slow(fit, mode, x):
    """The evidence at the mode near ``mode`` for ln gamma, ln alpha and ln beta in ``x``."""
    gamma, alpha, beta = np.split(np.exp(x), [2, 2 + len(fit.alpha)])
    likelihood = fit.likelihood.with_noise_precision(float(beta[0])) if len(beta) else fit.likelihood
    geometry = GaussianCentres.of(ARD(gamma), fit.geometry.X)
    return centre_evidence(rvm_centres.joint_mode(replace(mode, alpha=alpha, likelihood=likelihood, geometry=geometry)))


@pytest.mark.parametrize("tau", [1.0, 0.3])
@pytest.mark.parametrize("constant", [True, False], ids=["constant", "no constant"])
@pytest.mark.parametrize("regression", [False, True], ids=["labels", "normal"])
def test_it_is_the_difference_of_evidences_at_their_own_modes(regression, constant, tau):
    fit = replace(fit_of(regression, constant), tau=tau)
    mode = rvm_centres.joint_mode(fit)
    x = np.concatenate([np.log(fit.geometry.gamma), np.log(fit.alpha), fit.likelihood.log_noise()])
    found = centre_slope(mode)
    expected = central_difference(lambda x: slow(fit, mode, x), x)
    np.testing.assert_allclose(np.concatenate([found.log_gamma, found.log_precision]), expected, atol=2e-6)
    assert np.abs(expected[:2]).min() > 1e-2


def test_eigenvalues_at_the_floor_do_not_count():
    fit = replace(fit_of(False), tau=0.05)
    mode = rvm_centres.joint_mode(fit)
    F_ww, F_wz, F_zz = rvm_centres.hessian(mode)
    schur = np.linalg.eigvalsh(F_zz - F_wz.T @ np.linalg.solve(F_ww, F_wz)) * mode.tau**2
    assert (schur > 1.0).any()
    assert (schur < 1.0).any()
    x = np.concatenate([np.log(fit.geometry.gamma), np.log(fit.alpha)])
    expected = central_difference(lambda x: slow(fit, mode, x), x)[:2]
    np.testing.assert_allclose(centre_slope(mode).log_gamma, expected, atol=2e-6)


def test_a_model_of_a_constant_or_of_nothing_has_no_slope():
    fit = fit_of(False)
    alone = replace(fit, weights=fit.weights[:1], alpha=fit.alpha[:1], origins=fit.origins[:0], moves=fit.moves[:0])
    np.testing.assert_array_equal(centre_slope(rvm_centres.joint_mode(alone)).log_gamma, [0.0, 0.0])
    nothing = replace(alone, weights=np.zeros(0), alpha=np.zeros(0), constant=False)
    np.testing.assert_array_equal(centre_slope(nothing).log_gamma, [0.0, 0.0])
