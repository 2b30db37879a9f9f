"""Thresholds by the sorted probabilities of rows left out, against trying every one."""

import numpy as np
import pytest

from kernelect.model.decisions import best_f1_threshold, cheapest_threshold, decide_by_cost, decide_by_f1, sweep
from oracles.decisions import cost_of, f1_of, thresholds_between


@pytest.fixture(params=["apart", "ties", "one value"])
def rows(request, rng):
    p = rng.beta(1.0, 3.0, size=60)
    if request.param == "ties":
        p = np.round(p, 1)
    if request.param == "one value":
        p = np.full(60, 0.3)
    return p, rng.uniform(size=60) < p, rng.integers(1, 4, 60).astype(float)


def test_counts_at_every_threshold(rows):
    p, positive, weights = rows
    found = sweep(p, positive, weights)
    assert sorted(found.thresholds) == pytest.approx(thresholds_between(p))
    for t, hits, misses in zip(found.thresholds, found.true_positives, found.false_positives, strict=True):
        assert hits == weights[(p > t) & positive].sum()
        assert misses == weights[(p > t) & ~positive].sum()


def test_the_largest_f1(rows):
    p, positive, weights = rows
    best = max(f1_of(p, positive, weights, t) for t in thresholds_between(p))
    assert f1_of(p, positive, weights, best_f1_threshold(p, positive, weights)) == pytest.approx(best)


def test_calibrated_probabilities_are_cut_where_theory_says(rng):
    p = rng.uniform(size=2000)
    positive = rng.uniform(size=2000) < p
    assert cheapest_threshold(p, positive, 1.0, 5.0) == pytest.approx(1 / 6)


def test_probabilities_that_are_far_too_low_are_cut_where_rows_say(rng):
    truth = rng.uniform(size=2000)
    positive, p = rng.uniform(size=2000) < truth, truth**4
    weights = np.ones(2000)
    found = cheapest_threshold(p, positive, 1.0, 1.0)
    assert found < 0.3  # 0.5 ** 4 is 0.06
    best = min(cost_of(p, positive, weights, t, 1.0, 1.0) for t in thresholds_between(p))
    assert cost_of(p, positive, weights, found, 1.0, 1.0) == pytest.approx(best)


def test_decisions_of_two_classes(rows):
    p, positive, weights = rows
    probability, index = np.column_stack([1 - p, p]), positive.astype(int)
    by_cost = decide_by_cost(np.array([[0.0, 1.0], [4.0, 0.0]]))
    np.testing.assert_array_equal(by_cost(probability), p > 0.2)
    by_f1 = decide_by_f1(probability, index, 0, weights)
    np.testing.assert_array_equal(by_f1(probability) == 0, 1 - p > by_f1.threshold)


def test_of_more_classes_the_cheapest(rng):
    probability, costs = rng.dirichlet(np.ones(3), size=40), rng.uniform(1.0, 5.0, (3, 3)) * (1 - np.eye(3))
    expected = [min(range(3), key=lambda k: sum(row[j] * costs[j, k] for j in range(3))) for row in probability]
    np.testing.assert_array_equal(decide_by_cost(costs)(probability), expected)
