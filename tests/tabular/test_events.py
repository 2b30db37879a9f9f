"""Times until an event in tables: which column tells it, folds, scores, files, and what asks for it."""

import numpy as np
import pandas as pd
import pytest

from kernelect.exceptions import InvalidArgument, MissingCapability, UnusableTable
from kernelect.facts import FoldOutcome, Judge
from kernelect.tabular import (
    FoldOptions,
    MachineOptions,
    Table,
    columns_text,
    compare_table,
    describe_table,
    evaluate_table,
    fit_table,
    load_model,
    match_columns,
    predict_table,
    read_columns,
    save_model,
)
from kernelect.tabular.compare import GUESSING, candidates
from kernelect.tabular.stakes import with_stakes
from oracles import limits as slow

OPTION = "use --event 'status'"


def study(n=100, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    time, end = np.exp(3.0 + X[:, 0] + 0.3 * rng.normal(size=n)), rng.exponential(50.0, size=n)
    frame = pd.DataFrame(X, columns=["a", "b"])
    return frame.assign(days=np.ceil(np.minimum(time, end)), status=(time <= end).astype(int))


def test_the_column_of_events_is_no_input():
    frame = study()
    schema, rows, remarks = describe_table(frame, "days", event="status")
    assert [column.name for column in schema.columns] == ["a", "b"]
    assert (schema.task, schema.own_task, schema.event) == ("regression", "survival", "status")
    np.testing.assert_array_equal(rows.event, frame["status"] == 1)
    assert not any(OPTION in each for each in remarks)
    truths = describe_table(frame.assign(status=frame["status"] == 1), "days", event="status")[1]
    np.testing.assert_array_equal(truths.event, rows.event)


def test_rows_without_a_target_have_no_event():
    frame = study()
    frame.loc[:9, "days"] = np.nan
    _, rows, _ = describe_table(frame, "days", event="status")
    np.testing.assert_array_equal(rows.event, frame["status"][10:] == 1)


def test_a_time_beside_a_status_asks_for_the_option():
    frame = study()
    assert any(OPTION in each for each in describe_table(frame, "days")[2])
    others = [
        ("amount", frame.rename(columns={"days": "amount"})),  # no time
        ("days", frame.rename(columns={"status": "smoker"})),  # no event
        ("days", frame.assign(status=frame["status"] + 1)),  # not 0 and 1
        ("days", frame.assign(days=-frame["days"])),  # no time either
    ]
    for target, other in others:
        assert not any("--event" in each for each in describe_table(other, target)[2])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda status: status + 1, r"--event 'status': row \d+ has '2': every row needs 1"),
        (lambda status: status.where(status.index > 3), "row 1 has 'nan': every row needs 1"),
        (lambda status: 0 * status, "no row has an event.*wrong way round"),
    ],
)
def test_columns_that_tell_no_events_are_refused(change, words):
    frame = study()
    with pytest.raises(UnusableTable, match=words):
        describe_table(frame.assign(status=change(frame["status"])), "days", event="status")


def test_a_fitted_table_is_scored_and_kept(tmp_path):
    schema, rows, _ = describe_table(study(), "days", event="status")
    model = fit_table(rows, schema, MachineOptions(), FoldOptions(3))
    assert model.estimator == "KernelSurvival"
    found = model.assessment
    scores = [each.score("concordance") for each in (found.outer_folds, found.leave_one_out, found.baseline)]
    assert scores[0].value > 0.75
    assert scores[1].value > 0.75
    assert (scores[2].value, found.baseline.name) == (0.5, "one curve for all rows (Kaplan-Meier)")
    assert model.facts["quality"]["main"] == "concordance"
    assert model.facts["verdict"]["good"].startswith("Of 100 pairs of new rows it predicts for about ")
    save_model(model, tmp_path / "m.kernelect")
    loaded, remarks = load_model(tmp_path / "m.kernelect")
    assert (remarks, loaded.schema.event) == ([], "status")
    pd.testing.assert_frame_equal(predict_table(loaded, rows.X, 0.8), predict_table(model, rows.X, 0.8))
    (tmp_path / "columns.toml").write_text(columns_text(schema, "t.csv"))
    assert read_columns(tmp_path / "columns.toml").event == "status"
    names = [score.name for score in found.outer_folds.scores]
    assert names == ["concordance", "concordance (Uno)", "integrated Brier score", "calibration at the median time"]
    better, worse = (each.score("integrated Brier score").value for each in (found.outer_folds, found.baseline))
    assert better < 0.6 * worse
    assert "status" not in " ".join(match_columns(schema, Table(study(), "t.csv"))[1])


