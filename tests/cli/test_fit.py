"""From a table to a model on disk, through the command line."""

import json
import os
import signal
import subprocess
import sys
import time

import click
import numpy as np
import pandas as pd
import pytest

from kernelect.cli import _guard as options
from kernelect.cli import fit as fit_command
from kernelect.export import rows
from kernelect.facts import gathering
from kernelect.numerics import Deadline
from oracles.tables import mixed_frame
from speeds import slowly

MACHINE = ("--machine", "lssvm", "--kernel", "rbf")
FIT = ("fit", "mixed.csv", "--target", "label", "--drop", "value", *MACHINE, "--folds", "2")


def test_a_table_becomes_a_model_and_a_report(run, folder, report_page):
    outcome = run(*FIT, "--out", "made/here")
    assert sorted(os.listdir(folder / "made" / "here")) == ["columns.toml", "model.kernelect", "report.html"]
    for words in ("Predicting label from mixed.csv", "2 outer folds", "leave-one-out", "Relevance of columns"):
        assert words in outcome.stdout
    assert "The task is classification" in outcome.stdout
    assert outcome.stderr.strip() == ""  # no progress where nobody watches
    (facts,) = report_page
    assert [column["name"] for column in facts["columns"]] == ["size", "colour", "weight"]
    assert [one["name"] for one in facts["data"]["classes"]] == ["big", "small"]
    assert facts["quality"]["estimates"][0]["name"] == "2 outer folds"
    assert (facts["title"], facts["target"], facts["task"]) == ("mixed.csv", "label", "classification")
    assert facts["pictures"] == [{"rows": 60}]


def test_json_is_one_document(run, folder):
    outcome = run(*FIT, "--no-report", "--json")
    facts = json.loads(outcome.stdout)
    assert facts["files"] == ["model.kernelect", "columns.toml"]
    assert set(facts["parameters"]) == {"gamma", "regularization"}
    assert [estimate["name"] for estimate in facts["quality"]["estimates"]] == [
        "2 outer folds",
        "leave-one-out",
        "always the most frequent class",
    ]
    assert sum(one["share"] for one in facts["relevance"]["shares"]) == pytest.approx(1.0, abs=1e-5)


def test_the_same_seed_gives_the_same_model(run, folder):
    facts = []
    for name in ("one", "two"):
        facts.append(json.loads(run(*FIT, "--no-report", "--seed", "3", "--json", "--out", name).stdout))
    for key in ("parameters", "quality", "relevance", "doubts"):
        assert facts[0][key] == facts[1][key]


def test_standard_input_and_other_options(run, folder):
    text = (folder / "mixed.csv").read_bytes()
    words = ("fit", "-", "--target", "value", "--drop", "label", "--machine", "basis", "--kernel", "linear")
    outcome = run(*words, "--folds", "0", "--no-report", "--quiet", input=text)
    assert "Predicting value from standard input" in outcome.stdout
    assert "How the model was found: kernelect inspect model.kernelect" in outcome.stdout
    assert "A linear model on a searched subset of basis functions" in run("inspect", "model.kernelect").stdout
    assert "·" not in outcome.stdout


def test_svmlight_needs_no_target(run, folder, rng):
    lines = [f"{int(x[0] > 0)} 1:{x[0]} 2:{x[1]}" for x in rng.normal(size=(30, 2))]
    (folder / "t.svm").write_text("\n".join(lines))
    facts = json.loads(run("fit", "t.svm", "--no-report", "--folds", "0", "--json").stdout)
    assert (facts["target"], [one["name"] for one in facts["data"]["classes"]]) == ("target", ["0", "1"])


def test_nothing_is_overwritten_and_that_is_told_before_any_tuning(run, folder, monkeypatch):
    (folder / "report.html").write_text("precious")
    monkeypatch.setattr("kernelect.tabular.fit_table", lambda *words, **more: pytest.fail("tuned"))
    outcome = run(*FIT, code=2)
    assert "'report.html' is there already: overwrite it with --force" in outcome.output
    assert sorted(os.listdir(folder)) == ["mixed.csv", "report.html"]


