"""``kernelect study`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("click")
from click.testing import CliRunner

from kernelect.cli.commands import kernelect


@pytest.fixture
def definition(tmp_path):
    from studies.conftest import TEXT

    path = tmp_path / "tiny.toml"
    path.write_text(TEXT)
    return str(path)


def run(*arguments):
    return CliRunner().invoke(kernelect, ["study", *map(str, arguments)], prog_name="kernelect")


def test_a_whole_study_from_run_to_pictures(definition, tmp_path):
    out = tmp_path / "r.sqlite"
    arguments = ("run", definition, "--datasets", "twonorm,ringnorm", "--splits", 2, "--out", out)
    first = run(*arguments)
    assert first.exit_code == 0, first.output
    assert "0 cells were there, 8 were run, 0 failed" in first.output
    assert "8 cells were there, 0 were run" in run(*arguments).output
    assert "8 cells, 0 of them failed" in run("status", out).output
    assert json.loads(run("status", out, "--json").output)["methods"]["ours"] == {"done": 4}
    assert "Test error, %" in run("table", out).output
    for form, mark in (
        ("markdown", "| ---"),
        ("latex", r"\toprule"),
        ("html", "<!doctype html>"),
        ("csv", "table,row"),
    ):
        assert mark in run("table", out, "--format", form).output
    written = run("table", out, "--format", "html", "--out", tmp_path / "t.html")
    assert written.exit_code == 0
    assert (tmp_path / "t.html").read_text().startswith("<!doctype html>")
    pictures = run("plot", out, "--out", tmp_path / "pictures").output.split()
    assert [name.rsplit("/", 1)[-1] for name in pictures] == ["histogram-twonorm.png", "histogram-ringnorm.png"]
    assert "8 cells" in run("export", out, "--out", tmp_path / "cells.csv", "--compact").output
    back = ("import", tmp_path / "cells.csv", "--study", definition, "--out", tmp_path / "back.sqlite")
    assert "8 cells were imported, 0 were there" in run(*back).output
    assert "0 cells were imported, 8 were there" in run(*back).output
    assert run("table", tmp_path / "back.sqlite").output == run("table", out).output
    assert not list(tmp_path.glob("*.lock"))


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("run", "cawley2006"), 2, "Did you mean 'cawley2007'"),
        (("run", "cawley2007", "--datasets", "hart"), 2, "Did you mean 'heart'"),
        (("run", "cawley2007", "--methods", "lsvm"), 2, "Did you mean 'lssvm'"),
        (("run", "cawley2007", "--datasets", "heart"), 1, "Give a folder with heart.npz by --data"),
        (("run", "cawley2007", "--engine", "grid"), 2, "must be local or an address"),
        (("table", "none.sqlite"), 1, "There is no results file none.sqlite"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(arguments, code, words, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KERNELECT_DATA", raising=False)
    result = run(*arguments)
    assert result.exit_code == code
    assert words in " ".join(result.output.split())
    assert "Traceback" not in result.output
    assert not list(tmp_path.iterdir())


def test_failed_cells_are_told_by_the_exit_code(definition, tmp_path):
    text = Path(definition).read_text().replace("probability = false", "C = -1.0")
    Path(definition).write_text(text)
    out = tmp_path / "r.sqlite"
    arguments = ("run", definition, "--datasets", "twonorm", "--splits", 1, "--out", out)
    for words in (("--methods", "theirs"), ()):
        result = run(*arguments, *words)
        assert result.exit_code == 1
        assert "1 failed" in result.output
        assert "add --retry-failed to this command" in " ".join(result.output.split())
    assert run(*arguments).exit_code == 1  # it failed in an earlier run
    assert run(*arguments, "--methods", "ours").exit_code == 0


def test_a_definition_that_leaves_the_program_is_told(definition, tmp_path):
    text = (
        Path(definition)
        .read_text()
        .replace('call = "sklearn.svm.SVC", gamma = "scale", probability = false', 'call = "sys.exit"')
    )
    Path(definition).write_text(text)
    result = run("run", definition, "--out", tmp_path / "r.sqlite")
    assert result.exit_code == 2
    assert "call = 'sys.exit' cannot be called with" in " ".join(result.output.split())


def test_files_that_are_there_are_kept(definition, tmp_path):
    out = tmp_path / "r.sqlite"
    assert run("run", definition, "--datasets", "twonorm", "--splits", 1, "--out", out).exit_code == 0
    precious = tmp_path / "precious.csv"
    for words in (
        ("export", out, "--out", precious),
        ("table", out, "--format", "csv", "--out", precious),
    ):
        precious.write_text("precious")
        kept = run(*words)
        assert kept.exit_code == 2
        assert "is there already: overwrite it with --force" in " ".join(kept.output.split())
        assert precious.read_text() == "precious"
        assert run(*words, "--force").exit_code == 0
        assert precious.read_text() != "precious"
    pictures = tmp_path / "pictures"
    assert run("plot", out, "--out", pictures).exit_code == 0
    assert run("plot", out, "--out", pictures).exit_code == 2
    assert run("plot", out, "--out", pictures, "--force").exit_code == 0
    assert run("run", definition, "--out", "/dev/null").exit_code == 1


def test_a_second_writer_is_sent_away(definition, tmp_path):
    fcntl = pytest.importorskip("fcntl")
    out = tmp_path / "r.sqlite"
    with (tmp_path / "r.sqlite.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = run("run", definition, "--out", out)
    assert result.exit_code == 1
    assert "Another run is writing" in result.output


def test_what_there_is(definition):
    assert "gold2003" in run("list").output
    assert "lssvm-br-ard" in run("show", "cawley2007").output
    assert run("show", definition, "--toml").output.lstrip().startswith('name = "tiny"')


def test_wide_tables_are_cut_into_columns_that_fit():
    from kernelect.cli._study import pieces
    from kernelect.studies.records import StudyTable, TableEntry

    heads = ("data", *(f"method number {j}" for j in range(7)))
    table = StudyTable(title="t", heads=heads, rows=(tuple(TableEntry(text=f"{j}.00") for j in range(8)),))
    cut = list(pieces(table, 60))
    assert [head for piece in cut for head in piece.heads[1:]] == list(heads[1:])
    assert all(piece.heads[0] == "data" and len(piece.heads) <= 4 for piece in cut)
    assert len(list(pieces(table, 200))) == 1


def test_the_formats_of_the_help_are_those_there_are():
    from kernelect.cli.study import FORMATS
    from kernelect.studies.formats import FORMATS as WRITERS

    assert set(FORMATS) == set(WRITERS)


@pytest.mark.parametrize("content", [b"", b"precious", b"kernelect study run\nand more"])
def test_a_lock_of_somebody_else_is_neither_written_nor_deleted(definition, tmp_path, content):
    pytest.importorskip("fcntl")
    out, lock = tmp_path / "r.sqlite", tmp_path / "r.sqlite.lock"
    lock.write_bytes(content)
    assert run("run", definition, "--datasets", "twonorm", "--splits", 1, "--out", out).exit_code == 0
    assert lock.read_bytes() == content


def test_a_lock_that_a_killed_run_left_is_cleared(definition, tmp_path):
    pytest.importorskip("fcntl")
    out, lock = tmp_path / "r.sqlite", tmp_path / "r.sqlite.lock"
    lock.write_text("kernelect study run\n")
    assert run("run", definition, "--datasets", "twonorm", "--splits", 1, "--out", out).exit_code == 0
    assert not lock.exists()
    lock.symlink_to("nowhere")
    found = run("run", definition, "--datasets", "twonorm", "--splits", 1, "--out", out)
    assert found.exit_code == 1
    assert "is a link to nowhere: remove it" in " ".join(found.output.split())


CELL = {"dataset": "twonorm", "method": "ours", "split": 0, "state": "done", "message": "", "figures": '{"error": 1.0}'}
CELL |= {"seconds": 1.0, "seed": 1, "ended": 1.0, "environment": 1}


@pytest.mark.parametrize(
    "changed",
    [
        {"split": "zero"},
        {"state": "odd"},
        {"message": None},
        {"message": b"\xff"},
        {"seconds": "long"},
        {"seconds": float("inf")},
        {"figures": "[1, 2]"},
        {"figures": "{"},
        {"figures": "[" * 100_000},
        {"figures": 7},
        {"figures": '{"error": "much", "path": 3, "curve": [1]}'},
        {"figures": f'{{"error": {10**400}}}'},
        {"dataset": 5},
        {"dataset": "unknown"},
        {"method": "unknown"},
        {"environment": 2},
    ],
    ids=str,
)
def test_a_forged_results_file_is_told_in_a_sentence(changed, definition, tmp_path, monkeypatch):
    import sqlite3

    monkeypatch.chdir(tmp_path)
    cell = {**CELL, **changed}
    with sqlite3.connect(tmp_path / "r.sqlite") as made:
        made.executescript(
            "CREATE TABLE study (schema, name, definition, began);"
            "CREATE TABLE environments (id INTEGER PRIMARY KEY, facts);"
            f"CREATE TABLE cells ({', '.join(cell)});"
            """INSERT INTO environments VALUES (1, '{"packages": 3}'), (2, '[]');"""
        )
        made.execute("INSERT INTO study VALUES (1, 'tiny', ?, 0.0)", (Path(definition).read_text(),))
        made.execute(f"INSERT INTO cells VALUES ({', '.join('?' * len(cell))})", tuple(cell.values()))
    for words in (
        ("status", "r.sqlite"),
        ("table", "r.sqlite"),
        ("export", "r.sqlite", "--out", "c.csv", "--force"),
        ("export", "r.sqlite", "--out", "c.csv", "--force", "--compact"),
        *(
            ("plot", "r.sqlite", "--metric", "error", "--kind", kind, "--force")
            for kind in ("histogram", "evolution", "curve")
        ),
        ("run", definition, "--datasets", "twonorm", "--splits", 1, "--out", "r.sqlite"),
    ):
        found = run(*words)
        assert found.exit_code in (0, 1, 2), words
        assert found.exception is None or isinstance(found.exception, SystemExit), (words, found.exception)


def test_tables_of_other_columns_are_told_in_a_sentence(tmp_path):
    import sqlite3

    with sqlite3.connect(tmp_path / "r.sqlite") as made:
        made.executescript("CREATE TABLE study (a); CREATE TABLE environments (b); CREATE TABLE cells (c);")
    found = run("status", tmp_path / "r.sqlite")
    assert found.exit_code == 1
    assert "it is not a results file of kernelect study" in " ".join(found.output.split())
