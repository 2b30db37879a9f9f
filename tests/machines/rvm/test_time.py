"""A relevance vector machine stops when its time is up, with a model; time is counted in looks at the clock."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from kernelect import RVC, RVR
from kernelect.criteria import RVMCrossValidation, RVMLeaveOneOut
from kernelect.datasets import twonorm
from kernelect.exceptions import OutOfTime
from kernelect.kernels import RBF
from kernelect.machines import RVM, Classical, Sequential
from kernelect.machines.rvm import sequential
from kernelect.numerics import Deadline
from kernelect.selection import Rows
from oracles.solutions import record


class Clock:
    """Every look at it takes a second."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


def deadline(looks):
    return Deadline(looks + 0.5, Clock())


PASSED = Deadline(0.0)


@pytest.fixture
def problem():
    X, y = twonorm(200, random_state=0)
    return RBF(0.3).gram(X), np.where(y > 0, 1.0, -1.0)[:, None], np.ones(200)


@pytest.mark.parametrize("regression", [False, True])
def test_a_fit_out_of_time_is_rough_but_better_than_a_constant(problem, regression, monkeypatch):
    gram, t, ones = problem
    runs, run = [], sequential._Run.__init__
    monkeypatch.setattr(sequential._Run, "__init__", lambda self, *parts: runs.append(self) or run(self, *parts))
    whole = RVM(regression).fit(gram, t, 1.0, ones)
    rough = RVM(regression).before(PASSED).fit(gram, t, 1.0, ones)
    assert runs[1].steps <= 8 + 2 < runs[0].steps  # a first batch, and a pair where there are few
    (fit,) = rough.fits
    assert np.all(np.isfinite(fit.posterior.weights))
    constant = RVM(regression).fit(np.zeros((200, 0)), t, 1.0, ones)
    assert constant.log_evidence < rough.log_evidence < whole.log_evidence
    assert np.mean(RVM().decide(rough, gram)[:, 0] * t[:, 0] > 0.0) > 0.8


def test_the_later_the_deadline_the_better_the_fit(problem):
    gram, t, ones = problem
    values = [RVM().before(deadline(looks)).fit(gram, t, 1.0, ones).log_evidence for looks in (0, 3, 1000)]
    assert values[0] < values[1] < values[2]
    assert values[2] == RVM().fit(gram, t, 1.0, ones).log_evidence


def test_the_classical_algorithm_stops_too(problem):
    gram, t, ones = problem
    whole = RVM(algorithm=Classical()).fit(gram, t, 1.0, ones).fits[0]
    rough = RVM(algorithm=Classical(deadline=PASSED)).fit(gram, t, 1.0, ones).fits[0]
    assert len(rough.active) > len(whole.active)
    assert np.all(np.isfinite(rough.posterior.weights))


def test_a_criterion_out_of_time_knows_the_parts_so_far(problem):
    gram, t, ones = problem
    criterion = RVMCrossValidation(parts=np.arange(200) % 5)
    whole = criterion.value(record(RVM(), gram, t, 1.0, ones, None)).pointwise
    found = criterion.value(record(RVM(algorithm=Sequential(deadline=PASSED)), gram, t, 1.0, ones, None))
    np.testing.assert_array_equal(np.isfinite(found.pointwise), np.arange(200) % 5 == 0)
    assert found.value == pytest.approx(np.mean(found.pointwise[::5]))
    assert np.all(np.isfinite(whole))
    odds = criterion.held_out_log_odds(record(RVM().before(PASSED), gram, t, 1.0, ones, None))
    np.testing.assert_array_equal(np.isfinite(odds[:, 0]), np.arange(200) % 5 == 0)


def test_leaving_one_out_ends_in_time(problem, monkeypatch):
    gram, t, ones = problem
    refits, loss = [], RVMLeaveOneOut._loss
    monkeypatch.setattr(RVMLeaveOneOut, "_loss", lambda *parts: refits.append(parts[-1]) or loss(*parts))
    machine = RVM()
    state = machine.fit(gram, t, 1.0, ones)
    RVMLeaveOneOut().value(record(machine, gram, t, 1.0, ones, state))
    everything = len(refits)
    refits.clear()
    found = RVMLeaveOneOut().value(record(machine.before(PASSED), gram, t, 1.0, ones, state))
    assert len(refits) == 1 < everything
    assert np.isfinite(found.value)


def test_a_value_cut_short_counts_only_where_there_is_no_other(problem):
    X, y = twonorm(120, random_state=0)
    rows = Rows(X=X, targets=np.where(y > 0, 1.0, -1.0)[:, None], weights=np.ones(120))
    begun = RVC("rbf")._problem(rows)
    theta = begun.space.start
    first = begun.before(PASSED)
    assert np.isfinite(first.value(theta))
    with pytest.raises(OutOfTime):
        first.value(theta + 1.0)
    assert first.value(theta) == first.value(theta)  # still known
    value, gradient = RVC("rbf", criterion="evidence")._problem(rows).before(PASSED)(theta)
    assert np.isfinite(value)
    assert np.all(np.isfinite(gradient))


@pytest.mark.parametrize("estimator", [RVC(), RVC(criterion="evidence"), RVC("rbf", criterion="loo")], ids=str)
def test_a_classifier_out_of_time_has_a_model(estimator):
    X, y = twonorm(150, random_state=0)
    with pytest.warns(ConvergenceWarning, match="time limit") as caught:
        model = estimator.set_params(time_limit=0.0).fit(X, y)
    assert len(caught) == 1
    assert model.selection_.n_evaluations <= 3
    assert np.isfinite(model.selection_.value)
    assert model.score(X, y) > 0.8
    assert np.all(np.isfinite(model.predict_proba(X)))


def test_three_classes_out_of_time_have_probabilities(rng):
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 2)) + 3.0 * np.eye(3)[y][:, :2]
    with pytest.warns(ConvergenceWarning, match="time limit"):
        model = RVC("rbf", time_limit=0.0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.score(X, y) > 0.6


def test_a_regressor_out_of_time_has_a_model(rng):
    X = rng.uniform(-2, 2, size=(120, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=120)
    with pytest.warns(ConvergenceWarning, match="time limit"):
        model = RVR(time_limit=0.0).fit(X, y)
    assert model.score(X, y) > 0.1  # the widths are those of the start
    assert model.selection_.n_evaluations <= 3