def test_a_model_of_times_is_evaluated_beside_its_claim():
    schema, rows, _ = describe_table(study(), "days", event="status")
    model = fit_table(rows, schema, MachineOptions(effort="fast"), FoldOptions(2))
    found, _ = evaluate_table(model, Table(study(80, seed=1), "t.csv"), by="a")
    assert found["main"] == "concordance"
    assert found["outcome"] == "as claimed"
    scores = {one["name"]: one for one in found["scores"]}
    assert scores["concordance"]["value"] > 0.85
    assert all(abs(scores[name]["z"]) < 3.0 for name in ("concordance", "concordance (Uno)", "integrated Brier score"))
    assert "the median time of events, predicted survival is off by" in found["calibration"]
    assert len(found["groups"]) == 4
    # Times that say the opposite are seen to be worse.
    turned = study(80, seed=1).assign(days=lambda frame: 1.0 + frame["days"].max() - frame["days"])
    worse, _ = evaluate_table(model, Table(turned, "t.csv"))
    assert worse["outcome"] == "worse"


def test_evaluating_times_needs_the_column_of_events():
    schema, rows, _ = describe_table(study(), "days", event="status")
    model = fit_table(rows, schema, MachineOptions(effort="fast"), FoldOptions(0))
    with pytest.raises(InvalidArgument, match="status"):
        evaluate_table(model, Table(study().drop(columns="status"), "t.csv"))


def test_times_are_compared_with_cox_a_forest_and_one_curve():
    schema, rows, _ = describe_table(study(), "days", event="status")
    entries = candidates(schema, effort="fast")
    names = [entry.name for entry in entries]
    assert names == ["auto", "Cox regression, ridge", "survival forest alone", GUESSING]
    found = compare_table(rows, schema, entries, FoldOptions(2))
    assert found.score == "concordance"
    values = {one.name: one.estimate.score("concordance").value for one in found.contenders}
    assert values.pop(GUESSING) == 0.5
    assert min(values.values()) > 0.8
    brier = {one.name: one.estimate.score("integrated Brier score").value for one in found.contenders}
    assert max(brier, key=brier.get) == GUESSING


def test_folds_are_judged_by_the_order_of_their_own_rows():
    frame = study(60)
    time, event = frame["days"].to_numpy(), (frame["status"] == 1).to_numpy()
    predicted, parts = np.exp(frame["a"].to_numpy()), np.array_split(np.arange(60), 3)
    outcomes = [FoldOutcome(rows=rows, prediction=predicted[rows], probability=None) for rows in parts]
    score = Judge(time, event=event).of_folds("folds", outcomes, 3).score("concordance")
    expected = [slow.concordance(time[rows], event[rows], -predicted[rows]) for rows in parts]
    assert score.value == pytest.approx(np.mean(expected), abs=1e-12)
    assert score.standard_error > 0.0


def test_what_survival_has_not_is_said():
    schema, rows, _ = describe_table(study(), "days", event="status")
    with pytest.raises(InvalidArgument, match="not for survival times"):
        with_stakes(schema, rows, metric="rmse")
    with pytest.raises(MissingCapability, match="machine='lssvm' does no survival: use one of auto"):
        fit_table(rows, schema, MachineOptions("lssvm"), FoldOptions(0))
