"""Deviations, intervals and errors of the door for numbers say the same."""

import numpy as np
import pytest
from scipy.special import ndtri

from kernelect import KernelRegressor
from kernelect.mixture.heads import calibrated_variance
from kernelect.model import TargetScale
from kernelect.model.heads import mixed
from kernelect.selection import squared_scale
from speeds import slowly


def table(scale, n, seed, *, levels=None):
    """Return inputs, on few levels or none, and targets with equal noise on a scale."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (n, 3))
    if levels is not None:
        X = np.round(X * levels) / levels
    f = 2.0 + np.sin(2.0 * X[:, 0]) + 0.5 * X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(n)
    return X, {"identity": f, "log": np.exp(f), "sqrt": f**2, "count": np.round(3.0 * f**2)}[scale]


@pytest.mark.parametrize(
    ("scale", "levels"),
    [
        *(("identity", 1), ("log", None), ("sqrt", 1), ("count", None)),
        *slowly(("identity", None), ("log", 1), ("sqrt", None), ("count", 1)),
    ],
)
def test_deviations_agree_with_errors_and_intervals(scale, levels):
    X, y = table(scale, 200, 0, levels=levels)
    new, truth = table(scale, 600, 1, levels=levels)
    model = KernelRegressor("fast", target=scale).fit(X, y)
    mean, deviation = model.predict(new, return_std=True)
    lower, upper = model.predict_interval(new, coverage=0.9)
    error = np.sqrt(np.mean((truth - mean) ** 2))
    assert np.sqrt(np.mean(deviation**2)) == pytest.approx(error, rel=0.3)
    half = 0.5 * np.median(upper - lower) / ndtri(0.95)
    assert np.median(deviation) == pytest.approx(half, rel=0.4)


def far_apart(n, seed):
    """Return inputs, and targets whose spread differs more than a hundredfold."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (n, 3))
    return X, np.exp(4.0 * X[:, 0] + X[:, 1] + 0.3 * rng.standard_normal(n))


@pytest.mark.parametrize("seed", range(4))
def test_intervals_follow_from_deviations_that_differ_a_hundredfold(seed):
    """Errors count in units of the spread: otherwise the few largest decide what all others are said to be."""
    X, y = far_apart(150, seed)
    new, truth = far_apart(600, 100 + seed)
    model = KernelRegressor("fast", target="identity").fit(X, y)
    mean, deviation = model.predict(new, return_std=True)
    lower, upper = model.predict_interval(new, coverage=0.9)
    assert 0.5 * np.median(upper - lower) / np.median(deviation) == pytest.approx(ndtri(0.95), rel=0.15)
    assert np.sqrt(np.mean(((truth - mean) / deviation) ** 2)) == pytest.approx(1.0, abs=0.45)


def test_deviations_of_rows_left_out_are_right_in_units_of_their_spread():
    X, y = far_apart(150, 0)
    model = KernelRegressor("fast", target="identity").fit(X, y).model_
    head, left_out = model.head, [component.left_out_answers() for component in model.components]
    whole = model.training.left_out
    claims = [c.spread.left_out_variance() + (f - whole) ** 2 for c, f in zip(model.components, left_out, strict=True)]
    variance = head.calibration**2 * mixed(head.weights, claims) + head.floor**2
    assert np.mean((y[:, None] - whole) ** 2 / head.noise.rows**2) == pytest.approx(variance.mean())


@pytest.mark.parametrize("seed", [1, 2])
def test_equal_rows_with_other_targets_do_not_set_the_unit_of_all_deviations(seed):
    """Cars of one make and model: the ridge is tiny, and such rows claim to be known where they are not."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (150, 3))
    X[90:] = X[:60]
    y = 20.0 + 3.0 * X[:, 0] - 2.0 * X[:, 1] ** 2
    y[91::2] += 0.06
    model = KernelRegressor("fast", target="identity").fit(X, y)
    deviation = model.predict(rng.uniform(-1.0, 1.0, (300, 3)), return_std=True)[1]
    error = np.sqrt(np.mean((y - model.loo_prediction_) ** 2))
    assert np.median(deviation) == pytest.approx(error, rel=0.4)


def test_one_row_that_claims_to_be_known_does_not_set_the_unit():
    residuals, precision = np.full((50, 1), 0.5), np.ones(50)
    precision[7] = 1e8
    assert squared_scale(residuals, precision, np.ones(50)) == pytest.approx(0.25, rel=0.05)


def test_variances_of_rows_left_out_have_the_mean_of_their_squares():
    rng = np.random.default_rng(0)
    variance = rng.uniform(0.1, 4.0, (400, 2)) * [1.0, 3.0]
    truth = np.column_stack([2.0 * variance[:, 0], np.full(400, 5.0)])
    squares = truth * rng.standard_normal((400, 2)) ** 2
    factor, floor = calibrated_variance(squares, variance, np.ones(400))
    np.testing.assert_allclose((factor**2 * variance + floor**2).mean(axis=0), squares.mean(axis=0))
    # The first variances are right up to a factor, the second say nothing.
    assert floor[0] ** 2 <= 0.2 * squares[:, 0].mean()
    assert factor[1] ** 2 * variance[:, 1].mean() == pytest.approx(0.2 * squares[:, 1].mean())


@pytest.mark.parametrize("name", ["log", "log1p", "sqrt"])
def test_a_wide_spread_on_the_scale_stays_within_the_range_of_the_targets(name):
    y = np.arange(1.0, 13.0)
    scale = TargetScale.of(name, y, bounded=True)
    deviation = scale.deviation(scale.forward(np.array([2.0])), np.array([3.0]))
    assert 1.0 < deviation[0] < 0.75 * np.ptp(y)
