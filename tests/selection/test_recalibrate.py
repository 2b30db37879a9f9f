"""The last choice of a classifier, by its slow definition."""

import importlib

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from kernelect import LSSVC
from kernelect.criteria.calibration import calibrated_log_loss, fit_temperature, probabilities
from kernelect.datasets import ringnorm, twonorm
from kernelect.estimators._base import objective_of
from kernelect.kernels import RBF
from kernelect.selection import recalibrate
from oracles import lssvm as slow


def loss_by_definition(decision, index, a):
    """Platt's smoothed log-loss at inverse temperature a, row by row; two rows of doubt in all however many classes."""
    counts, n_classes = np.bincount(index), decision.shape[1]
    total = 0.0
    for f, i in zip(decision, index, strict=True):
        sure = 1 - 2 / n_classes / (counts[i] + 2)
        p = np.exp(a * f - np.max(a * f))
        p /= p.sum()
        others = [k for k in range(len(f)) if k != i]
        total -= sure * np.log(p[i]) + (1 - sure) * np.mean([np.log(p[k]) for k in others])
    return total / len(index)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_temperature_minimises_the_smoothed_log_loss(n_classes, rng):
    index = rng.integers(n_classes, size=60)
    decision = 2.0 * np.eye(n_classes)[index] + 1.5 * rng.normal(size=(60, n_classes))
    best = minimize_scalar(lambda s: loss_by_definition(decision, index, np.exp(s)), bounds=(-5, 5), method="bounded")
    a = fit_temperature(decision, index, np.ones(60))
    assert a == pytest.approx(np.exp(best.x), rel=1e-3)
    assert calibrated_log_loss(decision, index, np.ones(60)) == pytest.approx(best.fun, rel=1e-6)


def test_two_classes_in_one_column_are_two_columns_of_half_the_difference(rng):
    index, f = rng.integers(2, size=50), rng.normal(size=50)
    both = np.column_stack([-f / 2, f / 2])
    assert fit_temperature(f, index, np.ones(50)) == pytest.approx(fit_temperature(both, index, np.ones(50)))
    np.testing.assert_allclose(probabilities(f, 2.0)[:, 1], 1 / (1 + np.exp(-2.0 * f)))


def test_the_recalibrated_ridge_has_the_smallest_leave_one_out_log_loss():
    X, y = twonorm(80, random_state=0)
    model = LSSVC(RBF(0.02), recalibrate=True).fit(X, y)
    targets, index = np.where(y > 0, 1.0, -1.0)[:, None], (y > 0).astype(int)

    def loss(ridge):
        residuals = slow.leave_one_out_residuals(RBF(0.02).gram(X), targets, ridge, np.ones(80))
        return calibrated_log_loss((targets - residuals)[:, 0], index, np.ones(80))

    grid = np.exp(np.linspace(np.log(model.regularization_) - 3, np.log(model.regularization_) + 3, 13))
    assert loss(model.regularization_) <= min(loss(ridge) for ridge in grid) + 1e-4
    assert "refined on the leave-one-out log-loss" in model.selection_.status


def test_recalibration_follows_the_prior_unless_told():
    X, y = ringnorm(100, random_state=0)
    by_criterion = LSSVC("rbf", prior=None).fit(X, y)
    assert by_criterion.selection_.value < LSSVC("rbf").fit(X, y).selection_.value
    assert LSSVC("rbf", recalibrate=False).fit(X, y).regularization_ == by_criterion.regularization_
    assert LSSVC("rbf", prior=None, recalibrate=True).fit(X, y).regularization_ != by_criterion.regularization_
    with pytest.raises(ValueError, match="recalibrate='yes' must be 'auto', True or False"):
        LSSVC(recalibrate="yes").fit(X, y)


def test_a_fixed_ridge_is_left_alone():
    X, y = twonorm(60, random_state=1)
    assert LSSVC(regularization=0.7).fit(X, y).regularization_ == pytest.approx(0.7)


def test_recalibration_lowers_the_error_where_squares_mislead():
    def error(model, seed):
        X, y = twonorm(3200, random_state=seed)
        return np.mean(model.fit(X[:200], y[:200]).predict(X[200:]) != y[200:])

    pairs = [(error(LSSVC(), seed), error(LSSVC(recalibrate=False), seed)) for seed in range(6)]
    assert np.mean([recalibrated for recalibrated, _ in pairs]) < np.mean([plain for _, plain in pairs])


@pytest.mark.parametrize(("away", "expected"), [(3.0, -3.0), (-1.5, 1.5)])
def test_the_overall_width_is_chosen_anew_on_both_sides(away, expected):
    """From widths that are too narrow, and from widths that are too wide, the log-loss leads back."""
    X, y = ringnorm(80, random_state=0)
    model = LSSVC("rbf", prior=None, recalibrate=False).fit(X, y)
    objective = objective_of(model, X, y, np.arange(80))
    start = model.selection_.theta + np.array([away, 0.0])
    moved = recalibrate(objective, start, (y > 0).astype(int)) - start
    assert moved[0] == pytest.approx(expected)
    labels, targets = (y > 0).astype(int), objective.targets

    def loss(theta):
        return calibrated_log_loss(targets - objective.left_out_residuals(theta), labels, np.ones(80))

    ridges = [np.array([start[0], ridge]) for ridge in start[1] + np.arange(-3.0, 7.5, 0.5)]
    assert loss(start + moved) < min(loss(theta) for theta in ridges)


def test_no_narrower_widths_are_tried_where_wider_ones_paid(monkeypatch):
    """Every width that is tried costs an eigendecomposition."""
    X, y = ringnorm(80, random_state=0)
    model = LSSVC("rbf", prior=None, recalibrate=False).fit(X, y)
    objective = objective_of(model, X, y, np.arange(80))
    start, tried = model.selection_.theta + np.array([3.0, 0.0]), []
    path = type(objective).ridge_path
    monkeypatch.setattr(
        type(objective), "ridge_path", lambda self, theta: tried.append(theta[0] - start[0]) or path(self, theta)
    )
    recalibrate(objective, start, (y > 0).astype(int))
    assert tried == pytest.approx([0.0, -1.5, -3.0, -5.0])


@pytest.mark.parametrize(("begins", "most", "rows"), [(None, None, 300), (100, None, 150), (100, 60, 60)])
def test_below_some_hundred_rows_all_of_them_choose(begins, most, rows, monkeypatch):
    """Half of 400 rows cost twonorm 0.06 points; of thousands half are enough, and never more than some hundred."""
    module, tried = importlib.import_module("kernelect.selection.recalibrate"), []
    if begins is not None:
        monkeypatch.setattr(module, "FROM", begins)
    if most is not None:
        monkeypatch.setattr(module, "_MOST_ROWS", most)
    X, y = twonorm(300, random_state=0)
    model = LSSVC("rbf", recalibrate=False).fit(X, y)
    objective = objective_of(model, X, y, np.arange(300))
    path = type(objective).ridge_path
    monkeypatch.setattr(
        type(objective), "ridge_path", lambda self, theta: tried.append(len(self.X)) or path(self, theta)
    )
    recalibrate(objective, model.selection_.theta, (y > 0).astype(int))
    assert set(tried) == {rows}
