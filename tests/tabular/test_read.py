"""Files become frames, or one sentence says why not."""

import bz2
import gzip
import io
import lzma
import sys
import zipfile

import pandas as pd
import pytest

from kernelect.cli import _guard
from kernelect.exceptions import InvalidArgument, UnusableTable
from kernelect.inputs.readings import Reading
from kernelect.tabular.columns import column_values
from kernelect.tabular.read import FORMATS, read_table


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


FRAME = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "ü", None]})


def assert_same(frame):
    """A missing text is None or NaN, by the version of pandas."""
    pd.testing.assert_frame_equal(frame.fillna("-"), FRAME.fillna("-"), check_dtype=False)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("comma.csv", "a,b\n1,x\n2,ü\n3,\n"),
        ("semicolon.csv", "a;b\n1;x\n2;ü\n3;NA\n"),
        ("tab.txt", "a\tb\n1\tx\n2\tü\n3\t?\n"),
        ("bar.csv", "a|b\n1|x\n2|ü\n3|\n"),
        ("tab.tsv", "a\tb\n1\tx\n2\tü\n3\t\n"),
        ("marked.csv", "\ufeffa,b\n1,x\n2,ü\n3,\n"),
        ("utf16.csv", "a,b\n1,x\n2,ü\n3,\n".encode("utf-16")),
        ("utf32.csv", "a,b\n1,x\n2,ü\n3,\n".encode("utf-32")),
        ("latin.csv", "a,b\n1,x\n2,ü\n3,\n".encode("latin-1")),
        ("quoted.csv", '"a","b"\n1,"x"\n2,"ü"\n\n3,\n'),
        ("spaced.csv", "a, b\n1, x\n2, ü\n3, \n"),
        ("unnamed-suffix", "a,b\r\n1,x\r\n2,ü\r\n3,\r\n"),
    ],
)
def test_text_in_all_its_dialects(tmp_path, name, content):
    table = read_table(write(tmp_path, name, content))
    assert_same(table.frame)
    assert bool(table.remarks) == name.startswith("latin")


def test_text_within_quotes_is_no_separator(tmp_path):
    table = read_table(write(tmp_path, "t.csv", '"a;b;c;d",e\n1,2\n'))
    assert list(table.frame.columns) == ["a;b;c;d", "e"]


def test_decimal_commas_are_read_beside_semicolons(tmp_path):
    table = read_table(write(tmp_path, "t.csv", "a;b;c\n1,5;x;1\n-2;y,z;2\n;w;3\n"))
    assert table.decimal == ","
    assert column_values(table.frame["a"], "number", Reading(decimal=table.decimal)).tolist()[:2] == [1.5, -2.0]
    assert table.frame["b"].tolist() == ["x", "y,z", "w"]


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_columnar_files_by_name_and_by_first_bytes(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    getattr(FRAME, f"to_{suffix}")(path)
    nameless = write(tmp_path, "nameless", path.read_bytes())
    for file in (path, nameless):
        assert_same(read_table(file).frame)


def test_svmlight_names_its_columns_and_absent_ones_are_zeros(tmp_path):
    table = read_table(write(tmp_path, "t.svm", "1 1:2.5 3:4\n-1 2:1\n"))
    assert table.frame.to_dict("list") == {"x1": [2.5, 0], "x2": [0, 1], "x3": [4, 0], "target": [1, -1]}
    assert table.absent_is_zero


def test_svmlight_columns_do_not_depend_on_which_indices_a_file_writes(tmp_path):
    whole = read_table(write(tmp_path, "a.svm", "1 0:2.5 2:4\n-1 1:1\n")).frame
    part = read_table(write(tmp_path, "b.svm", "-1 1:1\n")).frame
    assert list(whole) == ["x0", "x1", "x2", "target"]
    assert part.to_dict("list") == {"x1": [1], "target": [-1]}


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n")))
    table = read_table("-")
    assert table.source == "standard input"
    assert table.frame.to_dict("list") == {"a": [1], "b": [2]}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "", "t.csv is empty"),
        ("t.csv", " \n \n", "t.csv is empty"),
        ("t.csv", "a,b\n", "column names but no rows"),
        ("t.csv", "a,b\n1,2\n3\n", "line 3 has 1 cells, but the line of names has 2"),
        ("t.csv", "a,b\n1,2,3\n", "line 2 has 3 cells, but the line of names has 2"),
        ("t.csv", 'a,b\n"1,2\n3,4\n', "line 3 has 1 cells"),
        ("t.csv", "a,b,a\n1,2,3\n", "more than one column named 'a'"),
        ("t.csv", "a, a\n1,2\n", "more than one column named 'a'"),
        ("t.csv", b"a\0b,c\n1,2\n", "null characters"),
        ("t.csv", b"\xff\xfea", "begins as utf-16 text but is not"),
        ("t.csv", "a\n" + "x" * 200_000 + "\n", "line 2 cannot be read"),
        ("t.xlsx", b"PK\x03\x04 sheet", "a damaged zip archive"),
        ("t.xls", b"\xd0\xcf\x11\xe0 sheet", "save the sheet as .xlsx or CSV"),
        ("t.csv.gz", b"\x1f\x8b123", "cannot be unpacked as gzip"),
        ("t.pkl", b"\x80\x04.", "a pickle, which is never loaded"),
        ("t.xls", "\ufeff\n<!DOCTYPE html>\n<table><tr><td>a</td></tr></table>", "a web page .HTML.: open it in"),
        ("t.csv", "<html><table><tr><td>a</td></tr></table>", "a web page .HTML.: open it in"),
        ("t.csv", '<table border="1"><tr><td>a</td></tr></table>', "a web page .HTML.: open it in"),
        ("t.csv", b"%PDF-1.7 words", "a PDF: save the table"),
        ("t.csv", b"\x89PNG\r\n\x1a\n\x00", "a picture"),
        ("t.parquet", b"PAR1 no more", "cannot be read as a Parquet file"),
        ("t.feather", b"nothing of the kind", "cannot be read as a Feather file"),
        ("t.svm", "one 1:2\n", "cannot be read as an svmlight file"),
        ("t.svm", "1 0:2 21575849:3\n", "has the index 21575849, and every index up to it is an input"),
        ("t.svm", "1 0:2 100000:3\n", "number the inputs without gaps, 100000 of them at most"),
        ("t.svm", "1 99999:1\n" * 2001, "more than 200000000 cells"),
    ],
)
def test_what_cannot_be_read_is_explained(tmp_path, name, content, message):
    with pytest.raises(UnusableTable, match=message):
        read_table(write(tmp_path, name, content))


