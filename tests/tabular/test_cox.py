"""Cox regression, the usual method beside ours: partial likelihood by loops, its slopes, weights, and its curves."""

from dataclasses import replace

import numpy as np
import pytest

from kernelect.numerics import kaplan_meier
from kernelect.tabular.cox import RidgeCox, TimedRows
from oracles.differences import gradient

RNG = np.random.default_rng(0)
Z, TIME, EVENT = RNG.normal(size=(30, 3)), RNG.integers(1, 9, 30).astype(float), RNG.random(30) < 0.6
ORDER = np.argsort(TIME, kind="stable")
STUDY = TimedRows(Z=Z[ORDER], time=TIME[ORDER], event=EVENT[ORDER], weights=np.ones(30))
B = np.array([0.5, -0.2, 0.1])


def partial_likelihood(b):
    """Return minus the log partial likelihood, event by event."""
    eta = Z @ b
    return -sum(
        eta[i] - np.log(sum(np.exp(eta[j]) for j in range(30) if TIME[j] >= TIME[i])) for i in range(30) if EVENT[i]
    )


def test_partial_likelihood_event_by_event():
    assert STUDY.loss(B) == pytest.approx(partial_likelihood(B), rel=1e-12)


def test_slopes_by_differences():
    slope, curvature = STUDY.slopes(B)
    np.testing.assert_allclose(slope, gradient(partial_likelihood, B), atol=1e-6)
    for k in range(3):
        step = 1e-5 * np.eye(3)[k]
        found = (STUDY.slopes(B + step)[0] - STUDY.slopes(B - step)[0]) / 2e-5
        np.testing.assert_allclose(curvature[k], found, atol=1e-6)


def test_the_minimum_has_no_slope():
    b = STUDY.minimum(0.5)
    np.testing.assert_allclose(STUDY.slopes(b)[0] + 0.5 * b, 0.0, atol=1e-4)


def test_a_weight_of_two_is_a_row_twice():
    weights = np.where(np.arange(30) < 8, 2.0, 1.0)
    twice = np.sort(np.append(np.arange(30), np.arange(8)))
    heavy = replace(STUDY, weights=weights)
    np.testing.assert_allclose(heavy.minimum(1.0), STUDY.on(twice).minimum(1.0), atol=1e-6)


def test_without_effects_the_curve_is_that_of_all_rows():
    model = RidgeCox().fit(np.zeros((30, 2)), TIME, EVENT)
    at = np.array([0.5, 2.0, 5.0])
    expected = kaplan_meier(TIME, EVENT, at)[0]
    np.testing.assert_allclose(model.predict_survival_function(np.zeros((1, 2)), at)[0], expected, atol=0.03)


def test_risks_and_ridge():
    time = np.exp(-Z[:, 0] + 0.1 * RNG.normal(size=30))
    model = RidgeCox().fit(Z, time, EVENT)
    assert np.corrcoef(model.predict(Z), Z[:, 0])[0, 1] > 0.95
    noise = RidgeCox().fit(Z, RNG.permutation(time), EVENT)
    assert noise.ridge_ > model.ridge_
    assert RidgeCox().fit(Z, time, np.arange(30) == 4).ridge_ == 1000.0  # one event
