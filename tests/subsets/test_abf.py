"""All basis functions: the gradient by differences, and widths that find the relevant inputs."""

import numpy as np
import pytest

from kernelect.dictionaries import KernelFunctions, LinearTerms
from kernelect.kernels import ARD, RBF, Matern
from kernelect.search import Budget
from kernelect.subsets import SubsetRows, fit_widths, with_fitted_kernels
from kernelect.subsets.abf import ABFObjective
from kernelect.subsets.holdout import Holdout
from oracles import basis as slow
from oracles.differences import gradient


@pytest.fixture(params=[False, True], ids=["plain", "intercept"])
def sample(request, data):
    X, targets, weights = data
    return SubsetRows(X=X, T=targets, weights=weights, intercept=request.param)


@pytest.mark.parametrize("kernel", [RBF(0.2), ARD([0.1, 0.3, 0.2]), Matern(2.5, [0.2, 0.1, 0.4])], ids=repr)
def test_the_gradient_is_that_of_the_objective(kernel, sample):
    objective = ABFObjective(kernel, sample, sample.X[::2])
    theta = np.append(kernel.theta, np.log(0.3))
    _, found = objective(theta)
    np.testing.assert_allclose(found, gradient(lambda v: objective(v)[0], theta), rtol=1e-5, atol=1e-6)


def test_the_objective_is_minus_the_likelihood_up_to_a_constant(data):
    X, targets, _ = data
    sample = SubsetRows(X=X, T=targets, weights=np.ones(len(X)), intercept=False)
    kernel = RBF(0.2)
    Phi = kernel.cross(X, X)
    objective = ABFObjective(kernel, sample, X)
    values = [objective(np.append(kernel.theta, np.log(lam)))[0] for lam in (0.1, 3.0)]
    exact = [-slow.profile(Phi, targets, lam) for lam in (0.1, 3.0)]
    assert values[0] - values[1] == pytest.approx(exact[0] - exact[1], abs=1e-7)


def test_widths_fall_for_inputs_that_do_not_matter(rng):
    X = rng.uniform(-1, 1, size=(150, 3))
    T = np.sin(3.0 * X[:, :1]) + 0.05 * rng.normal(size=(150, 1))
    found = fit_widths(ARD(), SubsetRows(X=X, T=T, weights=np.ones(150), intercept=True))
    assert found.result.converged
    assert found.kernel.gamma[0] > 30.0 * found.kernel.gamma[1:].max()
    assert found.names == ("gamma[0]", "gamma[1]", "gamma[2]")


def test_the_result_does_not_depend_on_the_order_of_rows(rng):
    X = rng.uniform(-1, 1, size=(90, 2))
    T = np.sin(3.0 * X[:, :1]) + 0.05 * rng.normal(size=(90, 1))
    order = rng.permutation(90)
    ones = np.ones(90)
    first = fit_widths(ARD(), SubsetRows(X=X, T=T, weights=ones, intercept=True), max_rows=50).kernel
    second = fit_widths(ARD(), SubsetRows(X=X[order], T=T[order], weights=ones, intercept=True), max_rows=50).kernel
    np.testing.assert_allclose(first.gamma, second.gamma, rtol=1e-3)


@pytest.mark.parametrize("unit", [2.0**-100, 2.0**100])
def test_the_search_does_not_depend_on_the_unit_of_the_targets(rng, unit):
    X = rng.uniform(-1, 1, size=(60, 2))
    T = np.sin(3.0 * X[:, :1]) + 0.05 * rng.normal(size=(60, 1))
    first, second = (
        fit_widths(ARD(), SubsetRows(X=X, T=T * by, weights=np.ones(60), intercept=True)).result for by in (1.0, unit)
    )
    np.testing.assert_array_equal(first.trace.theta, second.trace.theta)
    np.testing.assert_allclose(first.trace.value, second.trace.value, atol=1e-9)


def test_only_auto_widths_are_touched(rng):
    X = rng.uniform(-1, 1, size=(40, 2))
    sample = SubsetRows(X=X, T=X[:, :1] ** 2, weights=np.ones(40), intercept=True)
    dictionary, widths = with_fitted_kernels(
        LinearTerms() + KernelFunctions(RBF(7.0)) + KernelFunctions("rbf"), sample, budget=Budget(max_iter=20)
    )
    assert dictionary.parts[1].kernel.gamma == 7.0
    assert isinstance(dictionary.parts[2].kernel.gamma, float)
    assert len(widths) == 1


def test_ctrl_c_during_the_widths_is_passed_on(rng):
    X = rng.uniform(-1, 1, size=(40, 2))

    def interrupt(row):
        if row.number == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_widths(ARD(), SubsetRows(X=X, T=X[:, :1] ** 2, weights=np.ones(40), intercept=True), observe=interrupt)


@pytest.mark.parametrize("intercept", [False, True])
def test_errors_on_rows_kept_aside_follow_from_their_moments(intercept, rng):
    X = rng.normal(size=(50, 2))
    sample = SubsetRows(X=X, T=np.sin(X[:, :1]) + 4.0, weights=rng.uniform(0.5, 2.0, 50), intercept=intercept)
    built = KernelFunctions(RBF(0.5), max_centres=10).build(X)
    holdout = Holdout.split(built, sample, 0.3, np.random.default_rng(0))
    aside = np.sort(np.random.default_rng(0).permutation(50)[:15])
    rest = sample.rows(np.setdiff1d(np.arange(50), aside))
    columns, coef = np.array([1, 4]), np.array([[0.7], [-0.2]])
    centre, offset = holdout.training.means[columns], rest.target_means
    errors = (sample.T[aside] - offset) - (built.evaluate(X[aside])[:, columns] - centre) @ coef
    expected = np.average(errors[:, 0] ** 2, weights=sample.weights[aside])
    assert holdout.error(columns, coef) == pytest.approx(expected)
