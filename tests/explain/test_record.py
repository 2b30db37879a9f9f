"""The record of an explanation: frames, rows, outputs, shap."""

import sys

import numpy as np
import pandas as pd
import pytest

from kernelect import LSSVC, LSSVR
from kernelect.exceptions import InvalidArgument, MissingExtra
from kernelect.explain import shapley_values
from kernelect.kernels import RBF


@pytest.fixture(scope="module")
def frame():
    return pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=["a", "b", "c"])


@pytest.fixture(scope="module")
def two(frame):
    model = LSSVC(RBF(0.3), regularization=0.1).fit(frame, np.where(frame["a"] > 0, "up", "down"))
    return shapley_values(model, frame[:5], interactions=True)


@pytest.fixture(scope="module")
def three(frame):
    model = LSSVC(RBF(0.3), regularization=0.1).fit(frame, np.digitize(frame["a"], [-0.5, 0.5]))
    return shapley_values(model, frame[:5], interactions=True)


def test_rows_are_chosen_as_from_an_array(two):
    assert len(two) == 5
    assert two.shape == (5, 3)
    for rows, count in ((1, 1), (slice(1, 3), 2), ([0, 4], 2), (np.array([True, False, True, False, False]), 2)):
        part = two[rows]
        assert len(part) == count
        assert part.data.shape == part.values.shape == (count, 3)
        assert part.base_values.shape == (count,)
        assert part.interactions.shape == (count, 3, 3)
    np.testing.assert_array_equal(two[1].values[0], two.values[1])


def test_one_output_of_several(three):
    part = three.of_output(2)
    np.testing.assert_array_equal(part.values, three.values[:, :, 2])
    np.testing.assert_array_equal(part.base_values, three.base_values[:, 2])
    np.testing.assert_array_equal(part.interactions, three.interactions[..., 2])
    assert part.data.shape == (5, 3)
    assert part.output_names == (2,)
    with pytest.raises(InvalidArgument, match=r"output='up' is not known: choose one of \[0, 1, 2\]"):
        three.of_output("up")


def test_the_only_output_is_itself(two):
    assert two.of_output("up") is two


def test_interactions_sum_to_the_values(three):
    np.testing.assert_allclose(three.interactions.sum(axis=2), three.values, atol=1e-12)
    np.testing.assert_array_equal(three.interactions, three.interactions.transpose(0, 2, 1, 3))


def test_a_frame_has_a_line_for_every_cell(two, three, frame):
    lines = two.to_frame()
    assert list(lines.columns) == ["row", "feature", "data", "value"]
    assert len(lines) == 15
    line = lines[(lines["row"] == 3) & (lines["feature"] == "b")].iloc[0]
    assert line["value"] == two.values[3, 1]
    assert line["data"] == frame["b"][3]
    lines = three.to_frame()
    assert len(lines) == 45
    line = lines[(lines["row"] == 3) & (lines["feature"] == "b") & (lines["output"] == 2)].iloc[0]
    assert line["value"] == three.values[3, 1, 2]
    assert line["data"] == frame["b"][3]


def test_a_frame_of_an_estimate_has_errors(frame):
    model = LSSVR(RBF(0.3), regularization=0.1).fit(frame, frame["a"])
    found = shapley_values(model, frame[:5], method="permutation", n_permutations=3)
    lines = found.to_frame()
    assert lines["standard_error"][4] == found.standard_errors[1, 1]


def test_without_pandas_or_shap_the_message_tells_what_to_install(two, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match=r"pip install 'kernelect\[frames\]'"):
        two.to_frame()
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(MissingExtra, match=r"pip install 'kernelect\[shap\]'"):
        two.to_shap()
