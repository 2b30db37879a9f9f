"""Evidence maximisation with a slack constant C in the space, as an SVM needs it."""

import numpy as np
import pytest

from kernelect.criteria import EPEvidence
from kernelect.kernels import ARD, Constant
from kernelect.machines import EP, Hinge, SquaredHinge
from kernelect.parameters import ParameterSpace
from kernelect.priors import LogNormal
from kernelect.search import LBFGS
from kernelect.selection import SelectionObjective, SelectionOptions, select


def objective(likelihood, prior):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(50, 3))
    y = np.where(X[:, :1] + 0.3 * generator.normal(size=(50, 1)) > 0, 1.0, -1.0)
    kernel = Constant() * ARD() + Constant(0.2)
    constant = ParameterSpace.single("C", float(np.log(0.6)), below=2.5, above=5.8)
    space = ParameterSpace.joined([kernel.space(X), constant])
    return SelectionObjective(
        X=X,
        targets=y,
        weights=np.ones(50),
        kernel=kernel.start(X),
        space=space,
        machine=EP(likelihood),
        criterion=EPEvidence(),
        prior=prior,
    )


@pytest.mark.parametrize("likelihood", [Hinge(), SquaredHinge()], ids=lambda part: part.name)
def test_the_constant_is_selected_with_the_kernel(likelihood):
    problem = objective(likelihood, LogNormal())
    selection, _ = select(problem, SelectionOptions(search=LBFGS(first_step=1.0)))
    assert selection.converged
    assert selection.names[-1] == "C"
    value, gradient = problem(selection.theta)
    assert value < problem(problem.space.start)[0] - 1.0
    inside = (selection.theta > problem.space.lower + 1e-6) & (selection.theta < problem.space.upper - 1e-6)
    assert np.abs(gradient[inside & problem.space.free]).max() < 0.1


def test_the_gradient_in_theta_with_a_prior_against_differences():
    problem, step = objective(Hinge(), LogNormal()), 1e-4
    theta = problem.space.start + 0.3 * np.sin(np.arange(len(problem.space)))
    gradient = problem(theta)[1]
    for k in np.flatnonzero(problem.space.free):
        e = step * (np.arange(len(theta)) == k)
        difference = (problem.value(theta + e) - problem.value(theta - e)) / (2 * step)
        assert gradient[k] == pytest.approx(difference, abs=2e-3 * max(1.0, np.abs(gradient).max()))
