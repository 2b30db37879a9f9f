"""Mixed columns become inputs of a machine, in every fold alike."""

import numpy as np
import pandas as pd
import pytest

from kernelect import GPC, LSSVC, LSSVR, RVR, SVC, BasisSearchRegressor
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.facts import input_names
from kernelect.tabular import MachineOptions, describe_table
from kernelect.tabular.pipeline import column_transformer, count_inputs, make_machine, make_pipeline_for


def test_inputs_are_scaled_encoded_and_named(mixed):
    schema, rows, _ = describe_table(mixed.drop(columns="value"), "label")
    pipeline = make_pipeline_for(schema.columns, LSSVC("linear")).fit(rows.X, rows.y)
    assert input_names(pipeline) == [
        "size",
        "weight",
        "size is missing",
        "colour = (missing)",
        "colour = blue",
        "colour = green",
        "colour = red",
    ]
    inputs = pd.DataFrame(pipeline[:-1].transform(rows.X), columns=input_names(pipeline))
    np.testing.assert_allclose(inputs[["size", "weight"]].mean(), 0.0, atol=1e-12)
    np.testing.assert_array_equal(inputs["size is missing"], mixed["size"].isna())
    np.testing.assert_array_equal(inputs["colour = red"], mixed["colour"] == "red")


def test_unseen_and_missing_cells_have_an_encoding(mixed):
    schema, rows, _ = describe_table(mixed.drop(columns="value"), "label")
    columns = column_transformer(schema.columns).fit(rows.X)
    new = pd.DataFrame({"size": [np.nan], "colour": ["violet"], "weight": [np.nan]})
    with pytest.warns(UserWarning, match="unknown categories"):
        inputs = columns.transform(new)
    assert np.isfinite(inputs).all()
    assert inputs[0, -4:].tolist() == [0, 0, 0, 0]


def test_many_categories_share_a_last_one(rng):
    frame = pd.DataFrame({"code": rng.choice([f"c{i}" for i in range(60)], 300), "x": rng.normal(size=300)})
    schema, rows, _ = describe_table(frame.assign(y=rng.normal(size=300)), "y")
    inputs = column_transformer(schema.columns).fit_transform(rows.X)
    assert inputs.shape[1] == 1 + 20
    assert count_inputs(schema.columns) == 21


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
    with pytest.raises(MissingCapability, match="machine='gp' does no regression: use one of lssvm, rvm, basis"):
        make_machine(MachineOptions("gp"), "regression", 5)
    with pytest.raises(MissingCapability, match="machine='basis' does no classification"):
        make_machine(MachineOptions("basis"), "classification", 5)
    with pytest.raises(InvalidArgument, match="prior='shrinkage' does not apply to machine='basis'"):
        make_machine(MachineOptions("basis", prior="shrinkage"), "regression", 5)
    with pytest.raises(InvalidArgument, match="Did you mean 'lssvm'"):
        make_machine(MachineOptions("lsvm"), "regression", 5)
