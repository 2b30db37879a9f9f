"""The protocol of Gold & Sollich: starts, searches and what a cell keeps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from kernelect import SVC
from kernelect.criteria import LaplaceEvidence
from kernelect.datasets import twonorm
from kernelect.kernels import ARD, Constant
from kernelect.studies import read_study
from kernelect.studies.gold import (
    _searched,
    _space,
    _start,
    between_optima,
    gradients_on_the_way,
    random_start,
    search_from_start,
    two_on_the_way,
)
from kernelect.studies.splits import Problem
from oracles import svm as slow
from oracles.differences import gradient


@pytest.fixture(scope="module")
def problem():
    (X, y), (X_test, y_test) = (twonorm(n, n_features=3, random_state=k) for k, n in enumerate((40, 200)))
    return Problem(X=X, y=y, X_test=X_test, y_test=y_test)


def test_a_start_is_scaled_to_a_median_squared_distance_of_two(problem):
    start = random_start(problem.X, 3, _space(3, with_constant=True))
    scaled = problem.X * np.sqrt(2.0 * np.exp(start[1:4]))  # gamma = 1 / (2 l^2)
    squares = [np.sum((a - b) ** 2) for i, a in enumerate(scaled) for b in scaled[:i]]
    assert np.median(squares) == pytest.approx(2.0)
    assert 0.4 <= np.exp(start[-1]) <= 0.8


@pytest.mark.parametrize("name", ["le1", "le2", "gacv", "span", "span-walk", "ep", "ep-prior"])
def test_every_search_ends_at_a_machine_that_predicts(problem, name):
    method = read_study("gold2003").methods[name]
    figures = search_from_start(problem, method, None, 5)
    assert 0.0 <= figures["error"] <= 50.0
    assert figures["evaluations"] > 1
    assert ("mean_error" in figures) == name.startswith("ep")


def test_the_same_seed_is_the_same_cell(problem):
    method = read_study("gold2003").methods["gacv-walk"]
    first, again = (search_from_start(problem, method, None, 5) for _ in range(2))
    assert first["value"] == again["value"]


@pytest.mark.slow
def test_monte_carlo_keeps_its_way(problem):
    method = read_study("gold2003").methods["hmc"]
    method = replace(method, options={**method.options, "max_iter": 5})
    figures = search_from_start(problem, method, None, 5)
    path = figures["path"]
    assert len(path["theta"]) == len(path["error"]) == len(path["value"]) > 1
    assert figures["path_error"] == min(path["error"])


def test_derivatives_on_the_way_are_those_of_the_evidence(problem):
    """In logarithms of k0, l, koff and C; with expectation propagation, whose value is known as well as its slope."""
    method = read_study("gold2003").methods["hmc-equal"]
    exact = {"criterion": {"call": "kernelect.criteria.EPEvidence"}, "max_iter": 4}
    method = replace(method, options={**method.options, **exact})
    figures = gradients_on_the_way(problem, method, None, 5)
    path, (objective, _) = figures["path"], _searched(problem, method, 5)
    assert path["names"] == ["k0", "l[0]", "l[1]", "l[2]", "koff", "C"]
    for logarithms, slopes in zip(path["theta"], path["gradient"], strict=True):
        for place, slope in enumerate(slopes):
            values = []
            for step in (-1e-4, 1e-4):
                k0, *lengths, koff, C = np.exp(np.array(logarithms) + step * (np.arange(6) == place))
                theta = np.log([k0, *(0.5 / np.square(lengths)), koff, C])
                values.append(-objective.value(theta))
            assert (values[1] - values[0]) / 2e-4 == pytest.approx(slope, rel=1e-3, abs=1e-6)
    assert np.ptp(path["theta"][0][1:4]) == 0.0  # lengths begin equal
    steepest = np.abs(path["gradient"]).max(axis=0)
    assert figures["left"] == pytest.approx(np.median(np.abs(path["gradient"][-1]) / steepest))


@pytest.mark.parametrize("name", ["le1-way", "le2-way"])
def test_two_criteria_are_compared_at_the_points_that_a_walk_went_through(problem, name):
    method = read_study("gold2003").methods[name]
    figures = two_on_the_way(problem, method, None, 5)
    path = figures["path"]
    assert np.all(np.diff(path["value"]) < 0)  # a step that did not improve was not taken
    for number in (0, len(path["theta"]) - 1):
        theta = np.array(path["theta"][number])
        kernel = Constant(np.exp(theta[0])) * ARD(np.exp(theta[1:4])) + Constant(np.exp(theta[4]))
        slack = method.options["slack"]
        criterion = {"linear": "gacv", "quadratic": "span"}[slack]
        model = SVC(kernel, C=np.exp(theta[5]), slack=slack, criterion=criterion, predictor="svm", prior=None)
        model.fit(problem.X, problem.y)
        assert path["beside"][number] == pytest.approx(model.selection_.value, rel=1e-6)
        assert path["error"][number] == 100.0 * np.mean(model.predict(problem.X_test) != problem.y_test)
    assert figures["agreement"] == pytest.approx(spearmanr(path["value"], path["beside"]).statistic)
    assert figures["follows"] == pytest.approx(spearmanr(path["value"], path["error"]).statistic)
    first_words = [words.split()[0] for words in path["words"]]
    assert first_words == ["minus", {"linear": "generalised", "quadratic": "the"}[slack]]
    assert "error" not in figures  # a column of its own in no other table


def test_all_walks_of_the_paper_start_at_one_point_and_end_at_several(problem):
    method = read_study("gold2003").methods["le1-fixed"]
    ends = []
    for seed in (5, 6):
        objective, found = _searched(problem, method, seed)
        begun = found.trace.theta[0]
        assert np.exp(begun) == pytest.approx([1.0, 0.5, 0.5, 0.5, 0.1, 1.0])  # k0, 1 / (2 l^2), koff, C
        assert objective.kernel_at(begun).diagonal(problem.X)[0] == pytest.approx(1.1)
        ends.append(found.theta)
    assert not np.allclose(*ends)


def test_starts_differ_in_their_lengths_only(problem):
    space = _space(3, with_constant=True)
    starts = [_start(problem.X, 4, space, kind) for kind in ("scaled", "drawn", "equal")]
    for other in starts[1:]:
        np.testing.assert_array_equal(other[[0, 4, 5]], starts[0][[0, 4, 5]])
    scaled, drawn, equal = ((start[1:4] + np.log(2.0)) / -2.0 for start in starts)  # ln l
    assert np.ptp(scaled - drawn) == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_array_equal(equal, drawn[0])
    assert np.all((drawn > -1.0) & (drawn < 2.0))


def test_the_other_root_of_kappa_pays_for_a_large_constant(problem):
    """The constant of every row is e^(C/2) / 2 in the place of that of the largest root; both agree up to C = 1."""
    method = read_study("gold2003").methods["le2-zero"]
    objective, _ = _searched(problem, replace(method, options={**method.options, "max_iter": 1}), 5)
    right = replace(objective, criterion=LaplaceEvidence())
    for C in (0.5, 1.0, 3.0):
        theta = _start(problem.X, 5, objective.space, "fixed")
        theta[-1] = np.log(C)
        gained = right.value(theta) - objective.value(theta)
        assert gained == pytest.approx(0.5 * C - np.log(2.0) - np.log(slow.kappa(C, "quadratic")), abs=1e-7)
        assert (gained > 1e-3) == (C > 1.0)
    theta[1:4] = [-2.0, -1.0, -1.5]
    _, slope = objective.as_function(gradient=True)(theta)
    np.testing.assert_allclose(slope, gradient(objective.value, theta), atol=1e-5)


def test_final_parameters_are_those_of_the_point_found(problem):
    method = read_study("gold2003").methods["le2-fixed"]
    figures = search_from_start(problem, method, None, 5)
    theta = np.array(figures["theta"])
    assert (figures["k0"], figures["koff"], figures["C"]) == pytest.approx(tuple(np.exp(theta[[0, 4, 5]])))
    assert figures["length"] == pytest.approx((2.0 * np.exp(theta[1])) ** -0.5)
    assert figures["step_seconds"] == figures["fit_seconds"] / figures["evaluations"]
    assert "C" not in search_from_start(problem, read_study("gold2003").methods["span-fixed"], None, 5)


def test_the_line_between_two_optima_is_walked_from_end_to_end(problem):
    study = read_study("gold2003")
    needed = search_from_start(problem, study.methods["span-fixed"], None, 5)
    figures = between_optima(problem, study.methods["span-between"], needed, 5)
    objective, other = _searched(problem, study.methods["span-between"], 6)
    one = np.array(needed["theta"])
    values = [objective.value(one + share * (other.theta - one)) for share in np.linspace(0.0, 1.0, 21)]
    down = other.trace.value[0] - min(values[0], values[-1])
    assert figures["rise"] == pytest.approx(100.0 * (max(values[1:-1]) - max(values[0], values[-1])) / down)
    assert figures["better"] == 100.0 * (min(values[1:-1]) < min(values[0], values[-1]))
    assert figures["apart"] == pytest.approx(np.abs(one - other.theta).max())
    still = between_optima(problem, study.methods["span-between"], {"theta": other.theta.tolist()}, 5)
    assert still["rise"] == pytest.approx(0.0, abs=1e-6)
    assert still["apart"] == 0.0
