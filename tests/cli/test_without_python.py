"""Commands that explain and export saved models, and predictions with reasons."""

import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from kernelect.model.decisions import Decision
from kernelect.tabular import (
    FoldOptions,
    MachineOptions,
    describe_table,
    explain_table,
    fit_table,
    match_columns,
    predict_table,
    read_table,
    save_model,
)
from oracles.compiled import compiler, run_c
from oracles.tables import mixed_frame


@pytest.fixture(scope="module")
def fitted():
    found = {}
    for target, other, machine in (("label", "value", "lssvm"), ("value", "label", "lssvm"), ("sparse", "", "rvm")):
        name = target if other else "label"
        schema, rows, _ = describe_table(mixed_frame(), name, drop=[other or "value"])
        found[target] = fit_table(rows, schema, MachineOptions(machine, kernel="rbf"), FoldOptions(0), title="mixed")
    return found


@pytest.fixture
def saved(folder, fitted):
    for name, model in fitted.items():
        save_model(model, folder / f"{name}.kernelect")
    mixed_frame()[:4].to_csv(folder / "few.csv", index=False)
    return folder


def words_of(outcome):
    return " ".join(outcome.output.split())


def test_reasons_beside_predictions(run, saved):
    outcome = run("predict", "label.kernelect", "mixed.csv", "--explain", "2")
    frame = pd.read_csv(io.StringIO(outcome.stdout))
    assert list(frame.columns)[-2:] == ["reason 1", "reason 2"]
    first = frame["reason 1"][1]
    assert first.startswith(("size = ", "colour = ", "weight = "))
    assert first.endswith(")")
    assert "(+" in first or "(-" in first


def test_reasons_are_the_strongest_effects(saved, fitted):
    X, _ = match_columns(fitted["label"].schema, read_table(str(saved / "mixed.csv")))
    explained = explain_table(fitted["label"], X)
    record = fitted["label"].model
    decision = record.decisions(record.inputs(X))[:, 0]
    np.testing.assert_allclose(np.abs(explained.total), np.abs(decision), atol=1e-10)
    assert np.all(explained.total > 0.0)  # towards the class that is predicted
    for row in range(5):
        reasons = explained.reasons(row, 2)
        assert abs(reasons[0].effect) >= abs(reasons[1].effect) > 0.0
        assert abs(reasons[0].effect) == np.abs(explained.effects[row]).max()
    missing = int(np.flatnonzero(X["size"].isna())[0])
    assert any(reason.cell == "(missing)" for reason in explained.reasons(missing, 3))


def test_reasons_speak_for_the_class_that_the_threshold_chooses(saved, fitted):
    X, _ = match_columns(fitted["label"].schema, read_table(str(saved / "mixed.csv")))
    plain = explain_table(fitted["label"], X)
    first, second = fitted["label"].classes_.tolist()
    for threshold, label in ((0.0, second), (1.0, first)):
        decided = fitted["label"].model.with_decision(Decision("cost", 1, threshold, None))
        model = replace(fitted["label"], model=decided)
        explained = explain_table(model, X)
        assert explained.towards == predict_table(model, X)["prediction"].tolist() == [label] * len(X)
        turned = np.where(np.array(plain.towards) == label, 1.0, -1.0)
        np.testing.assert_allclose(explained.effects, turned[:, None] * plain.effects)


def test_what_effects_are_of_is_said_beside_predictions(run, saved):
    said = "Effects are shares of the decision value: positive ones speak for the predicted class."
    assert said in " ".join(run("predict", "label.kernelect", "few.csv", "--explain", "1").stderr.split())
    assert "Effects" not in run("predict", "label.kernelect", "few.csv").stderr


