"""Columns of new rows that differ from the training rows are named; others are not."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from kernelect.exceptions import UnusableModel
from kernelect.report.drift_page import render_drift
from kernelect.tabular import (
    FoldOptions,
    MachineOptions,
    Table,
    Wanted,
    describe_table,
    evaluate_table,
    fit_table,
    load_model,
    predict_rows,
    save_model,
)
from kernelect.tabular.drift import _parts, _tested, _words, drift_of, drift_page_of, seen_in


def frame_of(seed, n, *, age=0.0, north=0.5, missing=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    frame = pd.DataFrame({"age": 50.0 + 10.0 * (X[:, 0] + age), "b": X[:, 1], "c": X[:, 2]})
    frame["ward"] = np.where(rng.random(n) < north, "north", rng.choice(["south", "west"], n))
    frame.loc[rng.random(n) < missing, "b"] = np.nan
    return frame.assign(y=X[:, 1] + 0.3 * rng.normal(size=n))


@pytest.fixture(scope="module")
def model():
    schema, rows, _ = describe_table(frame_of(0, 200), "y")
    return fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(0))


def found(model, frame, **how):
    return drift_of(model, model.schema.inputs(frame), **how)


def names(model, frame):
    return [one["name"] for one in found(model, frame)["columns"]]


def test_rows_of_the_same_kind_do_not_differ(model):
    """Of 100 tables, at most a few by chance: the level is 1 % for all columns together."""
    assert sum(bool(names(model, frame_of(seed, 100))) for seed in range(1, 101)) <= 3


def test_columns_that_differ_are_named_with_both_sides(model):
    facts = found(model, frame_of(1, 200, age=1.0, north=0.9), joint=True)
    assert {one["name"] for one in facts["columns"]} == {"age", "ward"}
    words = {one["name"]: (one["here"], one["before"]) for one in facts["columns"]}
    assert words["age"][0].startswith("median 6")
    assert words["age"][1].startswith("median 4") or words["age"][1].startswith("median 5")
    assert words["ward"][0].startswith("north in 87 %")
    assert facts["joint"] < 0.01
    assert facts["sentence"].endswith("they differ by more than chance explains.")
    assert found(model, frame_of(2, 200), joint=True)["joint"] > 0.01


def test_missing_cells_are_a_difference(model):
    (one,) = found(model, frame_of(1, 200, missing=0.4))["columns"]
    assert one["name"] == "b"
    assert "missing in 38 %" in one["here"]
    assert one["before"] == "missing in 0 %"


def test_a_small_difference_does_not_matter_however_sure_it_is(model):
    schema, rows, _ = describe_table(frame_of(0, 20000), "y")
    sure = replace(model, seen=seen_in(schema, rows.X), n_rows=20000)
    assert names(sure, frame_of(1, 20000, north=0.56)) == []
    assert names(sure, frame_of(1, 20000, north=0.75)) == ["ward"]


def test_few_rows_are_not_compared(model):
    assert "fewer than 20 rows" in found(model, frame_of(1, 19, age=9.0))["sentence"]
    assert names(model, frame_of(1, 20, age=9.0)) == ["age"]


def test_predictions_have_one_remark_and_evaluations_a_section(model):
    new = frame_of(1, 100, age=2.0)
    said = [
        remark for remark in predict_rows(model, Table(new, "new.csv"), Wanted())[1] if "training rows by" in remark
    ]
    assert len(said) == 1
    assert said[0].startswith("These rows differ from the training rows by more than chance in age (median 7")
    facts, _ = evaluate_table(model, Table(new, "new.csv"))
    assert [one["name"] for one in facts["drift"]["columns"]] == ["age"]


def test_what_was_seen_is_saved_and_checked(model, tmp_path):
    save_model(model, tmp_path / "m.kernelect")
    loaded, _ = load_model(tmp_path / "m.kernelect", training=False, report=False)
    assert loaded.seen == model.seen
    assert sum(loaded.seen["age"][1]) == 200
    edges, counts = model.seen["age"]
    save_model(replace(model, seen={**model.seen, "age": (edges, counts[:-1])}), tmp_path / "forged.kernelect")
    with pytest.raises(UnusableModel, match="what it keeps of its column 'age'"):
        load_model(tmp_path / "forged.kernelect")


def test_a_category_with_few_rows_goes_to_the_part_before_it():
    """Chi-square expects too few rows in the last part: it is counted with its neighbour, and no other part changes."""
    seen = ((), (100, 60, 3))
    together = _tested(((), (100, 63)), np.array([40, 60]))
    assert _tested(seen, np.array([40, 57, 3])) == pytest.approx(together)
    assert _tested(((), (100, 3)), np.array([50, 1])) == (1.0, 0.0)


def test_a_page_lists_the_shares_of_the_columns_that_differ(model):
    new = frame_of(1, 200, age=1.0, north=0.9)
    facts = drift_page_of(model, model.schema.inputs(new), "new.csv", ["a remark"])
    parts = {one["name"]: one["parts"] for one in facts["columns"]}
    for found in parts.values():
        assert sum(one["here"] for one in found) == pytest.approx(1.0)
        assert sum(one["before"] for one in found) == pytest.approx(1.0)
    assert parts["ward"][0] == {
        "name": "north",
        "here": (new["ward"] == "north").mean(),
        "before": (frame_of(0, 200)["ward"] == "north").mean(),
    }
    assert parts["age"][0]["name"].startswith("up to 3")
    assert parts["age"][-1]["name"].startswith("above 6")
    assert "score the model on such rows" in facts["todo"]
    page = render_drift(facts)
    assert "2 of 4 columns differ" in page
    assert "<script" not in page
    alike = drift_page_of(model, model.schema.inputs(frame_of(2, 200)), "new.csv", [])
    assert alike["todo"].startswith("Predict these rows")
    assert "No column differs clearly" in render_drift(alike)


def test_parts_are_named_as_their_cells_are_written():
    days = {"kind": "date", "low": 0.0, "high": 900.0}
    years = {"kind": "number", "low": 1950.0, "high": 2010.0}
    marks = {"kind": "number", "low": 1.0, "high": 6.0}
    named = [
        [_words(SimpleNamespace(**column), edges, part) for part in range(len(edges) + 2)]
        for column, edges in ((days, (31.0, 60.0)), (years, (1980.0, 1999.0)), (marks, (1.0, 2.0, 4.0)))
    ]
    assert named == [
        ["up to 1970-02-01", "1970-02-01 to 1970-03-02", "above 1970-03-02", "missing"],
        ["up to 1980", "1980 to 1999", "above 1999", "missing"],
        ["1", "2", "2 to 4", "above 4", "missing"],
    ]


def test_many_categories_are_added_up_behind_the_most_frequent():
    column = SimpleNamespace(kind="category", categories=tuple("abcdefghijklmnop"))
    shares = np.arange(18.0) / np.arange(18.0).sum()
    found = _parts(column, (), shares, shares[::-1])
    assert [one["name"] for one in found][-1] == f"{18 - 12} others"
    assert sum(one["here"] for one in found) == pytest.approx(1.0)
