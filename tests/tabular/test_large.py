"""Parquet files that are read piece by piece: the model of the same rows in memory, saved, shown and used like any."""

import numpy as np
import pandas as pd
import pytest

from kernelect.exceptions import InvalidArgument, MissingCapability, NotEnoughMemory, UnusableTable
from kernelect.facts import gather_for_page
from kernelect.selection.landmarks import request, stages
from kernelect.tabular import (
    FoldOptions,
    MachineOptions,
    describe_table,
    fit_pieces,
    fit_table,
    large,
    load_model,
    match_columns,
    parquet,
    predict_table,
    read,
    read_table,
    require_room,
    save_model,
)

pytest.importorskip("pyarrow")

N = 500


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(request, "EXACT_ROWS", 100)
    monkeypatch.setattr("kernelect.estimators._elsewhere.EXACT_ROWS", 100)
    monkeypatch.setattr(request, "FIRST", 20)
    monkeypatch.setattr(request, "MOST", 20)
    monkeypatch.setattr(stages, "PART_ROWS", 100)
    monkeypatch.setattr("kernelect.selection.landmarks.fit.MORE_ROWS", 150)
    monkeypatch.setattr(parquet, "BATCH_ROWS", 64)


def mixed(seed=0):
    """Return numbers, text, dates, missing cells, a row number, and two targets."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.normal(size=N), "b": rng.uniform(-2, 2, N)})
    frame["colour"] = rng.choice(["red", "green", "blue"], N)
    frame["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 500, N), unit="D")
    value = np.sin(2 * frame["b"]) + frame["a"] + (frame["colour"] == "red") + 0.1 * rng.normal(size=N)
    frame["label"] = np.where(value > 0.3, "yes", "no")
    frame["value"] = value
    frame.loc[::17, "a"] = np.nan
    frame.loc[5, ["value", "label"]] = [np.nan, None]
    return frame


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "big.parquet"
    mixed().to_parquet(path, row_group_size=150)
    return str(path)


LSSVM = MachineOptions("lssvm", kernel="rbf")


@pytest.mark.parametrize(("target", "other"), [("value", "label"), ("label", "value")])
def test_it_is_the_model_of_the_rows_in_memory(path, target, other, tmp_path):
    found = fit_pieces(path, target, LSSVM, drop=[other])
    schema, rows, _ = describe_table(read_table(path).frame, target, drop=[other])
    whole = fit_table(rows, schema, LSSVM, FoldOptions(folds=0))
    model = found.model
    assert model.schema == schema
    assert model.n_rows == N - 1
    ours, theirs = (each.model.components[0].kernel_part.vectors for each in (model, whole))
    assert len(ours) < N - 1
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    new, _ = match_columns(schema, read_table(path))
    here, there = predict_table(whole, new), predict_table(model, new)
    pd.testing.assert_frame_equal(there, here, rtol=1e-8, atol=1e-8)
    assert model.facts["quality"]["headline"] == whole.facts["quality"]["headline"]
    assert model.facts["data"] == whole.facts["data"]
    assert any("read piece by piece" in remark for remark in model.facts["remarks"])
    save_model(model, tmp_path / "m.kernelect")
    loaded, _ = load_model(tmp_path / "m.kernelect")
    pd.testing.assert_frame_equal(predict_table(loaded, new), there)
    assert gather_for_page(model, found.rows.X, found.rows.y, assessment=model.assessment)


def test_texts_of_all_pieces_are_read_in_one_way(tmp_path):
    frame = mixed().drop(columns="label").dropna(subset="value")
    frame["b"] = [f"{value + 4:.3f}".replace(".", ",") for value in frame["b"]]  # leaves the sign open
    frame.loc[frame.index[:40], "b"] = [f"4,{row:02d}" for row in range(40)]  # prove the comma, in the first piece
    frame.loc[frame.index[300], "b"] = "4.5"  # in a piece without a proof
    path = str(tmp_path / "texts.parquet")
    frame.to_parquet(path, row_group_size=150)
    model = fit_pieces(path, "value", LSSVM).model
    schema, rows, _ = describe_table(frame, "value")
    whole = fit_table(rows, schema, LSSVM, FoldOptions(folds=0))
    assert next(column for column in schema.columns if column.name == "b").reading.decimal == ","
    pd.testing.assert_frame_equal(predict_table(model, rows.X), predict_table(whole, rows.X), rtol=1e-8, atol=1e-8)


def test_columns_follow_from_a_sample_and_figures_from_another(path, monkeypatch, tmp_path):
    monkeypatch.setattr(large, "SAMPLE_ROWS", 200)
    monkeypatch.setattr("kernelect.selection.landmarks.table.FIGURE_ROWS", 120)
    frame = mixed().assign(row=np.arange(N))
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=400)
    found = fit_pieces(str(tmp_path / "rows.parquet"), "value", LSSVM, drop=["label"])
    assert [column.name for column in found.model.schema.columns][:3] == ["a", "b", "colour"]
    assert "row" not in [column.name for column in found.model.schema.columns]
    assert len(found.rows.y) == len(found.model.assessment.leave_one_out.prediction) == 120
    assert found.model.facts["data"]["rows"] == N - 1
    assert found.model.facts["data"]["words"].startswith("499 rows")
    errors = found.model.assessment.leave_one_out.prediction - found.rows.y
    assert np.sqrt(np.mean(errors**2)) < 0.7 * found.rows.y.std()
    remarks = " ".join(found.model.remarks)
    assert "'row' was left out: it looks like a row number" in remarks
    assert "1 row without a target or weight was left out" in remarks
    assert "follow from 200 of 499 rows, and the scores and pictures are those of 120 rows" in remarks


def test_a_class_that_the_sample_lacks_is_one_of_the_model(path, monkeypatch, tmp_path):
    monkeypatch.setattr(large, "SAMPLE_ROWS", 50)
    frame = mixed().drop(columns="value")
    chosen = set(large.stratified(N - 1, 50))
    frame = frame[frame["label"].notna()].reset_index(drop=True)
    rare = [row for row in range(N - 1) if row not in chosen][:20]
    frame.loc[rare, "label"] = "rare"
    frame.to_parquet(tmp_path / "rare.parquet", row_group_size=100)
    model = fit_pieces(str(tmp_path / "rare.parquet"), "label", LSSVM).model
    assert model.schema.classes == ("no", "rare", "yes")


def test_weights(path, tmp_path):
    frame = mixed().drop(columns="label").assign(w=np.where(np.arange(N) % 3, 1.0, 0.0))
    frame.to_parquet(tmp_path / "w.parquet", row_group_size=100)
    model = fit_pieces(str(tmp_path / "w.parquet"), "value", LSSVM, weight="w").model
    assert model.n_rows == 332
    assert model.schema.weight == "w"


def test_nothing_larger_than_a_batch_is_read(path, monkeypatch):
    sizes, as_frame = [], parquet.arrow_frame
    monkeypatch.setattr(parquet, "arrow_frame", lambda rows: sizes.append(rows.num_rows) or as_frame(rows))
    fit_pieces(path, "value", LSSVM, drop=["label"])
    assert max(sizes) == 64


def test_what_is_refused(path, tmp_path, monkeypatch):
    with pytest.raises(MissingCapability, match="machine='svm' needs all rows in memory"):
        fit_pieces(path, "label", MachineOptions("svm"))
    with pytest.raises(InvalidArgument, match="--target: there is no column 'valu'. Did you mean 'value'"):
        fit_pieces(path, "valu", LSSVM)
    with pytest.raises(MissingCapability, match="--group 'colour' is for folds"):
        fit_pieces(path, "value", LSSVM, group="colour")
    times = mixed().assign(value=lambda frame: frame["value"].abs(), seen=1)
    times.to_parquet(tmp_path / "times.parquet")
    with pytest.raises(MissingCapability, match="--event 'seen' needs all rows in memory"):  # no censored time is exact
        fit_pieces(str(tmp_path / "times.parquet"), "value", LSSVM, event="seen")
    with pytest.raises(UnusableTable, match="There is no file"):
        fit_pieces("none.parquet", "value", LSSVM)
    (tmp_path / "text.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UnusableTable, match="--engine reads Parquet only"):
        fit_pieces(str(tmp_path / "text.csv"), "a", LSSVM)
    pd.DataFrame({"a": [1.0, 2.0], "y": [np.nan, np.nan]}).to_parquet(tmp_path / "none.parquet")
    with pytest.raises(UnusableTable, match="All cells of the target 'y' are missing"):
        fit_pieces(str(tmp_path / "none.parquet"), "y", LSSVM)
    pd.DataFrame({"a": [], "y": []}).to_parquet(tmp_path / "empty.parquet")
    with pytest.raises(UnusableTable, match="no rows"):
        fit_pieces(str(tmp_path / "empty.parquet"), "y", LSSVM)
    frame = mixed().drop(columns="label").assign(w=1.0)
    frame.loc[400, "w"] = -1.0
    frame.to_parquet(tmp_path / "negative.parquet", row_group_size=150)
    with pytest.raises((InvalidArgument, UnusableTable), match="weight"):
        fit_pieces(str(tmp_path / "negative.parquet"), "value", LSSVM, weight="w")


def test_a_file_that_does_not_fit_points_to_the_engine(path, monkeypatch):
    require_room(path)
    monkeypatch.setattr(read, "available_bytes", lambda: 1e4)
    with pytest.raises(NotEnoughMemory, match=r"needs about .* GiB when it is read as a whole.*--engine local"):
        require_room(path)