def test_explanations_on_the_terminal_as_json_and_as_a_file(run, saved):
    shown = run("explain", "value.kernelect", "mixed.csv").stdout
    assert "Effects add up from the mean prediction to the row's own." in shown
    assert "and 40 more rows" in shown
    document = json.loads(run("explain", "value.kernelect", "mixed.csv", "--json").stdout)
    row = document["rows"][0]
    assert row["base"] + sum(row["effects"].values()) == pytest.approx(row["total"])
    assert row["total"] == pytest.approx(row["prediction"])
    run("explain", "value.kernelect", "mixed.csv", "--out", "why.csv")
    frame = pd.read_csv(saved / "why.csv")
    assert list(frame.columns) == ["row", "prediction", "column", "cell", "effect"]
    assert len(frame) == 60 * 3
    assert "is there already" in words_of(run("explain", "value.kernelect", "mixed.csv", "--out", "why.csv", code=2))


def test_a_level_never_seen_is_explained_without_a_warning(run, saved):
    mixed_frame().assign(colour="violet").to_csv(saved / "new.csv", index=False)
    run("explain", "value.kernelect", "new.csv")


def test_models_without_training_rows_ask_for_usual_ones(run, saved):
    said = words_of(run("explain", "sparse.kernelect", "few.csv", code=2))
    assert "give a table of them with kernelect explain --background" in said
    run("explain", "sparse.kernelect", "few.csv", "--background", "mixed.csv")
    run("explain", "sparse.kernelect", "mixed.csv")


@pytest.mark.skipif(compiler() is None, reason="there is no gcc")
def test_export_to_c(run, saved, fitted, tmp_path):
    assert "Written: m.h" in run("export", "label.kernelect", "--to", "c", "--out", "m.h").stdout
    row = [12.0, 1.0, -0.5]
    columns = fitted["label"].schema.columns
    levels = [column.name for column in columns]
    assert levels == ["size", "colour", "weight"]
    (found,) = run_c((saved / "m.h").read_text(), np.array([row]), tmp_path / "c")
    X = pd.DataFrame({"size": [12.0], "colour": ["blue"], "weight": [-0.5]})
    order = [line.split('"')[1] for line in (saved / "m.h").read_text().split("\n") if " *     " in line]
    X["colour"] = order[1]
    np.testing.assert_allclose(found, fitted["label"].predict_proba(X)[0], atol=1e-9)


def test_export_to_onnx_and_javascript(run, saved):
    onnx = pytest.importorskip("onnx")
    document = json.loads(run("export", "value.kernelect", "--to", "onnx", "--json").stdout)
    assert document["bytes"] == (saved / "model.onnx").stat().st_size
    onnx.checker.check_model(onnx.load(saved / "model.onnx"))
    run("export", "value.kernelect", "--to", "javascript", "--name", "size2")
    assert "const size2 = " in (saved / "model.js").read_text()


def test_export_of_fewer_vectors_tells_the_loss(run, saved):
    outcome = run("export", "label.kernelect", "--to", "c", "--out", "small.h", "--max-vectors", "15")
    assert "15 of 60 vectors are kept: the leave-one-out log-loss is" in words_of(outcome)
    whole = run("export", "label.kernelect", "--to", "c", "--out", "whole.h")
    assert (saved / "small.h").stat().st_size < (saved / "whole.h").stat().st_size
    assert "vectors are kept" not in words_of(whole)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("export", "label.kernelect", "--to", "onnx", "--bits", "8"),
            "--bits 8 is for C, and --to onnx was asked for",
        ),
        (
            ("export", "label.kernelect", "--to", "javascript", "--float"),
            "--float is for C and ONNX, and --to",
        ),
        (("export", "label.kernelect", "--to", "c", "--name", "a b"), "name='a b' must be a valid name in C"),
        (("export", "label.kernelect", "--to", "c", "--out", "mixed.csv"), "'mixed.csv' is there already"),
        (("export", "label.kernelect"), "Missing option '--to'"),
        (("predict", "label.kernelect", "mixed.csv", "--explain", "0"), "'0' must be a whole number of at least 1"),
    ],
)
def test_wrong_use_is_one_sentence(run, saved, words, said):
    assert said in words_of(run(*words, code=2))
