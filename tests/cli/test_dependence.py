"""Rows that depend on each other, through the command line."""

import json

import numpy as np
import pytest

from oracles.tables import mixed_frame

MACHINE = ("--machine", "lssvm", "--kernel", "rbf", "--folds", "3")


@pytest.fixture
def table(tmp_path):
    frame = mixed_frame().drop(columns="label")
    frame = frame.assign(visit=np.tile(np.arange(6), 10), patient=np.repeat([f"p{k}" for k in range(10)], 6))
    frame.to_csv(tmp_path / "visits.csv", index=False)


def test_groups_and_times_are_named_on_the_command_line(run, table):
    words = ("fit", "visits.csv", "--target", "value", *MACHINE, "--no-report", "--json")
    facts = json.loads(run(*words, "--group", "patient").stdout)
    names = [estimate["name"] for estimate in facts["quality"]["estimates"]]
    assert names == ["3 outer folds by patient", "leave-one-out by patient", "always the mean"]
    assert facts["machine"]["criterion"] == "group-press"
    assert "patient" not in [column["name"] for column in facts["columns"]]
    facts = json.loads(run(*words, "--time", "visit", "--force").stdout)
    assert [estimate["name"] for estimate in facts["quality"]["estimates"]] == [
        "3 forward folds by visit",
        "always the mean",
    ]
    assert any("Leave-one-out is not shown" in remark for remark in facts["remarks"])
    refused = run(*words, "--group", "patent", "--force", code=2)
    assert "--group: there is no column 'patent'. Did you mean 'patient'" in " ".join(refused.stderr.split())


def test_a_comparison_keeps_groups_together_and_is_shown_beside_a_model(run, table, tmp_path, report_page):
    words = ("compare", "visits.csv", "--target", "value", "--machine", "lssvm", "--kernel", "linear", "--folds", "2")
    printed = run(*words, "--group", "patient", "--time-limit", "4", "--json").stdout
    facts = json.loads(printed)
    assert facts["folds"] == "2 outer folds by patient"
    assert all(row["difference"]["standard_error"] > 0 for row in facts["candidates"] if row["difference"])
    (tmp_path / "peers.json").write_text(printed)
    fit = ("fit", "visits.csv", "--target", "value", *MACHINE[:4], "--folds", "0", "--compared", "peers.json")
    shown = " ".join(run(*fit).stdout.split())
    assert "Other methods (2 outer folds by patient, the same for all of them)" in shown
    for row in facts["candidates"]:
        assert row["name"] in shown
    assert report_page[0]["peers"] == facts
    report = ("report", "model.kernelect", "visits.csv", "--compared", "peers.json", "--json")
    assert json.loads(run(*report, "--force").stdout)["peers"] == facts
