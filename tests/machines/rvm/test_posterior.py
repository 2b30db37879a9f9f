"""Laplace posterior, evidence and its exact derivatives."""

import numpy as np
import pytest

from kernelect.machines.rvm import curvature as rvm_curvature
from kernelect.machines.rvm import moderated
from kernelect.machines.rvm.curvature import evidence_curvature
from kernelect.machines.rvm.likelihoods import Bernoulli, Normal
from kernelect.machines.rvm.polish import Aim, SparseFit, evidence_slope, packed_logarithms, polish
from kernelect.machines.rvm.posterior import evidence_gradient, find_mode
from oracles.rvm import central_difference, laplace_evidence, normal_evidence


@pytest.fixture
def problem():
    generator = np.random.default_rng(3)
    Phi = generator.normal(size=(30, 4))
    t = np.where(Phi[:, 0] - 0.5 * Phi[:, 1] + generator.normal(size=30) > 0, 1.0, -1.0)
    return Phi, t, np.array([0.3, 1.0, 5.0, 0.02])


def likelihoods(t):
    ones = np.ones(len(t))
    return [
        Bernoulli(targets=t, sample_weight=ones),
        Normal(targets=t + 0.3, sample_weight=ones, precision=2.5, count=float(len(t))),
    ]


def test_laplace_evidence_and_weights_are_those_of_direct_maximisation(problem):
    Phi, t, alpha = problem
    posterior = find_mode(Phi, alpha, Bernoulli(targets=t, sample_weight=np.ones(30)))
    value, w = laplace_evidence(Phi, t, alpha)
    assert posterior.log_evidence == pytest.approx(value, abs=1e-8)
    np.testing.assert_allclose(posterior.weights, w, atol=1e-6)


def test_normal_evidence_is_the_closed_form(problem):
    Phi, t, alpha = problem
    posterior = find_mode(Phi, alpha, Normal(targets=t, sample_weight=np.ones(30), precision=2.5, count=30.0))
    assert posterior.log_evidence == pytest.approx(normal_evidence(Phi, t, alpha, 2.5), abs=1e-9)


def test_a_pruned_function_contributes_nothing(problem):
    Phi, t, alpha = problem
    likelihood = Bernoulli(targets=t, sample_weight=np.ones(30))
    without = find_mode(Phi[:, :3], alpha[:3], likelihood).log_evidence
    pruned = find_mode(Phi, np.append(alpha[:3], 1e14), likelihood).log_evidence
    assert pruned == pytest.approx(without, abs=1e-9)


def test_a_weight_of_two_is_a_row_twice(problem):
    Phi, t, alpha = problem
    weights = np.where(np.arange(30) < 10, 2.0, 1.0)
    twice = np.concatenate([np.arange(10), np.arange(30)])
    for weighted, repeated in (
        (Bernoulli(targets=t, sample_weight=weights), Bernoulli(targets=t[twice], sample_weight=np.ones(40))),
        (
            Normal(targets=t, sample_weight=weights, precision=2.0, count=40.0),
            Normal(targets=t[twice], sample_weight=np.ones(40), precision=2.0, count=40.0),
        ),
    ):
        a = find_mode(Phi, alpha, weighted).log_evidence
        assert a == pytest.approx(find_mode(Phi[twice], alpha, repeated).log_evidence, abs=1e-9)


@pytest.mark.parametrize("kind", [0, 1])
def test_gradients_in_precisions_and_design(problem, kind):
    Phi, t, alpha = problem
    likelihood = likelihoods(t)[kind]
    gradient = evidence_gradient(find_mode(Phi, alpha, likelihood), Phi)

    def by_alpha(x):
        return find_mode(Phi, np.exp(x), likelihood).log_evidence

    def by_design(design):
        return find_mode(design, alpha, likelihood).log_evidence

    np.testing.assert_allclose(gradient.log_alpha, central_difference(by_alpha, np.log(alpha)), atol=2e-7)
    np.testing.assert_allclose(gradient.design, central_difference(by_design, Phi), atol=2e-7)


@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("n", [30, 14], ids=["column by column", "at once"])
def test_curvature_in_precisions_and_noise(problem, kind, n):
    Phi, t, alpha = problem[0][:n], problem[1][:n], problem[2]
    likelihood = likelihoods(t)[kind]

    def slope(x):
        moved = likelihood.with_noise_precision(np.exp(x[4])) if kind else likelihood
        return evidence_slope(find_mode(Phi, np.exp(x[:4]), moved), Phi, moved)

    x = packed_logarithms(alpha, likelihood)
    found = evidence_curvature(find_mode(Phi, alpha, likelihood), Phi, likelihood)
    expected = -np.array([central_difference(lambda x, i=i: slope(x)[i], x) for i in range(len(x))])
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_rows_without_leverage_are_left_out_of_the_curvature(problem, monkeypatch):
    Phi, t, alpha = problem
    far = np.vstack([Phi, np.repeat(60.0 * Phi[:1], 200, axis=0)])  # rows that are told apart beyond doubt
    labels = np.append(
        t,
        np.full(200, np.sign(Phi[0] @ find_mode(Phi, alpha, Bernoulli(targets=t, sample_weight=np.ones(30))).weights)),
    )
    likelihood = Bernoulli(targets=labels, sample_weight=np.ones(230))
    posterior = find_mode(far, alpha, likelihood)
    seen, whole = [], rvm_curvature._squared_times
    monkeypatch.setattr(rvm_curvature, "_squared_times", lambda R, *rest: seen.append(len(R)) or whole(R, *rest))
    thin, full, rough = (evidence_curvature(posterior, far, likelihood, *least) for least in ((), (-1.0,), (1e-5,)))
    np.testing.assert_allclose(thin, full, atol=1e-8)
    np.testing.assert_allclose(rough, full, atol=1e-3)
    assert seen[0] <= 30 < seen[1] == 230


