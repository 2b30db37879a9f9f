"""What the study of public tables needs: splits that respect groups and time, and text as each peer likes it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from kernelect.datasets import DataSet, public_tables
from kernelect.studies.cells import Key, Outcome
from kernelect.studies.definition import read_study
from kernelect.studies.export import compact_rows
from kernelect.studies.peers import ThenCalibrated, WithCategories, coded_columns
from kernelect.studies.splits import make_problem
from kernelect.studies.store import Results
from kernelect.studies.tables import make_tables


def data_set(**stored):
    X = pd.DataFrame({"row": np.arange(100.0), "text": ["u", "v"] * 50})
    return DataSet(name="made up", X=X, y=np.arange(100.0), source="", stored=stored)


PROTOCOL = {"kind": "held-out", "most_rows": 60}


def test_a_fifth_is_tested_and_the_table_stays_as_it_is():
    problem = make_problem(data_set(), PROTOCOL, 0, 0)
    assert problem.X.shape == (60, 2)
    assert len(problem.X_test) == 20
    assert not set(problem.X["row"]) & set(problem.X_test["row"])
    np.testing.assert_array_equal(problem.X["row"], problem.y)
    assert set(make_problem(data_set(), PROTOCOL, 1, 0).y_test) != set(problem.y_test)


def test_groups_are_tested_whole():
    groups = np.repeat(np.arange(25), 4)
    for split in range(3):
        problem = make_problem(data_set(groups=groups), PROTOCOL, split, 0)
        tested = groups[problem.y_test.astype(int)]
        assert len(tested) == 20
        assert not set(tested) & set(groups[problem.y.astype(int)])


def test_later_rows_are_tested_and_no_moment_is_on_both_sides():
    time = np.arange(100)[::-1] // 3
    last = 101
    for split in range(3):
        problem = make_problem(data_set(time=time), PROTOCOL, split, 0)
        tested, fitted = time[problem.y_test.astype(int)], time[problem.y.astype(int)]
        assert fitted.max() < tested.min()
        assert 20 <= len(tested) <= 23
        assert tested.max() < last
        last = tested.max()


def test_text_is_coded_and_gaps_are_filled():
    X = pd.DataFrame({"a": [1.0, np.nan, 3.0, 5.0], "b": ["u", "v", None, "u"]})
    coder = coded_columns().fit(X)
    found = coder.transform(pd.DataFrame({"a": [np.nan], "b": ["unseen"]}))
    assert found.shape == (1, 2 + 3)  # the number, its mark, and three words of which one is a gap
    assert np.isfinite(found).all()
    assert not found[0, 2:].any()


class Recorder(BaseEstimator):
    def __init__(self, cat_features=None):
        self.cat_features = cat_features

    def fit(self, X, y):
        self.seen_, self.classes_ = X, np.unique(y)
        return self

    def predict(self, X):
        return X


def test_words_go_to_the_columns_that_are_named():
    X = pd.DataFrame({"a b": [1.0, 2.0], "c": ["u", None]})
    model = WithCategories(Recorder(), words=True).fit(X, np.array([0, 1]))
    assert model.fitted_.cat_features == ["c1"]
    assert model.fitted_.seen_["c1"].tolist() == ["u", "missing"]
    assert model.predict(X.assign(c=["new", "u"]))["c1"].tolist() == ["new", "u"]
    assert model.classes_.tolist() == [0, 1]


def test_categories_split_a_tree(rng):
    X = pd.DataFrame({"c": rng.choice(list("abcdef"), 300), "x": rng.normal(size=300)})
    y = np.where(X["c"].isin(["b", "e"]), "yes", "no")
    model = WithCategories(HistGradientBoostingClassifier(max_iter=20)).fit(X[:200], y[:200])
    assert np.mean(model.predict(X[200:]) == y[200:]) > 0.95
    assert model.predict_proba(X.assign(c="new")).shape == (300, 2)


def test_probabilities_are_fitted_to_the_best_found_alone(rng):
    X = rng.normal(size=(120, 2))
    y = np.where(np.abs(X[:, 0]) > 0.7, "yes", "no")  # no straight line tells them apart
    search = GridSearchCV(SVC(), {"kernel": ["linear", "rbf"]}, cv=5)
    model = ThenCalibrated(search).fit(X, y)
    assert model.fitted_.estimator.kernel == "rbf"
    assert np.mean(model.predict(X) == y) > 0.85
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_the_study_holds_the_frozen_list_in_the_order_of_hashes():
    tables = public_tables()
    assert list(read_study("public").datasets) == sorted(tables, key=lambda name: tables[name].sha256)


@pytest.fixture
def results(tmp_path):
    rest = {"state": "done", "message": "", "seconds": 1.0, "seed": 0}
    study = read_study("public")
    with Results.create(tmp_path / "r.sqlite", study) as results:
        for number, dataset in enumerate(list(study.datasets)[:6]):
            for method, more in (("balanced", 0.0), ("forest", 2.0)):
                figures = {"loss": 20.0 + number + more, "fit_seconds": 1.0 + more, "other": 1.0}
                figures |= {"log_loss": 0.4 + more} if number < 4 else {}
                facts = {"packages": {"kernelect": "9"}, "commit": "abc"}
                results.write(Outcome(key=Key(dataset, method, 0), figures=figures, environment=facts, **rest))
        yield results


def test_labels_and_numbers_are_apart(results):
    counted = {table.title: table.notes[0].split()[0] for table in make_tables(results)}
    numbers = "Numbers: RMSE in % of the standard deviation"
    assert counted == {"Labels: error %": "4", "Labels: log-loss": "4", numbers: "2"}
    assert make_tables(results)[0].rows[1][-1].text == "0.33"


def test_the_commit_stays_with_the_cells(results):
    row = next(compact_rows(results))
    assert row["version"] == "9+abc"
    assert "fit_seconds" in row
    assert "other" not in row
