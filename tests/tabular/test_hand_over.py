"""Columns handed over to a machine that codes them itself."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from kernelect import KernelRegressor
from kernelect.exceptions import UnusableModel
from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table, load_model, predict_table
from kernelect.tabular.file import save_model
from kernelect.tabular.hand_over import HandOver
from oracles.tables import mixed_frame


@pytest.fixture(scope="module")
def dated():
    """A table whose dates span two years."""
    frame = mixed_frame(50).drop(columns="label")
    days = np.random.default_rng(0).integers(0, 730, size=50)
    when = pd.Series(pd.Timestamp("2021-01-01") + pd.to_timedelta(days, unit="D"))
    return frame.assign(when=when.where(np.arange(50) % 10 > 0))


@pytest.fixture(scope="module")
def model(dated):
    schema, rows, _ = describe_table(dated, "value", keep=["when"])
    return fit_table(rows, schema, MachineOptions("auto", effort="fast"), FoldOptions(0)), rows


def test_types_are_those_of_the_schema(model, dated):
    fitted, rows = model
    step = HandOver(tuple(column.kind for column in fitted.schema.columns)).fit(rows.X)
    found = step.transform(rows.X)
    assert [column.kind for column in fitted.schema.columns] == ["number", "category", "number", "date"]
    assert [str(dtype) for dtype in found.dtypes] == ["float64", "category", "float64", "datetime64[us]"]
    pd.testing.assert_series_equal(found["when"], dated["when"].astype("datetime64[us]"), check_dtype=False)
    assert list(clone(step).fit(rows.X).get_feature_names_out()) == list(rows.X.columns)


def test_the_machine_makes_season_and_weekday_of_dates(model):
    names = model[0].model.coding.names
    assert {"when", "when (season, April)", "when (weekday)", "when is missing"} <= set(names)


def test_the_door_says_the_same_of_the_table_as_it_comes(model, dated):
    fitted, rows = model
    X = dated.drop(columns="value")
    alone = KernelRegressor("fast", random_state=0).fit(X, dated["value"])
    np.testing.assert_allclose(fitted.predict(rows.X), alone.predict(X), rtol=1e-6)


def test_days_outside_the_calendar_are_missing():
    step = HandOver(("date",)).fit(pd.DataFrame({"a": [0.0]}))
    found = step.transform(pd.DataFrame({"a": [0.5, 1e9, -1e300, np.nan]}))["a"]
    assert list(found.isna()) == [False, True, True, True]
    assert found[0] == pd.Timestamp("1970-01-01 12:00")


def test_texts_that_look_like_numbers_stay_categories():
    """The schema has decided; the machine does not judge again."""
    rng = np.random.default_rng(1)
    cells = pd.Series([f"{number}" for number in rng.integers(1, 4, size=40)], dtype="category")
    frame = pd.DataFrame({"code": cells, "y": (cells == "2") + 0.1 * rng.normal(size=40)})
    schema, rows, _ = describe_table(frame, "y")
    fitted = fit_table(rows, schema, MachineOptions("auto", effort="fast"), FoldOptions(0))
    assert [role.kind for role in fitted.model.coding.roles] == ["category"]


def test_a_saved_mixture_predicts_the_same_and_forged_kinds_are_refused(model, tmp_path):
    fitted, rows = model
    save_model(fitted, tmp_path / "m.kernelect")
    loaded, remarks = load_model(tmp_path / "m.kernelect")
    assert remarks == []
    pd.testing.assert_frame_equal(predict_table(loaded, rows.X, 0.9), predict_table(fitted, rows.X, 0.9))
    columns = tuple(replace(column, kind="number", low=0.0, high=1.0) for column in fitted.schema.columns)
    save_model(replace(fitted, schema=replace(fitted.schema, columns=columns)), tmp_path / "forged.kernelect")
    with pytest.raises(UnusableModel, match="it codes columns as other kinds than its table has"):
        load_model(tmp_path / "forged.kernelect")
