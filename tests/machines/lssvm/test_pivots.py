"""Randomly pivoted Cholesky against its definition, one draw after the other."""

import itertools

import numpy as np
import pytest

from kernelect.kernels import RBF, Linear
from kernelect.machines.lssvm.pivots import Pivots
from oracles import landmarks as slow

KERNEL = RBF(0.5)


def draw(X, count, seed, weights=None, kernel=KERNEL):
    return pivots(X, seed, weights, kernel).first(count)


def pivots(X, seed, weights=None, kernel=KERNEL):
    return Pivots(X, kernel.cross, kernel.diagonal(X), np.random.default_rng(seed), weights)


def test_pairs_are_drawn_with_their_probability(rng):
    """Frequencies of all ordered pairs, over many generators, against p(i) p(j | i)."""
    X = rng.normal(size=(6, 2))
    gram = KERNEL.gram(X)
    draws = 1500
    counts = np.zeros((6, 6))
    for seed in range(draws):
        first, second = draw(X, 2, seed)
        counts[first, second] += 1
    expected = np.array([slow.pivot_probabilities(gram, [i]) for i in range(6)]) / 6
    deviations = (counts - draws * expected) / np.sqrt(draws * expected + 1e-9)
    assert np.all(np.diag(counts) == 0)
    assert np.abs(deviations[~np.eye(6, dtype=bool)]).max() < 4.0


def test_rows_span_more_than_rows_by_chance(rng):
    X = np.vstack([rng.normal(size=(380, 2)), rng.normal(size=(20, 2)) * 0.3 + 6.0])
    gram = KERNEL.gram(X)

    def left(rows):
        return np.trace(gram - gram[:, rows] @ np.linalg.pinv(gram[np.ix_(rows, rows)], rcond=1e-10) @ gram[rows])

    by_pivots = np.mean([left(draw(X, 30, seed)) for seed in range(10)])
    by_chance = np.mean([left(rng.choice(len(X), 30, replace=False)) for _ in range(10)])
    assert by_pivots < 0.5 * by_chance


def test_copies_are_never_drawn(rng):
    X = np.repeat(rng.normal(size=(12, 2)), 10, axis=0)
    chosen = draw(X, 60, 0)
    assert len(chosen) == 12
    assert len(np.unique(X[chosen], axis=0)) == 12


def test_a_kernel_of_low_rank_ends_the_draw(rng):
    X = rng.normal(size=(50, 3))
    assert len(draw(X, 20, 0, kernel=Linear())) == 3


def test_the_order_of_rows_does_not_matter(rng):
    X = rng.normal(size=(300, 3))
    order = rng.permutation(300)
    np.testing.assert_array_equal(X[draw(X, 40, 7)], X[order][draw(X[order], 40, 7)])


def test_a_row_given_twice_is_a_row_of_weight_two(rng):
    X = rng.normal(size=(60, 2))
    twice = np.vstack([X, X[:20]])
    weights = np.where(np.arange(60) < 20, 2.0, 1.0)
    for seed in range(5):
        np.testing.assert_array_equal(twice[draw(twice, 15, seed)], X[draw(X, 15, seed, weights)])


def test_rows_of_weight_zero_are_never_drawn(rng):
    X = rng.normal(size=(40, 2))
    weights = np.where(np.arange(40) < 30, 0.0, 1.0)
    assert set(draw(X, 40, 0, weights)) <= set(range(30, 40))


@pytest.mark.parametrize("count", [1, 95, 96, 97, 250])
def test_as_many_as_asked_for(rng, count):
    X = rng.normal(size=(250, 8))
    chosen = draw(X, count, 3)
    assert len(chosen) == count == len(set(chosen.tolist()))


def test_seeds_draw_different_rows(rng):
    X = rng.normal(size=(200, 3))
    for one, other in itertools.combinations([draw(X, 20, seed) for seed in range(3)], 2):
        assert not np.array_equal(one, other)


def test_asking_for_more_goes_on(rng):
    X = rng.normal(size=(400, 4))
    slowly = pivots(X, 3)
    few = slowly.first(30)
    np.testing.assert_array_equal(slowly.first(200), draw(X, 200, 3))
    np.testing.assert_array_equal(slowly.first(200)[:30], few)
