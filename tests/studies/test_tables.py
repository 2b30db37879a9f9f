"""Statistics against their definitions, tables against their cells, formats against their readers."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import ttest_rel

from kernelect.exceptions import InvalidArgument
from kernelect.studies import Plan, Results, make_tables, run_study
from kernelect.studies.cells import Key, Outcome
from kernelect.studies.export import export
from kernelect.studies.formats import FORMATS
from kernelect.studies.pictures import KINDS, save_pictures
from kernelect.studies.records import BEST, SECOND, StudyTable, TableEntry
from kernelect.studies.statistics import Mean, figure_values, paired, ranks, signed_rank, significantly_worse, z_score


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    from kernelect.studies import parse_study
    from studies.conftest import TEXT

    study = parse_study(TEXT)
    with Results.create(tmp_path_factory.mktemp("study") / "r.sqlite", study) as found:
        run_study(Plan(study=study, datasets=tuple(study.datasets), methods=tuple(study.methods)), found)
        yield found


@pytest.mark.parametrize(("k", "q"), [(2, 1.960), (5, 2.728), (10, 3.164)])
def test_critical_difference_by_the_table_of_demsar(k, q):
    """q of the two-tailed Nemenyi test at 5 %, Demsar (2006), table 5."""
    table = np.random.default_rng(0).normal(size=(14, k))
    expected = q * np.sqrt(k * (k + 1) / (6.0 * 14))
    assert ranks(table, [str(j) for j in range(k)]).critical_difference == pytest.approx(expected, rel=5e-4)


def test_mean_ranks_share_ties():
    found = ranks(np.array([[1.0, 2.0, 2.0], [3.0, 1.0, 2.0]]), ["a", "b", "c"])
    np.testing.assert_allclose(found.mean_rank, [2.0, 1.75, 2.25])


def test_groups_are_the_longest_runs_that_do_not_differ():
    from kernelect.studies.statistics import Ranks

    found = Ranks(("a", "b", "c", "d"), np.array([1.0, 1.8, 2.5, 4.0]), 1.0, 10)
    assert found.groups() == [(0, 1), (1, 2)]


def test_z_score_is_that_of_the_paper():
    ours = Mean.of([10.0, 12.0, 14.0])
    z = (12.0 - 11.0) / np.hypot(2.0 / np.sqrt(3.0), 0.5)
    assert z_score(ours, (11.0, 0.5)) == pytest.approx(z)
    assert z_score(ours, (11.0,)) is None


def test_paired_test_is_that_of_scipy():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=8), rng.normal(0.5, size=8)
    values = {("d", "a"): dict(enumerate(a)), ("d", "b"): dict(enumerate(b))}
    found = paired(values, "d", "a", "b")
    assert found.p_value == pytest.approx(ttest_rel(a, b).pvalue)
    assert significantly_worse(values, ["d"], "b", "a") == int(found.difference < 0 and found.p_value < 0.05)
    assert paired(values, "d", "a", "c") is None


def test_signed_rank_of_all_better_is_the_smallest_possible():
    """With 6 differences of one sign the two-sided p is 2 / 2^6."""
    assert signed_rank(np.arange(1.0, 7.0)) == pytest.approx(2.0 / 64.0)
    assert signed_rank(np.zeros(5)) is None


def test_a_table_holds_the_means_of_its_cells(results):
    table = make_tables(results)[0]
    values = figure_values(results.cells(), "error")
    mean = np.mean(list(values["twonorm", "ours"].values()))
    row = next(row for row in table.rows if row[0].text.startswith("twonorm"))
    entry = row[1 + table.heads[1:].index("LSSVC")]
    assert entry.numbers["value"] == pytest.approx(mean)
    assert entry.numbers["published"] == 5.0
    assert row[0].text == "twonorm (3)"
    assert f"/ 5 ({entry.numbers['z']:+.1f})".replace("-", "\N{MINUS SIGN}") in entry.text
    marks = {entry.emphasis for entry in row[1:]}
    assert marks == {BEST, SECOND}


def test_rows_of_published_values_only(results, tmp_path):
    """The data sets that a paper does not have are left out of the table, and still count in nothing else."""
    from kernelect.studies import parse_study
    from studies.conftest import TEXT

    study = parse_study(TEXT.replace('published = "error"\n', 'published = "error"\nrows = "published"\n'))
    with Results.create(tmp_path / "r.sqlite", study) as found:
        found.write(*results.cells())
        table, whole = make_tables(found)[0], make_tables(results)[0]
    assert len(whole.rows) == 3
    assert [row[0].text for row in table.rows] == ["twonorm (3)"]
    assert table.rows[0] == next(row for row in whole.rows if row[0].text == "twonorm (3)")
    assert table.notes == whole.notes


def test_the_default_is_compared_with_every_other_method(results):
    table = make_tables(results)[-2]
    assert table.title == "LSSVC minus each other method, on the same splits"
    values = figure_values(results.cells(), "error")
    expected = paired(values, "ringnorm", "ours", "theirs").difference
    row = next(row for row in table.rows if row[0].text == "ringnorm")
    assert row[1].numbers["difference"] == pytest.approx(expected)
    assert table.rows[-1][0].text.startswith("Wilcoxon")


def test_the_best_of_the_best_is_bold_by_what_is_shown(results):
    from kernelect.studies.definition import TableSpec
    from kernelect.studies.tables import _table

    table = _table(results.study, list(results.cells()), TableSpec(title="best", metric="error", kind="smallest"))
    for row in table.rows:
        values = [entry.numbers["value"] for entry in row[1:]]
        assert row[1 + int(np.argmin(values))].emphasis == BEST


def test_the_default_is_compared_with_what_was_published(results):
    table = make_tables(results)[-1]
    assert table.title == "LSSVC minus the published columns"
    ours = Mean.of(figure_values(results.cells(), "error")["twonorm", "ours"].values())
    row = next(row for row in table.rows if row[0].text == "twonorm")
    assert row[1].numbers["z"] == pytest.approx((ours.mean - 5.0) / np.hypot(ours.standard_error, 0.5))
    assert next(row for row in table.rows if row[0].text == "ringnorm")[1].text == "-"


def test_methods_in_the_order_of_their_mean_ranks(results):
    from kernelect.studies.definition import TableSpec
    from kernelect.studies.tables import _order_table

    table = _order_table(
        results.study, list(results.cells()), TableSpec(title="order", metric="error, fit_seconds", kind="order")
    )
    values = figure_values(results.cells(), "error")
    means = {m: [np.mean(list(values[d, m].values())) for d in results.study.datasets] for m in ("ours", "theirs")}
    wins = np.sum(np.array(means["ours"]) < np.array(means["theirs"]))
    assert table.heads == ("place", "error", "fit_seconds")
    assert table.rows[0][1].text.startswith("LSSVC" if wins >= 2 else "theirs")


def against(results, cells=None, **options):
    from dataclasses import replace

    from kernelect.studies.against import against_table
    from kernelect.studies.definition import TableSpec

    study = replace(results.study, default="ours")
    spec = TableSpec(title="together", kind="against", digits=3, **{"metric": "error", **options})
    return study, against_table(study, list(results.cells()) if cells is None else cells, spec)


def row_of(study, table, method):
    return next(row for row in table.rows if row[0].text == study.methods[method].label)


def test_all_data_sets_together(results):
    study, table = against(results)
    values = figure_values(results.cells(), "error")
    means = {m: np.array([np.mean(list(values[d, m].values())) for d in study.datasets]) for m in ("ours", "theirs")}
    theirs = row_of(study, table, "theirs")
    apart = means["ours"] - means["theirs"]
    assert row_of(study, table, "ours")[1].text == f"{means['ours'].mean():.3f}"
    numbers = theirs[2].numbers
    assert numbers["difference"] == pytest.approx(apart.mean())
    assert numbers["standard_error"] == pytest.approx(apart.std(ddof=1) / np.sqrt(len(apart)))
    tied = np.abs(apart) <= 0.1 * numbers["standard_error"]
    assert theirs[3].text == f"{np.sum(apart[~tied] < 0)} / {np.sum(tied)} / {np.sum(apart[~tied] > 0)}"
    far = np.abs(apart - apart.mean())
    moving = [name for name, each in zip(study.datasets, far, strict=True) if np.isclose(each, far.max())]
    assert any(name in theirs[5].text for name in moving)
    assert len(table.notes) == 2  # both methods have all data sets


def test_where_more_is_better_wins_are_those_with_more(results):
    _, less = against(results)
    study, more = against(results, best="largest")
    won, tied, lost = row_of(study, less, "theirs")[3].text.split(" / ")
    assert row_of(study, more, "theirs")[3].text == f"{lost} / {tied} / {won}"


def test_methods_with_fewer_splits_are_compared_on_those_that_both_have(results):
    first = next(iter(results.study.datasets))

    def is_kept(cell):
        return cell.key.method == "ours" or (cell.key.dataset != first and cell.key.split == 0)

    cells = [cell for cell in results.cells() if is_kept(cell)]
    study, table = against(results, cells)
    values = figure_values(cells, "error")
    apart = [values[d, "ours"][0] - values[d, "theirs"][0] for d in study.datasets if d != first]
    assert row_of(study, table, "theirs")[2].numbers["difference"] == pytest.approx(np.mean(apart))
    assert table.notes[-1] == "Fewer data sets: theirs: 2."


def test_equal_results_that_were_summed_in_another_order_are_equal():
    rest = {"state": "done", "message": "", "seconds": 1.0, "seed": 0, "environment": {}}
    cells = [
        Outcome(key=Key("a", method, split), figures={"error": error}, **rest)
        for method, errors in (("ours", (12.5, 0.3)), ("theirs", (12.5 + 1e-9, 0.1 + 0.2)))
        for split, error in enumerate(errors)
    ]
    values = figure_values(cells, "error")
    assert values["a", "ours"] == values["a", "theirs"]
    assert paired({("a", "x"): {0: 0.1, 1: 0.3}, ("a", "y"): {0: 0.3, 1: 0.1}}, "a", "x", "y").difference == 0.0


def test_where_another_method_is_ahead_on_every_split():
    from kernelect.studies.ahead import ahead_table
    from kernelect.studies.cells import DONE, Key, Outcome
    from kernelect.studies.definition import TableSpec, read_study

    figures = {
        ("flags", "balanced"): [1.0, 2.0],
        ("flags", "forest"): [0.9, 1.9],  # ahead on both
        ("flags", "linear"): [0.5, 2.1],  # on average alone
        ("labor", "balanced"): [1.0, 1.0],
        ("labor", "forest"): [0.99, 0.99],  # a trifle
        ("anneal", "balanced"): [1.0, 1.0],
        ("anneal", "linear"): [0.0],  # on the one split that both have
        ("oils", "balanced"): [1.0],
    }
    cells = [
        Outcome(
            key=Key(d, m, split), state=DONE, message="", figures={"loss": value}, seconds=0.0, seed=0, environment={}
        )
        for (d, m), values in figures.items()
        for split, value in enumerate(values)
    ]
    spec = TableSpec(title="ahead", metric="loss", kind="ahead", methods=("forest", "linear"))
    table = ahead_table(read_study("tables"), cells, spec)
    rows = [tuple(entry.text for entry in row) for row in table.rows]
    assert rows == [
        ("flags", "random forest", "1.50", "1.40", "2"),
        ("anneal", "ridge, logistic regression", "1.00", "0.00", "1"),
    ]
    assert table.notes[0].startswith("2 of 3 data sets")


def test_a_metric_that_is_not_there(results):
    with pytest.raises(InvalidArgument, match="Did you mean 'error'"):
        make_tables(results, "eror")


HOSTILE = StudyTable(
    title="<script>|&_%",
    heads=("data", "a|b"),
    rows=((TableEntry(text="x<y"), TableEntry(text="1.0 ± 0.1", emphasis=BEST, numbers={"value": 1.0})),),
    notes=("50 %",),
)


def test_formats_escape_what_they_show():
    assert "<script>" not in FORMATS["html"]([HOSTILE])
    assert "<strong>1.0 ± 0.1</strong>" in FORMATS["html"]([HOSTILE])
    assert r"a\|b" in FORMATS["markdown"]([HOSTILE])
    assert "**1.0 ± 0.1**" in FORMATS["markdown"]([HOSTILE])
    latex = FORMATS["latex"]([HOSTILE])
    assert r"\&\_\%" in latex
    assert r"\textbf{1.0 $\pm$ 0.1}" in latex
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"]([HOSTILE]))))
    assert (rows[0]["column"], float(rows[0]["value"])) == ("a|b", 1.0)


def test_every_kind_of_picture_is_drawn(results, tmp_path):
    pytest.importorskip("matplotlib")
    for kind in set(KINDS) - {"evolution", "curve"}:
        paths = save_pictures(results, kind, tmp_path)
        assert paths
        assert all(path.stat().st_size > 5000 for path in paths)
    with pytest.raises(InvalidArgument, match="holds the steps of its search"):
        save_pictures(results, "evolution", tmp_path)
    with pytest.raises(InvalidArgument, match="holds a curve over one hyper-parameter"):
        save_pictures(results, "curve", tmp_path)
    with pytest.raises(InvalidArgument, match="Did you mean 'scatter'"):
        save_pictures(results, "scater", tmp_path)


def test_derivatives_of_lengths_have_a_picture_of_their_own(results):
    pytest.importorskip("matplotlib")
    steps = np.arange(12.0).reshape(3, 4)
    path = {"names": ["k0", "l[0]", "l[1]", "C"], "theta": steps, "gradient": -steps, "gradient_norm": [np.nan] * 3}
    path |= {"value": [3.0, 2.0, 1.0], "error": [30.0, 20.0, 10.0], "evaluation": [0, 1, 2]}
    first = next(results.cells())
    cell = replace(first, figures={"path": path})
    found = dict(KINDS["evolution"](SimpleNamespace(study=results.study, cells=lambda: [cell]), {}, "", ()))
    name = f"{first.key.dataset}-{first.key.method}"
    assert list(found) == [f"{name}-lengths", f"{name}-others"]
    for figure, places in zip(found.values(), ([1, 2], [0, 3]), strict=True):
        drawn = {tuple(line.get_ydata()) for line in figure.axes[1].lines}
        assert drawn == {tuple(-steps[:, place]) for place in places}


@pytest.mark.parametrize("suffix", [".csv", ".json", ".jsonl"])
def test_export_holds_every_cell(results, tmp_path, suffix):
    path = tmp_path / f"cells{suffix}"
    assert export(results, path) == 18
    assert not list(tmp_path.glob("*.part"))
    text = path.read_text()
    if suffix == ".csv":
        rows = list(csv.DictReader(io.StringIO(text)))
        assert len(rows) == 18
        assert rows[0]["study"] == "tiny"
    else:
        assert text.count('"state": "done"') == 18
    with pytest.raises(InvalidArgument, match="ending of --out"):
        export(results, tmp_path / "cells.xlsx")


def test_figures_over_those_of_one_method_are_ratios_of_means_on_the_same_data(text, tmp_path):
    from kernelect.studies import parse_study

    study = parse_study(text + '\n[[tables]]\ntitle = "Ratios"\nmetric = "error"\nover = "theirs"\nbest = "none"\n')
    figures = {"ours": (3.0, 5.0), "theirs": (1.0, 3.0)}
    cells = [
        Outcome(
            key=Key("twonorm", method, split),
            state="done",
            message="",
            figures={"error": error},
            seconds=0.1,
            seed=0,
            environment={},
        )
        for method, errors in figures.items()
        for split, error in enumerate(errors)
    ]
    with Results.create(tmp_path / "r.sqlite", study) as results:
        results.write(*cells)
        table = next(table for table in make_tables(results) if table.title == "Ratios")
    ours, theirs = table.rows[0][1:]
    assert ours.numbers["value"] == 2.0  # 4 / 2
    assert theirs.numbers["value"] == 1.0
