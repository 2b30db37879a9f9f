"""New rows: matched by name, surprises explained."""

import numpy as np
import pandas as pd
import pytest

from kernelect.exceptions import InvalidArgument, UnusableTable
from kernelect.model import Component
from kernelect.numerics import Bordered, threads
from kernelect.tabular import MachineOptions, Table, describe_table, fit_table, match_columns, predict_table
from kernelect.tabular.assessing import FoldOptions
from kernelect.tabular.known_rows import rows_for
from kernelect.tabular.read import read_table
from oracles.records import through_a_file


def predicted(model, frame, **options):
    X, remarks = match_columns(model.schema, Table(frame, "new.csv"), **options)
    return predict_table(model, X), remarks


def test_order_of_columns_does_not_matter(classifier, mixed):
    expected, remarks = predicted(classifier, mixed[["size", "colour", "weight"]])
    assert remarks == []
    turned, remarks = predicted(classifier, mixed[["label", "weight", "colour", "size"]])
    assert remarks == []  # the target is no surprise
    pd.testing.assert_frame_equal(turned, expected)
    assert list(expected.columns) == ["prediction", "probability:big", "probability:small"]
    np.testing.assert_allclose(expected.iloc[:, 1:].sum(axis=1), 1.0)


def test_predictions_do_not_depend_on_the_company_of_rows(classifier, mixed, monkeypatch):
    expected, _ = predicted(classifier, mixed)
    monkeypatch.setattr("kernelect.tabular.predict._BLOCK", 7)
    by_blocks, _ = predicted(classifier, mixed)
    pd.testing.assert_frame_equal(by_blocks, expected)


def test_predictions_leave_the_number_of_threads_to_the_one_choice(regressor, mixed, monkeypatch):
    """On a busy machine BLAS with all threads spends its time waiting."""
    table, seen, asked = Table(mixed.assign(value=np.nan), "new"), [], []
    X, _ = match_columns(regressor.schema, table)
    solve = Bordered.of.__func__
    monkeypatch.setattr(
        Bordered, "of", classmethod(lambda cls, *parts: seen.append(threads._current.get()) or solve(cls, *parts))
    )
    machine, mean = regressor.model.components[0], Component.mean
    monkeypatch.setattr(Component, "mean", lambda self, V: asked.append(threads._current.get()) or mean(self, V))
    predict_table(regressor, X, 0.9)
    assert asked
    assert None not in [*seen, *asked]
    machine.spread.__dict__.pop("_solved", None)
    machine.spread.solved(machine.kernel_part)
    assert seen
    assert None not in seen


def test_surprises_are_explained(classifier, mixed):
    new = mixed.head(6).assign(colour="violet", extra=1, more=2)
    new["size"] = ["big", "11", 12, None, 1e9, 10]
    predictions, remarks = predicted(classifier, new)
    assert predictions["prediction"].isin(["big", "small"]).all()
    assert remarks[0] == "3 columns the model does not use were ignored: 'value', 'extra', 'more'."
    assert remarks[1].startswith("Column 'size' has 1 cell that cannot be read as a number, such as 'big'")
    assert remarks[2].startswith("Column 'colour' has 1 category the model never saw ('violet'), in 6 rows")
    assert remarks[3].startswith(
        "In 1 of 6 rows a number lies outside the range of the training table (columns 'size')"
    )
    assert len(remarks) == 4


def test_absent_columns_are_an_error_or_missing_cells(classifier, mixed):
    new = mixed.rename(columns={"colour": "color"})
    with pytest.raises(UnusableTable, match="new.csv lacks 1 .* needs: 'colour'. Is 'color' meant to be 'colour'?"):
        predicted(classifier, new)
    filled, remarks = predicted(classifier, new, fill_missing=True)
    assert "Not in the table, and so missing in every row: 'colour'." in remarks
    expected, _ = predicted(classifier, mixed.assign(colour=None))
    pd.testing.assert_frame_equal(filled, expected)


def test_absent_columns_of_sparse_files_are_zeros(rng):
    frame = pd.DataFrame(rng.normal(size=(30, 3)), columns=["x1", "x2", "x3"])
    schema, rows, _ = describe_table(frame.assign(target=frame["x1"] + frame["x3"]), "target")
    model = fit_table(rows, schema, MachineOptions("lssvm", kernel="linear"), FoldOptions(folds=0))
    sparse, remarks = match_columns(schema, Table(frame[["x1", "x2"]], "new.svm", absent_is_zero=True))
    assert (sparse["x3"] == 0).all()
    assert remarks == []
    assert np.isfinite(predict_table(model, sparse)["prediction"]).all()


def test_regression_has_deviations_and_intervals(regressor, mixed):
    X, _ = match_columns(regressor.schema, Table(mixed, "new.csv"))
    found = predict_table(regressor, X, interval=0.8)
    assert list(found.columns) == ["prediction", "standard_deviation", "lower", "upper"]
    assert (found["lower"] < found["upper"]).all()
    lower, upper = regressor.model.predict_interval(X, coverage=0.8)
    np.testing.assert_allclose(found[["lower", "upper"]], np.column_stack([lower, upper]))


