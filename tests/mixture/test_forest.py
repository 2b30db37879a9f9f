"""The forest of a mixture: boxes, rows out of bag, order and units of rows and columns."""

import numpy as np
import pytest

from kernelect.mixture.forest import FEWEST_TREES, Forest
from kernelect.numerics import Deadline
from oracles.forest import box_of, mean_of

NUMERIC, CATEGORICAL = np.array([0, 1]), np.array([2])


def table(n=60, seed=0):
    """Return two numbers and a category, a step in one of the numbers, and an effect of one level."""
    rng = np.random.default_rng(seed)
    Z = np.column_stack([rng.normal(size=(n, 2)), rng.integers(4, size=n)])
    return Z, np.where(Z[:, 0] > 0.3, 2.0, 0.0) + (Z[:, 2] == 1) + 0.1 * rng.normal(size=n)


def grown(
    Z, y, *, n_classes=None, n_trees=12, groups=None, weights=None, deadline=None, columns=(NUMERIC, CATEGORICAL)
):
    """Return the forest as a component, and what it says of rows out of bag."""
    weights = np.ones(len(Z)) if weights is None else weights
    forest = Forest(n_trees, 0, n_classes).fit(
        Z,
        y,
        weights,
        numeric=columns[0],
        categorical=columns[1],
        groups=groups,
        deadline=deadline or Deadline.after(None),
    )
    return forest, forest.left_out_answers()


def test_predictions_are_means_over_trees():
    Z, y = table()
    forest, _ = grown(Z, y)
    new, _ = table(7, seed=1)
    E = forest.view.indicators(new)
    expected = [forest.constant + mean_of(forest.parts[0].trees, range(12), row) for row in E]
    np.testing.assert_allclose(forest.mean(forest.view(new)), expected, atol=1e-12)
    np.testing.assert_array_equal(
        forest.parts[0].trees.places(E), [[box_of(forest.parts[0].trees, tree, row) for tree in range(12)] for row in E]
    )


def test_every_row_lies_in_one_box_of_every_tree():
    Z, y = table()
    forest, _ = grown(Z, y)
    E = forest.view.indicators(Z)
    lower, upper = forest.parts[0].trees.bounds()
    inside = ((E[:, None] > lower) & (E[:, None] <= upper)).all(axis=2)
    np.testing.assert_array_equal(
        np.sort(forest.parts[0].trees.places(E), axis=1), np.nonzero(inside)[1].reshape(len(E), 12)
    )


def test_rows_are_judged_and_left_out_by_trees_that_have_not_seen_them():
    Z, y = table()
    forest, said = grown(Z, y)
    E = forest.view.indicators(Z)
    out = [np.flatnonzero(row) for row in forest.spread.out]
    expected = np.array([forest.constant + mean_of(forest.parts[0].trees, out[i], E[i]) for i in range(len(Z))])
    np.testing.assert_allclose(said, expected, atol=1e-12)
    np.testing.assert_allclose(forest.spread.residuals, y[:, None] - expected, atol=1e-12)
    new = E[:5]
    without = [[forest.constant + mean_of(forest.parts[0].trees, trees, row) for row in new] for trees in out]
    np.testing.assert_allclose(next(forest.spread.without(forest, [forest.view(Z[:5])])), without, atol=1e-12)


def test_a_step_along_one_input_is_found():
    Z, y = table(200)
    _, said = grown(Z, y, n_trees=50)
    assert np.mean((said[:, 0] - y) ** 2) < 0.1 * y.var()


@pytest.mark.parametrize("n_classes", [None, 2, 3])
def test_order_and_units_change_nothing(n_classes):
    Z, y = table()
    y = y if n_classes is None else np.digitize(y, [1.0, 1.9][: n_classes - 1])
    rows, columns = np.random.default_rng(1).permutation(len(Z)), [1, 0, 2]
    _, here = grown(Z, y, n_classes=n_classes)
    moved = Z[np.ix_(rows, columns)] * [1000.0, 0.5, 1.0] + [5.0, -3.0, 0.0]
    moved[:, 2] = 3 - moved[:, 2]  # the levels have other codes
    _, there = grown(moved, y[rows], n_classes=n_classes)
    np.testing.assert_allclose(there, here[rows], atol=1e-12)


def test_groups_leave_together():
    Z, y = table()
    groups = np.arange(len(Z)) // 5
    forest, _ = grown(Z, y, groups=groups)
    bags = forest.spread.out.reshape(12, 5, 12)
    assert (bags == bags[:, :1]).all()
    renamed = grown(Z[::-1], y[::-1], groups=groups[::-1].max() - groups[::-1])[1]
    np.testing.assert_allclose(renamed[::-1], grown(Z, y, groups=groups)[1], atol=1e-12)


def test_rows_of_weight_0_are_not_there():
    Z, y = table()
    weights = np.ones(len(Z))
    weights[40:] = 0.0
    full, part = grown(Z[:40], y[:40])[0], grown(Z, y, weights=weights)[0]
    np.testing.assert_allclose(part.mean(part.view(Z)), full.mean(full.view(Z)), atol=1e-12)


def test_time_that_is_up_leaves_a_few_trees():
    Z, y = table()
    forest = Forest(50, 0, None)
    forest.fit(
        Z,
        y,
        np.ones(len(Z)),
        numeric=NUMERIC,
        categorical=CATEGORICAL,
        groups=None,
        deadline=Deadline.after(0.0),
    )
    assert forest.status == f"time was up after {FEWEST_TREES} of 50 trees"


def test_beyond_some_rows_trees_are_grown_on_a_part(monkeypatch):
    monkeypatch.setattr(Forest, "most_rows", 30)
    Z, y = table()
    forest, said = grown(Z, y)
    assert forest.spread.out.all(axis=1).sum() >= 30
    assert np.isfinite(said).all()


def test_levels_that_few_rows_have_get_no_indicator():
    Z, y = table()
    Z[:2, 2] = 9.0
    forest, _ = grown(Z, y)
    assert 9.0 not in forest.view.indicators.level


def test_nothing_to_cut_says_the_mean():
    Z = np.column_stack([np.arange(20.0) // 2])  # ten levels of two rows each
    y = np.arange(20.0)
    forest, _ = grown(Z, y, columns=(np.array([], dtype=int), np.array([0])))
    np.testing.assert_allclose(forest.mean(forest.view(Z)).mean(), y.mean(), atol=2.0)
    assert np.ptp(forest.mean(forest.view(Z))) == 0.0


def test_groups_beyond_the_rows_that_trees_are_grown_on_stay_new_to_them(monkeypatch):
    """Near-equal rows of a group have one random label: trees that saw a part of a group would know the rest."""
    rng = np.random.default_rng(6)
    groups = np.repeat(np.arange(100), 4)
    Z = np.column_stack([rng.normal(size=(100, 2))[groups] + 0.001 * rng.normal(size=(400, 2)), np.zeros(400)])
    y = rng.integers(2, size=100)[groups]
    monkeypatch.setattr(Forest, "most_rows", 200)
    _, said = grown(Z, y, n_classes=2, n_trees=30, groups=groups)
    assert np.mean(said.argmax(axis=1) == y) < 0.65
