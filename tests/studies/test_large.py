"""What the study of large tables needs beside the library itself."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.dummy import DummyClassifier, DummyRegressor

from kernelect.exceptions import InvalidArgument
from kernelect.studies import read_study
from kernelect.studies.definition import Method
from kernelect.studies.large import SGPR, ByTask, TunedNystroem, fit_large
from kernelect.studies.splits import Problem


@pytest.fixture
def numbers():
    X, y = make_friedman1(400, n_features=5, noise=1.0, random_state=0)
    return Problem(X=X[:300], y=y[:300], X_test=X[300:], y_test=y[300:])


@pytest.fixture
def labels(numbers):
    return replace(numbers, y=(numbers.y > 14).astype(np.int8), y_test=(numbers.y_test > 14).astype(np.int8))


def scored(problem, **estimators):
    method = Method(name="m", label="m", estimator={"call": "kernelect.studies.large.ByTask", **estimators})
    return fit_large(problem, method, None, 0)


def test_the_targets_choose_the_estimator(numbers, labels):
    both = ByTask(DummyRegressor(), DummyClassifier())
    assert isinstance(both.fit(numbers.X, numbers.y).fitted_, DummyRegressor)
    assert not hasattr(both, "classes_")
    assert isinstance(both.fit(labels.X, labels.y).fitted_, DummyClassifier)
    assert both.predict_proba(labels.X_test).shape == (100, 2)
    with pytest.raises(InvalidArgument, match="classifier=None has nothing to fit"):
        ByTask(DummyRegressor()).fit(labels.X, labels.y)


def test_losses_are_percentages_and_memory_is_counted(numbers, labels):
    guess = {"regressor": {"call": "sklearn.dummy.DummyRegressor"}}
    assert scored(numbers, **guess)["loss"] == pytest.approx(100.0, abs=2.0)
    found = scored(labels, classifier={"call": "sklearn.dummy.DummyClassifier"})
    assert found["loss"] == found["error"] == pytest.approx(found["majority"])
    hungry = scored(numbers, regressor={"call": "kernelect.studies.large.TunedNystroem", "n_components": 100})
    assert 0 <= hungry.get("memory", 0) < 2000
    assert hungry["loss"] < 60.0


def test_nystroem_features_are_tuned(labels):
    model = TunedNystroem(50, logistic=True, random_state=0).fit(labels.X, labels.y)
    assert np.mean(model.predict(labels.X_test) == labels.y_test) > 0.8
    assert model.predict_proba(labels.X_test).shape == (100, 2)


def test_sparse_gaussian_processes(numbers):
    pytest.importorskip("gpytorch", reason="GPyTorch is not installed: pip install 'kernelect[bench]'")
    model = SGPR(40, steps=30, random_state=0).fit(numbers.X, numbers.y)
    assert np.sqrt(np.mean((model.predict(numbers.X_test) - numbers.y_test) ** 2)) < 0.6 * numbers.y_test.std()


def test_every_large_table_is_compared_at_equal_landmarks():
    study = read_study("large")
    assert study.methods["landmarks"].estimator["regressor"]["landmarks"] == 500
    assert TunedNystroem().n_components == SGPR().n_inducing == 500


class Column(DummyClassifier):
    """Predicts labels as a column, as CatBoost does for several classes."""

    def predict(self, X):
        return super().predict(X)[:, None]


def test_labels_that_come_as_a_column_are_a_vector():
    X, y = np.zeros((6, 1)), np.array([0, 1, 2, 0, 1, 2])
    assert ByTask(classifier=Column()).fit(X, y).predict(X).shape == (6,)


class WithClasses(DummyRegressor):
    """Has the attribute of classifiers, as CatBoost's regressor does."""

    classes_ = ()


def test_a_regressor_with_classes_predicts_numbers():
    both = ByTask(WithClasses()).fit(np.zeros((4, 1)), np.arange(4.0))
    assert not hasattr(both, "classes_")
