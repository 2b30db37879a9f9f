"""Tables in JSON, in the forms that programs write."""

import json

import pandas as pd
import pytest

from kernelect.exceptions import UnusableTable
from kernelect.tabular import read_table

FRAME = pd.DataFrame({"a": [1.5, None, 3.0], "b": ["x", "y", "é"], "c": [True, False, True]})
ROWS = json.loads(FRAME.to_json(orient="records"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.json", json.dumps(ROWS)),
        ("t.json", json.dumps(ROWS, indent=2)),
        ("t.jsonl", "\n".join(json.dumps(row) for row in ROWS) + "\n"),
        ("t.ndjson", FRAME.to_json(orient="records", lines=True)),
        ("t.json", json.dumps(FRAME.astype(object).where(FRAME.notna(), None).to_dict("list"))),
        ("t.json", FRAME.to_json()),
        ("t.json", FRAME.to_json(orient="split")),
        ("t.dat", json.dumps(ROWS)),
    ],
)
def test_forms(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = read_table(tmp_path / name).frame
    pd.testing.assert_frame_equal(found, FRAME, check_dtype=False)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[1, 2]", "a list that is not one of rows"),
        ('{"a": 1}', "it holds one object"),
        ('[{"a": [1]}, {"a": 2}]', "cells of 'a' hold lists or objects"),
        ('[{"a": 1},', "Expecting value"),
        ('{"a": [1, 2], "b": [1]}', "same length"),
        ('{"columns": ["a"], "data": [[1, 2]]}', "columns"),
        ("[" * 100_000, "nested too deeply"),
        ('"text"', "it holds a text"),
    ],
)
def test_what_is_no_table_is_told_with_a_way_out(tmp_path, text, why):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(UnusableTable, match=f"t.json is JSON without a table .*{why}.*write a list of rows such as"):
        read_table(tmp_path / "t.json")