def test_machines_without_intervals_of_their_own_use_the_normal(mixed):
    schema, rows, _ = describe_table(mixed.drop(columns="label"), "value")
    model = fit_table(rows, schema, MachineOptions("basis", kernel="linear"), FoldOptions(folds=0))
    found = predict_table(model, rows.X, interval=0.95)
    np.testing.assert_allclose(found["upper"] - found["prediction"], 1.959964 * found["standard_deviation"], rtol=1e-6)


def test_impossible_intervals(classifier, regressor, mixed):
    with pytest.raises(InvalidArgument, match="--interval 0.9 is for regression"):
        predict_table(classifier, mixed, interval=0.9)
    with pytest.raises(InvalidArgument, match="--interval 1.5 must be a number between 0 and 1"):
        predict_table(regressor, mixed, interval=1.5)


def test_rows_for_a_report(classifier, mixed):
    mixed.loc[0, "label"], mixed.loc[1, "label"] = None, "unknown"
    rows, remarks = rows_for(classifier, Table(mixed, "again.csv"))
    assert len(rows.X) == len(rows.y) == 58
    assert rows.places.tolist() == list(range(2, 60))
    assert "The model was fitted on 60 rows, this table has 58." in remarks
    with pytest.raises(InvalidArgument, match="again.csv: there is no column 'label'"):
        rows_for(classifier, Table(mixed.drop(columns="label"), "again.csv"))


@pytest.fixture
def warm(rng):
    """Temperatures that were never negative."""
    return pd.DataFrame({"temp": rng.uniform(1.0, 9.0, 60), "x": rng.normal(size=60), "y": rng.normal(size=60)})


def inputs_of(schema, cells):
    X, remarks = match_columns(schema, Table(pd.DataFrame({"temp": cells, "x": 0.0}), "new.csv"))
    return X["temp"].tolist(), remarks


def test_whether_a_number_is_a_code_does_not_depend_on_the_other_rows(warm):
    schema = describe_table(warm, "y")[0]
    for company in ([], [-8.5], [3.0, -20.0], [999.0, 1000.0]):
        cells, remarks = inputs_of(schema, [-9.0, *company])
        assert np.isnan(cells[0])
        assert any("holds -9" in remark for remark in remarks)
    assert inputs_of(schema, [-8.5, -9.0])[0][0] == -8.5


def test_numbers_that_are_all_meant_are_so_in_new_tables(warm):
    schema = describe_table(warm, "y", number=["temp"])[0]
    cells, remarks = inputs_of(schema, [-9.0, 999.0, 999.0])
    assert cells == [-9.0, 999.0, 999.0]
    assert any("extrapolated" in remark for remark in remarks)
    assert through_a_file(schema) == schema


def test_rows_for_a_report_have_the_targets_that_the_fit_had(rng, tmp_path):
    """Codes for missing targets are those of the model, and so are classes that are called NA."""
    x, options = rng.normal(size=60), MachineOptions("lssvm", kernel="rbf")
    numbers = pd.DataFrame({"x": x, "y": np.where(np.arange(60) % 10 == 0, -1.0, x.round(2))})
    labels = pd.DataFrame({"x": x, "y": np.where(np.arange(60) % 10 == 0, "NA", np.where(x > 0, "up", "down"))})
    for frame, how in ((numbers, {"missing_codes": ["y=-1"]}), (labels, {}), (labels, {"categorical": ["y"]})):
        frame.to_csv(tmp_path / "t.csv", index=False)
        table = read_table(tmp_path / "t.csv", target="y")
        schema, rows, _ = describe_table(table.frame, "y", words=table.words, decimal=table.decimal, **how)
        again, remarks = rows_for(fit_table(rows, schema, options, FoldOptions(folds=0)), table)
        assert again.y.tolist() == rows.y.tolist()
        assert remarks == []


def test_a_point_among_decimal_commas_is_read_as_in_training(tmp_path, rng):
    sizes = rng.uniform(500, 5000, 60)
    cells = [f"{size:,.2f}".translate(str.maketrans(",.", ".,")) for size in sizes]
    lines = [f"{cell};{round(size)}" for cell, size in zip(cells, sizes, strict=True)]
    training, new = tmp_path / "t.csv", tmp_path / "n.csv"
    training.write_text("\n".join(["size;y", *lines]))
    table = read_table(training)
    schema, rows, _ = describe_table(table.frame, "y", decimal=table.decimal)
    model = fit_table(rows, schema, MachineOptions("lssvm", kernel="rbf"), FoldOptions(0))
    new.write_text("size;z\n1.308;0.5\n")  # for Python, and by the other column, a little more than 1
    inputs, _ = match_columns(schema, read_table(new, spelled=schema.spelled))
    assert model.predict(inputs)[0] == pytest.approx(1308.0, rel=0.05)
