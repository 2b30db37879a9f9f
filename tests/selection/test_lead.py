"""A selection that follows another one: a shorter way to the same place."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from kernelect import GPC, LSSVR
from kernelect.kernels import ARD
from kernelect.machines import EP
from kernelect.results import Reached
from kernelect.selection import Lead, parts, relative_widths, stages


@pytest.fixture(scope="module")
def leader():
    X, y = make_friedman1(120, n_features=8, noise=1.0, random_state=0)
    model = LSSVR().fit(X, y)
    return X, y, model, Lead(shape=relative_widths(ARD().space(X), model.selection_.theta), max_iter=10)


def test_the_way_is_shorter_and_ends_as_low(leader):
    X, y, _, lead = leader
    alone = LSSVR("matern32-ard").fit(X, y)
    led = LSSVR("matern32-ard")._fit_anew(X, y, None, lead=lead)
    assert led.selection_.n_evaluations < 0.6 * alone.selection_.n_evaluations
    assert led.selection_.value < alone.selection_.value + 1.0  # nats
    assert set(led.selection_.runs) == {"spherical", "all parameters"}


def test_the_shape_is_what_was_selected(leader):
    *_, lead = leader
    relevant, irrelevant = lead.shape[:5], lead.shape[5:]
    assert relevant.min() > irrelevant.max() - 1.0
    assert lead.shape.mean() == pytest.approx(0.0)


def test_a_lead_is_forgotten_after_the_fit(leader):
    X, y, _, lead = leader
    model = LSSVR("rbf")._fit_anew(X, y, None, lead=lead)
    assert "_lead" not in vars(model)
    assert model.fit(X, y)._lead is None


def test_other_widths_are_left_as_they_are(leader):
    X, y, _, lead = leader
    np.testing.assert_allclose(
        LSSVR("rbf")._fit_anew(X, y, None, lead=lead).predict(X), LSSVR("rbf").fit(X, y).predict(X), atol=0.05
    )


def test_tied_widths_keep_their_proportions(leader):
    X, y, _, lead = leader
    model = LSSVR()._fit_anew(X, y, None, lead=Lead(shape=np.zeros(8), max_iter=30, tied=True))
    assert set(model.selection_.runs) == {"spherical"}
    np.testing.assert_allclose(relative_widths(ARD().space(X), model.selection_.theta), 0.0, atol=1e-12)
    followed = LSSVR()._fit_anew(X, y, None, lead=replace(lead, tied=True))
    np.testing.assert_allclose(relative_widths(ARD().space(X), followed.selection_.theta), lead.shape, atol=1e-12)


def test_machines_with_amplitudes_follow_too(leader):
    X, y, _, lead = leader
    model = GPC()._fit_anew(X, y > np.median(y), None, lead=lead)
    assert model.score(X, y > np.median(y)) > 0.9


@pytest.fixture
def evaluated(monkeypatch):
    """Rows and tolerance of every posterior that is found."""
    seen, fit = [], EP.fit

    def watched(self, gram, *rest):
        seen.append((len(gram), self.tol))
        return fit(self, gram, *rest)

    monkeypatch.setattr(EP, "fit", watched)
    return seen


@pytest.mark.parametrize("tied", [False, True])
def test_what_leads_on_is_searched_on_a_part_of_the_rows(leader, evaluated, monkeypatch, tied):
    X, y, _, lead = leader
    monkeypatch.setattr(parts, "GUIDED_FROM", 100)
    monkeypatch.setattr(parts, "GUIDED_LEAST", 60)
    lead = replace(lead, tied=tied)
    model = GPC()._fit_anew(X, y > np.median(y), None, lead=lead)
    on_part, on_all = ([rows for rows, _ in evaluated if rows == size] for size in (60, 120))
    # Three steps ask for a few more values where they are too long; then the posterior that is kept is found.
    assert len(on_all) <= 8 <= len(on_part)
    monkeypatch.setattr(parts, "GUIDED_FROM", 10**9)
    whole = GPC()._fit_anew(X, y > np.median(y), None, lead=lead)
    assert abs(model.selection_.value - whole.selection_.value) < 0.03  # nats per row


def test_few_rows_are_led_as_they_are(leader, evaluated):
    X, y, _, lead = leader
    GPC()._fit_anew(X, y > np.median(y), None, lead=lead)
    assert {rows for rows, _ in evaluated} == {len(X)}


def test_moments_match_less_closely_where_a_search_is_led(leader, evaluated):
    X, y, _, lead = leader
    GPC()._fit_anew(X, y > np.median(y), None, lead=lead)
    led = {tol for _, tol in evaluated}
    evaluated.clear()
    GPC().fit(X, y > np.median(y))
    assert min(led) > 1e3 * min(tol for _, tol in evaluated)
    assert max(led) > max(tol for _, tol in evaluated)


@pytest.mark.parametrize("landmarks", [None, 40])
@pytest.mark.parametrize("tied", [False, True])
def test_from_where_a_part_ended_only_the_last_steps_are_left(leader, landmarks, tied):
    X, y, *_ = leader
    way = Lead(shape=np.zeros(8), max_iter=30, tied=True) if tied else None
    whole = LSSVR(landmarks=landmarks, random_state=0)._fit_anew(X, y, None, lead=way)
    near = Lead(
        shape=np.zeros(8),
        max_iter=8,
        last_steps=8,
        tied=tied,
        start=Reached(theta=whole.selection_.theta + 0.2, rows=120),
    )
    led = LSSVR(landmarks=landmarks, random_state=0)._fit_anew(X, y, None, lead=near)
    assert led.selection_.n_evaluations < 15
    assert led.selection_.value < whole.selection_.value + 1.0  # nats
    if tied:
        np.testing.assert_allclose(relative_widths(ARD().space(X), led.selection_.theta), 0.0, atol=1e-9)


def test_an_input_that_is_constant_on_the_part_begins_at_the_scale_of_all_rows(leader):
    X, y, *_ = leader
    start = np.append(np.full(8, -1.0), 0.0)
    start[3] = -np.inf
    model = LSSVR()._fit_anew(
        X, y, None, lead=Lead(shape=np.zeros(8), max_iter=3, start=Reached(theta=start, rows=120))
    )
    assert np.isfinite(model.selection_.theta).all()


#: A lead that leads nowhere.
WHOLE_WAY = Lead(shape=np.zeros(0), max_iter=200, last_steps=200)


@pytest.mark.parametrize("landmarks", [None, 40])
def test_without_a_shape_a_selection_goes_the_whole_way(leader, landmarks):
    X, y, *_ = leader
    alone = LSSVR(landmarks=landmarks, random_state=0).fit(X, y)
    led = LSSVR(landmarks=landmarks, random_state=0)._fit_anew(X, y, None, lead=WHOLE_WAY)
    np.testing.assert_array_equal(led.selection_.theta, alone.selection_.theta)
    assert alone.selection_.reached is None
    assert led.selection_.reached.rows == len(X)


@pytest.fixture
def half_and_all():
    """Where half of the rows lead, and all rows."""
    X, y = make_friedman1(300, n_features=8, noise=1.0, random_state=0)
    half = LSSVR(random_state=0)._fit_anew(X[:150], y[:150], None, lead=WHOLE_WAY)
    return X, y, half.selection_.reached


@pytest.mark.parametrize("landmarks", [None, 60])
def test_steps_on_all_rows_use_the_curvature_that_a_part_has_taught(half_and_all, landmarks):
    X, y, reached = half_and_all

    def ended(start):
        lead = Lead(shape=np.zeros(8), max_iter=4, last_steps=4, start=start)
        return LSSVR(landmarks=landmarks, random_state=0)._fit_anew(X, y, None, lead=lead).selection_

    reached = replace(reached, value=np.inf)  # how much a step has to gain is another question
    taught, untaught = ended(reached), ended(replace(reached, inverse=None))
    assert taught.n_evaluations < untaught.n_evaluations
    assert taught.value < untaught.value + 0.3  # nats


def test_steps_on_all_rows_gain_something_or_are_not_taken(half_and_all):
    X, y, reached = half_and_all
    lead = Lead(shape=np.zeros(8), max_iter=100, last_steps=100, start=reached)
    few = LSSVR(random_state=0)._fit_anew(X, y, None, lead=lead).selection_
    lead = replace(lead, start=replace(reached, value=np.inf))  # then by the usual tolerance
    many = LSSVR(random_state=0)._fit_anew(X, y, None, lead=lead).selection_
    assert few.n_evaluations < many.n_evaluations
    assert few.value < many.value + 0.6  # nats


def test_few_steps_from_a_part_are_followed_by_more_while_they_gain_much(leader, monkeypatch):
    """Begun with widths three log units off, two steps end far above where the whole way does."""
    X, y, whole, lead = leader
    start = whole.selection_.theta + 3.0
    far = replace(lead, max_iter=2, last_steps=2, start=Reached(theta=start, rows=120))
    found = LSSVR()._fit_anew(X, y, None, lead=far).selection_
    assert "still gaining" in found.runs
    monkeypatch.setattr(stages, "_MUCH", np.inf)
    few = LSSVR()._fit_anew(X, y, None, lead=far).selection_
    assert set(few.runs) == {"all parameters"}
    assert found.value < few.value - 10.0  # nats
    assert found.value < whole.selection_.value + 5.0
    near = replace(far, start=Reached(theta=whole.selection_.theta + 0.05, rows=120))
    monkeypatch.undo()
    assert "still gaining" not in LSSVR()._fit_anew(X, y, None, lead=near).selection_.runs
