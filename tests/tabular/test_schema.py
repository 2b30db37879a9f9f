"""What columns and targets are taken for."""

import re

import numpy as np
import pandas as pd
import pytest

from kernelect.exceptions import InvalidArgument, UnusableTable
from kernelect.inputs import Wishes, as_frame, describe
from kernelect.inputs.notes import sentences
from kernelect.tabular.columns import column_values, find_columns
from kernelect.tabular.describe import describe_table
from kernelect.tabular.read import read_table
from kernelect.tabular.target_cells import spelled_as, typed_target
from kernelect.tabular.usable import find_task

N = 40


@pytest.fixture
def frame(rng):
    return pd.DataFrame({"x": rng.normal(size=N), "y": np.where(rng.uniform(size=N) < 0.5, "a", "b")})


@pytest.mark.parametrize(
    ("cells", "kind", "remark"),
    [
        ([1, 2, 30], "number", ""),
        ([1.5, 2.5, np.inf, None], "number", r"infinite or huge cells, which count as missing \(1\)"),
        ([True, False, True], "number", ""),
        (["x", "y", None], "category", ""),
        (
            [*map(str, range(19)), "n.a!"],
            "number",
            r"no numbers and count as missing \(1, such as 'n.a!'",
        ),
        (["2024-01-01", "2024-12-31T10:00", None], "date", ""),
        (pd.to_datetime(["2024-01-01", "2024-01-03", None]), "date", ""),
        (["01/02/2024", "13/02/2024"], "date", r"read as dates \(%d/%m/%Y\)"),
        (pd.Categorical([1, 2, 1]), "category", ""),
    ],
)
def test_kinds(cells, kind, remark):
    (role,) = describe(as_frame(pd.DataFrame({"x": cells})))
    said = sentences(("x", note) for note in role.notes)
    assert role.kind == kind
    assert re.search(remark, said[0]) if remark else said == []


def test_values():
    assert column_values(pd.Series(["1970-01-02", "1970-01-01T12:00", "x", "1970-01-02T00:00+02:00"]), "date").tolist()[
        :2
    ] == [1.0, 0.5]
    texts = column_values(pd.Series([1.0, None, 2.5]), "category")
    assert texts.tolist()[0] == "1"  # as it would be without missing cells
    assert texts.isna().tolist() == [False, True, False]
    assert column_values(pd.Series([1e200, -np.inf, 3]), "number").tolist()[2] == 3
    assert column_values(pd.Series(pd.Categorical([3, 4])), "number").tolist() == [3.0, 4.0]


@pytest.mark.parametrize(
    ("name", "cells", "why"),
    [
        ("c", np.ones(N), "is constant and was left out"),
        ("m", np.full(N, np.nan), "has missing cells only and was left out"),
        ("name", [f"name {i}" for i in range(N)], "looks like names"),
    ],
)
def test_columns_that_carry_nothing_are_left_out_with_a_remark(frame, name, cells, why):
    found = find_columns(frame[["x"]].assign(**{name: cells}))
    assert [column.name for column in found.columns] == ["x"]
    assert list(found.unused) == [name]
    assert len(found.remarks) == 1
    assert repr(name) in found.remarks[0]
    assert why in found.remarks[0]


def test_kept_columns_stay(frame):
    found = find_columns(frame[["x"]].assign(row=[f"row {i}" for i in range(N)]), Wishes(kept=frozenset(["row"])))
    assert [column.name for column in found.columns] == ["x", "row"]


def test_a_mark_that_is_there_or_not_is_a_category(frame):
    columns = find_columns(frame[["x"]].assign(mark=np.where(frame["x"] > 0, 1.0, np.nan))).columns
    assert columns[1].kind == "category"
    assert columns[1].categories == ("1",)


@pytest.mark.parametrize(
    ("target", "task"),
    [
        (["a", "b"] * 20, "classification"),
        ([True, False] * 20, "classification"),
        ([0.5, 1.5] * 20, "classification"),
        ([1, 2, 3, 4] * 10, "classification"),
        ([1.0, 2.0, 3.0, 4.0] * 10, "classification"),
        (range(40), "regression"),
        ([0.1, 0.2, 0.3, 0.4] * 10, "regression"),
        ([1, 2, 3, 4, 5, 6, 7, 8], "regression"),
        (["1.5", "2.5", "3.5", "x"], "classification"),
    ],
)
def test_tasks(target, task):
    assert find_task(pd.Series(target))[0] == task


