"""Two dates make a duration or an age, and times of day lie on a circle."""

import numpy as np
import pandas as pd
import pytest

from kernelect.tabular import describe_table
from kernelect.tabular.predict import match_columns
from kernelect.tabular.read import read_table


def dated(n=60, **columns):
    generator = np.random.default_rng(0)
    entry = pd.Timestamp("2001-01-01") + pd.to_timedelta(generator.integers(0, 900, n), "D")
    days = generator.integers(3, 200, n)
    frame = pd.DataFrame(
        {"entry": entry.astype(str), "left": (entry + pd.to_timedelta(days, "D")).astype(str), "y": days / 7.0}
    )
    return frame.assign(**columns), days


def test_the_days_between_two_dates_are_an_input():
    frame, days = dated()
    schema, rows, remarks = describe_table(frame, "y")
    assert [column.name for column in schema.columns] == ["entry to left (days)"]
    assert rows.X["entry to left (days)"].to_numpy() == pytest.approx(days)
    assert any("the days from entry to left" in remark for remark in remarks)


def test_the_earlier_date_comes_first_wherever_its_column_stands():
    frame, _ = dated()
    schema, _, _ = describe_table(frame[["left", "entry", "y"]], "y")
    assert [span.name for span in schema.spans] == ["entry to left (days)"]


def test_dates_of_which_neither_follows_the_other_make_no_span():
    frame, _ = dated()
    frame["left"] = frame["left"].to_numpy()[::-1]
    frame["noise"] = np.random.default_rng(1).normal(size=len(frame))
    assert describe_table(frame, "y")[0].spans == ()


def test_a_birth_and_a_date_give_an_age_in_the_place_of_the_birth():
    birth = (pd.Timestamp("1950-01-01") + pd.to_timedelta(np.arange(60) * 97, "D")).astype(str)
    frame, _ = dated(date_of_birth=birth)
    schema, rows, _ = describe_table(frame, "y")
    names = sorted(column.name for column in schema.columns)
    assert names == ["age at entry (years)", "entry to left (days)"]  # one age: the other is their sum
    ages = (pd.to_datetime(frame["entry"]) - pd.to_datetime(frame["date_of_birth"])).dt.days / 365.25
    assert rows.X[names[0]].to_numpy() == pytest.approx(ages.to_numpy())
    assert "age at entry (years) says it" in schema.unused["date_of_birth"]


def test_new_rows_bring_their_dates_and_get_the_span(tmp_path):
    frame, days = dated()
    schema, _, _ = describe_table(frame, "y")
    frame.drop(columns="y").to_csv(tmp_path / "new.csv", index=False)
    X, _ = match_columns(schema, read_table(tmp_path / "new.csv"))
    assert X["entry to left (days)"].to_numpy() == pytest.approx(days)


@pytest.mark.parametrize(
    ("name", "values", "group"),
    [
        ("distid", np.repeat(np.arange(20), 4), "distid"),
        ("USUBJID", np.repeat([f"GT{k}" for k in range(20)], 4), "USUBJID"),
        ("paid", np.repeat(np.arange(20), 4), None),
        ("steroid", np.repeat(np.arange(20), 4), None),
        ("regionid", np.repeat(np.arange(20), 4), None),
        ("distid", np.random.default_rng(0).integers(0, 20, 80), None),  # neither in blocks nor even
    ],
)
def test_names_that_end_in_id_name_groups_of_rows(name, values, group):
    generator = np.random.default_rng(2)
    frame = pd.DataFrame({name: values, "x": generator.normal(size=80), "y": generator.normal(size=80)})
    assert describe_table(frame, "y")[0].group == group


def test_ages_one_to_a_row_are_amounts_and_no_row_numbers():
    frame = pd.DataFrame({"age": np.arange(10, 60), "y": np.random.default_rng(0).normal(size=50)})
    assert [column.name for column in describe_table(frame, "y")[0].columns] == ["age"]


def test_dates_written_as_digits_are_dates():
    days = pd.date_range("2001-01-01", periods=60).strftime("%Y%m%d").astype(int)
    x = np.random.default_rng(0).normal(size=60)
    schema = describe_table(pd.DataFrame({"day": days, "x": x, "y": x**2}), "y")[0]
    assert schema.dated == ("day",)
    schema = describe_table(pd.DataFrame({"day": days + 50, "x": x, "y": x**2}), "y")[0]  # the 51st of a month
    assert schema.dated == ()
