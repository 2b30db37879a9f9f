"""What a search expects of its own model, against the dense formula it stands for."""

import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from kernelect.results import Status
from kernelect.search import LBFGS, Budget, gradient
from kernelect.search.secant import SecantModel


def dense_inverse(steps, changes, first=None):
    """The BFGS inverse, one full matrix update after the other (Nocedal & Wright 2006, eq. 6.17)."""
    n = len(steps[0])
    first = float(steps[-1] @ changes[-1]) / float(changes[-1] @ changes[-1]) if first is None else first
    H = first * np.eye(n)
    for s, y in zip(steps, changes, strict=True):
        left = np.eye(n) - np.outer(s, y) / (s @ y)
        H = left @ H @ left.T + np.outer(s, s) / (s @ y)
    return H


def test_the_expected_gain_is_that_of_the_dense_matrix():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(6, 6))
    A = A @ A.T + np.eye(6)
    model, points = SecantModel(), rng.normal(size=(5, 6))
    for x in points:
        model.note(x, A @ x)
    g = A @ points[-1]
    steps, changes = np.diff(points, axis=0), np.diff(points @ A, axis=0)
    assert model.pairs == 4
    assert model.expected(g) == pytest.approx(0.5 * g @ dense_inverse(steps, changes) @ g)


def test_steps_against_the_curvature_teach_nothing():
    model = SecantModel()
    assert model.expected(np.ones(2)) == float("inf")
    for k in range(4):
        model.note(np.full(2, float(k)), np.full(2, -float(k)))
    assert model.pairs == 0


def test_the_gain_is_expected_by_the_last_twenty_steps_and_the_inverse_by_all():
    rng = np.random.default_rng(0)
    A = np.diag([1.0, 4.0, 9.0])
    model, points = SecantModel(), rng.normal(size=(31, 3))
    for x in points:
        model.note(x, A @ x)
    steps, changes = np.diff(points, axis=0), np.diff(points @ A, axis=0)
    g = np.ones(3)
    assert model.expected(g) == pytest.approx(0.5 * g @ dense_inverse(steps[-20:], changes[-20:]) @ g)
    flat = float(steps[-1] @ steps[-1]) / float(steps[-1] @ changes[-1])
    np.testing.assert_allclose(model.inverse(), dense_inverse(steps, changes, flat), atol=1e-14)


def test_a_search_ends_by_what_is_left_to_gain_not_by_what_a_step_gained():
    """In a curved valley steps gain little long before its end."""
    bounds = np.full(2, -10.0), np.full(2, 10.0)
    left = {}
    for gain in (None, 1e-3):
        budget = Budget(tol=0.1, gain=gain)
        found = LBFGS().minimize(_valley, np.array([-1.2, 1.0]), *bounds, budget=budget)
        assert found.status is Status.CONVERGED
        left[gain] = found.value
    assert left[1e-3] < 0.01 < 1.0 < left[None]


def _valley(theta):
    return float(rosen(theta)), rosen_der(theta)


def test_a_large_enough_gain_ends_it_early():
    bounds = np.full(2, -10.0), np.full(2, 10.0)
    lengths = [
        len(LBFGS().minimize(_wavy, np.array([3.0, -2.0]), *bounds, budget=Budget(tol=1e-9, gain=gain)).trace)
        for gain in (1e-9, 1e-2)
    ]
    assert lengths[1] < lengths[0]


def _wavy(theta):
    return float(np.sum(theta**4 + theta**2)), 4.0 * theta**3 + 2.0 * theta


def test_the_curvature_of_very_many_parameters_is_not_handed_on(monkeypatch):
    bounds = np.full(4, -10.0), np.full(4, 10.0)

    def inverse():
        return LBFGS().minimize(lambda x: (rosen(x), rosen_der(x)), np.full(4, 0.5), *bounds).inverse

    assert inverse().shape == (4, 4)
    monkeypatch.setattr(gradient, "_LARGEST_INVERSE", 3)
    assert inverse() is None
