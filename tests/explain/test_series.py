"""Truncated series against polynomials multiplied out."""

import numpy as np
import pytest
from numpy.polynomial import polynomial

from kernelect.explain.series import Series


def test_one_variable(rng):
    series, left, right = Series((3,)), rng.normal(size=4), rng.normal(size=4)
    np.testing.assert_allclose(series.multiply(left, right), polynomial.polymul(left, right)[:4])


def test_two_variables(rng):
    series, left, right = Series((1, 2)), rng.normal(size=(2, 3)), rng.normal(size=(2, 3))
    expected = np.zeros((2, 3))
    for a, b in np.ndindex(2, 3):
        for c, d in np.ndindex(2, 3):
            if a + c < 2 and b + d < 3:
                expected[a + c, b + d] += left[a, b] * right[c, d]
    np.testing.assert_allclose(series.multiply(left.ravel(), right.ravel()), expected.ravel())


def test_plain_numbers_are_a_series_without_variables(rng):
    left, right = rng.normal(size=(1, 5)), rng.normal(size=(1, 5))
    assert Series().size == 1
    np.testing.assert_array_equal(Series().multiply(left, right), left * right)


@pytest.mark.parametrize("orders", [(), (2,), (1, 2)])
def test_integration_is_the_sum_of_products_over_nodes(orders, rng):
    series = Series(orders)
    left, right = rng.normal(size=(2, series.size, 4, 5))
    found = series.integrate(left, right, np.empty((series.size, 5)))
    np.testing.assert_allclose(found, series.multiply(left, right).sum(axis=1))


def test_one_is_neutral(rng):
    series, element = Series((2, 1)), rng.normal(size=(6, 4))
    np.testing.assert_array_equal(series.multiply(series.one((4,)), element), element)
