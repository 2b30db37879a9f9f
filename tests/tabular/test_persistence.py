"""Models on disk: they come back the same, and nothing else comes in."""

import io
import json
import os
import pickle
import zipfile
from dataclasses import replace

import numpy as np
import pytest
import skops.io
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from kernelect.exceptions import InvalidArgument, UnusableModel
from kernelect.export import reduce
from kernelect.facts import gather_for_page
from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table, load_model, save_model
from kernelect.tabular.persistence import FORMAT
from oracles.tables import mixed_frame

MACHINES = [
    ("label", MachineOptions("auto", effort="fast")),
    ("value", MachineOptions("auto", effort="fast")),
    ("label", MachineOptions("lssvm")),
    ("label", MachineOptions("lssvm", kernel="matern52")),
    ("label", MachineOptions("lssvm", kernel="polynomial")),
    ("label", MachineOptions("svm", kernel="rbf")),
    ("label", MachineOptions("svm", kernel="linear", criterion="span")),
    ("label", MachineOptions("gp", kernel="rbf")),
    ("label", MachineOptions("rvm", kernel="rbf")),
    ("value", MachineOptions("lssvm", kernel="linear")),
    ("value", MachineOptions("rvm", kernel="linear")),
    ("value", MachineOptions("basis")),
    ("value", MachineOptions("basis", kernel="linear")),
    ("value", MachineOptions("basis", kernel="polynomial")),
    ("value", MachineOptions("basis", kernel="fourier")),
]


@pytest.mark.parametrize(("target", "options"), MACHINES, ids=lambda value: str(getattr(value, "machine", value)))
def test_every_machine_comes_back_the_same(tmp_path, target, options):
    frame = mixed_frame(40).drop(columns={"label": "value", "value": "label"}[target])
    schema, rows, _ = describe_table(frame, target)
    model = fit_table(rows, schema, options, FoldOptions(folds=0))
    save_model(model, tmp_path / "m.skops")
    loaded, remarks = load_model(tmp_path / "m.skops")
    assert remarks == []
    assert loaded.facts == model.facts
    np.testing.assert_array_equal(loaded.pipeline.predict(rows.X), model.pipeline.predict(rows.X))


@pytest.mark.parametrize("target", ["label", "value"])
def test_what_fewer_relevance_vectors_cost_comes_back_and_is_not_needed(tmp_path, target):
    frame = mixed_frame(40).drop(columns={"label": "value", "value": "label"}[target])
    schema, rows, _ = describe_table(frame, target)
    model = fit_table(rows, schema, MachineOptions("rvm", kernel="rbf"), FoldOptions(folds=0))
    save_model(model, tmp_path / "m.skops")
    loaded, _ = load_model(tmp_path / "m.skops")
    assert reduce(loaded, 1).in_words() == reduce(model, 1).in_words()
    assert "the leave-one-out" in reduce(loaded, 1).in_words()
    shown = gather_for_page(loaded, rows.X, rows.y, assessment=loaded.assessment, random_state=loaded.seed)
    (curve,) = [each for each in shown["pictures"] if each["kind"] == "vectors"]
    assert "when fewer relevance vectors are kept (functions and precisions held): kernelect" in curve["caption"]
    assert curve["record"]["vectors"][0] == 1
    np.testing.assert_allclose(curve["record"]["loss"][0], reduce(model, 1).loss, rtol=1e-3)
    del loaded.pipeline[-1]._loss_by_size  # as in files of older versions
    save_model(loaded, tmp_path / "old.skops")
    old, _ = load_model(tmp_path / "old.skops")
    assert "the ln evidence changes by" in reduce(old, 1).in_words()


def test_folds_and_remarks_come_back(tmp_path, classifier):
    save_model(classifier, tmp_path / "m.skops")
    loaded, _ = load_model(tmp_path / "m.skops")
    np.testing.assert_array_equal(
        loaded.assessment.outer_folds.probability, classifier.assessment.outer_folds.probability
    )
    assert loaded.remarks == classifier.remarks
    assert loaded.schema == classifier.schema


def test_nothing_is_overwritten_without_leave(tmp_path, classifier):
    path = tmp_path / "m.skops"
    path.write_text("precious")
    with pytest.raises(InvalidArgument, match="is there already: overwrite it with --force"):
        save_model(classifier, path)
    assert path.read_text() == "precious"
    save_model(classifier, path, force=True)
    assert load_model(path)[0].title == "mixed.csv"


