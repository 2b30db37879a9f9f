"""Forged model files: right types put together wrongly, types that do harm, archives that fill the memory."""

import io
import json
import os
import subprocess
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from kernelect.exceptions import InvalidArgument, UnusableModel
from kernelect.kernels import RBF
from kernelect.tabular import (
    FoldOptions,
    MachineOptions,
    describe_table,
    fit_table,
    load_model,
    predict_table,
    save_model,
)
from kernelect.tabular.audit import trusted_types
from kernelect.tabular.persistence import FORMAT
from oracles.tables import mixed_frame

MACHINES = [
    ("label", MachineOptions("lssvm")),
    ("label", MachineOptions("auto", effort="fast")),
    ("value", MachineOptions("auto", effort="fast")),
    ("label", MachineOptions("svm", kernel="rbf")),
    ("label", MachineOptions("svm", kernel="linear", criterion="span")),
    ("label", MachineOptions("gp", kernel="rbf")),
    ("label", MachineOptions("rvm", kernel="rbf")),
    ("value", MachineOptions("lssvm", kernel="rbf")),
    ("value", MachineOptions("rvm", kernel="rbf")),
    ("value", MachineOptions("basis")),
    ("value", MachineOptions("basis", kernel="fourier")),
]


@pytest.fixture(scope="module", params=MACHINES, ids=lambda pair: f"{pair[1].machine}-{pair[1].kernel}-{pair[0]}")
def fitted(request):
    target, options = request.param
    frame = mixed_frame(40).drop(columns={"label": "value", "value": "label"}[target])
    schema, rows, _ = describe_table(frame, target)
    return fit_table(rows, schema, options, FoldOptions(folds=0)), rows.X


def dumped(content, members=None, compression=zipfile.ZIP_DEFLATED):
    """Return the bytes of a file with our header around any skops content, some of its members replaced."""
    file = io.BytesIO()
    skops.io.dump(content, file)
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts = {**parts, "kernelect.json": json.dumps({"format": FORMAT, "versions": {}}), **(members or {})}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression=compression) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return out.getvalue()


def stored_arrays(content):
    """Return the arrays of a model by member, and the attribute that each is the value of."""
    file = io.BytesIO()
    skops.io.dump(content, file)
    names, waiting = {}, []
    with zipfile.ZipFile(file) as archive:
        waiting = [json.loads(archive.read("schema.json"))]
        while waiting:
            found = waiting.pop()
            for key, value in found.items() if isinstance(found, dict) else enumerate(found):
                if isinstance(value, dict) and "file" in value:
                    names[value["file"]] = key
                waiting += [value] if isinstance(value, dict | list) else []
        return {name: (key, np.load(io.BytesIO(archive.read(name)))) for name, key in names.items()}


def npy(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def changed(array):
    """Yield what a forger might put in an array's place."""
    if array.dtype.kind == "f":
        yield "NaN", np.full_like(array, np.nan)
        yield "infinite", np.full_like(array, np.inf)
        yield "complex", array.astype(complex)
    yield "text", np.full(array.shape, "x")
    if array.ndim:
        yield "longer", np.concatenate([array, array[-1:]]) if len(array) else np.zeros((3, *array.shape[1:]))
        yield "deeper", array[..., None]
        yield "empty", array[:0]


@pytest.mark.slow
def test_arrays_that_do_not_fit_are_refused_or_change_no_prediction(fitted, tmp_path):
    """Every array of every machine, each forged in one of seven ways in turn."""
    model, X = fitted
    path, wanted, refused = tmp_path / "m.skops", predict_table(model, X), 0
    arrays = stored_arrays(model)
    for number, (member, (name, array)) in enumerate(arrays.items()):
        ways = list(changed(array))
        how, other = ways[number % len(ways)]
        path.write_bytes(dumped(model, {member: npy(other)}))
        try:
            loaded, _ = load_model(path)
        except UnusableModel:
            refused += 1
            continue
        pd.testing.assert_frame_equal(predict_table(loaded, X), wanted, obj=f"predictions with {how} {name}")
    assert refused > len(arrays) / 2


def test_a_forged_array_is_named(tmp_path, classifier):
    arrays = {name: (member, array) for member, (name, array) in stored_arrays(classifier.pipeline[-1]).items()}
    for name, how, message in [
        ("dual_coef_", lambda array: np.full_like(array, np.nan), "dual_coef_ holds numbers that are not finite"),
        ("X_fit_", lambda array: array[:, :-1], r"X_fit_ has the shape \(60, 6\) where \(60, 7\) is expected"),
        ("dual_coef_", lambda array: array.astype(str), "dual_coef_ holds <U32 where numbers belong"),
        ("_rows", lambda array: array.astype(float), "_rows holds float64 where row numbers belong"),
    ]:
        # Members are numbered by each dump: found again by their content in the whole model.
        whole = stored_arrays(classifier)
        member = next(m for m, (key, a) in whole.items() if key == name and a.shape == arrays[name][1].shape)
        (tmp_path / "m").write_bytes(dumped(classifier, {member: npy(how(arrays[name][1]))}))
        with pytest.raises(UnusableModel, match=message):
            load_model(tmp_path / "m")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: replace(m, n_rows="many"), "model.n_rows is a str where a whole number is expected"),
        (lambda m: replace(m, machine="svm"), r"its machine is a LSSVC, which is not 'svm' for classification"),
        (lambda m: replace(m, remarks=(1,)), "model.remarks is a tuple where a list of which each is text is expected"),
        (lambda m: replace(m, schema=replace(m.schema, task="guess")), "its schema has the task 'guess'"),
        (lambda m: replace(m, schema=replace(m.schema, classes=("a", "b"))), "its machine has the classes"),
        (lambda m: replace(m, schema=replace(m.schema, columns=m.schema.columns * 2)), "holds a column twice"),
        (
            lambda m: replace(m, schema=replace(m.schema, columns=(replace(m.schema.columns[0], low="x"),))),
            "column 'size'.low is a str",
        ),
        (lambda m: replace(m, schema=replace(m.schema, columns=m.schema.columns[:1])), "not those of its schema"),
    ],
)
def test_records_that_do_not_fit_are_refused(tmp_path, classifier, change, message):
    (tmp_path / "m").write_bytes(dumped(change(classifier)))
    with pytest.raises(UnusableModel, match=message) as caught:
        load_model(tmp_path / "m")
    assert str(caught.value).endswith("fit again.") or str(caught.value).endswith("fit the model again.")


