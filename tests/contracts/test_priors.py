"""Laws of every prior: its derivative, the order of rows and inputs, and what it asks of a kernel."""

from dataclasses import replace

import numpy as np
import pytest

from contracts.declared import require_instances
from contracts.parts import PRIORS, sample
from kernelect.kernels import ARD, RBF, Linear
from kernelect.machines import LSSVM
from kernelect.parameters import ParameterSpace
from kernelect.priors import HyperPoint
from oracles.differences import gradient
from oracles.solutions import record

every_prior = pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)

LOG_MU = np.log(0.4)
WIDTHS = np.log([0.4, 0.1, 0.9])


def point_at(theta, X, y):
    """Return the hyper-parameters' point with an LS-SVM solved there; the last entry is its ridge."""
    own = ARD("auto").space(X)
    space = ParameterSpace.joined([own, ParameterSpace.single("regularization", LOG_MU, below=9.0, above=9.0)])
    kernel, mu = ARD(np.exp(theta[:-1])), float(np.exp(theta[-1]))
    gram, weights = kernel.gram(X), np.ones(len(X))
    state = LSSVM().fit(gram, y[:, None], mu, weights)
    fitted = record(LSSVM(), gram, y[:, None], mu, weights, state)
    return HyperPoint(theta=theta, space=space, kernel=kernel, X=X, solve=lambda: fitted)


def problem():
    X, y, *_ = sample()
    return np.append(WIDTHS, LOG_MU), X, y


def test_every_prior_has_an_instance():
    require_instances("prior", PRIORS.values(), "PRIORS")


@every_prior
def test_the_derivative_is_that_of_differences(prior):
    theta, X, y = problem()
    _, found = prior.penalty(point_at(theta, X, y))
    expected = gradient(lambda at: prior.penalty(point_at(at, X, y))[0], theta, step=1e-4)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@every_prior
def test_the_order_of_the_rows_does_not_matter(prior):
    theta, X, y = problem()
    order = np.random.default_rng(5).permutation(len(X))
    expected, by_theta = prior.penalty(point_at(theta, X, y))
    found, shuffled = prior.penalty(point_at(theta, X[order], y[order]))
    assert found == pytest.approx(expected, rel=1e-8, abs=1e-10)
    np.testing.assert_allclose(shuffled, by_theta, rtol=1e-5, atol=1e-8)


@every_prior
def test_the_order_of_the_inputs_does_not_matter(prior):
    theta, X, y = problem()
    order = [2, 0, 1]
    expected, by_theta = prior.penalty(point_at(theta, X, y))
    found, shuffled = prior.penalty(point_at(np.append(theta[order], theta[3]), X[:, order], y))
    assert found == pytest.approx(expected, rel=1e-8, abs=1e-10)
    np.testing.assert_allclose(shuffled, np.append(by_theta[order], by_theta[3]), rtol=1e-5, atol=1e-8)


@every_prior
def test_a_share_of_the_likelihood_is_left(prior):
    assert 0.0 < prior.share(20) <= 1.0


@every_prior
def test_it_tells_which_parameters_a_kernel_lacks(prior):
    X, *_ = sample()
    if prior.name in ("flat", "curvature", "slope", "log-normal"):  # these speak of more than widths, or of nothing
        assert prior.lacks((2.0 * Linear()).space(X)) == ""
    else:
        assert prior.lacks(Linear().space(X)) == "widths (gamma)"
    assert prior.lacks(ARD().space(X)) == prior.lacks(RBF().space(X)) == ""


@every_prior
def test_a_revision_ends(prior):
    """A prior that revises itself settles: with an unchanged criterion the same answer comes back."""
    theta, X, y = problem()
    space = point_at(theta, X, y).space

    def criterion(at):
        return float(np.sum((at - theta) ** 2)) + 1.0, 2.0 * (at - theta)

    for _ in range(20):
        revision = prior.revise(criterion, 5.0, theta, space)
        if revision is None:
            return
        prior = revision.prior
    pytest.fail("the prior revised itself 20 times")


def test_a_width_of_zero_is_no_width():
    """An input that is switched off is charged by no prior."""
    _, X, y = problem()
    theta = np.append(WIDTHS, LOG_MU)
    wide = point_at(theta, X, y)
    off = np.where(np.arange(4) == 1, -np.inf, theta)
    narrow = replace(wide, theta=off, space=wide.space.moved(off))
    for name in ("shrinkage", "gaussian", "laplace", "log-normal"):
        value, by_theta = PRIORS[name].penalty(narrow)
        assert np.isfinite(value), name
        assert by_theta[1] == 0.0, name
