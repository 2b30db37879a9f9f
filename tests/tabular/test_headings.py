"""Comments and titles above the line of names are left out, and said; anything else is an error as before."""

import re

import pytest

from kernelect.exceptions import InvalidArgument, UnusableTable
from kernelect.tabular.read import read_table

ROWS = "a,b,y\n1,2,3\n4,5,6\n"


def read(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    return read_table(path)


@pytest.mark.parametrize(
    "above",
    [
        "# made by a machine\n",
        "# made by A, B\n# on a Monday\n",
        "Results of 2024\n",
        "Results\n\nSecond line\n",
        "# x, y\n# u, v\n",
    ],
)
def test_what_stands_above_the_names_is_left_out_and_said(tmp_path, above):
    table = read(tmp_path, above + ROWS)
    assert list(table.frame.columns) == ["a", "b", "y"]
    assert len(table.frame) == 2
    (remark,) = table.remarks
    assert "above the names of the columns" in remark
    assert above.split("\n")[0] in remark


@pytest.mark.parametrize("text", [ROWS, "#a,b\n1,2\n3,4\n", "only\n1\n2\n", "a,b\n"[:4] + "1,2\n"])
def test_a_table_without_a_heading_is_read_as_it_stands(tmp_path, text):
    table = read(tmp_path, text)
    assert table.remarks == ()
    assert list(table.frame.columns) == text.split("\n")[0].split(",")


def test_a_line_of_names_that_is_too_short_is_no_title(tmp_path):
    with pytest.raises(UnusableTable, match="line 2 has 2 cells, but the line of names has 1"):
        read(tmp_path, "a\n1,2\n3,4\n")


GERMAN = "Größe;Umsatz (€);Ort\n173,9;1.234,50;Köln\n168,2;87,00;Düren\n"


@pytest.mark.parametrize(
    "above", ["Bericht;;\n", "Bericht 2024, Köln\n;;\n", "Bericht;;\nStand: 1,5;;\n;;\n\n", ";;\n"]
)
def test_a_spreadsheet_fills_titles_with_empty_cells_and_writes_decimal_commas(tmp_path, above):
    (tmp_path / "t.csv").write_bytes((above + GERMAN).replace("\n", "\r\n").encode("cp1252"))
    table = read_table(tmp_path / "t.csv")
    assert list(table.frame.columns) == ["Größe", "Umsatz (€)", "Ort"]
    assert len(table.frame) == 2
    assert len([remark for remark in table.remarks if "above the names" in remark]) == ("B" in above)


def test_names_of_which_one_is_empty_are_no_title(tmp_path):
    table = read(tmp_path, "a,\nx,y\nu,v\n")
    assert len(table.frame) == 2


def test_lines_keep_their_numbers(tmp_path):
    with pytest.raises(UnusableTable, match="line 5 has 2 cells"):
        read(tmp_path, "# one\n# two\n" + ROWS.replace("4,5,6", "4,5"))


def book_of(path, sheets):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


@pytest.mark.parametrize(
    ("above", "said"),
    [
        ([["Results of 2024"], []], "1 line above the names of the columns was left out: 'Results of 2024'."),
        ([[], ["# by A"], ["# on", "Monday"]], "2 lines above the names of the columns were left out: '# by A'."),
        ([["Results"], ["of 2024"], []], "2 lines above the names of the columns were left out: 'Results'."),
    ],
)
def test_comments_and_titles_of_a_sheet_are_left_out_and_said(tmp_path, above, said):
    rows = [[None, *row] for row in (["a", "b", "y"], [1, 2, 3], [3, 4, 5])]  # the table stands one column to the right
    table = read_table(book_of(tmp_path / "t.xlsx", {"s": [*above, *rows]}))
    assert list(table.frame.columns) == ["a", "b", "y"]
    assert table.frame["y"].tolist() == [3, 5]
    assert table.remarks == (said,)


@pytest.mark.parametrize("rows", [[["#a", "b"], [1, 2], [3, 4]], [["only"], [1], [2]], [["a", "b"], [1, None], [2, 3]]])
def test_a_sheet_without_a_heading_is_read_as_it_stands(tmp_path, rows):
    table = read_table(book_of(tmp_path / "t.xlsx", {"s": rows}))
    assert table.remarks == ()
    assert list(table.frame.columns) == rows[0]
    assert len(table.frame) == 2


def test_a_sheet_is_named_or_numbered(tmp_path):
    sheets = {"notes": [["x", "z"], [0, 1]], "empty": [], "data": [["a", "y"], [1, 2]], "1": [["b", "y"], [5, 6]]}
    path = book_of(tmp_path / "t.xlsx", sheets)
    assert [list(read_table(path, sheet=sheet).frame.columns) for sheet in ("data", "3", 4, "1")] == [
        ["a", "y"],
        ["a", "y"],
        ["b", "y"],
        ["b", "y"],  # a name goes before a number
    ]
    (remark,) = read_table(path).remarks
    assert remark == (
        "Of the 3 sheets of t.xlsx ('notes', 'data', '1'), 'notes' was read: another one is read with --sheet."
    )
    for sheet, words in (
        ("other", "--sheet 'other' must be one of the 4 sheets of t.xlsx ('notes', 'empty', 'data', '1'), or a number"),
        ("0", "--sheet '0' must be one of the 4 sheets"),
        ("5", "or a number from 1 to 4"),
        ("empty", "The sheet 'empty' of t.xlsx is empty: give --sheet 'notes'"),
    ):
        with pytest.raises((InvalidArgument, UnusableTable), match=re.escape(words)):
            read_table(path, sheet=sheet)


def test_a_target_on_another_sheet_is_found(tmp_path):
    path = book_of(tmp_path / "t.xlsx", {"notes": [["x", "z"], [0, 1]], "data": [["a", "y"], [1, 2]]})
    with pytest.raises(
        UnusableTable, match=r"The first of the 2 sheets of t.xlsx .* has no column 'y': give --sheet 'da"
    ):
        read_table(path, target="y")
    assert list(read_table(path, target="other").frame.columns) == ["x", "z"]  # the target is asked for elsewhere


def test_only_excel_files_have_sheets(tmp_path):
    (tmp_path / "t.csv").write_text(ROWS)
    with pytest.raises(InvalidArgument, match="--sheet 'data' is for Excel files, and t.csv is none: leave it out"):
        read_table(tmp_path / "t.csv", sheet="data")
