"""The machine auto, which is the default: from a table to model, predictions, inspection, report and comparison."""

import io
import json
import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from kernelect.datasets.samples import sample_table
from oracles.tables import mixed_frame
from speeds import slowly

FIT = ("fit", "mixed.csv", "--target", "label", "--drop", "value", "--effort", "fast", "--folds", "2")


@pytest.mark.parametrize("name", slowly("patients", "diabetes"))
def test_the_sample_tables_from_fit_to_report(run, tmp_path, name):
    _, target = sample_table(name)
    run("sample", name)
    said = run("fit", f"{name}.csv", "--target", target, "--effort", "fast", "--folds", "0").stdout
    assert "Candidates of the mixture" not in said  # that is for inspect and the page's fold-out
    assert "kernelect inspect" in said
    interval = () if name == "patients" else ("--interval", "0.9")
    predictions = pd.read_csv(
        io.StringIO(run("predict", "model.kernelect", f"{name}.csv", "--quiet", *interval).stdout)
    )
    facts = json.loads(run("inspect", "model.kernelect", "--json").stdout)
    assert len(predictions) == facts["data"]["rows"]
    assert facts["mixture"]["effort"] == "fast"
    page = (tmp_path / "report.html").read_text()
    assert 'data-kind="weights"' in page
    assert 'data-kind="surface"' not in page
    assert facts["mixture"]["loss"]["sentence"][:40] in " ".join(page.split())
    run("report", "model.kernelect", f"{name}.csv", "--out", "again.html")
    assert (tmp_path / "again.html").read_text() == page


def test_outer_folds_repeat_the_mixture_and_the_file_is_small(run, folder):
    facts = json.loads(run(*FIT, "--no-report", "--json").stdout)
    assert [one["name"] for one in facts["quality"]["estimates"]][:2] == ["2 outer folds", "leave-one-out"]
    assert facts["machine"]["class"] == "KernelClassifier"
    assert facts["parameters"] == {}
    assert os.path.getsize(folder / "model.kernelect") < 300_000
    shown = run("inspect", "model.kernelect").stdout
    assert "Candidates of the mixture" in shown
    assert "Selected values" not in shown


def test_balanced_is_the_default_effort(run, folder, monkeypatch):
    seen = []

    def watched(rows, schema, options, *words, **more):
        seen.append(options)
        raise KeyboardInterrupt

    monkeypatch.setattr("kernelect.tabular.fit_table", watched)
    run("fit", "mixed.csv", "--target", "label", code=130)
    run(*FIT, code=130)
    assert [(options.machine, options.effort) for options in seen] == [("auto", None), ("auto", "fast")]


def test_a_time_limit_holds_and_what_was_not_fitted_is_told(run, folder):
    facts = json.loads(run(*FIT, "--no-report", "--json", "--time-limit", "0.02").stdout)
    statuses = [one["status"] for one in facts["mixture"]["candidates"]]
    assert "not fitted: no time was left" in statuses
    assert "not-all-tried" in [doubt["code"] for doubt in facts["doubts"]]
    assert not any("time limit was too short" in remark for remark in facts["remarks"])  # the doubt says it
    text = run("inspect", "model.kernelect").stdout
    assert "ran out of time after" in " ".join(text.split())


def test_compare_puts_the_mixture_beside_single_machines(run, folder):
    words = ("compare", "mixed.csv", "--target", "value", "--drop", "label", "--folds", "2", "--json")
    chosen = ("--machine", "auto", "--machine", "lssvm", "--kernel", "linear", "--effort", "fast")
    names = [row["name"] for row in json.loads(run(*words, *chosen).stdout)["candidates"]]
    assert {"auto", "lssvm linear"} <= set(names)
    assert len(names) == 6


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--machine", "auto", "--kernel", "rbf"),
            "--kernel rbf does not apply to --machine auto, which",
        ),
        (("--machine", "lssvm", "--effort", "best"), "effort='best' is for machine='auto' alone: add that machine"),
    ],
)
def test_mistakes_in_compare_are_explained(run, folder, words, message):
    outcome = run("compare", "mixed.csv", "--target", "label", *words, code=2)
    assert message in " ".join(outcome.output.split())


def test_control_c_while_candidates_are_fitted(tmp_path):
    mixed_frame(400).to_csv(tmp_path / "mixed.csv", index=False)
    command = [sys.executable, "-c", _WATCHED, "fit", "mixed.csv", "--target", "label", "--effort", "best"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=tmp_path, **pipes) as process:
        assert process.stdout.readline() == "fitted lssvm, ard, as it is\n"
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Stopped before the end: no file was left half-written." in errors
    assert time.monotonic() - began < 20.0
    assert os.listdir(tmp_path) == ["mixed.csv"]


#: The command, which tells on standard output when a candidate is fitted.
_WATCHED = """
import kernelect.cli._progress as progress
from kernelect.cli import main

def told(self, title):
    return lambda member: print("fitted", member.candidate, flush=True)

progress.Watch.fit = told
main()
"""
