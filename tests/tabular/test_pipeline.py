"""Mixed columns become inputs of a machine, in every fold alike."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import Pipeline

from kernelect import GPC, LSSVC, LSSVR, RVR, SVC, BasisSearchRegressor, KernelClassifier
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.facts import input_names
from kernelect.inputs import CodedColumns, as_frame
from kernelect.inputs.indicators import MOST_LEVELS
from kernelect.tabular import MachineOptions, describe_table
from kernelect.tabular.pipeline import coding_steps, count_inputs, make_machine, make_pipeline_for


def test_inputs_are_scaled_encoded_and_named(mixed):
    schema, rows, _ = describe_table(mixed.drop(columns="value"), "label")
    pipeline = make_pipeline_for(schema.columns, LSSVC("linear")).fit(rows.X, rows.y)
    names = input_names(pipeline)
    assert names[:3] == ["size", "size is missing", "weight"]
    assert sorted(names[3:]) == ["colour = (missing)", "colour = blue", "colour = green", "colour = red"]
    inputs = pd.DataFrame(pipeline[:-1].transform(rows.X), columns=names)
    np.testing.assert_allclose(inputs[["size", "weight"]].mean(), 0.0, atol=1e-12)
    np.testing.assert_array_equal(inputs["size is missing"], mixed["size"].isna())
    np.testing.assert_array_equal(inputs["colour = red"], mixed["colour"] == "red")


def coded(columns):
    """Return the steps before a machine that takes numbers."""
    return Pipeline(coding_steps(columns))


def test_unseen_and_missing_cells_have_an_encoding(mixed):
    schema, rows, _ = describe_table(mixed.drop(columns="value"), "label")
    columns = coded(schema.columns).fit(rows.X)
    new = pd.DataFrame({"size": [np.nan], "colour": ["violet"], "weight": [np.nan]})
    inputs = columns.transform(new)
    assert np.isfinite(inputs).all()
    assert inputs[0, -4:].tolist() == [0, 0, 0, 0]


def test_a_machine_alone_sees_the_numbers_that_a_mixture_sees(mixed):
    """One road from columns to numbers: a mixture has codes where a machine alone has indicators."""
    schema, rows, _ = describe_table(mixed.drop(columns="value"), "label")
    alone = make_pipeline_for(schema.columns, LSSVC("linear"))[:-1].fit(rows.X)
    door = make_pipeline_for(schema.columns, KernelClassifier("fast", time_limit=0.01))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        coding = door.fit(rows.X, rows.y)[-1].model_.coding
    Z = coding(as_frame(door[0].transform(rows.X)))
    numeric = coding.numeric
    np.testing.assert_array_equal(alone.transform(rows.X)[:, numeric], Z[:, numeric])
    assert alone[-1].coding == coding


def test_only_frequent_categories_have_an_indicator(rng):
    names = [f"c{i}" for i in range(60)]
    cells = rng.permutation(names * 5 + [names[0]] * 20 + ["once"])
    frame = pd.DataFrame({"code": cells, "x": rng.normal(size=len(cells))})
    schema, rows, _ = describe_table(frame.assign(y=rng.normal(size=len(cells))), "y")
    columns = coded(schema.columns).fit(rows.X)
    names_out = columns.get_feature_names_out().tolist()
    assert len(names_out) == 1 + MOST_LEVELS == count_inputs(schema.columns)
    assert names_out[:2] == ["x", "code = c0"]
    rare = columns.transform(rows.X)[(frame["code"] == "once").to_numpy()]
    assert rare[0, 1:].sum() == 0


def test_rare_categories_share_an_indicator(rng):
    cells = ["a"] * 20 + ["b"] * 20 + ["c", "d", "d", "e"]
    frame = pd.DataFrame({"code": cells, "x": rng.normal(size=44)})
    schema, rows, _ = describe_table(frame.assign(y=rng.normal(size=44)), "y")
    columns = coded(schema.columns).fit(rows.X)
    names = ["x", "code = a", "code = b", "code = a rare category"]
    assert columns.get_feature_names_out().tolist() == names
    np.testing.assert_array_equal(columns.transform(rows.X)[:, 3], [0] * 40 + [1] * 4)


def test_dates_have_season_and_weekday(rng):
    days = pd.Timestamp("2020-01-06") + pd.to_timedelta(np.arange(0, 800, 8), unit="D")
    frame = pd.DataFrame({"when": days, "y": rng.normal(size=100)})
    schema, rows, _ = describe_table(frame, "y", keep=["when"])
    names = coded(schema.columns).fit(rows.X).get_feature_names_out().tolist()
    assert names[:3] == ["when", "when (season, April)", "when (season, January)"]
    assert sorted(names[3:])[:2] == ["when (weekday) = Friday", "when (weekday) = Monday"]


def test_a_table_without_two_values_that_rows_share_is_refused():
    frame = pd.DataFrame({"code": list("aabbcc") * 2})
    step = CodedColumns({"code": "category"})
    assert step.fit_transform(frame).shape == (12, 3)
    with pytest.raises(InvalidArgument, match="X has 6 rows, too few for any of its categories"):
        step.fit(frame[:6])


@pytest.mark.parametrize(
    ("machine", "task", "estimator"),
    [
        ("lssvm", "classification", LSSVC),
        ("lssvm", "regression", LSSVR),
        ("svm", "classification", SVC),
        ("gp", "classification", GPC),
        ("rvm", "regression", RVR),
        ("basis", "regression", BasisSearchRegressor),
    ],
)
def test_machines(machine, task, estimator):
    built = make_machine(MachineOptions(machine, time_limit=3.0, seed=7), task, 5)
    assert type(built) is estimator
    assert (built.time_limit, built.random_state) == (3.0, 7)


def test_options_reach_the_machine():
    options = MachineOptions("lssvm", kernel="rbf", prior="none", criterion="press", restarts=2)
    built = make_machine(options, "regression", 5)
    assert (built.kernel, built.prior, built.criterion, built.n_restarts) == ("rbf", None, "press", 2)
    assert make_machine(MachineOptions("basis", kernel="linear"), "regression", 5).dictionary == "linear"


def test_one_width_for_very_many_inputs():
    assert make_machine(MachineOptions("lssvm"), "regression", 200).kernel == "ard"
    assert make_machine(MachineOptions("lssvm"), "regression", 201).kernel == "rbf"
    assert make_machine(MachineOptions("lssvm", kernel="ard"), "regression", 201).kernel == "ard"


def test_machines_that_cannot():
    with pytest.raises(MissingCapability, match="machine='svm' does no regression: use one of lssvm, gp, rvm, basis"):
        make_machine(MachineOptions("svm"), "regression", 5)
    with pytest.raises(MissingCapability, match="machine='basis' does no classification"):
        make_machine(MachineOptions("basis"), "classification", 5)
    with pytest.raises(InvalidArgument, match="prior='shrinkage' does not apply to machine='basis'"):
        make_machine(MachineOptions("basis", prior="shrinkage"), "regression", 5)
    with pytest.raises(InvalidArgument, match="Did you mean 'lssvm'"):
        make_machine(MachineOptions("lsvm"), "regression", 5)
