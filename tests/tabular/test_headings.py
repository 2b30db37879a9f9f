"""Comments and titles above the line of names are left out, and said; anything else is an error as before."""

import io

import pytest

from kernelect.exceptions import UnusableTable
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


def test_lines_keep_their_numbers(tmp_path):
    with pytest.raises(UnusableTable, match="line 5 has 2 cells"):
        read(tmp_path, "# one\n# two\n" + ROWS.replace("4,5,6", "4,5"))


def test_a_title_of_a_sheet_is_left_out(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["Results of 2024"], [], ["a", "b"], [1, 2], [3, 4]):
        book.active.append(row)
    data = io.BytesIO()
    book.save(data)
    (tmp_path / "t.xlsx").write_bytes(data.getvalue())
    table = read_table(tmp_path / "t.xlsx")
    assert list(table.frame.columns) == ["a", "b"]
    assert table.remarks == ("A title above the names of the columns was left out: 'Results of 2024'.",)
