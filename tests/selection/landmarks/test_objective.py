"""The criterion on landmarks as a function of theta, against the exact one and central differences."""

import numpy as np
import pytest

from kernelect.criteria import GCV, PRESS, Criterion, GroupPRESS
from kernelect.exceptions import MissingCapability
from kernelect.kernels import ARD, Matern
from kernelect.machines import LSSVM, Groups
from kernelect.parameters import ParameterSpace
from kernelect.priors import Curvature, Gaussian, Shrinkage
from kernelect.selection import Rows, SelectionOptions, StartedKernel, join
from kernelect.selection.landmarks.objective import LandmarkObjective
from kernelect.selection.landmarks.stages import RidgeFirst
from kernelect.selection.run import Run
from oracles.differences import gradient


@pytest.fixture
def exact(data):
    return problem(data)


def problem(data, kernel=None, criterion=None, prior=None):
    X, targets, weights = data
    kernel = kernel or ARD("auto")
    started = StartedKernel(kernel=kernel.start(X), space=kernel.space(X))
    ridge = ParameterSpace.single("regularization", np.log(0.2), below=9.0, above=9.0)
    rows = Rows(X=X, targets=targets, weights=weights)
    return join(rows, started, LSSVM(), criterion or PRESS(), prior, ridge)


#: Of the 30 rows, in no order.
BY_GROUPS = GroupPRESS(Groups(np.random.default_rng(0).integers(0, 9, 30)))


@pytest.mark.parametrize("criterion", [PRESS(), GCV(), BY_GROUPS])
@pytest.mark.parametrize("prior", [None, Shrinkage(), Gaussian()])
def test_with_all_rows_as_landmarks_it_is_the_exact_objective(data, criterion, prior):
    exact = problem(data, criterion=criterion, prior=prior)
    reduced = LandmarkObjective.of(exact, exact.X)
    theta = exact.space.start + np.array([0.3, -0.2, 0.1, 0.2])
    value, slope = exact(theta)
    assert reduced.value(theta) == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(reduced(theta)[1], slope, rtol=1e-4, atol=1e-5 * np.abs(slope).max())
    np.testing.assert_allclose(
        reduced.left_out_residuals(theta), exact.left_out_residuals(theta), atol=1e-5 * np.abs(data[1]).max()
    )
    mu = float(np.exp(theta[-1]))
    np.testing.assert_allclose(reduced.ridge_path(theta).residuals(mu), reduced.left_out_residuals(theta), atol=1e-8)


@pytest.mark.parametrize("kernel", [ARD("auto"), Matern(2.5)])
@pytest.mark.parametrize("prior", [None, Shrinkage()])
@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("criterion", [PRESS(), BY_GROUPS])
def test_the_gradient_is_that_of_differences(data, kernel, prior, kept, criterion, monkeypatch):
    monkeypatch.setattr("kernelect.selection.landmarks.objective.BLOCK_ROWS", 18)
    exact = problem(data, kernel, criterion, prior)
    objective = LandmarkObjective.of(exact, exact.X[::4])
    if not kept:
        monkeypatch.setattr("kernelect.selection.landmarks.objective._KEPT_VALUES", 0)
    theta = exact.space.start - 0.3
    expected = gradient(objective.value, theta)
    np.testing.assert_allclose(objective(theta)[1], expected, rtol=1e-5, atol=1e-6 * np.abs(expected).max())


def test_values_are_remembered_for_the_landmarks_they_belong_to(exact):
    objective = LandmarkObjective.of(exact, exact.X[::4])
    theta = exact.space.start
    first = objective.value(theta)
    moved = objective.with_landmarks(exact.X[1::4])
    assert moved.value(theta) != first
    assert objective.with_landmarks(objective.landmarks).known is objective.known


def test_some_rows_keep_the_landmarks(exact):
    objective = LandmarkObjective.of(exact, exact.X[::4])
    part = objective.on_rows(np.arange(20))
    assert part.landmarks is objective.landmarks
    assert len(part.left_out_residuals(exact.space.start)) == 20


def test_a_prior_on_all_coefficients_is_refused(data):
    exact = problem(data, prior=Curvature())
    with pytest.raises(MissingCapability, match=r"prior='curvature' needs .* landmarks=None"):
        LandmarkObjective.of(exact, exact.X[::4])


def test_a_criterion_that_is_no_sum_over_rows_is_refused(data):
    class Mine(PRESS):
        name = "mine"
        on_landmarks = None

    exact = problem(data, criterion=Mine())
    with pytest.raises(
        MissingCapability, match=r"criterion='mine' .*: use criterion='press' or 'gcv', or landmarks=None"
    ):
        LandmarkObjective.of(exact, exact.X[::4])
    assert Criterion.on_landmarks is None


def test_landmarks_follow_the_widths(exact):
    objective = LandmarkObjective.of(exact, exact.X[:1])
    wide = objective.chosen(exact.space.start - 8.0, 10, seed=0)
    narrow = objective.chosen(exact.space.start + 3.0, 10, seed=0)
    assert len(narrow) == 10
    assert len(wide) < 10 or set(wide) != set(narrow)


def test_a_search_on_landmarks_begins_at_the_best_ridge(data):
    """At a ridge that makes no difference to few rows no gradient leads to the one that many rows need."""
    X, _, weights = data
    noisy = problem((X, np.random.default_rng(1).normal(size=(len(X), 1)), weights))
    run = Run(LandmarkObjective.of(noisy, X[::2]), SelectionOptions())
    run.space = run.space.moved(np.append(run.space.start[:-1], run.space.lower[-1]))
    before, stage = run.space.start, RidgeFirst()
    assert stage.applies(run)
    stage.carry_out(run)
    np.testing.assert_array_equal(run.space.start[:-1], before[:-1])
    values = [noisy_value(run, ridge) for ridge in np.linspace(run.space.lower[-1], run.space.upper[-1], 16)]
    assert noisy_value(run, run.space.start[-1]) == pytest.approx(min(values), rel=1e-6)
    assert min(values) < 0.9 * noisy_value(run, before[-1])
    held = run.space
    stage.carry_out(run)  # which has nothing to gain now
    np.testing.assert_array_equal(run.space.start, held.start)


def noisy_value(run, log_ridge):
    return run.objective.value(np.append(run.space.start[:-1], log_ridge))
