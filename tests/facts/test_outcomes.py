"""Confusion, residuals and calibration: counted by hand."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_friedman1

from kernelect import LSSVC, LSSVR, RVR
from kernelect.exceptions import MissingCapability
from kernelect.facts import Calibration, Confusion, Residuals


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    y = np.array(["setosa", "versicolor", "virginica"])[y]
    return LSSVC(kernel="rbf").fit(X, y), y


def test_confusion_counts_true_by_row_and_predicted_by_column():
    record = Confusion.from_predictions(["a", "a", "b", "c"], ["a", "b", "b", "a"])
    assert record.classes == ("a", "b", "c")
    np.testing.assert_array_equal(record.counts, [[1, 1, 0], [0, 1, 0], [1, 0, 0]])


def test_confusion_of_a_machine_is_its_exact_leave_one_out(iris):
    model, y = iris
    record = Confusion.from_estimator(model, y)
    right = np.trace(record.counts) / record.counts.sum()
    assert right == np.mean(model.classes_[model.loo_decision_.argmax(axis=1)] == y)
    assert record.wrong == len(y) - np.trace(record.counts)


def test_the_smallest_of_many_classes_share_a_row():
    y = np.repeat(np.arange(20), np.arange(1, 21))
    record = Confusion.from_predictions(y, y)
    assert record.classes == (*map(str, range(9, 20)), "other classes")
    np.testing.assert_array_equal(np.diag(record.counts), [*range(10, 21), sum(range(1, 10))])
    assert record.counts.sum() == len(y)


def test_labels_that_look_alike_keep_their_own_rows():
    record = Confusion.from_predictions(np.array(["a", "a "]), np.array(["a", "a"]))
    assert record.classes == ("a", "a (2)")


def test_residuals_band_holds_nine_tenths(rng):
    predicted = rng.normal(size=3000)
    record = Residuals.from_predictions(predicted + rng.normal(size=3000), predicted)
    assert len(record.predicted) == 2000
    np.testing.assert_allclose(record.lower - record.predicted, -1.645, atol=0.1)
    np.testing.assert_allclose(record.upper - record.predicted, 1.645, atol=0.1)
    assert record.held == pytest.approx(0.9, abs=0.001)
    assert record.rmse == pytest.approx(1.0, abs=0.05)


def test_residuals_of_a_machine_are_its_exact_leave_one_out():
    X, y = make_friedman1(60, random_state=0)
    model = LSSVR(kernel="rbf").fit(X, y)
    record = Residuals.from_estimator(model, y)
    np.testing.assert_array_equal(np.sort(model.loo_prediction_), record.predicted)
    reach = np.sort(np.abs(y - model.loo_prediction_))[int(np.ceil(0.9 * 61)) - 1]
    np.testing.assert_allclose(record.upper - record.predicted, reach)
    assert record.held == pytest.approx(55 / 60)
    with pytest.raises(MissingCapability, match=r"RVR has no exact leave-one-out .*cross_val_predict"):
        Residuals.from_estimator(RVR(kernel="rbf", max_iter=3).fit(X, y), y)


def test_perfect_probabilities_are_no_further_off_than_chance(rng):
    p = rng.uniform(size=5000)
    y = (rng.uniform(size=5000) < p).astype(int)
    record = Calibration.from_predictions(y, np.column_stack([1 - p, p]))
    assert record.count.sum() == 5000
    assert record.ece < 2 * record.chance
    assert record.brier == pytest.approx(2 * np.mean((p - y) ** 2))
    too_sure = np.where(p > 0.5, 0.99, 0.01)
    assert Calibration.from_predictions(y, np.column_stack([1 - too_sure, too_sure])).ece > 0.2


def test_more_classes_are_judged_by_the_predicted_one(iris):
    model, y = iris
    record = Calibration.from_estimator(model, y)
    assert record.label == "probability of the predicted class"
    assert record.predicted.min() >= 1 / 3
