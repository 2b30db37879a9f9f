"""Searches on a part of the rows: fewer steps on all rows, the same place in the end."""

import importlib

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from kernelect import GPC, LSSVC, LSSVR
from kernelect.datasets import twonorm
from kernelect.selection import parts

recalibrate = importlib.import_module("kernelect.selection.recalibrate")


@pytest.fixture
def few(monkeypatch):
    """Parts are used from 100 rows on, so that tests are quick."""
    monkeypatch.setattr(parts, "FROM", 100)
    monkeypatch.setattr(parts, "LEAST", 50)
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
    monkeypatch.setattr(parts, "FROM", 10**9)
    whole = LSSVR().fit(X, y)
    assert whole.selection_.runs.count("all parameters") == 1
    assert quick.selection_.value <= whole.selection_.value + 0.5  # nats
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
