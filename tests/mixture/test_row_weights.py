"""Weights of rows: a row of no weight is no row, and weights may be in any unit, with and without groups."""

import numpy as np
import pandas as pd
import pytest

from kernelect import KernelClassifier, KernelRegressor, KernelSurvival
from kernelect.mixture import boosting
from kernelect.mixture.copies import merged
from speeds import slowly


@pytest.mark.parametrize("door", [KernelClassifier, KernelRegressor])
def test_a_row_of_no_weight_is_no_row(rng, door):
    frame = pd.DataFrame(rng.normal(size=(90, 3)), columns=list("abc")).assign(g=rng.choice(list("xyz"), 90))
    y = np.exp(frame["a"].to_numpy()) + 0.1
    y = y > 1 if door is KernelClassifier else y
    weights = np.where(np.arange(90) < 10, 0.0, rng.uniform(0.5, 2.0, 90))
    frame.loc[:9, ["a", "b"]] = 1e4
    if door is KernelRegressor:
        y[:10] = -5.0  # no logarithm
    masked = door("fast").fit(frame, y, sample_weight=weights)
    without = door("fast").fit(frame[10:], y[10:], sample_weight=weights[10:])
    np.testing.assert_allclose(masked.predict(frame[10:]), without.predict(frame[10:]), rtol=1e-6)
    np.testing.assert_allclose(masked.candidates_.score, without.candidates_.score, rtol=1e-6)
    np.testing.assert_allclose(masked.feature_importances_, without.feature_importances_, rtol=1e-6)


def test_rows_of_no_weight_do_not_bring_boosted_trees(rng):
    X = rng.normal(size=(boosting.LEAST_BOOSTED_ROWS, 2))
    weights = np.where(np.arange(len(X)) < 900, 0.0, 1.0)
    model = KernelRegressor("fast").fit(X, X[:, 0], sample_weight=weights)
    assert "boosting" not in {candidate.machine for candidate in model.candidates_.candidate}


@pytest.mark.parametrize("unit", [0.01, *slowly(300.0)])
@pytest.mark.parametrize("door", [KernelClassifier, KernelRegressor])
def test_weights_may_be_in_any_unit(rng, door, unit):
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + 0.3 * rng.normal(size=80)
    y = y > 0 if door is KernelClassifier else y
    plain, weighted = door("fast").fit(X, y), door("fast").fit(X, y, sample_weight=np.full(80, unit))
    if door is KernelClassifier:
        np.testing.assert_array_equal(weighted.predict_proba(X), plain.predict_proba(X))
    else:
        for got, expected in zip(weighted.predict(X, return_std=True), plain.predict(X, return_std=True), strict=True):
            np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("door", [KernelClassifier, KernelRegressor, KernelSurvival])
def test_groups_and_weights_may_come_in_any_order_and_unit(rng, door):
    """Forests draw groups: the order of rows, and the last digit of a weight, must not draw others."""
    X, weights, groups = rng.normal(size=(80, 3)), rng.uniform(0.2, 3.0, 80), np.arange(80) // 4
    y = X[:, 0] + 0.3 * rng.normal(size=80)
    y = {KernelClassifier: np.digitize(y, [-0.5, 0.5]), KernelRegressor: y, KernelSurvival: np.exp(y)}[door]
    answers = "predict_proba" if door is KernelClassifier else "predict"
    order = rng.permutation(80)
    plain = getattr(door("fast").fit(X, y, sample_weight=weights, groups=groups), answers)(X)
    moved = door("fast").fit(X[order], y[order], sample_weight=7.0 * weights[order], groups=groups[order])
    np.testing.assert_allclose(getattr(moved, answers)(X), plain, rtol=0, atol=1e-8)


def test_sums_of_weights_are_the_same_in_any_unit_and_order(rng):
    weights, order = rng.uniform(0.2, 3.0, 300), rng.permutation(300)
    plain = merged(weights, np.arange(300))
    np.testing.assert_array_equal(merged(0.7 * weights[order], np.arange(300)), plain[order])
    np.testing.assert_allclose(plain, weights / weights.mean(), rtol=1e-7)
    vast = merged(np.array([1e-99, 1.0, 1.0]), np.arange(3))
    assert vast[0] > 0.0  # a row of little weight is a row
