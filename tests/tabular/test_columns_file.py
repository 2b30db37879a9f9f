"""columns.toml: written by every fit, read by the next; and what new tables have otherwise."""

import bz2
import gzip
import io
import lzma
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from kernelect.exceptions import InvalidArgument, UnusableTable
from kernelect.inputs.readings import Reading
from kernelect.tabular import columns_text, describe_table, read_columns, read_table
from kernelect.tabular.columns_file import known_of
from kernelect.tabular.predict import match_columns
from kernelect.tabular.read import Table
from oracles.records import through_a_file

N = 40


@pytest.fixture
def messy(rng):
    return pd.DataFrame(
        {
            "price": [f"{v // 1}.{w:03d},5" for v, w in zip(range(1, N + 1), rng.integers(0, 999, N), strict=True)],
            "day": pd.date_range("1995-01-01", periods=N, freq="9D").strftime("%d.%m.%Y"),
            "race": rng.integers(1, 4, N),
            "lab": np.where(np.arange(N) % 9 == 0, -999, rng.integers(1, 50, N)),
            'na"me\n': rng.normal(size=N),
            "load": [f"{i} kg" for i in rng.integers(1, 90, N)],
            "same": 1,
            "who": [f"patient {i}" for i in range(N)],
            "y": np.where(rng.uniform(size=N) < 0.5, "no", "yes"),
        }
    )


@pytest.fixture
def schema(messy):
    return describe_table(messy, "y", categorical=["race"], ids=["who"], keep=["day"])[0]


def kinds(schema):
    return {column.name: column.kind for column in schema.columns}


def test_a_table_is_read_as_people_write_it(schema):
    assert kinds(schema) == {
        "price": "number",
        "day": "date",
        "race": "category",
        "lab": "number",
        'na"me\n': "number",
    } | {"load": "number"}
    price, day, _, lab, _, load = (column.reading for column in schema.columns)
    assert (price.decimal, day.date_format, lab.missing_codes, load.unit) == (",", "%d.%m.%Y", ("-999",), "kg")
    assert schema.columns[0].low > 1000
    assert schema.columns[3].missing == 0.125
    assert schema.unused == {"same": "it is constant"}
    assert schema.ids == ("who",)


def test_what_is_written_is_read(schema, messy, tmp_path):
    path = tmp_path / "columns.toml"
    path.write_text(columns_text(schema, "t.csv"))
    known = read_columns(path)
    assert known.columns == schema.columns
    assert (known.target, known.task, known.ids) == ("y", "classification", ("who",))
    assert known.unused == {"same": "it is constant"}
    again = describe_table(messy.assign(extra=np.arange(N) % 7), "y", known=known)
    assert kinds(again[0]) == {**kinds(schema), "extra": "number"}
    assert "The table has 1 column that columns.toml lacks: 'extra'." in again[2]
    gone = describe_table(messy.drop(columns="lab"), "y", known=known)[2]
    assert "columns.toml has 1 column that the table lacks: 'lab'." in gone


def test_labels_with_a_unit_stay_labels(messy, rng):
    doors = np.where(rng.uniform(size=N) < 0.5, "2 doors", "4 doors")
    assert describe_table(messy.assign(y=doors), "y")[0].classes == ("2 doors", "4 doors")
    weights = [f"{v:.1f} kg" for v in rng.normal(70, 9, N)]
    schema, rows, _ = describe_table(messy.assign(y=weights), "y")
    assert (schema.task, rows.y.dtype) == ("regression", float)


def test_options_go_before_the_file(schema, messy):
    known = known_of(schema, "columns.toml")
    found, _, _ = describe_table(messy, "y", known=known, number=["race"], keep=["same"], drop=["day"])
    assert kinds(found)["race"] == "number"
    assert "day" not in kinds(found)


def test_rows_stay_dated_where_the_file_leaves_the_dates_out(messy, tmp_path):
    first, rows, _ = describe_table(messy, "y")
    assert rows.dated == ("day",)
    (tmp_path / "columns.toml").write_text(columns_text(first, "messy.csv"))
    known = read_columns(tmp_path / "columns.toml")
    assert describe_table(messy, "y", known=known)[1].dated == ("day",)
    assert describe_table(messy, "y", drop=["day"])[1].dated == ()


