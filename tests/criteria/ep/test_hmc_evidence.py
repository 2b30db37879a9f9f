"""Monte Carlo evidence and gradients against quadrature, within their own standard errors."""

from dataclasses import replace

import numpy as np
import pytest

from kernelect.criteria import EPEvidence, HMCEvidence
from kernelect.criteria.ep.chains import effective_samples, r_hat
from kernelect.kernels import ARD, Constant
from kernelect.machines import EP, EllipticalSlice, Hinge, HybridMonteCarlo, SquaredHinge
from kernelect.search import GradientAscent
from kernelect.selection import SelectionObjective, SelectionOptions, select
from oracles.ep import exact_posterior
from oracles.solutions import solved
from speeds import slowly

ROWS = np.array([[0.0, 0.3], [1.1, -0.4], [-0.8, 0.9]])
LABELS = np.array([1.0, -1.0, 1.0])
SAMPLERS = {"slice": EllipticalSlice(), "hmc": HybridMonteCarlo(), "hmc, one": HybridMonteCarlo(refresh="one")}


def fitted(likelihood, gram, labels, constant=2.0, weights=None):
    return solved(EP(likelihood, tol=1e-9), gram, labels[:, None], constant, weights)


def small(likelihood, n=3):
    gram = (1.5 * ARD(gamma=[0.4, 0.9]) + Constant(0.2)).gram(ROWS[:n])
    return fitted(likelihood, gram, LABELS[:n]), exact_posterior(likelihood, gram, LABELS[:n], 2.0, points=160)


@pytest.mark.parametrize("likelihood", [Hinge(), SquaredHinge()], ids=lambda part: part.name)
@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("n", [2, *slowly(3)])
def test_gradients_within_their_stated_errors_of_quadrature(likelihood, sampler, n):
    problem, (_, grad_gram, by_constant) = small(likelihood, n)
    found = HMCEvidence(SAMPLERS[sampler], n_samples=300, n_burn_in=60, seed=1).gradients(problem)[0]
    _, of_kappa = likelihood.log_normalizer(2.0)
    # Ten blocks: Student's t with 9 degrees of freedom passes 4.8 in 1 of 1000 entries.
    assert np.all(np.abs(found.grad_gram - grad_gram) < 4.8 * found.grad_gram_error)
    assert abs(found.grad_constant + n * of_kappa - by_constant) < 4.8 * found.grad_constant_error
    assert found.grad_gram_error.max() < 0.05 * np.abs(grad_gram).max()
    assert found.r_hat < 1.03
    assert found.effective_samples > 1000


@pytest.mark.parametrize("likelihood", [Hinge(), SquaredHinge()], ids=lambda part: part.name)
def test_values_within_their_stated_errors_of_quadrature(likelihood):
    problem, (log_z, _, _) = small(likelihood)
    found = HMCEvidence(n_draws=20000).values(problem)[0]
    assert found.safe
    assert found.error < 0.01
    assert abs(found.log_evidence + 3 * likelihood.log_normalizer(2.0)[0] - log_z) < 4 * found.error
    ep = EPEvidence().value(problem).value
    assert HMCEvidence().value(problem).value == pytest.approx(ep, abs=0.01)


def test_value_and_gradient_are_per_row_like_those_of_expectation_propagation():
    problem, _ = small(Hinge())
    sampled = HMCEvidence(n_samples=400).value_and_gradient(problem)
    ep = EPEvidence().value_and_gradient(problem)
    np.testing.assert_allclose(sampled.grad_gram, ep.grad_gram, atol=0.03 * np.abs(ep.grad_gram).max())
    assert sampled.grad_regularization == pytest.approx(ep.grad_regularization, abs=0.01)
    assert HMCEvidence().nats(0.5, problem) == (1.5, 3.0)


def test_an_unsafe_value_is_that_of_expectation_propagation():
    problem, _ = small(Hinge())
    unsure = HMCEvidence(n_draws=100)
    column = problem.state.columns[0]
    wrong = replace(column, sites=replace(column.sites, nu=column.sites.nu + 40.0))
    state = replace(problem.state, columns=(wrong,))
    assert not unsure.values(replace(problem, state=state))[0].safe


def test_weights_multiply_the_log_likelihood():
    weights, gram = np.array([0.5, 2.0, 1.0]), small(Hinge())[0].gram
    problem = fitted(Hinge(), gram, LABELS, weights=weights)
    log_z, grad_gram, _ = exact_posterior(Hinge(), gram, LABELS, 2.0, weights, points=160)
    value = HMCEvidence(n_draws=20000).values(problem)[0]
    assert abs(value.log_evidence + 3.5 * Hinge().log_normalizer(2.0)[0] - log_z) < 4 * value.error
    found = HMCEvidence(n_samples=300).gradients(problem)[0]
    assert np.all(np.abs(found.grad_gram - grad_gram) < 4.8 * found.grad_gram_error)


def test_gradient_ascent_climbs_the_sampled_evidence():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(30, 2))
    y = np.where(X[:, :1] + 0.3 * generator.normal(size=(30, 1)) > 0, 1.0, -1.0)
    kernel = Constant() * ARD() + Constant(0.2)
    criterion = HMCEvidence(n_chains=50, n_samples=40, n_draws=500)
    machine, ones = EP(Hinge()), np.ones(30)
    objective = SelectionObjective(
        X=X,
        targets=y,
        weights=ones,
        kernel=kernel.start(X),
        space=kernel.space(X),
        machine=machine,
        criterion=criterion,
        prior=None,
    )
    options = SelectionOptions(search=GradientAscent(), max_iter=15, tol=1e-2)
    selection, _ = select(objective, options)
    exact = replace(objective, criterion=EPEvidence())
    assert exact.value(selection.theta) < exact.value(objective.space.start) - 0.01


def test_chain_statistics_on_chains_with_known_answer():
    generator = np.random.default_rng(0)
    independent = generator.normal(size=(500, 20))
    assert effective_samples(independent) == pytest.approx(10000, rel=0.25)
    assert r_hat(independent) == pytest.approx(1.0, abs=0.01)
    slow = np.zeros((4000, 10))
    for t in range(1, 4000):  # AR(1) with 0.9: (1 - 0.9)/(1 + 0.9) of the draws are effective
        slow[t] = 0.9 * slow[t - 1] + generator.normal(size=10)
    assert effective_samples(slow) == pytest.approx(40000 * 0.1 / 1.9, rel=0.3)
    assert r_hat(independent + np.arange(20)) > 2.0
    turning = np.cos(np.arange(3000) / 10.0)[:, None] + np.repeat(generator.normal(size=(30, 1)), 100, axis=0)
    assert effective_samples(turning) < 300  # 30 levels, each held for 100 steps of an oscillation
    assert effective_samples(np.ones((10, 2))) == 20
    assert r_hat(np.ones((10, 2))) == 1.0
