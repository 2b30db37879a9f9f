"""What the study of everyday tables needs: at most so many training rows, areas under curves, a process with ARD."""

import sys
import types

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from kernelect.studies import Results, make_tables
from kernelect.studies.cells import Key, Outcome
from kernelect.studies.definition import read_study
from kernelect.studies.peers import XRFM, ArdProcess
from kernelect.studies.scoring import score
from kernelect.studies.splits import Problem, _random


class Data:
    name, X = "made up", np.zeros((100, 1))


def test_training_rows_are_cut_off_and_test_rows_are_not():
    (all_rows, _), _ = _random(Data, {"fraction": 0.8}, 0, 0)
    (train, test), _ = _random(Data, {"fraction": 0.8, "most_rows": 30}, 0, 0)
    np.testing.assert_array_equal(train, all_rows[:30])
    assert len(test) == 20


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_area_is_that_of_every_class_against_the_others(rng, n_classes):
    X = rng.normal(size=(90, 2))
    y = np.digitize(X[:, 0] + rng.normal(size=90), [-0.5, 0.5][: n_classes - 1])
    model = LogisticRegression().fit(X[:50], y[:50])
    found = score(model, Problem(X=X[:50], y=y[:50], X_test=X[50:], y_test=y[50:], kind="random"))["auc"]
    p = model.predict_proba(X[50:])
    p = p[:, 1] if n_classes == 2 else p
    assert found == pytest.approx(roc_auc_score(y[50:], p, multi_class="ovr", average="weighted"))


def test_one_class_in_the_test_rows_has_no_area(rng):
    X = rng.normal(size=(20, 2))
    y = (X[:, 0] > 0).astype(int)
    model = LogisticRegression().fit(X, y)
    assert np.isnan(score(model, Problem(X=X, y=y, X_test=X[y == 1], y_test=y[y == 1], kind="random"))["auc"])


def test_a_process_with_one_width_per_input_finds_what_matters():
    X, y = make_friedman1(80, n_features=6, noise=0.5, random_state=0)
    fitted = ArdProcess(random_state=0).fit(X[:60], y[:60])
    assert np.mean((fitted.predict(X[60:]) - y[60:]) ** 2) < 0.3 * y.var()


def test_a_study_without_the_usual_figures_has_tables_all_the_same(tmp_path):
    def outcome(method, loss):
        rest = {"message": "", "seconds": 1.0, "seed": 0, "environment": {}}
        return Outcome(key=Key("flags", method, 0), state="done", figures={"loss": loss, "fit_seconds": 1.0}, **rest)

    with Results.create(tmp_path / "r.sqlite", read_study("tables")) as results:
        results.write(outcome("balanced", 39.5), outcome("lssvm", 42.1))
        titles = [table.title for table in make_tables(results)]
    assert titles[0].startswith("Where another method is ahead")
    assert "Test error %, or RMSE in % of the standard deviation" in titles


class Recorded:
    """What stands for xRFM: it keeps what it was fitted on, and answers with the first column."""

    def __init__(self, **options):
        self.options = options

    def fit(self, X, y, X_val, y_val):
        self.seen = X, y, X_val, y_val
        return self

    def predict(self, X):
        return X[:, :1]

    def predict_proba(self, X):
        high = (X[:, 0] > 0).astype(float)
        return np.column_stack([1.0 - high, high])


@pytest.fixture
def recorded(monkeypatch):
    monkeypatch.setitem(sys.modules, "xrfm", types.SimpleNamespace(xRFM=Recorded))


def test_xrfm_validates_on_a_fifth_of_the_rows(recorded, rng):
    X = 3.0 + 5.0 * rng.normal(size=(50, 2))
    y = 7.0 + 2.0 * X[:, 0]
    fitted = XRFM(0).fit(X, y)
    rows, targets, held, _ = fitted.model_.seen
    assert len(rows) == 40
    assert len(held) == 10
    assert targets.shape == (40, 1)
    np.testing.assert_allclose(np.vstack([rows, held]).mean(axis=0), 0.0, atol=1e-5)
    np.testing.assert_allclose(fitted.predict(X), y, rtol=1e-5)


def test_xrfm_sees_every_class(recorded, rng):
    X = rng.normal(size=(40, 2))
    labels = np.where(X[:, 0] > X[:, 0].mean(), "yes", "no")
    for seed in range(3):
        fitted = XRFM(seed).fit(X, labels)
        assert set(fitted.model_.seen[1]) == {0, 1}
    rare = np.where(np.arange(40) == 7, "yes", "no")
    assert all(1 in XRFM(seed).fit(X, rare).model_.seen[1] for seed in range(8))
    np.testing.assert_array_equal(fitted.predict(X), labels)
