"""Targets known in part at their edges: a good model without a warning, or one sentence."""

import numpy as np
import pandas as pd
import pytest

from kernelect import GPR, KernelOrdinal, KernelRegressor, KernelSurvival
from kernelect.exceptions import InvalidArgument
from kernelect.mixture.gaussian_processes import GaussianProcess

RNG = np.random.default_rng(0)
N = 40
X = RNG.normal(size=(N, 2))
TIME, END = np.exp(X[:, 0] + 0.3 * RNG.normal(size=N)), RNG.exponential(3.0, N)
EVENT, TIME = TIME <= END, np.minimum(TIME, END)
Y = np.exp(X[:, 0] + 0.3 * RNG.normal(size=N))
LIMIT = float(np.quantile(Y, 0.3))
LOW = LIMIT > Y
GRADES = np.array(["mild", "moderate", "severe"])
PLACE = np.digitize(X[:, 0], [-0.5, 0.6])
ONE_EVENT = np.arange(N) == int(np.argmin(TIME))
QUICK = [GaussianProcess(tied=True)]


def survival(time, event, inputs=X):
    model = KernelSurvival(QUICK).fit(inputs, time, event=event)
    curves = model.predict_survival_function(inputs, np.quantile(time, [0.2, 0.5, 0.8]))
    assert np.all((curves >= 0.0) & (curves <= 1.0))
    assert np.all(np.diff(curves, axis=1) <= 1e-12)
    assert np.isfinite(model.predict_median(inputs)).all()
    return model


def limited(lower, upper, inputs=X):
    model = KernelRegressor(QUICK).fit(inputs, (lower, upper))
    low, high = model.predict_interval(inputs)
    assert np.all(np.isfinite(low) & np.isfinite(high) & (low < high))
    return model.predict(inputs)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_units_do_not_matter(unit):
    usual, other = survival(TIME, EVENT), survival(unit * TIME, EVENT)
    np.testing.assert_allclose(other.predict_median(X), unit * usual.predict_median(X), rtol=1e-3)
    wide = survival(TIME, EVENT, X * np.array([unit, 1.0 / unit]))
    assert wide.loo_score_ == pytest.approx(usual.loo_score_, abs=0.02)
    kept = np.where(LOW, -np.inf, Y), np.maximum(Y, LIMIT)
    np.testing.assert_allclose(limited(*(unit * each for each in kept)), unit * limited(*kept), rtol=1e-3)


@pytest.mark.parametrize(
    ("time", "event"),
    [
        (TIME, ONE_EVENT),
        (np.ceil(TIME), EVENT),
        (np.where(np.arange(N) < 5, 0.0, TIME), np.ones(N, dtype=bool)),
        (np.ones(N), EVENT),
        (1.0 + (TIME > 1.0), EVENT),
        (TIME**8, EVENT),
    ],
    ids=["one event", "ties", "times of 0", "one time for all", "two times", "a range of many powers"],
)
def test_times_that_say_little(time, event):
    survival(time, event)


@pytest.mark.parametrize(
    ("time", "event", "words"),
    [
        (TIME, np.zeros(N, dtype=bool), "event is false in all 40 rows"),
        (TIME, np.argmax(TIME) == np.arange(N), "No two of these times can be ordered"),
        (-TIME, EVENT, "negative time"),
        (np.where(np.arange(N) == 3, np.nan, TIME), EVENT, "times that are missing or infinite"),
    ],
)
def test_times_that_say_nothing(time, event, words):
    with pytest.raises(InvalidArgument, match=words):
        KernelSurvival(QUICK).fit(X, time, event=event)


def test_limits_above_the_data_say_nothing():
    above = limited(np.where(LOW, -np.inf, Y), np.where(LOW, 1e3, Y))
    left_out = GPR("rbf").fit(X[~LOW], Y[~LOW]).predict(X)
    assert np.corrcoef(above, left_out)[0, 1] > 0.9


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        (np.where(LOW, -np.inf, LIMIT), np.where(LOW, LIMIT, np.inf)),
        (np.where(LOW, -np.inf, 1.0), np.ones(N)),
        (np.where(LOW, -np.inf, Y), np.where(LOW, np.inf, Y)),
        (np.floor(Y), np.ceil(Y)),
    ],
    ids=["only on which side", "one number", "nothing known of some", "rounded"],
)
def test_limits_that_say_little(lower, upper):
    assert np.corrcoef(limited(lower, upper), X[:, 0])[0, 1] > 0.5


def test_limits_that_say_nothing():
    with pytest.raises(InvalidArgument, match="lie below it, and nothing of how far"):
        KernelRegressor(QUICK).fit(X, (np.full(N, -np.inf), np.full(N, LIMIT)))


@pytest.mark.parametrize("grade", [GRADES[np.minimum(PLACE, 1)], GRADES[np.where(PLACE == 1, 2, PLACE)]])
def test_a_class_of_the_order_that_is_never_seen(grade):
    model = KernelOrdinal(QUICK, order=list(GRADES)).fit(X, grade)
    assert model.classes_.tolist() == [each for each in GRADES if each in grade]
    assert np.mean(model.predict(X) == grade) > 0.9
    column = pd.Series(pd.Categorical(grade, categories=GRADES, ordered=True))
    assert KernelOrdinal(QUICK).fit(X, column).classes_.tolist() == model.classes_.tolist()


def test_orders_that_say_nothing():
    with pytest.raises(InvalidArgument, match="holds one class only"):
        KernelOrdinal(QUICK, order=list(GRADES)).fit(X, GRADES[np.zeros(N, dtype=int)])
    with pytest.raises(InvalidArgument, match="y also holds 'other'"):
        KernelOrdinal(QUICK, order=list(GRADES)).fit(X, np.where(np.arange(N) == 0, "other", GRADES[PLACE]))