def test_schemas_survive_the_model_file(schema):
    assert through_a_file(schema) == schema


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "format = 1\n[[column]]\nname = 'a'\nkind = 'text'",
            "has kind = 'text': use number, category, date, clock, unused",
        ),
        ("format = 1\n[[column]]\nkind = 'number'", "A column has no name"),
        ("format = 1\n[[column]]\nname = 'a'\nkind = 'number'\nrange = [1]", "give two numbers"),
        ("format = 1\n[[column]]\nname = 'a'\nkind = 'number'\ndecimal = ';'", 'use "." or ","'),
        ("format = 1\n[[column]]\nname = 'a'\nkind = 'date'\ndate_format = '%d'", "has no year"),
        ("format = 1\n[[column]]\nname = 'a'\nkind = 'number'\nlow = 3", "has 'low', which is not known"),
        ("format = 1\n[[column]]\nname = 'a'\nkind = 'number'\nlevels = 3", "levels = 3, which must be a list"),
        ("format = 1\ncolumn = [3]", "must be a table of words and values"),
        ("format = 1\n" + "[[column]]\nname = 'a'\nkind = 'number'\n" * 2, "describes the column 'a' twice"),
        ("format = 7", "has format 7, but this version reads 1"),
        ("format = ", "cannot be read"),
        ("target = 3", "must be a text"),
        ("format = 1\ntime_format = '%d'", "has no year"),
    ],
)
def test_what_is_wrong_in_the_file_is_said(tmp_path, text, words):
    path = tmp_path / "columns.toml"
    path.write_text(text)
    with pytest.raises(UnusableTable, match="columns.toml.*") as caught:
        read_columns(path)
    assert words in str(caught.value)
    with pytest.raises(UnusableTable, match="There is no file"):
        read_columns(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"number": ["race"], "categorical": ["race"]}, "also given as category"),
        ({"date": ["day=%d"]}, "has no year"),
        ({"missing_codes": ["labb=9"]}, "Did you mean 'lab'"),
        ({"ids": ["nobody"]}, "--id: there is no column 'nobody'"),
    ],
)
def test_options_that_cannot_be(messy, options, words):
    with pytest.raises(InvalidArgument, match=words):
        describe_table(messy, "y", **options)


def test_several_columns_with_commas(messy):
    schema, _, _ = describe_table(messy, "y", drop=["price, day", "lab"])
    assert "race" in kinds(schema)
    assert not {"price", "day", "lab"} & set(kinds(schema))


def test_codes_and_forms_that_are_given(messy):
    _, rows, _ = describe_table(messy, "y", missing_codes=["race=3"], date=["day=%d.%m.%Y"])
    assert rows.X["race"].isna().sum() == (messy["race"] == 3).sum()
    whole = messy.assign(day=messy["day"].str.replace(".", "").astype(int))
    assert kinds(describe_table(whole, "y", date=["day=%d%m%Y"], keep=["day"])[0])["day"] == "date"
    assert kinds(describe_table(whole, "y", keep=["day"])[0])["day"] == "number"


def test_a_target_is_read_too(messy, rng):
    values = rng.normal(1.0, 0.1, N).round(3)
    spelled = [f"{value:.3f}".replace(".", ",") + " €" for value in values]
    _, rows, remarks = describe_table(messy.assign(y=spelled), "y", decimal=",")
    np.testing.assert_allclose(rows.y, values)
    coded = np.where(np.arange(N) < 3, -999.0, np.abs(values))
    _, rows, remarks = describe_table(messy.assign(y=coded), "y")
    assert len(rows.y) == N - 3
    assert any("'y' has -999, which counts as missing" in remark for remark in remarks)
    labels = describe_table(messy.assign(y=np.where(coded < 0, "<30", ">=30")), "y")[0]
    assert labels.classes == ("<30", ">=30")


def test_race_is_asked_about(messy, rng):
    asked = "use --categorical 'race'"
    assert any(asked in remark for remark in describe_table(messy, "y")[2])
    assert not any(asked in remark for remark in describe_table(messy, "y", categorical=["race"])[2])
    assert not any(asked in remark for remark in describe_table(messy, "y", number=["race"])[2])
    steps = pd.DataFrame({"kids": np.tile([0, 1, 2, 3], 25), "x": rng.normal(size=100)})
    up, bent = 2.0 * steps["kids"], 9.0 * (steps["kids"] % 2)
    noise = rng.normal(size=100)
    assert not any("'kids'" in remark for remark in describe_table(steps.assign(y=up + noise), "y")[2])
    assert any("use --categorical 'kids'" in remark for remark in describe_table(steps.assign(y=bent + noise), "y")[2])


def new_table(messy, **cells):
    return Table(messy.assign(**cells), "new.csv")


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({"price": [1.5] * N}, None),
        ({"price": ["2345.25"] * N}, "has a decimal point here and had a decimal comma in the training table"),
        ({"day": ["1995-03-01"] * N}, "has dates written as %Y-%m-%d here and as %d.%m.%Y"),
        ({"lab": [-9999] * N}, "holds -9999, outside the range of the training table: such cells count as missing"),
        ({"lab": [-999] * N}, "of which the training table had 12 %"),
        ({"lab": ["red"] * N}, "check that this is the same column"),
        ({"lab": [7] * (N - 1) + ["red"]}, "has 1 cell that cannot be read as a number, such as 'red'"),
        ({"race": [4] * N}, "1 category the model never saw ('4')"),
        ({'na"me\n': [np.nan] * N}, "has 40 of 40 cells missing, of which the training table had none"),
        ({"new": [1] * N}, "1 column the model does not use was ignored: 'new'"),
    ],
)
def test_differences_are_explained(schema, messy, cells, words):
    _, remarks = match_columns(schema, new_table(messy, **cells))
    assert words is None or any(words in remark for remark in remarks)


