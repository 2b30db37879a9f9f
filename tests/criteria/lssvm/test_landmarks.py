"""PRESS, of rows and groups, and GCV on landmarks against their definitions, gradients against differences."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from kernelect.criteria.lssvm.landmarks import (
    LandmarkGCV,
    LandmarkGroupPRESS,
    LandmarkPRESS,
    landmark_value,
    landmark_value_and_gradient,
)
from kernelect.kernels import ARD, Constant, Matern
from kernelect.machines import Groups
from kernelect.machines.lssvm.landmarks import MachineRows, WhitenedFrame
from oracles import landmarks as slow
from oracles.differences import gradient

MU = 0.2

#: Of the 30 rows; the first 19 are whole groups. One group has more rows than there are landmarks.
GROUPS = np.array([0, 1, 2, 0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 5, 6, 7, 5, 6, 7, 5, 6, 7, 8, 8])


def group_press(cross, gram, targets, mu, weights):
    return slow.group_press(cross, gram, targets, mu, weights, GROUPS)


CRITERIA = [(LandmarkPRESS(), slow.press), (LandmarkGCV(), slow.gcv), (LandmarkGroupPRESS(), group_press)]


@dataclass
class Block:
    """Rows of inputs, their kernel values computed on demand."""

    kernel: object
    X: np.ndarray
    Z: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    groups: np.ndarray | None = None

    def rows(self):
        return rows(self.kernel.cross(self.Z, self.X), self)

    def pullback(self, cotangent):
        return self.kernel.cross_pullback(self.Z, self.X, cotangent)[0]


@dataclass
class Values:
    """Kernel values as they are: the pullback is the derivative in each of them."""

    cross: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    groups: np.ndarray | None = None

    def rows(self):
        return rows(self.cross.copy(), self)

    def pullback(self, cotangent):
        return cotangent.copy()


def rows(cross, block):
    groups = None if block.groups is None else Groups(block.groups)
    return replace(MachineRows.of(cross, block.targets, block.weights), groups=groups)


def groups_for(criterion):
    return GROUPS if isinstance(criterion, LandmarkGroupPRESS) else None


@pytest.fixture
def problem(data):
    X, targets, weights = data
    kernel = ARD([0.3, 0.1, 0.5])
    return kernel.cross(X[::4], X), kernel.gram(X[::4]), targets, weights


@pytest.mark.parametrize(("criterion", "definition"), CRITERIA)
def test_the_value_is_that_of_the_definition(problem, criterion, definition):
    cross, gram, targets, weights = problem
    frame, blocks = WhitenedFrame.of(gram, targets[0]), [Values(cross, targets, weights, groups_for(criterion))]
    expected = definition(cross, gram, targets, MU, weights)
    assert landmark_value(criterion, frame, blocks, MU)[0] == pytest.approx(expected, rel=1e-9)
    assert landmark_value_and_gradient(criterion, frame, blocks, MU).value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("criterion", "definition"), CRITERIA)
def test_derivatives_in_kernel_values_and_ridge(problem, criterion, definition):
    cross, gram, targets, weights = problem
    block = Values(cross, targets, weights, groups_for(criterion))
    found = landmark_value_and_gradient(criterion, WhitenedFrame.of(gram, targets[0]), [block], MU)
    by_cross = gradient(lambda K: definition(K, gram, targets, MU, weights), cross)
    by_gram = gradient(lambda M: definition(cross, 0.5 * (M + M.T), targets, MU, weights), gram)
    by_mu = gradient(lambda mu: definition(cross, gram, targets, float(mu), weights), np.array(MU))
    np.testing.assert_allclose(found.by_kernel, by_cross, rtol=1e-6, atol=1e-6 * np.abs(by_cross).max())
    np.testing.assert_allclose(found.by_landmarks, by_gram, rtol=1e-6, atol=1e-6 * np.abs(by_gram).max())
    assert found.by_regularization == pytest.approx(float(by_mu), rel=1e-7)


@pytest.mark.parametrize("kernel", [ARD([0.3, 0.1, 0.5]), Constant(3.0) * Matern(2.5, [0.2, 0.3, 0.1])])
@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize(("criterion", "definition"), CRITERIA)
def test_the_gradient_in_the_kernels_parameters(data, kernel, keep, criterion, definition):
    X, targets, weights = data
    Z = X[::4]

    def by_definition(theta):
        moved = kernel.with_theta(theta)
        return definition(moved.cross(Z, X), moved.gram(Z), targets, MU, weights)

    parts = (slice(0, 19), slice(19, 30))
    groups = groups_for(criterion)
    blocks = [
        Block(kernel, X[part], Z, targets[part], weights[part], None if groups is None else groups[part])
        for part in parts
    ]
    found = landmark_value_and_gradient(criterion, WhitenedFrame.of(kernel.gram(Z), targets[0]), blocks, MU, keep)
    theta = kernel.theta
    total = found.by_kernel + kernel.pullback(Z, found.by_landmarks)
    expected = gradient(by_definition, theta)
    np.testing.assert_allclose(total, expected, rtol=1e-6, atol=1e-7 * np.abs(expected).max())