def test_force_overwrites(run, folder, report_page):
    (folder / "report.html").write_text("old")
    run(*FIT, "--force")
    assert (folder / "report.html").read_text() == "report on mixed.csv"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--target", "labl"), 2, "--target: there is no column 'labl'. Did you mean 'label'?"),
        ((), 2, "Name the column to predict with --target. There are 'size', 'colour'"),
        (("--taget", "label"), 2, "--target"),
        (("--target", "label", "--machine", "basis"), 2, "machine='basis' does no classification"),
        (("--target", "value", "--machine", "svm"), 2, "machine='svm' does no regression"),
        (("--target", "label", "--machine", "lssvm", "--kernel", "rfb"), 2, "Did you mean 'rbf'?"),
        (
            ("--target", "label", "--machine", "lssvm", "--criterion", "span"),
            2,
            "criterion='span' judges the machine 'svm', and LSSVC trains 'lssvm'",
        ),
        (
            ("--target", "label", "--kernel", "rbf"),
            2,
            "kernel='rbf' does not apply to machine='auto': leave it out, or use one of 'lssvm', 'svm', 'gp', 'rvm'.",
        ),
        (("--target", "label", "--prior", "none"), 2, "prior='none' does not apply to machine='auto'"),
        (("--target", "label", "--criterion", "span"), 2, "criterion='span' does not apply to machine='auto'"),
        (
            ("--target", "value", "--restarts", "2"),
            2,
            "restarts=2 does not apply to machine='auto': leave it out, or use one of 'lssvm', 'gp', 'rvm'.",
        ),
        (
            ("--target", "label", "--machine", "lssvm", "--effort", "fast"),
            2,
            "effort='fast' does not apply to machine='lssvm': leave it out, or use one of 'auto'.",
        ),
        (("--target", "label", "--effort", "most"), 2, "'most' is not one of 'fast', 'balanced', 'best'"),
        (("--target", "label", "--folds", "99"), 2, "--folds 99 must be a number from 2 to 60, the number of rows"),
        (("--target", "label", "--out", "mixed.csv/below"), 2, "is not a folder that can be written to"),
        (("--target", "label", "--format", "parquet"), 1, "cannot be read as a Parquet file"),
    ],
)
def test_mistakes_are_explained_and_leave_nothing(run, folder, words, code, message):
    outcome = run("fit", "mixed.csv", "--no-report", *words, code=code)
    assert message in " ".join(outcome.output.split())
    assert "Traceback" not in outcome.output
    assert os.listdir(folder) == ["mixed.csv"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"a,b\n1,2\n3\n", "line 3 has 1 cells"),
        (b"a,b\n" + b"1,x\n" * 20, "has only the class"),
        (b"\xff\xfe\x00", "begins as utf-16"),
        (b"a,b\n" + b",x\n,y\n" * 20, "No column is left"),
    ],
)
def test_unusable_tables_end_with_one_sentence(run, folder, content, message):
    (folder / "bad.csv").write_bytes(content)
    outcome = run("fit", "bad.csv", "--target", "b", "--task", "classification", code=1)
    assert message in outcome.output
    assert outcome.output.startswith("Error: ")
    assert len(outcome.output.splitlines()) == 1


def hostile_frame():
    frame = mixed_frame(30)
    label = np.where(frame["label"] == "big", "=cmd|' /C calc'!A0", "<script>alert(1)</script>")
    colour = frame["colour"].where(frame["colour"].isna(), "[/red]" + frame["colour"].astype(str) + "\x1b[31m")
    return pd.DataFrame({"<img src=x onerror=alert(1)>": frame["size"], "[bold]x[/]\x1b[2J": colour, "@SUM(A1)": label})


def test_hostile_names_and_labels_are_only_text(run, folder):
    hostile_frame().to_csv(folder / "hostile.csv", index=False)
    target = ("--target", "@SUM(A1)", "--machine", "lssvm", "--kernel", "rbf", "--folds", "2", "--no-report")
    outcome = run("fit", "hostile.csv", *target)
    assert "\x1b" not in outcome.output
    assert "[bold]x[/]" in outcome.output
    shown = run("inspect", "model.kernelect")
    assert "\x1b" not in shown.output
    printed = run("predict", "model.kernelect", "hostile.csv", "--id", "@SUM(A1)").stdout
    lines = printed.splitlines()
    assert lines[0].startswith("'@SUM(A1),prediction,probability:<script>")
    assert not any(cell.startswith(("=", "@")) for line in lines for cell in line.split(","))
    assert any(line.startswith("'=cmd|") for line in lines[1:])


@pytest.mark.slow
def test_a_table_of_ten_thousand_columns(run, folder, rng):
    X = rng.normal(size=(40, 10_000)).astype(np.float32)
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(10_000)])
    frame.assign(y=np.where(X[:, 0] > 0, "a", "b")).to_feather(folder / "wide.feather")
    outcome = run("fit", "wide.feather", "--target", "y", "--machine", "lssvm", "--folds", "0", "--no-report")
    assert "10\N{NARROW NO-BREAK SPACE}000 columns" in outcome.stdout
    assert "one width serves them all" in " ".join(outcome.stdout.split())


