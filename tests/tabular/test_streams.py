"""Predictions piece by piece are those of the table as a whole."""

import numpy as np
import pandas as pd
import pytest

from kernelect.exceptions import UnusableTable
from kernelect.tabular import (
    FoldOptions,
    MachineOptions,
    Remarks,
    Wanted,
    describe_table,
    fit_table,
    predict_rows,
    predicted_pieces,
    read_table,
)
from kernelect.tabular.streams import text_blocks


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    n = 60
    found = pd.DataFrame({"name": [f"row {k}" for k in range(n)], "a": rng.normal(size=n)})
    found["note"] = ['two\nlines, "so"' if k % 7 == 0 else "plain" for k in range(n)]
    found["code"] = rng.choice([1.0, 2.0, 3.0], n)
    found["value"] = found["a"] ** 2 + found["code"]
    found.loc[[20, 41], "code"] = np.nan
    return found


@pytest.fixture(scope="module")
def model(frame):
    schema, rows, _ = describe_table(frame, "value", ids=["name"], categorical=["code"])
    return fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(0))


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr("kernelect.tabular.parquet.BATCH_ROWS", 16)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_pieces_give_the_predictions_of_the_whole(model, frame, tmp_path, suffix):
    path = tmp_path / f"new.{suffix}"
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(path, row_group_size=25)
    else:
        frame.to_csv(path, index=False, sep="\t" if suffix == "tsv" else ",")
    wanted = Wanted(interval=0.8, reasons=2)
    found = [rows for rows, _ in predicted_pieces(model, str(path), wanted)]
    expected, _ = predict_rows(model, read_table(path), wanted)
    assert len(found) > 3
    pd.testing.assert_frame_equal(pd.concat(found, ignore_index=True), expected, rtol=1e-9)


def test_lines_of_one_cell_stay_together(frame, tmp_path):
    path = tmp_path / "new.csv"
    frame.to_csv(path, index=False)
    blocks = list(text_blocks(str(path), rows=5))
    assert [done for _, done in blocks] == [0, *np.cumsum([len(table.frame) for table, _ in blocks])[:-1]]
    together = pd.concat([table.frame for table, _ in blocks], ignore_index=True)
    assert together["note"].tolist() == frame["note"].tolist()
    assert together["name"].tolist() == frame["name"].tolist()


def test_the_same_remark_on_many_pieces_is_told_once(model, frame, tmp_path):
    path, remarks = tmp_path / "new.csv", Remarks()
    frame.assign(a=frame["a"] + 100.0).to_csv(path, index=False)
    for _, said in predicted_pieces(model, str(path), Wanted()):
        remarks.add(said)
    (told,) = [sentence for sentence in remarks.told() if "outside the range" in sentence]
    assert told.endswith("Further pieces of the table with such rows: 4.")


def test_what_cannot_be_read_in_pieces(model, tmp_path):
    (tmp_path / "empty.csv").write_text("a,note,code\n")
    with pytest.raises(UnusableTable, match="column names but no rows"):
        list(predicted_pieces(model, str(tmp_path / "empty.csv"), Wanted()))
    with pytest.raises(UnusableTable, match="cannot be read"):
        list(predicted_pieces(model, str(tmp_path / "none.csv"), Wanted()))
    with pytest.raises(UnusableTable, match="save the table as Parquet or CSV, or leave --engine out"):
        list(predicted_pieces(model, "table.xlsx", Wanted()))
    (tmp_path / "bad.csv").write_text("a,note,code\n" + "1,x,2\n" * 20 + "1,2\n")
    with pytest.raises(UnusableTable, match="has 2 cells, but the line of names has 3"):
        list(predicted_pieces(model, str(tmp_path / "bad.csv"), Wanted()))
