"""Honest figures: against scikit-learn's, against refits, and their errors against simulation."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import brier_score_loss, log_loss, mean_absolute_error, mean_squared_error, r2_score, roc_auc_score

from kernelect.exceptions import InvalidArgument
from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table
from kernelect.tabular.assess import assess
from kernelect.tabular.scores import area_under_curve, classification_losses, fold_standard_error, regression_losses


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


def test_leave_one_out_is_what_refits_at_the_selected_values_give(rng):
    frame = pd.DataFrame({"x": rng.normal(size=20), "z": rng.normal(size=20)})
    schema, rows, _ = describe_table(frame.assign(y=frame["x"] ** 2 + frame["z"]), "y")
    model = fit_table(rows, schema, MachineOptions(kernel="rbf"), FoldOptions(folds=0))
    machine, inputs = model.estimator, model.pipeline[:-1].transform(rows.X)
    fixed = clone(machine).set_params(kernel=machine.kernel_, regularization=machine.regularization_)
    for i in (0, 7, 19):
        kept = np.arange(20) != i
        refitted = fixed.fit(inputs[kept], rows.y[kept]).predict(inputs[[i]])[0]
        assert model.assessment.leave_one_out.prediction[i] == pytest.approx(refitted, abs=1e-8)


def test_outer_folds_select_anew_and_do_not_reuse_what_all_rows_selected(mixed, monkeypatch):
    schema, rows, _ = describe_table(mixed.drop(columns="value"), "label")
    selected = []
    monkeypatch.setattr(
        "kernelect.tabular.folds._probability",
        lambda model, inputs, schema: selected.append((model[-1].kernel_.gamma, len(model[-1].X_fit_))),
    )
    model = fit_table(rows, schema, MachineOptions(kernel="rbf"), FoldOptions(folds=3))
    widths = [model.estimator.kernel_.gamma, *(gamma for gamma, _ in selected)]
    assert len(set(widths)) == 4
    assert [size for _, size in selected] == [40, 40, 40]


def test_the_baseline_looks_at_no_input(mixed):
    schema, rows, _ = describe_table(mixed.drop(columns="value"), "label")
    found = fit_table(rows, schema, MachineOptions(kernel="rbf"), FoldOptions(folds=0)).assessment
    share = (rows.y == "big").mean()
    assert found.baseline.score("error").value == pytest.approx(min(share, 1 - share))
    assert found.baseline.score("log-loss").value == pytest.approx(
        -share * np.log(share) - (1 - share) * np.log1p(-share)
    )
    assert found.baseline.score("AUC").value == 0.5
    assert found.outer_folds is None


def test_out_of_fold_predictions_are_kept_in_the_order_of_the_table(mixed):
    schema, rows, _ = describe_table(mixed.drop(columns="value"), "label")
    options = FoldOptions(folds=3, repeats=2, seed=1)
    model = fit_table(rows, schema, MachineOptions(kernel="rbf"), options)
    outer = model.assessment.outer_folds
    assert outer.name == "3 outer folds x 2"
    assert outer.probability.shape == (len(mixed), 2)
    np.testing.assert_array_equal(outer.y_true, mixed["label"])
    train, test = options.splits(rows, schema)[0]
    first = clone(model.pipeline).fit(rows.X.iloc[train], rows.y.iloc[train])
    np.testing.assert_array_equal(outer.prediction[test], first.predict(rows.X.iloc[test]))
    np.testing.assert_allclose(outer.probability[test], first.predict_proba(rows.X.iloc[test]), atol=1e-8)
    assert [score.name for score in outer.scores] == ["error", "log-loss", "Brier score", "AUC"]
    assert all(score.standard_error > 0 for score in outer.scores)


def test_folds_do_not_depend_on_jobs(mixed):
    schema, rows, _ = describe_table(mixed.drop(columns="label"), "value")
    scores = [
        fit_table(rows, schema, MachineOptions(kernel="rbf"), FoldOptions(folds=3, jobs=jobs)).assessment.outer_folds
        for jobs in (1, 2)
    ]
    np.testing.assert_allclose(scores[0].prediction, scores[1].prediction, rtol=1e-8)


def test_a_class_that_a_fold_lacks_has_probability_zero(mixed):
    mixed.loc[[0, 1], "label"] = "rare"
    schema, rows, _ = describe_table(mixed.drop(columns="value"), "label")
    found = fit_table(rows, schema, MachineOptions(kernel="rbf"), FoldOptions(folds=2)).assessment
    np.testing.assert_allclose(found.outer_folds.probability.sum(axis=1), 1.0)
    assert found.outer_folds.probability.shape[1] == 3


def test_weights_count(mixed):
    weighted = mixed.assign(weight=np.arange(60.0)).drop(columns="value")
    schema, rows, remarks = describe_table(weighted, "label", weight="weight")
    assert "1 row(s) of weight 0 were left out." in remarks
    found = fit_table(rows, schema, MachineOptions(kernel="rbf"), FoldOptions(folds=2)).assessment
    missed = found.outer_folds.prediction != found.outer_folds.y_true
    assert found.outer_folds.score("error").value == pytest.approx(np.average(missed, weights=np.arange(1.0, 60.0)))
    assert found.outer_folds.score("AUC") is None


def test_progress_and_time_limit(mixed):
    schema, rows, _ = describe_table(mixed.drop(columns="value"), "label")
    model = fit_table(rows, schema, MachineOptions(kernel="rbf", time_limit=1e-6), FoldOptions(folds=2))
    assert any("time limit" in remark and "LSSVC" in remark for remark in model.remarks)
    assert any(remark.startswith("In 2 of 2 outer folds") for remark in model.remarks)
    seen = []
    assess(model.pipeline, rows, schema, FoldOptions(folds=3), seen.append)
    assert seen == [0, 1, 2, 3]


def test_impossible_folds(mixed):
    schema, rows, _ = describe_table(mixed, "label")
    for folds in (1, 61):
        with pytest.raises(InvalidArgument, match=f"--folds {folds} is not possible with 60 rows"):
            fit_table(rows, schema, MachineOptions(), FoldOptions(folds=folds))


def test_folds_that_differ_more_than_chance_are_told(mixed):
    schema, rows, _ = describe_table(mixed.drop(columns="label"), "value")
    calm = fit_table(rows, schema, MachineOptions(kernel="linear"), FoldOptions(folds=3))
    assert not any("differ more than chance" in remark for remark in calm.remarks)
    spoiled = rows.y.copy()
    _, test = FoldOptions(folds=3).splits(rows, schema)[0]
    spoiled.iloc[test] += 100.0  # one fold that no other resembles
    _, remarks = assess(calm.pipeline, type(rows)(rows.X, spoiled, None), schema, FoldOptions(folds=3))
    assert any("differ more than chance explains (RMSE" in remark for remark in remarks)
