"""Candidates are objects: a new one is one class, judged, weighed and displayed like all others."""

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_friedman1
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from kernelect import KernelClassifier, KernelRegressor
from kernelect.exceptions import InvalidArgument
from kernelect.facts.mixtures import describe_mixture
from kernelect.kernels import RBF
from kernelect.mixture import CANDIDATES, EFFORTS, Member, MixtureCandidate, kernel_machines
from kernelect.mixture.filled import Filled
from kernelect.mixture.gaussian_processes import GaussianProcess
from kernelect.mixture.kernel_machines import EVIDENCE_ROWS, EVIDENCE_ROWS_OF_LABELS, KernelMachine


@dataclass(frozen=True)
class Neighbours(MixtureCandidate):
    """The mean of the nearest rows."""

    count: int = 5

    machine: ClassVar[str] = "neighbours"
    kernel = "nearest rows"

    def fit(self, task):
        V = task.view(self)
        machine = (KNeighborsClassifier if task.labels else KNeighborsRegressor)(self.count).fit(V, task.y)
        targets = np.eye(task.n_classes)[task.y] if task.labels else task.y.reshape(len(V), -1)
        left_out = targets[machine.kneighbors(return_distance=False)].mean(axis=1)
        return Member(candidate=self, component=task.judged(self, machine, left_out), status=f"{self.count} neighbours")


@pytest.fixture(scope="module")
def numbers():
    X, y = make_friedman1(60, n_features=5, noise=1.0, random_state=0)
    return KernelRegressor([*EFFORTS["fast"], Neighbours()], target="identity").fit(X, y), X, y


def test_a_new_member_is_displayed_as_what_it_is(numbers):
    model, _, y = numbers
    table = model.candidates_.to_frame()
    row = table[table["machine"] == "neighbours"].iloc[0]
    assert (row["view"], row["kernel"], row["status"]) == ("as it is", "nearest rows", "5 neighbours")
    assert row["weight"] > 0.0
    assert row["score"] > 0.0
    facts = describe_mixture(model, y)
    assert "neighbours, nearest rows, raw values" in {one["name"] for one in facts["candidates"]}
    assert facts["effort"] == "its own list of candidates"


def test_left_out_values_of_a_new_member_are_those_of_refits(numbers):
    model, X, y = numbers
    member = model.members[-1]
    for row in (0, 31):
        rest = np.arange(60) != row
        Z = model.model_.inputs(X)  # the columns, perhaps in another unit
        alone = KNeighborsRegressor(5).fit(Z[rest], y[rest]).predict(Z[[row]])
        np.testing.assert_allclose(member.left_out[row], alone)


def test_a_machine_that_only_predicts_has_deviations_and_intervals(numbers):
    model, X, y = numbers
    judged, V = model.members[-1].component, model.model_.inputs(X)[:4]
    residuals = y - model.members[-1].left_out[:, 0]
    mean, found = judged.mean(V), judged.spread
    np.testing.assert_allclose(found.deviation(judged, V), np.full((4, 1), np.sqrt(np.mean(residuals**2))))
    np.testing.assert_allclose(found.residuals[:, 0], residuals[found.rows])
    np.testing.assert_allclose(next(found.without(judged, [V])), np.tile(mean, (60, 1, 1)))
    lower, upper = model.predict_interval(X)
    assert np.mean((lower < y) & (y < upper)) > 0.8


def test_labels_may_have_a_new_member_too():
    X, y = load_iris(return_X_y=True)
    model = KernelClassifier([*EFFORTS["fast"], Neighbours(9)]).fit(X, y)
    member = model.members[-1]
    assert member.candidate == Neighbours(9)
    np.testing.assert_allclose(member.left_out.sum(axis=1), 1.0)
    assert clone(model).effort == model.effort


def test_an_effort_is_a_list_of_candidates_and_of_their_names():
    X, y = make_friedman1(40, n_features=5, noise=1.0, random_state=0)
    listed = KernelRegressor(list(EFFORTS["fast"])).fit(X, y)
    np.testing.assert_array_equal(listed.predict(X), KernelRegressor("fast").fit(X, y).predict(X))
    named = KernelRegressor(["forest", "lssvm"]).fit(X, y)
    assert [member.candidate.machine for member in named.members] == ["lssvm", "forest"]  # the one with widths leads
    alone = KernelRegressor([Neighbours()]).fit(X, y)
    assert alone.candidates_.weight.tolist() == [1.0]


@pytest.mark.parametrize("effort", [3, [], None])
def test_other_efforts_are_refused(effort):
    with pytest.raises(InvalidArgument, match=r"effort=.* must be one of 'fast', 'balanced', 'best', or a list"):
        KernelRegressor(effort).fit(np.eye(6), np.arange(6.0))


def test_efforts_without_a_candidate_for_the_task_are_refused():
    with pytest.raises(InvalidArgument, match="no candidate that takes part on these rows: add 'lssvm'"):
        KernelRegressor(["gp"]).fit(np.eye(6), np.arange(6.0))
    with pytest.raises(InvalidArgument, match="'neighbors' is not known"):
        KernelRegressor(["neighbors"]).fit(np.eye(6), np.arange(6.0))


