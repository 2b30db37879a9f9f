"""What the study of everyday tables needs: at most so many training rows, areas under curves, a process with ARD."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from kernelect.studies import Results, make_tables
from kernelect.studies.cells import Key, Outcome
from kernelect.studies.definition import read_study
from kernelect.studies.peers import ArdProcess
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
    assert titles[0] == "All tables together"
    assert "Test error %, or RMSE in % of the standard deviation" in titles
