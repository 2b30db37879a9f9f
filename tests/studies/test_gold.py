"""The protocol of Gold & Sollich: starts, searches and what a cell keeps."""

from __future__ import annotations

import numpy as np
import pytest

from kernelect.datasets import twonorm
from kernelect.studies import read_study
from kernelect.studies.gold import _space, random_start, search_from_start
from kernelect.studies.splits import Problem


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
    from dataclasses import replace

    method = read_study("gold2003").methods["hmc"]
    method = replace(method, options={**method.options, "max_iter": 5})
    figures = search_from_start(problem, method, None, 5)
    path = figures["path"]
    assert len(path["theta"]) == len(path["error"]) == len(path["value"]) > 1
    assert figures["path_error"] == min(path["error"])
