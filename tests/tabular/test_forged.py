"""Forged and damaged model files: refused in a sentence, without more time or memory than a model takes."""

import io
import json
import os
import pickle
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from fuzz.mutations import archive_of, members_of
from kernelect.exceptions import UnusableModel
from kernelect.tabular import load_model, save_model


@pytest.fixture(scope="module")
def members(classifier, tmp_path_factory):
    """The members of a model file."""
    path = tmp_path_factory.mktemp("whole") / "m.kernelect"
    save_model(classifier, path)
    return members_of(path.read_bytes())


@pytest.fixture
def refused(tmp_path):
    """Return what is said of a file made of these bytes."""

    def said(data):
        path = tmp_path / "m.kernelect"
        path.write_bytes(data)
        with pytest.raises(UnusableModel) as error:
            load_model(path)
        text = str(error.value)
        assert "\n" not in text
        assert len(text) < 600
        return text

    return said


def changed(members, name, change):
    """Return an archive with another text in it."""
    document = json.loads(members[name])
    change(document)
    return archive_of({**members, name: json.dumps(document).encode()})


def is_refused(path):
    try:
        load_model(path)
    except UnusableModel:
        return True
    return False


def array(values, **how):
    file = io.BytesIO()
    np.save(file, values, **how)
    return file.getvalue()


def first_component(document):
    return document["model"]["components"][0]


def test_the_members_themselves_are_a_model(members, tmp_path):
    (tmp_path / "m.kernelect").write_bytes(archive_of(members))
    assert load_model(tmp_path / "m.kernelect")[1] == []


def test_a_skops_file_is_refused(refused):
    said = refused(archive_of({"schema.json": b"{}", "kernelect.json": b"{}"}))
    assert "is a skops file, as kernelect wrote before 0.1: it is no longer read" in said


def test_a_pickle_is_refused(refused):
    assert "is a pickle, which could run any code: it is never loaded" in refused(pickle.dumps([1]))


@pytest.mark.parametrize("version", [2, 99, "1", None, 10**40])
def test_other_versions_of_the_format_are_refused(members, refused, version):
    said = refused(changed(members, "model.json", lambda text: text.update(version=version)))
    assert "of the format, and this kernelect reads version 1: install a newer kernelect" in said


CHANGES = [
    ("table.json", lambda text: text.pop("schema"), "schema is no record"),
    ("table.json", lambda text: text.update(title=3), "title is a number"),
    ("table.json", lambda text: text["schema"].update(task="sorcery"), "its table has the task 'sorcery'"),
    ("table.json", lambda text: text["schema"].update(classes=["big", "other"]), "where its table has"),
    ("table.json", lambda text: text["schema"]["columns"].pop(), "its columns are not those of its table"),
    ("table.json", lambda text: text["schema"]["columns"][0].update(low="inf"), "schema.columns[0].low is not finite"),
    ("table.json", lambda text: text["schema"]["columns"][0].update(kind="category"), "other kinds than its table"),
    ("table.json", lambda text: text["schema"].update(sorcery=1), "has a 'sorcery', which is unknown"),
    ("report.json", lambda text: text.pop("facts"), "its facts are not those of a model"),
    ("report.json", lambda text: text["facts"].update(doubts="all"), "its facts are not those of a model"),
    ("report.json", lambda text: text["assessment"].update(baseline=None), "assessment.baseline is nothing"),
    ("report.json", lambda text: text.update(seed="x"), "seed is text"),
    ("report.json", lambda text: text["kept"]["pictures"][0].update(record={"is": "rbf"}), "part named 'rbf'|belong"),
    ("model.json", lambda text: text["model"].update(components=[]), "training.json is of other components"),
    ("model.json", lambda text: text["model"].update({"is": "component"}), "which does not belong there"),
    ("model.json", lambda text: first_component(text).update(constant={"array": 10**6}), "which it does not have"),
    ("model.json", lambda text: first_component(text).update(constant="nan"), "does not belong there"),
    ("model.json", lambda text: first_component(text)["parts"].append({"is": "model"}), "does not belong there"),
]


@pytest.mark.parametrize(("name", "change", "words"), CHANGES)
def test_records_that_do_not_fit_are_refused(members, refused, name, change, words):
    said = refused(changed(members, name, change))
    assert any(word in said for word in words.split("|")), said


def test_every_array_may_be_another_one(members, tmp_path):
    """Of another shape, type or byte order, cut or not finite: refused, or of no consequence."""
    whole = {name: np.load(io.BytesIO(data)) for name, data in members.items() if name.endswith(".npy")}
    refusals = 0
    for name, values in whole.items():
        for other in (
            array(values[:-1]),
            array(np.full(values.shape, np.nan)),
            array(values.astype(">f8") if values.dtype.kind == "f" else values.astype("c16")),
            array(values.astype(object), allow_pickle=True),
            members[name][:-1],
            b"",
        ):
            path = tmp_path / "m.kernelect"
            path.write_bytes(archive_of({**members, name: other}))
            refusals += is_refused(path)
    assert refusals >= 5 * len(whole)


