"""Sketches of columns: the coding and the warp of a table from what its parts say."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from kernelect.exceptions import InvalidArgument
from kernelect.inputs import TableSketch, as_frame, coding_of, fit_coding, fit_warp, missing_together, sketch, warp_of

N = 400


def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=N),
            "whole": rng.integers(0, 4, N).astype(float),
            "text": rng.choice(["p", "q", "r"], N),
            "mixed": [*np.arange(N // 2), *(["x", "y"] * (N // 4))],
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, N), unit="D"),
            "gone": [None] * (N - 100) + ["late"] * 60 + ["last"] * 40,
            "limit": [f"{value:.1f}" for value in rng.uniform(size=N)],
        }
    )
    frame.loc[rng.random(N) < 0.1, ["number", "day"]] = [np.nan, pd.NaT]
    frame.loc[rng.random(N) < 0.1, "whole"] = np.nan
    return frame


def sketched(frame, ends=(0, 90, 90, 91, 300, N)):
    """Return the sketch of a table in unequal parts, one of them empty, and the sum of its marks of missing cells."""
    parts = [frame.iloc[a:b] for a, b in pairwise(ends)]
    whole = None
    for part in parts:
        found = TableSketch.of(part, np.ones(len(part), dtype=bool))
        whole = found if whole is None else whole + found
    return whole


def test_parts_have_the_coding_and_the_warp_of_the_table():
    frame = table()
    whole = sketched(frame)
    columns = whole.frame()
    found, expected = coding_of(columns), coding_of(as_frame(frame))
    for ours, theirs in zip(found.roles, expected.roles, strict=True):
        assert (ours.kind, ours.reading) == (theirs.kind, theirs.reading)
    assert (found.numbers, found.categories) == (expected.numbers, expected.categories)
    warp = warp_of(zip(found.numeric.tolist(), found.inputs(columns), strict=False))
    by_rows = fit_warp(expected(as_frame(frame)), expected.numeric)
    np.testing.assert_array_equal(warp.warped, by_rows.warped)
    for ours, theirs in zip(warp.knots + warp.heights, by_rows.knots + by_rows.heights, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_columns_that_are_missing_together_say_it_once():
    frame = as_frame(table())
    coding = coding_of(frame)
    marks = coding.of_marks()(frame)
    sums = sum(missing_together(marks[rows], rows) for rows in np.array_split(np.arange(N), 7))
    assert len(coding.marks) == 3  # number and day are missing in the same rows
    once = coding.marking_once(sums.tolist())
    assert [code.name for code in once.numbers] == [code.name for code in fit_coding(frame).numbers]
    assert len(once.marks) == 2


def test_a_long_column_is_thinned_to_its_quantiles(monkeypatch):
    values = np.random.default_rng(0).normal(size=20_000)
    exact = as_frame(values[:, None])
    monkeypatch.setattr(sketch, "MOST_CELLS", 1000)
    whole = sketched(pd.DataFrame({"x": values}), ends=(0, 5000, 5000, 20_000))
    (column,) = whole.columns
    assert len(column.cells) <= 1000
    assert column.counts.sum() == 20_000
    (cells,) = whole.frame().columns
    for share in (0.01, 0.25, 0.5, 0.75, 0.99):
        assert abs(np.mean(values <= np.quantile(cells, share)) - share) < 0.004
    number, expected = coding_of(whole.frame()).numbers[0], fit_coding(exact).numbers[0]
    assert number.scale == pytest.approx(expected.scale, rel=0.01)


def test_a_text_of_few_rows_among_many_is_no_rare_one(monkeypatch):
    texts = np.array(["often"] * 9000 + ["seldom"] * 900 + ["thrice"] * 3 + ["once"], dtype=object)
    monkeypatch.setattr(sketch, "MOST_CELLS", 500)
    whole = sketched(pd.DataFrame({"x": texts, "y": np.arange(len(texts)) % 7}), ends=(0, 4000, len(texts)))
    (code,) = coding_of(whole.frame()).categories
    assert code.levels == ("often", "seldom", "thrice")


def test_parts_with_other_columns_are_refused():
    frame = table()
    with pytest.raises(InvalidArgument, match="X has the columns number in one partition and whole in another"):
        _ = sketched(frame[["number"]]) + sketched(frame[["whole"]])
