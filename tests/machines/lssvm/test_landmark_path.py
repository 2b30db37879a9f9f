"""Leave-one-out on landmarks along the ridge against refits at every ridge."""

import numpy as np
import pytest

from kernelect.criteria.lssvm.landmarks import LandmarkGCV, LandmarkPRESS
from kernelect.kernels import ARD
from kernelect.machines.lssvm.landmark_path import LandmarkPath
from kernelect.machines.lssvm.landmarks import MachineRows, WhitenedFrame, moments
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
    frame = WhitenedFrame.of(gram, targets.mean(axis=0))
    return LandmarkPath(frame, moments(frame, MachineRows.of(cross.copy(), targets, weights)))


def test_residuals_and_leverages_at_every_ridge_are_those_of_refits(problem, path):
    cross, gram, targets, weights = problem
    blocks = path.left_out(path.rotated(cross), targets, weights, RIDGES)
    for block, mu in zip(blocks, RIDGES, strict=True):
        expected = slow.leave_one_out_residuals(cross, gram, targets, mu, weights)
        np.testing.assert_allclose(block.residuals, expected, atol=1e-8)
        np.testing.assert_allclose(block.leverage, np.diag(slow.hat_matrix(cross, gram, mu, weights)), atol=1e-9)


def test_criteria_of_all_rows_at_every_ridge(problem, path):
    cross, gram, targets, weights = problem
    for block, mu in zip(path.left_out(path.rotated(cross), targets, weights, RIDGES), RIDGES, strict=True):
        assert LandmarkPRESS().value_of(block) == pytest.approx(slow.press(cross, gram, targets, mu, weights))
        assert LandmarkGCV().value_of(block) == pytest.approx(slow.gcv(cross, gram, targets, mu, weights))


def test_kernel_values_are_left_as_they_were(problem, path):
    cross = problem[0].copy()
    path.rotated(cross)
    np.testing.assert_array_equal(cross, problem[0])


def test_no_rows_give_nothing(problem, path):
    cross, _, targets, weights = problem
    none = path.left_out(path.rotated(np.ascontiguousarray(cross[:, :0])), targets[:0], weights[:0], RIDGES)
    assert [block.residuals.shape for block in none] == [(0, 2)] * len(RIDGES)
