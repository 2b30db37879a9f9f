"""Movable centres: gradient, Hessian blocks and evidence against differences."""

from dataclasses import replace

import numpy as np
import pytest

from kernelect.kernels import ARD
from kernelect.kernels.centres import GaussianCentres
from kernelect.machines.rvm import centres as rvm_centres
from kernelect.machines.rvm.centres import (
    CentreFit,
    _gauss_newton,
    centre_evidence,
    gradient,
    hessian,
    joint_mode,
    scalar_evidence,
)
from kernelect.machines.rvm.likelihoods import Bernoulli
from kernelect.machines.rvm.posterior import find_mode
from oracles.rvm import central_difference, centre_log_posterior


@pytest.fixture(params=[True, False], ids=["constant", "no constant"])
def fit(request):
    generator = np.random.default_rng(5)
    X = generator.normal(size=(25, 2)) * [1.0, 3.0]
    t = np.where(np.sin(X[:, 0]) + 0.2 * X[:, 1] + 0.3 * generator.normal(size=25) > 0, 1.0, -1.0)
    geometry = GaussianCentres.of(ARD([0.4, 0.1]), X)
    m = 3 + request.param
    return CentreFit(
        weights=generator.normal(size=m),
        alpha=np.full(m, 0.3),
        constant=request.param,
        origins=X[:3],
        moves=0.2 * generator.normal(size=(3, 2)),
        likelihood=Bernoulli(targets=t, sample_weight=np.ones(25)),
        geometry=geometry,
    )


def slow(fit, v):
    g = fit.geometry
    t = fit.likelihood.targets
    return centre_log_posterior(g.X, t, g.gamma, g.spread, int(fit.constant), fit.origins, fit.alpha, v)


def vector(fit):
    return np.concatenate([fit.weights, fit.moves.ravel()])


def test_log_posterior_and_its_gradient(fit):
    assert fit.height(fit.design()) == pytest.approx(slow(fit, vector(fit)), abs=1e-10)
    expected = central_difference(lambda v: slow(fit, v), vector(fit))
    np.testing.assert_allclose(gradient(fit)[0], expected, atol=1e-7)


def test_hessian_blocks(fit):
    zero = replace(fit, weights=np.zeros_like(fit.weights), moves=np.zeros_like(fit.moves))
    F = -central_difference(lambda v: gradient(zero.moved(v))[0], vector(fit))
    m = len(fit.weights)
    F_ww, F_wz, F_zz = hessian(fit)
    np.testing.assert_allclose(F_ww, F[:m, :m], atol=1e-7)
    np.testing.assert_allclose(F_wz, F[:m, m:], atol=1e-7)
    np.testing.assert_allclose(F_zz, F[m:, m:], atol=1e-7)


def test_joint_mode_is_stationary_and_evidence_is_laplace_there(fit):
    mode = joint_mode(fit)
    assert np.abs(gradient(mode)[0]).max() < 1e-3
    F_ww, F_wz, F_zz = hessian(mode)
    F = np.block([[F_ww, F_wz], [F_wz.T, F_zz]])
    schur = F_zz - F_wz.T @ np.linalg.solve(F_ww, F_wz)
    floored = np.maximum(np.linalg.eigvalsh(schur), 1.0)
    expected = mode.height(mode.design()) + 0.5 * np.sum(np.log(mode.alpha))
    expected -= 0.5 * (np.linalg.slogdet(F_ww)[1] + np.sum(np.log(floored)))
    assert centre_evidence(mode) == pytest.approx(expected, abs=1e-8)
    if np.linalg.eigvalsh(schur).min() > 1.0:
        full = mode.height(mode.design()) + 0.5 * np.sum(np.log(mode.alpha)) - 0.5 * np.linalg.slogdet(F)[1]
        assert centre_evidence(mode) == pytest.approx(full, abs=1e-8)


def test_newtons_steps_lead_to_the_same_mode_in_fewer(fit, monkeypatch):
    steps, search = [], rvm_centres._line_search
    monkeypatch.setattr(rvm_centres, "_line_search", lambda *parts: steps.append(1) or search(*parts))
    mode, few = joint_mode(fit), len(steps)
    monkeypatch.setattr(rvm_centres, "_newton", lambda *_: None)
    without = joint_mode(fit)
    assert few < len(steps) - few
    np.testing.assert_allclose(mode.weights, without.weights, atol=1e-2)
    assert mode.height(mode.design()) == pytest.approx(without.height(without.design()), abs=1e-5)


@pytest.mark.parametrize("p", [6, 40], ids=["few unknowns", "more unknowns than rows"])
def test_gauss_newton_steps_solve_their_equations(p, rng):
    G, B, D, slope = rng.normal(size=(15, p)), rng.uniform(size=15), rng.uniform(0.1, 5.0, size=p), rng.normal(size=p)
    expected = np.linalg.solve(G.T @ np.diag(B) @ G + np.diag(D), slope)
    np.testing.assert_allclose(rvm_centres._gauss_newton(G, B, D, slope), expected, rtol=1e-9)


def test_a_pruned_centre_contributes_nothing(fit):
    first = int(fit.constant)
    alpha = np.append(fit.alpha[: first + 2], 1e14)
    pruned = joint_mode(replace(fit, alpha=alpha, weights=np.append(fit.weights[: first + 2], 0.0)))
    without = joint_mode(
        replace(fit, alpha=alpha[:-1], weights=fit.weights[: first + 2], origins=fit.origins[:2], moves=fit.moves[:2])
    )
    assert centre_evidence(pruned) == pytest.approx(centre_evidence(without), abs=1e-4)


def test_a_tight_prior_on_centres_gives_the_plain_evidence(fit):
    tight = joint_mode(replace(fit, tau=1e-6, moves=np.zeros_like(fit.moves)))
    plain = find_mode(tight.design(), tight.alpha, tight.likelihood).log_evidence
    assert centre_evidence(tight) == pytest.approx(plain, abs=1e-4)


def test_the_papers_scalar_form_is_exact_in_one_dimension():
    X = np.array([[-1.0], [0.2], [0.9], [2.0]])
    t = np.array([1.0, -1.0, 1.0, -1.0])
    geometry = GaussianCentres.of(ARD([0.7]), X)
    fit = CentreFit(
        weights=np.array([1.3]),
        alpha=np.array([0.5]),
        constant=False,
        origins=X[:1],
        moves=np.zeros((1, 1)),
        likelihood=Bernoulli(targets=t, sample_weight=np.ones(4)),
        geometry=geometry,
    )
    F_ww, _, F_zz = hessian(fit)
    along = abs(F_zz[0, 0] - 1.0)  # without the prior's part
    expected = fit.height(fit.design()) + 0.5 * (np.log(0.5) - np.log(F_ww[0, 0]) + np.log(2 * np.pi) - np.log(along))
    assert scalar_evidence(fit) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("shape", [(9, 4), (4, 9)])
def test_gauss_newton_steps_are_the_same_in_both_dimensions(shape):
    generator = np.random.default_rng(0)
    G, B = generator.normal(size=shape), generator.uniform(0.0, 1.0, size=shape[0])
    precisions, slope = generator.uniform(0.1, 9.0, size=shape[1]), generator.normal(size=shape[1])
    expected = np.linalg.solve(G.T @ np.diag(B) @ G + np.diag(precisions), slope)
    np.testing.assert_allclose(_gauss_newton(G, B, precisions, slope), expected, rtol=1e-9)
