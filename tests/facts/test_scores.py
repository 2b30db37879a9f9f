"""Scores against scikit-learn's, and their standard errors against simulation."""

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss, mean_absolute_error, mean_squared_error, r2_score, roc_auc_score

from kernelect.facts import FoldOutcome, Judge
from kernelect.facts.scores import (
    RowLoss,
    area_under_curve,
    average_precision,
    classification_losses,
    f1_score,
    fold_standard_error,
    mean_standard_error,
    regression_losses,
)


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


def test_rows_of_one_unit_are_one_observation_in_ranked_scores(rng):
    """Four copies of every row: the figures and their errors are those of the rows once."""
    positive = rng.uniform(size=100) < 0.4
    value, four = rng.normal(size=100) + positive, np.repeat(np.arange(100), 4)
    for figure in (area_under_curve, average_precision):
        once, copied = figure(positive, value), figure(positive[four], np.round(value, 9)[four], four)
        assert copied.standard_error == pytest.approx(once.standard_error, rel=0.02)
        assert figure(positive[four], value[four]).standard_error < 0.6 * once.standard_error
        perfect = figure(positive[four], positive[four].astype(float), four).standard_error
        assert perfect == figure(positive, positive.astype(float)).standard_error
    alone = area_under_curve(positive, value)
    assert area_under_curve(positive, value, np.arange(100)).standard_error == pytest.approx(alone.standard_error)


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


def test_folds_that_agree_by_luck_do_not_make_a_figure_surer_than_its_rows():
    """300 rows of which 104 are misses, evenly over the folds: the folds' means do not differ."""
    losses = np.tile(np.repeat([1.0, 0.0], [21, 39]), 5)
    folds = np.split(np.arange(300), 5)
    found = RowLoss(name="error", losses=losses, counts=True).fold_score(np.ones(300), folds, 5)
    assert fold_standard_error(np.array([losses[rows].mean() for rows in folds]), 5) == 0.0
    assert found.standard_error == pytest.approx(np.sqrt(0.35 * 0.65 / 299), rel=1e-9)


def test_a_row_that_was_predicted_twice_is_one_observation(rng):
    losses = rng.normal(size=40)
    once = mean_standard_error(losses, np.ones(40))
    assert mean_standard_error(np.tile(losses, 3), np.ones(120), np.tile(np.arange(40), 3)) == pytest.approx(once)
    assert mean_standard_error(np.tile(losses, 3), np.ones(120)) < 0.6 * once


def test_rows_of_one_group_are_one_observation(rng):
    """Thirty groups of ten rows with a loss of their own: the error of the mean is that of thirty numbers."""
    units, found, means = np.repeat(np.arange(30), 10), [], []
    for _ in range(300):
        losses = rng.normal(size=30)[units] + 0.1 * rng.normal(size=300)
        found.append(mean_standard_error(losses, np.ones(300), units))
        means.append(losses.mean())
    assert np.mean(found) == pytest.approx(np.std(means), rel=0.1)


def test_no_errors_get_the_rule_of_three():
    """Two standard errors above 0 misses in n rows lie at 3 / n."""
    score = RowLoss(name="error", losses=np.zeros(150), counts=True).score(np.ones(150))
    assert score.value + 2.0 * score.standard_error == pytest.approx(3.0 / 150)
    in_groups = RowLoss(name="error", losses=np.zeros(150), counts=True).score(
        np.ones(150), np.repeat(np.arange(10), 15)
    )
    assert 2.0 * in_groups.standard_error == pytest.approx(3.0 / 10)


def test_two_folds_have_standard_errors_and_areas_none_below_that_of_their_rows(rng):
    index = rng.integers(0, 2, 100)
    share = np.clip(0.5 + 0.2 * (index - 0.5) + 0.2 * rng.normal(size=100), 0.01, 0.99)
    probability = np.column_stack([1.0 - share, share])
    outcomes = [
        FoldOutcome(rows=rows, prediction=(share[rows] > 0.5).astype(int), probability=probability[rows])
        for rows in np.split(np.arange(100), 2)
    ]
    estimate = Judge(index, (0, 1)).of_folds("2 outer folds", outcomes, 2)
    assert all(score.standard_error > 0.0 for score in estimate.scores)
    within = [area_under_curve(index[rows] == 1, share[rows]).standard_error for rows in np.split(np.arange(100), 2)]
    assert estimate.score("AUC").standard_error >= np.sqrt(np.mean(np.square(within)) / 2) - 1e-12


def test_the_error_of_the_explained_share_is_that_of_fresh_samples(rng):
    """Errors grow with the distance from the mean, so that both means of the ratio move together."""
    found, values = [], []
    for _ in range(600):
        y = rng.standard_t(5, size=200)
        loss = regression_losses(y, y * (1.0 + 0.5 * rng.normal(size=200)), np.ones(200))[2]
        score = loss.score(np.ones(200))
        found.append(score.standard_error)
        values.append(score.value)
    assert np.mean(found) == pytest.approx(np.std(values), rel=0.15)


def test_always_the_mean_explains_nothing_for_sure(rng):
    y = rng.normal(size=50)
    score = regression_losses(y, np.full(50, y.mean()), np.ones(50))[2].score(np.ones(50))
    assert score.name == "R²"
    assert (score.value, score.standard_error) == pytest.approx((0.0, 0.0), abs=1e-12)
    alone = regression_losses(np.ones(3), np.zeros(3), np.ones(3))[2].score(np.ones(3))
    assert np.isnan(alone.value)  # no variance to explain


def test_perfect_scores_are_not_known_for_sure():
    """By the rule of three, two standard errors of a share that is 0 in n rows are 3 / n."""
    positive = np.repeat([True, False], [30, 60])
    assert area_under_curve(positive, positive.astype(float)).standard_error == pytest.approx(0.05)
    assert average_precision(positive, positive.astype(float)).standard_error == pytest.approx(0.05)
    assert f1_score(positive, positive, np.ones(90), np.arange(90)).standard_error == pytest.approx(0.05)
    # Guessing is 0.5 (or 0) by construction.
    assert area_under_curve(positive, np.zeros(90)).standard_error == 0.0
    assert f1_score(positive, np.zeros(90, dtype=bool), np.ones(90), np.arange(90)).standard_error == 0.0
