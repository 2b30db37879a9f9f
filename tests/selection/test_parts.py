"""Searches on a part of the rows: fewer steps on all rows, the same place in the end."""

import importlib

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from kernelect import GPC, LSSVC, LSSVR
from kernelect.criteria import EPEvidence
from kernelect.datasets import twonorm
from kernelect.estimators import _latent
from kernelect.machines import EP
from kernelect.machines.ep import machine as ep_machine
from kernelect.search import LBFGS
from kernelect.selection import objective as objective_module
from kernelect.selection import parts
from kernelect.selection import run as run_module

recalibrate = importlib.import_module("kernelect.selection.recalibrate")


@pytest.fixture
def few(monkeypatch):
    """Parts are used from 100 rows on, so that tests are quick."""
    for prefix in ("", "GUIDED_"):
        monkeypatch.setattr(parts, f"{prefix}FROM", 100)
        monkeypatch.setattr(parts, f"{prefix}LEAST", 50)
    monkeypatch.setattr(parts, "_PER_PARAMETER", 1)
    monkeypatch.setattr(recalibrate, "FROM", 100)


def friedman(n=200, seed=0):
    return make_friedman1(n, n_features=6, noise=1.0, random_state=seed)


def full_size_evaluations(selection):
    """Return the evaluations after the last search on a part: those of the last main search."""
    last = max(number for number, label in enumerate(selection.runs) if label == "all parameters")
    return int(np.sum(selection.trace.run == last))


def test_the_search_on_all_rows_is_short(few, monkeypatch):
    X, y = friedman()
    selection = LSSVR().fit(X, y).selection_
    assert selection.runs.count("all parameters") == 3  # a quarter, half, all
    monkeypatch.setattr(parts, "FROM", 10**9)
    assert full_size_evaluations(selection) < 0.5 * LSSVR().fit(X, y).selection_.n_evaluations


def test_it_ends_where_the_whole_way_on_all_rows_ends(few, monkeypatch):
    X, y = friedman()
    quick = LSSVR().fit(X, y)
    monkeypatch.setattr(parts, "GUIDED_FROM", 10**9)
    whole = LSSVR().fit(X, y)
    assert whole.selection_.runs.count("all parameters") == 1
    assert quick.selection_.value <= whole.selection_.value + 2.0  # nats: seven parameters gain 3.5 by chance
    np.testing.assert_allclose(quick.predict(X), whole.predict(X), atol=0.1 * y.std())


def test_few_rows_are_searched_as_they_are():
    X, y = friedman(120)
    assert LSSVR().fit(X, y).selection_.runs.count("all parameters") == 1


def test_restarts_compare_optima_of_all_rows(few):
    X, y = friedman(120)
    selection = LSSVR(n_restarts=1, random_state=0).fit(X, y).selection_
    assert selection.runs.count("all parameters") == 1
    assert len(selection.optima) == 2


def test_the_order_of_rows_does_not_matter(few):
    X, y = friedman(150)
    order = np.random.default_rng(0).permutation(len(X))
    here, there = LSSVR().fit(X, y), LSSVR().fit(X[order], y[order])
    np.testing.assert_allclose(here.predict(X), there.predict(X), rtol=1e-5, atol=1e-5)


def test_classifiers_recalibrate_on_a_part_and_all_rows_decide(few, monkeypatch):
    X, y = twonorm(200, random_state=0)
    model = LSSVC().fit(X, y)
    X_new, y_new = twonorm(1000, random_state=1)
    assert model.score(X_new, y_new) > 0.95
    # A proposal that is worse on all rows is not taken.
    monkeypatch.setattr(recalibrate, "_shifted", lambda objective, theta, labels, deadline: theta + 5.0)
    stubborn = LSSVC().fit(X, y)
    assert "refined" not in stubborn.selection_.status


def test_machines_with_a_latent_function_too(few):
    X, y = twonorm(150, random_state=0)
    selection = GPC(kernel="rbf").fit(X, y).selection_
    assert selection.runs.count("all parameters") == 3
    assert selection.converged


def test_precomputed_kernels_have_nothing_to_search(few):
    X, y = friedman(120)
    assert LSSVR(kernel="precomputed").fit(X @ X.T, y).selection_.converged


def test_what_a_part_has_learned_of_curvatures_is_handed_on(few, monkeypatch):
    """With it three evaluations on all of 2000 rows suffice where twice as many were needed."""
    X, y = friedman()
    learned, used = [], []
    hand_on, search = LBFGS.handed, LBFGS._run
    monkeypatch.setattr(LBFGS, "handed", lambda self, inverse: learned.append(inverse) or hand_on(self, inverse))
    monkeypatch.setattr(LBFGS, "_run", lambda self, *parts: used.append(self.inverse) or search(self, *parts))
    LSSVR().fit(X, y)
    assert len(learned) == 2  # from a quarter and from half of the rows
    assert all(inverse.shape == (7, 7) for inverse in learned)
    assert used[0] == ()
    np.testing.assert_allclose(used[-1], learned[-1])


