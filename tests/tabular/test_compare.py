"""Candidates on the same folds, and their paired differences."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_friedman1

from kernelect.exceptions import UnusableTable
from kernelect.tabular import FoldOptions, describe_table
from kernelect.tabular.compare import Candidate, candidates, compare_table
from kernelect.tabular.pipeline import make_pipeline_for
from kernelect.tabular.stakes import with_stakes


@pytest.fixture
def described(mixed):
    return describe_table(mixed.drop(columns="value"), "label")[:2]


def test_candidates_suit_the_task(mixed, described):
    names = [candidate.name for candidate in candidates(described[0])]
    assert names[:4] == ["auto", "lssvm ard", "lssvm rbf", "lssvm linear"]
    assert len(names) == 1 + 4 * 3 + 4
    regression, _, _ = describe_table(mixed.drop(columns="label"), "value")
    names = [candidate.name for candidate in candidates(regression)]
    assert len(names) == 1 + 3 * 3 + 2 + 4
    assert "basis linear" in names
    assert "svm ard" not in names
    assert "sklearn SVR grid" in names


def test_differences_are_paired_and_corrected(described):
    schema, rows = described
    entries = candidates(schema, machines=["lssvm"], kernels=["rbf", "linear"])[:2]
    seen = []
    found = compare_table(rows, schema, entries, FoldOptions(folds=3, repeats=2), lambda *what: seen.append(what))
    best, other = found.contenders
    assert found.score == "error"
    assert len(seen) == 14
    paired = other.fold_values - best.fold_values
    assert found.difference(best) is None
    assert found.difference(other).value == pytest.approx(paired.mean())
    assert found.difference(other).standard_error == pytest.approx(
        np.sqrt((1 / 6 + 1 / 2) * np.var(paired, ddof=1)), abs=1e-12
    )
    assert best.fold_values.mean() <= other.fold_values.mean()


def test_scikit_learns_candidates_run_on_the_same_columns(described):
    schema, rows = described
    entries = [candidate for candidate in candidates(schema, machines=[]) if "forest" in candidate.name]
    found = compare_table(rows, schema, entries, FoldOptions(folds=2)).contenders[0]
    assert found.estimate.score("error").value < 0.4
    assert found.estimate.score("log-loss") is not None


def test_the_grid_of_an_svr_does_not_depend_on_the_unit_of_the_target():
    X, y = make_friedman1(150, n_features=5, random_state=0)
    frame = pd.DataFrame(X, columns=list("abcde"))

    def error(unit):
        schema, rows, _ = describe_table(frame.assign(target=unit * y), "target")
        entries = [candidate for candidate in candidates(schema, machines=[]) if "SVR" in candidate.name]
        return compare_table(rows, schema, entries, FoldOptions(folds=2)).contenders[0].mean() / unit

    assert error(1e4) == pytest.approx(error(1.0), rel=1e-3)
    assert error(1e4) < 0.6 * np.std(y)


class Broken:
    """A machine that fails in fit."""

    def fit(self, X, y):
        raise ValueError("broken by design")

    def get_params(self, deep=True):
        return {}


def test_a_failure_is_a_remark_and_the_time_limit_too(described):
    schema, rows = described
    broken = Candidate("broken", make_pipeline_for(schema.columns, Broken()), False)
    fine = candidates(schema, machines=["lssvm"], kernels=["linear"])[:1]
    found = compare_table(rows, schema, [broken, *fine], FoldOptions(folds=2))
    assert [contender.name for contender in found.contenders] == ["lssvm linear", "broken"]
    assert found.contenders[1].remark == "broken by design"
    assert found.difference(found.contenders[1]) is None
    with pytest.raises(UnusableTable, match="No candidate could be run: broken by design"):
        compare_table(rows, schema, [broken], FoldOptions(folds=2))
    with pytest.raises(UnusableTable, match="the time limit came first"):
        compare_table(rows, schema, fine, FoldOptions(folds=2, time_limit=-1.0))
    guessing = [one for one in candidates(schema) if one.name == "guessing"]
    late = compare_table(rows, schema, [*fine, *guessing], FoldOptions(folds=2, time_limit=-1.0))
    assert [(one.name, one.mark) for one in late.contenders] == [("guessing", ""), ("lssvm linear", "not run")]


def test_a_difference_is_no_surer_than_its_rows_allow(described):
    """Folds on which two candidates differ by the same number of rows: their spread is 0, that of the rows is not."""
    schema, rows = described
    entries = candidates(schema, machines=["lssvm"], kernels=["rbf", "linear"])[:2]
    found = compare_table(rows, schema, entries, FoldOptions(folds=3))
    best, other = found.contenders
    level = replace(other, fold_values=best.fold_values + 0.1)
    n, paired = len(rows.y), level.losses.losses - best.losses.losses
    expected = np.sqrt(np.sum((paired - paired.mean()) ** 2) / (n - 1) / n)
    assert found.difference(level).standard_error == pytest.approx(expected)
    assert found.name == "3 outer folds"


def test_candidates_are_ranked_by_the_metric_and_guessing_is_one_of_them(described):
    schema, rows = described
    schema = with_stakes(schema, rows, metric="auc")
    entries = [one for one in candidates(schema, machines=["lssvm"], kernels=["linear"]) if "forest" not in one.name]
    entries = [one for one in entries if "boosting" not in one.name]
    found = compare_table(rows, schema, entries, FoldOptions(folds=3))
    assert found.score == "AUC"
    assert [one.name for one in found.contenders] == ["lssvm linear", "guessing", "sklearn SVC grid"]
    best, guess, mute = found.contenders
    assert -guess.fold_values == pytest.approx(0.5)
    assert found.difference(guess).value == pytest.approx(best.estimate.score("AUC").value - 0.5)
    assert mute.mark == "no AUC"


def test_who_ran_out_of_time_is_marked(described, monkeypatch):
    schema, rows = described
    entries = candidates(schema, machines=["lssvm"], kernels=["rbf", "linear"])[:2]
    found = compare_table(rows, schema, entries, FoldOptions(folds=2, time_limit=1e-3))
    assert {one.mark for one in found.contenders} <= {"out of time", "not run"}
    assert found.contenders[0].mark == "out of time"
