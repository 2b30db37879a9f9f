"""Texts of other people's files in everything that commands write and print: no formula, no escape survives."""

import json
import re
import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kernelect.cli
from oracles.spreadsheets import ESCAPES, PAYLOADS, formulas_in

TEXTS = (*PAYLOADS, *(f"name{escape}" for escape in ESCAPES))


def controls_in(text):
    """Characters that a terminal obeys instead of showing them."""
    return re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)


def quoted(text):
    """A text of TOML."""
    return json.dumps(text, ensure_ascii=True).replace("\x7f", "\\u007f")


@pytest.fixture
def table(tmp_path):
    """A table whose names, labels, categories and row names are all payloads."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    hostile = [text for text in TEXTS if "\n" not in text and "\r" not in text]
    frame = pd.DataFrame(
        {
            "who": [f"{hostile[k % len(hostile)]}{k}" for k in range(60)],
            "=cmd()": x,
            "x\x1b[2J": rng.choice(hostile[:4], 60),
            "y": np.where(x + 0.3 * rng.normal(size=60) > 0, "@SUM(A1)", "x;=1+1\x1b[31m"),
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    return frame


def results_of(path, texts):
    """A results file that somebody else has made."""
    methods = "".join(
        f'[methods.m{k}]\nlabel = {quoted(text)}\nestimator = {{call = "kernelect.LSSVC"}}\n'
        for k, text in enumerate(texts)
    )
    names = ["".join(c for c in text if c.isprintable() and c not in "/\\:") for text in texts]  # as names may be
    data = "".join(f"{quoted(name)} = {{}}\n" for name in dict.fromkeys(names))
    definition = (
        f'name = "forged"\ntitle = {quoted(texts[0])}\nreference = {quoted(texts[1])}\nsplits = 2\ndefault = "m0"\n'
        f'[protocol]\nkind = "draws"\nrows = 40\ntest_rows = 200\n[datasets]\n{data}{methods}'
    )
    with sqlite3.connect(path) as made:
        made.executescript(
            "CREATE TABLE study (schema, name, definition, began);"
            "CREATE TABLE environments (id INTEGER PRIMARY KEY, facts);"
            "CREATE TABLE cells (dataset, method, split, state, message, figures, seconds, seed, ended, environment);"
        )
        made.execute("INSERT INTO study VALUES (1, 'forged', ?, 0.0)", (definition,))
        made.execute("INSERT INTO environments VALUES (1, ?)", (json.dumps({"host": texts[0]}),))
        for k, text in enumerate(texts):
            for split, state in enumerate(("done", "failed")):
                figures = json.dumps({"error": 0.1, "status": text, text: 1.0})
                row = ((names[k], text)[split], f"m{k}", split, state, text, figures, 1.0, 1, 1.0, 1)
                made.execute("INSERT INTO cells VALUES (?,?,?,?,?,?,?,?,?,?)", row)
    return path


def test_tables(run, table):
    words = ("--machine", "lssvm", "--kernel", "rbf", "--folds", 0, "--id", "who", "--no-report")
    said = [run("fit", "t.csv", "--target", "y", *words), run("inspect", "model.kernelect")]
    said += [run("explain", "model.kernelect", "t.csv"), run("predict", "model.kernelect", "t.csv", "--explain", 2)]
    run("predict", "model.kernelect", "t.csv", "--out", "p.csv")
    run("predict", "model.kernelect", "t.csv", "--out", "p.tsv")
    run("predict", "model.kernelect", "t.csv", "--engine", "local", "--out", "pieces.csv")
    run("explain", "model.kernelect", "t.csv", "--out", "e.csv")
    for outcome in said[:3]:
        assert controls_in(outcome.output) == []
    assert formulas_in(said[3].stdout) == []
    for name in ("p.csv", "p.tsv", "pieces.csv", "e.csv"):
        assert formulas_in(Path(name).read_text()) == [], name
    for words in (
        ("predict", "model.kernelect", "t.csv"),
        ("explain", "model.kernelect", "t.csv"),
        ("inspect", "model.kernelect"),
    ):
        document = run(*words, "--json").stdout
        assert controls_in(document) == []
        json.loads(document)
    openpyxl = pytest.importorskip("openpyxl")
    run("predict", "model.kernelect", "t.csv", "--out", "p.xlsx")
    cells = [cell for row in openpyxl.load_workbook("p.xlsx").active.iter_rows() for cell in row]
    assert len(cells) > 60
    assert all(cell.data_type != "f" for cell in cells)


def test_results_of_studies(run, tmp_path):
    path = results_of(tmp_path / "r.sqlite", TEXTS)
    for words in (("status",), ("table",), ("table", "--metric", "error"), ("table", "--format", "markdown")):
        outcome = run("study", words[0], path, *words[1:])
        assert controls_in(outcome.output) == [], words
    document = run("study", "status", path, "--json").stdout
    assert controls_in(document) == []
    assert {failure["message"] for failure in json.loads(document)["failures"]} == set(TEXTS)
    assert formulas_in(run("study", "table", path, "--metric", "error", "--format", "csv").stdout) == []
    for more in ((), ("--compact",)):
        run("study", "export", path, "--out", "cells.csv", "--force", *more)
        assert formulas_in(Path("cells.csv").read_text()) == []
    run("study", "table", path, "--metric", "error", "--out", "t.txt")
    assert controls_in(Path("t.txt").read_text()) == []


@pytest.mark.parametrize("text", TEXTS)
def test_exported_cells_are_read_as_they_were(text):
    from kernelect.spreadsheets import csv_of_rows
    from kernelect.studies.export import cell_text, from_text

    assert from_text(cell_text(text)) == text
    assert from_text(cell_text({text: [text]})) == {text: [text]}
    assert formulas_in(csv_of_rows([[cell_text(text), cell_text({text: [text]})]])) == []


@pytest.mark.parametrize("text", ESCAPES)
def test_errors(run, text):
    for words in (("fit", f"no{text}.csv", "--target", "y"), (f"f{text}",), ("study", "show", f"s{text}")):
        assert controls_in(run(*words, code=None).output) == []


def test_one_place_prints():
    """click and print are used in one module; consoles are of the class that lets no control character through."""
    folder = Path(kernelect.cli.__file__).parent
    found = {
        path.name
        for path in folder.glob("*.py")
        if re.search(r"click\.s?echo\(|(?<![\w.])print\(|(?<!\w)Console\(|std(out|err)\.write\(", path.read_text())
    }
    assert found == {"_terminal.py"}


def test_a_second_target_is_refused(run, folder):
    said = run("fit", "mixed.csv", "--target", "label", "--target", "value", code=2).output
    assert "--target takes one column, and got 'label' and 'value': give one of them." in " ".join(said.split())


def test_help_of_completion_is_readable(run):
    said = run("completion", "--help").output
    assert "\\b" not in said
    assert "\n  bash: echo" in said


def test_predictions_have_the_form_that_their_name_says(run, folder):
    run("fit", "mixed.csv", "--target", "label", "--machine", "lssvm", "--kernel", "rbf", "--folds", 0, "--no-report")
    run("predict", "model.kernelect", "mixed.csv", "--out", "p.csv")
    expected = pd.read_csv("p.csv")
    for name, read in (("p.parquet", pd.read_parquet), ("p.feather", pd.read_feather), ("p.xlsx", pd.read_excel)):
        run("predict", "model.kernelect", "mixed.csv", "--out", name)
        pd.testing.assert_frame_equal(read(name), expected, check_dtype=False)
    for name in ("p.json", "p.csv.gz", "p.xls"):
        said = run("predict", "model.kernelect", "mixed.csv", "--out", name, code=2).output
        assert "choose one of these endings" in " ".join(said.split())
    said = run("predict", "model.kernelect", "mixed.csv", "--engine", "local", "--out", "q.parquet", code=2).output
    assert "--engine writes CSV piece by piece" in " ".join(said.split())
