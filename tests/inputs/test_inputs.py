"""From tables to matrices: arrays, DataFrames, categories, missing cells, dates."""

from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from kernelect import LSSVR, RVR, BasisSearchRegressor, KernelRegressor
from kernelect.exceptions import InvalidArgument, LostCellsWarning
from kernelect.inputs import CodedColumns, Wishes, as_frame, describe, fit_coding, fit_warp, lost_cells
from kernelect.inputs.indicators import Indicators


def messy(n=60, seed=0):
    generator = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": np.where(generator.random(n) < 0.1, np.nan, generator.normal(50, 10, n)),
            "sex": generator.choice(["f", "m"], n),
            "smoker": generator.random(n) < 0.3,
            "day": pd.date_range("2020-01-01", periods=n, freq="17D"),
            "note": [f"text number {i}" for i in range(n)],
            "same": 1.0,
            "empty": np.nan,
        }
    )


def kinds(frame):
    return {role.name: role.kind for role in describe(as_frame(frame))}


def test_roles_of_columns():
    assert kinds(messy()) == {
        "age": "number",
        "sex": "category",
        "smoker": "number",
        "day": "date",
        "note": "unused",
        "same": "unused",
        "empty": "unused",
    }


def test_pandas_polars_and_arrays_agree():
    frame = messy()
    by_pandas = fit_coding(as_frame(frame))(as_frame(frame))
    polar = pl.from_pandas(frame)
    by_polars = fit_coding(as_frame(polar))(as_frame(polar))
    np.testing.assert_allclose(by_polars, by_pandas, atol=1e-12)
    numbers = frame[["age"]].to_numpy()
    coding = fit_coding(as_frame(numbers))
    np.testing.assert_array_equal(coding(as_frame(numbers))[:, 0], by_pandas[:, 0])


def test_objects_that_are_numbers_are_numbers():
    X = np.array([[1, "a"], [2.5, "b"], [None, "a"], [4, "b"], [5, None]] * 3, dtype=object)
    assert kinds(pd.DataFrame(X, columns=["n", "c"])) == {"n": "number", "c": "category"}


def test_texts_of_numbers_are_numbers_and_the_rest_is_missing():
    cells = [str(i / 7) for i in range(40)] + ["unknown"]
    (role,) = describe(as_frame(pd.DataFrame({"x": cells})))
    assert role.kind == "number"
    assert role.notes == (("{has} cells that are no numbers and count as missing", "1, such as 'unknown'"),)


@pytest.mark.parametrize(("rows", "kind"), [(40, "number"), (41, "category")])
def test_words_for_unknown_say_nothing_against_as_many_numbers(rows, kind):
    cells = [str(i % 20 + 0.5) for i in range(40)] + ["Unknown"] * rows
    assert kinds(pd.DataFrame({"x": cells})) == {"x": kind}


def test_missing_cells_have_an_input_of_their_own_once_per_pattern():
    frame = messy()
    frame["weight"] = np.where(frame["age"].isna(), np.nan, 3.0 * frame["age"] + 1)
    coding = fit_coding(as_frame(frame))
    assert [name for name in coding.names if "missing" in name] == ["age is missing"]
    X = coding(as_frame(frame))
    np.testing.assert_array_equal(X[:, coding.names.index("age is missing")], frame["age"].isna())
    assert np.all(np.isfinite(X))


def test_unseen_and_rare_levels_are_other():
    frame = pd.DataFrame({"c": ["a"] * 10 + ["b"] * 10 + ["rare"], "x": np.arange(21.0)})
    coding = fit_coding(as_frame(frame))
    new = coding(as_frame(pd.DataFrame({"c": ["a", "rare", "never seen", None], "x": np.zeros(4)})))
    codes = new[:, coding.categorical[0]]
    assert codes[0] != 0
    assert codes[1] == codes[2] == codes[3] == 0


def test_a_missing_category_is_a_level():
    frame = pd.DataFrame({"c": ["a"] * 10 + ["b"] * 10 + [None] * 5, "x": np.arange(25.0)})
    codes = fit_coding(as_frame(frame))(as_frame(frame))[:, -1]
    assert len({codes[0], codes[10], codes[20]}) == 3
    assert 0 not in codes


