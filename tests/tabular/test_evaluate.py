"""Scores on rows whose truth is known stand beside what the model claimed."""

import json

import numpy as np
import pandas as pd
import pytest

from kernelect.exceptions import InvalidArgument, UnusableTable
from kernelect.tabular import (
    FoldOptions,
    MachineOptions,
    Table,
    describe_table,
    evaluate_table,
    fit_table,
    load_model,
    save_model,
)
from kernelect.tabular.evaluating import _headline


def frame_of(seed, n, shift=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    value = X[:, 0] + 0.3 * rng.normal(size=n) + shift
    ward = np.where(np.arange(n) % 2, "north", "south")
    return pd.DataFrame(
        {"a": X[:, 0], "b": X[:, 1], "ward": ward, "value": value, "label": np.where(value > 0, "p", "n")}
    )


@pytest.fixture(scope="module")
def models():
    found = {}
    for target, other in (("value", "label"), ("label", "value")):
        schema, rows, _ = describe_table(frame_of(0, 120), target, drop=[other, "ward"])
        found[target] = fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(3))
    return found


def evaluated(models, target, frame, **options):
    return evaluate_table(models[target], Table(frame, "new.csv"), **options)[0]


@pytest.mark.parametrize("target", ["value", "label"])
def test_fresh_rows_of_the_same_kind_are_scored_as_claimed(models, target):
    frame = frame_of(1, 200)
    found = evaluated(models, target, frame)
    assert (found["rows"], found["outcome"]) == (200, "as claimed")
    said = models[target].predict(frame[["a", "b"]])
    scores = {one["name"]: one for one in found["scores"]}
    if target == "value":
        off = (frame["value"] - said).to_numpy()
        assert scores["RMSE"]["value"] == pytest.approx(np.sqrt(np.mean(off**2)))
        assert scores["MAE"]["standard_error"] == pytest.approx(np.std(np.abs(off), ddof=1) / np.sqrt(200))
        assert "Intervals made to hold 90 %" in found["calibration"]
        assert found["worst_rows"][0]["row"] == int(np.argmax(np.abs(off))) + 1
    else:
        wrong = (frame["label"] != said).to_numpy()
        assert scores["error"]["value"] == pytest.approx(wrong.mean())
        assert "Probabilities are off by" in found["calibration"]
        assert all(wrong[one["row"] - 1] for one in found["worst_rows"])
    assert all(one["claimed"] and abs(one["z"]) < 4.0 for one in found["scores"])


def test_a_model_whose_error_was_not_measured_claimed_nothing():
    """It has the baseline alone, which is no claim of the model."""
    schema, rows, _ = describe_table(frame_of(0, 120), "value", drop=["label", "ward"])
    model = fit_table(rows, schema, MachineOptions("basis", kernel="linear"), FoldOptions(0))
    found = evaluate_table(model, Table(frame_of(1, 50), "new.csv"))[0]
    assert {(one["claimed"], one["z"]) for one in found["scores"]} == {("", None)}
    assert "the model made no claim" in found["headline"]


def test_rows_that_differ_are_worse_than_claimed(models):
    found = evaluated(models, "value", frame_of(2, 100, shift=1.0), most=3)
    assert found["outcome"] == "worse"
    assert "than the" in found["headline"]
    assert found["headline"].endswith("look at the worst rows, or fit again.")
    assert len(found["worst_rows"]) == 3


@pytest.mark.parametrize(
    ("z", "outcome"),
    [(2.0, "as claimed"), (2.01, "worse"), (-2.0, "as claimed"), (-2.01, "better"), (None, "not claimed")],
)
def test_a_difference_counts_from_two_standard_errors_on(z, outcome):
    score = {"name": "RMSE", "here": "1 ± 1", "claimed": "2 ± 1", "value": 1.0, "standard_error": 1.0, "z": z}
    assert _headline(score, 9)[0] == outcome


def test_groups_are_scored_by_themselves_the_worst_first(models):
    frame = frame_of(3, 160)
    frame.loc[frame["ward"] == "north", "value"] += 2.0
    found = evaluated(models, "value", frame, by="ward")
    assert [one["name"] for one in found["groups"]] == ["north", "south"]
    assert found["groups"][0]["z"] > 2.0 > found["groups"][1]["z"]
    assert sum(one["rows"] for one in found["groups"]) == 160
    numbers = evaluated(models, "value", frame, by="b")["groups"]
    assert [one["rows"] for one in numbers] == [40] * 4
    few = frame.assign(ward=["rare"] * 4 + ["often"] * 156)
    rare = next(one for one in evaluated(models, "value", few, by="ward")["groups"] if one["name"] == "rare")
    assert (rare["words"], rare["z"]) == ("fewer than 5 rows", None)
    with pytest.raises(InvalidArgument, match="--by: there is no column 'wart'"):
        evaluated(models, "value", frame, by="wart")


