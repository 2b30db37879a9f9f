"""Parts that are left out in turn: fair, and the same for every arrangement of the table."""

import numpy as np
import pytest

from kernelect.criteria.rvm.parts import dealt_out


def table(kind, seed):
    rng = np.random.default_rng(seed)
    n, d = 60, 4
    X = {
        "numbers": rng.normal(size=(n, d)) * [1.0, 1e6, 1e-6, 3.0],
        "binary": rng.integers(0, 2, size=(n, d)).astype(float),  # every combination, some of them often
        "levels": rng.integers(0, 4, size=(n, d)).astype(float),
    }[kind]
    return X, rng.choice([-1.0, 1.0], size=(n, 1)), rng.uniform(0.5, 2.0, size=n)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["numbers", "binary", "levels"])
def test_parts_depend_neither_on_the_order_of_rows_nor_on_that_of_columns(kind, seed):
    X, targets, weights = table(kind, seed)
    rng = np.random.default_rng(seed + 100)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    parts = dealt_out(X, targets, weights, 5)
    np.testing.assert_array_equal(dealt_out(X[rows], targets[rows], weights[rows], 5), parts[rows])
    np.testing.assert_array_equal(dealt_out(X[:, columns], targets, weights, 5), parts)


def test_equal_rows_share_a_part():
    X, targets, weights = table("binary", 0)
    parts = dealt_out(X, targets, weights, 5)
    for row in np.unique(X, axis=0):
        assert len(set(parts[(row == X).all(axis=1)])) == 1


def test_every_part_has_its_share_of_every_class(rng):
    X, targets = rng.normal(size=(100, 2)), np.repeat([[-1.0], [1.0]], [70, 30], axis=0)
    parts = dealt_out(X, targets, np.ones(100), 5)
    np.testing.assert_array_equal(np.bincount(parts[:70]), 14)
    np.testing.assert_array_equal(np.bincount(parts[70:]), 6)


def test_fewer_distinct_rows_than_parts_are_dealt_out_one_by_one():
    X = np.array([[0.0], [1.0], [0.0], [2.0]])
    parts = dealt_out(X, np.array([[1.0], [-1.0], [1.0], [1.0]]), np.ones(4), 5)
    assert len(set(parts)) == 3
    assert parts[0] == parts[2]