def test_types_that_skops_trusts_but_no_model_has_are_refused_at_every_depth(tmp_path, classifier):
    columns, coding, machine = classifier.pipeline.named_steps.values()
    for step in (CountVectorizer(input="filename"), FunctionTransformer()):
        deep = Pipeline(
            [("columns", Pipeline([("a", step), ("b", columns)])), ("coding", coding), ("machine", machine)]
        )
        (tmp_path / "m").write_bytes(dumped(replace(classifier, pipeline=deep)))
        with pytest.raises(UnusableModel, match=f"do not belong to a model and was refused: .*{type(step).__name__}"):
            load_model(tmp_path / "m")


def test_what_may_be_loaded_is_short():
    """skops alone trusts every estimator of scikit-learn."""
    foreign = {name for name in trusted_types() if name.startswith("sklearn.")}
    assert foreign == {"sklearn.pipeline.Pipeline"}


@pytest.mark.parametrize(("name", "value"), [("memory", "elsewhere"), ("n_jobs", 64), ("verbose", True)])
def test_settings_that_write_start_or_print_are_refused(tmp_path, classifier, name, value):
    columns, coding, machine = classifier.pipeline.named_steps.values()
    pipeline = Pipeline([("columns", columns), ("coding", coding), ("machine", machine)])
    part = pipeline if name == "memory" else machine
    before = getattr(part, name)
    setattr(part, name, value)
    try:
        (tmp_path / "m").write_bytes(dumped(replace(classifier, pipeline=pipeline)))
    finally:
        setattr(part, name, before)
    with pytest.raises(UnusableModel, match=f"{name} is {value!r} where"):
        load_model(tmp_path / "m")


class MyKernel(RBF):
    """A user's own kernel, which is not registered."""


def test_saving_a_part_that_is_not_registered_says_so_and_writes_nothing(tmp_path, classifier):
    machine = classifier.estimator
    before = machine.kernel_
    machine.kernel_ = MyKernel(1.0)
    try:
        with pytest.raises(InvalidArgument, match=r"MyKernel, which is not registered.*kernelect.register"):
            save_model(classifier, tmp_path / "m.skops")
    finally:
        machine.kernel_ = before
    assert not list(tmp_path.iterdir())


def test_saving_what_cannot_be_stored_says_so(tmp_path, classifier):
    with open(os.devnull) as file, pytest.raises(InvalidArgument, match="The model cannot be saved"):
        save_model(replace(classifier, title=file), tmp_path / "m.skops")
    assert not list(tmp_path.iterdir())


