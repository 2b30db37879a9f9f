"""Rows in blocks, and samples of them: in memory, and in parts that stay where they are."""

from itertools import pairwise

import numpy as np
import pytest

from kernelect.numerics import stratified
from kernelect.selection.landmarks import ArrayTable, PartTable, RowPart, table
from kernelect.selection.landmarks.passes import PassResult
from oracles.parts import ListedParts

#: Ends of parts of unequal size, the second and the last one empty.
ENDS = [0, 30, 30, 37, 100, 100]


def read(part: RowPart):
    return part.X, part.y, part.weights


def in_parts(X, targets, weights):
    bounds = pairwise(ENDS)
    parts = [RowPart(number=i, X=X[a:b], y=targets[a:b], weights=weights[a:b]) for i, (a, b) in enumerate(bounds)]
    return PartTable(ListedParts(parts), read, np.diff(ENDS), int(np.count_nonzero(weights)))


@pytest.fixture
def rows(rng, monkeypatch):
    monkeypatch.setattr(table, "BLOCK_ROWS", 16)
    weights = rng.uniform(0.5, 2.0, size=100)
    weights[::10] = 0.0
    return rng.normal(size=(100, 3)), rng.normal(size=(100, 2)), weights


@pytest.fixture(params=[ArrayTable, in_parts])
def whole(request, rows):
    return request.param(*rows)


def blocks_of(table):
    return [block for (block,) in table.sum(lambda block: PassResult(0, ((block,),))).rows]


def test_blocks_cover_all_rows_in_order(rows, whole):
    X, targets, weights = rows
    blocks = blocks_of(whole)
    assert max(len(block.X) for block in blocks) == 16
    np.testing.assert_array_equal([block.first for block in blocks], np.cumsum([0, *map(len, X_of(blocks))])[:-1])
    np.testing.assert_array_equal(np.concatenate(X_of(blocks)), X)
    np.testing.assert_array_equal(np.concatenate([block.targets for block in blocks]), targets)
    np.testing.assert_array_equal(np.concatenate([block.weights for block in blocks]), weights)


def X_of(blocks):
    return [block.X for block in blocks]


def test_sums_are_those_of_all_rows(rows, whole):
    np.testing.assert_allclose(whole.sum(lambda block: block.X.sum(axis=0)), rows[0].sum(axis=0))


@pytest.mark.parametrize("kind", [ArrayTable, in_parts])
def test_single_precision_is_read_as_double(rows, kind):
    X, targets, weights = rows
    single = kind(X.astype(np.float32), targets, weights)
    assert all(block.X.dtype == np.float64 for block in blocks_of(single))
    assert single.sample(20).X.dtype == np.float64


def test_samples_hold_rows_of_positive_weight_only(rows, whole):
    X, targets, weights = rows
    sample = whole.sample(40)
    assert len(sample.X) == 40
    assert np.all(weights[sample.numbers] > 0)
    np.testing.assert_array_equal(sample.X, X[sample.numbers])
    np.testing.assert_array_equal(sample.targets, targets[sample.numbers])
    part = sample.part(10)
    np.testing.assert_array_equal(part.X, X[part.numbers])
    assert whole.n_weighted == 90


def test_another_turn_gives_other_rows(whole):
    assert not set(whole.sample(40).numbers) & set(whole.sample(40, turn=0.5).numbers)


@pytest.mark.parametrize("most", [1000, 60])
def test_samples_do_not_depend_on_where_rows_are(rows, most, monkeypatch):
    monkeypatch.setattr(table, "MOST_HASHED", most)
    here, there = ArrayTable(*rows), in_parts(*rows)
    for turn in (0.0, 0.5):
        np.testing.assert_array_equal(there.sample(20, turn).numbers, here.sample(20, turn).numbers)
        assert set(here.sample(20, turn).numbers) <= set(stratified(100, most))


@pytest.mark.parametrize("figures", [1000, 30])
def test_figures_are_made_of_the_same_rows(rows, figures, monkeypatch):
    """In memory all rows bring their results back; elsewhere those of which figures are made."""
    monkeypatch.setattr(table, "FIGURE_ROWS", figures)
    here, there = ArrayTable(*rows), in_parts(*rows)
    assert here.kept is None
    assert len(there.kept) == min(figures, 100)
    np.testing.assert_array_equal(there.kept_targets, rows[1][there.kept])
    np.testing.assert_array_equal(there.kept_weights, rows[2][there.kept])
    np.testing.assert_array_equal(there.kept[there.figures()], here.figures())
    assert np.all(rows[2][here.figures()] > 0)


def test_columns_that_lie_together_in_memory_are_rounded_like_rows_that_do(rows):
    X, targets, weights = rows
    for kind in (ArrayTable, in_parts):
        by_columns = kind(np.asfortranarray(X), targets, weights)
        assert all(block.X.flags.c_contiguous for block in blocks_of(by_columns))
        assert by_columns.sample(20).X.flags.c_contiguous
