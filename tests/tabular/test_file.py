"""Models of tables on disk: what comes back, what is read for what, and what other files are told."""

import os
import stat
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kernelect
from kernelect.exceptions import InvalidArgument, UnusableModel
from kernelect.facts import gather_for_page
from kernelect.tabular import (
    FoldOptions,
    MachineOptions,
    describe_table,
    fit_table,
    load_model,
    predict_table,
    save_model,
)
from oracles.tables import mixed_frame
from speeds import slowly

MACHINES = [
    ("label", MachineOptions("lssvm")),
    ("value", MachineOptions("lssvm", kernel="rbf")),
    ("label", MachineOptions("auto", effort="fast")),
    *slowly(
        ("value", MachineOptions("auto", effort="fast")),
        ("label", MachineOptions("svm", kernel="rbf")),
        ("label", MachineOptions("gp", kernel="rbf")),
        ("label", MachineOptions("rvm", kernel="rbf")),
        ("value", MachineOptions("rvm", kernel="rbf")),
        ("value", MachineOptions("basis", kernel="linear")),
    ),
]


def fitted(target, options):
    frame = mixed_frame().drop(columns={"label": "value", "value": "label"}[target])
    schema, rows, _ = describe_table(frame, target)
    return fit_table(rows, schema, options, FoldOptions(folds=0)), rows


@pytest.mark.parametrize(("target", "options"), MACHINES)
def test_every_machine_comes_back_the_same(tmp_path, target, options):
    model, rows = fitted(target, options)
    save_model(model, tmp_path / "m.kernelect")
    loaded, remarks = load_model(tmp_path / "m.kernelect")
    assert remarks == []
    interval = 0.9 if target == "value" else None
    here, there = (predict_table(each, rows.X, interval) for each in (model, loaded))
    pd.testing.assert_frame_equal(there, here, rtol=1e-12, atol=1e-14)
    assert (loaded.schema, loaded.facts, loaded.remarks) == (model.schema, model.facts, model.remarks)
    pages = [
        gather_for_page(each, rows.X, rows.y, assessment=each.assessment, random_state=0) for each in (model, loaded)
    ]
    assert [one["kind"] for one in pages[0]["pictures"]] == [one["kind"] for one in pages[1]["pictures"]]
    assert [one for one in pages[1]["pictures"] if one["section"] == "found"][:1] == [
        one for one in pages[0]["pictures"] if one["section"] == "found"
    ][:1]


def test_the_model_in_the_file_is_one_of_the_library(tmp_path, classifier, mixed):
    save_model(classifier, tmp_path / "m.kernelect")
    model = kernelect.load(tmp_path / "m.kernelect")
    assert isinstance(model, kernelect.model.Model)
    X = classifier.schema.inputs(mixed)
    np.testing.assert_array_equal(model.predict(X), predict_table(classifier, X)["prediction"])
    # The table as it comes has the same cells.
    np.testing.assert_array_equal(model.predict(mixed[list(model.names)]), model.predict(X))


def test_predictions_read_neither_the_report_nor_the_training_rows(tmp_path, classifier):
    save_model(classifier, tmp_path / "m.kernelect")
    loaded, _ = load_model(tmp_path / "m.kernelect", training=False, report=False)
    assert loaded.report is None
    assert loaded.model.training is None
    with pytest.raises(UnusableModel, match="loaded without its report"):
        _ = loaded.facts


def test_folds_and_labels_of_rows_come_back(tmp_path, classifier):
    save_model(classifier, tmp_path / "m.kernelect")
    loaded, _ = load_model(tmp_path / "m.kernelect")
    for name in ("leave_one_out", "outer_folds", "baseline"):
        here, there = getattr(classifier.assessment, name), getattr(loaded.assessment, name)
        assert here.scores == there.scores
        np.testing.assert_array_equal(there.y_true, here.y_true)
        np.testing.assert_array_equal(there.prediction, here.prediction)
        np.testing.assert_array_equal(there.probability, here.probability)


def test_only_the_owner_reads_a_new_file_and_a_replaced_one_keeps_its_mode(tmp_path, classifier):
    path = tmp_path / "m.kernelect"
    save_model(classifier, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(InvalidArgument, match="is there already"):
        save_model(classifier, path)
    path.chmod(0o640)
    save_model(classifier, path, force=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["m.kernelect"]


def test_a_model_without_a_table_is_none_of_the_command_line(tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 2))
    kernelect.LSSVR("rbf").fit(X, X[:, 0]).model_.save(tmp_path / "m.kernelect")
    with pytest.raises(UnusableModel, match=r"holds a model without a table: use it in Python \(kernelect.load\)"):
        load_model(tmp_path / "m.kernelect")


def test_other_versions_of_the_library_are_told(tmp_path, classifier):
    save_model(replace(classifier, versions={"kernelect": "0.0.1"}), tmp_path / "m.kernelect")
    _, remarks = load_model(tmp_path / "m.kernelect")
    assert remarks == ["The model was saved with kernelect 0.0.1 and is used with 0.1.0: fit it again if in doubt."]


def test_a_page_of_numbers_shows_how_columns_act():
    model, rows = fitted("value", MachineOptions("lssvm", kernel="rbf"))
    assert not hasattr(model, "classes_")
    assert "dependence" in {each["kind"] for each in gather_for_page(model, rows.X, rows.y)["pictures"]}