def bomb(classifier, size=600_000_000):
    """A file of less than 1 MB that unpacks to ``size`` zeros."""
    out = io.BytesIO(dumped(classifier))
    with (
        zipfile.ZipFile(out, "a", compression=zipfile.ZIP_DEFLATED) as archive,
        archive.open("zeros.npy", "w", force_zip64=True) as file,
    ):
        for _ in range(size // 10**7):
            file.write(bytes(10**7))
    return out.getvalue()


PEAK = """
import resource, sys
from click.testing import CliRunner
from kernelect.cli.commands import kernelect
for path in sys.argv[1:]:
    outcome = CliRunner().invoke(kernelect, ["inspect", path])
    print(outcome.exit_code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, " ".join(outcome.output.split()))
"""


@pytest.mark.slow
def test_an_archive_that_would_fill_the_memory_is_refused_before_it_is_unpacked(tmp_path, classifier):
    pytest.importorskip("resource")
    save_model(classifier, tmp_path / "whole.skops")
    (tmp_path / "bomb.skops").write_bytes(bomb(classifier))
    assert os.path.getsize(tmp_path / "bomb.skops") < 1_000_000
    command = [sys.executable, "-c", PEAK, str(tmp_path / "whole.skops"), str(tmp_path / "bomb.skops")]
    whole, refused = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert whole.split()[0] == "0"
    code, peak, *words = refused.split()
    assert code == "1"
    assert "would unpack from" in " ".join(words)
    # The file itself is read; nothing in it is.
    assert int(peak) - int(whole.split()[1]) < 30_000


def with_declared_size(data, member, size):
    """Return an archive that lies about the size of a member in its directory."""
    place = data.rindex(member.encode()) - 46 + 24  # the directory's entry: 46 bytes before the name
    return data[:place] + size.to_bytes(4, "little") + data[place + 4 :]


def test_sizes_that_lie_are_found_out_while_reading(tmp_path, classifier):
    data = bomb(classifier, size=50_000_000)
    (tmp_path / "m").write_bytes(with_declared_size(data, "zeros.npy", 100))
    with pytest.raises(UnusableModel, match="cannot be loaded"):
        load_model(tmp_path / "m")


def test_sizes_are_told_in_plain_numbers(tmp_path, classifier):
    """2000 MB were 2e+03 MB."""
    data = with_declared_size(bomb(classifier, size=10_000_000), "zeros.npy", 3_000_000_000)
    (tmp_path / "m").write_bytes(data)
    with pytest.raises(UnusableModel, match=r"would unpack from [\d.]+ MB to 2,860 MB"):
        load_model(tmp_path / "m")


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"schema.json": "{" * 5000}, "is damaged"),
        ({"schema.json": "[" * 100_000}, "is damaged"),
        ({"kernelect.json": "[1]"}, "is not a model saved by kernelect fit"),
        ({"kernelect.json": "{}"}, "has no readable header"),
        ({"kernelect.json": json.dumps({"format": 1, "versions": [1]})}, "has no readable header"),
    ],
)
def test_broken_members_are_told(tmp_path, classifier, members, message):
    (tmp_path / "m").write_bytes(dumped(classifier, members))
    with pytest.raises(UnusableModel, match=message):
        load_model(tmp_path / "m")


def test_an_array_whose_header_promises_more_than_there_is(tmp_path, classifier):
    member, (_, array) = next(iter(stored_arrays(classifier).items()))
    forged = npy(array).replace(str(array.shape).encode(), b"(9000000,)"[: len(str(array.shape)) + 3], 1)
    (tmp_path / "m").write_bytes(dumped(classifier, {member: forged}))
    with pytest.raises(UnusableModel, match="cannot be loaded"):
        load_model(tmp_path / "m")


def test_unknown_packing_and_doubled_members(tmp_path, classifier):
    (tmp_path / "m").write_bytes(dumped(classifier, compression=zipfile.ZIP_LZMA))
    with pytest.raises(UnusableModel, match="is packed in a way that no model is"):
        load_model(tmp_path / "m")
    out = io.BytesIO(dumped(classifier))
    with zipfile.ZipFile(out, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("schema.json", "{}")
    (tmp_path / "m").write_bytes(out.getvalue())
    with pytest.raises(UnusableModel, match="holds a member twice"):
        load_model(tmp_path / "m")


def test_a_model_that_packs_too_well_is_stored_unpacked(tmp_path, classifier, monkeypatch):
    """What save writes, load accepts."""
    monkeypatch.setattr("kernelect.tabular.persistence.MOST_RATIO", 10)
    save_model(classifier, tmp_path / "m.skops")
    with zipfile.ZipFile(tmp_path / "m.skops") as archive:
        assert {member.compress_type for member in archive.infolist()} == {zipfile.ZIP_STORED}
    load_model(tmp_path / "m.skops")


def test_a_pipe_is_not_a_model_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnusableModel, match="is not a regular file"):
        load_model(tmp_path / "pipe")