def test_a_text_padded_to_gigabytes_is_refused_before_it_is_parsed(members, refused):
    padded = members["model.json"][:-1] + b" " * (64 * 2**20) + b"}"
    data = archive_of({**members, "model.json": padded})
    tracemalloc.start()
    said = refused(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "it would unpack from" in said
    assert peak < 20 * 2**20


def test_texts_of_too_many_values_and_too_deep_ones_are_refused(members, refused):
    many = b'{"a": [' + b",".join([b"1"] * 1_200_000) + b"]}"
    assert "holds more than 1000000 values" in refused(stored_archive_of({**members, "model.json": many}))
    deep = b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b"}"
    assert "is nested deeper than 64 levels" in refused(archive_of({**members, "model.json": deep}))


def test_references_that_multiply_are_refused(members, refused):
    """Many places that share one array are each work: a file may not ask for more of it than its size allows."""
    large = array(np.zeros(10**6))

    def change(text):
        part = first_component(text)["parts"][0]
        first_component(text)["parts"] = [{**part, "coefficients": {"array": 999}}] * 5000

    data = changed({**members, "arrays/999.npy": large}, "model.json", change)
    assert "more" in refused(data)


def test_members_that_no_model_has_are_refused(members, refused):
    assert "it holds 'evil.py', which no model does" in refused(archive_of({**members, "evil.py": b""}))
    assert "it holds '../x', which no model does" in refused(archive_of({**members, "../x": b""}))
    file = io.BytesIO(archive_of(members))
    with zipfile.ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("model.json", b"{}")
    assert "it holds a member twice" in refused(file.getvalue())
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("model.json", members["model.json"])
    assert "it is packed in a way that no model is" in refused(packed.getvalue())


def test_cut_and_changed_bytes_are_refused(members, refused):
    data = archive_of(members)
    for cut in (0, 3, 30, len(data) // 2, len(data) - 1):
        refused(data[:cut])
    place = data.index(b"model.json") + 400
    assert "cannot be loaded" in refused(data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :])


def test_pipes_folders_and_absent_files_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name, words in (("pipe", "not a regular file"), ("folder", "is a folder"), ("none", "There is no model file")):
        with pytest.raises(UnusableModel, match=words):
            load_model(tmp_path / name)


#: Loads every file of a folder with 300 MB of memory; writes what is said of each, and its CPU seconds.
_LOADING = """
import json, resource, sys, time
from pathlib import Path
from kernelect.exceptions import UnusableModel
from kernelect.tabular import load_model

load_model(Path(sys.argv[1]) / "whole" / "m.kernelect")  # what has to be imported is imported
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 300 * 2**20,) * 2)
said = {}
for path in sorted(Path(sys.argv[1]).glob("*.kernelect")):
    began = time.process_time()
    try:
        load_model(path)
    except UnusableModel as error:
        said[path.stem] = str(error), time.process_time() - began
print(json.dumps(said))
"""


def nested(depth):
    """Return a record of lists in lists."""
    return '{"a": ' + "[" * depth + "1" + ", 1]" * depth + "}"


def stored_archive_of(members):
    """Return an archive in which nothing is packed, so that its sizes alone give nothing away."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return file.getvalue()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is limited by what Linux counts")
def test_files_that_ask_for_much_are_refused_within_a_second_and_300_mb(members, tmp_path):
    model = json.loads(members["model.json"])
    large = array(np.zeros(10**6))
    lying = large[:128].replace(b"(1000000,)", b"(9999999,)") + large[128:]
    part = first_component(model)["parts"][0]
    sharing = {**model, "model": {**model["model"], "components": [dict(first_component(model))]}}
    first_component(sharing)["parts"] = [{**part, "coefficients": {"array": 999}}] * 20_000
    forged = {
        "padded": {"model.json": members["model.json"][:-1] + b" " * 10**8 + b"}"},
        "future": {"model.json": json.dumps({**model, "version": 2}).encode()},
        "nested": {"model.json": nested(45).encode()},
        "deep": {"model.json": nested(10**6).encode()},
        "values": {"model.json": ('{"a": [' + "1," * 900_000 + "1]}").encode()},
        "texts": {"model.json": ('{"a": [' + '"",' * 900_000 + '""]}').encode()},
        "unended": {"model.json": ('{"a": "' + "\\\\" * 10**6).encode()},
        "zeros": {"arrays/0.npy": array(np.zeros(10**7))},
        "lying": {"arrays/0.npy": lying},
        "sharing": {"model.json": json.dumps(sharing).encode(), "arrays/999.npy": large},
        "many": {f"arrays/{number}.npy": b"" for number in range(30_000)},
    }
    (tmp_path / "whole").mkdir()
    (tmp_path / "whole" / "m.kernelect").write_bytes(archive_of(members))
    for name, changes in forged.items():
        packed = archive_of if name in ("padded", "zeros") else stored_archive_of
        (tmp_path / f"{name}.kernelect").write_bytes(packed({**members, **changes}))
    done = subprocess.run([sys.executable, "-c", _LOADING, str(tmp_path)], capture_output=True, text=True, check=True)
    said = json.loads(done.stdout)
    assert said.keys() == forged.keys()
    for name, (sentence, seconds) in said.items():
        assert "\n" not in sentence, name
        assert "memory" not in sentence, name
        assert seconds < 1.0, (name, seconds)
