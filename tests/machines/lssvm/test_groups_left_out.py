"""Groups left out of a machine on landmarks, against refits without them."""

import numpy as np
import pytest

from kernelect.kernels import ARD
from kernelect.machines import Groups
from kernelect.machines.lssvm.groups_left_out import left_out, without_own_function
from kernelect.machines.lssvm.landmark_path import LandmarkPath
from kernelect.machines.lssvm.landmarks import MachineRows, WhitenedFrame, moments, solve
from kernelect.machines.lssvm.left_out import row_left_out
from oracles import landmarks as slow

MU = 0.2


#: Groups of one to three rows, and such as have more rows than there are landmarks.
SMALL = np.repeat(np.arange(14), [1, 3, 2, 2, 3, 2, 2, 3, 2, 2, 2, 3, 2, 1])
LARGE = np.repeat(np.arange(4), [1, 12, 15, 2])


@pytest.fixture(params=[SMALL, LARGE], ids=["small", "large"])
def groups(request, rng):
    return rng.permutation(request.param)


@pytest.fixture
def problem(data):
    X, targets, weights = data
    kernel = ARD([0.3, 0.1, 0.5])
    return kernel.cross(X[::4], X), kernel.gram(X[::4]), targets, weights


def at_solution(cross, gram, targets, weights, groups):
    frame = WhitenedFrame.of(gram, targets[0])
    state = solve(frame, moments(frame, MachineRows.of(cross.copy(), targets, weights)), MU)
    return state, left_out(
        state, MachineRows(cross=cross.copy(), targets=targets, weights=weights, groups=Groups(groups))
    )


def test_residuals_are_those_of_refits(problem, groups):
    cross, gram, targets, weights = problem
    _, found = at_solution(cross, gram, targets, weights, groups)
    expected = slow.leave_groups_out_residuals(cross, gram, targets, MU, weights, groups)
    np.testing.assert_allclose(found.residuals, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


def test_rows_of_weight_nothing_are_left_out_with_their_group(problem, groups):
    cross, gram, targets, weights = problem
    weights = weights.copy()
    weights[::5] = 0.0
    _, found = at_solution(cross, gram, targets, weights, groups)
    expected = slow.leave_groups_out_residuals(cross, gram, targets, MU, weights, groups)
    np.testing.assert_allclose(found.residuals, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


def test_landmarks_leave_with_their_group(problem, groups):
    cross, gram, targets, weights = problem
    state, found = at_solution(cross, gram, targets, weights, groups)
    landmark = np.full(len(targets), -1)
    landmark[::4] = np.arange(len(gram))
    expected = slow.leave_groups_out_residuals(cross, gram, targets, MU, weights, groups, landmark)
    # Whitened by landmarks that lie close to each other: half the digits.
    residuals = without_own_function(state, found, landmark).residuals
    np.testing.assert_allclose(residuals, expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())
    none = np.full(len(targets), -1)
    np.testing.assert_array_equal(without_own_function(state, found, none).residuals, found.residuals)


def test_groups_of_one_row_are_rows(problem):
    cross, gram, targets, weights = problem
    state, found = at_solution(cross, gram, targets, weights, np.arange(len(targets)))
    alone = row_left_out(state, MachineRows.of(cross.copy(), targets, weights))
    np.testing.assert_allclose(found.residuals, alone.residuals, rtol=1e-12)
    np.testing.assert_allclose(found.room, alone.room, rtol=1e-12)


def test_room_is_the_inverse_of_the_diagonal(problem, groups):
    cross, gram, targets, weights = problem
    _, found = at_solution(cross, gram, targets, weights, groups)
    hat = slow.hat_matrix(cross, gram, MU, weights)
    for group in range(groups.max() + 1):
        rows = np.flatnonzero(groups == group)
        inverse = np.linalg.inv(np.eye(len(rows)) - hat[np.ix_(rows, rows)])
        np.testing.assert_allclose(found.room[rows], 1.0 / np.diag(inverse), rtol=1e-9)


def test_along_the_ridge(problem, groups):
    cross, gram, targets, weights = problem
    frame = WhitenedFrame.of(gram, targets[0])
    path = LandmarkPath(frame, moments(frame, MachineRows.of(cross.copy(), targets, weights)))
    ridges = np.array([MU, 3.0])
    found = path.left_out(path.rotated(cross), targets, weights, ridges, Groups(groups))
    for mu, one in zip(ridges, found, strict=True):
        expected = slow.leave_groups_out_residuals(cross, gram, targets, mu, weights, groups)
        np.testing.assert_allclose(one.residuals, expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max())
