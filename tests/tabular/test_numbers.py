"""Targets of numbers: counts, rows far off, and spreads that differ."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from kernelect import LSSVR
from kernelect.exceptions import UnusableTable
from kernelect.facts import Assessment, Estimate, Judge
from kernelect.facts.doubts import ModelEvidence, doubts_of, examine
from kernelect.facts.quality import describe_quality
from kernelect.facts.rules.residuals import Coverage, UnequalSpread
from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table
from kernelect.tabular.assessing import _why_folds_differ
from kernelect.tabular.columns_file import known_of
from kernelect.tabular.usable import find_task


def fitted(frame, machine="lssvm", **how):
    schema, rows, _ = describe_table(frame, "y", **how)
    options = MachineOptions(machine, effort="fast") if machine == "auto" else MachineOptions(machine, kernel="rbf")
    return fit_table(rows, schema, options, FoldOptions(folds=0))


def codes(model):
    return {doubt["code"]: doubt for doubt in model.facts["doubts"]}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_counts_are_guessed(rng):
    visits = pd.Series(rng.poisson(1.5, 200))
    assert find_task(visits)[0] == "count"
    assert "from 0 to" in find_task(visits)[1]
    assert find_task(pd.Series(rng.poisson(np.exp(rng.normal(1.0, 1.0, 300)))))[0] == "count"


@pytest.mark.parametrize(
    "target",
    [
        np.tile(np.arange(10), 20),  # digits
        np.tile([0, 1, 2], 50),  # codes
        np.repeat([1, 2, 3, 4, 5], [40, 30, 20, 10, 5]),  # grades begin with 1
        np.repeat([0, 1, 3, 7], [40, 30, 20, 10]),  # codes with gaps
    ],
)
def test_codes_of_classes_are_no_counts(target):
    assert find_task(pd.Series(target))[0] == "classification"


def test_a_count_is_modelled_as_one(rng):
    frame = pd.DataFrame({"x": rng.normal(size=120), "z": rng.normal(size=120)})
    frame["y"] = rng.poisson(np.exp(0.5 + frame["x"]))
    model = fitted(frame, "auto", task="count")
    assert model.model.numbers.scale.name in ("sqrt", "log1p")
    assert model.schema.task == "regression"
    assert known_of(model.schema, "y.toml").task == "count"
    assert any("The target is modelled by" in remark for remark in model.remarks)
    with pytest.raises(UnusableTable, match=r"--task count: the target 'y' has -1 in one row"):
        describe_table(frame.assign(y=np.where(frame["y"] == 0, -1, frame["y"])), "y", task="count")


def test_a_row_far_off_is_named(rng):
    frame = pd.DataFrame({"x": rng.normal(size=100)})
    frame["y"] = frame["x"] + 0.3 * rng.normal(size=100)
    assert "far-off" not in codes(fitted(frame))
    frame.loc[41, "y"] = 30.0
    assert codes(fitted(frame))["far-off"]["sentence"].startswith("Row 42 is far off: predicted ")
    frame.loc[[0, 7, 90], "y"] = np.nan  # rows that are left out keep their numbers
    assert codes(fitted(frame))["far-off"]["sentence"].startswith("Row 42 is far off: predicted ")


def test_a_miss_is_seen_in_its_figures_and_a_negligible_one_is_no_doubt(rng):
    x = np.linspace(0.0, 1.0, 60)
    observed = 5740.0 + 10.0 * x
    predicted = observed + 1e-6 * rng.normal(size=60)
    for off, doubted in ((0.4, True), (0.02, False)):  # the standard deviation is 2.9
        predicted[30] = observed[30] - off
        left_out = Judge(observed).of_rows("leave-one-out", predicted)
        found = Assessment(classes=None, leave_one_out=left_out, outer_folds=None, baseline=Judge(observed).baseline())
        facts = {"quality": describe_quality(found, "regression"), "influence": [], "calibration": None}
        facts |= {
            "data": {"rows": 60, "inputs": 1, "classes": None},
            "machine": {"outcome": "CONVERGED", "converged": True, "parameters": []},
        }
        doubts = {one["code"]: one["sentence"] for one in doubts_of(examine(ModelEvidence(facts, found)))}
        assert ("far-off" in doubts) is doubted
        if doubted:
            assert doubts["far-off"].startswith("Row 31 is far off: predicted 5\u202f744.7, observed 5\u202f745.1.")


def test_a_spread_that_differs_is_told(rng):
    x = rng.uniform(size=200)
    frame = pd.DataFrame({"x": x, "y": 5.0 * x + x * rng.normal(size=200)})
    found = codes(fitted(frame))["spread"]
    assert found["sentence"].startswith("The spread differs: predictions are off by")
    assert "machine auto lets them follow the spread" in found["advice"]
    assert "--time-limit" in UnequalSpread().words({"lower": 1.0, "upper": 2.0, "mixture": True}).advice
    model = fitted(frame, "auto")
    assert "spread" not in codes(model)
    assert any("intervals follow it" in remark for remark in model.remarks)
    assert "spread" not in codes(fitted(frame.assign(y=5.0 * x + rng.normal(size=200))))


def test_intervals_that_held_too_little_are_told(rng):
    frame = pd.DataFrame({"x": rng.normal(size=100)})
    frame["y"] = frame["x"] + 0.3 * rng.normal(size=100)
    model = fitted(frame)
    assert "coverage" not in codes(model)
    source = model.assessment.leave_one_out
    middle = source.interval.mean(axis=1, keepdims=True)
    narrow = replace(model.assessment, leave_one_out=replace(source, interval=0.5 * (source.interval + middle)))
    evidence = ModelEvidence(model.facts, narrow, None)
    (doubt,) = [one for one in doubts_of(examine(evidence)) if one["code"] == "coverage"]
    held = round(100 * narrow.leave_one_out.held())
    assert f"made to hold 90 % of the rows, they held {held} % of those left out (leave-one-out)" in doubt["sentence"]


def test_forward_folds_that_differ_have_another_reason(rng):
    frame = pd.DataFrame({"x": rng.normal(size=60), "t": np.arange(60)})
    schema, _, _ = describe_table(frame.assign(y=frame["x"]), "y", time="t")
    assert "the first ones have few rows to learn from" in _why_folds_differ(None, schema)


@pytest.mark.parametrize(("held", "doubted"), [(811, True), (829, False)])
def test_intervals_of_many_rows_may_hold_a_little_less_than_asked_for(held, doubted):
    """A thousand rows tell 83 % from 90 % for sure, but so small a lack is not worth a doubt."""
    predicted = np.linspace(-1.0, 1.0, 1000)
    observed = predicted + np.tile([0.1, -0.1], 500)
    ends = observed[:, None] + [-1.0, 1.0] + np.where(np.arange(1000) < held, 0.0, 5.0)[:, None]
    source = Estimate(name="folds", scores=(), y_true=observed, prediction=predicted, interval=ends)
    assessment = Assessment(classes=None, leave_one_out=None, outer_folds=source, baseline=source)
    assert (Coverage().look(ModelEvidence({}, assessment, LSSVR())) is not None) == doubted