def test_control_c_is_one_sentence_and_code_130(run, folder, monkeypatch):
    def interrupted(*words, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr("kernelect.tabular.fit_table", interrupted)
    outcome = run(*FIT, "--no-report", code=130)
    assert "Stopped before the end: no file was left half-written." in outcome.stderr
    assert os.listdir(folder) == ["mixed.csv"]


def started(folder, *words):
    """Start the command on a pipe and return once it is reading from it."""
    os.mkfifo(folder / "pipe")
    command = [sys.executable, "-m", "kernelect", "fit", "pipe", "--target", "y", "--out", "out", *words]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return process, open(folder / "pipe", "w")  # waits for the reader


@pytest.mark.slow  # test_auto.py interrupts a fit too
def test_a_real_control_c(tmp_path):
    process, pipe = started(tmp_path)
    with pipe:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Stopped before the end" in errors
    assert "Traceback" not in errors


def test_a_killed_run_leaves_no_file(tmp_path, rng):
    X = rng.normal(size=(1500, 20))
    process, pipe = started(tmp_path, "--no-report")
    with pipe:
        pd.DataFrame(X).assign(y=X[:, 0] ** 2 + X[:, 1]).to_csv(pipe, index=False)
    with pytest.raises(subprocess.TimeoutExpired):  # it is tuning
        process.communicate(timeout=1.0)
    process.kill()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["pipe"]


def test_a_time_limit_leaves_time_for_model_and_report():
    """Of ten seconds two and a half are for writing; of one, at most half; none without a limit."""

    def left(limit, writing=2.5):
        return fit_command._with_time_to_write(Deadline(100.0 + limit, lambda: 101.0), writing).left()

    assert left(float("inf")) == float("inf")
    assert left(11.0) == pytest.approx(7.5)
    assert left(11.0, 0.5) == pytest.approx(9.5)
    assert left(2.0) == pytest.approx(0.5)
    assert left(0.5) == 0.0


def test_a_time_limit_counts_what_was_spent_before_the_command(monkeypatch):
    """A process begins with its imports; a call inside another program begins with the call."""
    monkeypatch.setattr(time, "monotonic", lambda: 101.0)
    with click.Context(fit_command.fit_command, obj=99.5):
        assert options.deadline(3.0).left() == pytest.approx(1.5)
        assert options.deadline(None).left() == float("inf")
    with click.Context(fit_command.fit_command):
        assert options.deadline(3.0).left() == pytest.approx(3.0)


def test_without_time_there_is_a_model_and_a_page_that_says_what_it_lacks(run, folder):
    run("fit", "mixed.csv", "--target", "label", "--folds", 2, "--time-limit", 1e-3, "--out", "o", "--quiet")
    page = (folder / "o" / "report.html").read_text()
    assert "There was no time for all pictures" in page
    assert page.count('id="picture-') == 6  # how good it is and what matters are drawn whatever the time
    assert "There was no time left for it" in page
    assert run("predict", "o/model.kernelect", "mixed.csv").exit_code == 0


def test_a_model_whose_export_differs_has_a_report_without_what_if(run, folder, monkeypatch):
    monkeypatch.setattr(rows, "_TOLERANCE", -1.0)
    monkeypatch.setattr(gathering, "draw_up", lambda material, made: [])
    run(*FIT, "--out", "o", "--quiet")
    page = (folder / "o" / "report.html").read_text()
    assert "This page does not carry the model. The export differs from the model by " in page
    assert "kernelectModel" not in page
    outcome = run("export", "o/model.kernelect", "--to", "c", "--out", "model.h", code=1)
    assert "The export differs from the model" in outcome.output


@pytest.mark.parametrize("command", [("fit", "--no-report", "--force"), *slowly((("compare",),))])
def test_few_groups_have_fewer_folds_unless_folds_are_asked_for(run, tmp_path, rng, command):
    frame = pd.DataFrame({"x": rng.normal(size=40), "g": list("abcd") * 10})
    frame.assign(y=frame["x"] + 0.1 * rng.normal(size=40)).to_csv(tmp_path / "t.csv", index=False)
    words = (*command, "t.csv", "--target", "y", "--group", "g", *MACHINE)
    assert "There are 4 outer folds, not 5: the table has 4 groups." in " ".join(run(*words).output.split())
    said = " ".join(run(*words, "--folds", "5", code=2).output.split())
    assert "--folds 5 must be a number from 2 to 4, the number of groups" in said


def test_a_name_of_rows_in_the_file_can_be_kept_as_an_input(run, tmp_path, rng):
    frame = pd.DataFrame({"x": rng.normal(size=40), "who": rng.integers(1, 5, 40), "y": rng.normal(size=40)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ("fit", "t.csv", "--target", "y", *MACHINE, "--folds", "0", "--no-report")
    run(*words, "--id", "who", "--out", "first")
    run(*words, "--schema", "first/columns.toml", "--keep", "who", "--out", "second")
    assert 'ids = ["who"]' in (tmp_path / "first" / "columns.toml").read_text()
    assert 'name = "who"\nkind = "number"' in (tmp_path / "second" / "columns.toml").read_text()
