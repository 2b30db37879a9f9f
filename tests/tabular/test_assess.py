"""Scores of rows the model did not see: against refits."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from kernelect.exceptions import InvalidArgument, UnusableTable
from kernelect.numerics import Deadline
from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table
from kernelect.tabular import folds as folds_module
from kernelect.tabular.assessing import assess
from kernelect.tabular.folds import FitTime, fold_outcomes
from kernelect.tabular.pipeline import make_machine, make_pipeline_for
from kernelect.tabular.record import tuned

LSSVM = MachineOptions("lssvm", kernel="rbf")


def unfitted(schema):
    return make_pipeline_for(schema.columns, make_machine(LSSVM, schema.task, len(schema.columns)))


def test_leave_one_out_is_what_refits_at_the_selected_values_give(rng):
    frame = pd.DataFrame({"x": rng.normal(size=20), "z": rng.normal(size=20)})
    schema, rows, _ = describe_table(frame.assign(y=frame["x"] ** 2 + frame["z"]), "y")
    model = fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(folds=0))
    pipeline = tuned(rows, schema, MachineOptions("lssvm", kernel="rbf"))[0]
    machine, inputs = pipeline[-1], pipeline[:-1].transform(rows.X)
    fixed = clone(machine).set_params(kernel=machine.kernel_, regularization=machine.regularization_)
    for i in (0, 7, 19):
        kept = np.arange(20) != i
        refitted = fixed.fit(inputs[kept], rows.y[kept]).predict(inputs[[i]])[0]
        assert model.assessment.leave_one_out.prediction[i] == pytest.approx(
            refitted, abs=1e-7
        )  # targets without noise: a tiny ridge


def test_outer_folds_select_anew_and_do_not_reuse_what_all_rows_selected(mixed, monkeypatch):
    schema, rows, _ = describe_table(mixed.drop(columns="value"), "label")
    selected = []
    monkeypatch.setattr(
        "kernelect.tabular.folds._probability",
        lambda model, inputs, schema: selected.append((model[-1].kernel_.gamma, len(model[-1].X_fit_))),
    )
    model = fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(folds=3))
    widths = [model.model.components[0].kernel_part.kernel.gamma, *(gamma for gamma, _ in selected)]
    assert len(set(widths)) == 4
    assert [size for _, size in selected] == [40, 40, 40]


def test_the_baseline_looks_at_no_input(mixed):
    schema, rows, _ = describe_table(mixed.drop(columns="value"), "label")
    found = fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(folds=0)).assessment
    share = (rows.y == "big").mean()
    assert found.baseline.score("error").value == pytest.approx(min(share, 1 - share))
    assert found.baseline.score("log-loss").value == pytest.approx(
        -share * np.log(share) - (1 - share) * np.log1p(-share)
    )
    assert found.baseline.score("AUC").value == 0.5
    assert found.leave_one_out.score("AUC") is None  # pooled over models that each lack a row, it means nothing
    assert found.outer_folds is None


def test_out_of_fold_predictions_are_kept_in_the_order_of_the_table(mixed):
    schema, rows, _ = describe_table(mixed.drop(columns="value"), "label")
    options = FoldOptions(folds=3, repeats=2, seed=1)
    model = fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), options)
    outer = model.assessment.outer_folds
    assert outer.name == "3 outer folds, 2 times"
    assert outer.probability.shape == (len(mixed), 2)
    np.testing.assert_array_equal(outer.y_true, mixed["label"])
    train, test = options.splits(rows, schema)[0]
    first = unfitted(schema).fit(rows.X.iloc[train], rows.y.iloc[train])
    np.testing.assert_array_equal(outer.prediction[test], first.predict(rows.X.iloc[test]))
    np.testing.assert_allclose(outer.probability[test], first.predict_proba(rows.X.iloc[test]), atol=1e-8)
    assert [score.name for score in outer.scores] == ["error", "log-loss", "Brier score", "AUC"]
    assert all(score.standard_error > 0 for score in outer.scores)


def test_intervals_of_rows_left_out_are_those_of_their_fold(rng):
    frame = pd.DataFrame({"x": rng.normal(size=90), "z": rng.normal(size=90)})
    schema, rows, _ = describe_table(frame.assign(y=frame["x"] + np.exp(frame["z"]) * rng.normal(size=90)), "y")
    options = FoldOptions(folds=3)
    model = fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), options)
    outer = model.assessment.outer_folds
    train, test = options.splits(rows, schema)[0]
    first = unfitted(schema).fit(rows.X.iloc[train], rows.y.iloc[train])
    ends = first[-1].predict_interval(first[:-1].transform(rows.X.iloc[test]), coverage=0.9)
    np.testing.assert_allclose(outer.interval[test], np.column_stack(ends))
    inside = (outer.interval[:, 0] <= rows.y) & (rows.y <= outer.interval[:, 1])
    assert outer.held() == pytest.approx(inside.mean())
    assert 0.75 < outer.held() <= 1.0


def test_folds_do_not_depend_on_jobs(mixed):
    schema, rows, _ = describe_table(mixed.drop(columns="label"), "value")
    scores = [
        fit_table(
            rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(folds=3, jobs=jobs)
        ).assessment.outer_folds
        for jobs in (1, 2)
    ]
    np.testing.assert_allclose(scores[0].prediction, scores[1].prediction, rtol=1e-8)


def test_a_class_that_a_fold_lacks_has_probability_zero(mixed):
    mixed.loc[[0, 1], "label"] = "rare"
    schema, rows, _ = describe_table(mixed.drop(columns="value"), "label")
    found = fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(folds=2)).assessment
    np.testing.assert_allclose(found.outer_folds.probability.sum(axis=1), 1.0)
    assert found.outer_folds.probability.shape[1] == 3


def test_weights_count(mixed):
    weighted = mixed.assign(weight=np.arange(60.0)).drop(columns="value")
    schema, rows, remarks = describe_table(weighted, "label", weight="weight")
    assert "1 row of weight 0 was left out." in remarks
    found = fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(folds=2)).assessment
    missed = found.outer_folds.prediction != found.outer_folds.y_true
    assert found.outer_folds.score("error").value == pytest.approx(np.average(missed, weights=np.arange(1.0, 60.0)))
    assert found.outer_folds.score("AUC") is None


def test_progress_and_time_limit(mixed):
    schema, rows, _ = describe_table(mixed.drop(columns="value"), "label")
    model = fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf", time_limit=1e-6), FoldOptions(folds=2))
    assert any(remark.startswith("model selection stopped at the time limit") for remark in model.remarks)
    assert any(remark.startswith("The time limit left no time for outer folds") for remark in model.remarks)
    assert model.assessment.outer_folds is None
    seen = []
    assess(tuned(rows, schema, LSSVM)[0], rows, schema, FoldOptions(folds=3), seen.append)
    assert seen == [0, 1, 2, 3]


def test_impossible_folds(mixed):
    schema, rows, _ = describe_table(mixed, "label")
    for folds in (1, 61):
        with pytest.raises(
            InvalidArgument, match=rf"--folds {folds} must be .* from 2 to 60, the number of rows \(fit also takes 0"
        ):
            fit_table(rows, schema, MachineOptions("lssvm"), FoldOptions(folds=folds))


def test_folds_that_differ_more_than_chance_are_told(mixed):
    schema, rows, _ = describe_table(mixed.drop(columns="label"), "value")
    calm = fit_table(rows, schema, MachineOptions("lssvm", kernel="linear"), FoldOptions(folds=3))
    assert not any("differ by more than chance" in remark for remark in calm.remarks)
    pipeline, _ = tuned(rows, schema, MachineOptions("lssvm", kernel="linear"))
    spoiled = rows.y.copy()
    _, test = FoldOptions(folds=3).splits(rows, schema)[0]
    spoiled.iloc[test] += 100.0  # one fold that no other resembles
    _, remarks = assess(pipeline, type(rows)(X=rows.X, y=spoiled, weights=None), schema, FoldOptions(folds=3))
    assert any("differ by more than chance explains (RMSE" in remark for remark in remarks)


def test_copies_do_not_make_folds_differ_more_than_chance(rng):
    """Thirty copies of each row are one observation: folds of few rows differ by chance."""
    few = pd.DataFrame({"a": rng.normal(size=24), "y": rng.standard_t(3, size=24)})
    schema, rows, _ = describe_table(pd.concat([few] * 30, ignore_index=True), "y")
    model = fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(folds=4))
    assert not any("differ by more than chance" in remark for remark in model.remarks)


def test_a_fold_that_leaves_nothing_to_learn_from_is_told():
    frame = pd.DataFrame({"x": [0.0] * 11 + [1.0], "y": ["a", "b"] * 6})
    schema, rows, _ = describe_table(frame, "y")
    options = MachineOptions("auto", effort="fast")
    with pytest.raises(UnusableTable, match=r"one outer fold make no model \(X has no column .*--folds 0"):
        fit_table(rows, schema, options, FoldOptions(folds=3))
    assert fit_table(rows, schema, options, FoldOptions(folds=0)).machine == "auto"


def folds_in(mixed, monkeypatch, fit_time, seconds):
    """Return the time limit of each of four folds that begins, and whether it was hurried; each takes all its time."""
    schema, rows, _ = describe_table(mixed.drop(columns="value"), "label")
    now, limits = [0.0], []
    fit_fold = folds_module.run_fold

    def run(model, *data, **more):
        limits.append(model[-1].time_limit)
        now[0] += limits[-1]
        return fit_fold(model, *data, **more)

    monkeypatch.setattr(folds_module, "run_fold", run)
    pipeline = make_pipeline_for(schema.columns, make_machine(MachineOptions("lssvm", kernel="rbf"), schema.task, 3))
    options = FoldOptions(folds=4, fit_time=fit_time)
    deadline = Deadline(seconds, lambda: now[0])
    found = list(fold_outcomes(pipeline, rows, schema, options.splits(rows, schema), options, deadline))
    monkeypatch.undo()
    return limits, [outcome.hurried for outcome in found]


def test_every_fold_has_as_much_time_as_the_fit_on_all_rows(mixed, monkeypatch):
    """A fold in less time would judge another model: it does not begin."""
    assert folds_in(mixed, monkeypatch, FitTime(seconds=20.0, limit=25.0), 100.0) == ([25.0] * 4, [False] * 4)
    assert folds_in(mixed, monkeypatch, FitTime(seconds=20.0, limit=25.0), 94.0) == ([25.0] * 3, [False] * 3)
    assert folds_in(mixed, monkeypatch, FitTime(seconds=20.0, limit=25.0), 95.0) == ([25.0] * 3 + [20.0], [False] * 4)


def test_two_folds_are_run_in_any_case_and_hurried_if_need_be(mixed, monkeypatch):
    assert folds_in(mixed, monkeypatch, FitTime(seconds=20.0, limit=25.0), 36.0) == ([18.0] * 2, [True] * 2)


def test_the_fit_on_all_rows_leaves_time_for_three_folds_like_it():
    assert [FoldOptions(folds=5, jobs=jobs).share_of_fit for jobs in (1, 2, 3, 5)] == [1 / 4, 1 / 3, 1 / 2, 1 / 2]
    assert FoldOptions(folds=0).share_of_fit == 1.0


def test_hurried_folds_are_told_and_the_table_is_not_blamed(mixed):
    schema, rows, _ = describe_table(mixed.drop(columns="label"), "value")
    pipeline, _ = tuned(rows, schema, MachineOptions("rvm", kernel="rbf"))
    options = FoldOptions(folds=3, time_limit=60.0, fit_time=FitTime(seconds=100.0, limit=100.0))
    _, remarks = assess(pipeline, rows, schema, options)
    assert any("left outer folds less time than the fit on all rows" in remark for remark in remarks)
    assert not any("differ by more than chance" in remark for remark in remarks)


def test_leave_one_out_is_shown_if_there_is_no_time_for_two_folds(mixed):
    schema, rows, _ = describe_table(mixed.drop(columns="label"), "value")
    pipeline, _ = tuned(rows, schema, LSSVM)
    options = FoldOptions(folds=3, time_limit=60.0, fit_time=FitTime(seconds=31.0, limit=31.0))
    found, remarks = assess(pipeline, rows, schema, options)
    assert found.outer_folds is None
    assert [remark.partition(":")[0] for remark in remarks] == ["The time limit left no time for outer folds"]
    found, _ = assess(pipeline, rows, schema, replace(options, fit_time=FitTime(seconds=1.0, limit=31.0)))
    assert found.outer_folds.name == "3 outer folds"


@pytest.mark.parametrize("target", ["label", "value"])
def test_the_baseline_is_that_of_the_rows_of_the_folds(mixed, target):
    """The first rows are never predicted, and guessed by nobody; each fold guesses from its own training rows."""
    frame = mixed.drop(columns={"label": "value", "value": "label"}[target]).assign(when=np.arange(60.0))
    schema, rows, _ = describe_table(frame, target, time="when")
    options = FoldOptions(folds=3)
    found = fit_table(rows, schema, MachineOptions("lssvm", kernel="linear"), options).assessment
    np.testing.assert_array_equal(found.baseline.rows, found.outer_folds.rows)
    assert len(found.baseline.rows) < 60
    y, misses = rows.y.to_numpy(), []
    for train, test in options.splits(rows, schema):
        if target == "value":
            misses += list((y[test] - y[train].mean()) ** 2)
        else:
            names, counts = np.unique(y[train], return_counts=True)
            misses += list(y[test] != names[np.argmax(counts)])
    score = np.sqrt(np.mean(misses)) if target == "value" else np.mean(misses)
    assert found.baseline.scores[0].value == pytest.approx(score)


def test_without_time_two_folds_are_run_where_there_is_no_leave_one_out(mixed):
    schema, rows, _ = describe_table(mixed.drop(columns="value"), "label")
    options = MachineOptions("svm", kernel="rbf", time_limit=1e-6)
    model = fit_table(rows, schema, options, FoldOptions(folds=5, repeats=2))
    outer = model.assessment.outer_folds
    assert outer.name == "2 of 5 outer folds, 2 times"
    assert len(outer.rows) == len(outer.prediction) < 0.5 * len(rows.y)
    np.testing.assert_array_equal(model.assessment.baseline.rows, outer.rows)
    assert model.assessment.held_out is None
    assert not any(remark.startswith("In 2 of 2 outer folds") for remark in model.remarks)  # time is told once
    assert any("The time limit was reached after 2 of 5 outer folds" in remark for remark in model.remarks)
    whole = fit_table(rows, schema, replace(options, time_limit=None), FoldOptions(folds=3))
    assert whole.assessment.outer_folds.name == "3 outer folds"
    assert whole.assessment.held_out is not None
