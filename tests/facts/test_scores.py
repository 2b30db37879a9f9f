"""Scores against scikit-learn's, and their standard errors against simulation."""

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss, mean_absolute_error, mean_squared_error, r2_score, roc_auc_score

from kernelect.facts.scores import area_under_curve, classification_losses, fold_standard_error, regression_losses


def test_classification_scores_are_those_of_scikit_learn(rng):
    index, share = rng.integers(0, 2, 80), rng.uniform(0.05, 0.95, 80)
    weights, probability = rng.uniform(size=80), np.column_stack([1 - share, share])
    error, logarithmic, brier = (
        loss.score(weights).value for loss in classification_losses(index, (share > 0.5).astype(int), probability)
    )
    assert error == pytest.approx(np.average(index != (share > 0.5), weights=weights))
    assert logarithmic == pytest.approx(log_loss(index, share, sample_weight=weights))
    assert brier == pytest.approx(2 * brier_score_loss(index, share, sample_weight=weights))


def test_regression_scores_are_those_of_scikit_learn(rng):
    y, weights = rng.normal(size=50), rng.uniform(size=50)
    guess = y + rng.normal(size=50)
    root, absolute, r2 = (loss.score(weights).value for loss in regression_losses(y, guess, weights))
    assert root == pytest.approx(np.sqrt(mean_squared_error(y, guess, sample_weight=weights)))
    assert absolute == pytest.approx(mean_absolute_error(y, guess, sample_weight=weights))
    assert r2 == pytest.approx(r2_score(y, guess, sample_weight=weights))


def test_area_under_the_curve_and_its_error(rng):
    positive = rng.uniform(size=200) < 0.4
    value = np.round(rng.normal(size=200) + positive, 1)  # with ties
    found = area_under_curve(positive, value)
    assert found.value == pytest.approx(roc_auc_score(positive, value))
    drawn = []
    for _ in range(400):
        rows = rng.integers(0, 200, 200)
        drawn.append(roc_auc_score(positive[rows], value[rows]))
    assert found.standard_error == pytest.approx(np.std(drawn), rel=0.15)
    assert area_under_curve(np.array([True, False, False]), np.arange(3.0)) is None


def test_errors_of_row_scores_are_those_of_fresh_samples(rng):
    found, values = [], []
    for _ in range(400):
        y = rng.normal(size=60)
        loss = regression_losses(y, np.zeros(60), np.ones(60))[0]
        found.append(loss.score(np.ones(60)).standard_error)
        values.append(loss.score(np.ones(60)).value)
    assert np.mean(found) == pytest.approx(np.std(values), rel=0.15)


def test_the_correction_for_overlapping_folds():
    values = np.array([1.0, 2.0, 4.0, 3.0, 5.0])
    assert fold_standard_error(values, 5) == pytest.approx(np.sqrt((1 / 5 + 1 / 4) * values.var(ddof=1)))
    assert fold_standard_error(values[:1], 5) is None
