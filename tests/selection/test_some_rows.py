"""Parts of rows that are left out in groups: whole groups, so that the criterion of a part is that of all rows."""

import numpy as np
import pytest

from kernelect import LSSVR
from kernelect.kernels import RBF
from kernelect.machines import Groups
from kernelect.selection import Rows, ridge_space, started_as_given
from kernelect.selection.landmarks.table import GroupedTable
from kernelect.selection.start import sampled_part, spread_part
from oracles import lssvm as slow
from speeds import slowly


def subjects(count, size, spread=0.05, seed=0):
    """Rows of subjects that resemble each other; a part of the target belongs to the subject alone."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(count), size)
    X = rng.normal(size=(count, 4))[groups] + spread * rng.normal(size=(count * size, 4))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=count)[groups] + 0.05 * rng.normal(size=len(X))
    return X, y, groups


def sizes_of(groups, rows):
    return np.bincount(groups[rows])[np.unique(groups[rows])]


@pytest.mark.parametrize("part", [spread_part, sampled_part])
def test_a_part_has_whole_groups_whatever_their_order(part):
    X, _, groups = subjects(500, 3)
    rows = part(X, Groups(groups), 900)
    assert len(rows) == pytest.approx(900, abs=30)
    assert np.all(sizes_of(groups, rows) == 3)
    order = np.random.default_rng(1).permutation(len(X))
    other = part(X[order], Groups(499 - groups[order]), 900)
    np.testing.assert_array_equal(np.sort(order[other]), rows)


def test_few_large_groups_all_stay_with_a_share_of_their_rows():
    X, _, groups = subjects(10, 100)
    rows = spread_part(X, Groups(groups), 300)
    np.testing.assert_allclose(sizes_of(groups, rows), np.full(10, 30), atol=1)


def test_samples_of_a_table_have_whole_groups():
    X, y, groups = subjects(500, 3)
    sample = GroupedTable(X, y[:, None], np.ones(len(X)), groups).sample(900)
    assert np.all(sizes_of(sample.groups, np.arange(len(sample.groups))) == 3)


def test_the_first_ridge_is_the_best_for_groups_left_out():
    X, y, groups = subjects(40, 5)
    started = started_as_given(RBF(), X, pairwise=False)
    gram, weights = started.kernel.gram(X), np.ones(len(X))
    space = ridge_space("auto", started, Rows(X=X, targets=y[:, None], weights=weights, groups=Groups(groups)))
    here = slow.group_press(gram, y[:, None], float(np.exp(space.start[0])), weights, groups)
    for step in (-4.0, -2.0, 2.0, 4.0):
        assert here < slow.group_press(gram, y[:, None], float(np.exp(space.start[0] + step)), weights, groups)


@pytest.mark.parametrize(
    ("kernel", "problem"),
    [
        ("rbf", (30, 8, 0.02, 5)),
        ("ard", (40, 6, 0.3, 1)),
        *slowly(("rbf", (80, 5, 0.05, 2)), ("ard", (80, 5, 0.05, 5))),
    ],
)
def test_a_fit_ends_near_the_best_of_several_starts(kernel, problem):
    X, y, groups = subjects(*problem)
    found = LSSVR(kernel, random_state=0).fit(X, y, groups=groups).selection_.value
    best = LSSVR(kernel, n_restarts=10, random_state=1).fit(X, y, groups=groups).selection_.value
    assert found < best + 0.01 * abs(best)
