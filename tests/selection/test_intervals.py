"""Noise and thresholds of targets known up to an interval are selected with the kernel."""

import numpy as np
import pytest

from kernelect.criteria import EPEvidence
from kernelect.machines import EP, Interval, Probit
from kernelect.priors import as_prior, normal_lengths
from kernelect.search import as_search
from kernelect.selection import (
    Rows,
    Scales,
    SelectionOptions,
    join,
    join_intervals,
    noise_space,
    ordered_space,
    select,
    started_in_full,
)
from oracles.differences import gradient


def table(n=40, seed=0):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, 2))
    return X, np.sin(2.0 * X[:, 0]) + 0.3 * generator.normal(size=n)


def objective(X, targets, space, prior=None):
    started = started_in_full("ard", X, Scales())
    rows = Rows(X=X, targets=targets, weights=np.ones(len(X)))
    found = as_prior(prior, started.space, normal_lengths)
    return join_intervals(rows, started, EP(Interval(), tol=1e-11), EPEvidence(), found, space)


def half_censored(y):
    return np.column_stack([y, np.where(np.arange(len(y)) % 2, np.inf, y)])


@pytest.mark.parametrize("prior", [None, "shrinkage"])
def test_gradient_with_noise(prior):
    X, y = table()
    problem = objective(X, half_censored(y), noise_space(1.0), prior)
    theta = problem.space.start + 0.1 * np.arange(len(problem.space))
    slopes = gradient(problem.value, theta, 1e-4)
    np.testing.assert_allclose(problem(theta)[1], slopes, rtol=1e-5, atol=1e-6)


def test_gradient_with_thresholds():
    X, y = table()
    grades = np.digitize(y, [-0.7, 0.0, 0.6])[:, None].astype(float)
    problem = objective(X, grades, ordered_space(4))
    theta = problem.space.start + 0.1 * np.arange(len(problem.space))
    slopes = gradient(problem.value, theta, 1e-4)
    np.testing.assert_allclose(problem(theta)[1], slopes, rtol=1e-5, atol=1e-6)


def test_two_ordered_classes_are_the_probit_classifier():
    X, y = table()
    started = started_in_full("ard", X, Scales())
    signs = np.where(y > 0, 1.0, -1.0)[:, None]
    probit = join(
        Rows(X=X, targets=signs, weights=np.ones(len(X))), started, EP(Probit(), tol=1e-11), EPEvidence(), None
    )
    ordered = objective(X, (signs + 1.0) / 2.0, ordered_space(2))
    theta = ordered.space.start
    value, slopes = ordered(theta)
    expected, expected_slopes = probit(theta[:-1])
    assert value == pytest.approx(expected, rel=1e-8)
    np.testing.assert_allclose(slopes[:-1], expected_slopes, rtol=1e-6, atol=1e-9)


def options():
    return SelectionOptions(
        search=as_search("lbfgs"), n_restarts=0, max_iter=100, tol=1e-4, generator=np.random.default_rng(0)
    )


def test_selection_finds_the_noise():
    X, y = table(150)
    selection, problem = select(objective(X, half_censored(y), noise_space(1.0)), options())
    place = problem.space.names.index("noise")
    # Rows were drawn with a deviation of 0.3; limits at the targets themselves say that some lie higher.
    assert 0.1 < np.exp(0.5 * selection.theta[place]) < 0.6


@pytest.mark.slow
def test_selection_finds_the_steps():
    X, y = table(200)
    grades = np.digitize(y, [-0.6, 0.0, 1.0])[:, None].astype(float)
    selection, problem = select(objective(X, grades, ordered_space(4)), options())
    _, first, second, third, _ = problem.thresholds(selection.theta)
    assert (third - second) / (second - first) == pytest.approx(1.0 / 0.6, rel=0.3)
