"""Equal rows: copies where chance does not explain them, coincidences where it does."""

import numpy as np
import pytest

from kernelect.kernels import RBF
from kernelect.numerics import beyond_chance, copied_rows, equal_points

N = 120


def categories(rng, n, levels):
    return np.column_stack([rng.integers(count, size=n) for count in levels]).astype(float)


def indicators(codes):
    return np.column_stack([codes[:, [j]] == np.unique(codes[:, j]) for j in range(codes.shape[1])]).astype(float)


def given(kind, n, rng):
    return {"twice": np.r_[:n, :n], "bootstrap": rng.integers(n, size=n), "a few": np.r_[:n, :5]}[kind]


def first_equal(table):
    """The slow definition."""
    return np.array([min(j for j in range(len(table)) if np.array_equal(table[j], row)) for row in table])


@pytest.mark.parametrize("kind", ["twice", "bootstrap", "a few"])
def test_equal_rows_of_measurements_are_copies_of_the_first(rng, kind):
    X, y = rng.normal(size=(N, 3)), rng.integers(2, size=N).astype(float)[:, None]
    rows = given(kind, N, rng)
    found = copied_rows(X[rows], y[rows])
    np.testing.assert_array_equal(found, first_equal(np.column_stack([X, y])[rows]))
    np.testing.assert_array_equal(copied_rows(X[rows].astype(np.float32), y[rows]), found)


def test_one_column_of_measurements_is_enough(rng):
    rows = given("a few", N, rng)
    table = np.column_stack([categories(rng, N, (2, 3)), rng.normal(size=N)])[rows]
    assert np.sum(copied_rows(table) != np.arange(len(table))) == 5


@pytest.mark.parametrize("coded", [np.asarray, indicators])
@pytest.mark.parametrize("levels", [(2, 2, 3), (4, 5, 6, 3), (2,) * 9])
def test_rows_of_a_few_categories_are_equal_by_chance(rng, levels, coded):
    codes = categories(rng, 300, levels)
    y = (codes[:, [0]] + rng.normal(size=(300, 1)) > 0.5).astype(float)
    assert len(np.unique(np.column_stack([codes, y]), axis=0)) < 300
    np.testing.assert_array_equal(copied_rows(coded(codes), y), np.arange(300))


def test_a_target_that_follows_from_indicators_makes_no_copies(rng):
    """No two rows differ in the target alone, and two indicators change at once."""
    codes = categories(rng, 150, (3, 4, 2))
    y = (codes.sum(axis=1, keepdims=True) > 2.0).astype(float)
    np.testing.assert_array_equal(copied_rows(indicators(codes), y), np.arange(150))


@pytest.mark.parametrize("levels", [2, 3, 12])
@pytest.mark.parametrize("wrong", [0, 3, 10])
def test_one_category_that_tells_the_target_makes_no_copies(rng, levels, wrong):
    """No row differs from another in one column alone, or hardly any: 98 of 100 rows counted as copies."""
    codes = np.arange(300.0)[:, None] % levels
    y = codes.copy()
    y[rng.choice(300, wrong, replace=False)] = 0.0
    np.testing.assert_array_equal(copied_rows(codes, y), np.arange(300))


def test_a_few_rows_of_measurements_given_many_times_are_copies(rng):
    assert np.sum(copied_rows(np.tile(rng.normal(size=(40, 2)), (60, 1))) != np.arange(2400)) == 2360


def test_a_table_of_many_categories_given_twice_has_copies(rng):
    """Near misses are many there, and the rows without one tell."""
    table = categories(rng, 200, (3,) * 8)
    np.testing.assert_array_equal(copied_rows(table), np.arange(200))
    assert np.sum(copied_rows(np.r_[table, table]) != np.arange(400)) >= 200


def test_a_few_copies_stand_out_from_columns_of_many_levels(rng):
    """Chance makes one equal pair there, and most rows have a near miss; 20 more are copies."""
    table = categories(rng, 200, (30, 30, 30))
    assert np.sum(copied_rows(table[np.r_[:200, :20]]) != np.arange(220)) >= 20


def test_replicates_whose_targets_agree_by_chance_are_no_copies(rng):
    """Four measurements at every place, as counts of which many are 0."""
    X = np.repeat(rng.normal(size=(60, 2)), 4, axis=0)
    np.testing.assert_array_equal(copied_rows(X, rng.poisson(0.7, size=(240, 1)).astype(float)), np.arange(240))


def test_rows_that_are_not_looked_at_are_copies_of_none(rng):
    table = rng.normal(size=(10, 2))[[0, 1, 0, 2, 0]]
    np.testing.assert_array_equal(copied_rows(table, among=np.array([1, 2, 3, 4])), [0, 1, 2, 3, 2])


def test_a_table_of_one_row_stays_as_it_is():
    np.testing.assert_array_equal(copied_rows(np.ones((4, 2))), np.arange(4))


def test_columns_have_their_places():
    np.testing.assert_array_equal(
        copied_rows(np.array([[1.5, 2.5], [2.5, 1.5], [0.0, 3.0], [-0.0, 3.0]])), [0, 1, 2, 2]
    )


def test_weights_are_judged_as_copies_are(rng):
    measured, counted = rng.normal(size=(N, 2)), np.array([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0, 2.0)])
    assert beyond_chance(measured, rows=np.arange(N), times=np.full(N, 3.0))
    assert not beyond_chance(measured, rows=np.arange(N), times=np.full(N, 0.7))
    assert not beyond_chance(counted, rows=np.arange(6), times=np.full(6, 50.0))


def test_points_of_a_kernel_matrix_are_equal_up_to_rounding(rng):
    X = rng.normal(size=(40, 3))[np.r_[:40, :40]]
    np.testing.assert_array_equal(equal_points(RBF(0.3).gram(X)), np.tile(np.arange(40), 2))
