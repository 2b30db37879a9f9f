"""A comparison beside a model: read from what the command printed, shown on terminal, in JSON and on the page."""

import json

import pytest

from kernelect.exceptions import UnusableTable
from kernelect.report.listing import tables_of
from kernelect.tabular.peers import read_comparison

SCORE = {"name": "error", "value": 0.1, "standard_error": 0.02, "larger_is_better": False, "words": "10.0 ± 2.0 %"}
OTHER = {**SCORE, "name": "log-loss", "words": "0.310 ± 0.020"}


@pytest.fixture
def printed():
    behind = {"value": 0.05, "standard_error": 0.01, "words": "5.0 ± 1.0 %"}
    candidates = [
        {"name": "auto", "scores": [SCORE, OTHER], "difference": None, "seconds": 3.0, "mark": "", "remark": ""},
        {
            **{"name": "<b>forest</b>", "scores": [{**SCORE, "words": "15.0 ± 2.0 %"}], "difference": behind},
            **{"seconds": 1.0, "mark": "out of time", "remark": "in 1 of 5 folds"},
        },
    ]
    words = {"title": "t.csv", "target": "sick", "folds": "5 outer folds", "score": "error"}
    return {**words, "candidates": candidates, "remarks": ["a remark"]}


def written(tmp_path, facts):
    (tmp_path / "peers.json").write_text(json.dumps(facts))
    return tmp_path / "peers.json"


def test_what_was_printed_is_read(tmp_path, printed):
    assert read_comparison(written(tmp_path, printed), "sick") == printed


def test_only_what_a_comparison_holds_is_taken(tmp_path, printed):
    printed["candidates"][0]["scores"].append({**SCORE, "value": None})
    found = read_comparison(written(tmp_path, {**printed, "script": "alert(1)"}), "sick")
    assert "script" not in found
    assert len(found["candidates"][0]["scores"]) == 2  # an infinite score is null in JSON


@pytest.mark.parametrize(
    "change",
    [
        lambda facts: [facts],
        lambda facts: {**facts, "candidates": 3},
        lambda facts: {**facts, "title": {"a": 1}},
        lambda facts: {**facts, "candidates": [{"name": "auto"}]},
        lambda facts: {**facts, "candidates": [{**facts["candidates"][0], "seconds": "soon"}]},
    ],
)
def test_other_files_are_refused(tmp_path, printed, change):
    with pytest.raises(UnusableTable, match="peers.json is not what kernelect compare --json prints"):
        read_comparison(written(tmp_path, change(printed)), "sick")


def test_other_targets_and_absent_files_are_refused(tmp_path, printed):
    with pytest.raises(UnusableTable, match="predictions of 'sick', and the model predicts 'age'"):
        read_comparison(written(tmp_path, printed), "age")
    with pytest.raises(UnusableTable, match="There is no file"):
        read_comparison(tmp_path / "none.json", "age")


def test_the_page_has_all_scores_of_all_methods(hostile_facts, printed):
    table = next(one for one in tables_of({**hostile_facts, "peers": printed}) if one["key"] == "peers")
    assert table["columns"] == ["method", "error", "behind the best", "log-loss", "time", "note"]
    assert table["rows"][0][:4] == ["auto", "10.0 ± 2.0 %", "the best", "0.310 ± 0.020"]
    assert table["rows"][1][:3] == ["<b>forest</b>", "15.0 ± 2.0 %", "5.0 ± 1.0 %"]
    assert table["rows"][1][-1] == "out of time"