@pytest.mark.parametrize(
    "cell", [None, np.nan, np.float32("nan"), np.float16("nan"), Decimal("NaN"), pd.NA, pd.NaT, np.datetime64("NaT")]
)
def test_every_way_to_write_a_missing_cell_is_one(cell):
    (found,) = as_frame(pd.DataFrame({"c": pd.Series(["a", cell], dtype=object)})).columns
    assert found.tolist() == ["a", None]


def test_spelling_of_levels_does_not_matter():
    frame = messy()
    other = frame.assign(sex=frame["sex"].map({"f": "zz", "m": "a"}))
    ours, theirs = (fit_coding(as_frame(f))(as_frame(f))[:, -2:] for f in (frame, other))
    same = lambda codes: codes[:, None] == codes[None]  # noqa: E731
    for j in range(2):
        np.testing.assert_array_equal(same(ours[:, j]), same(theirs[:, j]))


def test_dates_become_days_season_and_weekday():
    coding = fit_coding(as_frame(messy()[["day", "age"]]))
    assert {"day", "day (season, January)", "day (weekday)"} <= set(coding.names)
    short = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=10), "x": np.arange(10.0)})
    assert set(fit_coding(as_frame(short)).names) == {"day", "x"}


def test_moments_of_a_time_zone_are_in_utc_whatever_holds_them():
    moments = pd.date_range("2024-01-01 00:30:00.25", periods=6, freq="5h", tz="Asia/Tokyo")
    frame = pd.DataFrame({"t": moments})
    (utc,) = as_frame(frame).columns
    assert utc[0] == np.datetime64("2023-12-31T15:30:00.25")
    for other in (
        frame.astype(object),
        frame.to_numpy(),
        frame.convert_dtypes(dtype_backend="pyarrow"),
        pl.from_pandas(frame),
        pd.DataFrame({"t": [moment.to_pydatetime() for moment in moments]}, dtype=object),
    ):
        np.testing.assert_array_equal(as_frame(other).columns[0], utc)
    texts = pd.DataFrame({"t": moments.map(str)})
    coding = fit_coding(as_frame(frame))
    np.testing.assert_allclose(coding(as_frame(texts)), coding(as_frame(frame)), atol=1e-9)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        ([pd.Timedelta("1D"), timedelta(hours=6), pd.NaT], [1.0, 0.25, np.nan]),
        ([np.timedelta64(3, "h"), None], [0.125, np.nan]),
        ([Decimal("2.500"), Decimal("NaN"), 1], [2.5, np.nan, 1.0]),
        ([time(12), time(6, 30, 0, 1), None], [0.5, (6.5 * 3600 + 1e-6) / 86400, np.nan]),
        (
            [
                date(2020, 1, 1),
                datetime(2020, 1, 1, 3, tzinfo=timezone(timedelta(hours=1))),
                np.datetime64("2020-01-02"),
            ],
            np.array(["2020-01-01", "2020-01-01T02", "2020-01-02"], dtype="datetime64[us]"),
        ),
    ],
)
def test_objects_that_are_decimals_durations_times_or_dates(cells, values):
    (found,) = as_frame(pd.DataFrame({"x": pd.Series(cells, dtype=object)})).columns
    np.testing.assert_array_equal(found, values)


def test_far_dates_are_dates():
    frame = pd.DataFrame({"day": ["2020-01-01", "9999-12-31", "2020-06-01"] * 5, "x": np.arange(15.0)})
    X = fit_coding(as_frame(frame))(as_frame(frame))
    assert np.all(np.isfinite(X))


def test_one_date_that_is_there_or_not_is_a_mark():
    frame = as_frame(pd.DataFrame({"day": [pd.Timestamp("2020-01-01"), pd.NaT] * 5}))
    coding = fit_coding(frame)
    assert [role.kind for role in coding.roles] == ["category"]
    np.testing.assert_array_equal(coding(frame)[:, 0], [1.0, 2.0] * 5)


def test_owners_lead_back_to_columns():
    frame = messy()
    coding = fit_coding(as_frame(frame))
    names = [frame.columns[owner] for owner in coding.owners]
    assert names[coding.names.index("age is missing")] == "age"
    assert set(names) == {"age", "sex", "smoker", "day"}