def test_a_described_table(frame):
    frame.loc[3, "y"] = None
    frame["w"] = 2.0
    schema, rows, remarks = describe_table(frame.assign(z=1.0, d=frame["x"] ** 2), "y", drop=["d"], weight="w")
    assert (schema.task, schema.classes, schema.weight) == ("classification", ("a", "b"), "w")
    assert list(rows.X.columns) == ["x"]
    assert len(rows.X) == len(rows.y) == N - 1
    np.testing.assert_allclose(rows.weights, 1.0)
    assert "1 row without a target was left out." in remarks
    assert "Column 'z' is constant and was left out." in remarks


def test_classes_of_one_row_are_left_out(frame):
    frame.loc[5, "y"] = "rare"
    schema, rows, remarks = describe_table(frame, "y")
    assert schema.classes == ("a", "b")
    assert len(rows.y) == N - 1
    assert f"1 class with one row was left out, 1 of {len(frame)} rows: 'rare'." in remarks
    frame.loc[6:12, "y"] = [f"rare {number}" for number in range(7)]
    remark = f"8 classes with one row each were left out, 8 of {len(frame)} rows: "
    assert any(each.startswith(remark) and each.endswith(" and 3 more.") for each in describe_table(frame, "y")[2])


def test_numbers_as_classes_stay_whole(frame):
    schema, rows, _ = describe_table(frame.assign(y=np.tile([1.0, -1.0], N // 2)), "y")
    assert schema.classes == (-1, 1)
    assert rows.y.dtype == np.int64


def test_a_task_can_be_said(frame):
    schema, _, remarks = describe_table(frame.assign(y=np.tile([1, 2], N // 2)), "y", task="regression")
    assert schema.task == "regression"
    assert not any("Say otherwise" in remark for remark in remarks)


@pytest.mark.parametrize(
    ("target", "options", "message"),
    [
        (["a"] * N, {}, "has only the class 'a', and a classifier needs two"),
        ([5] * N, {}, "has only the class 5, and a classifier needs two"),
        (["rare"] + ["a"] * (N - 1), {}, "only the class 'a' with more than one row .of 'rare' there is one., and"),
        ([None] * N, {}, "All cells of the target 'y' are missing"),
        ([f"label {i}" for i in range(N)], {}, "40 different labels in 40 rows"),
        (np.ones(N), {"task": "regression"}, "is 1 in every row"),
        (["1", "2", "x", "3"] * 10, {"task": "regression"}, "10 cells that cannot be read as a number, such as 'x'"),
        ([0.1, 0.2, 0.3] + [None] * (N - 3), {}, "3 rows with a target: give at least 6"),
        (["a", "b"] * 20, {"drop": ["x"]}, "No column is left"),
    ],
)
def test_tables_without_a_model_in_them(frame, target, options, message):
    with pytest.raises(UnusableTable, match=message):
        describe_table(frame.assign(y=pd.Series(target)), "y", **options)


def test_negative_weights(frame):
    with pytest.raises(UnusableTable, match="the weight of row 1 is -1: give every row a number"):
        describe_table(frame.assign(w=-1.0), "y", weight="w")


def test_rows_are_named_by_their_number_in_the_table(frame):
    """Rows without a target are left out before weights and times are looked at."""
    frame = frame.assign(w=1.0, t=np.arange(N).astype(str))
    frame.loc[[0, 1, 5], "y"] = None
    frame.loc[9, "w"], frame.loc[11, "t"] = -3.0, "later"
    with pytest.raises(UnusableTable, match="the weight of row 10 is -3"):
        describe_table(frame, "y", weight="w")
    with pytest.raises(UnusableTable, match="--time 't': row 12 has 'later'"):
        describe_table(frame, "y", time="t")
    rows = describe_table(frame.set_index(frame.index + 100), "y")[1]
    assert rows.places[:4].tolist() == [2, 3, 4, 6]
    assert rows.X.index.tolist() == rows.y.index.tolist() == list(range(N - 3))


def test_misspelt_columns_are_suggested(frame):
    frame = frame.rename(columns={"y": "outcome"})
    with pytest.raises(InvalidArgument, match="--target: there is no column 'outcom'. Did you mean 'outcome'?"):
        describe_table(frame, "outcom")
    with pytest.raises(InvalidArgument, match="--drop: there is no column 'X'. Did you mean 'x'?"):
        describe_table(frame, "outcome", drop=["X"])
    with pytest.raises(InvalidArgument, match="Did you mean 'regression'"):
        describe_table(frame, "outcome", task="regresion")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"date": ["text"]},
            "--date 'text': none of its cells is a date, the first one is 'w0': leave the option out, or",
        ),
        ({"number": ["text"]}, "--number 'text': none of its cells is a number"),
        ({"date": ["age"]}, "--date 'age': none of its cells is a date, the first one is '20': leave the option out"),
        ({"date": ["age"], "time": "age"}, "--date 'age': none of its cells is a date"),
        ({"group": "y"}, "--group 'y' is the column to predict: name another column"),
        ({"time": "y"}, "--time 'y' is the column to predict"),
        ({"drop": ["text,y"]}, "--drop 'y' is the column to predict"),
        ({"drop": ["text"], "keep": ["age,text"]}, "--drop 'text' leaves out the column that --keep keeps: choose one"),
        ({"drop": ["z,text"]}, "--drop: there is no column 'z'"),
        (
            {"number": ["text"], "group": "text"},
            "--number 'text' is for inputs, but this column is not one: --group names",
        ),
        ({"categorical": ["text"], "drop": ["text"]}, "--categorical 'text' is for inputs.* --drop leaves it out"),
        ({"categorical": ["text"], "ids": ["text"]}, "--categorical 'text' is for inputs.* --id names it"),
        ({"categorical": ["text"], "time": "text"}, "--categorical 'text' is for inputs.* --time names it"),
        ({"date": ["y"]}, "--date 'y' is for inputs, but this column is not one: it is the column to predict"),
    ],
)
def test_options_that_contradict_the_table(frame, options, message):
    with pytest.raises(InvalidArgument, match=message):
        describe_table(frame.assign(text=[f"w{i % 4}" for i in range(N)], age=20 + np.arange(N)), "y", **options)


def test_numbers_may_be_dates_in_a_form(frame):
    frame = frame.assign(day=20240101 + np.arange(N) % 28, year=1990 + np.arange(N) % 9)
    kinds = {
        one.name: one.kind for one in describe_table(frame, "y", date=["day", "year=%Y"], keep=["day,year"])[0].columns
    }
    assert kinds == {"x": "number", "day": "date", "year": "date", "year to day (days)": "number"}


def test_the_last_column_is_always_listed(frame):
    wide = frame.assign(**{f"x{j}": 0.0 for j in range(20)}, outcome=1.0)
    with pytest.raises(InvalidArgument, match="'x8', 11 more, and 'outcome'"):
        describe_table(wide, "price")


def test_few_numbers_of_a_target_are_classes_none_of_which_is_a_code():
    """Among many numbers 999 stands for a missing target; among few it may be a class."""
    few = pd.Series([0, 1, 2, 3, 999] * 20, name="y")
    assert typed_target(few).values.notna().all()
    many = pd.Series([*range(40), 999, 999], name="y")
    assert typed_target(many).values.isna().sum() == 2
    doors = pd.Series(["2 doors", "4 doors"] * 10, name="y")
    assert typed_target(doors).values.tolist()[:2] == ["2 doors", "4 doors"]


@pytest.fixture(params=["csv", "xlsx"])
def described(request, tmp_path, rng):
    """Describe a table whose target has these cells, as it is read from a file."""

    def describe_target(cells, **how):
        path = tmp_path / f"table.{request.param}"
        frame = pd.DataFrame({"x": rng.normal(size=len(cells)), "y": cells})
        frame.to_csv(path, index=False) if request.param == "csv" else frame.to_excel(path, index=False)
        table = read_table(path, target="y")
        return describe_table(table.frame, "y", decimal=table.decimal, words=table.words, **how)

    return describe_target


@pytest.mark.parametrize("word", ["None", "NA", "N/A", "nan", "NULL"])
def test_a_word_for_missing_cells_is_a_class_where_it_is_as_frequent_as_one(described, word):
    cells = [word, "low", "high", ""] * 10 + ["low"]
    schema, rows, remarks = described(cells)
    assert schema.classes == tuple(sorted(["high", "low", word]))
    assert (rows.y == word).sum() == 10
    assert "10 rows without a target were left out." in remarks  # the empty cells
    assert any(f"has '{word}' in 10 cells, which are a class. If" in each for each in remarks)
    schema, rows, remarks = described(cells, missing_codes=[f"y={word}"])
    assert schema.classes == ("high", "low")
    assert "20 rows without a target were left out." in remarks


def test_a_rare_word_for_missing_cells_is_missing_and_named(described):
    cells = ["low", "high"] * 20 + ["NA", "NA"]
    schema, _, remarks = described(cells)
    assert schema.classes == ("high", "low")
    expected = "The target 'y' has 'NA' in 2 cells, which count as missing. If 'NA' is a class, use --categorical 'y'."
    assert expected in remarks
    schema, _, remarks = described(cells, categorical=["y"])
    assert schema.classes == ("NA", "high", "low")
    assert not any("missing" in remark for remark in remarks)


def test_the_only_other_word_is_a_class(described):
    assert described(["ill"] * 30 + ["None"] * 4)[0].classes == ("None", "ill")


def test_words_among_numbers_and_truths_are_missing(described):
    schema, rows, _ = described([*(f"{v},5" for v in range(30)), *["NA"] * 30])
    assert (schema.task, len(rows.y)) == ("regression", 30)
    schema, rows, _ = described([*[True, False] * 10, *["None"] * 20])
    assert (schema.classes, len(rows.y)) == (("False", "True"), 20)


def test_times_are_read_in_the_form_that_is_given(frame):
    """Day and month can be either way round where no day is beyond the twelfth."""
    days = pd.date_range("2024-01-01", periods=N, freq="3D")
    early = days[days.day <= 12][:N]
    frame = frame.iloc[: len(early)].assign(d=early.strftime("%d/%m/%Y"))
    _, rows, remarks = describe_table(frame, "y", time="d")
    assert any("'d' is read as dates; day and month could be the other way round" in each for each in remarks)
    assert np.any(np.diff(rows.time) < 0)
    schema, rows, remarks = describe_table(frame, "y", time="d", date=["d=%d/%m/%Y"])
    assert [column.name for column in schema.columns] == ["x"]
    assert np.all(np.diff(rows.time) > 0)
    assert not any("other way round" in each for each in remarks)


def test_a_target_can_be_named_as_a_number(rng):
    """Its numbers are all meant then, as the remark on codes says."""
    frame = pd.DataFrame({"x": rng.normal(size=N), "y": [*rng.uniform(1, 9, N - 4), *[-99.0] * 4]})
    _, rows, remarks = describe_table(frame, "y")
    assert len(rows.y) == N - 4
    assert any("'y' has -99, which counts as missing unless --number names the column" in each for each in remarks)
    schema, rows, remarks = describe_table(frame, "y", number=["y"])
    assert (schema.task, len(rows.y)) == ("regression", N)
    assert not any("missing" in each for each in remarks)
    texts = frame.assign(y=[*map(str, range(N - 9)), *["lost"] * 9])  # too few numbers to be taken for some
    with pytest.raises(UnusableTable, match=r"such as 'lost': correct them, .* \(--number 'y'\)"):
        describe_table(texts, "y", task="regression")
    assert len(describe_table(texts, "y", number=["y"])[1].y) == N - 9
    with pytest.raises(InvalidArgument, match="--number 'y': none of its cells is a number, the first one is 'up'"):
        describe_table(frame.assign(y=["up", "down"] * (N // 2)), "y", number=["y"])
    doors = [f"{i % 3} doors" for i in range(N)]
    assert describe_table(frame.assign(y=doors), "y", number=["y"])[0].task == "regression"
    few = describe_table(frame.assign(y=np.arange(N) % 3), "y", number=["y"])[0]
    assert few.task == "regression"


@pytest.mark.parametrize("cell", ["n.d.", "-", "#DIV/0!", "."])
def test_ways_to_write_no_value_are_missing_among_the_numbers_of_a_target(described, cell):
    schema, rows, remarks = described([*(f"{v}.25" for v in range(40)), cell, cell])
    assert (schema.task, len(rows.y)) == ("regression", 40)
    said = f"Column 'y' has cells that are no numbers and count as missing (2, such as '{cell}')."
    assert said in remarks
    assert described(["a", "b", cell] * 10)[0].classes == tuple(sorted(["a", "b", cell]))


def test_spellings_of_one_class_are_one_class_and_that_is_said(frame):
    cells = np.tile(["yes", "no", "YES", "no ", "yes", "No"], N // 6 + 1)[:N]
    schema, rows, remarks = describe_table(frame.assign(y=cells), "y")
    assert schema.classes == ("no", "yes")
    assert (rows.y == "yes").sum() == np.sum(np.isin(cells, ["yes", "YES"]))
    (remark,) = (each for each in remarks if "several spellings" in each)
    assert "'YES' counts as 'yes'" in remark
    assert remark.endswith("use --categorical 'y'.")
    apart = describe_table(frame.assign(y=cells), "y", categorical=["y"])[0]
    assert "YES" in apart.classes


def test_what_would_leave_one_class_is_not_merged(frame):
    alleles = np.tile(["AA", "Aa", "aa"], N // 3 + 1)[:N]
    assert describe_table(frame.assign(y=alleles), "y")[0].classes == ("AA", "Aa", "aa")


def test_labels_of_a_later_table_are_spelled_as_the_model_has_them():
    later = pd.Series(["YES", "no", None, "perhaps", 3])
    assert spelled_as(later, ("no", "yes")).tolist() == ["yes", "no", None, "perhaps", 3]
    assert spelled_as(later, ("YES", "no", "yes")).tolist() == later.tolist()  # they were told apart
