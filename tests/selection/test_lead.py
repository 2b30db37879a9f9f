"""A selection that follows another one: a shorter way to the same place."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from kernelect import GPC, LSSVR
from kernelect.kernels import ARD
from kernelect.selection import Lead, relative_widths


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