def test_nothing_to_learn_from():
    with pytest.raises(InvalidArgument, match="X has no column to learn from .*'same': it is constant"):
        fit_coding(as_frame(pd.DataFrame({"same": [1.0, 1.0, 1.0]})))


@pytest.mark.parametrize("cells", [[1e150, 2e150, 3e150], [np.inf, -np.inf, np.nan], ["1e150", "2e150", "3e150"]])
def test_numbers_beyond_all_use_are_no_missing_cells_where_a_column_is_refused(cells):
    words = r"'x': all its numbers are infinite or beyond 1e\+100, rescale it"
    with pytest.raises(InvalidArgument, match=words):
        fit_coding(as_frame(pd.DataFrame({"x": cells})))
    (role,) = describe(as_frame(pd.DataFrame({"x": cells})))
    assert [clause for clause, _ in role.notes] == [
        "{has} infinite or huge cells, which count as missing",
        "{has} missing cells only and {was} left out",
    ]


@pytest.mark.parametrize("estimator", [LSSVR(), KernelRegressor("fast"), RVR(), BasisSearchRegressor(), CodedColumns()])
def test_names_that_occur_twice_are_refused_in_words(estimator):
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 3)), columns=["a", "b", "a"])
    with pytest.raises(InvalidArgument, match=r"X has 2 columns named 'a': give each column a name of its own"):
        estimator.fit(X, X["b"])
    fitted = estimator.fit(X.set_axis(["a", "b", "c"], axis=1), X["b"])
    with pytest.raises(InvalidArgument, match="X has 2 columns named 'a'"):
        getattr(fitted, "predict", getattr(fitted, "transform", None))(X)


def test_sparse_rows_have_the_columns_of_the_array():
    from scipy.sparse import csr_array

    found, expected = as_frame(csr_array(np.eye(3))), as_frame(np.eye(3))
    np.testing.assert_array_equal(np.column_stack(found.columns), np.column_stack(expected.columns))


def lossy():
    """Return a table with a code, infinite and huge numbers, and texts that are no numbers."""
    x = np.linspace(1.0, 9.0, 30)
    texts = [f"{value:.2f}" for value in x]
    texts[:4] = ["word", "n.a.", "1e150", None]
    return pd.DataFrame(
        {
            "x": x,
            "code": np.where(x < 2.0, 999.0, x),
            "far": np.where(x > 8.5, np.inf, x),
            "text": texts,
            "town": ["here", "there", "inf"] * 10,
        }
    )


def test_cells_that_are_lost_are_told():
    frame = as_frame(lossy())
    roles = describe(frame)
    told = lost_cells(roles, frame, codes=True)
    n_codes, n_far = int(np.sum(lossy()["code"] == 999.0)), int(np.sum(np.isinf(lossy()["far"])))
    assert told == [
        f"Column 'code' has 999, which counts as missing ({n_codes} cells; columns={{'code': 'number'}} takes them as "
        "they are).",
        "2 columns have numbers that are infinite or beyond 1e+100 and count as missing: "
        f"'far' ({n_far}, such as inf; rescale the column if they are true), "
        "'text' (1, such as 1e+150; rescale the column if they are true).",
        "Column 'text' has cells that are no numbers and count as missing (1, such as 'word').",
    ]
    assert lost_cells(roles, frame, codes=False) == told[1:]
    given = describe(frame, Wishes(kinds={"code": "number"}))
    assert lost_cells(given, frame, codes=True) == told[1:]
    assert lost_cells(describe(as_frame(messy())), as_frame(messy()), codes=True) == []


def test_dates_in_another_form_are_told():
    day = pd.date_range("2020-01-01", periods=40)
    roles = describe(as_frame(pd.DataFrame({"day": day.strftime("%m/%d/%Y")})))
    new = as_frame(pd.DataFrame({"day": ["13/02/2020", "01/02/2020", "2020-01-02", None]}))
    assert lost_cells(roles, new, codes=False) == [
        "Column 'day' has cells that are no dates and count as missing (1, such as '13/02/2020')."
    ]


