"""A part of the rows: what it must not depend on, and that it is a fair one."""

import numpy as np
import pytest

from kernelect.numerics import hashed_order, sampled_rows, spaced, stratified


def test_the_order_of_rows_and_columns_does_not_matter(rng):
    X = rng.normal(size=(5000, 3))
    rows, columns = rng.permutation(5000), [2, 0, 1]
    chosen = X[sampled_rows(X, 100)]
    again = X[rows][sampled_rows(X[rows][:, columns], 100)]
    np.testing.assert_array_equal(np.unique(chosen, axis=0), np.unique(again, axis=0))


def test_the_sample_is_a_fair_one(rng):
    X = np.sort(rng.normal(size=(20_000, 2)), axis=0)
    chosen = sampled_rows(X, 2000)
    assert len(np.unique(chosen)) == 2000
    assert np.array_equal(chosen, np.sort(chosen))
    assert np.abs(X[chosen].mean(axis=0)).max() < 4.0 / np.sqrt(2000)
    counts = np.histogram(chosen, bins=10, range=(0, 20_000))[0]
    assert np.abs(counts - 200).max() < 4.0 * np.sqrt(200)


def test_rows_given_many_times_have_their_share():
    X = np.repeat([[0.0], [1.0], [2.0]], [6000, 3000, 1000], axis=0)
    shares = np.bincount(X[sampled_rows(X, 100), 0].astype(int)) / 100
    np.testing.assert_allclose(shares, [0.6, 0.3, 0.1], atol=0.021)


def test_few_rows_are_all_taken(rng):
    np.testing.assert_array_equal(sampled_rows(rng.normal(size=(5, 2)), 5), np.arange(5))


def test_signs_of_zero_and_precision_do_not_matter():
    X = np.array([[0.0, 1.5], [-0.0, 2.5]] * 500, dtype=np.float32)
    np.testing.assert_array_equal(sampled_rows(X, 100), sampled_rows(np.abs(X).astype(float), 100))


def test_another_turn_gives_other_rows(rng):
    order = hashed_order(rng.normal(size=(4000, 2)))
    assert not set(spaced(order, 1000)) & set(spaced(order, 1000, turn=0.5))


def test_rows_may_be_ordered_among_some(rng):
    X, among = rng.normal(size=(1000, 2)), np.arange(1000) % 3 == 0
    np.testing.assert_array_equal(np.sort(hashed_order(X, among)), np.flatnonzero(among))
    np.testing.assert_array_equal(spaced(hashed_order(X, among), 500), np.flatnonzero(among))


@pytest.mark.parametrize(("n_rows", "count"), [(10, 20), (100, 37), (1001, 1000), (10**10, 1000)])
def test_stretches_of_rows_have_one_row_each(n_rows, count):
    numbers = stratified(n_rows, count)
    assert len(np.unique(numbers)) == len(numbers) == min(n_rows, count)
    assert np.array_equal(numbers, np.sort(numbers))
    assert numbers[-1] < n_rows
    ends = np.arange(len(numbers) + 1) * n_rows // len(numbers)
    assert np.all((ends[:-1] <= numbers) & (numbers < ends[1:]))


def test_rows_in_a_rhythm_have_their_share():
    assert 0.4 < np.mean(stratified(100_000, 1000) % 2) < 0.6
