"""With many rows candidates race on a part of them: some leave, the others begin where they ended there."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from kernelect import LSSVC, LSSVR, KernelClassifier, KernelRegressor
from kernelect.estimators import fit_led
from kernelect.kernels import RBF, Linear
from kernelect.mixture import Member, MixtureTask, fitting
from kernelect.mixture.boosting import BoostedTrees
from kernelect.mixture.forest import RandomForest
from kernelect.mixture.gaussian_processes import GaussianProcess
from kernelect.mixture.kernel_machines import KernelMachine
from kernelect.model import Component, ForeignPart, KernelPart
from kernelect.results import Reached
from kernelect.selection import Lead
from kernelect.selection.landmarks import fit as landmark_fit

N = 400
NOISE = np.sqrt(N) * np.linalg.qr(np.random.default_rng(0).normal(size=(N, 61)))[0]  # columns are orthogonal
TASK = SimpleNamespace(y=np.zeros(N), weights=np.ones(N), limits=None, Z=np.zeros((N, 3)), racing=1000)


def member(errors, *, line=False, candidate=None):
    part = ForeignPart(machine=None, coefficients=np.ones((1, 1)), labels=False)
    if line:
        part = KernelPart(kernel=Linear(), vectors=np.zeros((1, 1)), coefficients=np.zeros((1, 1)))
    component = Component(parts=(part,), constant=np.zeros(1), left_out=errors[:, None])
    return Member(candidate=candidate or KernelMachine(), component=component, status="")


NOISE_MEMBER = member(NOISE[:, 0])


def places_that_stay(*members, task=TASK):
    staying = KernelRegressor()._staying(members, task)
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


STEPS = KernelMachine(kernel="product-laplace")


@pytest.mark.parametrize(
    ("candidate", "apart", "stays"),
    [
        (KernelMachine(), 0.10, False),
        (STEPS, 0.10, True),
        (STEPS, 0.14, False),
        (RandomForest(), 0.14, True),
        (RandomForest(), 0.40, True),
        (RandomForest(), 4.00, False),
    ],
)
def test_what_gains_by_further_rows_stays_if_it_has_a_say(candidate, apart, stays):
    """Errors that are mostly those of the first member take less than half a per cent off its mean square.

    Their weight is about 0.02 / apart and a little for the penalty, their mean square 0.96 + apart. Trees stay while
    the weight is 4 % or more, steps while the mean square is at most 8 % larger as well.
    """
    errors = 0.98 * NOISE[:, 0] + np.sqrt(apart) * NOISE[:, 1]
    assert places_that_stay(NOISE_MEMBER, member(errors, candidate=candidate)) == ([0, 1] if stays else [0])


def test_of_two_with_the_same_kernel_the_better_one_stays():
    near, far = (0.98 * NOISE[:, 0] + np.sqrt(apart) * NOISE[:, k] for k, apart in ((1, 0.09), (2, 0.10)))
    members = NOISE_MEMBER, member(far, candidate=STEPS), member(near, candidate=STEPS)
    assert places_that_stay(*members) == [0, 2]


@pytest.mark.parametrize(("rows", "stays"), [(2000, True), (2001, False)])
def test_on_landmarks_steps_have_to_gain_what_others_do(rows, stays):
    errors = 0.98 * NOISE[:, 0] + np.sqrt(0.1) * NOISE[:, 1]
    task = SimpleNamespace(**{**vars(TASK), "racing": rows})
    assert places_that_stay(NOISE_MEMBER, member(errors, candidate=STEPS), task=task) == ([0, 1] if stays else [0])


def test_boosted_trees_leave_with_the_forest():
    boosted, forest = BoostedTrees(), RandomForest()
    assert boosted.stays([STEPS, forest], [forest])
    assert not boosted.stays([STEPS, forest], [STEPS])
    assert boosted.stays([STEPS], [STEPS])  # no forest took part


@pytest.fixture
def small_race(monkeypatch):
    monkeypatch.setattr(fitting, "RACE_FROM", 300)
    monkeypatch.setattr(fitting, "RACE_SHARE", 1.0)
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
    assert "lssvm" in set(table[~table["score"].isna()]["machine"])
    assert model.doubt() == ""


def test_who_left_with_another_is_told(monkeypatch):
    X, y = make_friedman1(1000, n_features=5, random_state=0)
    model = KernelRegressor(["lssvm", "forest", "boosting"], random_state=0).fit(X, y)
    table = model.candidates_.to_frame().set_index("machine")
    assert table.loc["forest", "status"] == "left after 400 rows"
    assert table.loc["boosting", "status"] == "left after 400 rows, with the forest"
    assert model.doubt() == ""
    assert model.n_without_time == 0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_who_had_no_time_in_the_race_has_not_left(small_race, monkeypatch):
    members = fitting._Fitting.members
    monkeypatch.setattr(
        fitting._Fitting,
        "members",
        lambda self, candidates: members(self, candidates[:2] if self.task.racing else candidates),
    )
    X, y = make_friedman1(320, n_features=6, noise=1.0, random_state=0)
    model = KernelRegressor(random_state=0, time_limit=100.0).fit(X, y)
    told = [status for status in model.candidates_.status if status.startswith("not fitted")]
    assert model.n_without_time == len(told) > 2
    assert f"{len(told)} of" in model.doubt()


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


def races_of(n, **changes):
    return list(fitting.races_of(task_of(n, **changes)))


def test_few_rows_groups_and_rare_classes_have_no_race():
    assert not races_of(699)
    assert [part.n_rows for n in (700, 1499, 2500) for part in races_of(n)] == [280, 599, 600]
    assert races_of(2500)[0].racing == 2500
    assert not races_of(2500, groups=np.arange(2500) // 2)
    rare, usual = ((np.arange(2500) < count).astype(int) for count in (3, 100))
    assert not races_of(2500, y=rare, labels=True)
    assert [part.n_rows for part in races_of(2500, y=usual, labels=True)] == [600]


def test_many_rows_have_a_second_race():
    assert [part.n_rows for part in races_of(5999)] == [600]
    assert [(part.n_rows, part.racing) for part in races_of(6000)] == [(600, 6000), (3000, 6000)]


def test_labels_with_an_order_have_no_race():
    grades = np.arange(900) % 3
    assert races_of(900, y=grades, labels=True)
    assert not races_of(900, y=grades, labels=True, ordered=True)


@pytest.mark.parametrize(("first", "again"), [(3, True), (2, False)])
def test_those_that_stay_race_again(monkeypatch, first, again):
    """The second race begins where the first one ended; who leaves there is told with its rows.

    If two are left, it would decide nothing.
    """
    monkeypatch.setattr(fitting, "RACE_FROM", 300)
    monkeypatch.setattr(fitting, "SECOND_FROM", 400)
    monkeypatch.setattr(fitting, "SECOND_ROWS", 300)
    X, y = make_friedman1(500, n_features=6, noise=1.0, random_state=0)
    stay = {200: first, 300: 2}
    monkeypatch.setattr(KernelRegressor, "_staying", lambda _, members, task: members[: stay[len(task.Z)]])
    begun, lead = [], KernelMachine.lead

    def watched(self, task):
        if not self.tied:
            begun.append((task.n_rows, task.begun is not None))
        return lead(self, task)

    monkeypatch.setattr(KernelMachine, "lead", watched)
    model = KernelRegressor(random_state=0).fit(X, y)
    told = model.candidates_.to_frame()["status"]
    assert (told == "left after 300 rows").sum() == again
    assert any(rows == 300 for rows, _ in begun) == again
    assert (told == "left after 200 rows").sum() > 1
    assert all(after == (rows > 200) for rows, after in begun)


def test_a_race_has_few_landmarks_and_all_rows_as_many_as_they_need():
    for rows, racing, landmarks in (3000, 9000, 250), (2000, 9000, "auto"), (3000, 0, "auto"):
        task = task_of(rows, racing=racing)
        assert KernelMachine()._estimator("rbf", task).landmarks == landmarks


@pytest.mark.parametrize(("estimator", "counts"), [(LSSVC, (250, 250)), (LSSVR, (250, 300))])
def test_labels_go_on_with_few_landmarks_where_a_part_of_the_rows_led(estimator, counts, monkeypatch):
    """For numbers more of them decide: without noise the steps would end at kernels that are too smooth."""
    X, y = make_friedman1(320, n_features=5, random_state=0)
    y = y > np.median(y) if estimator is LSSVC else y
    asked, stages = [], landmark_fit.landmark_stages
    monkeypatch.setattr(
        landmark_fit, "landmark_stages", lambda few, more, *rest: asked.append((few, more)) or stages(few, more, *rest)
    )
    for start in Reached(theta=np.zeros(2), rows=100), None:
        lead = Lead(shape=np.zeros(1), max_iter=1, last_steps=1, start=start)
        fit_led(estimator(RBF(), landmarks=300, random_state=0), X, y, None, None, lead=lead)
    assert asked == [counts, (250, 300)]


def test_a_race_goes_further_than_its_last_steps_on_all_rows():
    few, leader = task_of(60), Member(candidate=KernelMachine(), component=None, status="", shape=np.zeros(5))
    following = replace(few, leader=leader)
    raced = replace(leader, reached=Reached(theta=np.zeros(6), rows=30))
    for candidate in KernelMachine(), GaussianProcess():
        usual, racing = (candidate.lead(replace(following, racing=rows)).last_steps for rows in (0, 150))
        after = candidate.lead(replace(following, begun=raced))
        assert after.start is raced.reached
        assert after.last_steps < usual < racing
        many = candidate.lead(replace(following, begun=raced, weights=np.ones(2001), Z=np.zeros((2001, 5))))
        assert usual < many.last_steps < racing
        raced_on_many = replace(leader, reached=Reached(theta=np.zeros(6), rows=2001))
        again = replace(following, begun=raced_on_many, weights=np.ones(2001), Z=np.zeros((2001, 5)))
        assert candidate.lead(again).last_steps == after.last_steps
    assert candidate.lead(replace(few, racing=150)).whole_way
    assert candidate.lead(few) is None


def test_the_rows_of_a_race_do_not_depend_on_their_order():
    task, order = task_of(2600), np.random.default_rng(0).permutation(2600)
    other = replace(task, Z=task.Z[order], y=task.y[order])
    np.testing.assert_array_equal(*(next(fitting.races_of(each)).Z for each in (task, other)))