def test_a_failing_write_leaves_the_old_file_and_no_part(tmp_path, classifier, monkeypatch):
    path = tmp_path / "m.skops"
    path.write_text("precious")

    def full_disk(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(KeyboardInterrupt):
        save_model(classifier, path, force=True)
    assert path.read_text() == "precious"
    assert os.listdir(tmp_path) == ["m.skops"]


class Bomb:
    def __reduce__(self):
        return os.mkdir, ("bombed",)


def forged(content):
    """Return the bytes of a file with our header around any skops content."""
    file = io.BytesIO()
    skops.io.dump(content, file)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("kernelect.json", json.dumps({"format": FORMAT, "versions": {}}))
    return file.getvalue()


def test_foreign_files_are_refused_and_nothing_is_executed(tmp_path, monkeypatch, classifier):
    monkeypatch.chdir(tmp_path)
    tree = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    plain = io.BytesIO()
    skops.io.dump(tree, plain)
    command = replace(classifier, pipeline=Pipeline([("columns", FunctionTransformer(os.mkdir)), ("machine", tree)]))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("kernelect.json", json.dumps({"format": FORMAT, "versions": {}}))
        file.writestr("schema.json", "{" * 5000)
    for name, data, message in [
        ("pickle", pickle.dumps(Bomb()), "is a pickle, which could run any code: it is never loaded"),
        ("old-pickle", pickle.dumps(Bomb(), protocol=0), "is not a model saved by kernelect fit"),
        ("text", b"hello", "is not a model saved by kernelect fit"),
        ("empty", b"", "is not a model saved by kernelect fit"),
        ("skops", plain.getvalue(), "is not a model saved by kernelect fit"),
        ("function", forged(os.mkdir), "asks for types that do not belong to a model and was refused: .*mkdir"),
        ("pipeline", forged(command), "was refused: .*mkdir"),
        ("tree", forged(tree), "was refused: sklearn.tree._classes.DecisionTreeClassifier"),
        ("list", forged([1, 2]), "it holds a list where a table model is expected"),
        ("broken", archive.getvalue(), "is damaged"),
    ]:
        (tmp_path / name).write_bytes(data)
        with pytest.raises(UnusableModel, match=message):
            load_model(tmp_path / name)
    assert "bombed" not in os.listdir(tmp_path)


def test_trusted_parts_in_the_wrong_place_are_refused(tmp_path, classifier):
    columns, coding, machine = classifier.pipeline.named_steps.values()
    for pipeline, message in [
        (Pipeline([("machine", machine)]), "its pipeline has the steps"),
        (Pipeline([("columns", columns), ("machine", machine)]), "its pipeline has the steps"),
        (
            Pipeline([("columns", columns), ("coding", coding), ("machine", columns)]),
            "its machine is a HandOver, which is not",
        ),
    ]:
        save_model(replace(classifier, pipeline=pipeline), tmp_path / "m.skops", force=True)
        with pytest.raises(UnusableModel, match=message):
            load_model(tmp_path / "m.skops")


def test_archives_that_unpack_to_too_much_are_refused(tmp_path, monkeypatch, classifier):
    save_model(classifier, tmp_path / "m.skops")
    monkeypatch.setattr("kernelect.tabular.archive.MOST_BYTES", 100_000)
    with pytest.raises(UnusableModel, match="would unpack from .* and was refused"):
        load_model(tmp_path / "m.skops")


def test_damage_is_told(tmp_path, classifier):
    save_model(classifier, tmp_path / "m.skops")
    data = (tmp_path / "m.skops").read_bytes()
    (tmp_path / "half").write_bytes(data[: len(data) // 2])
    with pytest.raises(UnusableModel, match="is not a model saved"):
        load_model(tmp_path / "half")
    with pytest.raises(UnusableModel, match="There is no model file"):
        load_model(tmp_path / "none")
    with pytest.raises(UnusableModel, match="is a folder: give the model.skops inside it"):
        load_model(tmp_path)


def test_other_versions_are_told(tmp_path, classifier):
    older = {**classifier.versions, "scikit-learn": "1.5.0"}
    save_model(replace(classifier, versions=older), tmp_path / "m.skops")
    _, remarks = load_model(tmp_path / "m.skops")
    assert len(remarks) == 1
    assert remarks[0].startswith("The model was saved with scikit-learn 1.5.0 and is used with")


def test_other_formats_are_told(tmp_path, classifier, monkeypatch):
    newer = replace(classifier, versions={**classifier.versions, "kernelect": "9.0"})
    monkeypatch.setattr("kernelect.tabular.persistence.FORMAT", 99)
    save_model(newer, tmp_path / "m.skops")
    monkeypatch.undo()
    with pytest.raises(UnusableModel, match=r"has format 99 where 4 is known; it was saved with kernelect 9.0 \(here"):
        load_model(tmp_path / "m.skops")