def test_equal_candidates_are_fitted_once():
    X, y = make_friedman1(40, n_features=5, noise=1.0, random_state=0)
    model = KernelRegressor([KernelMachine(), KernelMachine(max_iter=3), Neighbours(), Neighbours()]).fit(X, y)
    assert len(model.members) == 2


def test_a_candidate_that_needs_more_time_than_there_is_stays_out():
    X, y = make_friedman1(40, n_features=5, noise=1.0, random_state=0)

    class Slow(Neighbours):
        def seconds(self, task):
            return 1e9

    with pytest.warns(Warning, match="left no time for 1 of 2 candidates"):
        model = KernelRegressor([KernelMachine(), Slow()], time_limit=30.0).fit(X, y)
    assert len(model.members) == 1


def test_every_kind_of_candidate_has_a_name_of_its_own_and_takes_part_in_an_effort():
    each_used = [each for effort in EFFORTS.values() for each in effort]
    used = {type(each.inner if isinstance(each, Filled) else each) for each in each_used}  # one around another
    assert {entry.cls for entry in CANDIDATES} == used
    assert len(set(CANDIDATES.names)) == len(list(CANDIDATES))


def test_candidates_differ_by_what_is_displayed():
    for effort in EFFORTS.values():
        assert all(replace(each, **{}) == each for each in effort)
        assert len({(each, getattr(each, "where", ())) for each in effort}) == len(effort)


def test_the_table_of_candidates_is_plain_text_of_80_columns(numbers):
    model, *_ = numbers
    lines = repr(model.candidates_).split("\n")
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["candidate", "leave-one-out", "weight", "seconds"]
    heaviest = int(model.candidates_.order()[0])
    assert lines[1].startswith(model.candidates_.candidate[heaviest].words[:20])
    assert f"{model.candidates_.weight[heaviest]:.1%}" in lines[1]
    assert any(line.startswith("neighbours, nearest rows, raw values ") for line in lines)
    unfitted = replace(model.candidates_, score=np.full(len(model.candidates_), np.nan), status=("no time " * 20,) * 5)
    assert max(map(len, repr(unfitted).split("\n"))) <= 80
    assert "no time" in repr(unfitted)


@pytest.mark.parametrize(
    ("candidate", "words"),
    [
        (GaussianProcess(), "Gaussian process, one width per column, raw values"),
        (KernelMachine(tied=True), "Least squares, one width, raw values"),
        (KernelMachine(kernel="linear", view="warped"), "Least squares, linear, evened values"),
        (KernelMachine(kernel="product-laplace"), "Least squares, steps, one width per column, raw values"),
    ],
)
def test_candidates_in_words(candidate, words):
    assert candidate.words == words


def test_no_two_candidates_of_an_effort_for_the_same_tasks_have_the_same_words():
    for candidates in EFFORTS.values():
        words = [(each.words, type(each), getattr(each, "where", ())) for each in candidates]
        assert len(set(words)) == len(words)


def test_with_few_rows_machines_select_by_the_evidence_and_what_leave_one_out_claims_is_true(monkeypatch):
    """Twenty inputs, five of which matter: at widths that it selected, leave-one-out claims 0.4 of the error."""
    X, y = make_friedman1(600, n_features=20, noise=1.0, random_state=0)
    ratio = []
    for rows in (EVIDENCE_ROWS, 0):
        monkeypatch.setattr(kernel_machines, "EVIDENCE_ROWS", rows)
        model = KernelRegressor([KernelMachine()], target="identity").fit(X[:100], y[:100])
        new, claimed = y[100:] - model.predict(X[100:]), y[:100] - model.loo_prediction_
        ratio.append(np.sqrt(np.mean(new**2) / np.mean(claimed**2)))
    assert ratio[0] < 1.5 < 2.0 < ratio[1]


@pytest.mark.parametrize(("labels", "most"), [(True, EVIDENCE_ROWS_OF_LABELS), (False, EVIDENCE_ROWS)])
def test_the_evidence_selects_up_to_so_many_rows_unless_groups_leave_together(labels, most):
    def criterion(n_rows, groups=None):
        task = SimpleNamespace(labels=labels, n_rows=n_rows, Z=np.zeros((n_rows, 3)), groups=groups)
        return KernelMachine()._estimator(RBF(), task).criterion

    assert [criterion(most), criterion(most + 1), criterion(most, np.zeros(most))] == ["evidence", "press", "press"]


def test_groups_are_left_out_however_few_rows_there_are():
    X, y = make_friedman1(40, n_features=5, random_state=0)
    pairs = np.r_[X, X + 1e-9], np.r_[y, y]
    alone = KernelRegressor([KernelMachine()], target="identity").fit(*pairs)
    together = KernelRegressor([KernelMachine()], target="identity").fit(*pairs, groups=np.r_[:40, :40])
    claimed = [np.mean((pairs[1] - model.loo_prediction_) ** 2) for model in (alone, together)]
    assert claimed[0] < 0.1 * claimed[1]
