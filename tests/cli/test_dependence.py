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


def test_a_comparison_keeps_groups_together(run, table):
    words = ("compare", "visits.csv", "--target", "value", "--machine", "lssvm", "--kernel", "linear", "--folds", "2")
    facts = json.loads(run(*words, "--group", "patient", "--time-limit", "4", "--json").stdout)
    assert facts["folds"] == "2 outer folds by patient"
    assert all(row["difference"]["standard_error"] > 0 for row in facts["candidates"] if row["difference"])
