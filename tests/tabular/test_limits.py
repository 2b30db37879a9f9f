"""Limits among the cells of a target: read, kept by the machine that takes them, and left out of scores."""

import numpy as np
import pandas as pd
import pytest

from kernelect.tabular import FoldOptions, MachineOptions, describe_table, fit_table

REMARK = "cells that only give a limit. The mixture and --machine gp take them for what they say"


def assay(n=120, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.0, 3.0, size=n)
    truth = 2.0 - x
    value = truth + 0.1 * rng.normal(size=n)
    texts = [f"{each:.3f}" if each > 0.0 else "<0" for each in value]
    return pd.DataFrame({"x": x, "other": rng.normal(size=n), "y": texts}), truth, value


def test_limits_are_kept_beside_the_numbers():
    frame, _, value = assay()
    frame.loc[3, "y"], frame.loc[5, "y"] = ">= 1.5", None
    _, rows, remarks = describe_table(frame, "y")
    places = rows.places
    below = np.array([text == "<0" for text in frame["y"][places]])
    np.testing.assert_array_equal(np.isneginf(rows.limits[:, 0]), below)
    np.testing.assert_array_equal(rows.limits[below, 1], 0.0)
    row = int(np.flatnonzero(places == 3)[0])
    assert rows.limits[row].tolist() == [1.5, np.inf]
    plain = ~below & (places != 3)
    np.testing.assert_allclose(rows.limits[plain, 0], np.round(value[places][plain], 3))
    np.testing.assert_array_equal(rows.limits[plain, 0], rows.limits[plain, 1])
    assert any(REMARK in each for each in remarks)


def test_a_target_of_numbers_has_no_limits():
    frame, _, value = assay()
    _, rows, remarks = describe_table(frame.assign(y=value), "y")
    assert rows.limits is None
    assert not any("limit" in each for each in remarks)


def test_the_gaussian_process_and_the_mixture_take_limits_for_what_they_say():
    frame, truth, _ = assay()
    schema, rows, _ = describe_table(frame, "y")
    below = np.isneginf(rows.limits[:, 0])
    errors = []
    for options in (MachineOptions("gp", kernel="rbf"), MachineOptions(effort="fast"), MachineOptions("lssvm")):
        model = fit_table(rows, schema, options, FoldOptions(3))
        errors.append(np.sqrt(np.mean((model.predict(rows.X) - truth)[below] ** 2)))
        # Scores are those of numbers: with limits among them, the error of a perfect model would be as large as theirs.
        assert model.assessment.outer_folds.score("RMSE").value < 0.2
    assert max(errors[:2]) < 0.5 * errors[2]


def test_scores_leave_limits_out():
    frame, _, _ = assay()
    schema, rows, _ = describe_table(frame, "y")
    model = fit_table(rows, schema, MachineOptions("gp", kernel="rbf"), FoldOptions(3))
    estimate, known = model.assessment.outer_folds, np.isfinite(rows.limits).all(axis=1)
    np.testing.assert_array_equal(estimate.rows, np.flatnonzero(known))
    assert set(estimate.limited[:, 2]) == set(np.where(np.isinf(rows.limits[~known, 0]), -1.0, 1.0))
    np.testing.assert_array_equal(estimate.limited[:, 1], rows.y[~known])
    squares = (rows.y.to_numpy()[known] - estimate.prediction) ** 2
    assert estimate.score("RMSE").value == pytest.approx(np.sqrt(squares.mean()), rel=1e-9)