def test_rows_of_one_subject_are_no_rows_of_their_own_in_standard_errors():
    """Forty visits of twenty subjects, each of which has an offset: the scores are as sure as twenty numbers."""
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(20), 40)
    frame = pd.DataFrame({"subject": who, "x": rng.normal(size=800)})
    frame["y"] = frame["x"] + rng.normal(size=20)[who] + 0.1 * rng.normal(size=800)
    schema, rows, _ = describe_table(frame[who < 8], "y")
    model = fit_table(rows, schema, MachineOptions("lssvm", kernel="linear"), FoldOptions(0))
    new = frame[who >= 8].reset_index(drop=True)
    found = evaluate_table(model, Table(new, "new.csv"))[0]
    alone = evaluate_table(model, Table(new.drop(columns="subject"), "new.csv"))[0]
    ours, single = (next(s["standard_error"] for s in each["scores"] if s["name"] == "RMSE") for each in (found, alone))
    assert ours > 3.0 * single
    off = (new["y"] - model.predict(new[["x"]])).abs().groupby(new["subject"]).mean()  # numbers, which are names
    assert (found["by"], len(found["groups"])) == ("subject", 8)  # of twelve
    assert [int(one["name"]) for one in found["groups"][:3]] == off.sort_values().index[::-1][:3].tolist()
    assert (alone["by"], alone["groups"]) == ("", [])
    assert len(evaluate_table(model, Table(new, "new.csv"), most=3)[0]["groups"]) == 3


def test_the_worst_of_many_groups_is_found_where_it_comes_last(models):
    frame = frame_of(5, 300).assign(part=np.repeat(np.arange(30), 10).astype(str))
    frame.loc[290:, "value"] += 5.0
    groups = evaluated(models, "value", frame, by="part")["groups"]
    assert (groups[0]["name"], len(groups)) == ("29", 20)


def test_rows_without_a_known_target_are_left_out_and_counted(models):
    frame = frame_of(4, 50)
    frame.loc[:4, "label"] = None
    frame.loc[5:6, "label"] = "other"
    found, remarks = evaluate_table(models["label"], Table(frame, "new.csv"))
    assert found["rows"] == 43
    assert any(remark.startswith("7 rows without a target that the model knows") for remark in remarks)
    with pytest.raises(UnusableTable, match="No row of new.csv has one of the model's classes"):
        evaluated(models, "label", frame.assign(label="other"))


def test_rows_of_the_training_table_are_no_test(models, tmp_path):
    """A share that chance does not explain comes first; rows of a few categories are alike without being copies."""
    save_model(models["label"], tmp_path / "m.kernelect")
    loaded, _ = load_model(tmp_path / "m.kernelect", training=False)
    old, new = frame_of(0, 120), frame_of(1, 120)
    for known, told in ((120, True), (13, True), (12, False), (0, False)):
        table = Table(pd.concat([old[:known], new[known:]]), "new.csv")
        found = evaluate_table(loaded, table)[0]
        assert (found["outcome"] == "no test") == told
        assert found["headline"].startswith(f"{known} of 120 rows stand in {SEEN} On 120 rows" if told else "On 120")
    few = frame_of(0, 120).assign(ward=np.arange(120) % 5)
    schema, rows, _ = describe_table(few, "label", drop=["value", "a", "b"])
    model = fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(0))
    assert evaluate_table(model, Table(few, "new.csv"))[0]["outcome"] != "no test"


SEEN = (
    "the training table: the model has seen them, and predicts them better than new ones. Give rows that it has not "
    "seen."
)


def test_the_model_in_a_file_is_evaluated_alike(models, tmp_path):
    save_model(models["value"], tmp_path / "m.kernelect")
    loaded, _ = load_model(tmp_path / "m.kernelect", training=False)
    table = Table(frame_of(5, 60), "new.csv")
    found = evaluate_table(loaded, table, by="ward")
    assert json.loads(json.dumps(found[0])) == evaluate_table(models["value"], table, by="ward")[0]