def test_a_polish_ends_at_the_mode_though_the_start_was_not_there(problem):
    Phi, t, alpha = problem
    likelihood = Bernoulli(targets=t, sample_weight=np.ones(30))
    top = polish(Phi, SparseFit(np.arange(4), find_mode(Phi, alpha, likelihood), likelihood))
    for move in (-0.02, 0.02):
        rough = find_mode(Phi[:, top.active], top.posterior.alpha, likelihood, top.posterior.weights + move, tol=1.0)
        again = polish(Phi, SparseFit(top.active, rough, likelihood))
        assert abs(rough.log_evidence - top.log_evidence) > 1e-4
        assert again.log_evidence == pytest.approx(top.log_evidence, abs=1e-6)


@pytest.mark.parametrize(
    "likelihood",
    [
        lambda t, s: Bernoulli(targets=t, sample_weight=s),
        lambda t, s: Normal(targets=t, sample_weight=s, precision=3.0, count=s.sum()),
    ],
    ids=["labels", "normal"],
)
def test_bound_of_a_precision_moves_with_its_function(problem, likelihood):
    Phi, t, _ = problem
    Phi = np.column_stack([Phi, np.ones(30)])
    noise = likelihood(t, np.linspace(0.5, 2.0, 30))
    expected = np.zeros(Phi.shape)
    for index in np.ndindex(30, 4):
        ahead, behind = Phi.copy(), Phi.copy()
        ahead[index] += 1e-5
        behind[index] -= 1e-5
        change = np.log(noise.least_alpha(ahead)) - np.log(noise.least_alpha(behind))
        expected[index] = change[index[1]] / 2e-5
    np.testing.assert_allclose(noise.least_alpha_slope(Phi)[:, :4], expected[:, :4], atol=1e-8)


def test_an_ascent_that_cannot_reach_its_goal_is_given_up(problem):
    Phi, t, alpha = problem
    likelihood = Bernoulli(targets=t, sample_weight=np.ones(30))
    start = SparseFit(np.arange(4), find_mode(Phi, alpha, likelihood), likelihood)
    top = polish(Phi, start).log_evidence
    assert polish(Phi, start, Aim(goal=top - 0.1)).log_evidence > top - 0.1
    assert start.log_evidence - 1e-9 <= polish(Phi, start, Aim(goal=top + 50.0)).log_evidence < top


@pytest.mark.parametrize("kind", [0, 1])
def test_polish_ends_at_a_stationary_point_and_never_lower(problem, kind):
    Phi, t, alpha = problem
    likelihood = likelihoods(t)[kind]
    start = SparseFit(np.arange(4), find_mode(Phi, alpha, likelihood), likelihood)
    fit = polish(Phi, start)
    design = Phi[:, fit.active]
    gradient = evidence_gradient(fit.posterior, design).log_alpha
    inside = fit.posterior.alpha > 1.01 * fit.likelihood.least_alpha(design)
    assert fit.log_evidence > start.log_evidence
    assert np.abs(gradient[inside]).max() < 1e-3


def test_the_fixed_point_of_equation_6_is_not_stationary(problem):
    Phi, t, _ = problem
    likelihood, alpha = Bernoulli(targets=t, sample_weight=np.ones(30)), np.ones(2)
    for _ in range(2000):
        posterior = find_mode(Phi[:, :2], alpha, likelihood)
        alpha = posterior.determination() / posterior.weights**2
    slope = evidence_gradient(posterior, Phi[:, :2]).log_alpha
    assert np.abs(slope).max() > 1e-3
    better = polish(Phi[:, :2], SparseFit(np.arange(2), posterior, likelihood))
    assert better.log_evidence > posterior.log_evidence


def test_no_functions_at_all():
    t = np.array([1.0, -1.0, 1.0])
    posterior = find_mode(np.zeros((3, 0)), np.zeros(0), Bernoulli(targets=t, sample_weight=np.ones(3)))
    assert posterior.log_evidence == pytest.approx(-3 * np.log(2))


def test_moderation_keeps_the_sign_and_lowers_the_odds():
    assert moderated(np.array([2.0]), np.array([0.0])) == pytest.approx(2.0)
    assert 0.0 < moderated(np.array([2.0]), np.array([9.0]))[0] < 2.0