def test_curvature_grows_with_the_rows(few, monkeypatch):
    """Values are sums over rows: from half of them an inverse Hessian is handed on as half of itself."""
    X, y = friedman()
    found, learned = [], []
    go_on_from, hand_on = run_module.Run.go_on_from, LBFGS.handed
    monkeypatch.setattr(LBFGS, "handed", lambda self, inverse: learned.append(inverse) or hand_on(self, inverse))
    monkeypatch.setattr(run_module.Run, "go_on_from", lambda self, part: found.append(part) or go_on_from(self, part))
    LSSVR().fit(X, y)
    for part, inverse in zip(found, learned, strict=True):
        np.testing.assert_allclose(inverse, len(part.objective.X) / len(X) * part.found.inverse)


def test_a_search_on_all_rows_ends_where_a_step_gains_next_to_nothing(few, monkeypatch):
    X, y = friedman()
    quick = LSSVR().fit(X, y).selection_
    monkeypatch.setattr(run_module, "_ENOUGH", 0.0)
    patient = LSSVR().fit(X, y).selection_
    assert full_size_evaluations(quick) < full_size_evaluations(patient)
    assert quick.value < patient.value + 2.0  # nats, of all rows together


def test_parts_that_are_nearly_all_rows_are_not_searched(few):
    """From 50 of 140 rows a part of 100 would be as costly as all of them."""
    X, y = friedman(140)
    assert LSSVR().fit(X, y).selection_.runs.count("all parameters") == 2


@pytest.fixture
def posteriors(monkeypatch):
    """The posteriors that fits end in, one after the other."""
    found, component = [], _latent.posterior_component
    monkeypatch.setattr(
        "kernelect.estimators.gpc.posterior_component",
        lambda kernel, vectors, state, *rest, **options: (
            found.append(state) or component(kernel, vectors, state, *rest, **options)
        ),
    )
    return found


def test_with_many_rows_a_search_asks_less_of_the_moments(monkeypatch, posteriors):
    evidence = EPEvidence()
    assert _latent.search_tolerance(_latent._MANY_ROWS - 1, evidence) == EP().tol
    assert _latent.search_tolerance(_latent._MANY_ROWS, evidence) > 10.0 * EP().tol
    X, y = twonorm(120, random_state=0)
    monkeypatch.setattr(_latent, "_MANY_ROWS", 100)
    sweeps, sweep = [], ep_machine._Run._posterior
    monkeypatch.setattr(ep_machine._Run, "_posterior", lambda *parts: sweeps.append(1) or sweep(*parts))
    rough = GPC(kernel="rbf").fit(X, y)
    fewer = len(sweeps)
    monkeypatch.setattr(_latent, "_MANY_ROWS", 10**9)
    close = GPC(kernel="rbf").fit(X, y)
    assert fewer < 0.9 * (len(sweeps) - fewer)
    assert posteriors[0].mismatch < 1e-8  # the model that is kept is as close as ever
    np.testing.assert_allclose(rough.predict_proba(X), close.predict_proba(X), atol=1e-2)


def test_the_model_that_is_kept_begins_with_the_solution_of_the_search(monkeypatch, posteriors):
    X, y = twonorm(120, random_state=0)
    cold = GPC(kernel="rbf").fit(X, y)
    monkeypatch.setattr(objective_module, "_MANY_ROWS", 100)
    warm = GPC(kernel="rbf").fit(X, y)
    assert posteriors[1].iterations < posteriors[0].iterations
    np.testing.assert_allclose(warm.predict_proba(X), cold.predict_proba(X), atol=1e-8)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("prior", "searches"), [("shrinkage", 2), ("gaussian", 1), (None, 1)])
def test_few_rows_lead_the_way_only_where_a_prior_draws_widths_together(prior, searches, monkeypatch):
    """From 300 rows on; the papers' own priors, and none, over-fit parts of so few rows."""
    X, y = friedman(300)
    assert LSSVR(prior=prior).fit(X, y).selection_.runs.count("all parameters") == searches


@pytest.mark.parametrize(("n_inputs", "searches"), [(5, 2), (30, 1)])
def test_many_inputs_need_many_rows(n_inputs, searches):
    """Three hundred rows have no part that could tell thirty widths apart."""
    X, y = make_friedman1(300, n_features=n_inputs, noise=1.0, random_state=0)
    assert LSSVR().fit(X, y).selection_.runs.count("all parameters") == searches