def test_a_step_warns_once_of_cells_that_are_lost():
    step = CodedColumns()
    with pytest.warns(LostCellsWarning, match="CodedColumns: Column 'code' has 999") as told:
        step.fit_transform(lossy())
    assert len(told) == 1
    with pytest.warns(LostCellsWarning, match="CodedColumns: 2 columns have numbers that are infinite"):
        step.transform(lossy())


def test_warp_is_monotone_and_robust():
    generator = np.random.default_rng(0)
    X = np.column_stack([np.exp(3 * generator.normal(size=500)), generator.integers(0, 3, 500)]).astype(float)
    warp = fit_warp(X, np.arange(2))
    W = warp(X)
    assert list(warp.warped) == [0]  # three values have no tail
    np.testing.assert_array_equal(W[:, 1], X[:, 1])
    order = np.argsort(X[:, 0])
    assert np.all(np.diff(W[order, 0]) >= 0)
    assert np.abs(W[:, 0]).max() <= 2.5
    far = warp(np.array([[1e9, 0.0], [-1e9, 0.0]]))[:, 0]
    np.testing.assert_allclose(far, [W[:, 0].max(), W[:, 0].min()])


def test_warp_does_not_tell_roundings_apart():
    turns = np.arange(40) / 41.0
    X = np.cos(2.0 * np.pi * np.concatenate([turns, 100.0 - turns]))[:, None]
    assert len(np.unique(X)) > 40  # the same angles, give or take a rounding
    (knots,) = fit_warp(X, np.arange(1)).knots
    assert np.diff(knots).min() > 1e-9


def test_warp_does_not_see_monotone_changes():
    X = np.random.default_rng(1).normal(size=(150, 1))  # every value is a knot
    once, twice = fit_warp(X, np.arange(1))(X), fit_warp(np.exp(X), np.arange(1))(np.exp(X))
    np.testing.assert_allclose(once, twice, atol=1e-9)


@pytest.mark.parametrize(("span", "season", "weekday"), [(20, False, False), (22, False, True), (399, False, True)])
def test_a_calendar_needs_a_span_in_which_it_can_repeat(span, season, weekday):
    days = np.datetime64("2021-03-01") + np.round(np.linspace(0, span, 200)).astype("timedelta64[D]")
    names = fit_coding(as_frame(pd.DataFrame({"day": days}))).names
    assert any("season" in name for name in names) == season
    assert ("day (weekday)" in names) == weekday


def test_a_season_needs_four_hundred_days():
    days = np.datetime64("2021-03-01") + np.round(np.linspace(0, 401, 200)).astype("timedelta64[D]")
    names = fit_coding(as_frame(pd.DataFrame({"day": days}))).names
    assert {"day (season, April)", "day (season, January)"} <= set(names)


@pytest.mark.parametrize(("rows", "is_rare"), [(2, True), (3, False)])
def test_a_level_of_two_rows_is_rare_and_one_of_three_is_not(rows, is_rare):
    frame = pd.DataFrame({"c": ["a"] * 10 + ["b"] * 10 + ["few"] * rows, "x": np.arange(20.0 + rows)})
    coding = fit_coding(as_frame(frame))
    few, unseen = coding(as_frame(pd.DataFrame({"c": ["few", "never seen"], "x": [0.0, 0.0]})))
    assert (few[coding.categorical[0]] == unseen[coding.categorical[0]]) == is_rare
    Z = np.repeat([0.0, 1.0, 2.0], [10, 10, rows])[:, None]
    assert (2.0 in Indicators.of(Z, np.array([], dtype=int), np.array([0])).level) != is_rare


@pytest.mark.parametrize(("rows", "is_rare"), [(2, True), (3, False)])
def test_so_are_weekdays(rows, is_rare):
    mondays = np.datetime64("2021-03-01") + 7 * np.arange(12).astype("timedelta64[D]")
    days = np.concatenate([mondays, mondays[:6] + np.timedelta64(1, "D"), mondays[:rows] + np.timedelta64(2, "D")])
    coding = fit_coding(as_frame(pd.DataFrame({"day": days})))
    wednesday, sunday = coding(as_frame(pd.DataFrame({"day": mondays[:1] + np.array([2, 6], dtype="timedelta64[D]")})))
    place = coding.names.index("day (weekday)")
    assert (wednesday[place] == sunday[place]) == is_rare
