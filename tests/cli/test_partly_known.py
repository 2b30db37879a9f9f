"""Targets known in part on the command line, from the fit to the evaluation: times, order, limits."""

import json

import numpy as np
import pandas as pd
import pytest

ROWS = 60
FAST = ("--effort", "fast", "--folds", 2, "--out", "out", "--no-report", "--quiet")


@pytest.fixture
def frame():
    return pd.DataFrame(np.random.default_rng(0).normal(size=(ROWS, 2)), columns=["a", "b"])


def written(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    return "t.csv"


def noise(seed=1):
    return 0.3 * np.random.default_rng(seed).normal(size=ROWS)


@pytest.fixture
def study(frame, tmp_path):
    time, end = np.exp(3.0 + frame["a"] + noise()), np.random.default_rng(2).exponential(60.0, ROWS)
    days, status = np.minimum(time, end).round(2), (time <= end).astype(int)
    return written(frame.assign(days=days, status=status), tmp_path)


@pytest.fixture
def grades(frame, tmp_path):
    place = np.digitize(frame["a"] + noise(), [-0.4, 0.5])
    return written(frame.assign(grade=np.array(["mild", "moderate", "severe"])[place]), tmp_path)


@pytest.fixture
def assay(frame, tmp_path):
    value = np.exp(frame["a"] + noise())
    return written(frame.assign(value=[f"{v:.3f}" if v > 0.5 else "<0.5" for v in value]), tmp_path)


def after_the_fit(run, table, tmp_path):
    """Predict, inspect and evaluate; return the prediction and what was printed."""
    run("predict", "out/model.kernelect", table, "--out", "p.csv")
    inspected = run("inspect", "out/model.kernelect").stdout
    facts = json.loads(run("inspect", "out/model.kernelect", "--json").stdout)
    evaluated = run("evaluate", "out/model.kernelect", table).stdout
    found = json.loads(run("evaluate", "out/model.kernelect", table, "--json").stdout)
    return pd.read_csv(tmp_path / "p.csv"), inspected, facts, evaluated, found


def test_times_until_an_event(run, study, tmp_path, report_page):
    fitted = json.loads(run("fit", study, "--target", "days", "--event", "status", *FAST, "--json").stdout)
    assert fitted["quality"]["estimates"][0]["scores"][0]["value"] > 0.7
    predicted, inspected, facts, evaluated, found = after_the_fit(run, study, tmp_path)
    assert np.corrcoef(np.log(predicted["prediction"]), pd.read_csv(study)["a"])[0, 1] > 0.9
    assert "Survival" in inspected or "survival" in inspected
    assert facts["quality"]["main"] == "concordance"
    assert "concordance" in evaluated
    assert [one["name"] for one in found["scores"]][:3] == [
        "concordance",
        "concordance (Uno)",
        "integrated Brier score",
    ]
    assert not any("ignored" in remark for remark in found["remarks"])
    run("report", "out/model.kernelect", study, "--out", "r.html")
    assert report_page[-1]["pictures"] == [{"rows": ROWS}]


def test_ordered_classes(run, grades, tmp_path, report_page):
    run("fit", grades, "--target", "grade", "--ordered", "mild<moderate<severe", *FAST)
    predicted, inspected, facts, evaluated, found = after_the_fit(run, grades, tmp_path)
    assert list(predicted.columns[1:]) == ["probability:mild", "probability:moderate", "probability:severe"]
    assert "ordered classes" in inspected
    assert "mean distance" in evaluated
    assert "ranked probability score" in {one["name"] for one in found["scores"]}
    assert facts["data"]["words"].endswith("3 classes")
    run("report", "out/model.kernelect", grades, "--out", "r.html")
    assert len(report_page) == 1


def test_limits(run, assay, tmp_path, report_page):
    fitted = json.loads(run("fit", assay, "--target", "value", *FAST, "--json").stdout)
    cells = pd.read_csv(assay)["value"]
    limits = int(cells.str.startswith("<").sum())
    assert any(f"has {limits} cells that only give a limit" in remark for remark in fitted["remarks"])
    assert not any("read as the limit itself" in remark for remark in fitted["remarks"])
    predicted, _, _, evaluated, found = after_the_fit(run, assay, tmp_path)
    assert (predicted["prediction"][cells.str.startswith("<")] < 0.8).mean() > 0.8
    assert "Rows whose target is only a limit are not among them" in " ".join(evaluated.split())
    numbers = np.flatnonzero(~cells.str.startswith("<")) + 1
    assert {one["row"] for one in found["worst_rows"]} <= set(numbers.tolist())
    run("report", "out/model.kernelect", assay, "--out", "r.html")
    assert len(report_page) == 1


def test_compare_knows_times(run, study):
    words = ("compare", study, "--target", "days", "--event", "status", "--effort", "fast", "--folds", 2, "--quiet")
    shown = run(*words).stdout
    assert "ranked by concordance" in " ".join(shown.split())
    assert "Cox regression" in shown
    assert "Brier" in shown
