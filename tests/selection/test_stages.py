"""The policies of selection: each of these tests fails where its policy is taken away."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from kernelect import GPC, LSSVC, LSSVR, RVC, SVC, datasets
from kernelect.criteria import PRESS, RVMCrossValidation
from kernelect.criteria.calibration import calibrated_log_loss
from kernelect.machines import RidgePath
from kernelect.numerics import Deadline
from kernelect.parameters import ParameterSpace
from kernelect.priors import Laplace
from kernelect.results import SearchResult, Status
from kernelect.search import Directions
from kernelect.selection import Rows, SelectionOptions, stages
from kernelect.selection.parts import stages_of
from kernelect.selection.run import Run
from kernelect.selection.stages import (
    AllParameters,
    Begun,
    CriterionAlone,
    NarrowStart,
    PriorRevised,
    SecondBasin,
    Spherical,
)


def noisy_waves(seed, n=60, d=4):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, d))
    return X, np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.6 * generator.normal(size=n)


def run_of(estimator, X, y, **options):
    objective = estimator._problem(Rows(X=X, targets=y[:, None], weights=np.ones(len(y))))
    return Run(objective, SelectionOptions(**options))


# Which stages apply.


@pytest.mark.parametrize(
    ("estimator", "applying"),
    [
        (LSSVR(), {Spherical, AllParameters, SecondBasin}),
        (LSSVR(prior=None), {Spherical, AllParameters}),
        (LSSVR("rbf"), {AllParameters}),
        (LSSVR("rbf", prior="gaussian"), {CriterionAlone, AllParameters}),
        (LSSVR(prior="evidence"), {Spherical, CriterionAlone, AllParameters, PriorRevised}),
        (LSSVR(prior="laplace"), {Spherical, CriterionAlone, AllParameters, PriorRevised}),
    ],
    ids=lambda part: None if isinstance(part, set) else str(part),  # a set is printed in any order
)
def test_every_stage_says_when_it_applies(estimator, applying):
    run = run_of(estimator, *noisy_waves(0))
    assert {type(stage) for stage in stages_of(run.objective.machine, None) if stage.applies(run)} == {Begun, *applying}


# The second basin.


def test_a_second_minimum_has_to_be_lower_by_what_fitting_noise_gains(monkeypatch):
    X, y = noisy_waves(30)
    margin = 0.5 * (4 - 1)  # nats, four widths
    kept = LSSVR().fit(X, y).selection_
    monkeypatch.setattr(stages, "_MARGIN", 0.0)
    lower = LSSVR().fit(X, y).selection_
    assert kept.value - margin < lower.value < kept.value - 0.1
    assert "second basin" not in kept.runs


def test_a_second_minimum_that_is_low_enough_is_taken():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 2))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * generator.normal(size=60)
    selection = LSSVR().fit(X, y).selection_
    assert "second basin" in selection.runs
    first = selection.trace.value[selection.trace.run == selection.runs.index("all parameters")].min()
    assert selection.value < first - 0.5


@pytest.mark.parametrize(("moved", "starts"), [(0.9, 1), (1.1, 2), (-1.1, 2)])
def test_the_data_s_own_scale_is_scouted_where_the_spherical_optimum_is_far_from_it(moved, starts):
    run = run_of(LSSVR(), *noisy_waves(0))
    theta = run.space.start.copy()
    theta[run.space.all_widths] += moved
    found = SecondBasin._starts(run, run.space.moved(theta))
    assert len(found) == starts
    np.testing.assert_array_equal(found[0].start, theta)
    np.testing.assert_array_equal(found[-1].start, theta if starts == 1 else run.objective.space.start)


def test_a_narrow_start_begins_a_unit_and_a_half_below_the_data_s_scale(monkeypatch):
    run = run_of(GPC("ard"), noisy_waves(0)[0], np.where(noisy_waves(0)[1] > 0, 1.0, -1.0), thorough=True)
    begun, widths = run.objective.space.start, run.space.all_widths
    asked = []
    monkeypatch.setattr(Run, "search", lambda self, label, along, **more: asked.append((label, along)) or stayed(along))
    run.result = stayed(Directions.each_free(run.space), value=-1.0)
    stage = NarrowStart()
    assert stage.applies(run)
    stage.carry_out(run)
    (label, along) = asked[0]
    start = along.theta(np.zeros(len(along)))
    assert label == "narrow start"
    np.testing.assert_allclose(start[widths], begun[widths] + 1.5)
    np.testing.assert_allclose(np.delete(start, widths), np.delete(begun, widths))
    assert [label for label, _ in asked] == ["narrow start"]  # which was no lower: it goes no further


def stayed(along, value=0.0):
    """Return the result of a search that stays where it begins."""
    theta = along.theta(np.zeros(len(along)))
    return SearchResult(theta=theta, value=value, status=Status.CONVERGED, trace=None)


def test_the_second_basin_is_not_looked_for_after_the_deadline():
    run = run_of(LSSVR(), *noisy_waves(30))
    Spherical().carry_out(run)
    AllParameters().carry_out(run)
    result, evaluations = run.found, len(run.objective.known.values)
    assert SecondBasin().applies(run)
    run.deadline = Deadline(0.0)
    assert not SecondBasin().applies(run)
    SecondBasin().carry_out(run)
    assert run.found is result
    assert len(run.objective.known.values) == evaluations
    assert "time limit" in run.selection().ending


def test_time_that_runs_out_on_the_way_stops_there():
    ticks = iter(range(1000))
    run = run_of(LSSVR(), *noisy_waves(30))
    Spherical().carry_out(run)
    AllParameters().carry_out(run)
    before = len(run.labels)
    run.deadline = Deadline(3.5, clock=lambda: next(ticks))
    SecondBasin().carry_out(run)
    assert len(run.labels) - before <= 2  # scouts, and no search after them
    assert "second basin" not in run.labels


def test_tied_widths_have_a_part_of_the_time_and_leave_the_rest_to_widths_one_by_one(monkeypatch):
    until = []

    def out_of_time(search, function, directions, *, budget, **_):
        until.append(budget.deadline)
        return replace(stayed(directions), status=Status.TIME_LIMIT)

    monkeypatch.setattr("kernelect.selection.run.search_along", out_of_time)
    run = run_of(LSSVR(), *noisy_waves(30), deadline=Deadline.after(1000.0))
    Spherical().carry_out(run)
    assert until[0] == pytest.approx(run.deadline.at - 750.0, abs=50.0)
    assert not run.cut_short
    assert run.has_time()
    run.search("all parameters", Directions.each_free(run.space))
    assert until[1] == run.deadline.at
    assert run.cut_short
    run.deadline, run.cut_short = Deadline(0.0), False
    Spherical().carry_out(run)
    assert run.cut_short


# Recalibration.


def test_recalibration_moves_the_overall_width_where_that_lowers_the_log_loss():
    X, y = datasets.twonorm(60, random_state=3)
    plain, model = LSSVC("rbf", recalibrate=False).fit(X, y), LSSVC("rbf").fit(X, y)
    assert np.log(model.kernel_.gamma / plain.kernel_.gamma) == pytest.approx(-5.0)
    targets, index = np.where(y > 0, 1.0, -1.0)[:, None], (y > 0).astype(int)
    path = RidgePath(plain.kernel_.gram(X), targets, np.ones(60))
    ridges = np.geomspace(1e-4, 1e3, 60)
    at_the_old_width = [calibrated_log_loss(targets - path.residuals(mu), index, np.ones(60)) for mu in ridges]
    assert calibrated_log_loss(model.loo_decision_, index, np.ones(60)) < min(at_the_old_width)


# Pruning.


@pytest.mark.parametrize(("pull", "pruned"), [(-0.5, True), (-0.9, True), (-1.1, False), (-1.9, False)])
def test_an_input_is_pruned_where_the_prior_gains_more_than_the_criterion_loses(pull, pruned):
    """dL/dgamma_j = slope dQ/dgamma_j + N / (2 Omega) at gamma_j = 0, with Omega = 1/2 sum gamma over the others."""
    theta = np.log([1.0, 2.0, 1e-4])
    space = ParameterSpace(
        names=("a", "b", "c"),
        start=theta,
        lower=theta - 9.0,
        upper=theta + 9.0,
        free=np.ones(3, dtype=bool),
        widths=(np.arange(3),),
        reference=np.zeros(3),
    )
    omega = 0.5 * (1.0 + 2.0)
    threshold = 0.5 * 2 / omega

    def criterion(at):
        return 1.0, np.exp(at) * pull * threshold / 3.0  # its slope is 3

    revision = Laplace().revise(criterion, 3.0, theta, space)
    assert (revision is not None and revision.theta[2] == -np.inf) == pruned


# What is remembered.


def test_no_point_is_evaluated_twice(monkeypatch):
    seen = Counter()

    def counted(plain):
        def value(self, fitted):
            seen[fitted.gram.tobytes()] += 1
            return plain(self, fitted)

        return value

    monkeypatch.setattr(RVMCrossValidation, "value", counted(RVMCrossValidation.value))
    for seed in range(3):
        RVC().fit(*datasets.twonorm(80, n_features=6, random_state=seed))
    assert max(seen.values()) == 1
    assert len(seen) > 20


def test_a_remembered_value_is_the_one_that_was_found(monkeypatch):
    run = run_of(LSSVR(), *noisy_waves(1))
    objective, theta = run.objective, run.space.start + 0.1
    value, gradient = objective(theta)
    bare = run.alone()(theta)  # another prior: the criterion is remembered all the same
    monkeypatch.setattr(PRESS, "value_and_gradient", None)
    monkeypatch.setattr(PRESS, "value", None)
    assert objective(theta)[0] == value
    np.testing.assert_array_equal(objective(theta)[1], gradient)
    assert objective.value(theta) == value
    assert run.alone()(theta)[0] == bare[0]
    penalty = objective.prior.penalty(objective._evaluated(theta, gradient=False)[0])[0]
    assert value == pytest.approx(bare[0] + penalty)


def test_nothing_is_remembered_for_other_parts():
    X, y = noisy_waves(1)
    objective = run_of(LSSVR(), X, y).objective
    theta = objective.space.start
    half = objective.on_rows(np.arange(0, 60, 2))
    assert half.value(theta) != objective.value(theta)
    fresh = run_of(LSSVR(), X, y).objective.on_rows(np.arange(0, 60, 2))
    assert half.value(theta) == fresh.value(theta)


@pytest.mark.parametrize("estimator", [SVC("rbf", criterion="span"), GPC("rbf")], ids=str)
def test_machines_that_begin_with_their_last_solution_remember_no_values(estimator):
    X, y = noisy_waves(2)
    run = run_of(estimator, X, np.where(y > 0, 1.0, -1.0))
    run.objective.value(run.space.start)
    assert not run.objective.known.values


# Directions.


def test_directions_lead_to_theta_and_back():
    run = run_of(LSSVR(), *noisy_waves(0))
    tied = Directions.tied_widths(run.space)
    assert len(tied) == 2  # all widths together, and the ridge
    phi = np.array([0.3, -0.7])
    theta = tied.theta(phi)
    np.testing.assert_allclose(theta - run.space.start, [0.3, 0.3, 0.3, 0.3, -0.7])
    np.testing.assert_allclose(tied.phi(theta), phi)
    assert Directions.tied_widths(run_of(LSSVR("rbf"), *noisy_waves(0)).space) is None
    value, slope = tied.along(lambda at: (float(at @ at), 2.0 * at))(phi)
    np.testing.assert_allclose(slope, [2.0 * theta[:4].sum(), 2.0 * theta[4]])
    assert value == pytest.approx(float(theta @ theta))
