"""The order of the rows: a doubt where it tells something, none where rows could be shuffled."""

import re

import numpy as np
import pandas as pd
import pytest

from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table


def codes(frame, machine="lssvm", folds=0, **how):
    schema, rows, _ = describe_table(frame, "y", **how)
    options = MachineOptions(machine, effort="fast") if machine == "auto" else MachineOptions(machine, kernel="rbf")
    model = fit_table(rows, schema, options, FoldOptions(folds=folds))
    return {doubt["code"]: doubt["sentence"] for doubt in model.facts["doubts"]}


@pytest.fixture(scope="module")
def drifting():
    """A level that drifts, and a clock that a machine can read between the rows but not beyond them."""
    rng = np.random.default_rng(0)
    t = np.arange(200) + rng.uniform(size=200)
    level = np.cumsum(rng.normal(size=200))
    return pd.DataFrame({"clock": t, "x": rng.normal(size=200), "y": level + 0.3 * rng.normal(size=200)})


@pytest.mark.parametrize("machine", ["lssvm", "auto"])
def test_drift_is_doubted(drifting, machine):
    said = codes(drifting, machine)["order"]
    assert "The table is sorted by clock." in said
    # A factor: a member of a mixture has a unit of its own.
    assert re.search(r"as one block, their RMSE is \d+ % larger than if left out at random", said)
    shuffled = drifting.sample(frac=1.0, random_state=1, ignore_index=True)
    assert "order" not in codes(shuffled, machine)
    assert "order" not in codes(drifting, machine, time="clock")


def test_labels_that_last(drifting):
    rng = np.random.default_rng(3)
    spells = np.repeat(rng.normal(size=20), 10) + 0.3 * rng.normal(size=200)
    labels = drifting.assign(y=np.where(spells > 0, "up", "down"))
    assert "their error is" in codes(labels)["order"]
    assert "order" not in codes(labels.drop(columns="clock").sample(frac=1.0, random_state=1, ignore_index=True))


def test_a_table_sorted_by_its_target_is_not_doubted():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"a": rng.normal(size=150), "b": rng.normal(size=150)})
    target = frame["a"] + 0.5 * rng.normal(size=150)
    assert "order" not in codes(frame.assign(y=target).sort_values("y"))
    assert "order" not in codes(frame.assign(y=np.where(target > 0, "up", "down")).sort_values("y"))


@pytest.mark.parametrize("labels", [True, False])
def test_machines_without_closed_forms_are_judged_by_residuals_of_neighbours(labels):
    rng = np.random.default_rng(4)
    spells = np.repeat(rng.normal(size=20), 10)
    y = spells + 0.5 * rng.normal(size=200)
    frame = pd.DataFrame({"x": rng.normal(size=200), "y": np.where(y > 0, "up", "down") if labels else y})
    machine = "gp" if labels else "rvm"
    assert "a correlation of" in codes(frame, machine, folds=2)["order"]
    assert "order" not in codes(frame.sample(frac=1.0, random_state=1, ignore_index=True), machine, folds=2)
