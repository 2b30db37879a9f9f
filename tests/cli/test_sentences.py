"""What a user may do wrong, or a system may refuse: exit code 1 or 2 and one sentence, never a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kernelect
from kernelect.tabular import load_model
from oracles.tables import mixed_frame

FIT = ("--target", "label", "--drop", "value", "--machine", "lssvm", "--kernel", "rbf", "--folds", "0", "--no-report")
LONG = "n" * 300


def sentence(outcome):
    """Return what was said, after making sure that it is no traceback."""
    assert "Traceback" not in outcome.output
    return " ".join(outcome.output.split())


@pytest.fixture
def dated(tmp_path):
    frame = mixed_frame(40).assign(when=[f"2020-01-{1 + i % 28:02}" for i in range(40)])
    frame.to_csv(tmp_path / "now.csv", index=False)
    frame.assign(when=np.where(np.arange(40) < 20, "9999-12-31", frame["when"])).to_csv(tmp_path / "far.csv")
    return tmp_path


def test_dates_at_the_end_of_the_calendar(run, dated, report_page):
    run("fit", "far.csv", *FIT, "--keep", "when", "--out", "far")
    assert "2020-01-01 to 9999-12-31" in run("inspect", "far/model.kernelect").stdout
    run("fit", "now.csv", *FIT, "--keep", "when", "--out", "now")
    found = run("predict", "now/model.kernelect", "far.csv")
    assert "lies outside the range of the training table" in " ".join(found.stderr.split())


def test_days_are_counted_in_any_unit_and_beyond_nanoseconds():
    from kernelect.tabular.columns import column_values

    texts = pd.Series(["1970-01-02", "9999-12-31", "0001-01-01", None, "1970-01-01T12:00:00+02:00"])
    np.testing.assert_allclose(column_values(texts, "date"), [1.0, 2932896.0, -719162.0, np.nan, 10 / 24])
    for unit in ("s", "ms", "us", "ns"):
        stamps = pd.Series(np.array(["1970-01-02T12", "NaT"], dtype=f"datetime64[{unit}]"))
        np.testing.assert_allclose(column_values(stamps, "date"), [1.5, np.nan])


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("bom.csv", b"\xef\xbb\xbf", "bom.csv is empty: give a table with a line of column names"),
        ("bom.tsv", b"\xff\xfe", "bom.tsv is empty"),
        ("blank.csv", b"\xef\xbb\xbf\n\n \n", "blank.csv"),
        ("quote.csv", b'a,b\n1,"x\n2,y\n', 'a double quote (") is opened and never closed'),
        ("no.feather", b"FEA1" + bytes(50), "no.feather cannot be read as a Feather file"),
        ("no.arrow", b"ARROW1\0\0" + bytes(range(200)), "no.arrow cannot be read as a Feather file"),
        ("no.parquet", b"PAR1" + bytes(range(200)) + b"PAR1", "no.parquet cannot be read as a Parquet file"),
        ("no.svm", b"1 99999999999999999999:1\n", "no.svm"),
    ],
)
def test_files_that_hold_no_table(run, tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    assert message in sentence(run("fit", name, "--target", "a", code=1))


@pytest.mark.parametrize("suffix", ["feather", "parquet"])
def test_damaged_tables_are_read_or_told(tmp_path, suffix):
    """Bytes changed at random: a table comes out, or one sentence."""
    from kernelect.exceptions import UnusableTable
    from kernelect.tabular import read_table

    pytest.importorskip("pyarrow")
    getattr(mixed_frame(40), f"to_{suffix}")(tmp_path / f"t.{suffix}")
    data, rng, told = (tmp_path / f"t.{suffix}").read_bytes(), np.random.default_rng(0), 0
    for _ in range(60):
        damaged = np.frombuffer(data, dtype=np.uint8).copy()
        damaged[rng.integers(len(data), size=8)] = rng.integers(256, size=8)
        (tmp_path / f"d.{suffix}").write_bytes(damaged.tobytes())
        try:
            read_table(tmp_path / f"d.{suffix}")
        except UnusableTable:
            told += 1
    assert told > 10


def test_targets_whose_squares_vanish(run, tmp_path):
    frame = mixed_frame(40).drop(columns="label")
    frame.assign(value=frame["value"] * 1e-300).to_csv(tmp_path / "t.csv", index=False)
    said = sentence(run("fit", "t.csv", "--target", "value", code=1))
    assert "The target 'value' varies by" in said
    assert "give it in another unit" in said


def test_weights_are_named_with_their_row(run, tmp_path):
    frame = mixed_frame(40)
    for cells, message in (
        ([1.0, -2.0], "the weight of row 2 is -2"),
        ([1.0, np.nan], "the weight of row 2 is missing"),
        ([0.0, 0.0], "all weights are 0"),
    ):
        frame.assign(w=np.tile(cells, 20)).to_csv(tmp_path / "t.csv", index=False)
        assert message in sentence(run("fit", "t.csv", *FIT, "--weight", "w", code=1))


def test_names_that_are_too_long(run, folder):
    assert "cannot be written (File name too long)" in sentence(run("fit", "mixed.csv", *FIT, "--out", LONG, code=2))
    run("fit", "mixed.csv", *FIT)
    # A name that just fits: the part that is written first must not have a longer one.
    run("predict", "model.kernelect", "mixed.csv", "--out", "p" * 251 + ".csv", "--quiet")
    assert len(os.listdir(folder)) == 4
    assert "File name too long" in sentence(run("predict", "model.kernelect", "mixed.csv", "--out", LONG, code=2))
    assert "cannot be read (File name too long)" in sentence(run("predict", "model.kernelect", LONG, code=1))
    assert "cannot be read (File name too long)" in sentence(run("inspect", LONG, code=1))
    assert "File name too long" in sentence(run("study", "run", f"{LONG}.toml", code=2))


def test_columns_with_long_names(run, folder):
    frame = mixed_frame(40).rename(columns={"size": "s" * 1000, "colour": "c" * 1000, "label": LONG})
    frame.to_csv(folder / "long.csv", index=False)
    words = ("--target", LONG, "--drop", "value", "--machine", "lssvm", "--kernel", "rbf", "--folds", "0")
    run("fit", "long.csv", *words, "--out", "long")
    run("predict", "long/model.kernelect", "long.csv", "--quiet")
    run("inspect", "long/model.kernelect")


def test_folders_that_cannot_be_made(run, folder):
    run("fit", "mixed.csv", *FIT)
    (folder / "file").write_text("precious")
    for out in ("file/inside", "/proc/nothing/here"):
        for words in (
            ("fit", "mixed.csv", *FIT, "--out", out),
            ("predict", "model.kernelect", "mixed.csv", "--quiet", "--out", f"{out}/p.csv"),
            ("sample", "wine", "--out", f"{out}/w.csv"),
            ("demo", "--out", out),
        ):
            outcome = run(*words, code=None)
            assert outcome.exit_code in (1, 2)
            assert "choose another --out" in sentence(outcome)
    assert (folder / "file").read_text() == "precious"


@pytest.mark.parametrize("seed", [2**32, 2**64, 10**30, -1])
def test_seeds_beyond_what_scikit_learn_takes(run, folder, seed):
    for words in (("fit", "mixed.csv", *FIT), ("compare", "mixed.csv", "--target", "label"), ("demo",)):
        assert "must be a whole number from 0 to 4294967295" in sentence(run(*words, "--seed", seed, code=2))


def test_the_largest_seed(run, folder):
    words = ("--target", "value", "--drop", "label", "--folds", "2", "--no-report", "--seed", 2**32 - 1)
    run("fit", "mixed.csv", *words, "--machine", "lssvm", "--kernel", "rbf", "--restarts", "1")
    run("fit", "mixed.csv", *words, "--effort", "fast", "--force")


def test_labels_of_text_and_numbers_together(run, folder):
    frame = mixed_frame(40)
    frame.assign(label=np.tile(["1", "x", "2.5", "1"], 10)).to_csv(folder / "both.csv", index=False)
    run("fit", "both.csv", *FIT, "--out", "both")
    assert load_model(folder / "both" / "model.kernelect")[0].schema.classes == ("1", "2.5", "x")
    # The labels of another table: numbers where the model knows text, and the other way round.
    frame.assign(label=np.tile([1, 2], 20)).to_csv(folder / "numbers.csv", index=False)
    frame.assign(label=np.tile(["a", "b"], 20)).to_csv(folder / "texts.csv", index=False)
    run("fit", "numbers.csv", *FIT, "--out", "numbers")
    run("predict", "both/model.kernelect", "numbers.csv", "--quiet")
    said = sentence(run("report", "numbers/model.kernelect", "texts.csv", code=1))
    assert "No row of texts.csv has one of the model's classes (1, 2) in 'label'" in said


def test_labels_of_text_and_numbers_in_a_frame():
    from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table

    frame = mixed_frame(40).drop(columns="value")
    frame["label"] = np.array([1, "x", 2.5, True] * 10, dtype=object)
    schema, rows, _ = describe_table(frame, "label")
    assert schema.classes == ("1", "2.5", "True", "x")
    fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(0))


#: The same kernelect in a process of its own, in another folder.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(kernelect.__file__).parents[1])}


@pytest.mark.slow
def test_standard_input_that_is_closed(folder):
    words = f"{sys.executable} -m kernelect fit - --target label <&-"
    found = subprocess.run(["bash", "-c", words], capture_output=True, text=True, cwd=folder, env=ENVIRONMENT)
    assert found.returncode == 1
    assert found.stderr.startswith("Error: Standard input cannot be read")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full is Linux's")
def test_standard_output_that_is_full_or_gone(run, folder):
    run("fit", "mixed.csv", *FIT)
    for words in (
        "predict model.kernelect mixed.csv --quiet",
        "inspect model.kernelect",
        "inspect model.kernelect --json",
    ):
        with open("/dev/full", "w") as full:
            command = [sys.executable, "-m", "kernelect", *words.split()]
            found = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=folder, env=ENVIRONMENT)
        assert found.returncode == 1
        assert found.stderr.strip() == (
            "Error: The output cannot be written (No space left on device): free some space, or send it elsewhere."
        )
    script = f"{sys.executable} -m kernelect predict model.kernelect mixed.csv --quiet | true; echo ${{PIPESTATUS[0]}}"
    found = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=folder, env=ENVIRONMENT)
    assert found.stderr == ""
    assert found.stdout.strip() in ("0", "1")  # 0 where all fits into the pipe before the reader leaves


def test_a_disk_that_fills_up_while_a_file_is_written(run, folder, monkeypatch, report_page):
    """The model first, then its columns, then the report: what was written stays, what was not leaves nothing."""
    from kernelect import facts, report
    from kernelect.files import write_whole

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    said = sentence(run("fit", "mixed.csv", *FIT, "--out", "o", code=1))
    assert "'o/model.kernelect' cannot be written (No space left on device): free some space" in said
    assert os.listdir(folder / "o") == []
    monkeypatch.undo()
    monkeypatch.chdir(folder)

    def write_report(path, about, force):
        monkeypatch.setattr(os, "fsync", full)
        write_whole(path, b"page", force=True)

    monkeypatch.setattr(facts, "gather_for_page", lambda *parts, **more: {"pictures": []})
    monkeypatch.setattr(report, "write_report", write_report)
    said = sentence(run("fit", "mixed.csv", *[word for word in FIT if word != "--no-report"], "--out", "o", code=1))
    assert "'o/report.html' cannot be written (No space left on device)" in said
    assert sorted(os.listdir(folder / "o")) == ["columns.toml", "model.kernelect"]


def test_names_of_parts_are_those_of_the_registries(run, folder, monkeypatch):
    from kernelect.estimators import ESTIMATORS
    from kernelect.kernels import KERNELS, RBF

    said = sentence(run("fit", "mixed.csv", "--target", "label", "--machine", "lsvm", code=2))
    assert "machine='lsvm' is not known. Did you mean 'lssvm'?" in said
    assert all(repr(name) in said for name in ESTIMATORS.by_machine())
    said = sentence(run("compare", "mixed.csv", "--target", "label", "--kernel", "rfb", code=2))
    assert "kernel='rfb' is not known. Did you mean 'rbf'?" in said
    monkeypatch.setattr(KERNELS, "_entries", list(KERNELS))
    KERNELS.register(RBF, "mine")
    words = ("--target", "label", "--drop", "value", "--folds", "2", "--machine", "lssvm", "--kernel", "mine")
    assert "lssvm mine" in run("compare", "mixed.csv", *words).stdout
    said = sentence(run("fit", "mixed.csv", *FIT, "--kernel", "precomputed", code=2))
    assert "kernel='precomputed' is for Gram matrices in Python" in said


def test_ctrl_c_while_a_command_is_imported(run, monkeypatch):
    from kernelect.cli import commands

    def interrupted(name):
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "import_module", interrupted)
    assert "Stopped before the start" in sentence(run("fit", "mixed.csv", code=130))
