"""With many rows candidates race on a part of them: some leave, the others begin where they ended there."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from kernelect import KernelClassifier, KernelRegressor
from kernelect.kernels import Linear
from kernelect.mixture import Member, MixtureTask, fitting
from kernelect.mixture.kernel_machines import KernelMachine
from kernelect.model import Component, ForeignPart, KernelPart

N = 400
NOISE = np.sqrt(N) * np.linalg.qr(np.random.default_rng(0).normal(size=(N, 61)))[0]  # columns are orthogonal
TASK = SimpleNamespace(y=np.zeros(N), weights=np.ones(N), limits=None)


def member(errors, *, line=False):
    part = ForeignPart(machine=None, coefficients=np.ones((1, 1)), labels=False)
    if line:
        part = KernelPart(kernel=Linear(), vectors=np.zeros((1, 1)), coefficients=np.zeros((1, 1)))
    component = Component(parts=(part,), constant=np.zeros(1), left_out=errors[:, None])
    return Member(candidate=KernelMachine(), component=component, status="")


NOISE_MEMBER = member(NOISE[:, 0])


def places_that_stay(*members):
    staying = KernelRegressor()._staying(members, TASK)
    return [
        place for place, each in enumerate(members) if any(np.array_equal(each.left_out, s.left_out) for s in staying)
    ]


@pytest.mark.parametrize(("own", "stays"), [(12.0, True), (16.0, False)])
def test_a_member_leaves_if_the_loss_rises_by_half_a_per_cent_at_most(own, stays):
    """A member with independent errors of that size takes about 1 / own^2 off the mean square."""
    assert places_that_stay(NOISE_MEMBER, member(own * NOISE[:, 1])) == ([0, 1] if stays else [0])


def test_the_lightest_leave_first_and_their_losses_add_up():
    """Each of them alone could leave; together they may not."""
    others = [member(15.5 * NOISE[:, 1]), member(16.0 * NOISE[:, 2])]
    assert places_that_stay(NOISE_MEMBER, others[0]) == [0]
    assert places_that_stay(NOISE_MEMBER, *others) == [0, 1]


def test_the_first_one_and_a_straight_line_stay():
    bad, good, line = member(30.0 * NOISE[:, 1]), NOISE_MEMBER, member(40.0 * NOISE[:, 2], line=True)
    assert places_that_stay(bad, good, line) == [0, 1, 2]


@pytest.fixture
def small_race(monkeypatch):
    monkeypatch.setattr(fitting, "RACE_FROM", 300)
    monkeypatch.setattr(fitting, "RACE_ROWS", 150)


@pytest.mark.parametrize("labels", [False, True])
def test_who_left_and_when_is_told(small_race, labels):
    X, y = make_friedman1(320, n_features=6, noise=1.0, random_state=0)
    model = (KernelClassifier if labels else KernelRegressor)(random_state=0)
    table = model.fit(X, y > 14.0 if labels else y).candidates_.to_frame()
    left = table[table["status"] == "left after 150 rows"]
    assert 0 < len(left) < len(table)
    assert (left["weight"] == 0.0).all()
    assert (left["seconds"] > 0.0).all()
    assert left["score"].isna().all()
    assert {"forest", "lssvm"} <= set(table[~table["score"].isna()]["machine"])
    assert model.doubt() == ""


def test_those_that_stay_begin_where_they_ended_on_the_part(small_race, monkeypatch):
    begun, lead = [], KernelMachine.lead

    def watched(self, task):
        found = lead(self, task)
        if not self.tied:  # one width is also what the spread of residuals is asked by
            begun.append((task.n_rows, None if found is None else found.start))
        return found

    monkeypatch.setattr(KernelMachine, "lead", watched)
    X, y = make_friedman1(320, n_features=6, noise=1.0, random_state=0)
    model = KernelRegressor(random_state=0).fit(X, y)
    assert all((start is None) == (rows == 150) for rows, start in begun)
    assert model.members[0].n_evaluations < 12
    monkeypatch.setattr(fitting, "RACE_FROM", 1000)
    whole = KernelRegressor(random_state=0).fit(X, y)
    raced, usual = (np.std(y - each.loo_prediction_) for each in (model, whole))
    assert raced < 1.03 * usual


def task_of(n, **changes):
    X, y = make_friedman1(n, n_features=5, random_state=0)
    task = MixtureTask(views=None, Z=X, y=y, weights=np.ones(n), groups=None, labels=False)
    return replace(task, **changes)


def test_few_rows_groups_and_rare_classes_have_no_race():
    assert fitting.race_of(task_of(2499)) is None
    assert fitting.race_of(task_of(2500)).n_rows == 1000
    assert fitting.race_of(task_of(2500, groups=np.arange(2500) // 2)) is None
    rare, usual = ((np.arange(2500) < count).astype(int) for count in (5, 100))
    assert fitting.race_of(task_of(2500, y=rare, labels=True)) is None
    assert fitting.race_of(task_of(2500, y=usual, labels=True)).n_rows == 1000


def test_the_rows_of_a_race_do_not_depend_on_their_order():
    task, order = task_of(2600), np.random.default_rng(0).permutation(2600)
    other = replace(task, Z=task.Z[order], y=task.y[order])
    np.testing.assert_array_equal(fitting.race_of(task).Z, fitting.race_of(other).Z)
