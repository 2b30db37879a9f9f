"""CSV in which nothing is calculated, whatever separator a spreadsheet takes."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kernelect
from kernelect.spreadsheets import csv_of_frame, csv_of_rows, harmless, harmless_json
from oracles.spreadsheets import PAYLOADS, formulas_in


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_is_calculated(payload):
    assert formulas_in(payload + "\n")  # the oracle sees it
    for text in (csv_of_rows([["a", payload], [payload, 1.0]]), csv_of_frame(pd.DataFrame({payload: [payload, "x"]}))):
        assert formulas_in(text) == []


@pytest.mark.parametrize("payload", PAYLOADS)
def test_json_says_the_same(payload):
    text = harmless_json(json.dumps({"x": payload, "y": [payload]}))
    assert json.loads(text) == {"x": payload, "y": [payload]}
    assert formulas_in(csv_of_rows([[text]])) == []


@pytest.mark.parametrize(
    "text", ["+", "-", "-3.5", "+1e3", "fine", "a-b", "a = b", "well; -3", "x|-1.5", "", "'=1", "e@mail", "1;2"]
)
def test_numbers_signs_and_words_stay(text):
    assert harmless(text) == text


def test_cells_and_names_of_a_frame():
    frame = pd.DataFrame(
        {
            "=name": ["=1+1", "@x", "+", "-3.5", "-cmd|' /C calc'!A0", "\tx", "a;=1", None],
            "n": np.arange(8.0) - 5,
        }
    )
    read = pd.read_csv(io.StringIO(csv_of_frame(frame)), dtype={"'=name": str})
    expected = ["'=1+1", "'@x", "+", "-3.5", "'-cmd|' /C calc'!A0", "'\tx", "a;'=1"]
    assert read["'=name"].tolist()[:7] == expected
    assert pd.isna(read["'=name"][7])
    assert read["n"].tolist() == frame["n"].tolist()
    assert next(csv.reader(csv_of_frame(frame, header=False).splitlines())) == ["'=1+1", "-5.0"]


def test_no_other_module_writes_csv():
    folder = Path(kernelect.__file__).parent
    found = [
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if re.search(r"\.to_csv\((?!'predictions)|csv\.writer|DictWriter", path.read_text())  # but in code to copy
    ]
    assert found == ["spreadsheets.py"]
