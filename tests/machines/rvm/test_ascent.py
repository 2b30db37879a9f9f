"""Newton's ascent within bounds on functions with known tops."""

from dataclasses import dataclass

import numpy as np
import pytest

from kernelect.machines.rvm.ascent import ascend


@dataclass(frozen=True)
class Hill:
    """-sum cosh(x - top), whose curvature is claimed to be ``claimed`` times what it is."""

    x: np.ndarray
    top: np.ndarray
    claimed: float = 1.0
    ended: bool = False

    @property
    def value(self):
        return -float(np.cosh(self.x - self.top).sum())

    def slope(self):
        return -np.sinh(self.x - self.top)

    def curvature(self):
        return self.claimed * np.diag(np.cosh(self.x - self.top))


def climb(top, lower, upper, claimed=1.0, **options):
    seen = []

    def at(x, near):
        seen.append(x)
        return Hill(x, top, claimed)

    x, hill = ascend(at, np.zeros(len(top)), lower, upper, tol=1e-12, **options)
    assert hill.value == pytest.approx(Hill(x, top).value)
    return x, len(seen)


@pytest.mark.parametrize("claimed", [1.0, 0.2, 3.0, -1.0])
def test_the_top_is_found_also_where_the_curvature_is_wrong(claimed):
    top = np.array([1.0, -4.0, 0.3])
    x, count = climb(top, np.full(3, -9.0), np.full(3, 9.0), claimed)
    np.testing.assert_allclose(x, top, atol=1e-5)
    assert count < 100


def test_bounds_hold():
    x, _ = climb(np.array([1.0, -4.0]), np.array([-2.0, -2.0]), np.array([0.5, 2.0]))
    np.testing.assert_allclose(x, [0.5, -2.0])


def test_a_bound_close_by_does_not_end_the_climb():
    # a narrow ridge across the bound: the joint step cut off at the bound would lead downwards
    N = np.array([[1.0, 0.99], [0.99, 1.0]])

    @dataclass(frozen=True)
    class Ridge:
        x: np.ndarray
        ended: bool = False

        @property
        def value(self):
            return float(np.array([3.0, 2.0]) @ self.x - 0.5 * self.x @ N @ self.x)

        def slope(self):
            return np.array([3.0, 2.0]) - N @ self.x

        def curvature(self):
            return N

    upper = np.array([1e-3, 9.0])
    x, _ = ascend(lambda x, near: Ridge(x), np.zeros(2), np.full(2, -9.0), upper, tol=1e-12)
    np.testing.assert_allclose(x, [1e-3, 2.0 - 0.99e-3], atol=1e-6)


def test_a_goal_out_of_reach_ends_the_climb_early():
    top = np.array([4.0, -4.0])
    assert climb(top, np.full(2, -9.0), np.full(2, 9.0), goal=1e6)[1] == 1