def test_the_training_table_itself_has_no_differences(schema, messy):
    X, remarks = match_columns(schema, Table(messy, "t.csv"))
    assert remarks == []
    assert X["lab"].isna().sum() == 5


ROWS = b"a,b\n1,x\n2,y\n"


@pytest.mark.parametrize(
    ("name", "pack"), [("t.csv.gz", gzip.compress), ("t.csv.bz2", bz2.compress), ("t.csv.xz", lzma.compress)]
)
def test_compressed_tables(tmp_path, monkeypatch, name, pack):
    path = tmp_path / name
    path.write_bytes(pack(ROWS))
    assert read_table(path).frame.to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pack(ROWS))))
    assert len(read_table("-").frame) == 2
    path.write_bytes(pack(ROWS)[:-9])
    with pytest.raises(UnusableTable, match="cannot be unpacked as"):
        read_table(path)


def test_zip_archives(tmp_path):
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inner.tsv", ROWS.replace(b",", b"\t"))
    assert read_table(path).frame["b"].tolist() == ["x", "y"]
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("second.csv", ROWS)
    with pytest.raises(UnusableTable, match="a zip archive of 2 files"):
        read_table(path)


def test_zstandard_is_read_or_explained(tmp_path):
    path = tmp_path / "t.csv.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd damaged")
    with pytest.raises(UnusableTable, match="cannot be unpacked as zstandard"):
        read_table(path)


def workbook(path, sheets):
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_sheets(tmp_path):
    rows = [["a", "b", None], [1, "x", None], [None, "NA", None], [2.5, "3,5", None]]
    path = workbook(tmp_path / "t.xlsx", {"empty": [], "data": [[None, None, None], *rows], "more": [["c"], [1]]})
    table = read_table(path)
    assert table.frame["a"].tolist()[::2] == [1.0, 2.5]
    assert table.frame["b"].isna().tolist() == [False, True, False]
    assert table.remarks[0].startswith("Of the 2 sheets of t.xlsx ('data', 'more'), 'data' was read: ")
    for wrong, words in (
        ([["a", "a"], [1, 2]], "more than one column"),
        ([["a"], [1, 2]], "has cells but no name"),
        ([], "empty"),
    ):
        with pytest.raises(UnusableTable, match=words):
            read_table(workbook(tmp_path / "w.xlsx", {"s": wrong}))
    damaged = bytearray(path.read_bytes())
    damaged[200:400] = bytes(200)
    (tmp_path / "d.xlsx").write_bytes(damaged)
    with pytest.raises(UnusableTable, match="cannot be read as an Excel file"):
        read_table(tmp_path / "d.xlsx")


def test_points_among_commas_are_thousands(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b;c\n1.234;0,5;01234\n2.345;1,5;01235\n")
    table = read_table(path)
    assert table.frame["a"].tolist() == ["1.234", "2.345"]
    assert table.frame["c"].tolist() == ["01234", "01235"]
    assert table.decimal == ","
    path.write_text("a;b\n1.25;x\n2.5;y\n")
    assert read_table(path).frame["a"].tolist() == [1.25, 2.5]
    assert Reading().decimal == read_table(path).decimal


def test_codes_of_the_target_and_the_form_of_times_are_kept(tmp_path, rng):
    days = pd.date_range("2024-01-01", periods=12, freq="D").strftime("%d/%m/%Y")
    frame = pd.DataFrame({"x": rng.normal(size=48), "d": np.tile(days, 4), "y": rng.normal(size=48).round(2)})
    frame.loc[::8, "y"] = -1.0
    how = {"missing_codes": ["y=-1"], "time": "d", "date": ["d=%d/%m/%Y"]}
    schema, rows, _ = describe_table(frame, "y", **how)
    (tmp_path / "columns.toml").write_text(columns_text(schema, "t.csv"))
    known = read_columns(tmp_path / "columns.toml")
    again, same, remarks = describe_table(frame, "y", time="d", known=known)
    assert again.target_codes == ("-1",)
    assert len(same.y) == len(rows.y) == 42
    assert same.time.tolist() == rows.time.tolist()
    assert not any("other way round" in remark for remark in remarks)
    assert through_a_file(schema) == schema


def test_codes_of_the_target_that_the_file_does_not_have_are_numbers(rng):
    frame = pd.DataFrame({"x": rng.normal(size=40), "y": [*rng.uniform(1, 9, 36), *[-99.0] * 4]})
    schema, rows, _ = describe_table(frame, "y")
    assert (schema.target_codes, len(rows.y)) == (("-99",), 36)
    known = replace(known_of(schema, "columns.toml"), target_codes=())
    assert len(describe_table(frame, "y", known=known)[1].y) == 40
