"""The evidence by expectation propagation against quadrature, and its gradient."""

import numpy as np
import pytest

from kernelect.criteria import EPEvidence
from kernelect.exceptions import MissingCapability
from kernelect.kernels import ARD, Constant
from kernelect.machines import EP, LSSVM, Hinge, Probit, SquaredHinge
from oracles.ep import exact_posterior
from oracles.solutions import record, solved
from speeds import slowly

LIKELIHOODS = [Probit(), Hinge(), SquaredHinge()]
named = pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=lambda part: part.name)

#: Rows enough for n = 2..4.
ROWS = np.array([[0.0, 0.3], [1.1, -0.4], [-0.8, 0.9], [-0.3, -1.4]])
LABELS = np.array([1.0, -1.0, 1.0, -1.0])
NEIGHBOURS = np.array([[0.0, 0.3], [1.1, -0.4], [-0.8, 0.9], [0.9, -0.2]])  # the second and the last


def kernel(amplitude=1.5, gamma=(0.4, 0.9), constant=0.2):
    return amplitude * ARD(gamma=list(gamma)) + Constant(constant)


def fitted(likelihood, gram, targets, constant=1.0, weights=None):
    found = solved(EP(likelihood, tol=1e-11), gram, targets, constant, weights)
    assert found.state.converged
    return found


#: Nodes along each axis; the hinge has kinks inside the grid.
POINTS = {2: 300, 3: 80, 4: 30}
POINTS_HINGE = {2: 400, 3: 160, 4: 64}


def errors(likelihood, rows, labels, constant):
    """Return the errors of value, gradient in theta and gradient in C, the latter two relative."""
    n, gram = len(labels), kernel().gram(rows)
    found = EPEvidence().value_and_gradient(fitted(likelihood, gram, labels[:, None], constant))
    points = (POINTS_HINGE if likelihood.name == "hinge" else POINTS)[n]
    log_z, grad_gram, by_constant = exact_posterior(likelihood, gram, labels, constant, points=points)
    by_theta, truth = (kernel().pullback(rows, G) for G in (found.grad_gram, -grad_gram / n))
    return (
        abs(found.value + log_z / n),
        np.abs(by_theta - truth).max() / np.abs(truth).max(),
        abs(found.grad_regularization + by_constant / n) / max(abs(by_constant / n), 0.05),
    )


@named
@pytest.mark.parametrize("n", [2, 3, *slowly(4)])
@pytest.mark.parametrize("constant", [0.6, 2.0])
def test_value_and_gradient_against_quadrature(likelihood, n, constant):
    value, by_theta, by_constant = errors(likelihood, ROWS[:n], LABELS[:n], constant)
    assert value < 1e-2
    assert by_theta < 0.02
    assert by_constant < 0.02


@named
def test_contradictory_neighbours_cost_some_accuracy(likelihood):
    """The posterior is far from normal between two rows that contradict each other: 6 %, not 2 %."""
    value, by_theta, by_constant = errors(likelihood, NEIGHBOURS, np.array([1.0, -1.0, 1.0, 1.0]), 1.5)
    assert value < 1e-2
    assert by_theta < 0.06
    assert by_constant < 0.02


@named
def test_gradient_against_differences_of_its_own_value(likelihood):
    generator = np.random.default_rng(3)
    X = generator.normal(size=(40, 2))
    targets = np.where(X[:, :1] + 0.4 * generator.normal(size=(40, 1)) > 0, 1.0, -1.0)
    targets = np.column_stack([targets, targets * np.sign(X[:, 1:])])
    weights = generator.choice([0.4, 1.0, 2.0, 2.5], size=40)
    started, theta = kernel(), kernel().theta

    def value(theta, log_c):
        gram = started.with_theta(theta).gram(X)
        return EPEvidence().value(fitted(likelihood, gram, targets, np.exp(log_c), weights)).value

    log_c, step = np.log(1.4), 1e-5
    found = EPEvidence().value_and_gradient(fitted(likelihood, started.gram(X), targets, float(np.exp(log_c)), weights))
    by_theta = started.pullback(X, found.grad_gram)
    for k in range(len(theta)):
        e = step * (np.arange(len(theta)) == k)
        difference = (value(theta + e, log_c) - value(theta - e, log_c)) / (2 * step)
        assert by_theta[k] == pytest.approx(difference, abs=2e-9)
    difference = (value(theta, log_c + step) - value(theta, log_c - step)) / (2 * step)
    assert found.grad_regularization * np.exp(log_c) == pytest.approx(difference, abs=2e-9)


@named
def test_fractional_weights_against_quadrature(likelihood):
    weights, gram = np.array([0.4, 1.0, 0.7]), kernel().gram(ROWS[:3])
    found = EPEvidence().value(fitted(likelihood, gram, LABELS[:3, None], 1.2, weights)).value
    truth, _, _ = exact_posterior(likelihood, gram, LABELS[:3], 1.2, weights, points=100)
    assert found == pytest.approx(-truth / weights.sum(), abs=1e-2)


@named
def test_whole_weights_are_repeated_rows(likelihood):
    weights = np.array([1.0, 3.0, 2.0, 1.0])
    repeat = np.repeat(np.arange(4), weights.astype(int))
    once = EPEvidence().value(fitted(likelihood, kernel().gram(ROWS), LABELS[:, None], 2.0, weights))
    often = EPEvidence().value(fitted(likelihood, kernel().gram(ROWS[repeat]), LABELS[repeat, None], 2.0))
    assert once.value == pytest.approx(often.value, rel=1e-9)
    np.testing.assert_allclose(once.pointwise[repeat], often.pointwise, rtol=1e-7)


def test_outputs_add_up():
    gram, targets = kernel().gram(ROWS), LABELS[:, None] * np.array([[1.0, -1.0]])
    one = EPEvidence().value_and_gradient(fitted(Hinge(), gram, targets[:, :1]))
    two = EPEvidence().value_and_gradient(fitted(Hinge(), gram, targets))
    assert two.value == pytest.approx(2 * one.value, rel=1e-9)
    assert two.grad_regularization == pytest.approx(2 * one.grad_regularization, rel=1e-9)
    np.testing.assert_allclose(two.grad_gram, 2 * one.grad_gram, atol=1e-10)


@pytest.mark.parametrize("log_k0", [-2, 0, 4, 8])
def test_value_follows_quadrature_over_six_orders_of_amplitude(log_k0):
    """Where Laplace's approximation tends to ln kappa, whatever the labels."""
    D = ((ROWS[:3, None] - ROWS[:3]) ** 2).sum(axis=2)
    gram = np.exp(log_k0) * np.exp(-0.5 * D) + 1e-6 * np.eye(3)
    for likelihood in (Hinge(), SquaredHinge()):
        found = EPEvidence().value(fitted(likelihood, gram, LABELS[:3, None])).value
        truth = -exact_posterior(likelihood, gram, LABELS[:3], 1.0, points=160)[0] / 3
        assert found == pytest.approx(truth, abs=1e-2)


def test_another_machine_is_refused_in_a_sentence():
    gram, ones = kernel().gram(ROWS), np.ones(4)
    state = LSSVM().fit(gram, LABELS[:, None], 1.0, ones)
    with pytest.raises(
        MissingCapability, match="of the machine 'ep' cannot judge a solution of 'lssvm': use one of 'press'"
    ):
        EPEvidence().value(record(LSSVM(), gram, LABELS[:, None], 1.0, ones, state))
