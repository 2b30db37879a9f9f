"""Numbers and choices that rounding does not decide."""

import numpy as np

from kernelect.numerics import binary_unit, exact_mean, first_of_best


def test_the_mean_does_not_depend_on_the_order(rng):
    values, weights = rng.normal(size=1000) * 10.0 ** rng.uniform(-9, 9, size=1000), rng.uniform(size=1000)
    order = rng.permutation(1000)
    assert exact_mean(values, weights) == exact_mean(values[order], weights[order])
    np.testing.assert_allclose(exact_mean(values, weights), np.average(values, weights=weights), rtol=1e-10)


def test_the_first_of_nearly_equal_values_is_taken():
    assert first_of_best(np.array([1.0, 5.0, 5.0 * (1.0 + 1e-9), 2.0])) == 1
    assert first_of_best(np.array([1.0, 5.0 * (1.0 + 1e-9), 5.0, 2.0])) == 1
    assert first_of_best(np.array([1.0, 5.0, 5.0 * (1.0 + 1e-3), 2.0])) == 2


def test_values_that_are_not_positive_have_a_largest_too():
    assert first_of_best(np.array([-3.0, -1.0, -2.0])) == 1
    assert first_of_best(np.array([-np.inf, -np.inf])) == 0
    assert first_of_best(np.array([0.0, 1.0, np.inf])) == 2


def test_the_mean_of_large_values_does_not_overflow():
    assert exact_mean(np.full(4, 1e308), np.array([1.0, 2.0, 3.0, 4.0])) == 1e308
    assert exact_mean(np.zeros(3), np.ones(3)) == 0.0


def test_the_unit_is_the_power_of_two_nearest_to_the_root_mean_square(rng):
    values = rng.normal(size=100)
    values /= np.sqrt(np.mean(values**2))
    for size, unit in ((1.0, 1.0), (1.3, 1.0), (1.5, 2.0), (3.0, 4.0), (1e-200, 2.0 ** round(np.log2(1e-200)))):
        assert binary_unit(size * values) == unit
    assert binary_unit(np.zeros(3)) == 1.0
