"""How a search ended is a code, and what to do about it follows from the code alone."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from kernelect import LSSVC, KernelRegressor
from kernelect.results import Status

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + 0.3 * RNG.normal(size=60) > 0).astype(int)


@pytest.mark.parametrize(
    ("outcome", "remedy"),
    [
        (Status.MAX_ITER, "raise max_iter to go on"),
        (Status.TIME_LIMIT, "raise time_limit to go on"),
        (Status.CERTAIN, "a smaller max_size"),
        (Status.FAILED, "another kernel"),
        (Status.DOUBTED, "n_restarts=5"),
    ],
)
def test_remedies_follow_from_the_code_and_not_from_words(outcome, remedy):
    model = LSSVC("rbf").fit(X, Y)
    model.selection_ = replace(model.selection_, outcome=outcome, ending="ended (max_iter) (time_limit) not finite")
    assert not model.selection_.converged
    with pytest.warns(ConvergenceWarning, match=remedy):
        model._warn()


def test_a_fit_that_reached_its_iterations_has_not_run_out_of_time():
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = LSSVC("ard", prior=None, max_iter=1).fit(X, Y)
    assert model.selection_.outcome is Status.MAX_ITER
    assert not model.short_of_time


def test_a_fit_without_time_says_so():
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        model = LSSVC("ard", time_limit=0).fit(X, Y)
    assert model.selection_.outcome is Status.TIME_LIMIT
    assert model.short_of_time


def test_a_door_without_time_for_its_candidates_says_so():
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        hurried = KernelRegressor("fast", time_limit=0).fit(X, X[:, 0])
    assert hurried.n_without_time > 0
    assert hurried.short_of_time
    assert not KernelRegressor("fast").fit(X, X[:, 0]).short_of_time
