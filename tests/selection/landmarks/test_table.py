"""Rows in blocks, and samples of them."""

import numpy as np
import pytest

from kernelect.selection.landmarks import ArrayTable, table


@pytest.fixture
def rows(rng, monkeypatch):
    monkeypatch.setattr(table, "BLOCK_ROWS", 16)
    weights = rng.uniform(0.5, 2.0, size=100)
    weights[::10] = 0.0
    return rng.normal(size=(100, 3)), rng.normal(size=(100, 2)), weights


def test_blocks_cover_all_rows_in_order(rows):
    X, targets, weights = rows
    blocks = list(ArrayTable(*rows).over_blocks(lambda block: block))
    assert [block.first for block in blocks] == list(range(0, 100, 16))
    np.testing.assert_array_equal(np.concatenate([block.X for block in blocks]), X)
    np.testing.assert_array_equal(np.concatenate([block.targets for block in blocks]), targets)
    np.testing.assert_array_equal(np.concatenate([block.weights for block in blocks]), weights)


def test_sums_are_those_of_all_rows(rows):
    X = rows[0]
    np.testing.assert_allclose(ArrayTable(*rows).sum(lambda block: block.X.sum(axis=0)), X.sum(axis=0))


def test_single_precision_is_read_as_double(rows):
    X, targets, weights = rows
    single = ArrayTable(X.astype(np.float32), targets, weights)
    assert all(block.X.dtype == np.float64 for block in single.over_blocks(lambda block: block))
    assert single.sample(20).X.dtype == np.float64


def test_samples_hold_rows_of_positive_weight_only(rows):
    X, targets, weights = rows
    sample = ArrayTable(*rows).sample(40)
    assert len(sample.X) == 40
    assert np.all(weights[sample.numbers] > 0)
    np.testing.assert_array_equal(sample.X, X[sample.numbers])
    np.testing.assert_array_equal(sample.targets, targets[sample.numbers])
    part = sample.part(10)
    np.testing.assert_array_equal(part.X, X[part.numbers])
    assert ArrayTable(*rows).n_weighted == 90


def test_another_turn_gives_other_rows(rows):
    whole = ArrayTable(*rows)
    assert not set(whole.sample(40).numbers) & set(whole.sample(40, turn=0.5).numbers)
