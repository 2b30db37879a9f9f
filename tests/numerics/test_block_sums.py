"""Sums over blocks, and BLAS without Python's lock, against NumPy."""

import math
import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from kernelect.numerics import (
    apply_lower,
    block_gram,
    block_sums,
    over_blocks,
    subtract_product,
    sum_over_blocks,
    times_block,
    tree_sum,
)


@pytest.fixture
def two_threads(monkeypatch):
    monkeypatch.setattr(block_sums, "allowed_threads", lambda: 2)


@pytest.mark.parametrize("b", [0, 1, 7])
def test_blas_on_blocks(rng, b):
    lower, block, left = np.tril(rng.normal(size=(4, 4))), rng.normal(size=(4, b)), rng.normal(size=(3, 4))
    fortran = np.asfortranarray(lower + np.triu(np.full((4, 4), np.nan), 1))  # the upper triangle is not referenced
    for transposed, matrix in ((False, lower), (True, lower.T)):
        product = block.copy()
        apply_lower(fortran, product, transposed)
        np.testing.assert_allclose(product, matrix @ block, atol=1e-14)
    np.testing.assert_allclose(block_gram(block), np.tril(block @ block.T), atol=1e-14)
    np.testing.assert_allclose(times_block(left, block), left @ block, atol=1e-14)
    rest = block.copy()
    subtract_product(rest, left.T.copy(), rng.normal(size=(3, b)) * 0.0 + 1.0)
    np.testing.assert_allclose(rest, block - left.T @ np.ones((3, b)), atol=1e-14)


@pytest.mark.parametrize(
    "spoilt",
    [
        lambda block: block.T,
        lambda block: block[:, ::2],
        lambda block: block.astype(np.float32),
        lambda block: block[:3],
        lambda block: np.asfortranarray(block),
    ],
)
def test_a_matrix_that_its_address_does_not_describe_is_refused(rng, spoilt):
    block = spoilt(rng.normal(size=(4, 6)))
    with pytest.raises(ValueError, match=r"contiguous float64 matrix of shape \(4"):
        apply_lower(np.eye(4, order="F"), block)


def test_results_come_in_order_and_the_sum_does_not_depend_on_threads(rng, two_threads):
    blocks = [rng.normal(size=(3, 3)) * 10.0**power for power in range(-8, 8)]
    assert [float(part[0, 0]) for part in over_blocks(lambda block: block, blocks)] == [b[0, 0] for b in blocks]
    np.testing.assert_array_equal(sum_over_blocks(lambda block: block, blocks), tree_sum(blocks))
    np.testing.assert_allclose(tree_sum(blocks), sum(blocks[1:], start=blocks[0]), rtol=1e-13)


def test_two_blocks_are_worked_on_at_the_same_time(two_threads):
    meeting = threading.Barrier(2, timeout=20.0)
    list(over_blocks(lambda _: meeting.wait(), range(4)))  # a thread alone would wait in vain


def test_one_allowed_thread_means_none_beside_the_callers(monkeypatch):
    with threadpool_limits(1):
        names = set(over_blocks(lambda _: threading.current_thread().name, range(3)))
    assert names == {threading.current_thread().name}


def test_few_results_are_ahead_of_the_consumer(two_threads):
    begun = []
    results = over_blocks(lambda number: begun.append(number) or number, range(100))
    assert next(results) == 0
    assert len(begun) <= 4
    results.close()
    assert len(begun) <= 5


def test_an_error_in_a_block_is_the_callers(two_threads):
    def fail(number):
        if number == 5:
            raise ArithmeticError("block 5")
        return number

    with pytest.raises(ArithmeticError, match="block 5"):
        sum_over_blocks(fail, range(50))


def test_no_block_is_refused():
    with pytest.raises(ValueError, match="at least one block"):
        sum_over_blocks(lambda block: block, [])


@pytest.mark.parametrize("count", [1, 7, 8, 9, 64, 65, 1000])
def test_a_tree_adds_every_term_once(count):
    assert tree_sum([*range(count), None]) == count * (count - 1) // 2
    assert tree_sum([(number,) for number in range(count)]) == tuple(range(count))  # in their order


def test_a_tree_rounds_less_than_one_term_after_the_other(rng):
    terms = list(rng.uniform(size=(4000, 50)))
    exact = np.array([math.fsum(column) for column in np.array(terms).T])
    after_the_other = sum(terms[1:], start=terms[0])
    assert np.abs(tree_sum(terms) - exact).mean() < 0.2 * np.abs(after_the_other - exact).mean()
    assert tree_sum([]) is None
