"""The evidence on landmarks: against the dense machine, its own dense prior, and central differences."""

from dataclasses import replace

import numpy as np
import pytest

from kernelect.criteria import EPEvidence
from kernelect.criteria.ep.leave_one_out import EPLeaveOneOut
from kernelect.exceptions import MissingCapability
from kernelect.kernels import ARD, Constant, Linear
from kernelect.machines import EP, Fitted, Hinge, Probit
from kernelect.machines.lssvm.landmarks import epsilon
from kernelect.parameters import ParameterSpace
from kernelect.priors import LogNormal
from kernelect.selection import Rows, StartedKernel, join
from kernelect.selection.landmarks import LandmarkEvidence
from oracles.differences import gradient

N, M = 40, 9


def problem(likelihood=None, prior=None, criterion=None, kernel=None, n_outputs=1, tol=1e-9):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3))
    f = X[:, 0] * X[:, 1] + 0.5 * X[:, 2]
    y = np.where(f + 0.4 * rng.normal(size=N) > 0, 1.0, -1.0)[:, None]
    targets = np.hstack([y, np.where(X[:, [0]] > 0.2, 1.0, -1.0)])[:, :n_outputs]
    likelihood = likelihood or Probit()
    kernel = kernel or Constant("auto") * ARD("auto") + Constant("auto")
    started = StartedKernel(kernel=kernel.start(X), space=kernel.space(X))
    weights = rng.choice([0.5, 1.0, 2.0], N)
    C = ParameterSpace.single("C", np.log(0.7), below=9.0, above=9.0) if likelihood.has_constant else None
    machine = EP(likelihood, tol=tol)
    return join(Rows(X=X, targets=targets, weights=weights), started, machine, criterion or EPEvidence(), prior, C)


def elsewhere(objective):
    return objective.space.start + 0.2 * np.random.default_rng(1).normal(size=len(objective.space))


def dense_prior(objective, Z, theta):
    """Return the prior of the rows as a matrix, and its covariance with new rows, by definition."""
    kernel = objective.kernel_at(theta)
    M = kernel.gram(Z) + epsilon(kernel.gram(Z)) * np.eye(len(Z))
    K = kernel.cross(Z, objective.X)
    Q = K.T @ np.linalg.solve(M, K)
    return Q + np.diag(
        kernel.diagonal(objective.X) - np.diag(Q)
    ), lambda V: K.T @ np.linalg.solve(M, kernel.cross(Z, V))


@pytest.mark.parametrize("likelihood", [Probit(), Hinge()])
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_with_all_rows_as_landmarks_it_is_the_exact_evidence(likelihood, n_outputs):
    exact = problem(likelihood, n_outputs=n_outputs)
    theta = elsewhere(exact)
    value, slope = exact(theta)
    found, by_theta = LandmarkEvidence.of(exact, exact.X)(theta)
    assert found == pytest.approx(value, rel=1e-7)
    np.testing.assert_allclose(by_theta, slope, atol=1e-5 * np.abs(slope).max())


@pytest.mark.parametrize("likelihood", [Probit(), Hinge()])
@pytest.mark.parametrize("prior", [None, LogNormal()])
def test_the_gradient_is_that_of_central_differences(likelihood, prior):
    objective = LandmarkEvidence.of(problem(likelihood, prior, n_outputs=2), problem().X[:M] + 0.1)
    theta = elsewhere(objective)
    expected = gradient(lambda at: objective.as_function(gradient=False)(at)[0], theta)
    np.testing.assert_allclose(objective(theta)[1], expected, atol=1e-6 * np.abs(expected).max())


def test_rows_of_unequal_variance_take_part_in_the_gradient():
    objective = LandmarkEvidence.of(problem(kernel=Constant("auto") * Linear()), problem().X[:2])
    theta = elsewhere(objective)
    expected = gradient(lambda at: objective.as_function(gradient=False)(at)[0], theta)
    np.testing.assert_allclose(objective(theta)[1], expected, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("likelihood", [Probit(), Hinge()])
def test_it_is_the_posterior_of_its_prior(likelihood):
    """The dense machine, given the covariance of the rows as a matrix, has the same posterior and cavities."""
    exact = problem(likelihood)
    Z, theta = exact.X[:M], elsewhere(exact)
    objective = LandmarkEvidence.of(exact, Z)
    fitted = objective.solved(theta)
    gram, cross = dense_prior(objective, Z, theta)
    C, weights = fitted.regularization, objective.weights
    state = objective.machine.fit(gram, objective.targets, C, weights)
    ours, dense = fitted.state.columns[0], state.columns[0]
    for name in ("mean", "variance", "cavity_mean", "cavity_variance", "dual"):
        np.testing.assert_allclose(getattr(ours, name), getattr(dense, name), rtol=1e-6, atol=1e-7)
    for left, right in zip(ours.without_row(), dense.without_row(), strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-6, atol=1e-7)
    value = EPEvidence().value(replace(fitted, gram=gram, state=state)).value
    assert EPEvidence().value(fitted).value == pytest.approx(value, rel=1e-9)
    V = np.random.default_rng(2).normal(size=(7, 3))
    kernel = objective.kernel_at(theta)
    K = kernel.cross(Z, V)
    np.testing.assert_allclose(K.T @ fitted.state.dual_coef[:, 0], cross(V).T @ dense.dual, rtol=1e-5, atol=1e-7)
    explained = np.sum((ours.explained_root() @ K) ** 2, axis=0)
    np.testing.assert_allclose(explained, dense.explained(cross(V)), rtol=1e-5, atol=1e-7)


def test_a_criterion_that_follows_the_sites_is_refused():
    with pytest.raises(MissingCapability, match="criterion='loo' needs the Gram matrix of all rows"):
        LandmarkEvidence.of(problem(criterion=EPLeaveOneOut()), np.zeros((1, 3)))


def test_a_warm_start_keeps_no_array_of_all_rows():
    objective = LandmarkEvidence.of(problem(), problem().X[:M])
    fitted = objective.solved(objective.space.start)
    assert isinstance(fitted, Fitted)
    column = objective.machine.start_of(fitted.state).columns[0]
    assert column.gram.whitened.size == column.gram.half.size == 0