def test_a_damaged_archive_is_explained_without_its_bytes(tmp_path):
    """zipfile's own error ended the program; openpyxl's quoted the bytes of the file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("t.csv", "a,b\n1,2\n")
    with pytest.raises(UnusableTable, match="t.zip cannot be unpacked as zip .*Bad magic number"):
        read_table(write(tmp_path, "t.zip", b"PK\x03\x04 " + file.getvalue()[4:]))
    file = io.BytesIO()
    FRAME.to_excel(file, index=False)
    data = file.getvalue().replace(b"xl/workbook.xml", b"\xff" * 15, 1)
    with pytest.raises(UnusableTable, match="cannot be read as an Excel file") as refused:
        read_table(write(tmp_path, "t.xlsx", data))
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize("pack", [bz2.compress, gzip.compress, lzma.compress])
def test_a_small_file_that_would_fill_the_memory_is_not_unpacked(tmp_path, monkeypatch, pack):
    monkeypatch.setattr("kernelect.tabular.unpacking._SMALL", 10_000)
    with pytest.raises(UnusableTable, match="times its size: unpack it first"):
        read_table(write(tmp_path, "t.csv.packed", pack(b"a,b\n" + b"0,0\n" * 1_000_000)))


def test_what_is_not_there_is_explained(tmp_path):
    with pytest.raises(UnusableTable, match="There is no file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(UnusableTable, match="is a folder"):
        read_table(tmp_path)
    with pytest.raises(UnusableTable, match="cannot be read"):
        read_table("a\0b.csv")


def test_doubled_names_of_columnar_files(tmp_path):
    import pyarrow as pa
    import pyarrow.feather

    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a "])
    pyarrow.feather.write_feather(table, str(tmp_path / "t.feather"))
    with pytest.raises(UnusableTable, match="more than one column named 'a'"):
        read_table(tmp_path / "t.feather")


def test_formats_are_known_by_name_and_by_the_command_line():
    assert tuple(_guard._NAMES["formats"]) == FORMATS
    with pytest.raises(InvalidArgument, match="Did you mean 'parquet'"):
        read_table("-", format="parqet")


@pytest.mark.parametrize(
    "text",
    [
        "zip,y,n\n01234,1,5\n10115,2,6\n",
        "zip,y,n\n01234,1,5\n,2,6\n10115,2,6\n",
        "n,y,zip\r\n5,1,01234\r\n6,2,10115\r\n",
        "n, y, zip\n5, 1, 01234\n6, 2, 10115\n",
        "n;y;zip\n5;1;01234 \n6;2; 10115\n",
    ],
    ids=["plain", "with a gap", "last with CRLF", "space behind the comma", "spaces"],
)
def test_leading_zeros_stay(tmp_path, text):
    """Postal codes are no numbers, whatever stands around them."""
    (tmp_path / "t.csv").write_bytes(text.encode())
    frame = read_table(tmp_path / "t.csv").frame
    assert frame["zip"].dropna().str.strip().tolist() == ["01234", "10115"]
    assert frame["n"].tolist()[:2] == [5, 6]  # other columns are numbers as before


def test_whole_numbers_beyond_64_bits_are_numbers(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("id,half,y\n" + "".join(f"{3 * 10**19 + 10**17 * i},{i}.5,{i}\n" for i in range(30)))
    table = read_table(path)
    assert table.frame["id"].dtype == float or pd.__version__ < "3"  # texts there, which are numbers to the model
    assert column_values(table.frame["id"], "number", Reading())[2] == 3e19 + 2e17


def test_a_limit_of_memory_is_no_fault_of_the_quotes(tmp_path, monkeypatch):
    def without_room(*_, **__):
        raise pd.errors.ParserError("Error tokenizing data. C error: out of memory")

    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,2\n")
    monkeypatch.setattr(pd, "read_csv", without_room)
    with pytest.raises(UnusableTable, match="too little memory for it: give fewer rows"):
        read_table(path)
