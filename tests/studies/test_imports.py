"""An exported table is a place to go on from: the same tables, and what is missing is run."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

import pytest

from kernelect.exceptions import InvalidArgument
from kernelect.studies import Plan, Results, make_tables, parse_study, run_study
from kernelect.studies.cells import DONE, Key, Outcome
from kernelect.studies.export import cell_text, export, from_text
from kernelect.studies.formats import FORMATS
from kernelect.studies.imports import read_cells
from studies.conftest import TEXT


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A results file of the tiny study, its definition, and both forms of its table."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "tiny.toml").write_text(TEXT)
    study = parse_study(TEXT)
    with Results.create(folder / "r.sqlite", study) as results:
        run_study(Plan(study=study, datasets=tuple(study.datasets), methods=tuple(study.methods), splits=2), results)
        export(results, folder / "whole.csv")
        export(results, folder / "compact.csv", compact=True)
    return folder


def imported(folder, name, out):
    study, cells = read_cells(folder / name, str(folder / "tiny.toml"))
    with Results.create(out, study) as results:
        results.write(*cells)
    return out


def tables(path):
    with Results.open(path) as results:
        return FORMATS["markdown"](make_tables(results))


@pytest.mark.parametrize("name", ["whole.csv", "compact.csv"])
def test_the_tables_are_the_same(folder, tmp_path, name):
    assert tables(imported(folder, name, tmp_path / "r.sqlite")) == tables(folder / "r.sqlite")


def test_the_whole_table_loses_nothing_of_a_cell(folder, tmp_path):
    out = imported(folder, "whole.csv", tmp_path / "r.sqlite")
    with Results.open(folder / "r.sqlite") as before, Results.open(out) as after:
        assert list(after.cells()) == list(before.cells())


def test_the_compact_table_keeps_the_version_and_what_is_shown(folder):
    _, cells = read_cells(folder / "compact.csv", str(folder / "tiny.toml"))
    assert {tuple(cell.figures) for cell in cells} == {("split_kind", "error")}
    assert all(cell.environment["packages"]["kernelect"] for cell in cells)
    assert (folder / "compact.csv").stat().st_size < 0.5 * (folder / "whole.csv").stat().st_size


def test_a_study_goes_on_from_it(folder, tmp_path, tiny):
    out = imported(folder, "compact.csv", tmp_path / "r.sqlite")
    with Results.create(out, tiny) as results:
        progress = run_study(Plan(study=tiny, datasets=tuple(tiny.datasets), methods=tuple(tiny.methods)), results)
    assert (progress.already, progress.ended, progress.failures) == (12, 6, 0)


def test_what_other_methods_need_is_kept_whole(tiny, tmp_path):
    needy = replace(tiny.methods["theirs"], needs="ours")
    text = TEXT.replace("[methods.theirs]", '[methods.theirs]\nneeds = "ours"')
    study = replace(tiny, methods={**tiny.methods, "theirs": needy}, text=text)
    (tmp_path / "tiny.toml").write_text(text)
    gamma = [0.1, 1.0 / 3.0]
    cell = Outcome(
        key=Key("twonorm", "ours", 0),
        state=DONE,
        message="",
        figures={"error": 1.0, "gamma": gamma},
        seconds=0.5,
        seed=1,
        environment={},
    )
    with Results.create(tmp_path / "r.sqlite", study) as results:
        results.write(cell)
        export(results, tmp_path / "cells.csv", compact=True)
    _, (found,) = read_cells(tmp_path / "cells.csv", str(tmp_path / "tiny.toml"))
    assert found.figures["gamma"] == gamma


@pytest.mark.parametrize("value", ["words", "5", "null", "", '{"a": 1}', 0.1, 3, True, None, [1.5, 2.0], math.inf])
def test_a_value_is_the_same_when_read_again(value):
    assert from_text(cell_text(value)) == value


def changed(folder, tmp_path, column, value):
    """The compact table with one value of its second cell changed."""
    rows = list(csv.DictReader(io.StringIO((folder / "compact.csv").read_text())))
    rows[1][column] = value
    with (tmp_path / "cells.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return tmp_path / "cells.csv"


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("study", "other", r"line 3 of .* is no cell of 'tiny'"),
        ("method", "theirz", r"is no cell of 'tiny': give the definition"),
        ("definition", "0000beef", r"run with another definition of its method, data set or protocol: take its rows"),
        ("state", "ended", r"state = 'ended' in line 3 .* must be done, failed or timed out"),
        ("split", "1.5", r"split = 1.5 in line 3 .* must be a number"),
        ("split", "0", r"holds a cell twice"),
        ("seconds", "fast", r"seconds = 'fast' in line 3 .* must be a number"),
    ],
)
def test_what_does_not_match_the_definition_is_refused(folder, tmp_path, column, value, words):
    with pytest.raises(InvalidArgument, match=words):
        read_cells(changed(folder, tmp_path, column, value), str(folder / "tiny.toml"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "has no study, dataset, method"),
        ("", "has no study"),
        ("study,dataset,method,split,definition,state,message,seconds\ntiny,twonorm,ours,0,x,done,,1,2\n", "heading"),
    ],
)
def test_another_table_is_refused(tmp_path, text, words):
    (tmp_path / "cells.csv").write_text(text)
    with pytest.raises(InvalidArgument, match=words):
        read_cells(tmp_path / "cells.csv")


def test_a_study_that_is_not_built_in_must_be_named(folder):
    with pytest.raises(InvalidArgument, match="'tiny', which is not built in: name its definition with --study"):
        read_cells(folder / "whole.csv")
    with pytest.raises(InvalidArgument, match="cannot be read"):
        read_cells(folder / "none.csv")


def test_words_and_counts_do_not_change_the_mark_of_a_cell_but_options_do(tiny):
    mark = tiny.fingerprint("twonorm", "ours")
    ours = tiny.methods["ours"]
    renamed = replace(tiny, splits=50, datasets={**tiny.datasets, "twonorm": {"splits": 5}})
    assert renamed.fingerprint("twonorm", "ours") == mark
    for other in (
        replace(tiny, seed=1),
        replace(tiny, methods={"ours": replace(ours, estimator={"call": "kernelect.LSSVC"})}),
        replace(tiny, datasets={"twonorm": {"rows": 41}}),
        replace(tiny, protocol={**tiny.protocol, "rows": 41}),
    ):
        assert other.fingerprint("twonorm", "ours") != mark


def test_a_data_set_may_have_fewer_splits(tiny):
    study = replace(tiny, datasets={"twonorm": {"splits": 2}, "ringnorm": {}})
    for asked, expected in ((None, (2, 3)), (1, (1, 1)), (5, (2, 5))):
        keys = Plan(study=study, datasets=("twonorm", "ringnorm"), methods=("ours",), splits=asked).cells()
        assert tuple(sum(key.dataset == name for key in keys) for name in study.datasets) == expected
