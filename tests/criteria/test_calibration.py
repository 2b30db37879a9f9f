"""One temperature for decision values: two classes have a form of their own."""

import numpy as np
import pytest

from kernelect.criteria.calibration import calibrated_log_loss, fit_temperature, probabilities


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize("counts", [False, True])
def test_two_classes_are_the_columns_of_half_the_decision(scale, counts):
    rng = np.random.default_rng(0)
    index = rng.integers(0, 2, 40)
    weights = rng.uniform(0.1, 3.0, 40)
    f = scale * (rng.normal(size=40) + index - 0.5)
    columns = np.column_stack([-0.5 * f, 0.5 * f])
    assert fit_temperature(f, index, weights, counts=counts) == pytest.approx(
        fit_temperature(columns, index, weights, counts=counts), rel=1e-6
    )
    assert calibrated_log_loss(f, index, weights) == pytest.approx(calibrated_log_loss(columns, index, weights))
    assert calibrated_log_loss(f[:, None], index, weights) == calibrated_log_loss(f, index, weights)


def test_the_temperature_has_the_smallest_loss():
    """By the definition: smoothed targets, and no better temperature beside the one that is found."""
    rng = np.random.default_rng(1)
    index = rng.integers(0, 2, 30)
    f = rng.normal(size=30) + index - 0.5
    doubt = 1.0 / (np.bincount(index)[index] + 2.0)

    def loss(a):
        own = probabilities(f, a)[np.arange(30), index]
        return -np.mean((1.0 - doubt) * np.log(own) + doubt * np.log(1.0 - own))

    a = fit_temperature(f, index, np.ones(30))
    assert loss(a) == pytest.approx(calibrated_log_loss(f, index, np.ones(30)))
    assert loss(a) <= min(loss(0.99 * a), loss(1.01 * a))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_doubt_and_prior_by_definition(n_classes):
    rng = np.random.default_rng(4)
    index, weights = rng.integers(n_classes, size=30), rng.uniform(0.5, 2.0, 30)
    f = rng.normal(size=(30, n_classes)) + 2.0 * np.eye(n_classes)[index]
    f, s = (f[:, 1] - f[:, 0] if n_classes == 2 else f), weights / weights.mean()
    doubt = 0.4 / n_classes / (np.bincount(index, s)[index] + 0.4)
    targets = np.repeat(doubt[:, None] / (n_classes - 1), n_classes, axis=1)
    targets[np.arange(30), index] = 1.0 - doubt

    def loss(a):
        return -s @ np.sum(targets * np.log(probabilities(f, a)), axis=1) + 0.5 * (np.log(a) / 0.3) ** 2

    a = fit_temperature(f, index, weights, doubt=0.2, deviation=0.3)
    assert loss(a) <= min(loss(0.999 * a), loss(1.001 * a))
    assert fit_temperature(f, index, weights) != pytest.approx(a, rel=0.01)


def test_decisions_without_size_keep_their_temperature():
    assert fit_temperature(np.zeros(4), np.array([0, 1, 0, 1]), np.ones(4)) == 1.0


def test_many_classes_of_few_rows_may_be_as_sure_as_few_of_many():
    """A row of doubt in each of thirty classes would leave 7 % of every row's probability to the other classes."""
    index = np.repeat(np.arange(30), 12)
    decision = np.eye(30)[index]  # every row is right, by the same distance
    a = fit_temperature(decision, index, np.ones(360))
    own = probabilities(decision, a)[np.arange(360), index]
    assert np.all(own > 0.99)
    assert np.all(own < 1.0 - 1.0 / 1000.0)  # and not more than 360 rows can tell


def test_rows_of_no_weight_change_no_temperature():
    rng = np.random.default_rng(0)
    decision, index = rng.normal(size=(40, 3)), rng.integers(3, size=40)
    weights = np.where(np.arange(40) < 25, 1.0, 0.0)
    for measure in (fit_temperature, calibrated_log_loss):
        assert measure(decision, index, weights) == pytest.approx(measure(decision[:25], index[:25], np.ones(25)))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_and_copies_have_the_same_temperature_to_the_last_digits(n_classes):
    """A last step that is only measured, and not taken, would leave a millionth."""
    rng = np.random.default_rng(3)
    decision, index = rng.normal(size=(40, n_classes)), rng.integers(n_classes, size=40)
    decision = decision[:, 0] if n_classes == 2 else decision
    times = rng.integers(0, 4, 40)
    copied = fit_temperature(
        np.repeat(decision, times, axis=0), np.repeat(index, times), np.ones(times.sum()), counts=True
    )
    assert fit_temperature(decision, index, times.astype(float), counts=True) == pytest.approx(copied, rel=1e-11)
