from functools import partial

import numpy as np
import pytest
from scipy.special import erfcx, log_ndtr

from kernelect.exceptions import MissingCapability
from kernelect.export.evaluate import evaluate
from kernelect.export.graph import Const, Raw, reduced
from kernelect.export.heads import mixed_log_odds, softmax
from kernelect.export.program import ExportedColumn, Program
from kernelect.export.special import log_normal, log_sigmoid, log_sum, scaled_error
from kernelect.export.tracing import traced
from kernelect.machines.ep.likelihoods import Hinge, Probit, SquaredHinge

WIDE = np.concatenate([np.linspace(-40.0, 12.0, 4001), -np.logspace(1.0, 6.0, 50)])


def test_the_logarithm_of_the_normal_distribution_function():
    found, expected = log_normal(Const(WIDE)).values, log_ndtr(WIDE)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-14)


def test_logarithms_of_sums_and_sigmoids():
    a, b = WIDE, WIDE[::-1].copy()
    np.testing.assert_allclose(log_sum(Const(a), Const(b)).values, np.logaddexp(a, b), rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(log_sigmoid(Const(a)).values, -np.logaddexp(0.0, -a), rtol=1e-14, atol=1e-15)


def test_softmax_of_huge_values():
    np.testing.assert_allclose(softmax(Const(np.array([1e4, 1e4 - np.log(3.0), -1e4]))).values, [0.75, 0.25, 0.0])


@pytest.mark.parametrize("likelihood", [Probit(), Hinge(), SquaredHinge()], ids=lambda each: each.name)
def test_decision_values_of_likelihoods(likelihood):
    rng = np.random.default_rng(0)
    mean = np.concatenate([rng.normal(scale=scale, size=200) for scale in (0.1, 3.0, 50.0)])
    variance = np.exp(rng.uniform(-12.0, 6.0, size=600))
    for constant in (0.1, 3.0, 200.0):
        decision = partial(likelihood.decision, constant=constant)
        found = traced(decision, [Const(mean), Const(variance)], likelihood.name).values
        expected = likelihood.decision(mean, variance, constant)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_the_log_odds_of_a_mean_probability():
    log_odds = np.random.default_rng(0).normal(scale=20.0, size=(4, 50))
    found = mixed_log_odds([Const(each) for each in log_odds]).values
    mean = np.mean(1.0 / (1.0 + np.exp(-log_odds)), axis=0), np.mean(1.0 / (1.0 + np.exp(log_odds)), axis=0)
    np.testing.assert_allclose(found, np.log(mean[0]) - np.log(mean[1]), rtol=1e-11, atol=1e-12)


def test_the_scaled_error_function():
    u = np.concatenate([np.linspace(-5.0, 50.0, 1001), np.logspace(2.0, 6.0, 20)])
    np.testing.assert_allclose(scaled_error(Const(u)).values, erfcx(u), rtol=1e-12)


def test_a_likelihood_of_ones_own_is_exported_if_it_is_written_with_numpy():
    class Own(Hinge):
        def log_expectation(self, mean, variance, constant):
            return np.log1p(np.exp(constant * mean / (1.0 + variance)))

    class Other(Hinge):
        def log_expectation(self, mean, variance, constant):
            return np.sort(mean)

    inputs = [Raw((0,)), Raw((1,))]
    columns = tuple(ExportedColumn(name=name, place=j, kind="number") for j, name in enumerate("mv"))
    program = Program(columns=columns, result=traced(partial(Own().decision, constant=2.0), inputs, "Own"))
    rows = np.random.default_rng(0).uniform(0.1, 2.0, size=(20, 2))
    (found,) = evaluate(program, rows)
    np.testing.assert_allclose(found[:, 0], Own().decision(*rows.T, 2.0), rtol=1e-12)
    with pytest.raises(MissingCapability, match="Other has no form without Python: sort is not among the operations"):
        traced(partial(Other().decision, constant=2.0), inputs, "Other")


def test_operations_on_numbers_are_done_at_once():
    assert isinstance(reduced("sum", Const(np.ones(3)) * 2.0), Const)
