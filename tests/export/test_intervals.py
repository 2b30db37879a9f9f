"""Intervals of exported models: those of Python, along a spread that differs, and never below 0 for counts."""

from functools import cache
from shutil import which

import numpy as np
import pytest
from scipy.stats import norm

from kernelect import LSSVR, KernelRegressor
from kernelect.exceptions import InvalidArgument, MissingCapability
from kernelect.export import to_javascript
from kernelect.export.evaluate import evaluate
from kernelect.export.models import program_of
from oracles.exported import model, rows_for
from oracles.intervals import jackknife_interval
from oracles.scripts import run_script

needs_node = pytest.mark.skipif(which("node") is None, reason="there is no node")


def rows_and_targets(target):
    rng = np.random.default_rng(3)
    X = rng.uniform(-1.0, 1.0, size=(160, 2))
    noise = np.exp(1.5 * X[:, 1]) * rng.normal(size=160)
    if target == "identity":
        return X, 2.0 * X[:, 0] + 0.3 * noise
    if target == "log":
        return X, np.exp(X[:, 0] + 0.3 * noise)
    return X, rng.poisson(np.exp(1.0 + X[:, 0])).astype(float)


@cache
def door(target):
    return KernelRegressor("fast", target=target, random_state=0).fit(*rows_and_targets(target))


def python_ends(fitted, rows):
    """Return the ends by the slow definition, on the target's own scale."""
    record, head = fitted.model_, fitted.model_.numbers
    Z, targets = record.inputs(rows), fitted.target_scale_.forward(rows_and_targets_of(fitted))
    middle, noise = head.on_scale(record.answers(Z))[:, 0], head.noise
    residuals = targets - np.tensordot(head.weights, [each.left_out[:, 0] for each in record.components], 1)
    spreads = np.ones(len(targets)) if noise is None else noise.rows[:, 0]
    here = np.ones(len(rows)) if noise is None else noise(Z)[:, 0]
    ends = np.array([jackknife_interval(f, residuals, spreads, s, 0.9) for f, s in zip(middle, here, strict=True)])
    return np.column_stack(head.ends(*(end[:, None] for end in ends.T)))


def rows_and_targets_of(fitted):
    return rows_and_targets(fitted.target)[1]


@needs_node
@pytest.mark.parametrize("target", ["identity", "log", "count"])
def test_a_mixture_in_javascript_has_the_interval_of_python(target):
    fitted, rows = door(target), np.random.default_rng(4).uniform(-1.2, 1.2, size=(40, 2))
    found = run_script(to_javascript(fitted, interval=0.9, packed=True), rows.tolist())
    ends = np.array([each["interval"] for each in found])
    np.testing.assert_allclose(ends, python_ends(fitted, rows), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.ravel([each["values"] for each in found]), fitted.predict(rows), rtol=1e-9)
    exact = np.column_stack(fitted.predict_interval(rows))
    away = np.abs(ends - exact).mean(axis=1) / (exact[:, 1] - exact[:, 0])
    assert away.mean() < (0.02 if target != "count" else 0.15)  # counts are whole: one more is a lot
    if target == "count":
        assert ends.min() >= 0.0
        assert np.all(ends % 1.0 == 0.0)


def test_the_ends_follow_a_spread_that_differs():
    fitted = door("identity")
    assert fitted.spread_differs
    rows = np.array([[0.0, -0.8], [0.0, 0.8]])
    program = program_of(fitted, 0.9)
    ends = evaluate(program.with_outputs([program.ends]), rows)[-1]
    widths = ends[:, 1] - ends[:, 0]
    assert widths[1] > 3.0 * widths[0]
    assert program.count() > program_of(fitted).count()


@needs_node
@pytest.mark.parametrize("name", ["LSSVR", "RVR", "BasisSearchRegressor"])
def test_single_machines(name):
    fitted, rows = model(name), rows_for(name)
    found = run_script(to_javascript(fitted, interval=0.8), rows.tolist())
    ends = np.array([each["interval"] for each in found])
    middle, deviation = fitted.predict(rows, return_std=True)
    if name == "LSSVR":
        residuals = fitted.model_.jackknife.residuals[:, 0]
        ones = np.ones(len(residuals))
        expected = np.array([jackknife_interval(f, residuals, ones, 1.0, 0.8) for f in middle])
    else:
        reach = norm.ppf(0.9) * deviation
        expected = np.column_stack([middle - reach, middle + reach])
    np.testing.assert_allclose(ends, expected, rtol=1e-9, atol=1e-9)


def test_what_has_no_interval_says_so():
    with pytest.raises(InvalidArgument, match=r"interval=90 must be a number between 0 and 1, such as 0\.9"):
        to_javascript(model("LSSVR"), interval=90)
    with pytest.raises(
        MissingCapability, match="A model of labels has no intervals that could be exported: leave interval= out"
    ):
        to_javascript(model("LSSVC"), interval=0.9)
    with pytest.raises(MissingCapability, match="interval= is for one target, and this model predicts 2"):
        to_javascript(model("LSSVR, two targets"), interval=0.9)


def test_too_few_rows_have_an_interval_without_ends():
    X = np.arange(6.0)[:, None]
    program = program_of(LSSVR(regularization=0.1).fit(X, X[:, 0]), 0.9)
    ends = evaluate(program.with_outputs([program.ends]), X)[-1]
    assert np.isinf(ends).all()
