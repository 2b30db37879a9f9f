"""Leave-one-out on landmarks along the ridge against refits at every ridge."""

from functools import reduce
from operator import add

import numpy as np
import pytest

from kernelect.kernels import ARD
from kernelect.machines.lssvm.landmark_path import LandmarkPath
from kernelect.machines.lssvm.landmarks import Frame, Rows, moments
from oracles import landmarks as slow

RIDGES = np.array([1e-3, 0.1, 10.0])


@pytest.fixture
def problem(data):
    X, targets, weights = data
    kernel = ARD([0.3, 0.1, 0.5])
    return kernel.cross(X[::4], X), kernel.gram(X[::4]), targets, weights


@pytest.fixture
def path(problem):
    cross, gram, targets, weights = problem
    frame = Frame.of(gram, targets.mean(axis=0))
    return LandmarkPath(frame, moments(frame, Rows.of(cross.copy(), targets, weights)))


def test_residuals_at_every_ridge_are_those_of_refits(problem, path):
    cross, gram, targets, weights = problem
    residuals, room = path.leave_one_out(Rows.of(cross, targets, weights), RIDGES)
    for p, mu in enumerate(RIDGES):
        expected = slow.leave_one_out_residuals(cross, gram, targets, mu, weights)
        np.testing.assert_allclose(residuals[:, :, p], expected, atol=1e-8)
        leverage = np.diag(slow.hat_matrix(cross, gram, mu, weights))
        np.testing.assert_allclose(room[:, p], 1.0 - leverage, atol=1e-9)


def test_sums_over_blocks_are_the_criteria(problem, path):
    cross, gram, targets, weights = problem
    blocks = [slice(0, 11), slice(11, 11), slice(11, 30)]
    sums = reduce(add, (path.sums(Rows.of(cross[:, part], targets[part], weights[part]), RIDGES) for part in blocks))
    np.testing.assert_allclose(sums.press, [slow.press(cross, gram, targets, mu, weights) for mu in RIDGES], rtol=1e-8)
    np.testing.assert_allclose(
        path.gcv(sums, RIDGES), [slow.gcv(cross, gram, targets, mu, weights) for mu in RIDGES], rtol=1e-8
    )


def test_the_standard_error_is_that_of_a_sum_over_rows(problem, path):
    cross, gram, targets, weights = problem
    sums = path.sums(Rows.of(cross, targets, weights), RIDGES)
    for p, mu in enumerate(RIDGES):
        residuals = slow.leave_one_out_residuals(cross, gram, targets, mu, weights)
        parts = 0.5 * weights * np.sum(residuals**2, axis=1)
        assert sums.standard_errors()[p] == pytest.approx(np.std(parts) * np.sqrt(len(parts)), rel=1e-6)


def test_the_rows_are_left_as_they_were(problem, path):
    cross, _, targets, weights = problem
    rows = Rows.of(cross.copy(), targets, weights)
    path.sums(rows, RIDGES)
    np.testing.assert_array_equal(rows.cross, cross)
