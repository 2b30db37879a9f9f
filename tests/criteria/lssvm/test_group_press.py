"""PRESS of groups against refits without each group, its derivatives against differences."""

import numpy as np
import pytest

from kernelect.criteria import PRESS, GroupPRESS
from kernelect.machines import LSSVM, Groups, RidgePath
from oracles import lssvm as slow
from oracles.differences import gradient
from oracles.solutions import solved

MU = 0.3
GROUPS = np.array([4, 0, 0, 2, 2, 2, 7, 7, 4, 2, 9, 0])


def test_residuals_are_those_of_refits_without_each_group(problem):
    gram, targets, weights = problem
    expected = slow.leave_groups_out_residuals(gram, targets, MU, weights, GROUPS)
    found = GroupPRESS(Groups(GROUPS)).value(solved(LSSVM(), gram, targets, MU, weights))
    np.testing.assert_allclose(found.pointwise, expected, rtol=1e-10, atol=1e-12)
    assert found.value == pytest.approx(slow.group_press(gram, targets, MU, weights, GROUPS), rel=1e-12)
    np.testing.assert_allclose(RidgePath(gram, targets, weights, Groups(GROUPS)).residuals(MU), expected, rtol=1e-9)


def test_grad_gram_is_the_derivative_of_the_definition_in_every_entry(problem):
    gram, targets, weights = problem
    found = GroupPRESS(Groups(GROUPS)).value_and_gradient(solved(LSSVM(), gram, targets, MU, weights))
    assert found.value == pytest.approx(slow.group_press(gram, targets, MU, weights, GROUPS), rel=1e-12)

    def value(matrix):
        return slow.group_press(0.5 * (matrix + matrix.T), targets, MU, weights, GROUPS)

    np.testing.assert_allclose(found.grad_gram, gradient(value, gram), rtol=1e-5, atol=1e-7)
    by_ridge = gradient(lambda mu: slow.group_press(gram, targets, float(mu[0]), weights, GROUPS), np.array([MU]))
    assert found.grad_regularization == pytest.approx(by_ridge[0], rel=1e-6)


def test_groups_of_one_row_are_press(problem):
    fitted = solved(LSSVM(), *problem[:2], MU, problem[2])
    each, groups = PRESS().value_and_gradient(fitted), GroupPRESS(Groups(np.arange(12))).value_and_gradient(fitted)
    assert groups.value == pytest.approx(each.value, rel=1e-12)
    np.testing.assert_allclose(groups.grad_gram, each.grad_gram, rtol=1e-9, atol=1e-12)
    assert GroupPRESS(Groups(GROUPS)).nats(2.5, fitted) == PRESS().nats(2.5, fitted)


def test_a_part_of_the_rows_keeps_its_groups_and_one_group_alone_falls_back_to_rows():
    criterion = GroupPRESS(Groups(GROUPS))
    np.testing.assert_array_equal(criterion.on_rows(np.array([0, 1, 2, 8])).groups.index, [1, 0, 0, 1])
    assert isinstance(criterion.on_rows(np.array([3, 4, 5])), PRESS)
